"""Calls that leave arguments out: the defaults, and that a repeated call takes the fast way."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tdsl

TEXT = """tdsl 0.1
pub fn f[E: dtype(float), N, static k = 2](x: E[N], factor: E = 0.5, offset: f64 = 1.0) -> E[N] {
    k * x * factor + E(offset)
}
"""


@pytest.fixture
def f() -> Any:
    return tdsl.loads(TEXT).f


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_defaults_take_the_dtype_of_the_call(f: Any, dtype: Any) -> None:
    x = np.arange(4).astype(dtype)
    for _ in range(3):
        found = f(x)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.astype(np.float64), np.arange(4) + 1)


def test_each_number_of_arguments_has_its_own_defaults(f: Any) -> None:
    x = np.arange(3, dtype=np.float32)
    four, five = np.asarray(4, np.float32), np.asarray(5.0)
    for _ in range(3):  # the slow way first, then the fast one
        np.testing.assert_array_equal(f(x), x + 1)
        np.testing.assert_array_equal(f(x, four), 8 * x + 1)
        np.testing.assert_array_equal(f(x, four, five), 8 * x + 5)
        np.testing.assert_array_equal(f(x, offset=five), x + 5)
        np.testing.assert_array_equal(f(x, k=3), 1.5 * x + 1)
        np.testing.assert_array_equal(f(x, k=2), x + 1)
        np.testing.assert_array_equal(f(x, offset=7.0), x + 7)


def test_only_plain_arrays_go_the_fast_way(f: Any) -> None:
    x = np.arange(3, dtype=np.float32)
    for given in (x, x.astype(">f4"), np.arange(6, dtype=np.float32)[::2] / 2, x):
        for _ in range(2):
            np.testing.assert_array_equal(f(given), x + 1)


def test_a_repeated_call_is_not_placed_again(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(3, dtype=np.float32)
    f(x), f(x, k=3)

    def slowly(*_: Any, **__: Any) -> Any:
        raise AssertionError("the slow way")

    monkeypatch.setattr(type(f), "_call_slowly", slowly)
    np.testing.assert_array_equal(f(x + 1), x + 2)
    np.testing.assert_array_equal(f(x, k=3), 1.5 * x + 1)
    with pytest.raises(AssertionError, match="the slow way"):
        f(x.astype(">f4"))


OVER_SIZES = """tdsl 0.1
pub fn f[C, static H = C + 1](x: f32[C]) -> f32[H] { broadcast(x[0], [H]) }
pub fn longer[N](x: f32[N]) -> f32[N + 1] { f(x) }
pub fn chained[static G = H + 1, static H = C * 2, C](x: f32[C]) -> f32[G] { broadcast(x[0], [G]) }
pub fn chained_from_a_call[N](x: f32[N]) -> f32[2 * N + 1] { chained(x) }
"""


@pytest.mark.parametrize("size", [3, 4])
def test_the_default_of_a_static_may_depend_on_sizes(size: int) -> None:
    module = tdsl.loads(OVER_SIZES)
    x = np.ones(size, np.float32)
    assert module.f(x).shape == (size + 1,)
    assert module.f(x, H=2).shape == (2,)
    assert module.longer(x).shape == (size + 1,)
    assert module.chained(x).shape == (2 * size + 1,)
    assert module.chained(x, H=8).shape == (9,)
    assert module.chained_from_a_call(x).shape == (2 * size + 1,)
