"""Keep the newlines that end something, drop the others, and tell words from names.

A newline ends an item, field or statement unless
- it stands inside `()` or `[]`,
- the token before it asks for more: `{`, `,`, `=`, `->`, `where` or a binary operator, or
- the token after it can only continue: `.`, a closing bracket, `{`, `->`, `where`, `else`, `for`,
  `in`, `,` or a binary operator that is not also the start of something (so not `-` and not `@`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tdsl.syntax.lexer import DOC, Token
from tdsl.syntax.tables import END, NAME, NEWLINE

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
BINARY = COMPARISONS | frozenset(("+", "-", "*", "@", "/", "//", "%", "**", "and", "or"))
"""The operators between two operands."""

_BETWEEN = BINARY | frozenset(("divides", ".."))
_CONTINUES_AFTER = _BETWEEN | frozenset(("not", "{", "(", "[", ",", "=", "->", "where"))
# `-` and `@` may also begin a statement.
_CONTINUES_BEFORE = (_BETWEEN - frozenset(("-", "@"))) | frozenset(
    (".", ")", "]", "}", "{", "->", "where", "else", "for", "in", ",")
)
_AMBIGUOUS = frozenset(("-", "(", "[", "@"))
_CLOSES = {")": "(", "]": "[", "}": "{"}
# Words only where an item begins; names everywhere else, because they make good names.
SOFT_WORDS = frozenset(("tdsl", "type", "test", "example"))


@dataclass(frozen=True, slots=True)
class Laid:
    """Tokens for the parser, the last of type $END; and the tokens that began a line inside a
    block although they could have continued the line before, each with the statement's start."""

    tokens: list[Token]
    ambiguous: list[tuple[Token, Token]]


def lay_out(raw: Sequence[Token], first: int, text_length: int) -> Laid:
    """Filter the tokens from index `first` on, which must be the start of an item."""
    tokens: list[Token] = []
    ambiguous: list[tuple[Token, Token]] = []
    opened: list[str] = []
    previous = ""
    pending: Token | None = None
    statement: Token | None = None
    for index in range(first, len(raw)):
        token = raw[index]
        kind = token.type
        if kind == NEWLINE:
            if (
                pending is None
                and previous
                and previous not in _CONTINUES_AFTER
                and (not opened or opened[-1] == "{")
            ):
                pending = token
            continue
        if kind == DOC:
            continue
        starts = not previous or previous == "{"
        if pending is not None:
            if kind not in _CONTINUES_BEFORE:
                tokens.append(pending)
                starts = True
                if kind in _AMBIGUOUS and opened and statement is not None:
                    ambiguous.append((token, statement))
            pending = None
        if starts:
            statement = token
        if kind in SOFT_WORDS and (opened or not (starts or previous == "pub" or _marked(tokens))):
            kind = NAME
            token = Token(NAME, token.text, token.start, token.end)
        elif kind in ("(", "[", "{"):
            opened.append(kind)
        elif opened and _CLOSES.get(kind) == opened[-1]:
            opened.pop()
        tokens.append(token)
        previous = kind
    tokens.append(Token(END, "", text_length, text_length))
    return Laid(tokens, ambiguous)


def _marked(tokens: Sequence[Token]) -> bool:
    """Whether an attribute like `@inline` stands just before."""
    return len(tokens) >= 2 and tokens[-1].type == NAME and tokens[-2].type == "@"
