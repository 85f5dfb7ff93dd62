"""What a builtin's typing rule sees of the checker, and the advice that only the checker can add."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from tdsl.check import typed
from tdsl.check.advice import add_where, divisibility, insert
from tdsl.check.binders import with_binders
from tdsl.check.context import Context
from tdsl.check.reduction_advice import kept, kept_axes, other_axes, reductions
from tdsl.ops.table import Given
from tdsl.syntax.diagnostics import Diagnostic, Help, Label
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
        function = self.context.owner.node
        reduced = [operand.span for operand in self.operands if _is_reduction(operand)]
        ranks = [len(op.type.shape) for op in self.operands if isinstance(op.type, TensorType)]
        if function is not None and len(set(ranks)) == 1:
            # There is no axis that a kept one could stand for.
            yield from other_axes(function, [operand.span for operand in self.operands])
        if not reduced:
            if function is not None:
                yield from kept_axes(function, [operand.span for operand in self.operands])
            return
        yield Help("keep the axis that is reduced, with size 1", kept(reduced))
        every = [call.span for call in reductions(function)] if function is not None else []
        if len(every) > len(reduced):
            yield Help("keep the axes that are reduced, with size 1", kept(every))

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
