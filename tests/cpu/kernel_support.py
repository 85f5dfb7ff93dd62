"""Compile a function on tensors through a kernel generator alone, and call it between guards."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from mlir import ir
from mlir.passmanager import PassManager

from tdsl.cpu import vecmath
from tdsl.engine.llvm import Target, Tuning, compile_module
from tdsl.engine.load import load
from tdsl.lowering.options import Options
from tdsl.lowering.passes import bf16_as_integers
from tdsl.lowering.pipeline import context

Array = np.ndarray[Any, Any]
LOWER = (
    "lower-affine,convert-linalg-to-loops,convert-vector-to-scf,expand-strided-metadata,"
    "lower-affine,arith-expand{include-bf16=1},convert-scf-to-cf,"
    "convert-vector-to-llvm{enable-x86vector=0 reassociate-fp-reductions=1},"
    "finalize-memref-to-llvm,convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,"
    "convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts"
)
GUARD = 64
# The code is vectors already: this is as fast as O2 makes it, and compiled in a third of the time.
_QUICK = Tuning("function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)", 1)
_ELEMENTS: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i64": np.int64,
    "i32": np.int32,
    "i8": np.int8,
}

MakeKernel = Callable[[Any, Sequence[Any], Any], str]
"""From a function on tensors and the memrefs of its operands and result to a kernel `@k`."""


class Compiled:
    """A kernel that is called with arrays, each in guarded memory of its own."""

    def __init__(
        self,
        function_text: str,
        make: MakeKernel,
        layouts: Sequence[str | None] = (),
        features: str | None = None,
    ) -> None:
        host = Target.host()
        target = Target(host.triple, "x86-64", features) if features is not None else host
        with context():
            module = ir.Module.parse(function_text)
            function = next(
                one
                for one in module.body.operations
                if one.operation.name == "func.func" and one.regions[0].blocks
            )
            block = function.regions[0].blocks[0]
            result = list(block.operations)[-1].operation.operands[0].type
            types = [_memref(argument.type) for argument in block.arguments]
            for place, layout in enumerate(layouts):
                if layout is not None:
                    types[place] = ir.MemRefType(ir.Type.parse(layout))
            self.result = _memref(result)
            self.types = types
            self.text = make(function, types, self.result)
            kernel = ir.Module.parse(f"{self.text}\n{_wrapper(types, self.result)}")
            vecmath.run(kernel, Options())
            PassManager.parse(f"builtin.module({LOWER})").run(kernel.operation)
            bf16_as_integers.run(kernel, Options())
            exported = frozenset({"_mlir_ciface_entry"})
            self.code = compile_module(kernel, target, exported, _QUICK)
            self._results = (list(self.result.shape), str(self.result.element_type))
        self._loaded = load(self.code)
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(types) + 1))(
            self._loaded.address("_mlir_ciface_entry")
        )

    def __call__(self, *arrays: Array, shape: tuple[int, ...] | None = None) -> Array:
        """The result for these arrays, in memory that was full of NaN; nothing around it changed."""
        sizes, element = self._results
        wanted = shape if shape is not None else tuple(sizes)
        kind = np.dtype(_ELEMENTS[element])
        count = int(np.prod(wanted, dtype=np.int64))
        whole = np.full(count * kind.itemsize + 2 * GUARD, 0xFF, np.uint8)
        result = whole[GUARD : GUARD + count * kind.itemsize].view(kind).reshape(wanted)
        before = whole[:GUARD].copy()
        memories = [guarded(array) for array in arrays]
        inputs = [array for array, _ in memories]
        copies = [memory.copy() for _, memory in memories]
        descriptors = [descriptor(array) for array in (*inputs, result)]
        self._call(*[ctypes.addressof(one) for one in descriptors])
        assert (whole[:GUARD] == before).all(), "written in front of the result"
        assert (whole[-GUARD:] == before).all(), "written behind the result"
        for (_, memory), copy in zip(memories, copies, strict=True):
            assert (memory == copy).all(), "an operand, or what lies around it, was written"
        return result

    def caller(self, *arrays: Array, result: Array) -> Callable[[], None]:
        """For timing: a call without anything around it."""
        descriptors = [descriptor(array) for array in (*arrays, result)]
        pointers = [ctypes.addressof(one) for one in descriptors]
        kept = (arrays, result, descriptors, self)
        return lambda kept=kept: self._call(*pointers)  # type: ignore[misc]


def guarded(array: Array) -> tuple[Array, Array]:
    """A copy with the same strides in elements, and all of its memory: NaN before, after, and in
    the gaps of what it spans."""
    low = 0
    high = (
        sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True))
        if array.size
        else 0
    )
    span = high - low + array.itemsize
    whole = np.full(span + 2 * GUARD, 0xFF, np.uint8)
    made = np.ndarray(array.shape, array.dtype, whole.data, GUARD, array.strides)
    made[...] = array
    return made, whole


def descriptor(array: Array) -> ctypes.Array[ctypes.c_int64]:
    """The memref descriptor of an array, as words."""
    words = [array.ctypes.data, array.ctypes.data, 0, *array.shape]
    words += [stride // array.itemsize for stride in array.strides]
    return (ctypes.c_int64 * len(words))(*words)


def _memref(type_: Any) -> Any:
    ranked = ir.RankedTensorType(type_)
    return ir.MemRefType.get(ranked.shape, ranked.element_type)


def _wrapper(types: Sequence[Any], result: Any) -> str:
    shown = ", ".join(f"%a{i}: {one}" for i, one in enumerate((*types, result)))
    names = ", ".join(f"%a{i}" for i in range(len(types) + 1))
    listed = ", ".join(str(one) for one in (*types, result))
    return (
        f"func.func @entry({shown}) attributes {{llvm.emit_c_interface}} {{\n"
        f"  func.call @k({names}) : ({listed}) -> ()\n  return\n}}\n"
    )
