"""Documents: text with places where a line may be broken, and what decides about them.

Every document knows how wide it is on one line (`flat`), unless a comment or a line break inside
makes that impossible. Comments at its edges do not: what stands beside it sees to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tdsl.syntax.formatting.pieces import Comment, Piece

WIDTH = 100
INDENT = 4


class Document:
    """`first` and `last` are its outermost tokens, None in a document without any."""

    __slots__ = ("first", "flat", "last")

    def __init__(
        self, flat: int | None, first: Piece | None = None, last: Piece | None = None
    ) -> None:
        self.flat = flat
        self.first = first
        self.last = last

    @property
    def ends_in_comment(self) -> bool:
        return self.last is not None and self.last.after is not None


class Text(Document):
    """Characters that are no token of the source: spaces, and what the formatter puts in."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__(len(text))
        self.text = text


class InsertedComma(Document):
    """A comma that stands before the comment of the token before it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(1)


class Written(Document):
    """A token with its comments."""

    __slots__ = ("piece",)

    def __init__(self, piece: Piece) -> None:
        super().__init__(len(piece.text), piece, piece)
        self.piece = piece


class Comments(Document):
    """Comments on lines of their own."""

    __slots__ = ("comments",)

    def __init__(self, comments: Sequence[Comment]) -> None:
        super().__init__(None if comments else 0)
        self.comments = comments


class TrailingComment(Document):
    """The comment of a token that is not written itself."""

    __slots__ = ("text",)

    def __init__(self, text: str | None) -> None:
        last = None if text is None else Piece("", "", after=text)
        super().__init__(0, last, last)
        self.text = text


class Line(Document):
    """A place to break a line: `text` where it is not broken."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__(len(text))
        self.text = text


class Break(Document):
    """The end of a line, with an empty line after it if `blank`."""

    __slots__ = ("blank",)

    def __init__(self, blank: bool = False) -> None:
        super().__init__(None)
        self.blank = blank


class Concat(Document):
    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[Document]) -> None:
        self.parts = tuple(parts)
        flat: int | None = 0
        first: Piece | None = None
        last: Piece | None = None
        for part in self.parts:
            if last is not None and part.flat != 0 and last.after is not None:
                flat = None
            if part.first is not None:
                if last is None:
                    first = part.first
                elif part.first.before:
                    flat = None
                last = part.last
            if flat is not None:
                flat = None if part.flat is None else flat + part.flat
        super().__init__(flat, first, last)


class _Around(Document):
    """A document around one other, with its measures."""

    __slots__ = ("content",)

    def __init__(self, content: Document) -> None:
        super().__init__(content.flat, content.first, content.last)
        self.content = content


class Indent(_Around):
    """Lines begun inside are indented one level further."""

    __slots__ = ()


class Group(_Around):
    """Written on one line if it fits, else with all its own lines broken."""

    __slots__ = ()


class Flat(_Around):
    """Written on one line."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is about to be written: the column, the indentation of the line, the width
    of what must follow on the same line, and of the comma that is put before a comment."""

    column: int
    indent: int
    rest: int
    comma: int

    def fits(self, document: Document) -> bool:
        """Whether it can be written here on one line."""
        if document.flat is None:
            return False
        rest = self.comma if document.ends_in_comment else self.rest
        return self.column + document.flat + rest <= WIDTH


class Choice(_Around):
    """Written on one line if it fits, else as `choose` says. `least` shows how soon its first line
    can end."""

    __slots__ = ("choose", "least")

    def __init__(
        self,
        content: Document,
        choose: Callable[[Place], Document],
        least: Document | None = None,
    ) -> None:
        super().__init__(content)
        self.choose = choose
        self.least = content if least is None else least


EMPTY = Concat(())


def bracketed(opening: Document, inner: Document, closing: Piece) -> Document:
    """Brackets with the inner part indented on lines of its own if it does not fit; comments
    before the closing bracket are indented like it."""
    return Concat(
        (
            opening,
            Indent(Concat((Line(""), inner, Comments(closing.before)))),
            Line(""),
            Written(without_comments_before(closing)),
        )
    )


def without_comments_before(piece: Piece) -> Piece:
    return Piece(piece.type, piece.text, (), piece.after, piece.newline_before)


def begins_line(document: Document) -> bool:
    """Whether it began a line in the source."""
    return document.first is not None and document.first.newline_before
