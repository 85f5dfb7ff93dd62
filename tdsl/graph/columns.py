"""Products whose columns are read apart, some of them for few rows only: a product for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import Graph, Node
from tdsl.graph.parts import Part, narrowed, wants
from tdsl.graph.peel import replaced
from tdsl.ops.primitives import PRIMITIVES

GRAIN: Final = 48
"""Where weights may be cut: the columns that kernels pack next to each other are a divisor of this,
for every vector unit and dtype."""

Uses = Mapping[int, tuple[Node, ...]]


def apart(graph: Graph, demands: Mapping[Node, Part | None]) -> Graph | None:
    """The graph with such products taken apart; None if there are none. Queries, keys and values
    are columns of one product, and of queries only those of the last row may be wanted."""
    uses = graph.uses()
    roots = set(graph.roots)
    builder = GraphBuilder()
    made: dict[Node, Node] = {}
    for node in graph.nodes():
        slices = uses.get(id(node), ())
        if node in roots or demands[node] is not None or len(slices) < 2:
            continue
        parts = [_columns(node, one) for one in slices]
        few = [demands[one] is not None for one in slices]
        if None in parts or not any(few) or all(few) or not _is_product(node, uses):
            continue
        for one, part in zip(slices, parts, strict=True):
            builder.span = one.span
            assert part is not None
            made[one] = _cut(builder, node, part)
    return replaced(graph, made, builder) if made else None


def _columns(node: Node, user: Node) -> Part | None:
    """What a slice cuts, if that is columns that can be cut from weights, and no rows."""
    if user.operation != "slice":
        return None
    starts, sizes = user.attributes["starts"], user.attributes["sizes"]
    last = node.type.rank - 1
    start, size = starts[last].literal, sizes[last].literal
    if start is None or size is None or start % GRAIN or size % GRAIN:
        return None
    is_all = sizes[:last] == node.type.shape[:last]
    return Part(last, starts[last], sizes[last]) if is_all else None


def _is_product(node: Node, uses: Uses) -> bool:
    """Whether this is a matrix product, or what is made of one elementwise, which nothing else
    reads."""
    while _is_elementwise(node):
        whole = [x for x in node.inputs if x.type.shape == node.type.shape]
        inner = [x for x in whole if _is_elementwise(x) or x.operation == "matmul"]
        if len(inner) != 1 or len(uses[id(inner[0])]) != 1:
            return False
        node = inner[0]
    return node.operation == "matmul"


def _is_elementwise(node: Node) -> bool:
    primitive = PRIMITIVES.get(node.operation)
    return primitive is not None and primitive.family == "elementwise"


def _cut(builder: GraphBuilder, node: Node, part: Part) -> Node:
    """Some columns of a value."""
    if node.operation == "matmul":
        x, weights = node.inputs
        return builder.matmul(x, part.at(1).of(builder, weights))
    if not _is_elementwise(node) and node.operation != "broadcast_in_dim":
        return part.of(builder, node)
    given: Sequence[Part | None] | None = wants(node, part)
    assert given is not None
    inputs = [
        x if wanted is None else _cut(builder, x, wanted)
        for x, wanted in zip(node.inputs, given, strict=True)
    ]
    return narrowed(builder, node, part, inputs)
