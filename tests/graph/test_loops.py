"""Structs, lists and loops as graphs: one body whatever the number of steps, arrays by their paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from graph_support import graph_of

from tdsl.graph.claims import find_claims
from tdsl.graph.graph import LOOP, Graph, LoopBody, Node
from tdsl.graph.printer import print_claims, print_graph
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.types.sizes import Size

LAYERS = """
struct Norm[C] { g: f32[C], b: f32[C] }
struct Layer[C] { w: f32[C, C], norm: Norm[C] }
fn f[T, C, L](x: f32[T, C], p: [Layer[C]; L], s: f32[T]) -> f32[T, C] {
    fold y = x for l in p { tanh(y @ l.w) * l.norm.g + s[:, newaxis] }
}"""


def instance(text: str, sizes: Mapping[str, int] = {}, name: str = "f") -> Graph:
    return graph_of(text, name, **sizes)


def refused(code: str, text: str, sizes: Mapping[str, int] = {}) -> str:
    with pytest.raises(DiagnosticError) as caught:
        instance(text, sizes)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    return str(caught.value)


def names(graph: Graph) -> list[str]:
    return [str(node.attributes["name"]) for node in graph.inputs]


def loops(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes() if node.operation == LOOP]


def body(graph: Graph) -> LoopBody:
    (loop,) = loops(graph)
    found: Any = loop.attributes["body"]
    return found


def operations(graph: Graph) -> list[str]:
    return [node.operation for node in graph.nodes() if node.operation not in ("input", "constant")]


# --- arguments and results


def test_arrays_of_structs_and_lists_are_inputs_under_their_paths() -> None:
    graph = instance(LAYERS, {"T": 2, "C": 3, "L": 4})
    assert names(graph) == ["x", "p.w", "p.norm.g", "p.norm.b", "s"]
    shapes = [str(node.type) for node in graph.inputs]
    assert shapes == ["f32[2, 3]", "f32[4, 3, 3]", "f32[4, 3]", "f32[4, 3]", "f32[2]"]


def test_nested_lists_are_stacked_outermost_first() -> None:
    graph = instance(
        "fn f[A, B, C](x: [[(f32[C], i32); B]; A]) -> [[(f32[C], i32); B]; A] { x }",
        {"A": 2, "B": 3, "C": 4},
    )
    assert names(graph) == ["x_0", "x_1"]
    assert [str(node.type) for node in graph.inputs] == ["f32[2, 3, 4]", "i32[2, 3]"]
    assert graph.results == graph.inputs


def test_results_are_flattened_as_their_type_says() -> None:
    graph = instance(
        """
struct KV[N] { k: f32[N], v: f32[N] }
fn f[N](x: f32[N]) -> ([KV[N]; 2], f32[N]) {
    let a = KV(k=x, v=-x)
    ([a, KV(v=x * 2.0, k=a.v)], a.k)
}""",
        {"N": 3},
    )
    assert [str(node.type) for node in graph.results] == ["f32[2, 3]", "f32[2, 3]", "f32[3]"]
    assert graph.results[2] is graph.inputs[0]
    # The fields in the order of the definition, whatever the order that they were given in.
    keys = graph.results[0]
    assert keys.operation == "concat"
    assert [part.inputs[0].operation for part in keys.inputs] == ["input", "neg"]


def test_an_item_of_a_stacked_list_is_a_slice() -> None:
    graph = instance(
        "fn f[N](x: [f32[N]; 3]) -> f32[N] { let [a, b, c] = x\n    a + b * c - x[2] }", {"N": 5}
    )
    starts = [n.attributes["starts"][0] for n in graph.nodes() if n.operation == "slice"]
    assert {start.literal for start in starts} == {0, 1, 2}


# --- loops


def test_a_body_is_built_once_whatever_the_number_of_steps() -> None:
    counts = set()
    for layers in (2, 12, 48):
        graph = instance(LAYERS, {"T": 2, "C": 3, "L": layers})
        (loop,) = loops(graph)
        assert loop.attributes["trip"] == Size.of(layers)
        counts.add(sum(1 for _ in graph.everything()))
    assert len(counts) == 1


def test_the_parts_of_a_loop() -> None:
    graph = instance(LAYERS, {"T": 2, "C": 3, "L": 4})
    (loop,) = loops(graph)
    step = body(graph)
    assert [str(node.type) for node in step.states] == ["f32[2, 3]"]
    assert [node.attributes["name"] for node in step.items] == ["l.w", "l.norm.g", "l.norm.b"]
    assert [str(node.type) for node in step.items] == ["f32[3, 3]", "f32[3]", "f32[3]"]
    assert [node.attributes["name"] for node in step.captured] == ["s"]
    assert [node.attributes["name"] for node in loop.inputs] == names(graph)
    assert operations(step.graph("f")) == [
        "matmul",
        "tanh",
        "mul",
        "broadcast_in_dim",
        "add",
    ]
    assert operations(graph) == ["loop", "loop_result"]


def test_nothing_of_a_body_is_of_what_is_around_it() -> None:
    """Every node that a body reaches is its own: what it reads from outside it captures."""
    graph = instance(
        """
fn f[N](x: f32[N], y: f32[N]) -> (f32[N], f32[N]) {
    let z = exp(y)
    let a = fold s = x for i in 0..4 { fold t = s * z for j in 0..3 { t + z * y + s } }
    (a, z)
}""",
        {"N": 3},
    )
    outer = body(graph)
    own = set(outer.graph("f").nodes())
    assert own.isdisjoint(graph.nodes())
    inner = body(outer.graph("f"))
    assert set(inner.graph("f").nodes()).isdisjoint(own)
    assert [node.attributes["name"] for node in outer.captured] == ["z", "y"]
    assert [node.attributes["name"] for node in inner.captured] == ["z", "y", "s"]


def test_what_costs_nothing_is_computed_again_and_not_captured() -> None:
    graph = instance(
        """
fn f[N](x: f32[N]) -> f32[N] {
    let places = iota(N, i64) * 2 + 1
    fold s = x for i in 0..4 { select(places > 3, s, 0.5) }
}""",
        {"N": 3},
    )
    assert body(graph).captured == ()
    assert "iota" in operations(body(graph).graph("f"))


def test_the_index_is_a_size_in_the_body() -> None:
    graph = instance(
        "fn f[N](x: f32[N]) -> (f32[], [f32[]; N]) "
        "{ scan s = x[0] for i in 0..N { (s + i, sum(x[0:i+1])) } }",
    )
    step = body(graph)
    (cut,) = (node for node in step.graph("f").nodes() if node.operation == "slice")
    assert cut.type.shape == (Size.of(step.index) + 1,)
    assert [str(node.type) for node in graph.results] == ["f32[]", "f32[N]"]


def test_a_scan_stacks_what_its_steps_add() -> None:
    graph = instance(
        """
fn f[N, L](x: f32[N], xs: [f32[N]; L], ks: [i32; L]) -> (f32[N], [(f32[N], i32); L]) {
    scan s = x for (v, k) in zip(xs, ks) { (s + v, (s, k * 2)) }
}""",
        {"N": 3, "L": 5},
    )
    assert [str(node.type) for node in graph.results] == ["f32[3]", "f32[5, 3]", "i32[5]"]
    assert [node.attributes["index"] for node in graph.results] == [0, 1, 2]


def test_written_lists_are_stacked_for_a_loop() -> None:
    graph = instance(
        "fn f[N](x: f32[N], y: f32[N]) -> f32[N] { fold s = x for v in [x, y, x] { s * v } }",
        {"N": 3},
    )
    (loop,) = loops(graph)
    assert loop.inputs[1].operation == "concat"
    assert str(loop.inputs[1].type) == "f32[3, 3]"


def test_one_step_is_no_loop() -> None:
    assert loops(instance(LAYERS, {"T": 2, "C": 3, "L": 1})) == []


def test_a_loop_is_unrolled_where_that_is_asked_for() -> None:
    text = """
fn f[N, L](x: f32[N], xs: [f32[N]; L]) -> f32[N] {
    @unroll
    fold s = x for v in xs { s * v }
}"""
    graph = instance(text, {"N": 3, "L": 4})
    assert loops(graph) == []
    assert operations(graph).count("mul") == 4
    message = refused("E0414", text, {"N": 3})
    assert "this loop has L steps, a number that is open in this instance" in message


def test_compile_time_numbers_go_round_as_numbers() -> None:
    graph = instance(
        "fn f[N](x: f32[N]) -> f32[N] { fold s = x for k in [2, 3] { s * (k * k) } }", {"N": 3}
    )
    assert loops(graph) == []
    assert [n.attributes.get("value") for n in graph.results[0].inputs] == [None, 9.0]


def test_an_open_number_of_items_is_a_loop_without_a_state() -> None:
    text = "fn f[N, L](x: f32[N], xs: [f32[N]; L]) -> [f32[N]; L] { [xs[i] * x for i in 0..L] }"
    graph = instance(text, {"N": 3})
    (loop,) = loops(graph)
    assert loop.attributes["states"] == 0
    assert str(graph.results[0].type) == "f32[L, 3]"
    assert loops(instance(text, {"N": 3, "L": 4})) == []


def test_a_scan_without_end_is_refused_for_its_size() -> None:
    text = "fn f[N](x: f32[N]) -> [f32[N]; 1000000] { let (s, all) = scan s0 = x for i in 0..1000000 { (s0, s0) }\n    all }"
    assert "an array of" in refused("E0704", text, {"N": 1 << 28})


def test_claims_are_found_in_bodies() -> None:
    graph = instance(LAYERS, {"T": 2, "C": 3, "L": 4})
    claims, remarks = find_claims(graph)
    assert [claim.kind for claim in claims] == ["matmul"]
    assert claims[0].root in set(body(graph).graph("f").nodes())
    assert remarks[0].claimed


def test_a_loop_is_printed_with_its_body() -> None:
    graph = instance(LAYERS, {"T": 2, "C": 3, "L": 4})
    head = (
        "graph f(%x: f32[2, 3], %p.w: f32[4, 3, 3], %p.norm.g: f32[4, 3], %p.norm.b: f32[4, 3], "
        "%s: f32[2]) -> f32[2, 3] {\n"
        "  %0 = loop step in 0..4 (%y = %x, %l.w in %p.w, %l.norm.g in %p.norm.g, "
        "%l.norm.b in %p.norm.b) {\n"
    )
    tail = (
        "    %2 = tanh(%1): f32[2, 3]\n"
        "    %3 = mul(%2, %l.norm.g): f32[2, 3]\n"
        "    %4 = broadcast_in_dim(%s, axes=[0]): f32[2, 1]\n"
        "    %5 = add(%3, %4): f32[2, 3]\n"
        "    yield %5\n"
        "  }\n"
        "  return %0\n"
        "}\n"
    )
    product = "%1 = matmul(%y, %l.w): f32[2, 3]\n"
    assert print_graph(graph, locations=False) == f"{head}    {product}{tail}"
    claims, _ = find_claims(graph, ("matmul",))
    inside = "".join(f"  {line}" for line in (f"    {product}", *tail.splitlines(True)[:4]))
    claimed = f"    claim matmul {{\n{inside}    }}\n"
    rest = "".join(tail.splitlines(True)[4:])
    assert print_claims(graph, claims, locations=False) == f"{head}{claimed}{rest}"


@pytest.mark.parametrize("sizes", [{"L": 4, "M": 2, "N": 3}, {}])
def test_a_stacked_list_is_joined_without_taking_it_apart(sizes: dict[str, int]) -> None:
    head = "fn f[L, M, N](xs: [f32[M, N]; L])"
    for call, wanted in (
        ("f32[L, M, N] { stack(xs, axis=0) }", []),
        ("f32[M, L, N] { stack(xs, axis=1) }", ["transpose"]),
        ("f32[M, N, L] { stack(xs, axis=-1) }", ["transpose"]),
        ("f32[L*M, N] { concat(xs, axis=0) }", ["reshape"]),
        ("f32[M, L*N] { concat(xs, axis=1) }", ["transpose", "reshape"]),
    ):
        graph = instance(f"{head} -> {call}", sizes)
        assert operations(graph) == wanted, call
