"""Build the syntax tree: one method for each rule of the grammar, called bottom-up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, cast

from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.documentation import Documentation
from tdsl.syntax.habits import FOREIGN_VALUES
from tdsl.syntax.lexer import Token
from tdsl.syntax.source import Source, Span

EDITIONS = ("0.1",)
_ITEM_ATTRIBUTES = ("inline",)
_LOOP_ATTRIBUTES = ("unroll",)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "0": "\0"}
# Far beyond any dtype; Python itself refuses to read integers of more than 4300 digits.
_MOST_DIGITS = 1000

# The children of a rule: tokens, nodes, lists of helper rules, or None for a part left out.
Children = list[Any]


class Builder:
    """Turns reduced rules into nodes, and collects what the grammar lets through but the language
    refuses. `start` and `end` delimit the text that the rule covers."""

    def __init__(self, source: Source, documentation: Documentation) -> None:
        self._source = source
        self._documentation = documentation
        self._asserts: list[Span] = []
        self._valueless: list[ast.Block] = []
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

    # --- the file and its items

    def start(self, children: Children, start: int, end: int) -> ast.Module:
        edition = None
        if children and isinstance(children[0], ast.Name):
            edition, *children = children
        return ast.Module(
            self._span(0, len(self._source.text)),
            self._source,
            self._documentation.module_lines(),
            edition,
            tuple(children),
        )

    def version(self, children: Children, start: int, end: int) -> ast.Name:
        name = self._name(children[0])
        if name.text not in EDITIONS:
            known = EDITIONS[-1]
            self._refuse(
                "E0113",
                name.span,
                f"there is no edition {name.text} of the language",
                "this version of TDSL reads edition " + ", ".join(EDITIONS),
                Help(f"write `tdsl {known}`", (Edit(name.span, known),)),
            )
        return name

    def item(self, children: Children, start: int, end: int) -> ast.AnyItem:
        *attributes, public, body = children
        self._check_attributes(
            attributes, _ITEM_ATTRIBUTES if body.func is ast.Function else (), "here"
        )
        if body.func is not ast.Test:
            for span in self._asserts:
                self._refuse(
                    "E0115",
                    span,
                    "`assert` stands only in a `test`",
                    "this is not a test",
                    Help(
                        "state a fact about sizes in a `where` clause; check values in a "
                        '`test "…" { … }`'
                    ),
                )
        for block in self._valueless:
            self._refuse_valueless(block, is_test=body.func is ast.Test)
        self._asserts.clear()
        self._valueless.clear()
        item: ast.AnyItem = body(
            span=self._span(start, end),
            docs=self._documentation.take_before(start),
            attributes=tuple(attributes),
            public=public is not None,
        )
        return item

    def attribute(self, children: Children, start: int, end: int) -> ast.Marker:
        return ast.Marker(self._span(start, children[0].end), self._name(children[0]))

    def _check_attributes(
        self, attributes: Sequence[ast.Marker], known: Sequence[str], where: str
    ) -> None:
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

    def import_module(self, children: Children, start: int, end: int) -> partial[Any]:
        path, alias = children
        return partial(ast.ImportModule, path=path, alias=self._optional_name(alias))

    def import_names(self, children: Children, start: int, end: int) -> partial[Any]:
        path, names = children
        return partial(ast.ImportNames, path=path, names=names)

    def path(self, children: Children, start: int, end: int) -> tuple[ast.Name, ...]:
        return tuple(self._name(token) for token in children)

    def imported_names(
        self, children: Children, start: int, end: int
    ) -> tuple[ast.ImportedName, ...]:
        return tuple(children)

    def imported_name(self, children: Children, start: int, end: int) -> ast.ImportedName:
        name, alias = children
        return ast.ImportedName(
            self._span(start, end), self._name(name), self._optional_name(alias)
        )

    def constant(self, children: Children, start: int, end: int) -> partial[Any]:
        name, type_, value = children
        return partial(ast.Constant, name=self._name(name), type=type_, value=value)

    def alias(self, children: Children, start: int, end: int) -> partial[Any]:
        name, parameters, type_ = children
        return partial(ast.Alias, name=self._name(name), parameters=parameters or (), type=type_)

    def struct(self, children: Children, start: int, end: int) -> partial[Any]:
        name, parameters, *fields = children
        return partial(
            ast.Struct,
            name=self._name(name),
            parameters=parameters or (),
            fields=tuple(fields),
        )

    def field(self, children: Children, start: int, end: int) -> ast.Field:
        name, type_ = children
        docs = self._documentation.take_before(start) + self._documentation.take_after(end)
        return ast.Field(self._span(start, end), self._name(name), type_, docs)

    def function(self, children: Children, start: int, end: int) -> partial[Any]:
        name, parameters, arguments, result, constraints, body = children
        return partial(
            ast.Function,
            name=self._name(name),
            parameters=parameters or (),
            arguments=arguments or (),
            result=result,
            constraints=constraints or (),
            body=body,
            signature_end=(constraints[-1] if constraints else result).span.end,
        )

    def arguments(self, children: Children, start: int, end: int) -> tuple[ast.Argument, ...]:
        return tuple(children)

    def argument(self, children: Children, start: int, end: int) -> ast.Argument:
        name, type_, default = children
        return ast.Argument(self._span(start, end), self._name(name), type_, default)

    def where(self, children: Children, start: int, end: int) -> tuple[ast.Constraint, ...]:
        return tuple(constraint for constraint in children if constraint is not None)

    def constraint(self, children: Children, start: int, end: int) -> ast.Constraint | None:
        left, relation, right = children
        if relation.type == "!=":
            self._refuse(
                "E0512",
                self._span(relation.start, relation.end),
                "a `where` clause cannot say that sizes differ",
                "use `==`, `<=`, `<`, `>=`, `>` or `divides`",
            )
            return None
        return ast.Constraint(self._span(start, end), relation.type, left, right)

    def parameters(
        self, children: Children, start: int, end: int
    ) -> tuple[ast.Parameter | ast.PackParameter, ...]:
        return tuple(children)

    def parameter(self, children: Children, start: int, end: int) -> ast.Parameter:
        static, name, kind, default = children
        kind_name, kind_argument = kind or (None, None)
        return ast.Parameter(
            self._span(start, end),
            self._name(name),
            static is not None,
            kind_name,
            kind_argument,
            default,
        )

    def pack_parameter(self, children: Children, start: int, end: int) -> ast.PackParameter:
        return ast.PackParameter(self._span(start, end), self._name(children[0]))

    def kind(self, children: Children, start: int, end: int) -> tuple[ast.Name, ast.Name | None]:
        return self._name(children[0]), self._optional_name(children[1])

    def test(self, children: Children, start: int, end: int) -> partial[Any]:
        name, body = children
        # A test's own block needs no value; blocks inside it do.
        self._valueless = [
            block for block in self._valueless if block is not body or not body.statements
        ]
        return partial(ast.Test, name=self._text(name), body=body)

    def example(self, children: Children, start: int, end: int) -> partial[Any]:
        function, bindings, result = children
        return partial(
            ast.Example,
            function=self._name(function),
            bindings=bindings or (),
            result=result,
        )

    def bindings(self, children: Children, start: int, end: int) -> tuple[ast.Keyword, ...]:
        return tuple(children)

    # --- types

    def named_type(self, children: Children, start: int, end: int) -> ast.NamedType:
        name, dimensions = children
        return ast.NamedType(
            self._span(start, end), self._name(name), dimensions or (), dimensions is not None
        )

    def dimensions(self, children: Children, start: int, end: int) -> tuple[ast.Dimension, ...]:
        return tuple(children)

    def dimension(self, children: Children, start: int, end: int) -> ast.Dimension:
        size = children[0]
        if isinstance(size, ast.Wildcard):
            return ast.AnyDimension(size.span)
        return cast(ast.Dimension, size)

    def pack_dimension(self, children: Children, start: int, end: int) -> ast.PackDimension:
        return ast.PackDimension(self._span(start, end), self._name(children[0]))

    def named_dimension(self, children: Children, start: int, end: int) -> ast.NamedDimension:
        return ast.NamedDimension(self._span(start, end), self._name(children[0]), children[1])

    def list_type(self, children: Children, start: int, end: int) -> ast.ListType:
        return ast.ListType(self._span(start, end), children[0], children[1])

    def tuple_type(self, children: Children, start: int, end: int) -> ast.TupleType:
        return ast.TupleType(self._span(start, end), tuple(children))

    # --- statements

    def block(self, children: Children, start: int, end: int) -> ast.Block:
        block = ast.Block(self._span(start, end), tuple(children))
        # An `assert` at the end is refused for itself, outside of a test.
        if not children or isinstance(children[-1], ast.Let):
            self._valueless.append(block)
        return block

    def _refuse_valueless(self, block: ast.Block, is_test: bool) -> None:
        if block.statements:
            last = block.statements[-1].span
            advice = Help("end the block with an expression: that is its value")
            self._refuse("E0118", last, "a block cannot end with a `let`", "", advice)
        elif is_test:
            self._refuse("E0118", block.span, "this block is empty", "a test holds an `assert`")
        else:
            label = "a block ends with an expression, its value"
            end = self._span(block.span.end - 1, block.span.end)
            self._refuse("E0118", end, "this block is empty", label)

    def let(self, children: Children, start: int, end: int) -> ast.Let:
        return ast.Let(self._span(start, end), *children)

    def assert_(self, children: Children, start: int, end: int) -> ast.Assert:
        condition, message = children
        span = self._span(start, end)
        self._asserts.append(span)
        return ast.Assert(span, condition, None if message is None else self._text(message))

    def expression_statement(
        self, children: Children, start: int, end: int
    ) -> ast.ExpressionStatement:
        return ast.ExpressionStatement(self._span(start, end), children[0])

    def name_pattern(self, children: Children, start: int, end: int) -> ast.NamePattern:
        return ast.NamePattern(self._span(start, end), children[0].text)

    def ignore_pattern(self, children: Children, start: int, end: int) -> ast.IgnorePattern:
        return ast.IgnorePattern(self._span(start, end))

    def tuple_pattern(self, children: Children, start: int, end: int) -> ast.SequencePattern:
        return ast.SequencePattern(self._span(start, end), "tuple", tuple(children))

    def list_pattern(self, children: Children, start: int, end: int) -> ast.SequencePattern:
        return ast.SequencePattern(self._span(start, end), "list", tuple(children))

    # --- expressions

    def if_(self, children: Children, start: int, end: int) -> ast.If:
        return ast.If(self._span(start, end), *children)

    def loop(self, children: Children, start: int, end: int) -> ast.Loop:
        *attributes, word, state, initial, pattern, iterated, body = children
        self._check_attributes(attributes, _LOOP_ATTRIBUTES, "before a loop")
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
        self._check_attributes(attributes, _LOOP_ATTRIBUTES, "before a comprehension")
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
