"""The evaluator against the same programs written in NumPy, and its reports of failed tests."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.modules import check_source
from tdsl.reference.evaluate import evaluate, run_test
from tdsl.reference.failures import AssertionFailure
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution


def checked(text: str) -> typed.Program:
    found = check_source(Source("test.tdsl", "tdsl 0.1\n" + text), None)
    assert found.diagnostics == (), found.diagnostics
    assert found.program is not None
    return found.program


def call(text: str, name: str, *arguments: Any, **parameters: Any) -> Any:
    """Call a function with the value of each of its size, pack and dtype parameters by name."""
    program = checked(text)
    function = program.root.functions[name]
    signature = function.signature
    sizes = {
        symbol: Size.of(parameters[symbol.name.split("//")[0]])
        for parameter in signature.sizes
        for symbol in parameter.value.symbols()
        if symbol.name in parameters
    }
    packs = {p: tuple(map(Size.of, parameters[p.name])) for p in signature.packs}
    dtypes: dict[Any, DType] = {d: DTYPES[parameters[d.name]] for d in signature.dtypes}
    substitution = Substitution(sizes, packs, dtypes)
    return evaluate(program, signature.function, arguments, substitution)


def arrays(*shapes: tuple[int, ...], dtype: Any = np.float32) -> list[Any]:
    random = np.random.default_rng(0)
    return [random.standard_normal(shape).astype(dtype) for shape in shapes]


def test_linear() -> None:
    x, w, b = arrays((2, 3), (3, 4), (4,))
    found = call(
        "fn f[M, K, N](x: f32[M, K], w: f32[K, N], b: f32[N]) -> f32[M, N] { x @ w + b }",
        "f",
        *(x, w, b),
        M=2,
        K=3,
        N=4,
    )
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, x @ w + b, rtol=1e-6)


def test_attention_by_heads() -> None:
    text = """
fn softmax[...S, N](x: f32[...S, N]) -> f32[...S, N] {
    let e = exp(x - max(x, axis=-1, keepdims=true))
    e / sum(e, axis=-1, keepdims=true)
}
fn heads[T, C, static H, D](qkv: f32[T, 3*C]) -> f32[T, C] where C == H * D {
    let [q, k, v] = [transpose(reshape(qkv[:, i*C : (i+1)*C], [T, H, D]), [1, 0, 2]) for i in 0..3]
    let scores = q @ transpose(k, [0, 2, 1]) / sqrt(D) + causal_mask(T, f32)
    reshape(transpose(softmax(scores) @ v, [1, 0, 2]), [T, C])
}
"""
    (qkv,) = arrays((5, 24))
    found = call(text, "heads", qkv, T=5, H=2, D=4)
    q, k, v = (qkv[:, i * 8 : (i + 1) * 8].reshape(5, 2, 4).swapaxes(0, 1) for i in range(3))
    scores = np.einsum("hqd,hkd->hqk", q, k) / 2.0
    scores[:, np.triu(np.ones((5, 5), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    expected = (weights @ v).swapaxes(0, 1).reshape(5, 8)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
def test_dtype_parameters(dtype: str) -> None:
    text = "fn f[E: dtype(float), N](x: E[N]) -> E[N] { 0.5 * x / sum(x * x) + E(N) }"
    x = np.array([1, 2, 3]).astype(DTYPES[dtype].numpy)
    found = call(text, "f", x, E=dtype, N=3)
    assert found.dtype == x.dtype
    expected = 0.5 * np.array([1, 2, 3]) / 14 + 3
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=1e-2)


def test_casts_and_promotion() -> None:
    text = """
fn wide[N](x: f32[N]) -> f64[N] { x / f64(sqrt(N)) }
fn narrow[N](x: f32[N]) -> f32[N] { x / sqrt(N) }
"""
    x = np.array([1, 2], np.float32)
    wide, narrow = call(text, "wide", x, N=2), call(text, "narrow", x, N=2)
    assert wide.dtype == np.float64
    np.testing.assert_array_equal(wide, x / np.sqrt(2))
    np.testing.assert_array_equal(narrow, x / np.float32(np.sqrt(2)))


def test_packs_at_several_ranks() -> None:
    text = "fn f[...S, N](x: f32[...S, N]) -> f32[...S, N] { x - mean(x, axis=-1, keepdims=true) }"
    for shape in ((3,), (2, 3), (2, 1, 4, 3)):
        (x,) = arrays(shape)
        found = call(text, "f", x, S=shape[:-1], N=3)
        np.testing.assert_allclose(found, x - x.mean(-1, keepdims=True), rtol=1e-5, atol=1e-6)


def test_packs_go_through_calls_and_products() -> None:
    text = """
fn inner[...S, K, N](x: f32[...S, K], w: f32[K, N]) -> f32[...S, N] { x @ w }
fn outer[A, B, K, N](x: f32[A, B, K], w: f32[K, N]) -> f32[A, B, N] { inner(x, w) }
"""
    x, w = arrays((2, 3, 4), (4, 5))
    found = call(text, "outer", x, w, A=2, B=3, K=4, N=5)
    np.testing.assert_allclose(found, x @ w, rtol=1e-5)


def test_a_body_leaves_the_axes_of_a_pack_that_a_call_gives_it() -> None:
    text = """
fn inner[...S, K](x: f32[...S, K]) -> f32[...S] { x[..., 0] }
fn outer[A, B, K](x: f32[A, B, K]) -> f32[A, B] { inner(x) }
"""
    (x,) = arrays((2, 3, 4))
    np.testing.assert_array_equal(call(text, "outer", x, A=2, B=3, K=4), x[..., 0])


def test_subscripts() -> None:
    text = """
fn f[M, N](x: f32[M, N]) -> (f32[N], f32, f32[M, 1, N], f32[N]) where 2 <= M, 3 <= N {
    (x[-1], x[1, 2], x[:, newaxis, :], x[M - 1])
}
"""
    (x,) = arrays((4, 5))
    row, item, column, last = call(text, "f", x, M=4, N=5)
    np.testing.assert_array_equal(row, x[-1])
    np.testing.assert_array_equal(item, x[1, 2])
    assert item.shape == ()
    np.testing.assert_array_equal(column, x[:, None, :])
    np.testing.assert_array_equal(last, x[3])


def test_tuples_splits_and_comprehensions() -> None:
    text = """
fn f[T, static H, D](x: f32[T, H*D]) -> (f32[T, H*D], f32[T, D]) {
    let parts = [x[:, h*D : (h+1)*D] * (h + 1) for h in 0..H]
    let pieces = split(x, H, axis=1)
    (concat(parts, axis=-1), pieces[0])
}
"""
    (x,) = arrays((2, 6))
    found = call(text, "f", x, T=2, H=3, D=2)
    assert isinstance(found, tuple)
    np.testing.assert_allclose(found[0], x * np.repeat([1, 2, 3], 2).astype(np.float32))
    np.testing.assert_array_equal(found[1], x[:, :2])


def test_conditionals_on_statics() -> None:
    text = "fn f[N, static H](x: f32[N]) -> f32[N] { if H > 2 { x } else { -x } }"
    (x,) = arrays((3,))
    np.testing.assert_array_equal(call(text, "f", x, N=3, H=3), x)
    np.testing.assert_array_equal(call(text, "f", x, N=3, H=2), -x)


def test_long_programs_do_not_exhaust_the_stack() -> None:
    lets = "\n".join(f"    let a{i + 1} = a{i} + 1.0" for i in range(3000))
    text = f"fn f[N](a0: f64[N]) -> f64[N] {{\n{lets}\n    a3000\n}}"
    assert call(text, "f", np.zeros(1), N=1)[0] == 3000


def test_deep_expressions_do_not_exhaust_the_stack() -> None:
    array = typed.Local(typed.Type, Source("t", "x").span(0, 1), "x", 0)  # type: ignore[arg-type]
    deep: typed.Expression = array
    for _ in range(5000):
        deep = typed.Apply(array.type, array.span, "add", (deep, array), ())
    program = checked("fn f[N](x: f64[N]) -> f64[N] { x }")
    function = program.root.functions["f"]
    changed = replace(function, locals=(array,), body=deep)
    module = typed.Module("m", program.root.source, (), {"f": changed}, {}, (), ())
    found = evaluate(
        typed.Program(module, {function.signature.function.module: module}),
        function.signature.function,
        [np.ones(2)],
    )
    assert found.tolist() == [5001.0, 5001.0]


def test_arguments_are_not_written() -> None:
    (x,) = arrays((3,))
    before = x.copy()
    call("fn f[N](x: f32[N]) -> f32[N] { x * 2 + x }", "f", x, N=3)
    np.testing.assert_array_equal(x, before)


def test_rank_0() -> None:
    found = call("fn f(x: f32, n: i32) -> f64 { x * n }", "f", np.float32(1.5), np.int32(2))
    assert found.shape == ()
    assert found.dtype == np.float64
    assert found == 3.0


def test_bf16_with_a_number_stays_bf16() -> None:
    x = np.array([1.0, 2.0], ml_dtypes.bfloat16)
    found = call("fn f[N](x: bf16[N]) -> bf16[N] { x * 2.0 }", "f", x, N=2)
    assert found.dtype == x.dtype


# --- tests of programs


def failure(body: str) -> AssertionFailure | None:
    program = checked(f'test "t" {{\n{body}\n}}')
    module = program.root
    return run_test(program, module, module.tests[0])


@pytest.mark.parametrize(
    "condition",
    [
        "allclose(f32(1.0), 1.0)",
        "all(iota(3) < 3)",
        "f32(1.0) == 1.0",
        "1 + 1 == 2",
        "allclose(zeros([2, 3], f32), zeros([2, 3], f32))",
    ],
)
def test_assertions_that_hold(condition: str) -> None:
    assert failure(f"assert {condition}") is None


def test_failed_allclose_shows_both_sides_and_the_worst_place() -> None:
    body = '    let x = reshape(f32(iota(6)), [2, 3])\n    assert allclose(x * x, x), "squares"'
    found = failure(body)
    assert found is not None
    assert found.message == "squares"
    assert found.span.line == 4
    assert found.left.tolist() == [[0, 1, 4], [9, 16, 25]]
    assert found.right.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.explanation == (
        "4 of 6 elements fail; worst at [1, 2]",
        "left:  25",
        "right: 5",
        "difference: 20",
        "allowed: 1e-06 + 1e-05 * |right|",
    )


@pytest.mark.parametrize(
    ("condition", "lines"),
    [
        ("i32(2) < 1", ("left:  2", "right: 1", "wanted: left < right")),
        ("i32(1) + 1 == 3", ("left:  2", "right: 3", "difference: 1", "wanted: left == right")),
        (
            "all(iota(3) >= 1)",
            ("1 of 3 elements fail; worst at [0]", "left:  0", "right: 1", "wanted: left >= right"),
        ),
        (
            "allclose(f64(nan), 1.0)",
            ("left:  nan", "right: 1", "difference: nan", "allowed: 1e-12 + 1e-09 * |right|"),
        ),
        ("bool(0) == true", ("left:  false", "right: true", "wanted: left == right")),
        ("isnan(f32(1.0))", ()),
    ],
)
def test_failed_assertions_explain_themselves(condition: str, lines: tuple[str, ...]) -> None:
    found = failure(f"assert {condition}")
    assert found is not None
    assert found.explanation == lines


def test_nan_is_the_worst_place() -> None:
    found = failure(
        "    let x = stack([f32(0.0), f32(nan), f32(9.0)])\n    assert allclose(x, zeros([3], f32))"
    )
    assert found is not None
    assert found.explanation[0] == "2 of 3 elements fail; worst at [1]"


def test_the_first_failure_ends_a_test() -> None:
    found = failure('    assert 1 == 1\n    assert 1 == 2, "first"\n    assert 1 == 3, "second"')
    assert found is not None
    assert found.message == "first"
