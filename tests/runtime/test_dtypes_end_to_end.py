"""Whole programs in every dtype, from arrays of Python to native code and back, against NumPy.

Each row of a table is an expression, the type of its result, and what NumPy has for it. NaN stands
where a careless vector loop would lose it. Half-precision arrays are stored as they are (bf16 by
ml_dtypes) and compared with results rounded once from float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

import tdsl
from tdsl.types.dtypes import DTYPES, DType

FLOATS = [DTYPES[name] for name in ("f64", "f32", "bf16", "f16")]
INTEGERS = [DTYPES[name] for name in ("i64", "i32", "i16", "i8", "u32", "u8")]
KERNELS = ["all", "none"]
# Where no product is, kernels change nothing but the functions of vectors, of f32 and f64.
FEW = [(dtype, "all") for dtype in FLOATS] + [(DTYPES["f32"], "none"), (DTYPES["f64"], "none")]
# Of the result, relative to the largest of the row's numbers.
TOLERANCES = {"f64": 1e-13, "f32": 2e-6, "f16": 3e-3, "bf16": 2.5e-2}

Array = np.ndarray[Any, Any]
Row = tuple[str, str, Callable[..., Any]]

M, N = 5, 67


def program(rows: Sequence[Row], arguments: str) -> str:
    types = ", ".join(type_ for _, type_, _ in rows)
    values = ",\n        ".join(expression for expression, _, _ in rows)
    return (
        f"tdsl 0.1\npub fn f({arguments}) -> ({types},) {{\n    (\n        {values},\n    )\n}}\n"
    )


def compare(
    rows: Sequence[Row], dtype: DType, kernels: str, arguments: str, arrays: Sequence[Array]
) -> None:
    """Every row, with E in its types standing for the dtype."""
    text = program(rows, arguments).replace("E", dtype.name)
    found = tdsl.loads(text, kernels=kernels).f(*arrays)
    wide = [
        a.astype(np.float64) if a.dtype == dtype.numpy and dtype.is_float else a for a in arrays
    ]
    for (expression, type_, function), result in zip(rows, found, strict=True):
        with np.errstate(all="ignore"):
            exact = np.asarray(function(*wide))
            wanted_dtype = DTYPES[type_.replace("E", dtype.name).partition("[")[0]]
            wanted = exact.astype(wanted_dtype.numpy)
        assert result.dtype == wanted_dtype.numpy, expression
        assert result.shape == wanted.shape, expression
        if not wanted_dtype.is_float:
            np.testing.assert_array_equal(result, wanted, err_msg=expression)
            continue
        left, right = result.astype(np.float64), wanted.astype(np.float64)
        finite = np.abs(right[np.isfinite(right)])
        scale = max(1.0, float(finite.max(initial=0.0)))
        rtol = TOLERANCES[wanted_dtype.name]
        np.testing.assert_allclose(left, right, rtol, rtol * scale, err_msg=expression)


def with_nan(dtype: DType) -> Array:
    """Rows without NaN, with one first, in the middle and last, and with infinities."""
    x = np.random.default_rng(0).standard_normal((M, N))
    x[1, 0] = x[2, N // 2] = x[3, N - 1] = np.nan
    x[4, 5], x[4, 6] = np.inf, 3.0
    return x.astype(dtype.numpy)


# --- floats


FUNCTIONS: list[Row] = [
    ("-x", "E[5, 67]", np.negative),
    ("abs(x)", "E[5, 67]", np.abs),
    ("sign(x)", "E[5, 67]", np.sign),
    ("exp(x)", "E[5, 67]", np.exp),
    ("exp2(x)", "E[5, 67]", np.exp2),
    ("expm1(x)", "E[5, 67]", np.expm1),
    ("log(abs(x))", "E[5, 67]", lambda x: np.log(np.abs(x))),
    ("log(x)", "E[5, 67]", np.log),
    ("log2(abs(x))", "E[5, 67]", lambda x: np.log2(np.abs(x))),
    ("log1p(abs(x))", "E[5, 67]", lambda x: np.log1p(np.abs(x))),
    ("sqrt(abs(x))", "E[5, 67]", lambda x: np.sqrt(np.abs(x))),
    ("sqrt(x)", "E[5, 67]", np.sqrt),
    ("sin(x)", "E[5, 67]", np.sin),
    ("cos(x)", "E[5, 67]", np.cos),
    ("tanh(x)", "E[5, 67]", np.tanh),
    ("erf(x)", "E[5, 67]", erf),
    ("sigmoid(x)", "E[5, 67]", lambda x: 1 / (1 + np.exp(-x))),
    ("floor(x)", "E[5, 67]", np.floor),
    ("ceil(x)", "E[5, 67]", np.ceil),
    ("round(x)", "E[5, 67]", np.round),
    ("isnan(x)", "bool[5, 67]", np.isnan),
    ("isfinite(x)", "bool[5, 67]", np.isfinite),
    ("minimum(x, 0.5)", "E[5, 67]", lambda x: np.minimum(x, 0.5)),
    ("maximum(0.5, x)", "E[5, 67]", lambda x: np.maximum(0.5, x)),
    ("clip(x, -0.5, 0.5)", "E[5, 67]", lambda x: np.clip(x, -0.5, 0.5)),
    ("select(x > 0.0, x, 1.0)", "E[5, 67]", lambda x: np.where(x > 0, x, 1)),
    ("x == x", "bool[5, 67]", lambda x: x == x),
    ("x != x", "bool[5, 67]", lambda x: x != x),
    ("not (x < 0.0) and (x <= 1.0 or x > 2.0)", "bool[5, 67]", lambda x: (~(x < 0)) & ((x <= 1) | (x > 2))),
    ("x + 1.5", "E[5, 67]", lambda x: x + 1.5),
    ("2.0 - x", "E[5, 67]", lambda x: 2 - x),
    ("x * x", "E[5, 67]", lambda x: x * x),
    ("x / 2.0", "E[5, 67]", lambda x: x / 2),
    ("x ** 2", "E[5, 67]", lambda x: x**2),
    ("x // 0.5", "E[5, 67]", lambda x: x // 0.5),
    ("f32(x)", "f32[5, 67]", lambda x: x),
    ("f64(x)", "f64[5, 67]", lambda x: x),
    ("bool(x)", "bool[5, 67]", lambda x: x != 0),
]  # fmt: skip

REDUCTIONS: list[Row] = [
    ("sum(x, axis=1)", "E[5]", lambda x: x.sum(1)),
    ("sum(x, axis=0)", "E[67]", lambda x: x.sum(0)),
    ("sum(x)", "E", lambda x: x.sum()),
    ("mean(x, axis=-1, keepdims=true)", "E[5, 1]", lambda x: x.mean(-1, keepdims=True)),
    ("mean(x, axis=0)", "E[67]", lambda x: x.mean(0)),
    ("max(x, axis=1)", "E[5]", lambda x: x.max(1)),
    ("max(x, axis=0)", "E[67]", lambda x: x.max(0)),
    ("max(x)", "E", lambda x: x.max()),
    ("min(x, axis=1)", "E[5]", lambda x: x.min(1)),
    ("min(x, axis=0)", "E[67]", lambda x: x.min(0)),
    ("prod(x[:, 0:4], axis=1)", "E[5]", lambda x: x[:, :4].prod(1)),
    ("argmax(x, axis=1)", "i64[5]", lambda x: x.argmax(1)),
    ("argmax(x, axis=0)", "i64[67]", lambda x: x.argmax(0)),
    ("argmin(x, axis=1)", "i64[5]", lambda x: x.argmin(1)),
    ("argmin(x)", "i64", lambda x: x.argmin()),
    ("cumsum(x, axis=1)", "E[5, 67]", lambda x: x.cumsum(1)),
    ("any(isnan(x), axis=1)", "bool[5]", lambda x: np.isnan(x).any(1)),
    ("all(isfinite(x), axis=0)", "bool[67]", lambda x: np.isfinite(x).all(0)),
]

PRODUCTS: list[Row] = [
    ("a @ transpose(b, [1, 0])", "E[5, 6]", lambda a, b: a @ b.T),
    ("a[0:3] @ b.T", "E[3, 6]", lambda a, b: a[:3] @ b.T),
    ("a[0] @ b[0]", "E", lambda a, b: a[0] @ b[0]),
    ("a @ b[0]", "E[5]", lambda a, b: a @ b[0]),
    ("a[0] @ b.T", "E[6]", lambda a, b: a[0] @ b.T),
    (
        "reshape(b, [2, 3, 67]) @ transpose(reshape(b, [2, 3, 67]), [0, 2, 1])",
        "E[2, 3, 3]",
        lambda a, b: b.reshape(2, 3, 67) @ b.reshape(2, 3, 67).swapaxes(1, 2),
    ),
    (
        "reshape(b, [2, 3, 67]) @ a.T",
        "E[2, 3, 5]",
        lambda a, b: b.reshape(2, 3, 67) @ a.T,
    ),
]


@pytest.mark.parametrize(("dtype", "kernels"), FEW, ids=str)
@pytest.mark.parametrize("rows", [FUNCTIONS, REDUCTIONS], ids=["functions", "reductions"])
def test_floats(rows: list[Row], dtype: DType, kernels: str) -> None:
    compare(rows, dtype, kernels, "x: E[5, 67]", [with_nan(dtype)])


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_products_of_floats(dtype: DType, kernels: str) -> None:
    random = np.random.default_rng(1)
    a, b = (random.standard_normal((n, N)).astype(dtype.numpy) for n in (M, 6))
    compare(PRODUCTS, dtype, kernels, "a: E[5, 67], b: E[6, 67]", [a, b])
    a[2, 3] = np.nan
    compare(PRODUCTS, dtype, kernels, "a: E[5, 67], b: E[6, 67]", [a, b])


@pytest.mark.parametrize("dtype", [DTYPES["f16"], DTYPES["bf16"]], ids=str)
@pytest.mark.parametrize("kernels", KERNELS)
def test_half_precision_adds_up_in_f32(dtype: DType, kernels: str) -> None:
    """4096 times 1: in f16 the sum would stop at 2048, in bf16 at 256."""
    text = """tdsl 0.1
pub fn f(x: E[2, 4096]) -> (E[2], E[2], E[2, 2], E) { (sum(x, axis=1), mean(x, axis=1), x @ x.T, sum(x[0] * x[0])) }
"""
    module = tdsl.loads(text.replace("E", dtype.name), kernels=kernels)
    for found in module.f(np.ones((2, 4096), dtype.numpy)):
        assert found.dtype == dtype.numpy
        assert set(found.astype(np.float64).ravel()) <= {4096.0, 1.0}


# --- integers and bools


WHOLE: list[Row] = [
    ("x + y", "E[5, 67]", lambda x, y: x + y),
    ("x - y", "E[5, 67]", lambda x, y: x - y),
    ("x * y", "E[5, 67]", lambda x, y: x * y),
    ("x // y", "E[5, 67]", lambda x, y: np.where(y == 0, 0, x // np.where(y == 0, 1, y))),
    ("x % y", "E[5, 67]", lambda x, y: np.where(y == 0, 0, x % np.where(y == 0, 1, y))),
    ("x / y", "f64[5, 67]", lambda x, y: x.astype(np.float64) / y.astype(np.float64)),
    ("x ** 2", "E[5, 67]", lambda x, y: x**2),
    ("abs(x)", "E[5, 67]", lambda x, y: np.abs(x)),
    ("sign(x)", "E[5, 67]", lambda x, y: np.sign(x)),
    ("minimum(x, y)", "E[5, 67]", lambda x, y: np.minimum(x, y)),
    ("clip(x, 2, 5)", "E[5, 67]", lambda x, y: np.clip(x, 2, 5)),
    ("select(x > y, x, y)", "E[5, 67]", lambda x, y: np.where(x > y, x, y)),
    ("x <= y", "bool[5, 67]", lambda x, y: x <= y),
    ("sum(x, axis=1)", "i64[5]", lambda x, y: x.astype(np.int64).sum(1)),
    ("mean(x, axis=0)", "f64[67]", lambda x, y: x.astype(np.float64).mean(0)),
    ("max(x, axis=1)", "E[5]", lambda x, y: x.max(1)),
    ("min(x)", "E", lambda x, y: x.min()),
    ("argmax(x, axis=0)", "i64[67]", lambda x, y: x.argmax(0)),
    ("cumsum(x, axis=1)", "i64[5, 67]", lambda x, y: x.astype(np.int64).cumsum(1)),
    ("f16(x)", "f16[5, 67]", lambda x, y: x),
    ("u8(x)", "u8[5, 67]", lambda x, y: x),
    ("bool(x)", "bool[5, 67]", lambda x, y: x != 0),
]
SIGNED: list[Row] = [("-x", "E[5, 67]", lambda x, y: -x)]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype: DType) -> None:
    random = np.random.default_rng(2)
    low = 0 if dtype.kind == "uint" else -12
    x, y = (random.integers(low, 13, (M, N)).astype(dtype.numpy) for _ in range(2))
    rows = WHOLE if dtype.kind == "uint" else [*WHOLE, *SIGNED]
    compare(rows, dtype, "all", "x: E[5, 67], y: E[5, 67]", [x, y])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_products_of_integers(dtype: DType) -> None:
    random = np.random.default_rng(3)
    a, b = (random.integers(0, 2, (n, N)).astype(dtype.numpy) for n in (M, 6))
    compare(PRODUCTS, dtype, "all", "a: E[5, 67], b: E[6, 67]", [a, b])


ANY: list[Row] = [
    ("reshape(x, [67, 5])", "E[67, 5]", lambda x, y, i: x.reshape(67, 5)),
    ("x.T", "E[67, 5]", lambda x, y, i: x.T),
    ("broadcast(x[0], [2, 67])", "E[2, 67]", lambda x, y, i: np.broadcast_to(x[0], (2, 67))),
    ("concat([x, y[0:2]], axis=0)", "E[7, 67]", lambda x, y, i: np.concatenate([x, y[:2]])),
    ("stack([x, y], axis=-1)", "E[5, 67, 2]", lambda x, y, i: np.stack([x, y], -1)),
    ("split(x[:, 0:66], 3, axis=1)[1]", "E[5, 22]", lambda x, y, i: x[:, 22:44]),
    ("pad(x, [[1, 0], [0, 2]], x[0, 0])", "E[6, 69]", lambda x, y, i: np.pad(x, [[1, 0], [0, 2]], constant_values=x[0, 0])),
    ("flip(x, axis=1)", "E[5, 67]", lambda x, y, i: x[:, ::-1]),
    ("take(x, i, axis=0)", "E[2, 67]", lambda x, y, i: x[i]),
    ("take(x, i, axis=1)", "E[5, 2]", lambda x, y, i: x[:, i]),
    ("slice(x, at=[i[0], 1], size=[2, 3])", "E[2, 3]", lambda x, y, i: x[i[0] : i[0] + 2, 1:4]),
    ("update(x, y[0:2, 0:3], at=[i[0], 4])", "E[5, 67]", lambda x, y, i: _updated(x, y[:2, :3], i[0], 4)),
    ("full([2, 2], x[1, 1], E)", "E[2, 2]", lambda x, y, i: np.full((2, 2), x[1, 1])),
    ("eye(3, E)", "E[3, 3]", lambda x, y, i: np.eye(3)),
    ("select(x == y, x, y)", "E[5, 67]", lambda x, y, i: np.where(x == y, x, y)),
    ("x[1:3, -1]", "E[2]", lambda x, y, i: x[1:3, -1]),
    ("x[:, newaxis, 2:5]", "E[5, 1, 3]", lambda x, y, i: x[:, None, 2:5]),
]  # fmt: skip


def _updated(x: Array, y: Array, row: int, column: int) -> Array:
    result = x.copy()
    result[row : row + y.shape[0], column : column + y.shape[1]] = y
    return result


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_what_only_moves_elements(dtype: DType) -> None:
    random = np.random.default_rng(4)
    x, y = (random.integers(0, 2, (M, N)).astype(dtype.numpy) for _ in range(2))
    if dtype.is_float:
        x[2, 3], y[1, 1] = np.nan, -np.inf
    i = np.array([3, 0], np.int32)
    compare(ANY, dtype, "all", "x: E[5, 67], y: E[5, 67], i: i32[2]", [x, y, i])
