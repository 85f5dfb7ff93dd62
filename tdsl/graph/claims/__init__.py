"""Finding groups of operations that a backend may compute in its own way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tdsl.graph.claims import attention, matmul, rows, take
from tdsl.graph.graph import LOOP, Claim, Graph, Node, Remark

Found = tuple[tuple[Claim, ...], tuple[Remark, ...]]
Finder = Callable[[Graph, frozenset[Node]], Found]

KINDS: Final[Mapping[str, Finder]] = MappingProxyType(
    {
        "attention": attention.find,
        "rows": rows.find,
        "matmul": matmul.find,
        "take": take.find,
    }
)
"""The kinds of claim, largest groups first: what one kind took, the next ones leave."""


def find_claims(graph: Graph, kinds: Collection[str] | None = None) -> Found:
    """The claims of these kinds (None: all), none overlapping another, in the graph's order; and
    remarks on those and on near-misses."""
    claims: list[Claim] = []
    remarks: list[Remark] = []
    for part in _with_bodies(graph):
        found, said = _find(part, kinds)
        claims.extend(found)
        remarks.extend(said)
    return tuple(claims), tuple(remarks)


def _with_bodies(graph: Graph) -> Iterator[Graph]:
    """The graph, and each body of a loop in it: no claim reaches across."""
    yield graph
    for node in graph.nodes():
        if node.operation == LOOP:
            yield from _with_bodies(node.attributes["body"].graph(graph.name))


def _find(graph: Graph, kinds: Collection[str] | None) -> Found:
    claims: list[Claim] = []
    remarks: list[Remark] = []
    taken: set[Node] = set()
    for kind, find in KINDS.items():
        if kinds is not None and kind not in kinds:
            continue
        # Within one kind claims may share what each computes for itself, such as a transpose.
        found, said = find(graph, frozenset(taken))
        for claim in found:
            taken.update(claim.inner)
        claims.extend(found)
        remarks.extend(said)
    order = {node: place for place, node in enumerate(graph.nodes())}
    claims.sort(key=lambda claim: order[claim.root])
    return tuple(claims), tuple(remarks)
