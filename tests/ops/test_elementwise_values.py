"""Elementwise builtins against NumPy and SciPy, on every dtype that each takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from ops_support import (
    ALL,
    BOOL,
    FLOATS,
    INTEGERS,
    NUMBERS,
    SHAPES,
    DType,
    assert_close,
    run,
    sample,
    special,
)

from tdsl.types.dtypes import DTYPES

F64 = DTYPES["f64"]

ON_FLOATS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda x: np.exp(x.astype(np.longdouble)),
    "exp2": lambda x: 2.0**x,
    "expm1": scipy.special.expm1,
    "log": lambda x: np.log(x.astype(np.longdouble)),
    "log2": lambda x: np.log(x.astype(np.longdouble)) / np.log(np.longdouble(2)),
    "log1p": scipy.special.log1p,
    "sqrt": lambda x: np.where(x == 0, x, np.where(np.isinf(x) & (x < 0), np.nan, x**0.5)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": scipy.special.erf,
    "sigmoid": scipy.special.expit,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": lambda x: np.round(x, 0),
    "neg": lambda x: -1.0 * x,
    "abs": np.fabs,
    "sign": lambda x: np.where(np.isnan(x), x, (x > 0) * 1.0 - (x < 0)),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ON_FLOATS)
def test_float_function(name: str, dtype: DType) -> None:
    inputs = [sample(dtype, shape, seed=len(shape)) for shape in SHAPES]
    for x in [*inputs, special(dtype)]:
        with np.errstate(all="ignore"):
            expected = ON_FLOATS[name](np.asarray(x).astype(np.float64))
        ran = run(name, x)
        assert_close(ran.reference, expected, dtype)
        assert_close(ran.expanded, expected, dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", ["neg", "abs", "sign", "floor", "ceil", "round"])
def test_integer_function(name: str, dtype: DType) -> None:
    x = sample(dtype, (3, 5))
    wide = x.astype(np.int64)
    expected = {"neg": -wide, "abs": abs(wide), "sign": (wide > 0) * 1 - (wide < 0)}.get(name, wide)
    ran = run(name, x)
    assert_close(ran.reference, expected.astype(dtype.numpy), dtype)
    assert_close(ran.expanded, expected.astype(dtype.numpy), dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_tests_of_floats(dtype: DType) -> None:
    x = special(dtype)
    wide = x.astype(np.float64)
    for ran, expected in (
        (run("isnan", x), wide != wide),
        (run("isfinite", x), abs(wide) < np.inf),
    ):
        np.testing.assert_array_equal(ran.reference, expected)
        np.testing.assert_array_equal(ran.expanded, expected)


def test_erf_is_exact_to_the_last_digits() -> None:
    x = np.linspace(-7, 7, 4001)
    found = run("erf", x).reference
    np.testing.assert_allclose(found, scipy.special.erf(x), rtol=1e-15, atol=0)


# --- two operands

ON_PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "floordiv": lambda x, y: np.floor(x / y),
    "mod": lambda x, y: x - np.floor(x / y) * y,
    "minimum": lambda x, y: np.where(x < y, x, y),
    "maximum": lambda x, y: np.where(x > y, x, y),
}
PAIRS = [((3, 5), (3, 5)), ((129,), (1,)), ((2, 1, 3), (4, 1)), ((), (7,)), ((1,), ())]


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("name", ON_PAIRS)
def test_arithmetic(name: str, dtype: DType) -> None:
    for left, right in PAIRS:
        # Halves and small integers: every quotient's floor is the same in every precision.
        x = (sample(DTYPES["i8"], left, 1) / 2).astype(dtype.numpy)
        y = (sample(DTYPES["i8"], right, 2, positive=True)).astype(dtype.numpy)
        if dtype.kind == "uint":
            x = sample(dtype, left, 1)
        expected = ON_PAIRS[name](x.astype(np.float64), y.astype(np.float64))
        wrapped = expected.astype(np.int64).astype(dtype.numpy) if dtype.is_integer else expected
        ran = run(name, x, y)
        assert_close(ran.reference, wrapped, dtype)
        assert_close(ran.expanded, wrapped, dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("name", "expected"), [("minimum", [np.nan, np.nan, -1]), ("maximum", [np.nan, np.nan, 2])]
)
def test_extremes_propagate_nan(name: str, expected: list[float], dtype: DType) -> None:
    x = np.array([np.nan, 1, 2]).astype(dtype.numpy)
    y = np.array([1, np.nan, -1]).astype(dtype.numpy)
    np.testing.assert_array_equal(run(name, x, y).expanded.astype(np.float64), expected)
    np.testing.assert_array_equal(run(name, x, y).reference.astype(np.float64), expected)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_division(dtype: DType) -> None:
    x, y = sample(dtype, (3, 5), 1), sample(dtype, (5,), 2, positive=True)
    with np.errstate(all="ignore"):
        expected = x.astype(np.float64) / y.astype(np.float64)
    result = dtype if dtype.is_float else F64
    assert_close(run("div", x, y).reference, expected, result)
    assert_close(run("div", x, y).expanded, expected, result)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_division_of_integers_by_zero_is_zero(dtype: DType) -> None:
    x, zero = sample(dtype, (4,)), np.zeros(4, dtype.numpy)
    for name in ("floordiv", "mod"):
        np.testing.assert_array_equal(run(name, x, zero).reference, zero)


@pytest.mark.parametrize("dtype", [d for d in INTEGERS if d.kind == "int"], ids=str)
def test_floor_and_remainder_have_the_sign_of_the_divisor(dtype: DType) -> None:
    x = np.array([7, -7, 7, -7], dtype.numpy)
    y = np.array([2, 2, -2, -2], dtype.numpy)
    assert run("floordiv", x, y).reference.tolist() == [3, -4, -4, 3]
    assert run("mod", x, y).reference.tolist() == [1, 1, -1, -1]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 16, 17, -1, -2, 0.5, 2.0, -0.5])
def test_power_of_a_literal(exponent: float, dtype: DType) -> None:
    x = np.array([0.5, 1.0, 1.25, 1.5], dtype.numpy)
    expected = np.array([0.5, 1.0, 1.25, 1.5]) ** exponent
    ran = run("pow", x, exponent)
    assert_close(ran.reference, expected, dtype, scale=2)
    assert_close(ran.expanded, expected, dtype, scale=2)
    multiplied = float(exponent).is_integer() and 1 <= abs(exponent) <= 16
    assert ("pow" in ran.used) is not multiplied


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_power_of_arrays(dtype: DType) -> None:
    x = np.array([1, 2, 3, 2], dtype.numpy)
    y = np.array([3, 2, 0, 5], dtype.numpy)
    ran = run("pow", x, y)
    assert_close(ran.reference, np.array([1, 4, 1, 32]), dtype)
    assert_close(ran.expanded, np.array([1, 4, 1, 32]), dtype)


@pytest.mark.parametrize("dtype", [d for d in INTEGERS if d.kind == "int"], ids=str)
def test_integers_to_negative_powers_round_to_zero(dtype: DType) -> None:
    x = np.array([1, -1, -1, 2, 0, -3], dtype.numpy)
    y = np.array([-5, -3, -2, -1, -1, -1], dtype.numpy)
    assert run("pow", x, y).reference.tolist() == [1, -1, 1, 0, 0, 0]


def test_integers_wrap_around() -> None:
    i8 = DTYPES["i8"].numpy
    assert run("add", np.array([127], i8), np.array([1], i8)).expanded.tolist() == [-128]
    assert run("mul", np.array([100], i8), np.array([3], i8)).expanded.tolist() == [44]
    assert run("neg", np.array([-128], i8)).expanded.tolist() == [-128]


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("equal", lambda a, b: a == b),
        ("not_equal", lambda a, b: a != b),
        ("less", lambda a, b: a < b),
        ("less_equal", lambda a, b: a <= b),
        ("greater", lambda a, b: a > b),
        ("greater_equal", lambda a, b: a >= b),
    ],
)
def test_comparison(name: str, python: Any, dtype: DType) -> None:
    x, y = sample(dtype, (9,), 1), sample(dtype, (9,), 2)
    y[:3] = x[:3]
    if dtype.is_float:
        x[3] = np.nan
    expected = [python(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert run(name, x, y).reference.tolist() == expected
    assert run(name, x, y).expanded.tolist() == expected


def test_logic_on_bools() -> None:
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    for name, expected in (
        ("logical_and", [True, False, False, False]),
        ("logical_or", [True, True, True, False]),
        ("add", [True, True, True, False]),
        ("mul", [True, False, False, False]),
        ("minimum", [True, False, False, False]),
        ("maximum", [True, True, True, False]),
    ):
        assert run(name, x, y).reference.tolist() == expected
        assert run(name, x, y).expanded.tolist() == expected
    assert run("logical_not", x).expanded.tolist() == [False, False, True, True]


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_select(dtype: DType) -> None:
    condition = np.array([[True], [False]])
    x, y = sample(dtype, (3,), 1), sample(dtype, (2, 3), 2)
    expected = np.stack([x, y[1]])
    for found in (
        run("select", condition, x, y).reference,
        run("select", condition, x, y).expanded,
    ):
        assert_close(found, expected, dtype)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_clip(dtype: DType) -> None:
    x = np.array([1, 2, 3, 4, 5], dtype.numpy)
    for found in (run("clip", x, 2, 4).reference, run("clip", x, 2, 4).expanded):
        assert_close(found, np.array([2, 2, 3, 4, 4]), dtype)


def test_clip_keeps_nan_and_puts_the_upper_bound_last() -> None:
    x = np.array([np.nan, 5.0])
    assert np.isnan(run("clip", x, 0.0, 1.0).reference[0])
    assert run("clip", x, 3.0, 1.0).expanded[1] == 1.0


@pytest.mark.parametrize("to", ALL, ids=str)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_cast(dtype: DType, to: DType) -> None:
    x = sample(dtype, (9,))
    values = x.tolist() if dtype.name != "bf16" else x.astype(np.float64).tolist()
    if to == BOOL:
        expected = np.array([bool(v) for v in values])
    elif to.is_integer:
        low = -(2 ** (to.bits - 1)) if to.kind == "int" else 0
        whole = [int(v) for v in values]
        if dtype.is_float and to.kind == "uint":
            x, whole = np.abs(x), [abs(v) for v in whole]
        expected = np.array([(v - low) % 2**to.bits + low for v in whole], to.numpy)
    else:
        expected = np.array(values, np.float64)
    for found in (run(to.name, x).reference, run(to.name, x).expanded):
        assert_close(found, expected, to)
