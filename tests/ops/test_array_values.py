"""Reductions, products, shape and data builtins against NumPy written out independently."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from ops_support import ALL, BOOL, FLOATS, INTEGERS, NUMBERS, DType, assert_close, run, sample

from tdsl.types.dtypes import DTYPES

F64, F32, I64, I32 = (DTYPES[name] for name in ("f64", "f32", "i64", "i32"))
REDUCED = [
    ((7,), None, False),
    ((7,), -1, True),
    ((129,), 0, False),
    ((3, 5), 0, False),
    ((3, 5), 1, True),
    ((3, 5), None, True),
    ((2, 1, 3), [0, 2], False),
    ((2, 1, 3), [-1, 1], True),
    ((1,), 0, False),
    ((), None, False),
]


def both(name: str, *arguments: Any, **statics: Any) -> tuple[Any, Any]:
    ran = run(name, *arguments, **statics)
    return ran.reference, ran.expanded


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    wanted = range(rank) if axis is None else axis if isinstance(axis, list) else [axis]
    return tuple(a % rank for a in wanted)


def reduced(x: Any, axis: Any, keepdims: bool, function: Any) -> Any:
    """Reduce by a function of a flat list, element by element of the result."""
    axes = axes_of(axis, x.ndim)
    shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    result = []
    for place in np.ndindex(shape):
        key = tuple(slice(None) if a in axes else i for a, i in enumerate(place))
        result.append(function(np.asarray(x[key]).reshape(-1).astype(object).tolist()))
    kept = shape if keepdims else tuple(n for a, n in enumerate(x.shape) if a not in axes)
    return np.array(result).reshape(kept)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(("shape", "axis", "keepdims"), REDUCED)
def test_sum_mean_prod(dtype: DType, shape: Any, axis: Any, keepdims: bool) -> None:
    x = sample(dtype, shape, 3)
    exact = x.astype(np.float64) if dtype.is_float else x.astype(np.int64)
    whole = dtype if dtype.is_float else I64
    for name, function, result in (
        ("sum", sum, whole),
        ("mean", lambda v: sum(v) / len(v), dtype if dtype.is_float else F64),
    ):
        expected = reduced(exact, axis, keepdims, function)
        for found in both(name, x, axis=axis, keepdims=keepdims):
            assert_close(found, expected, result, scale=8)
    if x.size < 100:
        expected = reduced(exact, axis, keepdims, lambda v: np.prod(np.array(v)))
        for found in both("prod", x, axis=axis, keepdims=keepdims):
            assert_close(found, expected, whole, scale=8)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize(("shape", "axis", "keepdims"), REDUCED)
def test_max_min(dtype: DType, shape: Any, axis: Any, keepdims: bool) -> None:
    x = sample(dtype, shape, 4)
    exact = x.astype(np.float64)
    for name, function in (("max", max), ("min", min)):
        expected = reduced(exact, axis, keepdims, function).astype(dtype.numpy)
        for found in both(name, x, axis=axis, keepdims=keepdims):
            assert_close(found, expected, dtype)


@pytest.mark.parametrize(("shape", "axis", "keepdims"), REDUCED)
def test_any_all(shape: Any, axis: Any, keepdims: bool) -> None:
    x = sample(BOOL, shape, 5)
    for name, function in (("any", any), ("all", all)):
        for found in both(name, x, axis=axis, keepdims=keepdims):
            assert_close(found, reduced(x, axis, keepdims, function), BOOL)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("place", [0, 3, 6])
def test_reductions_propagate_nan(place: int, dtype: DType) -> None:
    x = sample(dtype, (7,), 6)
    x[place] = np.nan
    for name in ("max", "min", "sum", "mean"):
        assert all(np.isnan(found.astype(np.float64)) for found in both(name, x))
    assert [int(v) for v in both("argmax", x)] == [place, place]
    assert [int(v) for v in both("argmin", x)] == [place, place]


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_half_precision_sums_in_f32(name: str) -> None:
    """4096 times 1: bf16 alone would stop at 256, f16 at 2048."""
    ones = np.ones(4096, DTYPES[name].numpy)
    assert [float(v) for v in both("sum", ones)] == [4096.0, 4096.0]
    assert [float(v) for v in both("mean", ones)] == [1.0, 1.0]
    running = both("cumsum", ones, axis=0)
    assert [float(v[-1]) for v in running] == [4096.0, 4096.0]
    for found in both("matmul", ones, ones):
        assert float(found) == 4096.0
        assert found.dtype == DTYPES[name].numpy


def test_integer_sums_do_not_wrap() -> None:
    assert [int(v) for v in both("sum", np.full(300, 127, np.int8))] == [38100, 38100]
    assert [int(v) for v in both("sum", np.full(3, 2**31, np.uint32))] == [3 * 2**31] * 2
    assert [int(v) for v in both("sum", np.array([True, True, False]))] == [2, 2]


def test_products_of_bytes_add_up_in_i32_and_come_back() -> None:
    a, b = np.full(200, 10, np.int8), np.full(200, 10, np.int8)
    wrapped = (20000 + 128) % 256 - 128
    for found in both("matmul", a, b):
        assert_close(found, np.array(wrapped), DTYPES["i8"])


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_argmax_argmin(axis: int | None, keepdims: bool, dtype: DType) -> None:
    x = sample(dtype, (3, 5), 7)
    for name, best in (("argmax", max), ("argmin", min)):

        def first(values: list[Any], best: Any = best) -> int:
            return values.index(best(values))

        expected = reduced(x.astype(np.float64), axis, keepdims, first)
        for found in both(name, x, axis=axis, keepdims=keepdims):
            assert_close(found, expected, I64)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumsum(axis: int, dtype: DType) -> None:
    x = sample(dtype, (3, 5), 8)
    lines = np.moveaxis(x.astype(np.float64), axis, -1).tolist()
    expected = np.moveaxis(np.array([list(itertools.accumulate(line)) for line in lines]), -1, axis)
    for found in both("cumsum", x, axis=axis):
        assert_close(found, expected, dtype if dtype.is_float else I64, scale=4)


# --- products

MATMULS = [
    ((3, 5), (5, 7)),
    ((1, 1), (1, 1)),
    ((129, 3), (3, 2)),
    ((5,), (5,)),
    ((5,), (5, 3)),
    ((3, 5), (5,)),
    ((2, 3, 5), (5, 7)),
    ((2, 4, 3, 5), (5, 7)),
    ((2, 3, 5), (5,)),
    ((4, 3, 5), (4, 5, 2)),
    ((2, 4, 3, 5), (2, 4, 5, 7)),
    ((1, 3, 5), (1, 5, 2)),
]


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize(("left", "right"), MATMULS)
def test_matmul(left: Any, right: Any, dtype: DType) -> None:
    a, b = sample(dtype, left, 9), sample(dtype, right, 10)
    letters = "bcm"[-len(left) + 1 :] if len(left) > 1 else ""
    one = letters + "k"
    two = "k" if len(right) == 1 else letters[: len(right) - 2] + "kn"
    result = letters + ("n" if len(right) > 1 else "")
    wide = np.int64 if dtype.is_integer else np.float64
    exact = np.einsum(f"{one},{two}->{result}", a.astype(wide), b.astype(wide))
    expected = exact.astype(dtype.numpy) if dtype.is_integer else exact
    for found in both("matmul", a, b):
        assert_close(found, expected, dtype, scale=20)


def test_matmul_uses_the_primitives_that_backends_know() -> None:
    x = sample(F32, (2, 3, 5))
    assert run("matmul", x, sample(F32, (5, 7))).used == ("reshape", "matmul", "reshape")
    assert run("matmul", x, sample(F32, (2, 5, 7))).used == ("batch_matmul",)
    assert run("matmul", x[0], sample(F32, (5, 7))).used == ("matmul",)
    half = run("matmul", x[0].astype(np.float16), sample(DTYPES["f16"], (5, 7)))
    assert half.used == ("cast", "cast", "matmul", "cast")


# --- shapes


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_reshape_transpose_broadcast(dtype: DType) -> None:
    x = sample(dtype, (2, 3, 4), 11)
    flat = x.reshape(-1).tolist() if dtype.name != "bf16" else list(x.reshape(-1))
    for found in both("reshape", x, [4, 6]):
        assert [found[i // 6, i % 6] for i in range(24)] == flat
    for found in both("reshape", x, [None, 8]):
        assert found.shape == (3, 8)
    for found in both("transpose", x, [2, 0, 1]):
        assert found.shape == (4, 2, 3)
        assert all(found[k, i, j] == x[i, j, k] for i, j, k in np.ndindex(2, 3, 4))
    for found in both("broadcast", x[:, :1, :], [5, 2, 3, 4]):
        assert found.shape == (5, 2, 3, 4)
        assert (found == x[None, :, :1, :]).all()


def test_transpose_takes_axes_from_the_end() -> None:
    x = sample(F32, (2, 3))
    for found in both("transpose", x, [-1, -2]):
        np.testing.assert_array_equal(found, x.T)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_concat_stack_split(dtype: DType) -> None:
    x, y = sample(dtype, (2, 3), 12), sample(dtype, (2, 4), 13)
    for found in both("concat", [x, y, x], axis=-1):
        assert found.shape == (2, 10)
        np.testing.assert_array_equal(found[:, :3], x)
        np.testing.assert_array_equal(found[:, 3:7], y)
        np.testing.assert_array_equal(found[:, 7:], x)
    for found in both("stack", [x, x + x], axis=-1):
        assert found.shape == (2, 3, 2)
        np.testing.assert_array_equal(found[..., 0], x)
        np.testing.assert_array_equal(found[..., 1], x + x)
    for parts in both("split", y, 2, axis=1):
        assert len(parts) == 2
        np.testing.assert_array_equal(parts[0], y[:, :2])
        np.testing.assert_array_equal(parts[1], y[:, 2:])


def test_joining_promotes() -> None:
    joined = run("concat", [sample(F32, (2,)), sample(I32, (3,))], axis=0)
    assert joined.reference.dtype == np.float64
    assert run(
        "stack", [np.float32(1.0) * np.ones(()).astype(np.float32), 2]
    ).expanded.tolist() == [
        1.0,
        2.0,
    ]


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_pad_flip(dtype: DType) -> None:
    x = sample(dtype, (2, 3), 14)
    for found in both("pad", x, [[1, 0], [0, 2]], 7):
        assert found.shape == (3, 5)
        np.testing.assert_array_equal(found[1:, :3], x)
        assert (found[0] == 7).all()
        assert (found[:, 3:] == 7).all()
    for found in both("flip", x, axis=-1):
        np.testing.assert_array_equal(found, x[:, ::-1])
    for found in both("flip", x):
        np.testing.assert_array_equal(found, x[::-1, ::-1])


# --- data


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_zeros_full_eye(dtype: DType) -> None:
    for found in both("zeros", [2, 3], dtype):
        assert_close(found, np.zeros((2, 3)), dtype)
    for found in both("full", [3], 1, dtype):
        assert_close(found, np.ones(3), dtype)
    for found in both("eye", 3, dtype):
        assert_close(found, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_iota(dtype: DType) -> None:
    for found in both("iota", 129, dtype):
        assert_close(
            found,
            np.array(list(range(129))).astype(dtype.numpy),
            dtype,
        )
    assert run("iota", 3).reference.dtype == np.int64


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_causal_mask(dtype: DType) -> None:
    for found in both("causal_mask", 3, dtype):
        wide = found.astype(np.float64)
        assert found.dtype == dtype.numpy
        assert all(wide[i, j] == 0 for i in range(3) for j in range(i + 1))
        hidden = -np.inf if dtype.name == "f16" else float(np.float64(-1e10).astype(dtype.numpy))
        assert all(wide[i, j] == hidden for i in range(3) for j in range(i + 1, 3))


# --- allclose


@pytest.mark.parametrize(
    ("a", "b", "close"),
    [
        ([1.0], [1.0 + 1e-10], True),
        ([1.0], [1.0 + 1e-8], False),
        ([np.inf, -np.inf], [np.inf, -np.inf], True),
        ([np.inf], [1.0], False),
        ([1.0], [np.inf], False),
        ([np.nan], [np.nan], False),
    ],
)
def test_allclose_in_f64(a: Any, b: Any, close: bool) -> None:
    assert [bool(v) for v in both("allclose", np.array(a), np.array(b))] == [close, close]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_allclose_tolerance_goes_by_dtype(dtype: DType) -> None:
    one = np.ones(3, dtype.numpy)
    near = np.float64(1) + {"f64": 1e-10, "f32": 5e-6, "f16": 5e-3, "bf16": 2e-2}[dtype.name]
    far = np.float64(1) + {"f64": 1e-7, "f32": 1e-3, "f16": 0.1, "bf16": 0.2}[dtype.name]
    for other, close in ((near, True), (far, False)):
        b = np.full(3, other).astype(dtype.numpy)
        assert [bool(v) for v in both("allclose", one, b)] == [close, close]
    assert bool(run("allclose", one, np.full(3, far).astype(dtype.numpy), rtol=0.5).expanded)


@pytest.mark.parametrize("dtype", [*INTEGERS, BOOL], ids=str)
def test_allclose_of_integers_is_equality(dtype: DType) -> None:
    zero, one = np.zeros(2, dtype.numpy), np.ones(2, dtype.numpy)
    assert [bool(v) for v in both("allclose", one, one)] == [True, True]
    assert [bool(v) for v in both("allclose", zero, one)] == [False, False]
