"""The elementwise builtins of floats: exp, tanh, isnan and their kin."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from tdsl.ops import weak
from tdsl.ops.elementwise_common import X, reference
from tdsl.ops.operands import (
    BOOL,
    F64,
    quiet,
    require_float,
)
from tdsl.ops.primitive import Builder
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import Builtin, Checking, Given, Rule, Typing
from tdsl.types.dtypes import WeakKind
from tdsl.types.types import TensorType, WeakType


def _float_rule(name: str, result: WeakKind | None = None) -> Rule:
    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        found = require_float(checking, name, given["x"])
        if isinstance(found, WeakType):
            return Typing(WeakType(result or "float"), {}, {})
        dtype = BOOL if result == "bool" else found.dtype
        return Typing(TensorType(dtype, found.shape), {}, {})

    return quiet(rule)


def _float_expand(name: str) -> Callable[..., Any]:
    def expand(builder: Builder, x: Any) -> Any:
        # Only a compile-time integer that is known at run time (an open size) arrives as one.
        return builder.elementwise(name, x if x.type.dtype.is_float else builder.cast(x, F64))

    return expand


def _float_function(name: str, doc: str, at: str, gives: str) -> Builtin:
    return Builtin(
        name,
        "elementwise",
        (X,),
        f"{name}[E: dtype(float), ...S](x: E[...S]) -> E[...S]",
        doc,
        f"allclose({name}({at}), {gives})",
        _float_rule(name),
        reference(name, weak.float_function(lambda x: PRIMITIVES[name].reference([x], {}))),
        _float_expand(name),
    )


def _float_test(name: str, doc: str, example: str, on_numbers: Callable[..., bool]) -> Builtin:
    return Builtin(
        name,
        "elementwise",
        (X,),
        f"{name}[E: dtype(float), ...S](x: E[...S]) -> bool[...S]",
        doc,
        example,
        _float_rule(name, "bool"),
        reference(name, on_numbers),
        _float_expand(name),
    )


FLOAT_FUNCTIONS = (
    _float_function("exp", "e to the power x.", "f32(1.0)", "2.7182817"),
    _float_function("exp2", "2 to the power x.", "f32(3.0)", "8.0"),
    _float_function("expm1", "exp(x) - 1, exact also near 0.", "f64(1.0e-10)", "1.0e-10"),
    _float_function("log", "The natural logarithm: NaN below 0, -inf at 0.", "f32(1.0)", "0.0"),
    _float_function("log2", "The logarithm to base 2.", "f32(8.0)", "3.0"),
    _float_function("log1p", "log(1 + x), exact also near 0.", "f64(1.0e-10)", "1.0e-10"),
    _float_function("sqrt", "The square root; NaN below 0.", "f32(9.0)", "3.0"),
    _float_function("rsqrt", "1 / sqrt(x).", "f32(4.0)", "0.5"),
    _float_function("reciprocal", "1 / x.", "f32(4.0)", "0.25"),
    _float_function("sin", "The sine of an angle in radians.", "f32(pi / 2)", "1.0"),
    _float_function("cos", "The cosine of an angle in radians.", "f32(pi)", "-1.0"),
    _float_function("tanh", "The hyperbolic tangent.", "f32(100.0)", "1.0"),
    _float_function("erf", "The error function.", "f32(0.5)", "0.5204999"),
    _float_function(
        "sigmoid", "1 / (1 + exp(-x)), without overflow at either end.", "f32(0.0)", "0.5"
    ),
    _float_test("isnan", "Whether x is NaN.", "isnan(f32(nan))", lambda x: x != x),
    _float_test(
        "isfinite",
        "Whether x is neither NaN nor infinite.",
        "isfinite(f32(1.0))",
        lambda x: math.isfinite(weak.as_float(x)),
    ),
)
