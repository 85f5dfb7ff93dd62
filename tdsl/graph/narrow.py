"""Compute only the rows that are read: what is cut from a product is cut from its operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tdsl.graph.builder import GraphBuilder
from tdsl.graph.columns import apart
from tdsl.graph.graph import LOOP_RESULT, Graph, Node
from tdsl.graph.parts import Part, cut_by, narrowed, wants
from tdsl.graph.peel import peeled

PRODUCTS: Final = ("matmul", "batch_matmul")


def narrow(graph: Graph) -> Graph:
    """The same results, for less work where only some rows of a product are read.

    Such a slice moves up as far as everybody below wants the same rows. Where it comes to a loop,
    the last step is written out, so that it goes on through that. Results, and what may find a
    position out of range, are computed whole.
    """
    seen: set[Node] = set()
    while True:
        plan = _Plan(graph)
        loop = next((one for one in plan.loops if one not in seen), None)
        if loop is None:
            separate = apart(graph, plan.demands)
            return plan.narrowed() if separate is None else _Plan(separate).narrowed()
        seen.add(loop)
        found = peeled(graph, loop)
        if found is None:
            continue
        longer, inlined, shorter = found
        # Worth it only if something in the last step becomes less.
        if any(node in inlined for node in _Plan(longer).products()):
            graph = longer
            seen.add(shorter)


class _Plan:
    """What is read of every value: a part, or (None) all of it. `loops` are those of whose result only some rows are read."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.order = list(graph.nodes())
        self._left_alone: set[Node] = set()
        while True:
            self.demands = self._find()
            useless = self._useless()
            if not useless:
                break
            self._left_alone |= useless

    def _find(self) -> dict[Node, Part | None]:
        found: dict[Node, Part | None] = dict.fromkeys(self.graph.roots)
        self.loops: list[Node] = []
        for node in reversed(self.order):
            demand = found[node]
            given = self._wants(node, demand)
            if given is None:
                if node.operation == LOOP_RESULT:
                    self.loops.append(node.inputs[0])
                found[node] = None
                given = self._wants(node, None)
                assert given is not None
            for operand, wanted in zip(node.inputs, given, strict=True):
                # Who wants different parts gets all.
                same = found.get(operand, wanted) == wanted
                found[operand] = wanted if same else None
        return found

    def _wants(self, node: Node, demand: Part | None) -> Sequence[Part | None] | None:
        """What a node reads of its operands; None if it cannot be computed in part."""
        if demand is not None:
            return wants(node, demand)
        if node.operation == "slice" and node not in self._left_alone:
            return [cut_by(node)]
        return [None] * len(node.inputs)

    def _region(self, start: Node) -> set[Node]:
        """The values that are computed in part because of a slice."""
        found: set[Node] = set()
        waiting = list(start.inputs)
        while waiting:
            node = waiting.pop()
            if self.demands[node] is not None and node not in found:
                found.add(node)
                waiting.extend(node.inputs)
        return found

    def _starts(self) -> list[Node]:
        return [
            node
            for node in self.order
            if node.operation == "slice"
            and self.demands[node] is None
            and self.demands[node.inputs[0]] is not None
        ]

    def _useless(self) -> set[Node]:
        """Slices that save no product, nor lead to a loop: they stay where they are."""
        return {
            start
            for start in self._starts()
            if not any(
                node.operation in PRODUCTS or LOOP_RESULT in (x.operation for x in node.inputs)
                for node in self._region(start)
            )
        }

    def products(self) -> list[Node]:
        """Those of which only some rows are computed."""
        return [
            node
            for node in self.order
            if node.operation in PRODUCTS and self.demands[node] is not None
        ]

    def narrowed(self) -> Graph:
        graph = self.graph
        if all(demand is None for demand in self.demands.values()):
            return graph
        builder = GraphBuilder()
        made: dict[Node, Node] = {}

        def operand(node: Node, wanted: Part | None) -> Node:
            if wanted is None or self.demands[node] == wanted:
                return made[node]
            return wanted.of(builder, made[node])

        for node in self.order:
            demand = self.demands[node]
            given = self._wants(node, demand)
            assert given is not None
            builder.span = node.span
            inputs = tuple(map(operand, node.inputs, given))
            if demand is not None:
                made[node] = narrowed(builder, node, demand, inputs)
            elif inputs == node.inputs:
                made[node] = node
            elif node.operation == "slice" and given[0] is not None:
                made[node] = given[0].rest(builder, node, inputs[0])
            else:
                made[node] = Node(node.operation, inputs, node.attributes, node.type, node.span)
        return graph.rebuilt(made, builder.names)
