"""Read an expression as a size: an integer known before the program runs."""

from __future__ import annotations

from tdsl.check import typed
from tdsl.check.context import Context
from tdsl.check.values import is_poisoned, static_size
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.types.sizes import Size
from tdsl.types.types import TensorType, WeakType


def size_of(context: Context, expression: typed.Expression, what: str) -> Size | None:
    """An expression as a size; None after a report, or where one was made before."""
    if is_poisoned(expression):
        return None
    size = static_size(expression)
    if size is not None:
        return size
    helps: list[Help] = []
    notes: list[str] = []
    if isinstance(expression.type, TensorType):
        notes.append("sizes are known before a program runs; values of arrays are not")
    elif expression.type == WeakType("float"):
        helps += _floor_division(expression)
        if helps:
            notes.append("`/` is division of numbers; sizes divide with `//`")
    context.fail(
        expression.span,
        "E0514" if isinstance(expression.type, WeakType) else "E0206",
        f"{what} must be an integer known before the program runs",
        f"this is {context.show(expression.type)}",
        notes=notes,
        helps=helps,
    )
    return None


def _floor_division(expression: typed.Expression) -> list[Help]:
    """`C / H` where `C // H` is meant."""
    if not isinstance(expression, typed.Apply) or expression.builtin != "div":
        return []
    left, right = (operand.span for operand in expression.operands)
    between = left.source.text[left.end : right.start]
    offset = left.end + between.find("/")
    edit = Edit(left.source.span(offset, offset + 1), "//")
    return [Help("write `//`", (edit,))]
