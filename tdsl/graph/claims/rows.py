"""Claims of chains over rows: reductions along the last axis with everything elementwise around."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from tdsl.graph.claims.common import SOURCES, in_order_of_use, is_elementwise, sizes_are_known
from tdsl.graph.graph import ArrayType, Claim, Graph, Node, Remark
from tdsl.ops.primitive import ONE
from tdsl.types.sizes import Size

KIND: Final = "rows"
REDUCTIONS: Final = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min")
# These have no form on vectors, or one that is a loop.
_SCALAR_ONLY: Final = ("floordiv", "mod", "pow")
# A kernel holds the chain several times over: a vector at a time, several, and part of one.
_MOST_NODES: Final = 80

_Access = tuple[int | None, ...]
"""For each axis of a value the axis of the rows that it lies along: the last one runs along a row.
None: an axis of size 1 that stretches."""


def find(
    graph: Graph, taken: frozenset[Node] = frozenset()
) -> tuple[tuple[Claim, ...], tuple[Remark, ...]]:
    """A claim for each chain, as large as it can be; remarks on reductions that are in none."""
    uses = graph.uses()
    order = list(graph.nodes())
    claims: list[Claim] = []
    remarks: list[Remark] = []
    done: set[Node] = set(taken)
    long: set[Node] = set()
    for root in reversed(order):
        if root in done or not _may_end(root):
            continue
        chain = _grown(root, graph, uses, order, done)
        if chain is None:
            continue
        if len(chain.inner) > _MOST_NODES:
            long.update(chain.reductions)
            continue
        claim = chain.claim(order)
        claims.append(claim)
        remarks.append(Remark(KIND, root.span, True, claim.reason))
        done.update(node for node in claim.inner if not _costs_nothing(node))
    for node in order:
        if node.operation in REDUCTIONS and node not in done and node.inputs[0].type.dtype.is_float:
            remarks.append(Remark(KIND, node.span, False, _why_not(node, node in long)))
    claims.reverse()
    return tuple(claims), tuple(remarks)


def _why_not(node: Node, is_long: bool) -> str:
    (operand,) = node.inputs
    axes = node.attributes["axes"]
    shown = f"{node.operation.removeprefix('reduce_')} of {operand.type}"
    if axes != (operand.type.rank - 1,):
        listed = " and ".join(map(str, axes))
        many = "axes" if len(axes) > 1 else "axis"
        return f"{shown}: it is over {many} {listed}, not over the last axis alone"
    if is_long:
        return f"{shown}: more than {_MOST_NODES} operations belong to it"
    return f"{shown}: its sizes cannot be read from what it is computed from"


def _costs_nothing(node: Node) -> bool:
    """Whether a value costs nothing where it is read: it is no value in memory."""
    return node.operation in SOURCES or node.operation == "broadcast_in_dim"


def _may_end(node: Node) -> bool:
    if node.operation in REDUCTIONS:
        return node.type.dtype.is_float
    return is_elementwise(node) and node.operation not in _SCALAR_ONLY


class _Chain(msgspec.Struct):
    root: Node
    inner: set[Node] = msgspec.field(default_factory=set)
    inputs: list[Node] = msgspec.field(default_factory=list)
    reductions: list[Node] = msgspec.field(default_factory=list)

    def claim(self, order: Sequence[Node]) -> Claim:
        inner = tuple(node for node in order if node in self.inner)
        inputs = in_order_of_use(inner, self.inputs)
        return Claim(KIND, self.root, inner, inputs, self._reason())

    def _reason(self) -> str:
        kinds = [node.operation.removeprefix("reduce_") for node in reversed(self.reductions)]
        steps = sum(is_elementwise(node) for node in self.inner)
        many = f"with {steps} elementwise operations" if steps else "alone"
        if steps == 1:
            many = "with one elementwise operation"
        return f"{' and '.join(kinds)} along rows of {self.reductions[0].inputs[0].type} {many}"


def _grown(
    root: Node,
    graph: Graph,
    uses: Mapping[int, tuple[Node, ...]],
    order: Sequence[Node],
    done: set[Node],
) -> _Chain | None:
    """The chain that ends in this node, its axes read as those of rows or as one element a row."""
    rank = root.type.rank
    whole: _Access = tuple(range(rank))
    readings: list[tuple[_Access, int]] = []
    if rank and root.operation not in REDUCTIONS:
        readings.append((whole, rank - 1))
        if root.type.shape[-1] == ONE:
            readings.append(((*range(rank - 1), None), rank - 1))
    readings.append((whole, rank))
    for access, rows in readings:
        chain = _Grower(root, access, rows, graph, uses, done).grow(order)
        if chain is not None:
            return chain
    return None


class _Grower:
    def __init__(
        self,
        root: Node,
        access: _Access,
        rows: int,
        graph: Graph,
        uses: Mapping[int, tuple[Node, ...]],
        done: set[Node],
    ) -> None:
        self._chain = _Chain(root)
        self._rows = rows
        self._uses, self._done = uses, done
        self._results = set(graph.results)
        self._access: dict[Node, _Access | None] = {root: access}
        shape = root.type.shape
        self._shape: tuple[Size, ...] = shape[:rows]
        self._length: Size | None = (
            shape[rows] if len(access) > rows and access[rows] == rows else None
        )

    def grow(self, order: Sequence[Node]) -> _Chain | None:
        chain, root = self._chain, self._chain.root
        waiting = {root}
        for node in reversed(order):
            if node not in waiting:
                continue
            operands = self._operands(node)
            if operands is None:
                if node is root:
                    return None
                chain.inputs.append(node)
                continue
            chain.inner.add(node)
            if node.operation in REDUCTIONS:
                chain.reductions.append(node)
            for operand, access in operands:
                known = self._access.get(operand, access)
                # Read in two ways it has to be in memory, unless it is free.
                self._access[operand] = access if known == access else None
                waiting.add(operand)
        if not chain.reductions or not sizes_are_known(chain.inner, chain.inputs):
            return None
        return chain

    def _operands(self, node: Node) -> list[tuple[Node, _Access]] | None:
        """What a node of the chain reads, and how; None for what the chain only reads."""
        if node.operation in SOURCES:
            return []
        access = self._access[node]
        if access is None:
            return None
        if node.operation == "broadcast_in_dim":
            (source,) = node.inputs
            axes = node.attributes["axes"]
            return [(source, _stretched(source.type, node.type, axes, access))]
        if node is not self._chain.root and not self._is_inside(node):
            return None
        if node.operation in REDUCTIONS:
            return self._reduced(node, access)
        if not _may_end(node):
            return None
        found = []
        for operand in node.inputs:
            missing = node.type.rank - operand.type.rank
            axes = tuple(range(missing, node.type.rank))
            found.append((operand, _stretched(operand.type, node.type, axes, access)))
        return found

    def _is_inside(self, node: Node) -> bool:
        users = self._uses.get(id(node), ())
        return (
            node not in self._done
            and node not in self._results
            and all(user in self._chain.inner for user in users)
        )

    def _reduced(self, node: Node, access: _Access) -> list[tuple[Node, _Access]] | None:
        (operand,) = node.inputs
        if not operand.type.dtype.is_float or node.type.rank != self._rows:
            return None
        if node.attributes["axes"] != (self._rows,):
            return None
        shape = operand.type.shape
        for axis, (place, size) in enumerate(zip(access, self._shape, strict=True)):
            if place != axis and not (place is None and size == ONE):
                return None
        if self._length is not None and shape[-1] != self._length:
            return None
        self._length = shape[-1]
        return [(operand, tuple(range(self._rows + 1)))]


def _stretched(
    operand: ArrayType, result: ArrayType, axes: Sequence[int], access: _Access
) -> _Access:
    return tuple(
        None if size == ONE != result.shape[axis] else access[axis]
        for size, axis in zip(operand.shape, axes, strict=True)
    )
