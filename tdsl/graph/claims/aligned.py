"""Whether values of rows are read where they belong: an element's own, and not another row's."""

from __future__ import annotations

from collections.abc import Collection

from tdsl.graph.claims.common import is_elementwise
from tdsl.graph.graph import Node
from tdsl.ops.primitive import ONE
from tdsl.types.sizes import Size

_Access = tuple[int | None, ...]
"""For each axis of a value the axis that it lies along; None for one of size 1 that stretches."""
_Shape = tuple[Size, ...]


def is_aligned(node: Node, ends: Collection[Node]) -> bool:
    """Whether a value reads each of `ends` in its own place: the same element of one that has its
    shape, and its own row's number of one that is a reduction along the last axis.

    In a square matrix `e / sum(e, axis=1)` is another thing than `e / sum(e, axis=1, keepdims=true)`.
    Leading axes may be grouped in another way on the way to an end, in the same order.
    """
    return _Reading(node, ends).is_aligned(node, _all(node), node.type.shape)


def keeps_matrices(reshape: Node) -> bool:
    """Whether a reshape leaves the last two axes as they are."""
    before, after = reshape.inputs[0].type.shape, reshape.type.shape
    return len(before) >= 2 and len(after) >= 2 and before[-2:] == after[-2:]


def keeps_rows(reshape: Node) -> bool:
    """Whether a reshape groups nothing but leading axes of fixed sizes, apart from the first."""
    if not keeps_matrices(reshape):
        return False
    leading = (*reshape.inputs[0].type.shape[1:-2], *reshape.type.shape[1:-2])
    return all(size.literal is not None or size == ONE for size in leading)


class _Reading:
    def __init__(self, root: Node, ends: Collection[Node]) -> None:
        self._ends = ends
        self._seen: set[tuple[Node, _Access]] = set()
        self._leads = dict.fromkeys(ends, True)
        self._follow(root)

    def _follow(self, root: Node) -> None:
        """Find out what is made of an end."""
        stack, leads = [root], self._leads
        while stack:
            waiting = [operand for operand in stack[-1].inputs if operand not in leads]
            if stack[-1] not in leads and waiting:
                stack.extend(waiting)
                continue
            node = stack.pop()
            if node not in leads:
                leads[node] = any(leads[operand] for operand in node.inputs)

    def is_aligned(self, node: Node, access: _Access, shape: _Shape) -> bool:
        """For a value of this shape that reads a node so."""
        if not self._leads[node] or (node, access) in self._seen:
            return True
        self._seen.add((node, access))
        if node in self._ends:
            rank = len(shape) - node.operation.startswith("reduce_")
            return len(access) == rank and all(
                place == axis or shape[axis] == ONE for axis, place in enumerate(access)
            )
        if node.operation == "reshape":
            (source,) = node.inputs
            if keeps_matrices(node) and access == _all(node) and node.type.shape == shape:
                return self.is_aligned(source, _all(source), source.type.shape)
            moved = _past_ones(node, access)
            return moved is not None and self.is_aligned(source, moved, shape)
        spreads = node.operation == "broadcast_in_dim"
        if not spreads and not is_elementwise(node):
            return False
        return all(
            self.is_aligned(source, _stretched(source, node, access, spreads), shape)
            for source in node.inputs
        )


def _all(node: Node) -> _Access:
    return tuple(range(node.type.rank))


def _stretched(source: Node, node: Node, access: _Access, spreads: bool) -> _Access:
    missing = node.type.rank - source.type.rank
    axes = node.attributes["axes"] if spreads else range(missing, node.type.rank)
    return tuple(
        None if size == ONE != node.type.shape[axis] else access[axis]
        for size, axis in zip(source.type.shape, axes, strict=True)
    )


def _past_ones(node: Node, access: _Access) -> _Access | None:
    """Of a reshape that only puts in or leaves out axes of size 1: how its source is read."""
    source = node.inputs[0].type.shape
    kept = [pair for pair in zip(node.type.shape, access, strict=True) if pair[0] != ONE]
    if [size for size, _ in kept] != [size for size in source if size != ONE]:
        return None
    places = iter([place for _, place in kept])
    return tuple(None if size == ONE else next(places) for size in source)
