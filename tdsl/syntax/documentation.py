"""Find what each `##` comment documents, by its place among the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tdsl.syntax.lexer import DOC, Token
from tdsl.syntax.tables import NEWLINE


@dataclass(slots=True)
class Documentation:
    """Doc tokens by the start of the token after them (`before`) or, where they share its line,
    by the end of the token before them (`after`); a comma between does not count.

    The builder takes out what it uses: what remains documents nothing.
    """

    module: list[Token] = field(default_factory=list)
    before: dict[int, list[Token]] = field(default_factory=dict)
    after: dict[int, list[Token]] = field(default_factory=dict)

    def take_before(self, start: int) -> tuple[str, ...]:
        return _lines(self.before.pop(start, ()))

    def take_after(self, end: int) -> tuple[str, ...]:
        return _lines(self.after.pop(end, ()))

    def module_lines(self) -> tuple[str, ...]:
        return _lines(self.module)

    def left_over(self) -> list[Token]:
        groups = [*self.before.values(), *self.after.values()]
        return sorted((group[0] for group in groups), key=lambda token: token.start)


def find_documentation(raw: Sequence[Token]) -> Documentation:
    """The docs at the top belong to the module if the `tdsl` line or an empty line follows them."""
    result = Documentation()
    run: list[Token] = []
    last: Token | None = None
    before_comma: Token | None = None
    newlines = 0
    for token in raw:
        if token.type == NEWLINE:
            newlines += 1
            if newlines == 2 and run and last is None and not result.module:
                result.module, run = run, []
        elif token.type == DOC:
            if last is not None and newlines == 0:
                anchor = before_comma if last.type == "," and before_comma else last
                result.after.setdefault(anchor.end, []).append(token)
            else:
                run.append(token)
            newlines = 0 if run else newlines
        else:
            if run:
                if last is None and token.type == "tdsl":
                    result.module += run
                else:
                    result.before[token.start] = run
                run = []
            before_comma, last, newlines = last, token, 0
    if run:
        if last is None:
            result.module += run
        else:
            result.before[run[-1].end] = run
    return result


def _lines(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.text[2:].removeprefix(" ").rstrip() for token in tokens)
