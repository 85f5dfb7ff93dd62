"""A graph as it is compiled: with no more work than its results need, and what kernels claim of it."""

from __future__ import annotations

from collections.abc import Collection

from tdsl.graph.claims import Found, find_claims
from tdsl.graph.graph import Graph
from tdsl.graph.narrow import narrow


def prepared(
    graph: Graph, kinds: Collection[str] | None = None, *, narrowed: bool = True
) -> tuple[Graph, Found]:
    """The graph, and its claims with the remarks on them. Code and all that is shown of it are made
    of this."""
    ready = narrow(graph) if narrowed else graph
    return ready, find_claims(ready, kinds)
