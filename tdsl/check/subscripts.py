"""Subscripts: slices proved in bounds, static indices, new axes, items of tuples and lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.advice import add_where, at_most, divisibility, less, positive
from tdsl.check.binders import with_binders
from tdsl.check.context import Context
from tdsl.check.sizes import size_of
from tdsl.check.values import at, is_poisoned, kind_of, poison, static_size
from tdsl.ops.primitive import BOOL
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.sizes import Dimension, Pack, Shape, Size, opaque
from tdsl.types.types import ListType, TensorType, TupleType

Item = ast.SliceItem | ast.NewAxis | ast.Ellipsis_ | ast.Expression


def check_subscript(context: Context, node: ast.Subscript) -> typed.Expression:
    value = context.check(node.value)
    if is_poisoned(value):
        return value
    if isinstance(value.type, (TupleType, ListType)):
        return _item(context, node, value)
    if not isinstance(value.type, TensorType):
        return context.fail(
            node.value,
            "E0308",
            f"only arrays, lists and tuples can be indexed, not {kind_of(value.type)}",
            f"this is {context.show(value.type)}",
        )
    return _Subscript(context, node, value, value.type).check()


def _item(context: Context, node: ast.Subscript, value: typed.Expression) -> typed.Expression:
    if len(node.items) != 1 or isinstance(
        node.items[0], (ast.SliceItem, ast.NewAxis, ast.Ellipsis_)
    ):
        return context.fail(
            node,
            "E0402",
            f"{kind_of(value.type)} is indexed by one integer",
            f"this is {context.show(value.type)}",
            helps=[Help("some of its items are `[xs[i] for i in a..b]`")]
            if isinstance(value.type, ListType)
            else [],
        )
    position = size_of(context, context.check(node.items[0]), f"the index of {kind_of(value.type)}")
    if position is None:
        return poison(node.span)
    literal = position.literal
    length = Size.of(len(value.type.items)) if isinstance(value.type, TupleType) else None
    if isinstance(value.type, ListType):
        length = value.type.length
    assert length is not None
    if literal is None and (isinstance(value.type, TupleType) or length.literal is not None):
        return context.fail(
            node.items[0],
            "E0414",
            f"{kind_of(value.type)} that is written out is indexed by a literal",
            f"this is {context.show(value.type)}",
        )
    absolute = _absolute(context, position, length)
    if absolute is None:
        shown, count = context.names.size(position), context.names.size(length)
        certain = _is_outside(context, position, length)
        clause = less(context.names, position, length)
        if literal is not None and literal < 0:
            clause = f"{count} >= {-literal}"
        elif _from_the_end(context, position):
            clause = at_most(context.names.size(-position), count)
        return context.fail(
            node.items[0],
            "E0408",
            f"index {shown} {'is' if certain else 'may be'} out of bounds: there are {count} items",
            more=[(node.value.span, f"this is {context.show(value.type)}")],
            helps=[] if certain else [add_where(context, clause)],
        )
    if isinstance(value, (typed.MakeTuple, typed.MakeList)):
        assert absolute.literal is not None
        return at(value.items[absolute.literal], node.span)
    if isinstance(value.type, ListType):
        type_ = value.type.item
    else:
        assert isinstance(value.type, TupleType)
        assert absolute.literal is not None
        type_ = value.type.items[absolute.literal]
    return typed.Item(type_, node.span, value, absolute)


@dataclass(frozen=True, eq=False)
class _Subscript:
    """One subscript of an array."""

    context: Context
    node: ast.Subscript
    value: typed.Expression
    type: TensorType

    def check(self) -> typed.Expression:
        items = self.node.items
        ellipses = [i for i, item in enumerate(items) if isinstance(item, ast.Ellipsis_)]
        if len(ellipses) > 1:
            return self.context.fail(items[ellipses[1]], "E0402", "`...` can stand only once")
        before = items[: ellipses[0]] if ellipses else items
        after = items[ellipses[0] + 1 :] if ellipses else ()
        shape = self.type.shape
        named = _axes(before) + _axes(after)
        axes = sum(isinstance(size, Size) for size in shape)
        if named > axes:
            return self._in_pack() if axes < len(shape) else self._too_many(named)
        rest = len(shape) - _axes(after)
        front = shape[: _axes(before)]
        if any(isinstance(size, Pack) for size in (*front, *shape[rest:])):
            return self._in_pack()
        leading = self._side(before, front, 0)
        trailing = self._side(after, shape[rest:], rest)
        if leading is None or trailing is None:
            return poison(self.node.span)
        middle = shape[_axes(before) : rest]
        found: list[typed.IndexItem] = list(leading[0])
        if middle:
            found.append(typed.IndexAll(middle))
        found += trailing[0]
        result = (*leading[1], *middle, *trailing[1])
        return typed.Index(
            TensorType(self.type.dtype, result),
            self.node.span,
            self.value,
            tuple(found),
        )

    def _side(
        self, items: Sequence[Item], shape: Shape, first_axis: int
    ) -> tuple[list[typed.IndexItem], list[Dimension]] | None:
        """The items before or after `...`, and the axes that they give."""
        found: list[typed.IndexItem] = []
        result: list[Dimension] = []
        fine = True
        axis = 0
        for item in items:
            if isinstance(item, ast.NewAxis):
                found.append(typed.IndexNew())
                result.append(Size.of(1))
                continue
            size = shape[axis]
            assert isinstance(size, Size)
            index = self._one(item, size, first_axis + axis)
            axis += 1
            if index is None:
                fine = False
                continue
            found.append(index)
            if isinstance(index, typed.IndexAll):
                result.append(size)
            elif isinstance(index, typed.IndexRange):
                result.append(index.stop - index.start)
        return (found, result) if fine else None

    def _one(self, item: Item, size: Size, axis: int) -> typed.IndexItem | None:
        if isinstance(item, ast.SliceItem):
            return self._slice(item, size, axis)
        assert not isinstance(item, (ast.NewAxis, ast.Ellipsis_))
        expression = self.context.check(item)
        if is_poisoned(expression):
            return None
        position = static_size(expression)
        if position is None:
            self._not_static(item, expression, axis)
            return None
        return self._position(item, position, size, axis)

    def _position(
        self, item: ast.Expression, position: Size, size: Size, axis: int
    ) -> typed.IndexItem | None:
        facts, names = self.context.facts, self.context.names
        literal = position.literal
        from_the_end = _from_the_end(self.context, position)
        absolute = _absolute(self.context, position, size)
        if absolute is not None:
            return typed.IndexAt(position if literal is not None else absolute)
        shown = names.size(position)
        if _is_outside(self.context, position, size):
            message = f"index {shown} is out of bounds"
            helps = []
        else:
            message = f"index {shown} may be out of bounds"
            if literal is not None and literal < 0:
                clause = f"{names.size(size)} >= {-literal}"
            elif from_the_end:
                clause = at_most(names.size(-position), names.size(size))
            elif facts.at_least(position + size) or facts.at_least(position):
                clause = less(names, position, size)
            else:
                clause = positive(names, position)
                if not facts.at_least(size - position, 1):
                    clause = f"{clause}, {less(names, position, size)}"
            helps = [replace(add_where(self.context, clause), stands=True)]
        self._report("E0408", message, item.span, axis, size, helps)
        return None

    def _slice(self, item: ast.SliceItem, size: Size, axis: int) -> typed.IndexItem | None:
        if item.start is None and item.stop is None:
            return typed.IndexAll((size,))
        start = self._bound(item.start, Size.of(0), size)
        stop = self._bound(item.stop, size, size)
        if start is None or stop is None:
            return None
        facts, names = self.context.facts, self.context.names
        low, high, full = names.size(start), names.size(stop), names.size(size)
        never = (
            facts.at_least(stop - size, 1)
            or facts.at_least(-start, 1)
            or facts.at_least(start - stop)
        )
        problems: list[tuple[str, str, str]] = []
        if not facts.at_least(size - stop):
            certain = facts.at_least(stop - size, 1)
            verb = "runs" if certain else "may run"
            message = (
                f"this slice {verb} past the end: it stops at {high}, "
                f"and axis {axis} of {self._shown()} has size {full}"
            )
            remark = "" if certain else f"nothing says {high} <= {full}"
            problems.append((message, at_most(high, full), remark))
        if not facts.at_least(start):
            verb = "starts" if facts.at_least(-start, 1) else "may start"
            problems.append(
                (
                    f"this slice {verb} before the first position: it starts at {low}",
                    positive(names, start),
                    "",
                )
            )
        if not facts.at_least(stop - start, 1):
            verb = "is" if facts.at_least(start - stop) else "may be"
            problems.append(
                (
                    f"this slice {verb} empty: it starts at {low} and stops at {high}",
                    less(names, start, stop),
                    "",
                )
            )
        if not problems:
            return typed.IndexRange(start, stop)
        message, _, remark = problems[0]
        helps: list[Help] = []
        if not never:
            helps += divisibility(self.context, (start, stop))
            helps.append(self._where([problem[1] for problem in problems]))
        self._report("E0401", message, item.span, axis, size, helps, remark)
        return None

    def _where(self, clauses: Sequence[str]) -> Help:
        return replace(add_where(self.context, ", ".join(clauses)), stands=True)

    def _shown(self) -> str:
        text = self.node.value.span.text
        return f"`{text}`" if len(text) <= 30 and "\n" not in text else "the array"

    def _bound(self, node: ast.Expression | None, default: Size, size: Size) -> Size | None:
        """One end of a slice; a negative literal counts from the end."""
        if node is None:
            return default
        expression = self.context.check(node)
        if isinstance(expression.type, TensorType):
            self._dynamic(
                node,
                expression,
                "the ends of a slice are known before a program runs",
                Help("`slice(x, at=[…], size=[…])` cuts a window out at run time"),
            )
            return None
        found = size_of(self.context, expression, "the end of a slice")
        if found is not None and found.literal is not None and found.literal < 0:
            return size + found
        return found

    def _not_static(self, item: ast.Expression, expression: typed.Expression, axis: int) -> None:
        type_ = expression.type
        if isinstance(type_, TensorType) and not type_.dtype.is_float:
            if type_.dtype == BOOL:
                self._mask(item, expression, axis)
                return
            self._dynamic(
                item, expression, "an index is known before a program runs", self._take(item, axis)
            )
            return
        self.context.fail(
            item,
            "E0206",
            f"an index is an integer, not {kind_of(type_)}",
            f"this is {self.context.show(type_)}",
        )

    def _mask(self, item: ast.Expression, expression: typed.Expression, axis: int) -> None:
        """`x[x > 0]`."""
        array, mask = self.node.value.span.text, item.span.text
        helps = []
        if len(self.node.items) == 1 and isinstance(expression.type, TensorType):
            shape = self.type.shape
            rest = ["newaxis"] * (len(shape) - len(expression.type.shape))
            simple = re.fullmatch(r"[\w.]+", mask) is not None
            if rest:
                wanted = ", ".join([":"] * len(expression.type.shape) + rest)
                mask = f"{mask if simple else f'({mask})'}[{wanted}]"
            zero = "false" if self.type.dtype == BOOL else "0"
            text = f"select({mask}, {array}, {zero})"
            helps.append(
                Help(
                    f"to keep the shape, with 0 elsewhere: `{text}`", (Edit(self.node.span, text),)
                )
            )
        else:
            helps.append(Help("`select(mask, a, b)` chooses, and keeps the shape"))
        helps.append(
            Help(f"to reduce what the mask picks: `sum(select({item.span.text}, {array}, 0))`")
        )
        self.context.fail(
            item,
            "E0206",
            "a mask picks a number of elements that is known only when the program runs",
            f"this is {self.context.show(expression.type)}",
            notes=["every axis has a size before a program runs"],
            helps=helps,
        )

    def _take(self, item: ast.Expression, axis: int) -> Help:
        array, index = self.node.value.span.text, item.span.text
        text = f"take({array}, {index}, axis={axis})"
        alone = len(self.node.items) == 1
        edits = (Edit(self.node.span, text),) if alone else ()
        return Help(f"`{text}` looks values up at run time", edits)

    def _dynamic(
        self, item: ast.Expression, expression: typed.Expression, message: str, help_: Help
    ) -> None:
        self.context.fail(
            item,
            "E0206",
            f"{message}; this is a value of an array",
            f"this is {self.context.show(expression.type)}",
            notes=["sizes, literals and indices of loops can stand here"],
            helps=[help_],
        )

    def _report(
        self,
        code: str,
        message: str,
        span: Span,
        axis: int,
        size: Size,
        helps: Sequence[Help],
        remark: str = "",
    ) -> None:
        names = self.context.names
        shown = self.context.show(self.type)
        labels = [Label(span), Label(self.node.value.span, f"this is {shown}")]
        notes = [f"axis {axis} has size {names.size(size)}"] if "axis" not in message else []
        notes += self._indices(span)
        if remark:
            notes.append(remark)
        diagnostic = Diagnostic(code, message, tuple(labels), tuple(notes), tuple(helps))
        self.context.reporter.add(with_binders(self.context.owner, diagnostic))

    def _indices(self, span: Span) -> list[str]:
        """What is known of the indices of loops in an index."""
        names, ranges = self.context.names, self.context.owner.ranges
        return [
            f"`{symbol.name}` goes from {names.size(start)} to {names.size(stop - 1)}"
            for symbol, (start, stop) in ranges.items()
            if re.search(rf"\b{re.escape(symbol.name)}\b", span.text)
            and any(
                isinstance(bound.value, typed.SizeNumber) and bound.value.size.symbol == symbol
                for bound in [self.context.environment.find(symbol.name)]
                if bound is not None
            )
        ]

    def _too_many(self, named: int) -> typed.Expression:
        shown = self.context.show(self.type)
        axes = len(self.type.shape)
        return self.context.fail(
            self.node,
            "E0402",
            f"{named} {'index' if named == 1 else 'indices'} for an array with {axes} {'axis' if axes == 1 else 'axes'}",
            more=[(self.node.value.span, f"this is {shown}")],
        )

    def _in_pack(self) -> typed.Expression:
        pack = next(size for size in self.type.shape if isinstance(size, Pack))
        return self.context.fail(
            self.node,
            "E0402",
            f"the axes `...{pack.name}` can be any number; they cannot be indexed one by one",
            more=[(self.node.value.span, f"this is {self.context.show(self.type)}")],
            helps=[Help("write `...` for them, and index the axes before or after it")],
        )


def _from_the_end(context: Context, position: Size) -> bool:
    """Whether an index is below 0 whatever the sizes are, and so counts from the end."""
    return context.facts.at_least(-position, 1)


def _absolute(context: Context, position: Size, count: Size) -> Size | None:
    """An index as counted from the start, where it is proved to lie in [-count, count)."""
    facts = context.facts
    if not facts.at_least(count - position, 1):
        return None
    if facts.at_least(position):
        return position
    if not facts.at_least(position + count):
        return None
    if _from_the_end(context, position):
        return position + count
    # On which side of 0 it lies depends on the sizes.
    return opaque("%", position, count)


def _is_outside(context: Context, position: Size, count: Size) -> bool:
    """Whether an index lies outside [-count, count) whatever the sizes are."""
    facts = context.facts
    return facts.at_least(position - count) or facts.at_least(-(position + count), 1)


def _axes(items: Sequence[Item]) -> int:
    return sum(not isinstance(item, (ast.NewAxis, ast.Ellipsis_)) for item in items)
