"""How a line of source is shown on a terminal: tabs, wide and invisible characters, long lines."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

TAB = 4
# Longer lines are cut around what the labels point at.
WIDEST = 160
_BEFORE = 40
# General categories of characters that would not show, or would disturb what is shown.
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"))


@dataclass(frozen=True, slots=True)
class Shown:
    """`columns[i]` is where character `first + i` of the line begins on the screen; the last
    entry is where the shown text ends."""

    text: str
    columns: tuple[int, ...]
    first: int

    def column(self, index: int) -> int:
        """The screen column of a character of the line, or the nearest that is shown."""
        return self.columns[min(max(index - self.first, 0), len(self.columns) - 1)]


def clean(text: str) -> str:
    """A text of one or more lines with hidden characters escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == "\n" else _cell(c, 0)[0] for c in text)


def show(line: str, low: int = 0, high: int = 0) -> Shown:
    """The line as shown; if it is long, only around the characters [low, high)."""
    first, last = 0, len(line)
    if last > WIDEST:
        first = max(0, min(low - _BEFORE, last - WIDEST))
        last = min(last, first + WIDEST)
    pieces = ["…"] if first else []
    column = len(pieces)
    columns = []
    for character in line[first:last]:
        columns.append(column)
        piece, width = _cell(character, column)
        pieces.append(piece)
        column += width
    columns.append(column)
    if last < len(line):
        pieces.append("…")
    return Shown("".join(pieces), tuple(columns), first)


def _cell(character: str, column: int) -> tuple[str, int]:
    """What is shown for a character that begins at this column, and how wide it is."""
    if " " <= character <= "~":
        return character, 1
    if character == "\t":
        width = TAB - column % TAB
        return " " * width, width
    if unicodedata.category(character) in _HIDDEN:
        code = ord(character)
        escape = f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
        return escape, len(escape)
    if unicodedata.combining(character):
        return character, 0
    return character, 2 if unicodedata.east_asian_width(character) in "WF" else 1
