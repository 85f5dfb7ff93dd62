"""Render diagnostics: as text for people, as JSON for tools; apply the edits they offer.

The JSON is `{"version": 1, "diagnostics": [...]}`. A diagnostic has `code`, `severity` ("error" or
"warning"), `title` (of the code), `message`, `labels`, `notes` and `helps`. A label has `primary`,
`text` and a place: `file`, `start`, `end`, each position with `offset`, `line` and `column`
(characters; line and column count from 1; `end` is just past). A help has `text` and `edits`, each
a place and its `replacement`. New keys may be added; these stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tdsl.syntax.canvas import Canvas, Row
from tdsl.syntax.codes import CODES
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.display import clean, show
from tdsl.syntax.source import Source, Span

_SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow"}


def render_text(diagnostic: Diagnostic, colour: bool = False) -> str:
    """The diagnostic as people read it, without a newline at the end."""
    style = _SEVERITY_STYLE[diagnostic.severity]
    edited = [
        block for help_ in diagnostic.helps for block in _edited_lines(help_.edits)
    ]  # rendered first: their line numbers share the margin's width
    numbers = [label.span.end_line for label in diagnostic.labels]
    numbers += [number for _, rows in edited for number, _, _ in rows]
    canvas = Canvas(margin=len(str(max(numbers))), colour=colour)
    canvas.line(
        (f"{diagnostic.severity}[{diagnostic.code}]", style),
        (f": {clean(diagnostic.message)}", "bold"),
    )
    by_source: dict[int, list[Label]] = {}
    for label in diagnostic.labels:
        by_source.setdefault(id(label.span.source), []).append(label)
    for index, labels in enumerate(by_source.values()):
        span = labels[0].span
        arrow = "--> " if index == 0 else "::: "
        place = f"{clean(span.source.name)}:{span.line}:{span.column}"
        canvas.line((" " * canvas.margin + arrow, "bold blue"), (place, ""))
        canvas.gutter()
        _snippet(canvas, labels, diagnostic.labels[0], style)
    if diagnostic.notes or diagnostic.helps:
        canvas.gutter()
    for note in diagnostic.notes:
        first, *more = clean(note).split("\n")
        canvas.note("= ", ("note", "bold"), (f": {first}", ""))
        for text in more:
            canvas.note("        ", (text, ""))
    for help_ in diagnostic.helps:
        _help(canvas, help_, diagnostic.span.source)
    return canvas.text()


def _snippet(canvas: Canvas, labels: Sequence[Label], primary: Label, style: str) -> None:
    """The lines that the labels of one source touch, marked."""
    source = labels[0].span.source
    wide = next((label for label in labels if _is_multiline(label.span)), None)
    marks: dict[int, list[tuple[int, int, Label]]] = {}
    lines: set[int] = set()
    for label in labels:
        span = label.span
        line = span.line
        lines.add(line)
        if label is wide:
            lines.add(_last_line(span))
            continue
        # Of several spans over more than one line, only the first has its end shown.
        end = span.end_column if span.end_line == line else len(source.line_text(line)) + 1
        marks.setdefault(line, []).append((span.column - 1, end - 1, label))
    ordered = sorted(lines)
    for previous, line in zip([0, *ordered], ordered, strict=False):
        if previous and line - previous == 2:
            _source_line(canvas, source, line - 1, [], wide, primary, style)
        elif previous and line - previous > 2:
            inside = wide is not None and wide.span.line < line <= _last_line(wide.span)
            bar = " " * canvas.margin + "|" if inside else ""
            canvas.line((f"...{bar}", "bold blue"))
        _source_line(canvas, source, line, marks.get(line, []), wide, primary, style)


def _source_line(
    canvas: Canvas,
    source: Source,
    line: int,
    marks: list[tuple[int, int, Label]],
    wide: Label | None,
    primary: Label,
    style: str,
) -> None:
    text = source.line_text(line)
    low = min((start for start, _, _ in marks), default=0)
    high = max((end for _, end, _ in marks), default=0)
    shown = show(text, low, high)
    indent = 0
    bar = wide_style = ""
    first = last = 0
    if wide is not None:
        # A bar in a column of its own joins the first and the last line of the span.
        indent = 2
        first, last = wide.span.line, _last_line(wide.span)
        wide_style = style if wide is primary else "bold blue"
        bar = "| " if first < line <= last else ""
    row = Row()
    opening = wide is not None and line == first
    at_margin = opening and wide is not None and not text[: wide.span.column - 1].strip()
    row.put(0, "/ " if at_margin else bar, wide_style)
    row.put(indent, shown.text, "")
    canvas.numbered(line, row)
    if opening and wide is not None and not at_margin:
        reach = indent + shown.column(wide.span.column - 1)
        row = Row()
        row.put(1, "_" * (reach - 1) + ("^" if wide is primary else "-"), wide_style)
        canvas.gutter(row)
        bar = "| "
    elif at_margin:
        bar = "| "
    placed = [
        (
            indent + shown.column(start),
            max(indent + shown.column(end), indent + shown.column(start) + 1),
            label,
        )
        for start, end, label in marks
    ]
    for row in _underlines(placed, primary, style):
        row.put(0, bar, wide_style)
        canvas.gutter(row)
    if wide is not None and line == last:
        end = wide.span.end_column if wide.span.end_line == last else len(text) + 1
        reach = max(indent + shown.column(max(end - 2, 0)), 2)
        row = Row()
        row.put(0, "|" + "_" * (reach - 1) + ("^" if wide is primary else "-"), wide_style)
        row.put(reach + 2, clean(wide.text), wide_style)
        canvas.gutter(row)


def _underlines(marks: list[tuple[int, int, Label]], primary: Label, style: str) -> list[Row]:
    """The rows below a line: underlines, then each text on a row of its own, right to left; the
    rightmost stands beside its underline if no other mark is in its way."""
    if not marks:
        return []

    def look(label: Label) -> str:
        return style if label is primary else "bold blue"

    underline = Row()
    # Shorter marks are drawn over longer ones.
    for start, end, label in sorted(marks, key=lambda m: (m[0] - m[1], m[2] is primary)):
        underline.put(start, ("^" if label is primary else "-") * (end - start), look(label))
    rows = [underline]
    texts = sorted(
        ((start, end, label) for start, end, label in marks if label.text),
        key=lambda mark: (mark[0], mark[2] is primary),
    )
    if texts:
        start, end, label = texts[-1]
        if all(other is label or stop <= start for _, stop, other in marks):
            underline.put(end + 1, clean(label.text), look(label))
            texts.pop()
    if texts:
        rows.append(_connectors(texts, look))
    while texts:
        start, _, label = texts.pop()
        row = _connectors([mark for mark in texts if mark[0] < start], look)
        row.put(start, clean(label.text), look(label))
        rows.append(row)
    return rows


def _connectors(marks: Sequence[tuple[int, int, Label]], look: Any) -> Row:
    row = Row()
    for start, _, label in marks:
        row.put(start, "|", look(label))
    return row


def _help(canvas: Canvas, help_: Help, main: Source) -> None:
    first, *more = clean(help_.text).split("\n")
    canvas.line(("help", "bold cyan"), (f": {first}", ""))
    for text in more:
        canvas.line((f"      {text}", ""))
    for source, rows in _edited_lines(help_.edits):
        if source is not main:
            canvas.line((" " * canvas.margin + "::: ", "bold blue"), (clean(source.name), ""))
        canvas.gutter()
        for number, sign, row in rows:
            if not sign:
                canvas.gutter(row)
            else:
                canvas.numbered(number, row, sign)


def _edited_lines(edits: Sequence[Edit]) -> list[tuple[Source, list[tuple[int, str, Row]]]]:
    """For each source the lines after the edits: line number, sign before the text, text.

    Insertions are marked `+`, replacements `~` in a row below, which has no sign of its own;
    where text vanishes or line ends change, old lines are shown with `-` and new ones with `+`.
    """
    by_source: dict[int, list[Edit]] = {}
    for edit in edits:
        by_source.setdefault(id(edit.span.source), []).append(edit)
    result = []
    for group in by_source.values():
        source = group[0].span.source
        rows: list[tuple[int, str, Row]] = []
        for cluster in _clusters(sorted(group, key=lambda edit: edit.span.start)):
            rows += _edited_cluster(source, cluster)
        result.append((source, rows))
    return result


def _clusters(edits: Sequence[Edit]) -> list[list[Edit]]:
    """Edits that touch a common line belong together."""
    clusters: list[list[Edit]] = []
    for edit in edits:
        if clusters and clusters[-1][-1].span.end_line >= edit.span.line:
            clusters[-1].append(edit)
        else:
            clusters.append([edit])
    return clusters


def _edited_cluster(source: Source, edits: Sequence[Edit]) -> list[tuple[int, str, Row]]:
    first, last = edits[0].span.line, edits[-1].span.end_line
    start = source.line_starts[first - 1]
    end = source.line_starts[last - 1] + len(source.line_text(last))
    new, marks, position = "", [], start
    for edit in edits:
        new += source.text[position : edit.span.start]
        mark = "~" if edit.span.end > edit.span.start else "+"
        marks.append((len(new), len(new) + len(edit.replacement), mark))
        new += edit.replacement
        position = edit.span.end
    new += source.text[position:end]
    simple = first == last and "\n" not in new and all(edit.replacement for edit in edits)
    if simple:
        shown = show(new, marks[0][0], marks[-1][1])
        text, below = Row(), Row()
        text.put(0, shown.text, "")
        for low, high, mark in marks:
            width = shown.column(high) - shown.column(low)
            style = "green" if mark == "+" else "yellow"
            below.put(shown.column(low), mark * width, style)
        return [(first, "|", text), (first, "", below)]
    rows = []
    for number in range(first, last + 1):
        rows.append((number, "-", _plain(source.line_text(number), "red")))
    for offset, line in enumerate(new.split("\n")):
        rows.append((first + offset, "+", _plain(line.rstrip("\r"), "green")))
    return rows


def _plain(line: str, style: str) -> Row:
    row = Row()
    row.put(0, show(line).text, style)
    return row


def _is_multiline(span: Span) -> bool:
    return _last_line(span) > span.line


def _last_line(span: Span) -> int:
    """The line of the last character; a line end at the end of the span does not count."""
    end = max(span.start, span.end - 1)
    return span.source.line_and_column(end)[0]


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics as one JSON text; the shape is described at the top of this file."""
    data = {"version": 1, "diagnostics": [_as_data(diagnostic) for diagnostic in diagnostics]}
    return json.dumps(data, indent=2)


def _as_data(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "title": CODES[diagnostic.code].title,
        "message": diagnostic.message,
        "labels": [
            {"primary": index == 0, "text": label.text, **_place(label.span)}
            for index, label in enumerate(diagnostic.labels)
        ],
        "notes": list(diagnostic.notes),
        "helps": [
            {
                "text": help_.text,
                "edits": [
                    {**_place(edit.span), "replacement": edit.replacement} for edit in help_.edits
                ],
            }
            for help_ in diagnostic.helps
        ],
    }


def _place(span: Span) -> dict[str, Any]:
    def position(offset: int) -> dict[str, int]:
        line, column = span.source.line_and_column(offset)
        return {"offset": offset, "line": line, "column": column}

    return {
        "file": span.source.name,
        "start": position(span.start),
        "end": position(span.end),
    }


def apply_edits(source: Source, edits: Iterable[Edit]) -> str:
    """The text of the source after the edits that concern it; they must not overlap."""
    result, position = [], 0
    own = (edit for edit in edits if edit.span.source is source)
    for edit in sorted(own, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < position:
            raise ValueError("edits overlap")
        result += [source.text[position : edit.span.start], edit.replacement]
        position = edit.span.end
    return "".join([*result, source.text[position:]])
