"""Positions that are known only at run time: which operations use them, and within which sizes."""

from __future__ import annotations

from typing import Final, NamedTuple

from tdsl.graph.graph import Node
from tdsl.types.sizes import Size

POSITIONED: Final = ("gather", "dynamic_slice", "dynamic_update")


class Position(NamedTuple):
    """Positions, of one axis, that an operation uses."""

    node: Node  # an array of them, or one
    axis: int
    size: Size
    taken: Size | None  # how many from there on; None: single ones

    @property
    def in_range(self) -> bool:
        """Whether it is known to lie inside. Sizes are proved to fit: 0 always does."""
        if self.taken is None:
            return False
        known = self.node.attributes["value"] if self.node.operation == "constant" else None
        room = (self.size - self.taken).literal
        return known == 0 or (known is not None and room is not None and 0 <= known <= room)


def positions_of(node: Node) -> tuple[Position, ...]:
    """Those that an operation of POSITIONED uses, in the order in which they are looked at."""
    x = node.inputs[0]
    if node.operation == "gather":
        axis = node.attributes["axis"]
        return (Position(node.inputs[1], axis, x.type.shape[axis], None),)
    first = 1 if node.operation == "dynamic_slice" else 2
    taken = node.type.shape if first == 1 else node.inputs[1].type.shape
    places = zip(node.inputs[first:], x.type.shape, taken, strict=True)
    return tuple(Position(start, axis, *sizes) for axis, (start, *sizes) in enumerate(places))


def in_range(node: Node) -> bool:
    """Whether all of them are known to lie inside."""
    return all(position.in_range for position in positions_of(node))
