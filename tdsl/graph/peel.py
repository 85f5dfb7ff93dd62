"""The last step of a loop, written out behind a loop that is one step shorter."""

from __future__ import annotations

from collections.abc import Mapping

from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import LOOP, LOOP_RESULT, Graph, LoopBody, Node
from tdsl.graph.positions import POSITIONED
from tdsl.ops.primitives import PRIMITIVES
from tdsl.types.sizes import Size


def peeled(graph: Graph, loop: Node) -> tuple[Graph, set[Node], Node] | None:
    """The graph, the values of the last step, and the loop of the others; None for a loop of one
    step, with another in its body, that stacks results, may find a position out of range, or
    whose steps tell their number."""
    body: LoopBody = loop.attributes["body"]
    trip: Size = loop.attributes["trip"]
    steps = trip.literal
    if steps is None or steps < 2 or len(body.results) != len(body.states) or body.kept:
        return None
    inside = list(body.graph(graph.name).nodes())
    if not all(_is_plain(node, body) for node in inside):
        return None
    builder = GraphBuilder()
    count, scanned = loop.attributes["states"], loop.attributes["scanned"]
    shorter = Node(LOOP, loop.inputs, {**loop.attributes, "trip": trip - 1}, loop.type, loop.span)
    builder.span = loop.span
    made: dict[Node, Node] = {}
    for place, state in enumerate(body.states):
        made[state] = Node(LOOP_RESULT, (shorter,), {"index": place}, state.type, loop.span)
    last = loop.attributes["start"] + trip - 1
    for item, stacked in zip(body.items, loop.inputs[count : count + scanned], strict=True):
        made[item] = _item(builder, stacked, last, item)
    made.update(zip(body.captured, loop.inputs[count + scanned :], strict=True))
    given = set(made.values())
    for node in inside:
        if node in made:
            continue
        builder.span = node.span
        inputs = [made[operand] for operand in node.inputs]
        if node.operation == "constant":
            made[node] = node
        else:
            made[node] = builder.add(node.operation, inputs, **node.attributes)
        if node in body.names:
            builder.name(made[node], body.names[node])
    inlined = {made[node] for node in inside} - given
    other = {
        node: made[body.results[node.attributes["index"]]]
        for node in graph.nodes()
        if node.operation == LOOP_RESULT and node.inputs[0] is loop
    }
    return replaced(graph, other, builder), inlined, shorter


def _is_plain(node: Node, body: LoopBody) -> bool:
    if node.operation not in PRIMITIVES or node.operation in POSITIONED:
        return False
    sizes: list[Size] = list(node.type.shape)
    for value in node.attributes.values():
        sizes += [
            one
            for one in (value if isinstance(value, tuple) else (value,))
            if isinstance(one, Size)
        ]
    return not any(body.index in size.symbols() for size in sizes)


def _item(builder: GraphBuilder, stacked: Node, at: Size, item: Node) -> Node:
    shape = stacked.type.shape
    starts = (at, *(Size.of(0) for _ in shape[1:]))
    return builder.reshape(
        builder.slice(stacked, starts, (Size.of(1), *shape[1:])), item.type.shape
    )


def replaced(graph: Graph, other: Mapping[Node, Node], builder: GraphBuilder) -> Graph:
    """The graph with other values, made by the builder, in place of some."""
    made: dict[Node, Node] = dict(other)
    for node in graph.nodes():
        if node in other:
            continue
        inputs = tuple(made[operand] for operand in node.inputs)
        made[node] = (
            node
            if inputs == node.inputs
            else Node(node.operation, inputs, node.attributes, node.type, node.span)
        )
    return graph.rebuilt(made, builder.names)
