"""Advice about reductions: to keep the axis that is reduced, or to reduce another one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from tdsl.check.advice import insert
from tdsl.ops.builtins import BUILTINS
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span

# What may have been meant instead of an axis.
_OTHERS = {0: (1, 2), 1: (0, 2), 2: (1, 0), -1: (-2, -3), -2: (-1, -3)}


def kept(calls: Iterable[Span]) -> tuple[Edit, ...]:
    return tuple(insert(span, span.end - 1, ", keepdims=true") for span in calls)


def other_axes(function: ast.Function, places: Sequence[Span]) -> Iterator[Help]:
    """For reductions that lead to what stands at these places: over another axis."""
    for call in _leading_to(function, places):
        (axis,) = (keyword.value for keyword in call.keywords if keyword.name.text == "axis")
        written = axis.span.text.replace(" ", "")
        if not re.fullmatch(r"-?\d+", written):
            continue
        for other in _OTHERS.get(int(written), ()):
            before = call.span.source.text[call.span.start : axis.span.start]
            after = call.span.source.text[axis.span.end : call.span.end]
            text = f"reduce another axis: `{before}{other}{after}`"
            yield Help(text, (Edit(axis.span, str(other)),))


def kept_axes(function: ast.Function, places: Sequence[Span]) -> Iterator[Help]:
    """The same reductions with their axis kept, where they have a name."""
    calls = [call.span for call in _leading_to(function, places)]
    if calls:
        yield Help("keep the axis that is reduced, with size 1", kept(calls))


def _leading_to(function: ast.Function, places: Sequence[Span]) -> list[ast.Call]:
    """Those at the places themselves, and in what gives the names there their values."""
    names = {name for place in places for name in re.findall(r"[A-Za-z_]\w*", place.text)}
    inside = [*places]
    inside += [
        statement.value.span
        for statement in function.body.statements
        if isinstance(statement, ast.Let) and statement.pattern.span.text in names
    ]
    return [
        call
        for call in reductions(function)
        if any(place.start <= call.span.start and call.span.end <= place.end for place in inside)
    ]


def reductions(function: ast.Function) -> Iterator[ast.Call]:
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
                yield node
        pending += (getattr(node, part.name) for part in fields(node))
