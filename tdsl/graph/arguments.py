"""The arguments of an instance as inputs of its graph, and the sizes that they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tdsl.check import typed
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import ArrayType, Graph, Node
from tdsl.ops.primitive import InternalError
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Label
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import ListType, TensorType, TupleType, Type

# An input, or those of the items of a tuple or list.
Inputs = Node | tuple["Inputs", ...]


def argument_inputs(builder: GraphBuilder, inputs: list[Node], name: str, type_: Type) -> Inputs:
    match type_:
        case TensorType(DType() as dtype, shape):
            node = builder.input(name, len(inputs), ArrayType(dtype, concrete(shape)))
            inputs.append(node)
            return node
        case TupleType(items):
            return tuple(
                argument_inputs(builder, inputs, f"{name}_{place}", item)
                for place, item in enumerate(items)
            )
        case ListType(item, length) if length.literal is not None:
            return tuple(
                argument_inputs(builder, inputs, f"{name}_{place}", item)
                for place in range(length.literal)
            )
    raise InternalError(f"an argument of type {type_} cannot be an input of a graph")


def concrete(shape: Sequence[Size | Pack]) -> tuple[Size, ...]:
    """A shape in which every pack has been replaced."""
    sizes = tuple(size for size in shape if isinstance(size, Size))
    if len(sizes) != len(shape):
        raise InternalError("a pack has no value")
    return sizes


def open_sizes(inputs: Sequence[Node]) -> Mapping[Symbol, tuple[int, int]]:
    """For each open symbol the axis it is read from: one that is the symbol itself, if any is."""
    found: dict[Symbol, tuple[int, int]] = {}
    exact: set[Symbol] = set()
    for place, node in enumerate(inputs):
        for axis, size in enumerate(node.type.shape):
            symbols = size.symbols()
            if len(symbols) != 1:
                continue
            (symbol,) = symbols
            if size == Size.of(symbol):
                if symbol not in exact:
                    exact.add(symbol)
                    found[symbol] = (place, axis)
            elif symbol not in found and _linear(size, symbol):
                found[symbol] = (place, axis)
    return found


def _linear(size: Size, symbol: Symbol) -> bool:
    return all(monomial in ((), ((symbol, 1),)) for monomial, _ in size.terms)


def check_sizes_are_known(graph: Graph, function: typed.Function) -> None:
    """An open size must be readable from an argument; a static one without an axis is not."""
    for node in graph.nodes():
        sizes = list(node.type.shape)
        if "size" in node.attributes:
            sizes.append(node.attributes["size"])
        for symbol in sorted({s for size in sizes for s in size.symbols()}, key=str):
            if symbol not in graph.open_sizes:
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
