"""Compile-time numbers: exact integers, double precision floats, and their way to a dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tdsl.types.dtypes import DType

Number = int | float | bool

# Beyond this many bits an integer is of no use in any dtype; a bound keeps `**` from running long.
_MOST_BITS = 4096


def is_number(value: object) -> bool:
    """Whether this is a compile-time number and not an array."""
    return isinstance(value, int | float) and not isinstance(value, np.generic)


def as_float(value: Number) -> float:
    """The nearest double; infinite where there is none."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def float_function(function: Callable[..., Any]) -> Callable[..., float]:
    """A NumPy function on numbers: IEEE results where Python would raise."""

    def computed(*operands: Number) -> float:
        with np.errstate(all="ignore"):
            return float(function(*[np.float64(as_float(x)) for x in operands]))

    return computed


def number_function(
    integers: Callable[..., int], floats: Callable[..., Any]
) -> Callable[..., Number]:
    """Exact on integers (bools count as integers), in double precision where one is a float."""
    on_floats = float_function(floats)

    def computed(*operands: Number) -> Number:
        if any(isinstance(x, float) for x in operands):
            return on_floats(*operands)
        return integers(*map(int, operands))

    return computed


def floor_divide(x: int, y: int) -> int:
    return x // y if y else 0


def modulo(x: int, y: int) -> int:
    return x % y if y else 0


def power(x: Number, y: Number) -> Number:
    if isinstance(x, float) or isinstance(y, float):
        return float_function(np.power)(x, y)
    base, exponent = int(x), int(y)
    if exponent < 0:
        return base ** (exponent % 2) if abs(base) == 1 else 0
    if abs(base) > 1 and base.bit_length() * exponent > _MOST_BITS:
        return math.inf if base > 0 or exponent % 2 == 0 else -math.inf
    return int(base**exponent)


def to_dtype(value: Number, dtype: DType) -> np.ndarray[Any, Any]:
    """The number as a rank-0 array: floats round (and may become infinite), a fraction is cut off
    for an integer dtype, and an integer out of range wraps around."""
    with np.errstate(all="ignore"):
        if dtype.kind == "bool":
            return np.asarray(bool(value))
        if dtype.is_float:
            return np.asarray(np.float64(as_float(value))).astype(dtype.numpy)
        if isinstance(value, float) and not math.isfinite(value):
            limits = np.iinfo(dtype.numpy)
            found = 0 if math.isnan(value) else int(limits.max if value > 0 else limits.min)
        else:
            found = int(value)
        wrapped = found & ((1 << dtype.bits) - 1)
        if dtype.kind == "int" and wrapped >> (dtype.bits - 1):
            wrapped -= 1 << dtype.bits
        return np.asarray(wrapped, dtype.numpy)
