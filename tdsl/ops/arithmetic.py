"""The elementwise builtins of numbers: the arithmetic operators, sign and rounding."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tdsl.ops import weak
from tdsl.ops.elementwise_common import X, Y, meet, primitive, reference
from tdsl.ops.operands import (
    BOOL,
    F64,
    FLOATS,
    INTEGERS,
    NUMBERS,
    conversions,
    is_kind,
    quiet,
    refuse_dtype,
    require_number,
    with_shape,
    wrap,
)
from tdsl.ops.primitive import Builder
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import Builtin, Checking, Given, Typing
from tdsl.syntax.diagnostics import Help
from tdsl.types.dtypes import AnyDType, DType, WeakKind
from tdsl.types.types import TensorType, WeakType

# --- functions of one number


def _unary(
    name: str,
    doc: str,
    example: str,
    on_numbers: Callable[..., Any],
    operator_: str | None = None,
    expand: Callable[..., Any] | None = None,
) -> Builtin:
    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        found = require_number(checking, operator_ or name, given["x"])
        return Typing(found, {}, {})

    return Builtin(
        name,
        "elementwise",
        (X,),
        f"{name}[E: dtype(number), ...S](x: E[...S]) -> E[...S]",
        doc,
        example,
        quiet(rule),
        reference(name, on_numbers),
        expand or primitive(name),
        operator_,
    )


def _rounding(name: str, doc: str, example: str, floats: Callable[[float], Any]) -> Builtin:
    """Rounding leaves integers as they are."""

    def compute(x: Any) -> Any:
        if weak.is_number(x):
            return on_numbers(x)
        return PRIMITIVES[name].reference([x], {}) if x.dtype.kind not in "iu" else x

    on_numbers = weak.number_function(int, floats)
    row = _unary(name, doc, example, on_numbers, expand=lambda builder, x: _round(builder, name, x))
    return Builtin(
        row.name,
        row.family,
        row.parameters,
        row.signature,
        row.doc,
        row.example,
        row.rule,
        compute,
        row.expand,
    )


def _round(builder: Builder, name: str, x: Any) -> Any:
    return builder.elementwise(name, x) if x.type.dtype.is_float else x


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


UNARY = (
    _unary(
        "neg",
        "-x.",
        "allclose(-f32(2.0), -2.0)",
        weak.number_function(operator.neg, operator.neg),
        "-",
    ),
    _unary("abs", "The absolute value.", "abs(i32(-3)) == 3", weak.number_function(abs, np.abs)),
    _unary(
        "sign",
        "-1, 0 or 1 in the dtype of x; NaN for NaN.",
        "sign(i32(-3)) == -1",
        weak.number_function(_sign, np.sign),
    ),
    _rounding(
        "floor", "Rounds down; integers stay as they are.", "floor(f32(-0.5)) == -1.0", np.floor
    ),
    _rounding("ceil", "Rounds up; integers stay as they are.", "ceil(f32(0.5)) == 1.0", np.ceil),
    _rounding(
        "round",
        "To the nearest whole number, halves to the even one; integers stay as they are.",
        "round(f32(2.5)) == 2.0",
        np.rint,
    ),
)


# --- arithmetic of two


def _bool_hint(bools: str | None) -> list[Help]:
    return [Help(f"on bools, write `{bools}`")] if bools else []


def _arithmetic(
    name: str,
    sign: str,
    doc: str,
    example: str,
    on_numbers: Callable[..., Any],
    *,
    on_bools: str | None = None,
    bools_hint: str | None = None,
) -> Builtin:
    """`on_bools` is the primitive for bool operands; None: they are refused."""

    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        dtype, shape = meet(checking, sign, given, ("x", "y"))
        kinds = NUMBERS | ({"bool"} if on_bools else set())
        weak_bools = dtype == "bool"
        if not weak_bools and not is_kind(dtype, kinds):
            first = given["x"] if isinstance(given["x"].type, TensorType) else given["y"]
            require_number(checking, sign, first, _bool_hint(bools_hint))
        if name == "pow":
            _refuse_negative_power(checking, dtype, given)
        return Typing(
            with_shape("int" if weak_bools else dtype, shape), conversions(dtype, ("x", "y")), {}
        )

    def compute(x: Any, y: Any) -> Any:
        if weak.is_number(x) and weak.is_number(y):
            return on_numbers(x, y)
        bools = on_bools is not None and np.asarray(x).dtype == np.bool_
        return PRIMITIVES[str(on_bools) if bools else name].reference([x, y], {})

    def expand(builder: Builder, x: Any, y: Any) -> Any:
        if name == "pow":
            return _expand_power(builder, x, y)
        bools = on_bools is not None and x.type.dtype == BOOL
        return builder.elementwise(str(on_bools) if bools else name, x, y)

    return Builtin(
        name,
        "elementwise",
        (X, Y),
        f"{name}[E: dtype(number), ...S](x: E[...S], y: E[...S]) -> E[...S]",
        doc,
        example,
        quiet(rule),
        compute,
        expand,
        sign,
    )


def _refuse_negative_power(
    checking: Checking, dtype: AnyDType | WeakKind, given: Mapping[str, Given]
) -> None:
    base, exponent = given["x"], given["y"]
    value = exponent.value
    if isinstance(value, int) and value < 0 and is_kind(dtype, INTEGERS):
        shown = checking.show(base.type) if base.type else "an integer"
        checking.fail(
            "E0306",
            "integers have no negative powers: their results are not whole",
            labels=[(exponent.span, "negative"), (base.span, f"this is {shown}")],
            helps=[Help("make the base a float", wrap(base, "f32(", ")"))],
        )


# Powers up to here are multiplied out.
_MOST_MULTIPLIED = 16


def _expand_power(builder: Builder, x: Any, y: Any) -> Any:
    exponent = builder.known(y) if not y.type.shape else None
    whole = exponent is not None and float(exponent).is_integer()
    if exponent is None or not whole or not 1 <= abs(exponent) <= _MOST_MULTIPLIED:
        return builder.elementwise("pow", x, y)
    dtype: DType = x.type.dtype
    if exponent < 0 and not dtype.is_float:
        return builder.elementwise("pow", x, y)
    # One rounding at the end, as a library's `pow` has it.
    precise = dtype.accumulator if dtype.is_float else dtype
    base = builder.cast(x, precise)
    result, remaining = None, abs(int(exponent))
    while remaining:
        if remaining % 2:
            result = base if result is None else builder.elementwise("mul", result, base)
        remaining //= 2
        if remaining:
            base = builder.elementwise("mul", base, base)
    if exponent < 0:
        result = builder.elementwise("reciprocal", result)
    return builder.cast(result, dtype)


def _div_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    dtype, shape = meet(checking, "/", given, ("x", "y"))
    if isinstance(dtype, str):
        return Typing(WeakType("float"), {}, {})
    if is_kind(dtype, FLOATS):
        result = dtype
    elif isinstance(dtype, DType) or is_kind(dtype, INTEGERS):
        result = F64
    else:
        first = given["x"] if isinstance(given["x"].type, TensorType) else given["y"]
        name = checking.show(dtype)
        refuse_dtype(
            checking,
            "/",
            first,
            dtype,
            "floats, or integers (which give f64)",
            [Help(f"declare `{name}: dtype(float)`"), Help("or write `//` for whole numbers")],
        )
    return Typing(TensorType(result, shape), conversions(result, ("x", "y")), {})


def _div_expand(builder: Builder, x: Any, y: Any) -> Any:
    if not x.type.dtype.is_float:
        x, y = builder.cast(x, F64), builder.cast(y, F64)
    return builder.elementwise("div", x, y)


ARITHMETIC = (
    _arithmetic(
        "add",
        "+",
        "The sum; integers wrap around; bools: whether either.",
        "f32(1.0) + 2 == 3.0",
        weak.number_function(operator.add, operator.add),
        on_bools="logical_or",
    ),
    _arithmetic(
        "sub",
        "-",
        "The difference; integers wrap around.",
        "f32(1.0) - 2 == -1.0",
        weak.number_function(operator.sub, operator.sub),
        bools_hint="!=",
    ),
    _arithmetic(
        "mul",
        "*",
        "The product; integers wrap around; bools: whether both.",
        "f32(3.0) * 2 == 6.0",
        weak.number_function(operator.mul, operator.mul),
        on_bools="logical_and",
    ),
    Builtin(
        "div",
        "elementwise",
        (X, Y),
        "div[E: dtype(float), ...S](x: E[...S], y: E[...S]) -> E[...S]",
        "The quotient; integers give f64.",
        "i32(1) / 2 == 0.5",
        quiet(_div_rule),
        reference("div", weak.float_function(np.true_divide)),
        _div_expand,
        "/",
    ),
    _arithmetic(
        "floordiv",
        "//",
        "The quotient rounded down; an integer by 0 gives 0.",
        "i32(-7) // 2 == -4",
        weak.number_function(weak.floor_divide, np.floor_divide),
    ),
    _arithmetic(
        "mod",
        "%",
        "The remainder, with the sign of the divisor; an integer modulo 0 gives 0.",
        "i32(-7) % 2 == 1",
        weak.number_function(weak.modulo, np.remainder),
    ),
    _arithmetic(
        "pow",
        "**",
        "x to the power y. An integer to a negative power, where it is not refused, rounds towards 0.",
        "f32(2.0) ** 3 == 8.0",
        weak.power,
    ),
)
