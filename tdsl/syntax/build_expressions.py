"""Build the expressions of the syntax tree: one method for each rule, called bottom-up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.habits import FOREIGN_VALUES
from tdsl.syntax.lexer import Token
from tdsl.syntax.source import Source, Span

_LOOP_ATTRIBUTES = ("unroll",)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "0": "\0"}
# Far beyond any dtype; Python itself refuses to read integers of more than 4300 digits.
_MOST_DIGITS = 1000

# The children of a rule: tokens, nodes, lists of helper rules, or None for a part left out.
Children = list[Any]


class ExpressionBuilder:
    """Turns reduced rules into nodes, and collects what the grammar lets through but the language
    refuses. `start` and `end` delimit the text that the rule covers."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.errors: list[Diagnostic] = []

    # --- helpers

    def _span(self, start: int, end: int) -> Span:
        return Span(self._source, start, end)

    def _name(self, token: Token) -> ast.Name:
        return ast.Name(Span(self._source, token.start, token.end), token.text)

    def _optional_name(self, token: Token | None) -> ast.Name | None:
        return None if token is None else self._name(token)

    def _refuse(self, code: str, span: Span, message: str, label: str = "", *helps: Help) -> None:
        self.errors.append(Diagnostic(code, message, (Label(span, label),), helps=helps))

    def _check_attributes(self, attributes: Sequence[ast.Marker], known: Sequence[str]) -> None:
        for attribute in attributes:
            if attribute.name.text in known:
                continue
            text = f"`@{attribute.name.text}`"
            if attribute.name.text == "inline":
                message, label = f"{text} stands before a `fn`", "this is not a function"
            elif attribute.name.text == "unroll":
                message = f"{text} stands before `fold`, `scan` or a comprehension"
                label = "this is not a loop"
            else:
                message, label = f"unknown attribute {text}", "known are `@inline` and `@unroll`"
            self._refuse("E0114", attribute.span, message, label)

    # --- expressions

    def if_(self, children: Children, start: int, end: int) -> ast.If:
        return ast.If(self._span(start, end), *children)

    def loop(self, children: Children, start: int, end: int) -> ast.Loop:
        *attributes, word, state, initial, pattern, iterated, body = children
        self._check_attributes(attributes, _LOOP_ATTRIBUTES)
        kind: Literal["fold", "scan"] = word.type
        return ast.Loop(
            self._span(start, end), kind, state, initial, pattern, iterated, body, bool(attributes)
        )

    def range(self, children: Children, start: int, end: int) -> ast.Range:
        return ast.Range(self._span(start, end), *children)

    def comprehension(self, children: Children, start: int, end: int) -> ast.Comprehension:
        body, pattern, iterated = children
        return ast.Comprehension(self._span(start, end), body, pattern, iterated, unroll=False)

    def marked_comprehension(self, children: Children, start: int, end: int) -> ast.Comprehension:
        *attributes, inner = children
        self._check_attributes(attributes, _LOOP_ATTRIBUTES)
        return ast.Comprehension(
            self._span(start, end), inner.body, inner.pattern, inner.iterated, unroll=True
        )

    def binary(self, children: Children, start: int, end: int) -> ast.Binary:
        left, operator, right = children
        return ast.Binary(
            Span(self._source, start, end),
            operator.type,
            left,
            right,
            Span(self._source, operator.start, operator.end),
        )

    def unary(self, children: Children, start: int, end: int) -> ast.Unary:
        operator, operand = children
        return ast.Unary(self._span(start, end), operator.type, operand)

    def subscripted(
        self, children: Children, start: int, end: int
    ) -> ast.Subscript | ast.StaticArguments:
        value, items = children
        span = self._span(start, end)
        keywords = tuple(item for item in items if isinstance(item, ast.Keyword))
        if len(keywords) == len(items):
            return ast.StaticArguments(span, value, keywords)
        if keywords:
            positional = next(item for item in items if not isinstance(item, ast.Keyword))
            self.errors.append(
                Diagnostic(
                    "E0107",
                    "static arguments are passed by name, all of them",
                    (
                        Label(positional.span, "this one has no name"),
                        Label(keywords[0].span, "so this is a list of static arguments"),
                    ),
                    helps=(Help("write `name=value` for each, like `f[Q=T, N=T](x)`"),),
                )
            )
            return ast.StaticArguments(span, value, keywords)
        return ast.Subscript(span, value, items)

    def subscripts(self, children: Children, start: int, end: int) -> tuple[Any, ...]:
        return tuple(children)

    def slice(self, children: Children, start: int, end: int) -> ast.SliceItem:
        first, stop, step = children
        if step is not None:
            self._refuse(
                "E0105",
                step,
                "slices have unit stride",
                "no step can be given",
                Help("leave the step out", (Edit(step, ""),)),
            )
        return ast.SliceItem(self._span(start, end), first, stop)

    def step(self, children: Children, start: int, end: int) -> Span:
        return self._span(start, end)

    def new_axis(self, children: Children, start: int, end: int) -> ast.NewAxis:
        return ast.NewAxis(self._span(start, end))

    def ellipsis(self, children: Children, start: int, end: int) -> ast.Ellipsis_:
        return ast.Ellipsis_(self._span(start, end))

    def call(self, children: Children, start: int, end: int) -> ast.Call:
        function, arguments = children
        positional, keywords = arguments or ((), ())
        return ast.Call(self._span(start, end), function, positional, keywords)

    def call_arguments(
        self, children: Children, start: int, end: int
    ) -> tuple[tuple[ast.Expression, ...], tuple[ast.Keyword, ...]]:
        keywords = tuple(child for child in children if isinstance(child, ast.Keyword))
        if not keywords:
            return tuple(children), ()
        positional = tuple(child for child in children if not isinstance(child, ast.Keyword))
        late = [child for child in positional if child.span.start > keywords[0].span.start]
        if late:
            self.errors.append(
                Diagnostic(
                    "E0101",
                    "arguments without a name come before those with one",
                    (
                        Label(late[0].span, "move this to the front, or name it"),
                        Label(keywords[0].span, "the first argument with a name"),
                    ),
                )
            )
        return positional, keywords

    def keyword(self, children: Children, start: int, end: int) -> ast.Keyword:
        return ast.Keyword(self._span(start, end), self._name(children[0]), children[1])

    def attribute_of(self, children: Children, start: int, end: int) -> ast.Attribute:
        return ast.Attribute(self._span(start, end), children[0], self._name(children[1]))

    def tuple(self, children: Children, start: int, end: int) -> ast.Tuple:
        return ast.Tuple(self._span(start, end), _tuple(children))

    def list(self, children: Children, start: int, end: int) -> ast.List:
        return ast.List(self._span(start, end), _tuple(children))

    def variable(self, children: Children, start: int, end: int) -> ast.Variable:
        name = children[0].text
        span = Span(self._source, start, end)
        if name in FOREIGN_VALUES:
            habit = FOREIGN_VALUES[name]
            edits = (Edit(span, habit.replacement),) if habit.replacement else ()
            self._refuse(habit.code, span, habit.message, "", Help(habit.help, edits))
        return ast.Variable(span, name)

    def integer(self, children: Children, start: int, end: int) -> ast.Integer:
        digits = children[0].text.replace("_", "")
        if len(digits) > _MOST_DIGITS:
            message = f"an integer of {len(digits)} digits fits no dtype"
            self._refuse("E0205", self._span(start, end), message)
            digits = "0"
        return ast.Integer(self._span(start, end), int(digits))

    def float(self, children: Children, start: int, end: int) -> ast.Float:
        return ast.Float(self._span(start, end), _float(children[0].text.replace("_", "")))

    def string(self, children: Children, start: int, end: int) -> ast.String:
        return ast.String(self._span(start, end), self._text(children[0]))

    def true(self, children: Children, start: int, end: int) -> ast.Boolean:
        return ast.Boolean(self._span(start, end), True)

    def false(self, children: Children, start: int, end: int) -> ast.Boolean:
        return ast.Boolean(self._span(start, end), False)

    def wildcard(self, children: Children, start: int, end: int) -> ast.Wildcard:
        return ast.Wildcard(self._span(start, end))

    def _text(self, token: Token) -> str:
        """What a string literal stands for."""

        def escape(match: re.Match[str]) -> str:
            character = match[1]
            if character not in _ESCAPES:
                start = token.start + match.start()
                known = ", ".join(f"`\\{name}`" for name in _ESCAPES)
                self._refuse(
                    "E0103",
                    self._span(start, start + 2),
                    "unknown escape in a string",
                    f"known are {known}",
                )
                return character
            return _ESCAPES[character]

        return re.sub(r"\\(.)", escape, token.text[1:-1], flags=re.DOTALL)


# The methods `tuple`, `list` and `float` hide these names inside the class.
_tuple: Callable[[Sequence[Any]], tuple[Any, ...]] = tuple
_float = float
