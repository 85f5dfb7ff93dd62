"""Write a document as lines, with every decision made from left to right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tdsl.syntax.formatting.document import (
    INDENT,
    WIDTH,
    Break,
    Choice,
    Comments,
    Concat,
    Document,
    Flat,
    Group,
    Indent,
    InsertedComma,
    Line,
    Place,
    Text,
    TrailingComment,
    Written,
)
from tdsl.syntax.formatting.pieces import Comment

_OPENING = frozenset("([{")

# Indentation, whether lines are broken, and what to write; the next thing is the last.
_Pending = list[tuple[int, bool, Document]]

# A line of code and the comment behind it.
CodeLine = tuple[str, str | None]


def render(document: Document) -> list[CodeLine]:
    """The lines of a document that begins a line."""
    writer = _Writer()
    pending: _Pending = [(0, True, document)]
    while pending:
        indent, broken, current = pending.pop()
        match current:
            case Text():
                writer.write(current.text, indent)
            case Written():
                piece = current.piece
                writer.comments(piece.before, indent)
                if piece.before and piece.blank_before:
                    writer.blank()
                writer.write(piece.text, indent)
                writer.comment = piece.after
            case Line():
                if broken:
                    writer.end_line()
                else:
                    writer.write(current.text, indent)
            case Break():
                writer.end_line()
                if current.blank:
                    writer.blank()
            case Concat():
                pending += [(indent, broken, part) for part in reversed(current.parts)]
            case Indent():
                pending.append((indent + INDENT, broken, current.content))
            case Flat():
                pending.append((indent, False, current.content))
            case Group() | Choice():
                if not broken:
                    pending.append((indent, False, current.content))
                    continue
                comma = int(bool(pending) and isinstance(pending[-1][2], InsertedComma))
                place = Place(writer.column(indent), indent, _rest(pending), comma)
                if place.fits(current):
                    pending.append((indent, False, current.content))
                elif isinstance(current, Choice):
                    pending.append((indent, True, current.choose(place)))
                else:
                    pending.append((indent, True, current.content))
            case InsertedComma():
                writer.line += ","
            case TrailingComment():
                if current.text is not None:
                    writer.comment = current.text
            case Comments():
                writer.comments(current.comments, indent)
            case _:
                raise AssertionError(f"no way to write {current!r}")
    writer.end_line()
    return writer.lines


class _Writer:
    """The lines so far and the one being written."""

    def __init__(self) -> None:
        self.lines: list[CodeLine] = []
        self.line = ""
        self.comment: str | None = None
        self._opened = True

    def column(self, indent: int) -> int:
        return len(self.line) if self.line and self.comment is None else indent

    def write(self, text: str, indent: int) -> None:
        if self.comment is not None:
            self.end_line()
        if not self.line:
            # Spaces at the start of a line would be those between two parts broken apart.
            text = text.lstrip(" ")
            if not text:
                return
            self.line = " " * indent
        self.line += text

    def end_line(self) -> None:
        line = self.line.rstrip(" ")
        if line or self.comment is not None:
            self._opened = line[-1:] in _OPENING
            self.lines.append((line, self.comment))
        self.line, self.comment = "", None

    def blank(self) -> None:
        """An empty line, unless at the start or after an opening bracket or another."""
        if not self._opened:
            self.lines.append(("", None))
            self._opened = True

    def comments(self, comments: Iterable[Comment], indent: int) -> None:
        for comment in comments:
            self.end_line()
            if comment.blank_before:
                self.blank()
            self.lines.append((" " * indent + comment.text, None))
            self._opened = False


def align(lines: Sequence[CodeLine]) -> list[str]:
    """The lines with their comments, those on adjacent lines under each other."""
    result: list[str] = []
    start = 0
    while start < len(lines):
        end = start + 1
        if lines[start][1] is not None:
            indent = _indent(lines[start][0])
            while (
                end < len(lines) and lines[end][1] is not None and _indent(lines[end][0]) == indent
            ):
                end += 1
        result += _aligned(lines[start:end])
        start = end
    return result


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _aligned(lines: Sequence[CodeLine]) -> list[str]:
    column = max(len(code) for code, _ in lines)
    if any(
        column + 2 + len(comment) > WIDTH >= len(code) + 2 + len(comment)
        for code, comment in lines
        if comment is not None
    ):
        column = 0
    return [code if comment is None else f"{code:<{column}}  {comment}" for code, comment in lines]


def _rest(pending: _Pending) -> int:
    """The width of what stays on the line in any case: up to the first place to break."""
    width = 0
    for entry in reversed(pending):
        inner = [entry]
        while inner:
            indent, broken, current = inner.pop()
            if isinstance(current, Flat):
                broken = False
            if current.first is not None and current.first.before:
                return width
            if not broken:
                if current.flat is None:
                    return width
                width += current.flat
                if current.ends_in_comment:
                    return width
                continue
            match current:
                case Concat():
                    inner += [(indent, True, part) for part in reversed(current.parts)]
                case Choice():
                    inner.append((indent, True, current.least))
                case Group() | Indent():
                    inner.append((indent, True, current.content))
                case Text() | Written() | InsertedComma():
                    width += current.flat or 0
                    if current.ends_in_comment:
                        return width
                case Comments() if not current.comments:
                    pass
                case TrailingComment() if current.text is None:
                    pass
                case _:
                    return width
            if width > WIDTH:
                return width
    return width
