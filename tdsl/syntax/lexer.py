"""Cut a text into tokens. Whatever the language lacks becomes a token too, for the parser to report."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tdsl.syntax.habits import FOREIGN_SIGNS
from tdsl.syntax.source import Source
from tdsl.syntax.tables import NAME, Tables

# Types of the tokens that no rule accepts.
FOREIGN, BAD, DOC = "FOREIGN", "BAD", "DOC"


class Token(NamedTuple):
    """`type` is the spelling of a sign or word, or NAME, INT, …; [start, end) its place."""

    type: str
    text: str
    start: int
    end: int


@lru_cache(maxsize=2)
def _pattern(patterns: str, signs: tuple[str, ...]) -> re.Pattern[str]:
    """One alternation of everything; a byte order mark counts as a space, it is only let through
    at the start of the text."""
    # The longest sign wins, whoever's it is: `!=` is one of ours, `!` is not.
    every = sorted({*signs, *FOREIGN_SIGNS}, key=len, reverse=True)
    alternatives = "|".join(re.escape(sign) for sign in every)
    return re.compile(f"{patterns}|(?P<SIGN>{alternatives})|(?P<MARK>\\A\\ufeff)|(?P<BAD>(?s:.))")


def tokenize(source: Source, tables: Tables) -> list[Token]:
    """All tokens but spaces and comments, in order: newlines and documentation included."""
    words = tables.words
    result: list[Token] = []
    append = result.append
    for match in _pattern(tables.patterns, tables.signs).finditer(source.text):
        kind = match.lastgroup
        if kind == "WHITESPACE" or kind == "COMMENT" or kind == "MARK":
            continue
        text = match.group()
        if kind == "SIGN":
            kind = FOREIGN if text in FOREIGN_SIGNS else text
        elif kind == NAME and text in words:
            kind = text
        append(Token(kind or BAD, text, match.start(), match.end()))
    return result
