"""The design's rejected programs: the code, and what each message must be about."""

from __future__ import annotations

import pytest
from check_support import DESIGN, check_text, only

from tdsl.check.modules import check_file
from tdsl.check.report import Reporter
from tdsl.syntax.diagnostics import Help
from tdsl.syntax.render import render_text
from tdsl.syntax.source import Source

# Per program: the code, and pieces of the rendered message.
CONTENT: dict[str, tuple[str, tuple[str, ...]]] = {
    "e1": (
        "E0302",
        ("`K` and `N` differ", "`K` is bound here", "`N` is bound here", "transpose(w, [1, 0])"),
    ),
    "e2": ("E0405", ("T*C elements against T*H*D", "where C == H*D")),
    "e3": (
        "E0504",
        ("argument `b`", "wants 3*C, found C", "N = 3*C was fixed by this argument", "b: f32[3*C]"),
    ),
    "e4": (
        "E0204",
        (
            "f64[T, T]",
            "the f64 comes from here",
            "f32 / f64 gives f64",
            "sqrt(D)",
            "-> f64[T, T]",
            "f32(sqrt(depth))",
        ),
    ),
    "e5": ("E0401", ("may run past the end", "where T <= N")),
    "e6": ("E0305", ("both operands", "would grow", "[:, newaxis]", "[newaxis, :]")),
    "e7": ("E0404", ("[0, 2, 2] is not a permutation",)),
    "e8": ("E0601", ("`f32[T, C]`", "`f32[T, F]`", "the state starts as")),
    "e9": ("E0506", ("`Q`", "cannot be inferred", "mask[Q=…](0)")),
    "e10": ("E0204", ("`f32[M, N]`", "`f32[N, M]`")),
    "s1": ("E0104", ("`->`", "found `:`")),
}


@pytest.mark.parametrize("name", CONTENT)
def test_it_is_refused_with_one_message_about_the_mistake(name: str) -> None:
    code, pieces = CONTENT[name]
    found = only(check_text((DESIGN / "rejected" / f"{name}.tdsl").read_text()))
    assert found.code == code
    text = render_text(found)
    for piece in pieces:
        assert piece in text, text


def test_all_rejected_programs_are_looked_at() -> None:
    names = {path.stem for path in (DESIGN / "rejected").glob("*.tdsl")}
    assert names == {*CONTENT}


@pytest.mark.parametrize("name", ["attention", "mlp", "gpt2"])
def test_the_designs_programs_are_accepted(name: str) -> None:
    result = check_file(DESIGN / "programs" / f"{name}.tdsl")
    assert result.program is not None
    assert result.diagnostics == ()


NEEDS_TWO = """fn f[N](x: f32[N]) -> f32 where N > 1 { x[1] }
pub fn g[N](x: f32[N], y: f32[N]) -> f32 { f(x) + f(y) + sum(y[:N - 1]) }
"""
SHORTER = """fn f[N](x: f32[N]) -> f32 where N > 1 { x[1] }
pub fn g[N](x: f32[N]) -> f32 where N > 1 { f(x[1:]) }
"""


def test_errors_that_one_clause_mends_ask_for_it_in_the_same_words() -> None:
    found = check_text(NEEDS_TWO).diagnostics
    assert [each.code for each in found] == ["E0507", "E0507", "E0401"]
    for each in found:
        assert [help_.text.partition(";")[0] for help_ in each.helps] == ["add `where N > 1`"]


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        (SHORTER, "N > 2"),
        ("fn f[N](x: f32[5], y: f32[N]) -> f32 { x[N + 1] + y[0] }", "N < 4"),
        ("fn f[N](x: f32[N]) -> f32 { sum(x[N - 1:1]) }", "N < 2"),
        ("fn f[N](x: f32[N]) -> f32 { fold s = f32(0) for i in 1..N - 1 { s + x[i] } }", "N > 2"),
        ("fn f[N, K](x: f32[N], y: f32[K]) -> f32 { x[-K] + y[0] }", "K <= N"),
        ("fn f[N](x: f32[N]) -> f32 { x[2 - N] }", "N > 1"),
        ("fn f[N](x: f32[N]) -> f32 { x[3 - N] }", "N > 1"),
        ("fn f[N](x: f32[N]) -> f32 { x[-N - 1] }", ""),
        ("fn f[N](x: f32[N]) -> f32 { x[N] }", ""),
        ("fn f[N](x: f32[N]) -> f32[N] { x[1:N - N + 1] + x }", ""),
        ("fn f[N](x: f32[N]) -> f32[N] { x[:N + 1] }", ""),
    ],
)
def test_a_clause_that_helps_has_its_numbers_on_the_right(text: str, clause: str) -> None:
    helps = [help_.text for help_ in only(check_text(text)).helps if "where" in help_.text]
    assert [each.partition(";")[0] for each in helps] == [f"add `where {clause}`"] * bool(clause)


def test_a_help_is_said_once() -> None:
    reporter = Reporter()
    span = Source("m.tdsl", "x").span(0, 1)
    reporter.report("E0401", "a mistake", span, helps=[Help("one"), Help("two"), Help("one")])
    (found,) = reporter.in_order()
    assert [help_.text for help_ in found.helps] == ["one", "two"]


def test_a_body_that_is_checked_once_an_item_says_the_same_once() -> None:
    # Not an unknown name: of that the function itself remembers that it was told.
    text = "fn f[N, M](x: f32[N], y: f32[M]) -> [f32[N]; 3] { [x + y for i in 0..3] }"
    assert [found.code for found in check_text(text).diagnostics] == ["E0304"]


@pytest.mark.parametrize(
    ("left", "note"),
    [
        ("M, K", "batch axes must be equal on both sides, exactly; a batch of 1 is not stretched"),
        ("K", "batch axes must be equal on both sides"),
    ],
)
def test_a_batch_on_one_side_alone_is_told_with_both_types(left: str, note: str) -> None:
    text = (
        f"fn f[B, M, K, N](x: f32[{left}], y: f32[M], w: f32[B, K, N]) -> f32[B, M, N] {{ x @ w }}"
    )
    found = only(check_text(text))
    assert found.code == "E0303"
    assert f"cannot multiply `f32[{left}]` by `f32[B, K, N]`" in found.message
    assert note in found.notes
