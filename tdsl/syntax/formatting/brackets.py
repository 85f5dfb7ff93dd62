"""Lists in brackets: on one line, on one line of their own, in the author's rows, or one a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tdsl.syntax.formatting.document import (
    INDENT,
    WIDTH,
    Break,
    Choice,
    Comments,
    Concat,
    Document,
    Indent,
    InsertedComma,
    Line,
    Place,
    Text,
    Written,
    begins_line,
    without_comments_before,
)
from tdsl.syntax.formatting.pieces import Piece
from tdsl.syntax.formatting.tree import Node

_SPACE = Text(" ")


class Listing:
    """Brackets around items with commas between."""

    def __init__(
        self,
        opening: Piece,
        inner: Sequence[Node | Piece],
        closing: Piece,
        comma_kept: bool = False,
    ) -> None:
        """`comma_kept`: the last comma means something, as in a tuple of one."""
        self.opening = opening
        self.closing = closing
        self.items = [child.document for child in inner if isinstance(child, Node)]
        self.commas = [Written(child) for child in inner if isinstance(child, Piece)]
        self.comma_kept = comma_kept
        self._least = Concat((Written(opening), Line(""))) if self.items else None
        self.document = self._document()

    @property
    def _last_comma(self) -> Written | None:
        return self.commas[-1] if self.items and len(self.commas) == len(self.items) else None

    def _document(self) -> Document:
        last = self._last_comma
        keep = last is not None and (self.comma_kept or last.piece.commented)
        content = Concat(
            (Written(self.opening), self._row(range(len(self.items)), keep), Written(self.closing))
        )
        return Choice(content, self.broken, self._least)

    def forced(self) -> Document:
        """Broken, whether it fits or not."""
        return Choice(Concat((self.document, Break())), self.broken, self._least)

    def broken(self, place: Place) -> Document:
        count = len(self.items)
        last = self._last_comma
        keep = last is not None and (self.comma_kept or last.piece.commented)
        rows = [self._row(row, row.stop < count or keep) for row in self._author_rows()]
        fit = all(
            row.flat is not None and place.indent + INDENT + row.flat <= WIDTH for row in rows
        )
        if count and (not fit or 1 < len(rows) == count):
            rows = [
                self._row(range(i, i + 1), i + 1 < count or last is not None) for i in range(count)
            ]
            if last is None:
                rows[-1] = Concat((rows[-1], InsertedComma()))
        lines: list[Document] = []
        for row in rows:
            lines += (Break(), row)
        return Concat(
            (
                Written(self.opening),
                Indent(Concat((*lines, Comments(self.closing.before)))),
                Break(),
                Written(without_comments_before(self.closing)),
            )
        )

    def _author_rows(self) -> list[range]:
        """The items by the lines on which the author put them."""
        count = len(self.items)
        begins = (i for i in range(1, count) if begins_line(self.items[i]))
        edges = [0, *begins, count]
        return [range(a, b) for a, b in pairwise(edges)]

    def _row(self, indices: range, comma_after: bool) -> Document:
        """Items on one line; `comma_after` for the comma behind the last."""
        parts: list[Document] = []
        for i in indices:
            parts.append(self.items[i])
            if i + 1 < indices.stop:
                parts += (self.commas[i], _SPACE)
            elif comma_after:
                parts.append(self.commas[i])
        return Concat(parts)
