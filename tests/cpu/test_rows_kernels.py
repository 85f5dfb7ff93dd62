"""Kernels of chains over rows against NumPy in float64, in guarded memory that was full of NaN."""

from __future__ import annotations

import numpy as np
import pytest
from chain_support import CHAINS, MACHINES, Making, chain_kernel, given, rows_kernel, softmax

from tdsl.types.sizes import Symbol

TOLERANCES = {"f32": (2e-6, 2e-6), "f64": (1e-13, 1e-13), "bf16": (8e-3, 2e-3), "f16": (1e-3, 1e-3)}
# Of one, odd, around a vector and around several, not square; a length that is all parts at once.
LENGTHS = (1, 5, 15, 16, 17, 63, 64, 65, 129, 203)
SHAPES = [(3, length) for length in LENGTHS] + [(1, 40), (2, 3, 21), (7,), (1, 1, 1), (3, 1, 18)]


def check(name: str, shape: tuple[int, ...], dtype: str, machine: str) -> None:
    arrays = given(name, shape, dtype)
    wide = [a.astype(np.float64) if a.dtype.kind != "i" else a.astype(bool) for a in arrays]
    expected = CHAINS[name][1](*wide)
    found = chain_kernel(name, shape, dtype, machine)(*arrays)
    assert found.shape == expected.shape
    rtol, atol = TOLERANCES[dtype]
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol, atol)


@pytest.mark.parametrize("name", CHAINS)
def test_any_length(name: str) -> None:
    """One artifact, whose numbers of rows and of elements are known only at the call."""
    rows, length = Symbol("M"), Symbol("N")
    kernel = chain_kernel(name, (rows, length))
    for shape in [(3, n) for n in LENGTHS] + [(1, 300), (9, 2)]:
        arrays = given(name, shape)
        wide = [a.astype(np.float64) if a.dtype.kind != "i" else a.astype(bool) for a in arrays]
        expected = CHAINS[name][1](*wide)
        found = kernel(*arrays, shape=expected.shape)
        np.testing.assert_allclose(found, expected, 2e-6, 2e-6)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_fixed_shapes(shape: tuple[int, ...]) -> None:
    for name in ("softmax", "layer_norm", "max"):
        check(name, shape, "f32", "avx512")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", CHAINS)
def test_machines(name: str, machine: str) -> None:
    check(name, (3, 75), "f32", machine)


@pytest.mark.parametrize("dtype", ["f64", "bf16", "f16"])
@pytest.mark.parametrize("name", ["softmax", "masked_softmax", "layer_norm", "rms_norm", "max"])
def test_dtypes(name: str, dtype: str) -> None:
    check(name, (5, 75), dtype, "avx512")
    check(name, (5, 75), dtype, "avx2")


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "max", "min", "sum", "variance"])
def test_nan_anywhere_is_seen(name: str) -> None:
    """At the first, middle and last place of rows of 1 to 67 elements; other rows stay right."""
    kernel = chain_kernel(name, (Symbol("M"), Symbol("N")))
    for length in range(1, 68):
        (x,) = given(name, (4, length))
        for row, place in ((0, 0), (1, length // 2), (2, length - 1)):
            x[row, place] = np.nan
        expected = CHAINS[name][1](x[3:].astype(np.float64))
        shape = (4, length) if "softmax" in name else (4,)
        found = kernel(x, shape=shape)
        assert np.isnan(found[:3]).all(), length
        np.testing.assert_allclose(found[3:], expected, 2e-6, 2e-6)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ["max", "min"])
def test_one_nan_beside_infinities_is_seen(name: str, machine: str) -> None:
    """At every place of a row: whole vectors side by side, single ones, and the last lanes."""
    kernel = chain_kernel(name, (203, 203), machine=machine)
    (x,) = given(name, (203, 203))
    x[:, 7], x[:, 90], x[3] = np.inf, -np.inf, -np.inf if name == "max" else np.inf
    np.testing.assert_array_equal(kernel(x), CHAINS[name][1](x))
    np.fill_diagonal(x, np.nan)
    assert np.isnan(kernel(x)).all()


@pytest.mark.parametrize("machine", MACHINES)
def test_small_shares_keep_their_digits(machine: str) -> None:
    x = np.linspace(0, -87.2, 1024, dtype=np.float32)[None]
    x = np.concatenate(
        [x, np.full((1, 2), -87.4, np.float32), np.full((1, 2), -3e38, np.float32)], 1
    )
    (found,) = chain_kernel("softmax", x.shape, machine=machine)(x)
    (expected,) = softmax(x.astype(np.float64))
    normal = expected > np.finfo(np.float32).tiny
    np.testing.assert_allclose(found[normal], expected[normal], 5e-7)
    assert (found[-4:] == 0).all()


@pytest.mark.parametrize("size", [1e4, 3e38])
def test_softmax_of_huge_logits(size: float) -> None:
    x = (given("softmax", (6, 70))[0] > 0).astype(np.float32) * np.float32(size)
    x[3] = -x[3]
    x[4] = np.float32(size)
    found = chain_kernel("softmax", (6, 70))(x)
    np.testing.assert_allclose(found, softmax(x.astype(np.float64)), 2e-6, 0)
    assert not ((found > 0) & (found < np.finfo(np.float32).tiny)).any()


def test_softmax_of_infinities_as_numpy() -> None:
    x = np.zeros((4, 20), np.float32)
    x[0] = -np.inf
    x[1, 3] = np.inf
    x[2, 3:] = -np.inf
    np.testing.assert_allclose(
        chain_kernel("softmax", (4, 20))(x), softmax(x.astype(np.float64)), 1e-6
    )


def test_masked_softmax_without_any_gives_zeros() -> None:
    x, mask = given("masked_softmax", (3, 37))
    mask[1] = 0
    x[1, 4] = np.nan  # hidden
    x[0, np.nonzero(mask[0] == 0)[0][0]] = np.nan
    found = chain_kernel("masked_softmax", (3, 37))(x, mask)
    assert (found[1] == 0).all()
    assert np.isfinite(found).all()
    assert (found[0][mask[0] == 0] == 0).all()


def test_layer_norm_far_from_zero_keeps_its_digits() -> None:
    one, zero = np.ones(4, np.float32), np.zeros(4, np.float32)
    near = np.arange(4, dtype=np.float32)[None]
    kernel = chain_kernel("layer_norm", (1, 4))
    np.testing.assert_allclose(kernel(near + 40000, one, zero), kernel(near, one, zero), 1e-6)


def test_exp_outside_of_softmax_keeps_subnormals() -> None:
    making = Making()
    x = making.argument(2, 33)
    e = making.elementwise("exp", x)
    kernel = rows_kernel(making.text(making.elementwise("mul", e, making.kept("max", x))))
    given_x = np.full((2, 33), -95.0, np.float32)
    given_x[:, 0] = 1.0
    found = kernel(given_x)
    np.testing.assert_allclose(found[:, 1:], np.exp(-95.0), 1e-3)


def test_rows_are_independent() -> None:
    (x,) = given("softmax", (9, 75))
    kernel = chain_kernel("softmax", (Symbol("M"), 75))
    whole = kernel(x, shape=(9, 75))
    for row in range(9):
        assert (kernel(x[row : row + 1], shape=(1, 75)) == whole[row]).all()


def test_a_chain_with_work_around_it() -> None:
    """What comes before is computed once and kept, a second sum goes along with the first."""
    making = Making()
    x, y = making.argument(5, 75), making.argument(75)
    before = making.elementwise("tanh", making.elementwise("add", x, y))
    first, second = making.kept("sum", before), making.kept("max", before)
    both = making.elementwise("sub", making.elementwise("mul", before, first), second)
    third = making.kept("sum", making.elementwise("exp", both))
    result = making.elementwise("div", both, third)
    given_x, given_y = (np.random.default_rng(3).standard_normal(s) for s in ((5, 75), 75))
    b = np.tanh(given_x + given_y)
    wanted = b * b.sum(-1, keepdims=True) - b.max(-1, keepdims=True)
    wanted = wanted / np.exp(wanted).sum(-1, keepdims=True)
    kernel = rows_kernel(making.text(result))
    found = kernel(given_x.astype(np.float32), given_y.astype(np.float32))
    np.testing.assert_allclose(found, wanted, 2e-5, 1e-7)
    # tanh is written for several vectors, for one and for a part of one, in one phase alone.
    assert kernel.text.count("math.tanh") == 4 + 0 + 1
