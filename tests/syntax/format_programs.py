"""Random programs that parse, over the whole grammar, in random layout and with random comments."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

# A mandatory end of line between items, statements and fields.
END = "\n"
_CLOSES = {"(": ")", "[": "]", "{": "}"}
# Newlines vanish after and before these, and inside `()` and `[]`: language.md, section 1.
_AFTER = frozenset(
    "{ , = -> where ( [ + - * @ / // % ** == != < <= > >= and or not divides ..".split()  # noqa: SIM905
)
_BEFORE = frozenset(
    ". ) ] } { -> where else for in , + * / // % ** == != < <= > >= and or divides ..".split()  # noqa: SIM905
)
_NAMES = (
    "x",
    "y",
    "N",
    "heads",
    "weight_1",
    "test",
    "type",
    "example",
    "f32",
    "a_rather_long_name",
)
_INTEGERS = ("0", "1", "12", "1_000")
_FLOATS = ("1.0", "1.", "1.0e-5", "2e3")
_STRINGS = ('"a"', '"# no comment (\\"quoted\\")"')


class Programs:
    """Draws the tokens of programs; `depth` bounds how deep expressions are nested."""

    def __init__(self, random: Random, depth: int) -> None:
        self.random = random
        self.depth = depth

    # --- choices

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def maybe(self, tokens: list[str], chance: float = 0.5) -> list[str]:
        return tokens if self.random.random() < chance else []

    def many(
        self, draw: Callable[[], list[str]], least: int = 1, most: int = 4, trailing: bool = True
    ) -> list[str]:
        """Items with commas between."""
        tokens: list[str] = []
        count = self.random.randint(least, most)
        for index in range(count):
            tokens += draw()
            if index + 1 < count or (trailing and self.random.random() < 0.3):
                tokens.append(",")
        return tokens

    def name(self) -> list[str]:
        return [self.one(*_NAMES)]

    # --- expressions, from the loosest binding to the closest

    def expression(self, depth: int) -> list[str]:
        if depth > 0 and self.random.random() < 0.15:
            return self.choice(depth - 1)
        if depth > 0 and self.random.random() < 0.15:
            return self.loop(depth - 1)
        return self.logical(depth)

    def choice(self, depth: int) -> list[str]:
        other = self.choice(depth - 1) if depth > 0 and self.random.random() < 0.4 else None
        return [
            "if", *self.logical(depth), *self.block(depth), "else",
            *(other or self.block(depth)),
        ]  # fmt: skip

    def loop(self, depth: int) -> list[str]:
        return [
            *self.maybe(["@", "unroll", *self.maybe([END])]), self.one("fold", "scan"),
            *self.pattern(1), "=", *self.expression(depth), "for", *self.pattern(1), "in",
            *self.iterated(depth), *self.block(depth),
        ]  # fmt: skip

    def iterated(self, depth: int) -> list[str]:
        end = self.maybe(["..", *self.sum(depth)])
        return [*self.sum(depth), *end]

    def logical(self, depth: int) -> list[str]:
        tokens = self.comparison(depth)
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            tokens += [self.one("and", "or"), *self.maybe(["not"], 0.3), *self.comparison(depth)]
        return tokens

    def comparison(self, depth: int) -> list[str]:
        tokens = self.sum(depth)
        if self.random.random() < 0.2:
            tokens += [self.one("==", "!=", "<", "<=", ">", ">="), *self.sum(depth)]
        return tokens

    def sum(self, depth: int) -> list[str]:
        tokens = self.signed(depth)
        for _ in range(self.random.choice((0, 0, 0, 1, 1, 3))):
            tokens += [self.one("+", "-", "*", "@", "/", "//", "%", "**"), *self.signed(depth)]
        return tokens

    def signed(self, depth: int) -> list[str]:
        return [*self.maybe(["-"], 0.2), *self.postfix(depth)]

    def postfix(self, depth: int) -> list[str]:
        tokens = self.atom(depth)
        if depth > 0:
            for _ in range(self.random.choice((0, 0, 1, 1, 2))):
                tokens += self.random.choice((self.call, self.index, self.statics, self.field))(
                    depth - 1
                )
        return tokens

    def call(self, depth: int) -> list[str]:
        positional = self.many(lambda: self.expression(depth), 0, 4, trailing=False)
        named = self.many(lambda: [*self.name(), "=", *self.expression(depth)], 0, 2)
        return ["(", *positional, *([","] if positional and named else []), *named, ")"]

    def index(self, depth: int) -> list[str]:
        def item() -> list[str]:
            kind = self.random.randrange(5)
            if kind == 0:
                return self.one_of("newaxis", "...")
            if kind <= 2:
                return [*self.maybe(self.sum(depth)), ":", *self.maybe(self.sum(depth))]
            return self.expression(depth)

        return ["[", *self.many(item), "]"]

    def one_of(self, *choices: str) -> list[str]:
        return [self.one(*choices)]

    def statics(self, depth: int) -> list[str]:
        return ["[", *self.many(lambda: [*self.name(), "=", *self.expression(depth)]), "]"]

    def field(self, depth: int) -> list[str]:
        return [".", *self.name()]

    def atom(self, depth: int) -> list[str]:
        kind = self.random.randrange(9) if depth > 0 else 0
        if kind == 1:
            return ["(", *self.expression(depth - 1), ")"]
        if kind == 2:
            return ["(", *self.expression(depth - 1), ",", ")"]
        if kind == 3:
            return ["(", *self.many(lambda: self.expression(depth - 1), 2), ")"]
        if kind == 4:
            return ["[", *self.many(lambda: self.expression(depth - 1), 1, 5), "]"]
        if kind == 5:
            return [
                *self.maybe(["@", "unroll"]), "[", *self.expression(depth - 1), "for",
                *self.pattern(1), "in", *self.iterated(depth - 1), "]",
            ]  # fmt: skip
        if kind == 6:
            return ["[", "]"]
        return self.one_of(*_NAMES, *_INTEGERS, *_FLOATS, *_STRINGS, "true", "false", "_")

    # --- types, patterns, statements

    def type(self, depth: int) -> list[str]:
        kind = self.random.randrange(5) if depth > 0 else 0
        if kind == 1:
            return ["[", *self.type(depth - 1), ";", *self.sum(1), "]"]
        if kind == 2:
            return ["(", *self.type(depth - 1), ",", ")"]
        if kind == 3:
            return ["(", *self.many(lambda: self.type(depth - 1), 2), ")"]

        def dimension() -> list[str]:
            return self.random.choice(
                (lambda: ["...", *self.name()], lambda: [*self.name(), "=", *self.sum(0)])
                + (lambda: self.sum(1),) * 4
            )()

        return [*self.name(), *self.maybe(["[", *self.many(dimension, 0), "]"], 0.7)]

    def pattern(self, depth: int) -> list[str]:
        kind = self.random.randrange(6) if depth > 0 else 0
        if kind == 1:
            return ["(", *self.pattern(depth - 1), ",", ")"]
        if kind == 2:
            return ["(", *self.many(lambda: self.pattern(depth - 1), 2), ")"]
        if kind == 3:
            return ["[", *self.many(lambda: self.pattern(depth - 1)), "]"]
        if kind == 4:
            return ["(", *self.pattern(depth - 1), ")"]
        return self.one_of("_", *_NAMES)

    def block(self, depth: int, test: bool = False) -> list[str]:
        tokens = ["{"]
        for _ in range(self.random.choice((0, 0, 1, 2))):
            if test and self.random.random() < 0.5:
                tokens += ["assert", *self.expression(depth)]
                tokens += [*self.maybe([",", self.one(*_STRINGS)]), END]
                continue
            annotation = self.maybe([":", *self.type(2)], 0.3)
            tokens += ["let", *self.pattern(2), *annotation, "=", *self.expression(depth), END]
        return [*tokens, *self.expression(depth), "}"]

    # --- items

    def parameters(self) -> list[str]:
        def parameter() -> list[str]:
            if self.random.random() < 0.2:
                return ["...", *self.name()]
            kind = [":", *self.name(), *self.maybe(["(", *self.name(), ")"])]
            return [
                *self.maybe(["static"], 0.3), *self.name(), *self.maybe(kind, 0.3),
                *self.maybe(["=", *self.sum(0)], 0.2),
            ]  # fmt: skip

        return ["[", *self.many(parameter), "]"]

    def function(self) -> list[str]:
        def argument() -> list[str]:
            default = self.maybe(["=", *self.expression(0)], 0.2)
            return [*self.name(), ":", *self.type(2), *default]

        def constraint() -> list[str]:
            return [*self.sum(0), self.one("==", "<=", "<", ">=", ">", "divides"), *self.sum(0)]

        return [
            *self.maybe(["@", "inline", *self.maybe([END])], 0.2), *self.maybe(["pub"]), "fn",
            *self.name(), *self.maybe(self.parameters()), "(", *self.many(argument, 0, 5), ")",
            "->", *self.type(2),
            *self.maybe(["where", *self.many(constraint, trailing=False)], 0.4), *self.block(self.depth),
        ]  # fmt: skip

    def struct(self) -> list[str]:
        tokens = [*self.maybe(["pub"]), "struct", *self.name(), *self.maybe(self.parameters()), "{"]
        for _ in range(self.random.randint(0, 3)):
            tokens += [*self.name(), ":", *self.type(2), self.one(",", END)]
        return [*tokens, *self.name(), ":", *self.type(2), *self.maybe([","], 0.3), "}"]

    def imports(self) -> list[str]:
        path = [*self.name(), *self.maybe([".", *self.name()])]
        alias = self.maybe(["as", *self.name()], 0.3)
        if self.random.random() < 0.3:
            return ["import", *path, *alias]

        def imported() -> list[str]:
            return [*self.name(), *self.maybe(["as", *self.name()], 0.3)]

        if self.random.random() < 0.5:
            return ["from", *path, "import", "(", *self.many(imported, 1, 6), ")"]
        return ["from", *path, "import", *self.many(imported, 1, 6, trailing=False)]

    def item(self) -> list[str]:
        kind = self.random.randrange(9)
        if kind == 0:
            return self.imports()
        if kind == 1:
            annotation = self.maybe([":", *self.type(1)], 0.3)
            return ["const", *self.name(), *annotation, "=", *self.expression(self.depth)]
        if kind == 2:
            return ["type", *self.name(), *self.maybe(self.parameters()), "=", *self.type(2)]
        if kind == 3:
            return ["test", self.one(*_STRINGS), *self.block(self.depth, test=True)]
        if kind == 4:
            bindings = ["[", *self.many(lambda: [*self.name(), "=", *self.expression(1)]), "]"]
            return ["example", *self.name(), *self.maybe(bindings), "->", *self.type(1)]
        return self.struct() if kind <= 6 else self.function()

    def module(self) -> list[str]:
        tokens = self.maybe(["tdsl", "0.1", END], 0.8)
        for _ in range(self.random.randint(1, 3)):
            tokens += [*self.item(), END]
        return tokens


class Layout:
    """Writes tokens with any spaces, newlines and comments that do not change what they mean."""

    def __init__(self, random: Random, comments: float) -> None:
        self.random = random
        self.comments = comments
        self.count = 0

    def text(self, tokens: list[str]) -> str:
        parts: list[str] = [self.gap_of_lines() if self.random.random() < 0.3 else ""]
        opened: list[str] = []
        for index, token in enumerate(tokens):
            if token == END:
                in_braces = bool(opened)
                if in_braces and opened[-1] != "{":
                    # An attribute's own line inside brackets is a space.
                    parts.append(" ")
                    continue
                parts += (self.end(), self.gap_of_lines())
                continue
            if token in _CLOSES:
                opened.append(token)
            elif opened and token == _CLOSES[opened[-1]]:
                opened.pop()
            parts.append(token)
            if index + 1 < len(tokens) and tokens[index + 1] != END:
                parts.append(self.between(token, tokens[index + 1], opened))
        return "".join(parts)

    def between(self, left: str, right: str, opened: list[str]) -> str:
        free = (opened and opened[-1] != "{") or left in _AFTER or right in _BEFORE
        chance = self.random.random()
        if free and chance < 0.08 + self.comments:
            return self.end() + (self.gap_of_lines() if self.random.random() < 0.5 else "")
        if chance < 0.6 or not self.apart(left, right):
            return self.random.choice((" ", " ", "  ", "\t"))
        return ""

    def apart(self, left: str, right: str) -> bool:
        """Whether two tokens stay two without a space between."""
        if left in "()[]{},;" or right in "()[]{},;":
            return True
        return bool(re.fullmatch(r"[A-Za-z_]\w*", left)) and right in (
            "=",
            "+",
            "-",
            "*",
            ":",
            "==",
        )

    def end(self) -> str:
        comment = "  " + self.comment() if self.random.random() < self.comments else ""
        return comment + self.random.choice(("\n", "\n", " \n", "\r\n"))

    def gap_of_lines(self) -> str:
        lines = ""
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            if self.random.random() < self.comments * 3:
                lines += self.random.choice(("", "  ", "\t")) + self.comment()
            lines += "\n"
        return lines

    def comment(self) -> str:
        self.count += 1
        return self.random.choice(("# ", "# ", "## ", "##", "#")) + f"c{self.count} ( {{"
