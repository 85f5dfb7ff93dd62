"""What newcomers from NumPy write first: the advice is tried, and is what they meant."""

from __future__ import annotations

import pytest
from check_support import check_text

from tdsl.check.helps import apply_edits
from tdsl.syntax.source import Source


def mended(text: str, help_: str) -> str:
    """The text after the edit of the help that begins so; it must be right then."""
    result = check_text(text)
    (error,) = [d for d in result.diagnostics if d.severity == "error"]
    found = next(one for one in error.helps if one.text.startswith(help_))
    assert found.edits, found
    source = error.span.source
    changed = apply_edits(source, found.edits).text
    again = check_text(Source("m.tdsl", changed).text)
    assert not [d for d in again.diagnostics if d.severity == "error"], changed
    return changed


@pytest.mark.parametrize(
    ("signature", "body", "help_", "wanted"),
    [
        ("[N](x: f32[N]) -> f32[N]", "x[x > 0]", "to keep the shape", "select(x > 0, x, 0)"),
        (
            "[N, M](x: f32[N, M], m: bool[N]) -> f32[N, M]",
            "x[m]",
            "to keep the shape",
            "select(m[:, newaxis], x, 0)",
        ),
        (
            "[N, M](x: f32[N, M], y: f32[N]) -> f32[N, M]",
            "x[y > 1]",
            "to keep the shape",
            "select((y > 1)[:, newaxis], x, 0)",
        ),
        ("[N](x: bool[N]) -> bool[N]", "x[x]", "to keep the shape", "select(x, x, false)"),
        ("[N](x: f32[N], y: f32[N]) -> f32", "x.T @ y", "leave it out", "x @ y"),
        (
            "[N, M](x: f32[N, M]) -> f32[N]",
            "sum(x, axis=0)",
            "reduce another axis: `sum(x, axis=1)`",
            "sum(x, axis=1)",
        ),
        (
            "[B, N, M](x: f32[B, N, M]) -> f32[B, M]",
            "max(x, axis=-1)",
            "reduce another axis: `max(x, axis=-2)`",
            "max(x, axis=-2)",
        ),
        (
            "[N, M](x: f32[N, M], b: f32[N]) -> f32[N]",
            "mean(x, axis=0) * b",
            "reduce another axis",
            "mean(x, axis=1) * b",
        ),
        (
            "[N, M](x: f32[N, M]) -> f32[N]",
            "let s = sum(x, axis=0)\n    x[:, 0] + s",
            "reduce another axis",
            "let s = sum(x, axis=1)\n    x[:, 0] + s",
        ),
        (
            "[N, M](x: f32[N, M]) -> f32[N, M]",
            "let m = mean(x, axis=1)\n    x - m",
            "keep the axis that is reduced",
            "let m = mean(x, axis=1, keepdims=true)\n    x - m",
        ),
    ],
)
def test_the_advice_is_right(signature: str, body: str, help_: str, wanted: str) -> None:
    text = f"fn f{signature} {{\n    {body}\n}}\n"
    assert mended(text, help_).endswith(text.replace(body, wanted))


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("fn f[N](x: [f32[N]]) -> f32[N]", "fn f[N, L](x: [f32[N]; L]) -> f32[N]"),
        ("fn f(x: [f32]) -> f32", "fn f[L](x: [f32; L]) -> f32"),
        (
            "fn f[N, L](x: [f32[N, L]]) -> f32[N, L]",
            "fn f[N, L, K](x: [f32[N, L]; K]) -> f32[N, L]",
        ),
    ],
)
def test_a_list_without_its_length(head: str, wanted: str) -> None:
    text = mended(f"{head} {{ x[0] }}\n", "give it one: a size")
    assert wanted in text


def test_where_no_axis_is_missing_none_is_kept() -> None:
    """Reducing another axis is no advice where only the axis that is dropped is missing."""
    result = check_text("fn f[N, M](x: f32[N, M]) -> f32[N, M] { x - mean(x, axis=1) }\n")
    (error,) = result.diagnostics
    texts = [help_.text for help_ in error.helps]
    assert texts[0].startswith("keep the axis")
    assert not any(text.startswith("reduce another axis") for text in texts)


def test_a_mask_among_other_indices() -> None:
    result = check_text("fn f[N, M](x: f32[N, M], m: bool[N]) -> f32[N] { x[m, 0] }\n")
    (error,) = result.diagnostics
    assert "a mask picks a number of elements" in error.message
    assert not any("take(" in help_.text for help_ in error.helps)
