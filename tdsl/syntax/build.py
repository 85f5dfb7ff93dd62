"""Build the items, types and statements of the syntax tree: one method for each rule."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from tdsl.syntax import ast
from tdsl.syntax.build_expressions import Children, ExpressionBuilder
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.documentation import Documentation
from tdsl.syntax.source import Source, Span

EDITIONS = ("0.1",)
_ITEM_ATTRIBUTES = ("inline",)


class Builder(ExpressionBuilder):
    """The whole tree; also gathers what is judged when an item is complete."""

    def __init__(self, source: Source, documentation: Documentation) -> None:
        super().__init__(source)
        self._documentation = documentation
        self._asserts: list[Span] = []
        self._valueless: list[ast.Block] = []

    def abandon_item(self) -> None:
        """Forget what was gathered for the item that is being built."""
        self._asserts.clear()
        self._valueless.clear()

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
        self._check_attributes(attributes, _ITEM_ATTRIBUTES if body.func is ast.Function else ())
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
        self.abandon_item()
        item: ast.AnyItem = body(
            span=self._span(start, end),
            docs=self._documentation.take_before(start),
            attributes=tuple(attributes),
            public=public is not None,
        )
        return item

    def attribute(self, children: Children, start: int, end: int) -> ast.Marker:
        return ast.Marker(self._span(start, children[0].end), self._name(children[0]))

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
        (*modules, name), dimensions = children
        return ast.NamedType(self._span(start, end), name, dimensions or (), tuple(modules))

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
