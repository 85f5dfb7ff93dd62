"""Edits that diagnostics propose. Each is tried before it is offered, see helps.py."""

from __future__ import annotations

from tdsl.check.context import Context
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span


def add_where(context: Context, clause: str, text: str = "") -> Help:
    """Advice to add a `where` clause, with the edit where there is a function to add it to."""
    function = context.owner.node
    if function is None:
        return Help(text or f"this needs {clause}")
    name = function.name.text
    advice = text or f"add `where {clause}`; every call of `{name}` is then checked"
    return Help(advice, (where_edit(function, clause),))


def where_edit(function: ast.Function, clause: str) -> Edit:
    source, end = function.span.source, function.signature_end
    joined = f", {clause}" if function.constraints else f" where {clause}"
    return Edit(Span(source, end, end), joined)


def wrap(span: Span, before: str, after: str) -> tuple[Edit, ...]:
    """Text before and after an expression."""
    return (
        Edit(Span(span.source, span.start, span.start), before),
        Edit(Span(span.source, span.end, span.end), after),
    )


def insert(span: Span, offset: int, text: str) -> Edit:
    return Edit(Span(span.source, offset, offset), text)
