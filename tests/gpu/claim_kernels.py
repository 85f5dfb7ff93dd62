"""Run the GPU kernel of a claim in the emulator: results in memory that was full of NaN, in every
order of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from mlir import ir

from tdsl.gpu.emulator import ORDERS, Emulator
from tdsl.gpu.kernels.elements import plain_type
from tdsl.lowering.kernels import Kernel
from tdsl.lowering.pipeline import context
from tdsl.lowering.rewriting import as_block

Array = np.ndarray[Any, Any]
ELEMENTS: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i64": np.int64,
    "i32": np.int32,
    "i8": np.int8,
}
ALL = frozenset(range(16))
"""Every operand begins at a multiple of 16 bytes."""
MakeKernel = Callable[[Any, Sequence[Any], Any], Kernel]
"""From a claim's function and the memrefs of its operands and result to a kernel `@k`."""


def made(function_text: str, make: MakeKernel, layouts: Sequence[str | None] = ()) -> Kernel:
    """The kernel of the one function of a module."""
    with context():
        return _made(function_text, make, layouts)[0]


def _made(
    function_text: str, make: MakeKernel, layouts: Sequence[str | None]
) -> tuple[Kernel, list[int], str]:
    module = ir.Module.parse(function_text)
    (function,) = (
        one
        for one in module.body.operations
        if one.operation.name == "func.func" and one.regions[0].blocks
    )
    block = as_block(function)
    result = plain_type(list(block.operations)[-1].operation.operands[0].type)
    types = [plain_type(argument.type) for argument in block.arguments]
    for place, layout in enumerate(layouts):
        if layout is not None:
            types[place] = ir.MemRefType(ir.Type.parse(layout))
    kernel = make(function, types, result)
    return kernel, list(result.shape), str(result.element_type)


class Emulated:
    """A kernel, compiled for the emulator. `edit` may break its text first."""

    def __init__(
        self,
        function_text: str,
        make: MakeKernel,
        layouts: Sequence[str | None] = (),
        edit: Callable[[str], str] = lambda text: text,
    ) -> None:
        with context():
            self.kernel, shape, element = _made(function_text, make, layouts)
        self._shape, self._element = tuple(shape), np.dtype(ELEMENTS[element])
        self._emulator = Emulator(edit(self.kernel.text))

    def __call__(self, *arrays: Array, order: Any = "forward") -> Array:
        inputs = [_aligned(array) for array in arrays]
        copies = [array.copy() for array in inputs]
        result = _aligned(np.empty(self._shape, self._element))
        result.view(np.uint8 if result.ndim else self._element)[...] = 0xFF
        for launch in self.kernel.launches:
            every = [*inputs, result]
            given = [every[place] for place in launch.arguments]
            self._emulator.launch(launch.symbol, launch.grid, launch.block, given, order)
        for array, copy in zip(inputs, copies, strict=True):
            assert array.tobytes() == copy.tobytes(), "an operand was written"
        return result

    def in_every_order(self, *arrays: Array) -> Array:
        """The result, which is the same bits whichever threads come first."""
        found = [self(*arrays, order=order) for order in ORDERS]
        for other in found[1:]:
            assert found[0].tobytes() == other.tobytes(), "the order of threads shows"
        return found[0]

    def shows_a_fault(self, wanted: Array, tolerance: float, *arrays: Array) -> bool:
        """Whether the result is not what it should be in some order of threads."""
        for order in ORDERS:
            found = self(*arrays, order=order).astype(np.float64)
            if not np.allclose(found, wanted, tolerance, tolerance):
                return True
        return False


def _aligned(array: Array) -> Array:
    """A copy at a multiple of 64 bytes, with the same strides."""
    low, high = np.lib.array_utils.byte_bounds(array)
    whole = np.empty(high - low + 64, np.uint8)
    start = -whole.ctypes.data % 64
    copy: Array = np.ndarray(array.shape, array.dtype, whole.data, start, array.strides)
    copy[...] = array
    return copy


def barriers(text: str) -> int:
    return text.count("gpu.barrier")


def without_barrier(place: int) -> Callable[[str], str]:
    """An edit that removes one barrier of a kernel."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        found = [at for at, line in enumerate(lines) if line.strip() == "gpu.barrier"]
        del lines[found[place]]
        return "\n".join(lines)

    return edit
