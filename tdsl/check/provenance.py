"""Where a dtype in a result came from: the promotion that made it, and the value that brought it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tdsl.check import typed
from tdsl.check.advice import wrap
from tdsl.check.context import Context
from tdsl.ops.builtins import BUILTINS
from tdsl.syntax.diagnostics import Edit, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.dtypes import AnyDType
from tdsl.types.sizes import Size
from tdsl.types.types import TensorType, WeakType


@dataclass(frozen=True)
class Provenance:
    """`place` is where the dtype arose; `helps` how to keep the declared one instead."""

    place: Label | None
    labels: tuple[Label, ...]
    notes: tuple[str, ...]
    size_helps: tuple[Help, ...]
    round_helps: tuple[Help, ...]


def dtype_origin(
    context: Context, body: typed.Expression, declared: AnyDType, given: AnyDType
) -> Provenance:
    trace = _Trace(body, given)
    found = trace.promotion(body)
    if found is None:
        source = trace.source(body)
        labels = _source_labels(context, source, given)
        return Provenance(None, labels, (), (), _round(source, declared))
    apply, culprit, other = found
    return _of_promotion(context, trace, apply, culprit, other, declared, given)


class _Trace:
    """Follow values backwards through the bindings of a body."""

    def __init__(self, body: typed.Expression, dtype: AnyDType) -> None:
        self.dtype = dtype
        self.bindings: dict[int, typed.Expression] = {}
        for sequence in _sequences(body):
            for statement in sequence.statements:
                if isinstance(statement, typed.Binding):
                    self.bindings[statement.local.index] = statement.value

    def has_dtype(self, expression: typed.Expression) -> bool:
        type_ = expression.type
        return isinstance(type_, TensorType) and type_.dtype == self.dtype

    def step(self, expression: typed.Expression) -> typed.Expression | None:
        """What a value was made of, where it has its dtype from there."""
        match expression:
            case typed.Sequence() | typed.Index() | typed.Item():
                return expression.value
            case typed.Local():
                return self.bindings.get(expression.index)
            case typed.Conditional():
                return expression.then
            case typed.Apply():
                return next(filter(self.has_dtype, expression.operands), None)
            case _:
                return None

    def promotion(
        self, expression: typed.Expression
    ) -> tuple[typed.Apply, typed.Expression | None, typed.Expression] | None:
        """The application in which another dtype became this one; what brought this one in (None:
        the operation itself did), and what was converted."""
        current: typed.Expression | None = expression
        while current is not None:
            if isinstance(current, typed.Apply):
                converted = [
                    operand
                    for operand in current.operands
                    if isinstance(operand, typed.Convert)
                    and not operand.explicit
                    and operand.dtype == self.dtype
                    and isinstance(operand.value.type, TensorType)
                ]
                if converted:
                    native = [
                        operand
                        for operand in current.operands
                        if self.has_dtype(operand) and operand not in converted
                    ]
                    return current, native[0] if native else None, converted[0]
            current = self.step(current)
        return None

    def source(self, expression: typed.Expression) -> typed.Expression:
        """The parameter, cast or call that a value has its dtype from."""
        current = expression
        while True:
            before = self.step(current)
            if before is None:
                return current
            current = before


def _sequences(body: typed.Expression) -> Iterator[typed.Sequence]:
    """Those on the way to the value; inner ones of comprehensions do not matter here."""
    pending = [body]
    while pending:
        current = pending.pop()
        if isinstance(current, typed.Sequence):
            yield current
            pending.append(current.value)
        elif isinstance(current, typed.Conditional):
            pending += [current.then, current.otherwise]


def _of_promotion(
    context: Context,
    trace: _Trace,
    apply: typed.Apply,
    culprit: typed.Expression | None,
    other: typed.Expression,
    declared: AnyDType,
    given: AnyDType,
) -> Provenance:
    assert isinstance(other, typed.Convert)
    assert isinstance(other.value.type, TensorType)
    met = other.value.type.dtype
    name = BUILTINS[apply.builtin].operator or apply.builtin
    if culprit is None:
        place = Label(_operator_span(apply), f"`{name}` of {met} gives {given}")
        return Provenance(place, (), (), (), ())
    if isinstance(culprit, typed.Convert) and not culprit.explicit:
        remark = f"{met} with a number with a fraction gives {given}"
        return Provenance(Label(_operator_span(apply), remark), (), (), (), ())
    source = trace.source(culprit)
    is_scalar = isinstance(culprit.type, TensorType) and not culprit.type.shape
    remark = ""
    if is_scalar and isinstance(source, typed.Local):
        remark = f" (NumPy 2: `{source.name}` is a typed scalar, not a literal)"
    left, right = (given, met) if apply.operands[0] is culprit else (met, given)
    shown = f"{left} {name} {right}" if len(apply.operands) == 2 else f"{met} with {given}"
    place = Label(_operator_span(apply), f"{shown} gives {given}{remark}")
    return Provenance(
        place,
        _source_labels(context, source, given),
        (),
        _size_help(context, source, culprit, declared) if is_scalar else (),
        _round(culprit, declared),
    )


def _source_labels(
    context: Context, source: typed.Expression, given: AnyDType
) -> tuple[Label, ...]:
    match source:
        case typed.Local():
            node = context.owner.node
            declared = {} if node is None else {a.name.text: a.span for a in node.arguments}
            span = declared.get(source.name, source.span)
            return (Label(span, f"the {given} comes from here"),)
        case typed.Convert(explicit=True):
            return (Label(source.span, f"the {given} comes from this cast"),)
        case typed.Convert():
            return (Label(source.span, f"this number is {given} here: it meets no float array"),)
        case typed.CallFunction():
            return (Label(source.span, f"`{source.function.name}` gives {given}"),)
        case _:
            return (Label(source.span, f"the {given} comes from here"),)


def _round(culprit: typed.Expression, declared: AnyDType) -> tuple[Help, ...]:
    """Convert what brought the other dtype in: between floats only, for it may be small."""
    if not declared.is_float:
        return ()
    if isinstance(culprit, typed.Convert) and culprit.explicit:
        inner = culprit.value
        text = f"{declared}({inner.span.text})"
        if isinstance(inner.type, WeakType):
            text = inner.span.text
            return (
                Help(
                    f"leave the cast out; the number is then weak and keeps {declared}: `{text}`",
                    (Edit(culprit.span, text),),
                ),
            )
        return (Help(f"or round explicitly: `{text}`", (Edit(culprit.span, text),)),)
    text = f"{declared}({culprit.span.text})"
    return (Help(f"or round explicitly: `{text}`", wrap(culprit.span, f"{declared}(", ")")),)


def _size_help(
    context: Context, source: typed.Expression, culprit: typed.Expression, declared: AnyDType
) -> tuple[Help, ...]:
    """A scalar argument such as `depth: f64` is often a size that has a name already: the last
    axis of the first array."""
    function = context.owner.node
    if function is None or not isinstance(source, typed.Local):
        return ()
    for argument in function.arguments:
        bound = context.environment.find(argument.name.text)
        if bound is None or not isinstance(bound.value.type, TensorType):
            continue
        shape = bound.value.type.shape
        if not shape or not isinstance(shape[-1], Size):
            continue
        size = context.names.size(shape[-1])
        if not size.isidentifier():
            return ()
        mention = _mention(culprit, source.name)
        if mention is None:
            return ()
        before, after = mention
        text = f"{before}{size}{after}"
        return (
            Help(
                f"use the static size, which is weak and keeps {declared}: `{text}`",
                (Edit(culprit.span, text),),
            ),
        )
    return ()


def _mention(culprit: typed.Expression, name: str) -> tuple[str, str] | None:
    """The text around the one mention of a name in an expression."""
    found = list(re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", culprit.span.text))
    if len(found) != 1:
        return None
    text = culprit.span.text
    return text[: found[0].start()], text[found[0].end() :]


def _operator_span(apply: typed.Apply) -> Span:
    """The operator between two operands, where it was written so; else the whole."""
    if len(apply.operands) == 2 and BUILTINS[apply.builtin].operator is not None:
        left, right = (operand.span for operand in apply.operands)
        start, end = left.end, right.start
        if left.source is right.source and start < end:
            text = left.source.text[start:end]
            operator = BUILTINS[apply.builtin].operator or ""
            offset = text.find(operator)
            if offset >= 0:
                return Span(left.source, start + offset, start + offset + len(operator))
    return apply.span
