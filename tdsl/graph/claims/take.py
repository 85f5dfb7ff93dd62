"""Claims of rows taken from a table and added to something, as embeddings of tokens are."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tdsl.graph.claims.common import (
    gather_operand,
    in_order,
    is_elementwise,
    largest_closed,
    sizes_are_known,
)
from tdsl.graph.graph import Claim, Graph, Node, Remark

KIND: Final = "take"


def find(
    graph: Graph, taken: Collection[Node] = frozenset()
) -> tuple[tuple[Claim, ...], tuple[Remark, ...]]:
    """A claim for each `take` of whole rows that a sum of the same shape follows."""
    uses = graph.uses()
    claims: list[Claim] = []
    remarks: list[Remark] = []
    mine: set[Node] = set()
    for node in graph.nodes():
        if node.operation != "gather" or node in taken:
            continue
        adds = [user for user in uses.get(id(node), ()) if user.operation == "add"]

        def joins(user: Node, group: Collection[Node]) -> bool:
            if user in taken or user in mine or not is_elementwise(user):
                return False
            return all(
                operand.type.shape == user.type.shape for operand in user.inputs if operand in group
            )

        group = largest_closed(graph, node, uses, joins)
        if not any(one.operation == "add" for one in group):
            if adds:
                reason = _why_not(graph, node, adds, taken)
                remarks.append(Remark(KIND, node.span, False, reason))
            continue
        refusal = _refusal(node)
        inner: list[Node] = [node]
        inputs: list[Node] = list(dict.fromkeys(node.inputs))
        for one in group[1:]:
            for operand in one.inputs:
                if operand not in group:
                    gather_operand(operand, inner, inputs)
        inner.extend(group[1:])
        if refusal is None and not sizes_are_known(inner, inputs):
            refusal = "what follows needs sizes that no operand has"
        if refusal is not None:
            remarks.append(Remark(KIND, node.span, False, refusal))
            continue
        mine.update(group)
        table, ids = node.inputs
        reason = f"{ids.type} rows of {table.type}, and what is added to them"
        ordered = in_order(graph, inner)
        claims.append(Claim(KIND, group[-1], ordered, tuple(inputs), reason))
        remarks.append(Remark(KIND, node.span, True, reason))
    return tuple(claims), tuple(remarks)


def _refusal(node: Node) -> str | None:
    table, ids = node.inputs
    if node.attributes["axis"] != 0 or table.type.rank != 2:
        return "it does not take rows of a matrix"
    if ids.type.rank != 1:
        return f"its positions have {ids.type.rank} axes, not one"
    if not table.type.dtype.is_float:
        return f"no kernel takes rows of {table.type.dtype}"
    return None


def _why_not(graph: Graph, node: Node, adds: list[Node], taken: Collection[Node]) -> str:
    if any(add in taken for add in adds):
        return "the sum is part of another claim"
    if len(graph.uses().get(id(node), ())) > 1 or node in graph.results:
        return "what is taken is needed elsewhere, too"
    return "the sum is of another shape"
