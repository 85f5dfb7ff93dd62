"""The evaluator on structs, lists, loops and run-time positions, against loops in Python."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from test_evaluator import call, checked

from tdsl.reference.evaluate import run_test
from tdsl.reference.failures import OutOfRange

BLOCKS = """
struct Linear[I, O] { w: f32[I, O], b: f32[O] }
struct Block[C] { up: Linear[C, C], gain: f32[C] }
fn block[T, C](x: f32[T, C], p: Block[C]) -> f32[T, C] { (x @ p.up.w + p.up.b) * p.gain }
fn model[T, C, L](x: f32[T, C], blocks: [Block[C]; L]) -> f32[T, C] {
    fold y = x for b in blocks { y + block(y, b) }
}
fn traced[T, C, L](x: f32[T, C], blocks: [Block[C]; L]) -> (f32[T, C], [f32[C]; L]) {
    scan y = x for b in blocks { (y + block(y, b), y[0]) }
}
"""


def blocks(count: int, width: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(count)

    def draw(*shape: int) -> Any:
        return random.standard_normal(shape).astype(np.float32) * np.float32(0.3)

    return [
        {"up": {"w": draw(width, width), "b": draw(width)}, "gain": draw(width)}
        for _ in range(count)
    ]


def by_hand(x: Any, parameters: list[dict[str, Any]]) -> tuple[Any, list[Any]]:
    rows = []
    for p in parameters:
        rows.append(x[0])
        x = x + (x @ p["up"]["w"] + p["up"]["b"]) * p["gain"]
    return x, rows


def stacked(items: list[Any]) -> Any:
    if isinstance(items[0], dict):
        return {name: stacked([item[name] for item in items]) for name in items[0]}
    return np.stack(items)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("form", ["items", "stacked"])
def test_fold_and_scan_over_a_list_of_structs(count: int, form: str) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    parameters = blocks(count, 4)
    given = parameters if form == "items" else stacked(parameters)
    last, rows = by_hand(x, parameters)
    sizes = {"T": 3, "C": 4, "L": count}
    np.testing.assert_allclose(call(BLOCKS, "model", x, given, **sizes), last, rtol=1e-5)
    found, items = call(BLOCKS, "traced", x, given, **sizes)
    np.testing.assert_allclose(found, last, rtol=1e-5)
    assert isinstance(items, list)
    np.testing.assert_allclose(np.stack(items), np.stack(rows), rtol=1e-5)


def test_a_struct_as_result_is_a_dict_by_field() -> None:
    text = """
struct Pair[N, E: dtype(any)] { first: E[N], second: (f32, [f32[N]; 2]) }
fn swapped[N](p: Pair[N, f32]) -> Pair[N, f32] {
    let (number, [a, b]) = p.second
    Pair(second=(number + 1.0, [b, a]), first=p.first)
}
"""
    a, b = np.arange(3, dtype=np.float32), np.ones(3, np.float32)
    # A field may be given in any order; the result has them as they are defined.
    found = call(text, "swapped", {"second": (np.float32(2), [a, b]), "first": a + b}, N=3)
    assert list(found) == ["first", "second"]
    np.testing.assert_array_equal(found["first"], a + b)
    number, items = found["second"]
    assert number == 3
    np.testing.assert_array_equal(items[0], b)
    np.testing.assert_array_equal(items[1], a)


def test_a_struct_that_is_given_back_has_its_fields_in_order() -> None:
    text = "struct P { a: f32, b: f32 }\nfn same(p: P) -> P { p }"
    assert list(call(text, "same", {"b": np.float32(1), "a": np.float32(2)}).items()) == [
        ("a", 2),
        ("b", 1),
    ]


def test_the_index_of_a_loop_is_a_size() -> None:
    text = """
fn total[N](x: f32[3*N]) -> f32[N] {
    fold s = zeros([N], f32) for i in 0..3 { s + i * x[i*N : (i+1)*N] }
}
fn counted[N](x: f32[N]) -> (f32, [f32; N]) {
    scan s = f32(0) for i in 0..N { (s + x[i], s) }
}
fn unrolled(x: f32[4]) -> f32 {
    @unroll fold s = f32(0) for i in 1..4 { if i == 2 { s } else { s + x[i] } }
}
"""
    x = np.arange(1, 7, dtype=np.float32)
    np.testing.assert_array_equal(call(text, "total", x, N=2), x[2:4] + 2 * x[4:6])
    last, sums = call(text, "counted", x, N=6)
    assert last == 21
    np.testing.assert_array_equal(sums, [0, 1, 3, 6, 10, 15])
    assert call(text, "unrolled", x[:4]) == 2 + 4


def test_zip_walks_over_several_lists() -> None:
    text = """
fn dot[N, L](a: [f32[N]; L], b: [f32[N]; L], c: [f32; L]) -> f32 {
    fold s = f32(0) for (x, y, z) in zip(a, b, c) { s + z * sum(x * y) }
}
"""
    random = np.random.default_rng(1)
    a, b = random.standard_normal((2, 4, 3)).astype(np.float32)
    c = random.standard_normal(4).astype(np.float32)
    found = call(text, "dot", list(a), b, list(c), N=3, L=4)
    np.testing.assert_allclose(found, (c * (a * b).sum(-1)).sum(), rtol=1e-5)


def test_the_state_may_be_a_tuple_and_loops_nest() -> None:
    text = """
fn f[N, M](x: f32[N, M]) -> (f32, f32) {
    fold (a, b) = (f32(0), f32(1)) for i in 0..N {
        let row = fold r = f32(0) for j in 0..M { r + x[i, j] * b }
        (a + row, b + a)
    }
}
"""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    a, b = 0.0, 1.0
    for row in x:
        a, b = a + (row * b).sum(), b + a
    assert call(text, "f", x, N=2, M=3) == (a, b)


def test_a_cache_is_updated_step_by_step() -> None:
    text = """
struct Cache[N, C] { rows: f32[N, C], count: i32 }
fn push[N, C](c: Cache[N, C], row: f32[C]) -> Cache[N, C] {
    Cache(rows=update(c.rows, row[newaxis, :], at=[c.count, 0]), count=c.count + 1)
}
fn pushed[N, C, L](c: Cache[N, C], rows: [f32[C]; L]) -> Cache[N, C] {
    fold s = c for r in rows { push(s, r) }
}
"""
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    empty = {"rows": np.zeros((4, 2), np.float32), "count": np.int32(1)}
    found = call(text, "pushed", empty, rows, N=4, C=2, L=3)
    assert found["count"] == 4
    np.testing.assert_array_equal(found["rows"], [[0, 0], *rows])
    assert (empty["rows"] == 0).all()
    with pytest.raises(OutOfRange, match="update: start 4 is out of range"):
        call(text, "pushed", empty, np.concatenate([rows, rows]), N=4, C=2, L=6)


def test_a_run_time_position_out_of_range_is_an_index_error_with_its_place() -> None:
    text = (
        "fn rows[V, C, T](w: f32[V, C], ids: i64[T]) -> f32[T, C] {\n    take(w, ids, axis=0)\n}\n"
    )
    w = np.eye(4, dtype=np.float32)
    np.testing.assert_array_equal(call(text, "rows", w, np.array([3, 0]), V=4, C=4, T=2), w[[3, 0]])
    for value in (-1, 4, np.iinfo(np.int64).min):
        wanted = f"take: index {value} is out of range for axis 0 of size 4 (test.tdsl:3:5)"
        with pytest.raises(IndexError, match=re.escape(wanted)) as caught:
            call(text, "rows", w, np.array([0, value]), V=4, C=4, T=2)
        assert isinstance(caught.value, OutOfRange)
        assert caught.value.span.text == "take(w, ids, axis=0)"


def test_a_test_fails_where_a_position_is_out_of_range() -> None:
    program = checked(
        'test "beyond" {\n    assert all(take(iota(3), stack([i64(1), i64(3)])) == 0)\n}\n'
    )
    failure = run_test(program, program.root, program.root.tests[0])
    assert failure is not None
    assert failure.message == "take: index 3 is out of range for axis 0 of size 3"
    assert failure.span.text == "take(iota(3), stack([i64(1), i64(3)]))"


def test_dbg_prints_at_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    program = checked(
        'test "t" {\n    let s = fold s = f32(0) for i in 0..3 { dbg(s + i, "s") }\n'
        "    assert s == 3.0\n}\n"
    )
    assert run_test(program, program.root, program.root.tests[0]) is None
    assert capsys.readouterr().err == "s: f32 = 0\ns: f32 = 1\ns: f32 = 3\n"
