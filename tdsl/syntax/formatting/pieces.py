"""Tokens for the formatter: each with the comments and the line breaks that the author put by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tdsl.syntax.lexer import DOC, Token
from tdsl.syntax.source import Source
from tdsl.syntax.tables import END, NEWLINE


@dataclass(frozen=True, slots=True)
class Comment:
    """A `#` or `##` comment on a line of its own."""

    text: str
    blank_before: bool


@dataclass(slots=True, eq=False)
class Piece:
    """A token. `before` are the comments on lines of their own between the token before and this
    one, `after` is the comment that follows on its line."""

    type: str
    text: str
    before: tuple[Comment, ...] = ()
    after: str | None = None
    newline_before: bool = False
    # An empty line just before the token, or between it and its last comment.
    blank_before: bool = False

    @property
    def commented(self) -> bool:
        return bool(self.before) or self.after is not None


def read_pieces(source: Source, tokens: Sequence[Token]) -> dict[int, Piece]:
    """The pieces of a text, cut into tokens, by the offset at which they start; the last, of type $END, by its
    length."""
    found: dict[int, Piece] = {}
    gather = _Gather()
    text = source.text
    position = 0
    for token in tokens:
        # A comment reaches to the end of its line, so a gap between two tokens has one at most.
        gather.gap(text[position : token.start])
        position = token.end
        if token.type == NEWLINE:
            gather.newlines += 1
        elif token.type == DOC:
            gather.comment(token.text)
        else:
            found[token.start] = gather.piece(token)
    gather.gap(text[position:])
    found[len(text)] = gather.piece(Token(END, "", len(text), len(text)))
    _move_comments_behind_commas(list(found.values()))
    return found


@dataclass(slots=True)
class _Gather:
    """What was met since the last token."""

    last: Piece | None = None
    comments: list[Comment] | None = None
    newlines: int = 0
    broken: bool = False

    def gap(self, text: str) -> None:
        at = text.find("#")
        if at >= 0:
            self.comment(text[at:])

    def comment(self, text: str) -> None:
        text = text.rstrip()
        if self.last is not None and not self.newlines and not self.broken:
            self.last.after = text
        else:
            self.comments = [*(self.comments or ()), Comment(text, self.newlines > 1)]
            self.broken = True
            self.newlines = 0

    def piece(self, token: Token) -> Piece:
        self.last = Piece(
            token.type,
            token.text,
            tuple(self.comments or ()),
            newline_before=self.newlines > 0 or self.broken,
            blank_before=self.newlines > 1,
        )
        self.comments, self.newlines, self.broken = None, 0, False
        return self.last


def _move_comments_behind_commas(pieces: list[Piece]) -> None:
    """`a  # why` and on the next line `, b`: the comma goes to the end of the line, where it
    belongs to the same thing."""
    for left, right in pairwise(pieces):
        if right.type == "," and not right.commented and left.after is not None:
            left.after, right.after = None, left.after
