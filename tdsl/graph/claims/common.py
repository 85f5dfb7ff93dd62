"""What finders of claims share: which nodes depend on which, what is elementwise, what is free."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from tdsl.graph.arguments import readable
from tdsl.graph.graph import Graph, Node
from tdsl.ops.primitives import PRIMITIVES
from tdsl.types.sizes import Size, Symbol

ELEMENTWISE: Final = frozenset(
    name for name, primitive in PRIMITIVES.items() if primitive.family == "elementwise"
)
PRODUCTS: Final = frozenset({"matmul", "batch_matmul"})
SOURCES: Final = frozenset({"constant", "iota", "size"})
Uses = Mapping[int, tuple[Node, ...]]


def is_elementwise(node: Node) -> bool:
    return node.operation in ELEMENTWISE


def is_free(node: Node) -> bool:
    """Whether it follows from constants, indices and sizes alone."""
    if node.operation in SOURCES:
        return True
    spreads = node.operation == "broadcast_in_dim" or is_elementwise(node)
    return spreads and all(is_free(operand) for operand in node.inputs)


def gather_operand(node: Node, inner: list[Node], inputs: list[Node]) -> None:
    """Take in what is computed for nothing on the way to an operand (constants, indices,
    broadcasts), and note what comes from outside."""
    if node in inner or node in inputs:
        return
    if node.operation == "broadcast_in_dim" or is_free(node):
        for operand in node.inputs:
            gather_operand(operand, inner, inputs)
        inner.append(node)
    else:
        inputs.append(node)


def in_order(graph: Graph, nodes: Collection[Node]) -> tuple[Node, ...]:
    """The nodes as the graph has them, operands before users."""
    wanted = set(nodes)
    return tuple(node for node in graph.nodes() if node in wanted)


def in_order_of_use(inner: Iterable[Node], inputs: Collection[Node]) -> tuple[Node, ...]:
    """The inputs as the nodes inside read them: the order of what is outside would make different
    claims of two that compute the same."""
    wanted = set(inputs)
    used = dict.fromkeys(operand for node in inner for operand in node.inputs if operand in wanted)
    return (*used, *(node for node in dict.fromkeys(inputs) if node not in used))


def largest_closed(
    graph: Graph, start: Node, uses: Uses, joins: Callable[[Node, Collection[Node]], bool]
) -> tuple[Node, ...]:
    """From `start` on, the most nodes that can be computed together and give one value.

    `joins(node, group)` says whether a node that reads the group may join it. No value inside but
    the last is used elsewhere; other operands come from before.
    """
    depends: set[Node] = {start}
    group: list[Node] = [start]
    members: set[Node] = {start}
    for node in graph.nodes():
        read = [operand for operand in node.inputs if operand in depends]
        if not read or node is start:
            continue
        depends.add(node)
        if all(operand in members for operand in read) and joins(node, members):
            group.append(node)
            members.add(node)
    results = set(graph.results)
    for end in range(len(group), 0, -1):
        closed = _leading_to(group[end - 1], members)
        last = group[end - 1]
        if all(
            node is last
            or (node not in results and all(user in closed for user in uses.get(id(node), ())))
            for node in closed
        ):
            return tuple(node for node in group if node in closed)
    return (start,)


def _leading_to(node: Node, members: Collection[Node]) -> set[Node]:
    found = {node}
    waiting = [node]
    while waiting:
        for operand in waiting.pop().inputs:
            if operand in members and operand not in found:
                found.add(operand)
                waiting.append(operand)
    return found


def sizes_are_known(inner: Iterable[Node], inputs: Sequence[Node]) -> bool:
    """Whether every open size that the nodes need can be read off an axis of an input."""
    known = {readable(size) for node in inputs for size in node.type.shape}
    needed: set[Symbol] = set()
    for node in inner:
        for size in (*node.type.shape, *_sizes(node)):
            needed |= size.symbols()
    return needed <= known


def _sizes(node: Node) -> list[Size]:
    found: list[Size] = []
    for value in node.attributes.values():
        if isinstance(value, Size):
            found.append(value)
        elif isinstance(value, tuple):
            found.extend(one for one in value if isinstance(one, Size))
    return found
