"""Products of which only some rows are read: those alone are computed, with the same results."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from emission_support import Making, reference, run, shape
from graph_support import graph_of
from program_support import Instance

import tdsl
from tdsl.cpu.tiles import tile_for
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.claims import find_claims
from tdsl.graph.columns import GRAIN
from tdsl.graph.graph import LOOP, Graph, Node
from tdsl.graph.narrow import narrow
from tdsl.lowering.emit import emit_module
from tdsl.lowering.machine import MACHINES
from tdsl.lowering.options import Options
from tdsl.runtime.build import module_text
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size


def products(graph: Graph) -> list[str]:
    return [
        str(node.type)
        for node in graph.everything()
        if node.operation in ("matmul", "batch_matmul")
    ]


def trips(graph: Graph) -> list[str]:
    return [str(n.attributes["trip"]) for n in graph.everything() if n.operation == LOOP]


# --- which products become less

LESS = {
    "the last row of an open number": (
        (
            "fn f[T, K, N](x: f32[T, K], w: f32[K, N], b: f32[N]) -> f32[1, N] {\n"
            "  tanh(x @ w + b)[T-1:T] }"
        ),
        {},
        ["f32[1, N]"],
    ),
    "through norms, groups of columns, and a second product": (
        (
            "fn f[T](x: f32[T, 8], w: f32[8, 8]) -> f32[1, 2] where T >= 3 {\n"
            "  let y = reshape(x @ w, [T, 2, 4])\n"
            "  let z = transpose(y / sum(y, axis=-1, keepdims=true), [1, 0, 2])\n"
            "  transpose(max(z, axis=-1), [1, 0])[2:3] }"
        ),
        {"T": 9},
        ["f32[1, 8]"],
    ),
    "of each head the last query": (
        (
            "fn f[T](q: f32[2, T, 4], k: f32[2, T, 4]) -> f32[2, 1, 4] {\n"
            "  ((q @ transpose(k, [0, 2, 1])) @ k)[:, T-1:T] }"
        ),
        {},
        ["f32[2, 1, T]", "f32[2, 1, 4]"],
    ),
    "one head of several": (
        "fn f(q: f32[4, 6, 4], k: f32[4, 4, 5]) -> f32[1, 6, 5] { exp(q @ k)[1:2] }",
        {},
        ["f32[1, 6, 5]"],
    ),
}


@pytest.mark.parametrize("name", LESS)
def test_only_the_rows_that_are_read(name: str) -> None:
    text, sizes, expected = LESS[name]
    graph = narrow(graph_of(text, **sizes))
    assert products(graph) == expected


WHOLE = {
    "all rows are a result, too": (
        "fn f(x: f32[8, 4], w: f32[4, 4]) -> (f32[1, 4], f32[8, 4]) {\n"
        "  let y = x @ w\n  (y[7:8], y) }"
    ),
    "others read other rows": (
        "fn f(x: f32[8, 4], w: f32[4, 4]) -> f32[2, 4] {\n  let y = x @ w\n  y[6:8] * y[0:2] }"
    ),
    "most rows are read": "fn f(x: f32[8, 4], w: f32[4, 4]) -> f32[5, 4] { (x @ w)[0:5] }",
    "columns, for which weights would be cut": (
        "fn f(x: f32[8, 4], w: f32[4, 8]) -> f32[8, 2] { exp(x @ w)[:, 0:2] }"
    ),
    "rows that are added up": (
        "fn f(x: f32[8, 4], w: f32[4, 4]) -> f32[1, 4] { cumsum(x @ w, axis=0)[3:4] }"
    ),
    "rows that were mixed": (
        "fn f(x: f32[8, 4], w: f32[4, 4]) -> f32[1, 8] { reshape(x @ w, [4, 8])[3:4] }"
    ),
    "rows taken by number, of which any may be out of range": (
        "fn f(x: f32[8, 4], w: f32[4, 4], at: i32[6]) -> f32[1, 4] {\n"
        "  take(x @ w, at, axis=0)[5:6] }"
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_what_stays_whole(name: str) -> None:
    graph = graph_of(WHOLE[name])
    found = narrow(graph)
    assert products(found) == products(graph)


def test_a_slice_that_saves_no_product_stays_where_it_is() -> None:
    graph = graph_of("fn f(x: f32[8, 4]) -> f32[1, 4] { exp(x * 2.0)[7:8] }")
    assert narrow(graph) is graph


def test_positions_are_looked_at_as_before() -> None:
    """The rows of the table are cut after they are taken: any of the ids may be wrong."""
    text = (
        "fn f[T, V](ids: i32[T], table: f32[V, 4], w: f32[4, 4]) -> f32[1, 4] {\n"
        "  (take(table, ids, axis=0) @ w)[T-1:T] }"
    )
    made = Instance.of_text(text)
    found = narrow(made.graph)
    assert products(found) == ["f32[1, 4]"]
    taken = [node for node in found.nodes() if node.operation == "gather"]
    assert [str(node.type) for node in taken] == ["f32[T, 4]"]
    values = {s: {"T": 5, "V": 3}[s.name] for s in found.open_sizes}
    arrays = [np.array([7, 0, 1, 2, 1], np.int32), np.ones((3, 4)), np.ones((4, 4))]
    with pytest.raises(IndexError):
        run(found, [arrays[0], *(a.astype(np.float32) for a in arrays[1:])], (), values)


# --- columns that are read apart

HEADS = """
fn f[T, N](x: f32[T, 8], w: f32[8, N], b: f32[N]) -> f32[1, 48] where N == 144 {
    let both = tanh(x @ w + b)
    let [q, k, v] = [both[:, i*48 : (i+1)*48] for i in 0..3]
    (exp(-abs(q @ k.T)) @ v)[T-1:T]
}
"""


def test_of_queries_only_the_last_row() -> None:
    made = Instance.of_text(HEADS, T=7, N=144)
    graph = narrow(made.graph)
    wanted = ["f32[1, 48]", "f32[7, 48]", "f32[7, 48]", "f32[1, 7]", "f32[1, 48]"]
    assert sorted(products(graph)) == sorted(wanted)
    arrays = made.arrays({})
    claims = find_claims(graph)[0]
    (found,) = run(graph, arrays, claims, text=emit_module(graph, claims))
    np.testing.assert_allclose(found, np.asarray(made.reference(arrays, {})), 1e-4, 1e-5)


APART = {
    "cut where panels may be": HEADS.replace("48", "40").replace("144", "120"),
    "read by others, too": (
        HEADS.replace("-> f32[1, 48]", "-> (f32[1, 48], f32[T])")
        .replace("    (exp", "    ((exp")
        .replace("T-1:T]\n", "T-1:T], sum(both, axis=-1))\n")
    ),
    "an operand that is read, too": (
        HEADS.replace("-> f32[1, 48]", "-> (f32[1, 48], f32[T])")
        .replace("let both = tanh(x @ w + b)", "let s = x @ w\n    let both = tanh(s + b)")
        .replace("    (exp", "    ((exp")
        .replace("T-1:T]\n", "T-1:T], sum(s, axis=-1))\n")
    ),
    "a result, too": HEADS.replace("-> f32[1, 48]", "-> (f32[1, 48], f32[T, N])")
    .replace("    (exp", "    ((exp")
    .replace("T-1:T]\n", "T-1:T], both)\n"),
    "all rows of all columns": (HEADS.replace("f32[1, 48]", "f32[T, 48]").replace("[T-1:T]", "")),
}


@pytest.mark.parametrize("name", APART)
def test_products_that_stay_one(name: str) -> None:
    graph = graph_of(APART[name], T=7)
    found = products(narrow(graph))
    assert len(found) == len(products(graph)) == 3
    assert any(one == "f32[7, 144]" or one == "f32[7, 120]" for one in found)


def test_weights_may_be_cut_at_the_grain() -> None:
    for machine in MACHINES.values():
        for element_bytes in (4, 8):
            assert GRAIN % tile_for(machine, element_bytes).columns == 0


# --- loops

STACK = """
struct Layer[C] { w: f32[C, C], mix: f32[C, C], b: f32[C] }
fn step[T, C](x: f32[T, C], p: Layer[C]) -> f32[T, C] {
    let mixed = exp(-abs(x @ transpose(x @ p.mix, [1, 0]))) @ x
    x + tanh((x + mixed) @ p.w + p.b) / 4.0
}
fn f[T, C, L](x: f32[T, C], p: [Layer[C]; L]) -> f32[1, C] {
    let y = fold y = x for l in p { step(y, l) }
    (y * 2.0)[T-1:T]
}
"""


@pytest.mark.parametrize("sizes", [{"L": 3}, {"L": 3, "T": 7, "C": 8}, {"L": 2, "T": 7}], ids=str)
def test_the_last_step_of_a_loop_computes_less(sizes: dict[str, int]) -> None:
    made = Instance.of_text(STACK, **sizes)
    graph = narrow(made.graph)
    assert trips(graph) == [str(sizes["L"] - 1)]
    t, c = sizes.get("T", "T"), sizes.get("C", "C")
    whole = [f"f32[{t}, {c}]", f"f32[{t}, {t}]", f"f32[{t}, {c}]", f"f32[{t}, {c}]"]
    # Keys come from all rows.
    last = [f"f32[{t}, {c}]", f"f32[1, {t}]", f"f32[1, {c}]", f"f32[1, {c}]"]
    assert sorted(products(graph)) == sorted([*whole, *last])
    known = {s: {"T": 7, "C": 8}[s.name] for s in graph.open_sizes}
    arrays = made.arrays(known)
    claims = find_claims(graph)[0]
    (found,) = run(graph, arrays, claims, known, text=emit_module(graph, claims))
    expected = made.reference(arrays, known)
    np.testing.assert_allclose(found, np.asarray(expected), 1e-4, 1e-5)


LOOPS = {
    "a step that mixes all rows at its end": (
        (
            "fn f[L](x: f32[8, 8], p: [f32[8, 8]; L]) -> f32[1, 8] {\n"
            "  (fold y = x for w in p { cumsum(y @ w, axis=0) })[0:1] }"
        ),
        {"L": 3},
    ),
    "an open number of steps": (
        (
            "fn f[L](x: f32[8, 8], p: [f32[8, 8]; L]) -> f32[1, 8] {\n"
            "  (fold y = x for w in p { tanh(y @ w) })[0:1] }"
        ),
        {},
    ),
    "steps that tell their number": (
        (
            "fn f(x: f32[8, 8]) -> f32[1, 8] {\n"
            "  (fold y = x for i in 0..4 { (y @ x) * f32(i) })[0:1] }"
        ),
        {},
    ),
    "a second result, of all steps": (
        (
            "fn f[L](x: f32[8, 8], p: [f32[8, 8]; L]) -> (f32[1, 8], [f32[8]; L]) {\n"
            "  let (y, sums) = scan y = x for w in p { let z = y @ w\n (z, sum(z, axis=0)) }\n"
            "  (y[0:1], sums) }"
        ),
        {"L": 3},
    ),
    "positions at run time in the steps": (
        (
            "fn f[L](x: f32[8, 8], p: [i32[8]; L]) -> f32[1, 8] {\n"
            "  (fold y = x for at in p { take(y, at, axis=1) @ x })[0:1] }"
        ),
        {"L": 3},
    ),
    "loops in the steps": (
        (
            "fn f[L](x: f32[8, 8], p: [f32[8, 8]; L]) -> f32[1, 8] {\n"
            "  (fold y = x for w in p { y @ w + (fold z = y for v in p { z @ v }) })[0:1] }"
        ),
        {"L": 3},
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_stay_as_they_are(name: str) -> None:
    text, sizes = LOOPS[name]
    graph = graph_of(text, **sizes)
    found = narrow(graph)
    assert trips(found) == trips(graph)
    assert products(found) == products(graph)


def test_each_loop_is_cut_once() -> None:
    """Rows that do not see each other would lead through all steps."""
    text = (
        "fn f[L](x: f32[8, 8], p: [f32[8, 8]; L]) -> f32[1, 8] {\n"
        "  (fold y = x for w in p { tanh(y @ w) })[0:1] }"
    )
    graph = narrow(graph_of(text, L=5))
    assert trips(graph) == ["4"]
    assert products(graph) == ["f32[8, 8]", "f32[1, 8]"]


def test_names_and_what_is_debugged_stay() -> None:
    text = (
        "fn f(x: f32[8, 4], w: f32[4, 4]) -> f32[1, 4] {\n"
        '  let seen = dbg(x * 3.0, "x")\n  let scores = seen @ w\n  scores[7:8] }'
    )
    graph = narrow(graph_of(text))
    assert [str(one.node.type) for one in graph.debugged] == ["f32[8, 4]"]
    assert graph.debugged[0].node in graph.results
    named = {name: str(node.type) for node, name in graph.names.items() if node in {*graph.nodes()}}
    assert named["scores"] == "f32[1, 4]"


def test_it_can_be_switched_off() -> None:
    graph = graph_of(STACK, L=3)
    on, off = (module_text(graph, Options(narrow=narrow)) for narrow in (True, False))
    assert on.count("linalg.matmul") > off.count("linalg.matmul")


def test_a_model_reads_the_last_row() -> None:
    """Bound weights, packed once, are read by the loop and by its last step."""
    m = tdsl.loads(f"tdsl 0.1\n{STACK.replace('struct', 'pub struct')}".replace("fn f", "pub fn f"))
    random_ = np.random.default_rng(0)
    layers = [
        {"w": random_.standard_normal((48, 48)), "mix": random_.standard_normal((48, 48)) / 48,
         "b": random_.standard_normal(48)}
        for _ in range(3)
    ]  # fmt: skip
    layers = [{k: v.astype(np.float32) for k, v in one.items()} for one in layers]
    x = random_.standard_normal((20, 48)).astype(np.float32)
    y = x.astype(np.float64)
    for p in layers:
        mixed = np.exp(-np.abs(y @ (y @ p["mix"]).T)) @ y
        y = y + np.tanh((y + mixed) @ p["w"] + p["b"]) / 4
    np.testing.assert_allclose(m.f(x, layers), (y * 2)[-1:], 1e-4, 1e-4)


# --- graphs of all operations

Step = Callable[[GraphBuilder, Node, random.Random], Node]


def _steps() -> dict[str, Step]:
    def place(node: Node, r: random.Random) -> int:
        return r.randrange(node.type.rank)

    def weights(b: GraphBuilder, rows: Size, columns: int) -> Node:
        """Numbers that differ from place to place."""
        line = b.iota((rows, Size.of(columns)), 0, DTYPES["f64"])
        other = b.iota((rows, Size.of(columns)), 1, DTYPES["f64"])
        return b.elementwise("sin", b.elementwise("add", line, b.elementwise("mul", other, other)))

    def matmul(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        rank = x.type.rank
        if rank == 2:
            return b.matmul(x, weights(b, x.type.shape[1], r.choice([3, 6])))
        if rank == 3:
            w = weights(b, x.type.shape[2], 4)
            return b.matmul(x, b.broadcast_to(w, (x.type.shape[0], *w.type.shape)))
        return x

    def reduced(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        if x.type.rank == 1:
            return x
        return b.reduce(r.choice(["sum", "max"]), x, (place(x, r),))  # type: ignore[arg-type]

    def normed(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        axis = place(x, r)
        total = b.reduce("sum", x, (axis,))
        axes = tuple(a for a in range(x.type.rank) if a != axis)
        return b.elementwise("sub", x, b.broadcast_in_dim(total, x.type.shape, axes))

    def regrouped(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        sizes = [size.literal for size in x.type.shape]
        assert None not in sizes
        if x.type.rank == 3:
            return b.reshape(x, shape(sizes[0] * sizes[1], sizes[2]))  # type: ignore[operator]
        if x.type.rank == 2 and sizes[1] % 2 == 0:  # type: ignore[operator]
            return b.reshape(x, shape(sizes[0], 2, sizes[1] // 2))  # type: ignore[operator,arg-type]
        return x

    def transposed(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        return b.transpose(x, tuple(r.sample(range(x.type.rank), x.type.rank)))

    def padded(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        axis = place(x, r)
        low = shape(*[int(a == axis) for a in range(x.type.rank)])
        return b.pad(x, low, low, b.number(0.5, DTYPES["f64"]))

    def cut(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        axis = place(x, r)
        size = x.type.shape[axis].literal
        assert size is not None
        taken = r.choice([1, 2])
        if size <= taken:
            return x
        start = r.randrange(size - taken)
        starts = shape(*[start if a == axis else 0 for a in range(x.type.rank)])
        sizes = shape(*[taken if a == axis else s.literal for a, s in enumerate(x.type.shape)])  # type: ignore[arg-type]
        return b.slice(x, starts, sizes)

    def masked(b: GraphBuilder, x: Node, r: random.Random) -> Node:
        line = b.iota(x.type.shape, place(x, r), DTYPES["f64"])
        other = b.iota(x.type.shape, place(x, r), DTYPES["f64"])
        return b.select(b.elementwise("less_equal", line, other), x, b.elementwise("neg", x))

    return {
        "matmul": matmul,
        "again": matmul,
        "reduce": reduced,
        "norm": normed,
        "reshape": regrouped,
        "transpose": transposed,
        "pad": padded,
        "slice": cut,
        "mask": masked,
        "tanh": lambda b, x, r: b.elementwise("tanh", x),
        "cumsum": lambda b, x, r: b.cumsum(x, place(x, r)),
        "reverse": lambda b, x, r: b.reverse(x, (place(x, r),)),
        "concat": lambda b, x, r: b.concat([x, b.elementwise("neg", x)], place(x, r)),
        "index": lambda b, x, r: b.elementwise("add", x, b.iota(x.type.shape, place(x, r), DTYPES["f64"])),
        "twice": lambda b, x, r: b.elementwise("add", x, b.elementwise("mul", x, x)),
    }  # fmt: skip


def test_random_graphs_keep_their_results() -> None:
    steps, less, used = _steps(), 0, set[str]()
    for seed in range(400):
        r = random.Random(seed)
        making = Making()
        x: Any = making.input("x", "f64", 6, 4)
        chosen = r.choices(list(steps), k=7)
        for name in chosen:
            x = steps[name](making.build, x, r)
        x = steps["slice"](making.build, steps["matmul"](making.build, x, r), r)
        for name in r.choices(list(steps), k=2):
            x = steps[name](making.build, x, r)
        graph = making.graph(x)
        found = narrow(graph)
        given = [np.random.default_rng(seed).standard_normal((6, 4))]
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(
                reference(found, given)[0],
                reference(graph, given)[0],
                1e-9,
                1e-9,
                err_msg=str(seed),
            )
        if products(found) != products(graph):
            less += 1
            used |= set(chosen)
    assert less > 100
    assert used == set(steps)
