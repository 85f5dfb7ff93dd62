"""Say in plain words why a token cannot stand where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tdsl.syntax.diagnostics import Diagnostic, Label
from tdsl.syntax.lexer import Token
from tdsl.syntax.source import Source
from tdsl.syntax.tables import Tables


@dataclass(frozen=True, slots=True)
class Situation:
    """The parser's state at the token that it cannot accept."""

    source: Source
    tables: Tables
    tokens: Sequence[Token]
    position: int
    states: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]


def explain(situation: Situation) -> Diagnostic:
    token = situation.tokens[situation.position]
    return Diagnostic(
        "E0101",
        f"unexpected {token.text!r}",
        (Label(situation.source.span(token.start, token.end)),),
    )
