"""The arguments of an instance as inputs of its graph, and the sizes that they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tdsl.check import typed
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import CHECK, LOOP, Graph, Node
from tdsl.graph.values import Layout, Value
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Label
from tdsl.syntax.source import Span
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import Type


def argument_inputs(
    builder: GraphBuilder, layout: Layout, inputs: list[Node], name: str, type_: Type
) -> Value:
    """One input for each array of an argument, lists stacked; named by its path."""
    leaves = []
    for path, leaf in layout.types(type_, name):
        node = builder.input(path, len(inputs), leaf)
        inputs.append(node)
        leaves.append(node)
    return layout.of_leaves(type_, iter(leaves))


def open_sizes(inputs: Sequence[Node]) -> Mapping[Symbol, tuple[int, int]]:
    """For each open symbol the axis it is read from: one that is the symbol itself, if any is."""
    found: dict[Symbol, tuple[int, int]] = {}
    exact: set[Symbol] = set()
    for place, node in enumerate(inputs):
        for axis, size in enumerate(node.type.shape):
            symbol = readable(size)
            if symbol is None:
                continue
            if size == Size.of(symbol):
                if symbol not in exact:
                    exact.add(symbol)
                    found[symbol] = (place, axis)
            elif symbol not in found:
                found[symbol] = (place, axis)
    return found


def readable(size: Size) -> Symbol | None:
    """The symbol whose value follows from that of the size: N of `a*N + b`."""
    symbols = size.symbols()
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    linear = all(monomial in ((), ((symbol, 1),)) for monomial, _ in size.terms)
    return symbol if linear else None


def check_sizes_are_known(graph: Graph, function: typed.Function) -> None:
    """An open size must be readable from an argument; a static one without an axis is not."""
    _check(graph, graph, function, frozenset(graph.open_sizes))


def _check(graph: Graph, part: Graph, function: typed.Function, known: frozenset[Symbol]) -> None:
    for node in part.nodes():
        if node.operation == LOOP:
            body = node.attributes["body"]
            _check(graph, body.graph(graph.name), function, known | {body.index})
        sizes = list(node.type.shape)
        sizes += [
            node.attributes[key] for key in ("size", "trip", "start") if key in node.attributes
        ]
        sizes += node.attributes.get("starts", ())
        if node.operation == CHECK:
            sizes += [size for key in ("sizes", "taken") for size in node.attributes[key] if size]
        for symbol in sorted({s for size in sizes for s in size.symbols()}, key=str):
            if symbol not in known:
                span = node.span or function.signature.span
                raise refused(
                    "E0506",
                    f"`{symbol.name}` must be a number: no argument of `{graph.name}` has it as "
                    "an axis",
                    span,
                    f"its value is needed here, for {node.type}",
                    "a size can stay open only where the arguments show what it is",
                )


def refused(code: str, message: str, span: Span, label: str, *notes: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic(code, message, (Label(span, label),), notes=notes)])
