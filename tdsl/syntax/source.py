"""Source text and positions in it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

import msgspec


class Source(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One text with the name it is shown under. Compared by identity."""

    name: str
    text: str

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        return (0, *(i + 1 for i, character in enumerate(self.text) if character == "\n"))

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column (in characters) of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The 1-based line, without its line end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span(self, start: int, end: int) -> Span:
        return Span(self, start, end)


class Span(msgspec.Struct, frozen=True):
    """The characters [start, end) of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.source.line_and_column(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.line_and_column(self.start)[1]

    @property
    def end_line(self) -> int:
        return self.source.line_and_column(self.end)[0]

    @property
    def end_column(self) -> int:
        """The column just past the last character."""
        return self.source.line_and_column(self.end)[1]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of the other."""
        return Span(self.source, self.start, max(self.end, other.end))

    def __repr__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"
