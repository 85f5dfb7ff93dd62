"""Habits of NumPy and PyTorch: the advice names what TDSL has, also where one edit is not enough."""

from __future__ import annotations

import pytest
from check_support import check_text, codes

from tdsl.check.helps import apply_edits

# Program, the advice, and whether it comes with an edit that mends the program.
HABITS: dict[str, tuple[str, str, bool]] = {
    "max of two": ("fn f[N](x: f32[N]) -> f32[N] { max(x, 0) }", "it is `maximum`", True),
    "positional static": (
        ("from std.nn import attention\n"
        "fn f[T, C](x: f32[T, C], w: f32[C, 3*C], b: f32[3*C], v: f32[C, C], c: f32[C])"
        " -> f32[T, C] where 4 divides C { attention(x, w, b, v, c, 4) }"),
        "statics are passed by name, in brackets: `attention[heads=4](…)`",
        False,
    ),
    "positional static before the arrays": (
        ("fn g[N, static H](x: f32[N]) -> f32[N] where H divides N { x }\n"
        "fn f[N, static H](x: f32[N]) -> f32[N] where H divides N { g(H, x) }"),
        "statics are passed by name, in brackets: `g[H=H](…)`",
        False,
    ),
    "weight stored the other way round, after a dot": (
        ("from std.nn import linear\n"
        "struct L[I, O] { w: f32[O, I], b: f32[O] }\n"
        "fn f[T, I, O](x: f32[T, I], p: L[I, O]) -> f32[T, O] { linear(x, p.w, p.b) }"),
        "it fits transposed: `p.w.T`",
        True,
    ),
    "weight transposed in vain": (
        "fn f[T, I, O](x: f32[T, I], w: f32[I, O]) -> f32[T, O] { x @ w.T }",
        "leave out its `.T`",
        True,
    ),
    "weight transposed in vain for a function": (
        ("from std.nn import linear\n"
        "fn f[T, I, O](x: f32[T, I], w: f32[I, O], b: f32[O]) -> f32[T, O] { linear(x, w.T, b) }"),
        "it fits without its `.T`",
        True,
    ),
    "one struct where a list goes": (
        ("struct L[C] { w: f32[C, C] }\n"
        "fn f[T, C](x: f32[T, C], p: L[C]) -> f32[T, C] { fold y = x for l in p { y @ l.w } }"),
        "L of them are a list of the type `[L[C]; L]`",
        False,
    ),
    "size of nothing": (
        "fn f[M, N](x: f32[M]) -> f32[M] { x }", "leave out `N` if nothing needs it", False
    ),
    "mask of padding for all heads and queries": (
        "fn f[B, T, static H](m: bool[B, T]) -> bool[B, H, T, T] { broadcast(m, [B, H, T, T]) }",
        "if its axes are 0, 3 of the result, index it by `[:, newaxis, newaxis, :]`",
        True,
    ),
    "one number for each batch": (
        "fn f[B, static T](m: f32[B]) -> f32[B, T] { broadcast(m, [B, T]) }",
        "if it is axis 0 of the result, index it by `[:, newaxis]`",
        True,
    ),
    "mT": ("fn f[M, N](x: f32[M, N]) -> f32[N, M] { x.mT }", "of a matrix write `.T`", True),
    "mask that heads share": (
        ("from std.nn import masked_softmax\n"
        "fn f[H, Q, N](s: f32[H, Q, N], m: bool[Q, N]) -> f32[H, Q, N] { masked_softmax(s, m) }"),
        "write `broadcast(m, [H, Q, N])`",
        True,
    ),
    "mask of another rank": (
        ("from std.nn import masked_attention\n"
        "fn f[H, N, D](q: f32[H, N, D], m: bool[N, N]) -> f32[H, N, D]"
        " { masked_attention(q, q, q, m) }"),
        "write `broadcast(m, [H, N, N])`",
        True,
    ),
    "bias of rows": (
        "fn f[B, N](x: f32[B, N], bias: f32[B]) -> f32[B, N] { x + bias }",
        "line its axes up: `bias[:, newaxis]`",
        True,
    ),
    "padding mask": (
        ("fn f[B, H, T](s: f32[B, H, T, T], m: bool[B, T]) -> f32[B, H, T, T]"
        " { select(m, s, -1e9) }"),
        "line its axes up: `m[:, newaxis, newaxis, :]`",
        True,
    ),
    "missing import, wrong call": (
        "fn f[N](x: f32[N]) -> f32[N] { softmax(x, axis=-1) }",
        "add `from std.nn import softmax`",
        False,
    ),
    "axis of a library function": (
        "from std.nn import softmax\nfn f[N](x: f32[N]) -> f32[N] { softmax(x, axis=-1) }",
        "work along the last axis: leave out `axis`",
        False,
    ),
    "torch": ("fn f[N](x: f32[N]) -> f32 { torch.sum(x, dim=0) }", "`sum` is a builtin", False),
    "dim": ("fn f[N](x: f32[N]) -> f32 { sum(x, dim=0) }", "did you mean `axis`?", True),
    "keepdim": (
        "fn f[N](x: f32[N]) -> f32[1] { sum(x, keepdim=true) }", "did you mean `keepdims`?", True
    ),
    "ones": ("fn f[N](x: f32[N]) -> f32[N] { x + ones(N) }", "`full([n], 1.0, f32)`", False),
    "std": ("fn f[N](x: f32[N]) -> f32 { std(x) }", "sqrt(mean(d * d, axis=…))", False),
    "masked_fill": (
        "fn f[N](x: f32[N], m: bool[N]) -> f32[N] { x.masked_fill(m, 0.0) }",
        "`select(mask, a, b)`",
        False,
    ),
    "no order of the axes": (
        "fn f[M, N](x: f32[M, N]) -> f32[N, M] { transpose(x) }",
        "a matrix is transposed by `x.T`",
        True,
    ),
    "no order of the axes, after a dot": (
        "fn f[M, N](x: f32[M, N]) -> f32[N, M] { (x + 1).transpose() }",
        "a matrix is transposed by `(x + 1).T`",
        True,
    ),
    "no order of three axes": (
        "fn f[B, M, N](x: f32[B, M, N]) -> f32[N, M, B] { transpose(x) }",
        "the new order of all axes in a list: `transpose(x, [1, 0])`",
        False,
    ),
    "a size as an argument": (
        ("fn f[T, C](x: f32[T, C], H: i32) -> f32[H, T, C//H] "
        "{ transpose(reshape(x, [T, H, C//H]), [1, 0, 2]) }"),
        "make it a static, which callers give by name: `f[T, C, static H]`",
        False,
    ),
    "axes one by one": (
        "fn f[M, N](x: f32[M, N]) -> f32[N, M] { x.transpose(0, 1) }",
        "`transpose(x, [1, 0])`",
        False,
    ),
    "sizes one by one": (
        "fn f[M, N](x: f32[M, N]) -> f32[N, M] { x.reshape(N, M) }",
        "write them as one list: `[N, M]`",
        True,
    ),
    "-1 alone": (
        "fn f[M, N](x: f32[M, N]) -> f32[M*N] { reshape(x, -1) }", "write `[_]`", True
    ),
    "a size alone": ("fn f[N](x: f32[N]) -> f32[N] { x + zeros(N, f32) }", "write `[N]`", True),
    "arrays one by one": (
        "fn f[N](x: f32[N]) -> f32[2*N] { concat(x, x, axis=0) }",
        "write them as one list: `[x, x]`",
        True,
    ),
    "numpy": (
        "import numpy as np\nfn f[N](x: f32[N]) -> f32[N] { x }", "builtins such as `exp`", False
    ),
    "library": (
        "from nn import relu\nfn f[N](x: f32[N]) -> f32[N] { relu(x) }", "mean `std.nn`?", True
    ),
    "two slices": (
        "fn f[N](x: f32[N]) -> f32[N - 1] { x[1:N] - x[0:N] }", "add `where N > 1`", False
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HABITS)
def test_advice_leads_to_the_language(name: str) -> None:
    text, advice, mends = HABITS[name]
    found = check_text(text).diagnostics[0]
    helps = [help_ for help_ in found.helps if advice in help_.text]
    assert helps, found.helps
    assert bool(helps[0].edits) == mends
    if mends:
        mended = apply_edits(found.span.source, helps[0].edits)
        assert codes(check_text(mended.text)) == [], mended.text


def test_a_number_that_is_f64_beside_truth_values_is_no_cast() -> None:
    text = "fn f[T](s: f32[T], m: bool[T]) -> f32[T] { s + m * -1e9 }"
    labels = [label.text for label in check_text(text).diagnostics[0].labels]
    assert "this number is f64 here: it meets no float array" in labels


def test_shape_shows_the_sizes_that_have_names() -> None:
    text = "fn f[M, N](x: f32[M, N]) -> f32[M, N] { x / x.shape[0] }"
    labels = [label.text for label in check_text(text).diagnostics[0].labels]
    assert "this is f32[M, N]" in labels


def test_a_signature_over_several_lines_is_shown_without_gaps() -> None:
    text = (
        "from std.nn import attention\n"
        "fn f[T, C](x: f32[T, C]) -> f32[T, C] { attention(x) }"
    )  # fmt: skip
    notes = check_text(text).diagnostics[0].notes
    assert any("static heads](x: E[T, C]" in note for note in notes), notes
