"""What could stand where the parser stopped, in plain words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from tdsl.syntax.layout import BINARY
from tdsl.syntax.lexer import Token
from tdsl.syntax.source import Source, Span
from tdsl.syntax.tables import END, FLOAT, INT, NAME, NEWLINE, STRING, Tables

ITEMS = frozenset(
    ("import", "from", "const", "type", "struct", "fn", "test", "example", "pub", "tdsl")
)
_EXPRESSION = frozenset(
    (
        NAME,
        INT,
        FLOAT,
        STRING,
        "true",
        "false",
        "_",
        "(",
        "[",
        "-",
        "not",
        "if",
        "fold",
        "scan",
        "@",
    )
)
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = {closer: opener for opener, closer in _OPENERS.items()}


@dataclass(frozen=True)
class Situation:
    """The parser's state at the token that it cannot accept."""

    source: Source
    tables: Tables
    tokens: Sequence[Token]
    position: int
    states: Sequence[int]

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def neighbour(self, distance: int) -> Token:
        """The token so many places on; an empty one beyond the ends."""
        index = self.position + distance
        if 0 <= index < len(self.tokens):
            return self.tokens[index]
        return Token("", "", 0, 0)

    @property
    def previous(self) -> Token:
        return self.neighbour(-1)

    @cached_property
    def span(self) -> Span:
        """Where the trouble is; the end of a line or file is shown just after the last token."""
        token = self.token
        if token.type in (NEWLINE, END):
            end = self.previous.end if self.position else token.start
            return Span(self.source, end, end)
        return Span(self.source, token.start, token.end)

    @cached_property
    def acceptable(self) -> frozenset[str]:
        """The token types that could really stand here: a table's row alone promises too much."""
        row = self.tables.actions[self.states[-1]]
        found = {kind for kind in row if self._accepts(kind)}
        if self._at_end():
            found.add(END)
        return frozenset(found)

    def _accepts(self, kind: str) -> bool:
        tables = self.tables
        states = list(self.states)
        while True:
            action = tables.actions[states[-1]].get(kind)
            if action is None:
                return kind == END and states[-1] == tables.end
            if action >= 0:
                return True
            rule = tables.rules[~action]
            if rule.length:
                del states[-rule.length :]
            states.append(tables.gotos[states[-1]][rule.origin])

    def _at_end(self) -> bool:
        return self._accepts(END)

    @cached_property
    def open_brackets(self) -> tuple[Token, ...]:
        """The brackets not closed before this token, outermost first."""
        opened: list[Token] = []
        for token in self.tokens[: self.position]:
            if token.type in _OPENERS:
                opened.append(token)
            elif token.type in _CLOSERS and opened:
                opened.pop()
        return tuple(opened)

    @cached_property
    def suspect(self) -> Token | None:
        """A `{` that was closed by a `}` of another indentation: likely its own is missing."""
        opened: list[Token] = []
        for token in self.tokens[: self.position]:
            if token.type in _OPENERS:
                opened.append(token)
            elif token.type in _CLOSERS and opened:
                opener = opened.pop()
                line = self.source.line_and_column(token.start)[0]
                leads = not self.source.text[
                    self.source.line_starts[line - 1] : token.start
                ].strip()
                if token.type == "}" and leads and self._indent(opener) != self._indent(token):
                    return opener
        return None

    def _indent(self, token: Token) -> int:
        text = self.source.line_text(self.source.line_and_column(token.start)[0])
        return len(text) - len(text.lstrip())

    @property
    def wants_expression(self) -> bool:
        return {NAME, INT, "("} <= self.acceptable

    @property
    def wants_item(self) -> bool:
        return "fn" in self.acceptable

    def begins_statement(self, distance: int) -> bool:
        """Whether the token so many places on stands at the start of a statement or item."""
        before = self.neighbour(distance - 1)
        return before.type in ("", NEWLINE, "{", "pub")


def matching(opener: str) -> str:
    return _OPENERS[opener]


def opener_of(closer: str) -> str | None:
    return _CLOSERS.get(closer)


def found_words(token: Token) -> str:
    if token.type == NEWLINE:
        return "the end of the line"
    if token.type == END:
        return "the end of the file"
    if token.type in (INT, FLOAT):
        return f"the number `{token.text[:40]}`"
    if token.type == STRING:
        return "a string"
    return f"`{token.text[:80]}`"


def expected_words(acceptable: Collection[str]) -> str:
    """The acceptable token types as a phrase: "an expression", "`,` or `)`"."""
    rest = set(acceptable)
    words: list[str] = []
    if "fn" in rest:
        rest -= ITEMS | {"@"}
        words.append("an item like `fn` or `struct`")
    statement = {"let", "assert"} <= rest
    if {NAME, INT, "("} <= rest:
        if statement:
            rest -= {"let", "assert"}
            words.append("a statement")
        else:
            size = "..." in rest and "newaxis" not in rest
            words.append("a size" if size else "an expression")
            if size:
                rest.remove("...")
        rest -= _EXPRESSION
    elif {NAME, "_", "(", "["} <= rest:
        rest -= {NAME, "_", "(", "["}
        words += ["a name", "a pattern"]
    elif {NAME, "(", "["} <= rest:
        rest -= {NAME, "(", "["}
        words.append("a type")
    elif NAME in rest:
        rest.remove(NAME)
        words.append("a name")
    if "*" in rest:
        rest -= BINARY | {".", "(", "[", "divides"}
        # Where something else may follow, an operator is not what is missing.
        if not rest - {NEWLINE, END, "}"}:
            words.append("an operator")
    if "[" in rest and "*" not in rest:
        # A type may begin with the name of a module; rarely is just that dot what is missing.
        rest.discard(".")
    if len(rest) > 1:
        # After the first name or item of a list these could follow too; they are rarely meant.
        rest -= {"=", "for"}
    for kind, phrase in ((STRING, "a string"), (INT, "a number"), (FLOAT, "a number")):
        if kind in rest:
            rest.discard(kind)
            if phrase not in words:
                words.append(phrase)
    ends = []
    if NEWLINE in rest:
        rest.remove(NEWLINE)
        ends.append("the end of the line")
    if END in rest:
        rest.remove(END)
        if not ends:
            ends.append("the end of the file")
    words += [f"`{kind}`" for kind in sorted(rest)] + ends
    if not words:
        return "something else"
    if len(words) == 1:
        return words[0]
    return ", ".join(words[:-1]) + " or " + words[-1]
