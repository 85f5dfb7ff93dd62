"""Edits that diagnostics propose. Each is tried before it is offered, see helps.py."""

from __future__ import annotations

from collections.abc import Iterable

from tdsl.check.context import Context
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.naming import Names
from tdsl.types.sizes import Opaque, Size, divide_exactly


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


def divisibility(context: Context, sizes: Iterable[Size]) -> list[Help]:
    """Where `a//b` stands in a size, `b divides a` is often what is missing."""
    found: dict[str, None] = {}
    for size in sizes:
        for atom in size.atoms():
            if isinstance(atom, Opaque) and atom.operator == "//" and atom.left.symbol is not None:
                left, right = context.names.size(atom.left), context.names.size(atom.right)
                found[f"{right} divides {left}"] = None
    if context.owner.node is None:
        return []
    return [add_where(context, clause) for clause in found]


def at_most(left: str, right: str) -> str:
    """`left <= right`, with a literal on the right, as people write it."""
    return f"{right} >= {left}" if left.lstrip("-").isdigit() else f"{left} <= {right}"


def positive(names: Names, size: Size) -> str:
    """`size >= 0`, with the number on the right."""
    constant = next((factor for monomial, factor in size.terms if not monomial), 0)
    return f"{names.size(size - constant)} >= {-constant}"


def less(names: Names, left: Size, right: Size) -> str:
    """`left < right`; against a number, with all numbers on the right: `N > 1`, not `N - 1 > 0`."""
    difference = right - left
    constant = next((factor for monomial, factor in difference.terms if not monomial), 0)
    varying = difference - constant
    if (left.literal is None) != (right.literal is None):
        if all(factor < 0 for _, factor in varying.terms):
            return f"{names.size(-varying)} < {constant}"
        return f"{names.size(varying)} > {-constant}"
    if len(varying.terms) == 1 and left.literal is None:
        ((_, factor),) = varying.terms
        alone = divide_exactly(varying, Size.of(factor))
        assert alone is not None
        if factor > 0:
            return f"{names.size(alone)} > {-constant // factor}"
        return f"{names.size(alone)} < {-(constant // factor)}"
    return f"{names.size(left)} < {names.size(right)}"


def wrap(span: Span, before: str, after: str) -> tuple[Edit, ...]:
    """Text before and after an expression."""
    return (
        Edit(Span(span.source, span.start, span.start), before),
        Edit(Span(span.source, span.end, span.end), after),
    )


def insert(span: Span, offset: int, text: str) -> Edit:
    return Edit(Span(span.source, offset, offset), text)
