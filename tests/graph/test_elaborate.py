"""From typed programs to graphs: calls, numbers, subscripts, loops, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tdsl.check.modules import check_source
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Graph, Node
from tdsl.graph.printer import print_graph
from tdsl.ops.primitives import PRIMITIVES
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import Substitution, TupleType


def instance(
    text: str, sizes: Mapping[str, int | None] = {}, name: str = "f", dtype: str = "f32"
) -> Graph:
    """The graph of a function; sizes by name, None: stays open."""
    result = check_source(Source("model.tdsl", f"tdsl 0.1\n{text}\n"), None)
    assert result.program is not None, result.diagnostics
    function = result.program.root.functions[name]
    signature = function.signature
    values: dict[Symbol, Size] = {}
    for parameter in signature.sizes:
        for symbol in parameter.value.symbols():
            value = sizes.get(symbol.name)
            values[symbol] = Size.of(symbol if value is None else value)
    packs = dict.fromkeys(signature.packs, ())
    dtypes = dict.fromkeys(signature.dtypes, DTYPES[dtype])
    return elaborate(result.program, signature.function, Substitution(values, packs, dtypes))


def evaluate(graph: Graph, *arrays: Any) -> list[Any]:
    values: dict[Node, Any] = dict(zip(graph.inputs, arrays, strict=True))
    for node in graph.nodes():
        if node not in values:
            operands = [values[operand] for operand in node.inputs]
            values[node] = PRIMITIVES[node.operation].reference(operands, node.attributes)
    return [values[node] for node in graph.results]


def operations(graph: Graph) -> list[str]:
    return [node.operation for node in graph.nodes() if node.operation not in ("input", "constant")]


def refused(code: str, text: str, sizes: Mapping[str, int | None] = {}) -> str:
    with pytest.raises(DiagnosticError) as caught:
        instance(text, sizes)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert diagnostic.span.source.name == "model.tdsl"
    return str(caught.value)


def test_calls_are_inlined_and_values_keep_their_names() -> None:
    graph = instance(
        """
fn scale[N](x: f32[N]) -> f32[N] {
    let inner = x * 2.0
    inner + 1.0
}
fn f[N](x: f32[N]) -> f32[N] {
    let y = scale(x)
    exp(scale(y))
}""",
        {"N": 3},
    )
    assert operations(graph) == ["mul", "add", "mul", "add", "exp"]
    shown = print_graph(graph, locations=False)
    assert shown == (
        "graph f(%x: f32[3]) -> f32[3] {\n"
        "  %inner = mul(%x, 2.0): f32[3]\n"
        "  %y = add(%inner, 1.0): f32[3]\n"
        "  %inner_1 = mul(%y, 2.0): f32[3]\n"
        "  %scale = add(%inner_1, 1.0): f32[3]\n"
        "  %0 = exp(%scale): f32[3]\n"
        "  return %0\n"
        "}\n"
    )


def test_compile_time_numbers_are_computed() -> None:
    graph = instance(
        "fn f[N, D](x: f32[N, D]) -> f32[N, D] { x / sqrt(D) * (1.0 / 3) }", {"N": 2, "D": 16}
    )
    assert operations(graph) == ["div", "mul"]
    constants = [node for node in graph.nodes() if node.operation == "constant"]
    assert {node.attributes["value"] for node in constants} == {4.0, float(np.float32(1 / 3))}


def test_a_typed_scalar_promotes_by_casts() -> None:
    graph = instance("fn f[N, D](x: f32[N, D]) -> f64[N, D] { x / f64(sqrt(D)) }", {"N": 2, "D": 8})
    assert operations(graph) == ["cast", "div"]
    assert graph.results[0].type.dtype == DTYPES["f64"]


def test_numbers_from_open_sizes_are_computed_at_the_call() -> None:
    graph = instance("fn f[N, D](x: f32[N, D]) -> f32[N, D] { x / sqrt(D) }", {"N": 2})
    assert operations(graph) == ["size", "cast", "sqrt", "cast", "div"]
    (symbol,) = graph.open_sizes
    assert symbol.name == "D"
    assert graph.open_sizes[symbol] == (0, 1)


def test_subscripts() -> None:
    graph = instance(
        """
fn f[N, M](x: f32[N, M]) -> (f32[M], f32, f32[N, 1, 2], f32[1, N, M])
    where N >= 2, M >= 3
{
    (x[-1], x[1, 0], x[:, newaxis, 1:3], x[newaxis])
}""",
        {"N": 2, "M": 4},
    )
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    wanted = [x[-1], x[1, 0], x[:, np.newaxis, 1:3], x[np.newaxis]]
    for found, right in zip(evaluate(graph, x), wanted, strict=True):
        np.testing.assert_array_equal(found, right)
    assert isinstance(graph.result_type, TupleType)
    assert len(graph.result_type.items) == 4


def test_comprehensions_are_unrolled() -> None:
    text = """
fn f[T, C](x: f32[T, 3*C]) -> f32[T, C] {
    let [q, k, v] = [x[:, i*C : (i+1)*C] for i in 0..3]
    q * k + v
}"""
    graph = instance(text, {"T": 2, "C": 2})
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    np.testing.assert_array_equal(evaluate(graph, x)[0], x[:, :2] * x[:, 2:4] + x[:, 4:])
    assert operations(graph).count("slice") == 3
    assert [name for name in "qkv" if name in graph.names.values()] == ["q", "k", "v"]


def test_a_range_is_unrolled_unless_it_stays_open() -> None:
    text = """
fn f[T, static H](x: f32[T, H]) -> f32[T, H] {
    concat([x[:, h : h+1] for h in 0..H], axis=1)
}"""
    assert operations(instance(text, {"T": 2, "H": 2})) == ["slice", "slice", "concat"]
    looped = ["loop", "loop_result", "transpose", "reshape"]
    assert operations(instance(text, {"T": 2})) == looped


IF = "fn f[N, static H](x: f32[N, H]) -> f32[N, H] { if H > 2 { exp(x) } else { log(x) } }"


def test_if_is_decided() -> None:
    assert operations(instance(IF, {"N": 2, "H": 3})) == ["exp"]
    assert operations(instance(IF, {"N": 2, "H": 2})) == ["log"]


def test_if_on_an_open_size_is_refused() -> None:
    assert "open in this instance" in refused("E0206", IF, {"N": 2})


def test_a_size_that_no_argument_shows_must_be_a_number() -> None:
    text = "fn f[N, static H](x: f32[N]) -> f32[N] { x * H }"
    assert operations(instance(text, {"N": 2, "H": 3})) == ["mul"]
    assert "`H` must be a number" in refused("E0506", text, {"N": 2})


def test_open_sizes_of_a_division() -> None:
    text = """
fn f[T, C, static H](x: f32[T, C]) -> f32[T, H, C//H] where H divides C {
    reshape(x, [T, H, C//H])
}"""
    graph = instance(text, {"H": 4})
    found = {symbol.name: place for symbol, place in graph.open_sizes.items()}
    assert found == {"T": (0, 0), "C//H": (0, 1)}


def test_dtype_parameters_and_packs() -> None:
    text = "fn f[E: dtype(float), ...S](x: E[...S]) -> E[...S] { exp(x) * 0.5 }"
    graph = instance(text, dtype="bf16")
    assert graph.results[0].type.dtype == DTYPES["bf16"]
    assert graph.results[0].type.shape == ()


def test_unused_and_repeated_values() -> None:
    graph = instance("fn f[N](x: f32[N], y: f32[N]) -> (f32[N], f32[N]) { (x, x) }", {"N": 2})
    assert [node.attributes["name"] for node in graph.inputs] == ["x", "y"]
    assert graph.results[0] is graph.results[1] is graph.inputs[0]


def test_a_number_as_result() -> None:
    graph = instance("fn f[N](x: f32[N]) -> f32 { f32(N) }", {"N": 5})
    (found,) = evaluate(graph, np.zeros(5, np.float32))
    assert found == 5.0


def test_long_chains_and_many_lets_do_not_recurse() -> None:
    lets = "\n".join(f"    let x{i + 1} = x{i} + 1.0" for i in range(1500))
    graph = instance(f"fn f[N](x0: f32[N]) -> f32[N] {{\n{lets}\n    x1500\n}}", {"N": 2})
    assert operations(graph) == ["add"] * 1500
    total = " + ".join(["x"] * 140)
    graph = instance(f"fn f[N](x: f32[N]) -> f32[N] {{ {total} }}", {"N": 2})
    assert operations(graph) == ["add"] * 139


def test_too_long_programs_are_refused_with_a_place() -> None:
    lets = "\n".join(f"    let x{i + 1} = x{i} + 1.0" for i in range(4500))
    text = f"fn f[N](x0: f32[N]) -> f32[N] {{\n{lets}\n    x4500\n}}"
    assert "operations" in refused("E0704", text, {"N": 2})


def test_arrays_that_are_too_large_are_refused_with_a_place() -> None:
    text = "fn f[N](x: f32[N]) -> f32[N, N] { broadcast(x, [N, N]) }"
    assert "bytes" in refused("E0704", text, {"N": 1 << 24})
