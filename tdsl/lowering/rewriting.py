"""What the passes share: walking, building and replacing operations of MLIR from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mlir import ir
from mlir.dialects import arith

import tdsl.lowering.dialects  # noqa: F401  (before any operation is wrapped)
from tdsl.lowering.machine import FINISHED
from tdsl.types.sizes import Opaque, Size, Symbol

DYNAMIC = ir.ShapedType.get_dynamic_size()


def collect(root: Any, names: Collection[str]) -> list[Any]:
    """Every operation of one of these names under `root`, in order. Collected first, because a
    walk must not meet operations that are erased or made on the way."""
    found: list[Any] = []

    def visit(operation: Any) -> Any:
        if operation.name in names:
            found.append(operation)
        return ir.WalkResult.ADVANCE

    root.operation.walk(visit)
    return found


def collect_unfinished(module: Any, names: Collection[str]) -> list[Any]:
    """The same in a module, but for kernels that are written as they should run: they are most of
    it, and walking takes its time."""
    found: list[Any] = []
    for operation in module.body.operations:
        attributes = operation.operation.attributes
        if "passthrough" not in attributes or not _is_finished(attributes["passthrough"]):
            found += collect(operation, names)
    return found


def _is_finished(passthrough: Any) -> bool:
    return any(
        isinstance(one, ir.ArrayAttr) and ir.StringAttr(one[0]).value == FINISHED
        for one in ir.ArrayAttr(passthrough)
    )


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = (
    ctypes.c_void_p,
    [ctypes.py_object, ctypes.c_char_p],
)


def identity(operation: Any) -> int:
    """Which operation this is, while it exists. `hash` will not do: it is made from the contents,
    so two operations without results that say the same have the same one."""
    pointer = _capsule_pointer(operation.operation._CAPIPtr, b"mlir.ir.Operation._CAPIPtr")
    assert pointer is not None
    return int(pointer)


@contextmanager
def before(operation: Any) -> Iterator[None]:
    """Build what follows in front of an operation and under its location."""
    with ir.InsertionPoint(operation), operation.location:
        yield


def replace(operation: Any, values: Sequence[Any]) -> None:
    """Let these values stand for an operation's results, and erase it."""
    for result, value in zip(operation.results, values, strict=True):
        result.replace_all_uses_with(value)
    operation.operation.erase()


def functions(module: Any) -> list[Any]:
    """The functions that have a body."""
    return [
        operation
        for operation in module.body.operations
        if operation.operation.name == "func.func" and operation.regions[0].blocks
    ]


def is_private(function: Any) -> bool:
    attributes = function.operation.attributes
    return (
        "sym_visibility" in attributes
        and ir.StringAttr(attributes["sym_visibility"]).value == "private"
    )


def public_function(module: Any) -> Any:
    """The one function that the module is for."""
    found = [function for function in functions(module) if not is_private(function)]
    if len(found) != 1:
        names = ", ".join(str(function.name.value) for function in found) or "none"
        raise ValueError(f"a module to compile has one public function; this one has {names}")
    return found[0]


def integer(value: int, type: Any) -> Any:
    """A constant of an integer or index type."""
    return arith.ConstantOp(type, ir.IntegerAttr.get(type, value)).result


def index(value: int) -> Any:
    return integer(value, ir.IndexType.get())


# Operations that neither read nor write elements: what stands around them may move past them.
_NO_ELEMENTS = frozenset(
    {
        "memref.alloc",
        "memref.cast",
        "memref.collapse_shape",
        "memref.dim",
        "memref.expand_shape",
        "memref.subview",
        "memref.transpose",
        "affine.apply",
    }
)


def touches_elements(operation: Any) -> bool:
    """Whether an operation may read or write memory."""
    name = operation.operation.name
    return not (name.startswith("arith.") or name in _NO_ELEMENTS)


def root(value: Any) -> Any:
    """The buffer that a memref is a view of."""
    while not isinstance(value, ir.BlockArgument):
        name = value.owner.name
        if name not in _NO_ELEMENTS or name in ("memref.alloc", "memref.dim"):
            break
        value = value.owner.operation.operands[0]
    return value


def as_block(operation: Any) -> Any:
    """The single block of an operation's first region."""
    return operation.regions[0].blocks[0]


def ancestor_in(block: Any, operation: Any) -> Any:
    """The operation directly in `block` that is or holds `operation`."""
    current = operation.operation
    while current.block != block:
        current = current.parent.operation
    return current


def kept_axes(sizes: list[int], shape: list[int]) -> list[int]:
    """Which axes a slice of these sizes keeps, if its result has this shape: some of size 1 go."""
    kept: list[int] = []
    dropped = len(sizes) - len(shape)
    for axis, size in enumerate(sizes):
        position = len(kept)
        if dropped and size == 1 and (position >= len(shape) or shape[position] != 1):
            dropped -= 1
        else:
            kept.append(axis)
    return kept


def size_value(size: Size, symbols: Mapping[Symbol, Any], type: Any) -> Any:
    """Code that computes a size in an integer or index type from the values of its symbols."""
    total: Any = None
    for monomial, factor in size.terms:
        product: Any = integer(factor, type) if factor != 1 or not monomial else None
        for atom, power in monomial:
            value = _atom_value(atom, symbols, type)
            for _ in range(power):
                product = value if product is None else arith.MulIOp(product, value).result
        total = product if total is None else arith.AddIOp(total, product).result
    return integer(0, type) if total is None else total


def _atom_value(atom: Any, symbols: Mapping[Symbol, Any], type: Any) -> Any:
    if isinstance(atom, Symbol):
        return symbols[atom]
    assert isinstance(atom, Opaque), "an instance has no packs"
    left = size_value(atom.left, symbols, type)
    right = size_value(atom.right, symbols, type)
    if atom.operator == "min":
        return arith.MinSIOp(left, right).result
    if atom.operator == "max":
        return arith.MaxSIOp(left, right).result
    quotient = arith.FloorDivSIOp(left, right).result
    if atom.operator == "//":
        return quotient
    return arith.SubIOp(left, arith.MulIOp(quotient, right).result).result
