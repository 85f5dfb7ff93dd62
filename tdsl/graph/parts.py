"""Parts of values along one axis: which parts of its operands an operation needs for one of its result."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import ArrayType, Node
from tdsl.ops.primitive import I64, ONE
from tdsl.ops.primitives import PRIMITIVES
from tdsl.types.sizes import Size, elements

Sizes = tuple[Size, ...]

_ZERO = Size.of(0)


class Part(msgspec.Struct, frozen=True):
    """`size` places of an axis, from `start` on."""

    axis: int
    start: Size
    size: Size

    def at(self, axis: int) -> Part:
        return Part(axis, self.start, self.size)

    def of(self, builder: GraphBuilder, node: Node) -> Node:
        """This part of a whole value."""
        starts = _with(tuple(_ZERO for _ in node.type.shape), self.axis, self.start)
        return builder.slice(node, starts, _with(node.type.shape, self.axis, self.size))

    def rest(self, builder: GraphBuilder, node: Node, part: Node) -> Node:
        """What a slice still cuts from an operand that is cut along this axis."""
        starts = _with(node.attributes["starts"], self.axis, _ZERO)
        return builder.slice(part, starts, _with(node.attributes["sizes"], self.axis, self.size))


def _with(shape: Sizes, axis: int, size: Size) -> Sizes:
    return (*shape[:axis], size, *shape[axis + 1 :])


def cut_by(node: Node) -> Part | None:
    """What a slice reads along the first axis that it cuts, if that is at most half."""
    whole = node.inputs[0].type.shape
    starts, sizes = node.attributes["starts"], node.attributes["sizes"]
    for axis, size in enumerate(sizes):
        if size != whole[axis]:
            few, all_ = size.literal, whole[axis].literal
            is_little = few is not None and (all_ is None or 2 * few <= all_)
            return Part(axis, starts[axis], size) if is_little else None
    return None


def wants(node: Node, part: Part) -> Sequence[Part | None] | None:
    """For a part of the result, the parts of the operands that it is made of (None: all of one).
    None if there are none, or if what is left out may have found a position out of range."""
    operation, attributes, axis = node.operation, node.attributes, part.axis
    if operation not in PRIMITIVES:
        return None
    family = PRIMITIVES[operation].family
    if family == "elementwise":
        return [_broadcast(node.type, x.type, part) for x in node.inputs]
    if family == "reduction" and operation != "cumsum":
        gone = attributes["axes"] if "axes" in attributes else (attributes["axis"],)
        left = [one for one in range(node.inputs[0].type.rank) if one not in gone]
        return [part.at(left[axis])]
    match operation:
        case "iota":
            return []
        case "matmul":
            return [part, None] if axis == 0 else None
        case "batch_matmul":
            if axis == 0:
                return [part, part]
            return [part, None] if axis == 1 else None
        case "broadcast_in_dim":
            axes = attributes["axes"]
            own = axes.index(axis) if axis in axes else None
            stretched = own is None or node.inputs[0].type.shape[own] != node.type.shape[axis]
            return [None if own is None or stretched else part.at(own)]
        case "reshape":
            own = _same_axis(node.type.shape, node.inputs[0].type.shape, axis)
            return None if own is None else [part.at(own)]
        case "transpose":
            return [part.at(attributes["permutation"][axis])]
        case "slice":
            return [Part(axis, attributes["starts"][axis] + part.start, part.size)]
        case "concat" | "cumsum":
            return [part] * len(node.inputs) if axis != attributes["axis"] else None
        case "pad":
            is_inside = attributes["low"][axis] == _ZERO and attributes["high"][axis] == _ZERO
            return [part, None] if is_inside else None
        case "reverse":
            return [part] if axis not in attributes["axes"] else None
    return None


def narrowed(builder: GraphBuilder, node: Node, part: Part, inputs: Sequence[Node]) -> Node:
    """The part of a value, out of what it wants."""
    operation, attributes = node.operation, dict(node.attributes)
    if operation in ("reshape", "broadcast_in_dim", "iota"):
        attributes["shape"] = _with(node.type.shape, part.axis, part.size)
    if operation == "slice":
        return part.rest(builder, node, inputs[0])
    made = builder.add(operation, inputs, **attributes)
    if operation != "iota" or attributes["axis"] != part.axis:
        return made
    start = builder.size(part.start)
    if node.type.dtype != I64:
        start = builder.cast(start, node.type.dtype)
    return builder.elementwise("add", made, builder.broadcast_to(start, attributes["shape"]))


def _broadcast(result: ArrayType, operand: ArrayType, part: Part) -> Part | None:
    own = part.axis - (result.rank - operand.rank)
    if own < 0 or (operand.shape[own] == ONE and result.shape[part.axis] != ONE):
        return None
    return part.at(own)


def _same_axis(shape: Sizes, other: Sizes, axis: int) -> int | None:
    """The axis of another grouping of the same elements that is this axis."""
    before = elements(shape[:axis])
    for place, size in enumerate(other):
        if size == shape[axis] and elements(other[:place]) == before:
            return place
    return None
