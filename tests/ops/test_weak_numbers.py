"""Builtins on compile-time numbers: Python's integers, IEEE floats, never an exception."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from ops_support import ALL, DType, NumpyBuilder, result, run

from tdsl.ops import weak
from tdsl.ops.builtins import BUILTINS
from tdsl.types.dtypes import DTYPES


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("add", (2, 3), 5),
        ("add", (2, 0.5), 2.5),
        ("add", (True, True), 2),
        ("mul", (2**70, 3), 3 * 2**70),
        ("div", (1, 2), 0.5),
        ("div", (4, 2), 2.0),
        ("floordiv", (-7, 2), -4),
        ("floordiv", (7, 0), 0),
        ("floordiv", (7.5, 2), 3.0),
        ("mod", (-7, 2), 1),
        ("mod", (7, 0), 0),
        ("pow", (2, 10), 1024),
        ("pow", (2.0, -1), 0.5),
        ("neg", (3,), -3),
        ("abs", (-2.5,), 2.5),
        ("sign", (-4,), -1),
        ("sign", (0,), 0),
        ("sign", (7,), 1),
        ("select", (False, 0.5, 10**400), math.inf),
        ("floor", (2.5,), 2.0),
        ("floor", (2,), 2),
        ("round", (2.5,), 2.0),
        ("sqrt", (64,), 8.0),
        ("rsqrt", (4,), 0.5),
        ("exp", (0,), 1.0),
        ("erf", (0.0,), 0.0),
        ("sigmoid", (-1000.0,), 0.0),
        ("minimum", (2, 3.5), 2.0),
        ("maximum", (2, 3), 3),
        ("clip", (5, 0, 3), 3),
        ("select", (True, 1, 2.5), 1.0),
        ("equal", (2, 2.0), True),
        ("less", (2, 1), False),
        ("logical_and", (True, False), False),
        ("logical_not", (False,), True),
        ("isnan", (math.nan,), True),
        ("isfinite", (math.inf,), False),
        ("isfinite", (10**400,), False),
        ("allclose", (0.1 + 0.2, 0.3), True),
        ("allclose", (1, 2), False),
    ],
)
def test_value_and_kind(name: str, arguments: Any, expected: Any) -> None:
    found = run(name, *arguments).reference
    assert type(found) is type(expected)
    assert found == expected


@pytest.mark.parametrize(
    ("name", "arguments", "check"),
    [
        ("div", (1, 0), lambda v: v == math.inf),
        ("div", (0, 0), math.isnan),
        ("sqrt", (-1,), math.isnan),
        ("log", (0.0,), lambda v: v == -math.inf),
        ("exp", (1e9,), lambda v: v == math.inf),
        ("sqrt", (10**400,), lambda v: v == math.inf),
        ("div", (10**400, 2), lambda v: v == math.inf),
        ("pow", (10, 10**9), lambda v: v == math.inf),
        ("pow", (-10, 10**9 + 1), lambda v: v == -math.inf),
    ],
)
def test_never_raises(name: str, arguments: Any, check: Any) -> None:
    assert check(run(name, *arguments).reference)


@pytest.mark.parametrize(
    ("name", "types", "expected"),
    [
        ("add", ("int", "int"), "a compile-time integer"),
        ("add", ("int", "float"), "a compile-time number"),
        ("div", ("int", "int"), "a compile-time number"),
        ("sqrt", ("int",), "a compile-time number"),
        ("less", ("int", "float"), "a compile-time bool"),
    ],
)
def test_result_stays_weak(name: str, types: Any, expected: str) -> None:
    assert result(name, *types) == expected


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [("sqrt", (3,), math.sqrt(3)), ("exp", (1,), math.e), ("div", (1, 3), 1 / 3)],
)
def test_integers_known_at_run_time_only_are_computed_in_f64(
    name: str, operands: tuple[int, ...], expected: float
) -> None:
    """An open size is an i64 in the graph; a float function of it is as exact as of a number."""
    builder = NumpyBuilder()
    found = BUILTINS[name].expand(builder, *(builder.wrap(np.int64(x)) for x in operands))
    assert found.array.dtype == np.float64
    assert float(found.array) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_to_dtype(dtype: DType) -> None:
    one = weak.to_dtype(1, dtype)
    assert one.shape == ()
    assert one.dtype == dtype.numpy
    assert float(one) == 1.0
    assert float(weak.to_dtype(0.0, dtype)) == 0.0


def test_floats_saturate_and_integers_wrap() -> None:
    assert float(weak.to_dtype(-1e10, DTYPES["f16"])) == -np.inf
    assert float(weak.to_dtype(10**400, DTYPES["f32"])) == np.inf
    assert int(weak.to_dtype(300, DTYPES["i8"])) == 44
    assert int(weak.to_dtype(2**63, DTYPES["i64"])) == -(2**63)
    assert int(weak.to_dtype(-1, DTYPES["u8"])) == 255
    assert int(weak.to_dtype(-2.7, DTYPES["i32"])) == -2
    assert int(weak.to_dtype(math.inf, DTYPES["i32"])) == 2**31 - 1
    assert int(weak.to_dtype(math.nan, DTYPES["i32"])) == 0
