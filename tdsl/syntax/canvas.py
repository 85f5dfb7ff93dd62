"""Rows of styled characters with a margin of line numbers: what rendering draws on."""

from __future__ import annotations


class Row:
    """Characters placed at columns; later ones cover earlier ones."""

    def __init__(self) -> None:
        self._cells: list[tuple[str, str]] = []

    def put(self, column: int, text: str, style: str) -> None:
        missing = column + len(text) - len(self._cells)
        if text and missing > 0:
            self._cells += [(" ", "")] * missing
        for offset, character in enumerate(text):
            self._cells[column + offset] = (character, style)

    def pieces(self) -> list[tuple[str, str]]:
        """Runs of one style; spaces at the end are left out."""
        cells = list(self._cells)
        while cells and cells[-1][0] == " ":
            cells.pop()
        runs: list[tuple[str, str]] = []
        for character, style in cells:
            if runs and (runs[-1][1] == style):
                runs[-1] = (runs[-1][0] + character, style)
            else:
                runs.append((character, style))
        return runs


class Canvas:
    """Collects lines; styles become terminal colours only if asked for."""

    def __init__(self, margin: int, colour: bool) -> None:
        self.margin = margin
        self._colour = colour
        self._lines: list[str] = []

    def line(self, *pieces: tuple[str, str]) -> None:
        self._lines.append("".join(self._paint(text, style) for text, style in pieces))

    def gutter(self, row: Row | None = None) -> None:
        """A row without a line number."""
        self._ruled(" " * self.margin, row or Row(), "|")

    def numbered(self, number: int, row: Row, sign: str = "|") -> None:
        self._ruled(f"{number:>{self.margin}}", row, sign)

    def note(self, sign: str, *pieces: tuple[str, str]) -> None:
        self.line((" " * (self.margin + 1) + sign, "bold blue"), *pieces)

    def text(self) -> str:
        return "\n".join(self._lines)

    def _ruled(self, margin: str, row: Row, sign: str) -> None:
        pieces = row.pieces()
        style = {"+": "green", "-": "red"}.get(sign, "bold blue")
        self.line((f"{margin} ", "bold blue"), (sign, style), (" " if pieces else "", ""), *pieces)

    def _paint(self, text: str, style: str) -> str:
        if not (self._colour and style and text.strip()):
            return text
        # Imported here: most runs draw no colour.
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)
