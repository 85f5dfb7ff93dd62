"""What a builtin's typing rule sees of the checker, and the advice that only the checker can add."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal, NoReturn

from tdsl.check import typed
from tdsl.check.advice import add_where, divisibility, insert
from tdsl.check.binders import with_binders
from tdsl.check.context import Context
from tdsl.ops.builtins import BUILTINS
from tdsl.ops.table import Given
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.dtypes import AnyDType
from tdsl.types.sizes import Shape, Size
from tdsl.types.types import (
    ListType,
    PoisonType,
    StructType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)


class Refused(Exception):
    """The rule reported an error."""


@dataclass(frozen=True)
class Judge:
    """The `Checking` of one application; see ops/table.py."""

    context: Context
    span: Span
    given: Mapping[str, Given]
    operands: tuple[typed.Expression, ...]

    def show(self, thing: Type | Size | Shape | AnyDType) -> str:
        names = self.context.names
        if isinstance(thing, Size):
            return names.size(thing)
        if isinstance(thing, tuple):
            return names.shape(thing)
        if isinstance(thing, (TensorType, WeakType, TupleType, ListType, StructType, PoisonType)):
            return names.type(thing)
        return str(thing)

    def at_least(self, size: Size, least: int) -> bool:
        return self.context.facts.at_least(size, least)

    def where(
        self, left: Size, relation: Literal["==", "<=", "divides"], right: Size
    ) -> Help | None:
        if self.context.owner.node is None:
            return None
        names = self.context.names
        return add_where(self.context, f"{names.size(left)} {relation} {names.size(right)}")

    def fail(
        self,
        code: str,
        message: str,
        *,
        labels: Sequence[tuple[Span, str]] = (),
        notes: Sequence[str] = (),
        helps: Sequence[Help] = (),
    ) -> NoReturn:
        marks = tuple(Label(span, text) for span, text in labels) or (Label(self.span),)
        advice = [*self.advice(code), *helps]
        diagnostic = Diagnostic(code, message, marks, tuple(notes), tuple(advice))
        self.context.reporter.add(with_binders(self.context.owner, diagnostic))
        raise Refused

    def advice(self, code: str) -> Iterator[Help]:
        if code in ("E0405", "E0412", "E0413"):
            yield from divisibility(self.context, self.sizes())
        elif code in ("E0304", "E0305"):
            yield from self.keep_axes()
            if code == "E0304":
                yield from self.line_up()

    def line_up(self) -> Iterator[Help]:
        """Where all axes of one operand are among those of another: put new ones between them."""
        arrays = [
            (operand, operand.type.shape)
            for operand in self.operands
            if isinstance(operand.type, TensorType)
        ]
        for small, shape in arrays:
            for _, other in arrays:
                items = _aligned(shape, other)
                if items and "newaxis" in items and re.fullmatch(r"[\w.]+", small.span.text):
                    index = f"[{', '.join(items)}]"
                    text = f"line its axes up: `{small.span.text}{index}`"
                    yield Help(text, (insert(small.span, small.span.end, index),))
                    return

    def keep_axes(self) -> Iterator[Help]:
        """Where a reduction took an axis away that the other operand has: keep it, there or
        everywhere in the function (the next such line would fail in the same way)."""
        reduced = [operand for operand in self.operands if _is_reduction(operand)]
        if not reduced:
            return
        yield Help("keep the axis that is reduced, with size 1", _keep(op.span for op in reduced))
        function = self.context.owner.node
        every = list(_reductions(function)) if function is not None else []
        if len(every) > len(reduced):
            yield Help("keep the axes that are reduced, with size 1", _keep(every))

    def sizes(self) -> Iterator[Size]:
        """Those among what is given: in shapes, and of arrays."""
        for argument in self.given.values():
            shape = argument.type.shape if isinstance(argument.type, TensorType) else argument.value
            if isinstance(shape, Size):
                yield shape
            elif isinstance(shape, tuple):
                yield from (size for size in shape if isinstance(size, Size))


def _aligned(shape: Shape, other: Shape) -> list[str]:
    """The index that gives each axis the place of its equal in a longer shape, from the right;
    empty where one has none."""
    left, items = list(shape), list[str]()
    for axis in reversed(other):
        if not left:
            break
        matches = left[-1] == axis
        items.append(":" if matches else "newaxis")
        if matches:
            left.pop()
    return [] if left or len(shape) >= len(other) else items[::-1]


def _is_reduction(operand: typed.Expression) -> bool:
    return (
        isinstance(operand, typed.Apply)
        and dict(operand.attributes).get("keepdims") is False
        and operand.span.text.endswith(")")
        and "keepdims" not in operand.span.text
    )


def _keep(calls: Iterable[Span]) -> tuple[Edit, ...]:
    return tuple(insert(span, span.end - 1, ", keepdims=true") for span in calls)


def _reductions(function: ast.Function) -> Iterator[Span]:
    """The calls in a function's body that reduce some axes and drop them."""
    pending: list[object] = [function.body]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending += node
        if not isinstance(node, ast.Node):
            continue
        if isinstance(node, ast.Call) and isinstance(node.function, ast.Variable):
            given = {keyword.name.text for keyword in node.keywords}
            builtin = BUILTINS.get(node.function.name)
            takes = {parameter.name for parameter in builtin.parameters} if builtin else set()
            if "keepdims" in takes and "axis" in given and "keepdims" not in given:
                yield node.span
        pending += (getattr(node, part.name) for part in fields(node))
