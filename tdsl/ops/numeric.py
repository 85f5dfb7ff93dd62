"""NumPy functions for what NumPy lacks, or computes less exactly than the dtype allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tdsl.ops.special import erf as erf_of_float64

Array = np.ndarray[Any, Any]


def wide(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """The function computed in float64 and rounded once to the dtype of its argument."""

    def computed(x: Array) -> Array:
        array = np.asarray(x)
        return np.asarray(function(array.astype(np.float64))).astype(array.dtype)

    return computed


def _sigmoid(x: Array) -> Array:
    # exp of minus the absolute value cannot overflow, at either end.
    decay = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + decay), decay / (1 + decay))


def _divide_float64(x: Array) -> Array:
    return np.asarray(1 / x)


sigmoid = wide(_sigmoid)
rsqrt = wide(lambda x: np.asarray(1 / np.sqrt(x)))
reciprocal = wide(_divide_float64)
erf = wide(erf_of_float64)


def power(x: Array, y: Array) -> Array:
    """x ** y. On integers with a negative exponent the exact power is rounded towards zero: 1 for
    base 1, 1 or -1 for base -1, else 0 (NumPy raises instead, which compiled code cannot)."""
    if np.asarray(x).dtype.kind != "i":
        return np.asarray(np.power(x, y))
    base, exponent = np.broadcast_arrays(x, y)
    negative = exponent < 0
    result = np.power(base, np.where(negative, 0, exponent).astype(exponent.dtype))
    odd = exponent % 2 != 0
    unit = np.where(base == 1, 1, np.where(base == -1, np.where(odd, -1, 1), 0))
    return np.where(negative, unit, result).astype(base.dtype)


def floor_divide(x: Array, y: Array) -> Array:
    """x // y as NumPy has it; bfloat16 goes by float32, for ml_dtypes rounds the quotient first."""
    return _by_float32(np.floor_divide, x, y)


def remainder(x: Array, y: Array) -> Array:
    """x % y with the sign of y; an integer modulo 0 is 0."""
    return _by_float32(np.remainder, x, y)


def _by_float32(function: Any, x: Array, y: Array) -> Array:
    dtype = np.asarray(x).dtype
    if dtype.name != "bfloat16":
        return np.asarray(function(x, y))
    found = function(np.asarray(x).astype(np.float32), np.asarray(y).astype(np.float32))
    return np.asarray(found).astype(dtype)


def round_half_even(x: Array) -> Array:
    return np.asarray(np.rint(x))


def cast(x: Array, dtype: np.dtype[Any]) -> Array:
    """To another dtype. Floats outside an integer dtype's range have no specified value there."""
    return np.asarray(x).astype(dtype)
