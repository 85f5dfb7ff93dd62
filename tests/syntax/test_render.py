"""How diagnostics look: the marks, the stacking of texts, edits, odd characters, JSON."""

from __future__ import annotations

import json
import re

import pytest

from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.render import apply_edits, render_json, render_text
from tdsl.syntax.source import Source, Span


def at(source: Source, text: str, skip: int = 0) -> Span:
    """The place of a text that occurs after so many others of its kind."""
    start = -1
    for _ in range(skip + 1):
        start = source.text.index(text, start + 1)
    return source.span(start, start + len(text))


def shown(diagnostic: Diagnostic) -> str:
    return "\n" + render_text(diagnostic) + "\n"


MODEL = Source(
    "model.tdsl",
    "tdsl 0.1\n"
    "pub fn linear[M, K, N](x: f32[M, K], w: f32[N, K], b: f32[N]) -> f32[M, N] {\n"
    "    x @ w + b\n"
    "}\n",
)


def product() -> Diagnostic:
    """The first message of the design's page on diagnostics."""
    right = at(MODEL, "w", 1)
    return Diagnostic(
        "E0302",
        "cannot multiply `f32[M, K]` by `f32[N, K]`: contracted sizes `K` and `N` differ",
        (
            Label(at(MODEL, "x @ w")),
            Label(at(MODEL, "x", 1), "f32[M, K]: its last axis is K"),
            Label(right, "f32[N, K]: its first axis is N"),
            Label(at(MODEL, "K", 1), "`K` is bound here"),
            Label(at(MODEL, "N", 1), "`N` is bound here"),
        ),
        notes=("`@` contracts the last axis of the left with the first axis of the right",),
        helps=(
            Help(
                "the right side has K as its other axis; transpose it",
                (
                    Edit(MODEL.span(right.start, right.start), "transpose("),
                    Edit(MODEL.span(right.end, right.end), ", [1, 0])"),
                ),
            ),
        ),
    )


def test_the_first_message_of_the_design() -> None:
    assert (
        shown(product())
        == """
error[E0302]: cannot multiply `f32[M, K]` by `f32[N, K]`: contracted sizes `K` and `N` differ
 --> model.tdsl:3:5
  |
2 | pub fn linear[M, K, N](x: f32[M, K], w: f32[N, K], b: f32[N]) -> f32[M, N] {
  |                                  -          - `N` is bound here
  |                                  |
  |                                  `K` is bound here
3 |     x @ w + b
  |     -^^^-
  |     |   |
  |     |   f32[N, K]: its first axis is N
  |     f32[M, K]: its last axis is K
  |
  = note: `@` contracts the last axis of the left with the first axis of the right
help: the right side has K as its other axis; transpose it
  |
3 |     x @ transpose(w, [1, 0]) + b
  |         ++++++++++ +++++++++
"""
    )


def test_the_edit_of_the_first_message_applies() -> None:
    assert "x @ transpose(w, [1, 0]) + b" in apply_edits(MODEL, product().helps[0].edits)


def test_the_rightmost_text_stands_beside_its_mark() -> None:
    source = Source("q.tdsl", "a\n    linear(x, w, b)\n")
    diagnostic = Diagnostic(
        "E0504",
        "wrong size",
        (Label(at(source, "b"), "this is f32[C]"), Label(at(source, "w"), "N was fixed here")),
        helps=(Help("declare `b: f32[3*C]`"), Help("or leave it")),
    )
    assert (
        shown(diagnostic)
        == """
error[E0504]: wrong size
 --> q.tdsl:2:18
  |
2 |     linear(x, w, b)
  |               -  ^ this is f32[C]
  |               |
  |               N was fixed here
  |
help: declare `b: f32[3*C]`
help: or leave it
"""
    )


def test_lines_between_are_left_out_or_shown() -> None:
    source = Source("a", "".join(f"line{n}\n" for n in range(1, 13)))
    labels = [Label(at(source, f"line{n}"), f"label {n}") for n in (9, 1, 3, 10)]
    # `line1` also begins `line10`: its first occurrence is meant.
    assert (
        shown(Diagnostic("E0201", "m", tuple(labels)))
        == """
error[E0201]: m
  --> a:9:1
   |
 1 | line1
   | ----- label 1
 2 | line2
 3 | line3
   | ----- label 3
...
 9 | line9
   | ^^^^^ label 9
10 | line10
   | ------ label 10
"""
    )


def test_a_span_of_several_lines() -> None:
    source = Source("a", "let x = fold y = z {\n  a\n  b\n  c\n} + 1\n")
    span = source.span(source.text.index("fold"), source.text.index("}") + 1)
    diagnostic = Diagnostic("E0601", "m", (Label(span, "this"), Label(at(source, "y"), "state")))
    assert (
        shown(diagnostic)
        == """
error[E0601]: m
 --> a:1:9
  |
1 |   let x = fold y = z {
  |  _________^
  | |              - state
... |
5 | | } + 1
  | |_^ this
"""
    )
    from_margin = Diagnostic("E0601", "m", (Label(source.span(0, span.end), "all"),))
    assert (
        shown(from_margin)
        == """
error[E0601]: m
 --> a:1:1
  |
1 | / let x = fold y = z {
... |
5 | | } + 1
  | |_^ all
"""
    )


def test_replacements_and_removals() -> None:
    source = Source("a", "def f(x) {\n  x[::2]\n}\n")
    diagnostic = Diagnostic(
        "E0108",
        "m",
        (Label(at(source, "def")),),
        helps=(
            Help("replace", (Edit(at(source, "def"), "fn"),)),
            Help("remove", (Edit(at(source, ":2"), ""),)),
            Help("break", (Edit(at(source, " {"), "\n{"),)),
        ),
    )
    assert (
        shown(diagnostic)
        == """
error[E0108]: m
 --> a:1:1
  |
1 | def f(x) {
  | ^^^
  |
help: replace
  |
1 | fn f(x) {
  | ~~
help: remove
  |
2 -   x[::2]
2 +   x[:]
help: break
  |
1 - def f(x) {
1 + def f(x)
2 + {
"""
    )


def test_wide_narrow_and_hidden_characters_keep_the_marks_in_place() -> None:
    source = Source("a", '\tlet s = "数é" + x\x00 + y\u202e + e\u0301 + z\n')
    labels = tuple(Label(at(source, name)) for name in ("z", "x", "y"))
    text = render_text(Diagnostic("E0801", "m", labels))
    line, marks = text.split("\n")[3:5]
    assert "\t" not in line
    assert "x\\x00 + y\\u{202e}" in line
    # Count screen columns: the two-column character, the zero-column accent.
    columns = line.replace("数", "##").replace("\u0301", "")
    assert [columns[i] for i, mark in enumerate(marks) if mark in "^-"] == ["x", "y", "z"]


def test_hidden_characters_in_a_message_are_escaped() -> None:
    text = render_text(
        Diagnostic("E0101", "a\x1b[31m \ud800", (Label(Source("t", "x").span(0, 1)),))
    )
    assert "\x1b" not in text
    text.encode()


def test_long_lines_are_cut_around_the_mark() -> None:
    source = Source("a", "x" * 5000 + " here " + "y" * 5000)
    text = render_text(Diagnostic("E0101", "m", (Label(at(source, "here"), "this"),)))
    line, marks = text.split("\n")[3:5]
    assert len(line) < 180
    assert line[marks.index("^") : marks.index("^") + 4] == "here"
    assert line.startswith("1 | …")
    assert line.endswith("…")


def test_a_place_at_the_end_and_an_empty_file() -> None:
    for text in ("", "a", "a\n"):
        source = Source("t", text)
        rendered = render_text(
            Diagnostic("E0102", "m", (Label(source.span(len(text), len(text))),))
        )
        assert "^" in rendered


def test_several_sources() -> None:
    other = Source("std/nn.tdsl", "one\ntwo\n")
    diagnostic = Diagnostic(
        "E0504", "m", (Label(at(MODEL, "x @ w"), "here"), Label(at(other, "two"), "declared here"))
    )
    assert (
        shown(diagnostic)
        == """
error[E0504]: m
 --> model.tdsl:3:5
  |
3 |     x @ w + b
  |     ^^^^^ here
 ::: std/nn.tdsl:2:1
  |
2 | two
  | --- declared here
"""
    )


def test_colour_changes_nothing_but_colour() -> None:
    plain, coloured = render_text(product()), render_text(product(), colour=True)
    assert "\x1b" not in plain
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_warnings_say_so() -> None:
    text = render_text(Diagnostic("W0002", "m", (Label(MODEL.span(0, 0)),)))
    assert text.startswith("warning[W0002]: m")


def test_json_holds_the_same_data() -> None:
    data = json.loads(render_json([product()]))
    assert data["version"] == 1
    (diagnostic,) = data["diagnostics"]
    assert list(diagnostic) == [
        "code", "severity", "title", "message", "labels", "notes", "helps",
    ]  # fmt: skip
    assert diagnostic["code"] == "E0302"
    assert diagnostic["severity"] == "error"
    first, second = diagnostic["labels"][:2]
    start = MODEL.text.index("x @ w")
    assert first == {
        "primary": True,
        "text": "",
        "file": "model.tdsl",
        "start": {"offset": start, "line": 3, "column": 5},
        "end": {"offset": start + 5, "line": 3, "column": 10},
    }
    assert second["primary"] is False
    edit = diagnostic["helps"][0]["edits"][0]
    assert edit["replacement"] == "transpose("
    assert edit["start"] == edit["end"]
    assert diagnostic["notes"] == list(product().notes)


def test_edits_must_not_overlap() -> None:
    source = Source("a", "abcdef")
    edits = [Edit(source.span(1, 4), "x"), Edit(source.span(3, 5), "y")]
    with pytest.raises(ValueError, match="overlap"):
        apply_edits(source, edits)
    edits = [
        Edit(source.span(4, 5), "y"),
        Edit(source.span(0, 0), "x"),
        Edit(source.span(0, 1), ""),
    ]
    assert apply_edits(source, edits) == "xbcdyf"
