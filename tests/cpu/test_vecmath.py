"""exp, log, tanh, erf … against extended precision over the whole range, special values included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from native_support import Native, unary

from tdsl.cpu.compiler import assembly
from tdsl.lowering.options import Options

_WIDE = np.longdouble
_REFERENCES = {
    "exp": lambda x: np.exp(x.astype(_WIDE)),
    "exp2": lambda x: np.exp2(x.astype(_WIDE)),
    "expm1": lambda x: np.expm1(x.astype(_WIDE)),
    "log": lambda x: np.log(x.astype(_WIDE)),
    "log2": lambda x: np.log2(x.astype(_WIDE)),
    "log1p": lambda x: np.log1p(x.astype(_WIDE)),
    "tanh": lambda x: np.tanh(x.astype(_WIDE)),
    "erf": lambda x: np.array([math.erf(value) for value in x.astype(float)]),
}
# What functions.py promises, in units in the last place.
_ULP = {
    "exp": 2,
    "exp2": 2,
    "expm1": 3,
    "log": 2,
    "log2": 3,
    "log1p": 3,
    "tanh": 2,
    "erf": 2,
}
_SPECIAL = [
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 45.0, -45.0, 1e4, -1e4, 1e-40, -1e-40, 5e-324),
    *(88.72, 88.73, 89.5, -87.3, -87.4, -103.9, -104.1, 127.99, 128.0, -126.0, -149.0, -150.0),
    *(709.78, 709.79, -708.3, -745.0, -746.0, 1023.9, 1024.0, -1074.0, -1075.0, -0.9999999),
    *(0.625, -0.625, 0.84375, 1.25, 0.927734375, 4.0, 6.0, 2.0**-24, 2.0**-53),
]


def _values(dtype: type) -> np.ndarray:
    random = np.random.default_rng(1)
    limits = np.finfo(dtype)
    reach = 110.0 if dtype == np.float32 else 750.0
    powers = random.uniform(np.log10(float(limits.smallest_subnormal)) + 1, 38, 4000)
    edges = [limits.max, -limits.max, limits.tiny, -limits.tiny, limits.smallest_subnormal]
    return np.concatenate(
        [
            np.array([*_SPECIAL, *edges], dtype),
            (random.standard_normal(6000) * 3).astype(dtype),
            random.uniform(-reach, reach, 6000).astype(dtype),
            (10.0**powers).astype(dtype),
            (-(10.0**powers)).astype(dtype),
            (1 + random.standard_normal(4000) * 1e-3).astype(dtype),
            (random.standard_normal(4000) * 0.7).astype(dtype),
        ]
    )


def _ulps(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    dtype = found.dtype
    rounded = wanted.astype(dtype)
    spacing = np.spacing(np.abs(rounded)).astype(_WIDE)
    distance = np.abs(found.astype(_WIDE) - wanted.astype(_WIDE)) / spacing
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    exact = same & ~np.isfinite(rounded)
    distance = np.where(exact, 0, distance)
    return np.where(np.isnan(distance), np.inf, distance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", _REFERENCES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_within_the_promised_distance(name: str, dtype: type) -> None:
    values = _values(dtype)
    text = unary(f"math.{name}", len(values), "f32" if dtype == np.float32 else "f64")
    (found,) = Native(text)(values)
    wanted = np.asarray(_REFERENCES[name](values))
    distance = _ulps(found, wanted)
    worst = int(np.argmax(distance))
    assert distance[worst] <= _ULP[name], (
        f"{name}({values[worst]!r}) = {found[worst]!r}, wanted {wanted[worst]!r}"
    )
    known = ~np.isnan(found)
    np.testing.assert_array_equal(
        np.signbit(found[known]), np.signbit(wanted.astype(dtype)[known]), err_msg="sign of zero"
    )


def test_tanh_saturates_exactly() -> None:
    values = np.array([45, -45, 1e4, -1e4, np.inf, -np.inf], np.float32)
    (found,) = Native(unary("math.tanh", 6))(values)
    np.testing.assert_array_equal(found, np.sign(values))


def test_exp_keeps_subnormal_results() -> None:
    values = np.array([-88, -95, -103], np.float32)
    (found,) = Native(unary("math.exp", 3))(values)
    assert (found > 0).all()
    np.testing.assert_allclose(found, np.exp(values.astype(float)), rtol=0, atol=2e-45)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_half_precision_is_computed_in_f32(dtype: str) -> None:
    import ml_dtypes

    kind = np.float16 if dtype == "f16" else ml_dtypes.bfloat16
    values = np.linspace(-8, 8, 97).astype(kind)
    (found,) = Native(unary("math.exp", 97, dtype))(values)
    # Half a unit in the last place, and a little for ties that f32 cannot tell.
    half = 2.0**-11 if dtype == "f16" else 2.0**-8
    exact = np.exp(values.astype(float))
    np.testing.assert_allclose(found.astype(float), exact, rtol=half * 1.01)


@pytest.mark.parametrize("name", _REFERENCES)
def test_no_call_of_libm_is_left(name: str) -> None:
    assert "call" not in assembly(unary(f"math.{name}", 4096))
    assert "call" in assembly(unary(f"math.{name}", 4096), Options(vector_math=False))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_what_is_not_expanded_goes_to_libm(name: str) -> None:
    values = np.array([0.5, 1e5, -3.0, 1e30], np.float32)
    (found,) = Native(unary(f"math.{name}", 4))(values)
    np.testing.assert_allclose(found, getattr(np, name)(values.astype(float)), rtol=1e-6, atol=1e-7)


def test_a_function_may_be_called_like_one_of_libm() -> None:
    values = np.array([0.5, 1.0], np.float32)
    text = unary("math.sin", 2).replace("@f", "@sinf")
    (found,) = Native(text)(values)
    np.testing.assert_allclose(found, np.sin(values), rtol=1e-6)
