"""The elementwise builtins that compare and choose: order, comparisons, logic, select."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from tdsl.ops import weak
from tdsl.ops.broadcasting import broadcast
from tdsl.ops.elementwise_common import X, Y, meet, primitive, reference
from tdsl.ops.operands import (
    BOOL,
    NUMBERS,
    conversions,
    is_kind,
    quiet,
    require_bool,
    require_number,
    shape_of,
    with_shape,
    wrap,
)
from tdsl.ops.primitive import Builder
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.syntax.diagnostics import Help
from tdsl.types.dtypes import DType, WeakKind
from tdsl.types.types import TensorType, WeakType

# --- order, comparisons, logic


def _extreme(name: str, doc: str, example: str, on_bools: str, on_numbers: Any) -> Builtin:
    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        dtype, shape = meet(checking, name, given, ("x", "y"))
        return Typing(with_shape(dtype, shape), conversions(dtype, ("x", "y")), {})

    def compute(x: Any, y: Any) -> Any:
        if weak.is_number(x) and weak.is_number(y):
            return weak.number_function(*on_numbers)(x, y)
        bools = np.asarray(x).dtype == np.bool_
        return PRIMITIVES[on_bools if bools else name].reference([x, y], {})

    def expand(builder: Builder, x: Any, y: Any) -> Any:
        return builder.elementwise(on_bools if x.type.dtype == BOOL else name, x, y)

    return Builtin(
        name,
        "elementwise",
        (X, Y),
        f"{name}[E: dtype(any), ...S](x: E[...S], y: E[...S]) -> E[...S]",
        doc,
        example,
        quiet(rule),
        compute,
        expand,
    )


def _comparison(name: str, sign: str, doc: str, example: str, on_numbers: Any) -> Builtin:
    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        dtype, shape = meet(checking, sign, given, ("x", "y"))
        if isinstance(dtype, str):
            return Typing(WeakType("bool"), {}, {})
        return Typing(TensorType(BOOL, shape), conversions(dtype, ("x", "y")), {})

    return Builtin(
        name,
        "elementwise",
        (X, Y),
        f"{name}[E: dtype(any), ...S](x: E[...S], y: E[...S]) -> bool[...S]",
        doc,
        example,
        quiet(rule),
        reference(name, on_numbers),
        primitive(name),
        sign,
    )


def _logic(
    name: str, sign: str, parameters: tuple[Parameter, ...], doc: str, example: str, on_numbers: Any
) -> Builtin:
    names = tuple(parameter.name for parameter in parameters)

    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        for operand in names:
            require_bool(checking, sign, given[operand])
        dtype, shape = meet(checking, sign, given, names)
        return Typing(with_shape(dtype, shape), conversions(dtype, names), {})

    operands = ", ".join(f"{operand}: bool[...S]" for operand in names)
    return Builtin(
        name,
        "elementwise",
        parameters,
        f"{name}[...S]({operands}) -> bool[...S]",
        doc,
        example,
        quiet(rule),
        reference(name, on_numbers),
        primitive(name),
        sign,
    )


ORDER = (
    _extreme(
        "minimum",
        "The smaller of two; NaN if either is NaN.",
        "minimum(f32(1.0), 2.0) == 1.0",
        "logical_and",
        (min, np.minimum),
    ),
    _extreme(
        "maximum",
        "The larger of two; NaN if either is NaN.",
        "maximum(f32(1.0), 2.0) == 2.0",
        "logical_or",
        (max, np.maximum),
    ),
    _comparison("equal", "==", "Whether equal; NaN equals nothing.", "i32(2) == 2", operator.eq),
    _comparison("not_equal", "!=", "Whether different.", "i32(2) != 3", operator.ne),
    _comparison("less", "<", "Whether smaller.", "i32(2) < 3", operator.lt),
    _comparison("less_equal", "<=", "Whether smaller or equal.", "i32(2) <= 2", operator.le),
    _comparison("greater", ">", "Whether larger.", "i32(3) > 2", operator.gt),
    _comparison("greater_equal", ">=", "Whether larger or equal.", "i32(3) >= 3", operator.ge),
    _logic(
        "logical_and",
        "and",
        (X, Y),
        "Whether both hold, element by element.",
        "bool(1) and true",
        lambda x, y: bool(x and y),
    ),
    _logic(
        "logical_or",
        "or",
        (X, Y),
        "Whether at least one holds, element by element.",
        "bool(0) or true",
        lambda x, y: bool(x or y),
    ),
    _logic(
        "logical_not",
        "not",
        (X,),
        "Whether it does not hold, element by element.",
        "not bool(0)",
        operator.not_,
    ),
)


# --- selection


def _select_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    condition = require_bool(checking, "select", given["condition"])
    dtype, shape = meet(checking, "select", given, ("x", "y"))
    if isinstance(dtype, str):
        if isinstance(condition, WeakType):
            return Typing(WeakType(dtype), {}, {})
        dtype = _select_dtype(checking, given, dtype)
    shape = broadcast(
        checking, "select", [(given["condition"], shape_of(condition)), (given["x"], shape)]
    )
    convert = {"condition": BOOL, **conversions(dtype, ("x", "y"))}
    return Typing(TensorType(dtype, shape), convert, {})


def _select_dtype(checking: Checking, given: Mapping[str, Given], kind: WeakKind) -> DType:
    """An array of bools chooses between two numbers: bool is plain, other dtypes must be said."""
    if kind != "bool":
        dtype = "f32" if kind == "float" else "i32"
        checking.fail(
            "E0308",
            "`select` chooses between two compile-time numbers for every element, so its result "
            "has no dtype",
            labels=[(given["x"].span, "no dtype here"), (given["y"].span, "nor here")],
            helps=[Help("say which one is meant", wrap(given["x"], f"{dtype}(", ")"))],
        )
    return BOOL


def _select_reference(condition: Any, x: Any, y: Any) -> Any:
    if all(map(weak.is_number, (condition, x, y))):
        chosen = x if condition else y
        return weak.as_float(chosen) if isinstance(x, float) or isinstance(y, float) else chosen
    return PRIMITIVES["select"].reference([condition, x, y], {})


def _clip_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    names = ("x", "low", "high")
    dtype, shape = meet(checking, "clip", given, names)
    if not is_kind(dtype, NUMBERS):
        require_number(checking, "clip", given["x"])
    return Typing(with_shape(dtype, shape), conversions(dtype, names), {})


def _clip_reference(x: Any, low: Any, high: Any) -> Any:
    if all(map(weak.is_number, (x, low, high))):
        above = weak.number_function(max, np.maximum)(x, low)
        return weak.number_function(min, np.minimum)(above, high)
    return np.minimum(np.maximum(x, low), high)


def _clip_expand(builder: Builder, x: Any, low: Any, high: Any) -> Any:
    return builder.elementwise("minimum", builder.elementwise("maximum", x, low), high)


SELECTION = (
    Builtin(
        "select",
        "elementwise",
        (Parameter("condition", "value"), X, Y),
        "select[E: dtype(any), ...S](condition: bool[...S], x: E[...S], y: E[...S]) -> E[...S]",
        "x where the condition holds, else y, element by element. Neither hides a NaN of the other.",
        "select(bool(1), f32(2.0), 3.0) == 2.0",
        quiet(_select_rule),
        _select_reference,
        lambda builder, condition, x, y: builder.select(condition, x, y),
    ),
    Builtin(
        "clip",
        "elementwise",
        (X, Parameter("low", "value"), Parameter("high", "value")),
        "clip[E: dtype(number), ...S](x: E[...S], low: E[...S], high: E[...S]) -> E[...S]",
        "x, but at least low, and then at most high; NaN stays NaN.",
        "clip(f32(5.0), 0.0, 1.0) == 1.0",
        quiet(_clip_rule),
        _clip_reference,
        _clip_expand,
    ),
)
