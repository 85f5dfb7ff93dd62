"""The builtin `allclose`: equality up to rounding, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tdsl.ops import weak
from tdsl.ops.elementwise_common import meet
from tdsl.ops.operands import (
    BOOL,
    F64,
    quiet,
)
from tdsl.ops.primitive import Builder
from tdsl.ops.reductions import known_dtype
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.types.dtypes import DType
from tdsl.types.types import TensorType, WeakType

Array = np.ndarray[Any, Any]

# (rtol, atol) that a few dozen roundings stay within.
_TOLERANCES = {
    "f64": (1e-9, 1e-12),
    "f32": (1e-5, 1e-6),
    "f16": (1e-2, 1e-3),
    "bf16": (4e-2, 1e-2),
}


def tolerances(dtype: DType, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """What `allclose` allows: as asked, else by dtype; integers must be equal."""
    default = _TOLERANCES.get(dtype.name, (0.0, 0.0))
    return (
        default[0] if rtol is None else float(rtol),
        default[1] if atol is None else float(atol),
    )


def _allclose_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    dtype, _ = meet(checking, "allclose", given, ("a", "b"))
    attributes = {name: given[name].value for name in ("rtol", "atol")}
    for name, value in attributes.items():
        if not (value is None or weak.is_number(value)):
            checking.fail(
                "E0206",
                f"`{name}` of `allclose` must be a literal number",
                labels=[(given[name].span, "not known here")],
            )
    if isinstance(dtype, str):
        return Typing(WeakType("bool"), {}, attributes)
    return Typing(TensorType(BOOL, ()), dict.fromkeys(("a", "b"), dtype), attributes)


def _allclose(a: Any, b: Any, rtol: float | None = None, atol: float | None = None) -> Any:
    if weak.is_number(a) and weak.is_number(b):
        x, y = (np.asarray(weak.as_float(number)) for number in (a, b))
        return bool(np.all(close(x, y, *tolerances(F64, rtol, atol))))
    return np.asarray(np.all(close(a, b, *tolerances(known_dtype(a), rtol, atol))))


def close(a: Array, b: Array, rtol: float, atol: float) -> Array:
    """Where equal, or |a - b| <= atol + rtol * |b|; in double precision. NaN is close to nothing."""
    with np.errstate(all="ignore"):
        x, y = np.asarray(a).astype(np.float64), np.asarray(b).astype(np.float64)
        near = np.isfinite(y) & (np.abs(x - y) <= atol + rtol * np.abs(y))
        return np.asarray((np.asarray(a) == np.asarray(b)) | near)


def _expand_allclose(
    builder: Builder, a: Any, b: Any, rtol: float | None = None, atol: float | None = None
) -> Any:
    relative, absolute = tolerances(a.type.dtype, rtol, atol)
    x, y = builder.cast(a, F64), builder.cast(b, F64)
    difference = builder.elementwise("abs", builder.elementwise("sub", x, y))
    scaled = builder.elementwise(
        "mul", builder.constant(relative, F64), builder.elementwise("abs", y)
    )
    allowed = builder.elementwise("add", builder.constant(absolute, F64), scaled)
    near = builder.elementwise(
        "logical_and",
        builder.elementwise("isfinite", y),
        builder.elementwise("less_equal", difference, allowed),
    )
    fine = builder.elementwise("logical_or", builder.elementwise("equal", a, b), near)
    return builder.reduce("min", fine, tuple(range(len(fine.type.shape))))


ALLCLOSE = Builtin(
    "allclose",
    "comparison",
    (
        Parameter("a", "value"),
        Parameter("b", "value"),
        Parameter("rtol", "number", None),
        Parameter("atol", "number", None),
    ),
    "allclose[E: dtype(any), ...S](a: E[...S], b: E[...S], rtol=by dtype, atol=by dtype) -> bool",
    "Whether every |a - b| <= atol + rtol * |b|, or a == b; NaN is close to nothing. The tolerances "
    f"default to {', '.join(f'{r:g} and {a:g} for {d}' for d, (r, a) in _TOLERANCES.items())}; "
    "integers must be equal.",
    "allclose(f32(0.1) + f32(0.2), f32(0.3))",
    quiet(_allclose_rule),
    _allclose,
    _expand_allclose,
)
