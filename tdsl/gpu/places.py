"""Where the values of a host function lie in device memory, and which numbers the host itself knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir

from tdsl.gpu.plan import Linear
from tdsl.lowering.rewriting import DYNAMIC, identity

VIEWS = frozenset(
    {
        "memref.subview",
        "memref.expand_shape",
        "memref.collapse_shape",
        "memref.cast",
        "memref.transpose",
    }
)
Key = tuple[int, int]


def key(value: Any) -> Key:
    """What tells values apart, while they exist."""
    if isinstance(value, ir.BlockArgument):
        return identity(value.owner.owner), -1 - value.arg_number
    return identity(value.owner), ir.OpResult(value).result_number


@dataclass(frozen=True)
class Place:
    """A buffer, and in elements how far in a view of it begins."""

    root: Any
    offset: Linear


class Places:
    """Reads values of one function. `counters` are the loops that the host carries out."""

    def __init__(self) -> None:
        self.counters: dict[Key, int] = {}

    def count(self, loop: Any) -> int:
        """Let the host know a loop's counter; gives the number of the loop."""
        number = len(self.counters)
        self.counters[key(loop.regions[0].blocks[0].arguments[0])] = number
        return number

    def find(self, value: Any) -> Place | None:
        """Where a memref lies; None where that depends on data, or is in the code itself."""
        if (
            not isinstance(value, ir.BlockArgument)
            and value.owner.operation.name == "memref.get_global"
        ):
            return None
        if isinstance(value, ir.BlockArgument) or value.owner.operation.name not in VIEWS:
            return Place(value, Linear(0))
        operation = value.owner
        inner = self.find(operation.operands[0])
        if inner is None or operation.name != "memref.subview":
            return inner
        strides, _ = ir.MemRefType(operation.operands[0].type).get_strides_and_offset()
        offset = inner.offset
        dynamic = iter(list(operation.operands)[1:])
        starts = ir.DenseI64ArrayAttr(operation.attributes["static_offsets"])
        for static, stride in zip(starts, strides, strict=True):
            start = Linear(static) if static != DYNAMIC else self.linear(next(dynamic))
            if start is None:
                return None
            offset = offset + start.times(stride)
        return Place(inner.root, offset)

    def linear(self, value: Any) -> Linear | None:
        """A number that the host knows; None where it depends on data."""
        if isinstance(value, ir.BlockArgument):
            number = self.counters.get(key(value))
            return None if number is None else Linear(0, ((number, 1),))
        operation = value.owner
        name = operation.name
        if name == "arith.constant":
            attribute = operation.attributes["value"]
            return (
                Linear(ir.IntegerAttr(attribute).value)
                if isinstance(attribute, ir.IntegerAttr)
                else None
            )
        if name in ("arith.index_cast", "arith.extsi", "arith.extui"):
            return self.linear(operation.operands[0])
        if name in ("arith.addi", "arith.subi", "arith.muli"):
            left, right = (self.linear(operand) for operand in operation.operands)
            if left is None or right is None:
                return None
            return _combined(name, left, right)
        if name == "affine.apply":
            map_ = ir.AffineMap(ir.AffineMapAttr(operation.attributes["map"]).value)
            return self._affine(map_.results[0], list(operation.operands), map_.n_dims)
        return None

    def _affine(self, expression: Any, operands: Sequence[Any], dimensions: int) -> Linear | None:
        if isinstance(expression, ir.AffineConstantExpr):
            return Linear(expression.value)
        if isinstance(expression, ir.AffineDimExpr):
            return self.linear(operands[expression.position])
        if isinstance(expression, ir.AffineSymbolExpr):
            return self.linear(operands[dimensions + expression.position])
        names = {ir.AffineAddExpr: "arith.addi", ir.AffineMulExpr: "arith.muli"}
        name = names.get(type(expression))
        if name is None:
            return None
        left = self._affine(expression.lhs, operands, dimensions)
        right = self._affine(expression.rhs, operands, dimensions)
        if left is None or right is None:
            return None
        return _combined(name, left, right)


def _combined(name: str, left: Linear, right: Linear) -> Linear | None:
    if name == "arith.addi":
        return left + right
    if name == "arith.subi":
        return left + right.times(-1)
    if not left.factors:
        return right.times(left.constant)
    if not right.factors:
        return left.times(right.constant)
    return None


def root_of(value: Any) -> Any:
    """The buffer that a memref is a view of."""
    while not isinstance(value, ir.BlockArgument) and value.owner.operation.name in VIEWS:
        value = value.owner.operands[0]
    return value


def device_type(type_: Any) -> Any:
    """The type of a memref that is given to a kernel by the address of its first element."""
    type_ = ir.MemRefType(type_)
    plain = ir.MemRefType.get(type_.shape, type_.element_type)
    if DYNAMIC in type_.shape:
        raise ValueError(f"a kernel cannot take {type_}: its sizes are not fixed")
    strides, _ = type_.get_strides_and_offset()
    if strides == plain.get_strides_and_offset()[0]:
        return plain
    layout = ir.StridedLayoutAttr.get(0, strides)
    return ir.MemRefType.get(type_.shape, type_.element_type, layout)


def span(type_: Any) -> int:
    """How many elements lie between the first and the last of a memref, with both."""
    type_ = ir.MemRefType(type_)
    strides, _ = type_.get_strides_and_offset()
    pairs = zip(type_.shape, strides, strict=True)
    return 1 + sum(int(size - 1) * int(stride) for size, stride in pairs)


def element_bytes(type_: Any) -> int:
    element = ir.MemRefType(type_).element_type
    return 8 if isinstance(element, ir.IndexType) else max(int(element.width) // 8, 1)


def is_contiguous(type_: Any) -> bool:
    type_ = ir.MemRefType(type_)
    plain = ir.MemRefType.get(type_.shape, type_.element_type)
    mine, _ = type_.get_strides_and_offset()
    theirs, _ = plain.get_strides_and_offset()
    return all(size == 1 or a == b for size, a, b in zip(type_.shape, mine, theirs, strict=True))
