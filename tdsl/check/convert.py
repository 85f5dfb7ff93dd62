"""Insert conversions of dtype, and refuse numbers that a dtype cannot hold."""

from __future__ import annotations

import math

from tdsl.check import typed
from tdsl.check.context import Context
from tdsl.check.values import static_size
from tdsl.syntax.source import Span
from tdsl.types.dtypes import AnyDType, DType
from tdsl.types.types import ListType, TensorType, TupleType, Type, WeakType


def convert(
    context: Context,
    expression: typed.Expression,
    dtype: AnyDType,
    *,
    explicit: bool = False,
    span: Span | None = None,
) -> typed.Expression:
    """The expression with this dtype; itself where it has it already."""
    type_ = expression.type
    where = span or expression.span
    if isinstance(type_, TensorType):
        if type_.dtype == dtype and not explicit:
            return expression
        return typed.Convert(TensorType(dtype, type_.shape), where, expression, dtype, explicit)
    if isinstance(type_, WeakType):
        if not fits(context, expression, dtype, explicit):
            return context.fail(where, "E0205", *_misfit(expression, dtype))
        return typed.Convert(TensorType(dtype, ()), where, expression, dtype, explicit)
    if isinstance(expression, typed.MakeList):
        items = tuple(convert(context, item, dtype) for item in expression.items)
        result: Type
        if isinstance(type_, ListType):
            result = ListType(items[0].type, type_.length)
        else:
            result = TupleType(tuple(item.type for item in items))
        return typed.MakeList(result, expression.span, items)
    if isinstance(expression, typed.Comprehension) and isinstance(type_, ListType):
        body = convert(context, expression.body, dtype)
        return typed.Comprehension(
            ListType(body.type, type_.length),
            expression.span,
            body,
            expression.index,
            expression.start,
            expression.stop,
        )
    return expression


def fits(
    context: Context, expression: typed.Expression, dtype: AnyDType, explicit: bool = False
) -> bool:
    """Whether a number can be of this dtype. Floats saturate, so all fit a float dtype."""
    if not isinstance(dtype, DType):
        # Any number fits a float; of the others the smallest decides.
        if dtype.bound == "float" or explicit:
            return True
        value = expression.value if isinstance(expression, typed.Number) else None
        return value is None or (isinstance(value, int) and 0 <= value <= 127)
    if dtype.is_float:
        return True
    if isinstance(expression, typed.Number):
        value = expression.value
        if isinstance(value, float):
            if not explicit or not math.isfinite(value):
                return False
            value = int(value)
        if dtype.kind == "bool":
            return explicit or isinstance(value, bool)
        low, high = integer_range(dtype)
        return low <= value <= high
    if isinstance(expression.type, WeakType) and expression.type.kind == "float":
        return explicit
    if dtype.kind == "bool":
        return explicit or expression.type == WeakType("bool")
    if static_size(expression) is not None:
        return dtype.bits >= 32 or explicit
    return True


def integer_range(dtype: DType) -> tuple[int, int]:
    if dtype.kind == "uint":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1


def _misfit(expression: typed.Expression, dtype: AnyDType) -> tuple[str, str]:
    shown = expression.span.text
    if not isinstance(dtype, DType):
        return f"`{shown}` does not fit every dtype that `{dtype}` can be", "this number"
    if isinstance(expression, typed.Number) and not isinstance(expression.value, float):
        if dtype.kind == "bool":
            return f"a bool is needed here, not the number {expression.value}", "this number"
        low, high = integer_range(dtype)
        return f"{expression.value} does not fit {dtype}", f"{dtype} holds {low} to {high}"
    if expression.type == WeakType("float"):
        return (
            f"a number with a fraction does not fit {dtype}",
            f"write `{dtype}({shown})` to cut the fraction off",
        )
    return (
        f"the size `{shown}` may not fit {dtype}",
        f"write `{dtype}({shown})` if it always does",
    )
