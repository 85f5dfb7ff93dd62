"""Any text ends in a tree or in diagnostics with a place inside the text."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError
from tdsl.syntax.dump import dump
from tdsl.syntax.habits import ANYWHERE, AT_START, FOREIGN_SIGNS, LOOKALIKES
from tdsl.syntax.parser import parse_with_warnings
from tdsl.syntax.reading import decode_source
from tdsl.syntax.render import apply_edits, render_json, render_text
from tdsl.syntax.source import Source
from tdsl.syntax.tables import load_tables

PROGRAMS = [
    path.read_text() for path in sorted((Path(__file__).parents[1] / "design").glob("*/*.tdsl"))
]
PIECES = sorted(
    {
        *load_tables().signs, *load_tables().words, *FOREIGN_SIGNS, *ANYWHERE, *AT_START,
        *LOOKALIKES, "x", "f32", "N", "1", "2.5", "1e5", '"text"', '"', "'", "\n", "## doc\n", "# comment\n", "tdsl", "0.1", "\t", "\r\n", "\r", "\0", "é", "数", "\ud800",
        "None", "True", "fn f(x: f32) -> f32 {\n", "}\n",
    }
)  # fmt: skip
# No deadline: the first example pays for the tables.
QUICK = settings(max_examples=200, deadline=None)


def check(source: Source) -> None:
    length = len(source.text)
    diagnostics: tuple[Diagnostic, ...]
    try:
        tree, diagnostics = parse_with_warnings(source)
        assert isinstance(tree, ast.Module)
        dump(tree)
    except DiagnosticError as error:
        diagnostics = error.diagnostics
        assert diagnostics
    for diagnostic in diagnostics:
        spans = [label.span for label in diagnostic.labels]
        for help_ in diagnostic.helps:
            spans += [edit.span for edit in help_.edits]
            apply_edits(source, help_.edits)
        for span in spans:
            assert 0 <= span.start <= span.end <= length
        rendered = render_text(diagnostic)
        assert f"{source.name}:{diagnostic.span.line}:{diagnostic.span.column}" in rendered
        assert all(line.isprintable() for line in rendered.split("\n"))
    render_json(diagnostics)


@QUICK
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["", " "]))
def test_pieces_of_the_language(pieces: list[str], joint: str) -> None:
    check(Source("t", joint.join(pieces)))


@QUICK
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    check(Source("t", text))


@QUICK
@given(st.sampled_from(PROGRAMS), st.data())
def test_a_damaged_program(text: str, data: st.DataObject) -> None:
    """One place of a program that is right is cut out, and something else put in."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    new = data.draw(st.sampled_from(["", *PIECES]))
    check(Source("t", text[:start] + new + text[end:]))


@QUICK
@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    try:
        source = decode_source(data, "t")
    except DiagnosticError as error:
        (diagnostic,) = error.diagnostics
        assert diagnostic.code == "E0116"
        assert diagnostic.span.end <= len(diagnostic.span.source.text)
        render_text(diagnostic)
        return
    check(source)
