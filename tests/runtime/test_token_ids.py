"""Ids of any integer dtype: a function that names it `I: dtype(int)` takes NumPy's own i64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tdsl

TEXT = """tdsl 0.1
pub fn rows[V, C, T, I: dtype(int)](table: f32[V, C], ids: I[T]) -> f32[T, C] {
    take(table, ids, axis=0)
}
pub fn at[N, I: dtype(int)](x: f32[N], i: I) -> f32[1] { slice(x, at=[i], size=[1]) }
pub fn put[N, I: dtype(int)](x: f32[N], i: I) -> f32[N] { update(x, x[0:1], at=[i + 1]) }
pub fn walk[V, C, T, I: dtype(int)](table: f32[V, C], ids: I[T]) -> f32[C] {
    fold s = table[0] for i in 0..T { s + take(table, ids[i], axis=0) }
}
pub fn embedded[V, C, T, I: dtype(int)](table: f32[V, C], ids: I[T]) -> f32[T, C] {
    rows(table, ids * 2 // 2)
}
pub fn narrow[V, C, T](table: f32[V, C], ids: i32[T]) -> f32[T, C] { take(table, ids, axis=0) }
"""
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
X = TABLE[:, 0]


@pytest.fixture(scope="module")
def module() -> Any:
    return tdsl.loads(TEXT, name="ids")


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "int8", "uint32", "uint8"])
def test_every_integer_dtype(module: Any, dtype: str) -> None:
    ids = np.array([3, 0, 2], dtype)
    np.testing.assert_array_equal(module.rows(TABLE, ids), TABLE[[3, 0, 2]])
    np.testing.assert_array_equal(module.embedded(TABLE, ids), TABLE[[3, 0, 2]])
    np.testing.assert_array_equal(module.walk(TABLE, ids), TABLE[[0, 3, 0, 2]].sum(0))
    np.testing.assert_array_equal(module.at(X, ids[0]), X[3:])
    np.testing.assert_array_equal(module.put(X, ids[2]), [*X[:3], X[0]])
    with pytest.raises(IndexError, match="take: index 4 is out of range for axis 0 of size 4"):
        module.rows(TABLE, np.array([1, 4], dtype))


def test_numpy_s_own_integers_are_wide(module: Any) -> None:
    ids = np.array([3, 0, 2])
    np.testing.assert_array_equal(module.rows(TABLE, ids), TABLE[ids])
    with pytest.raises(tdsl.DTypeError, match=r"pass `ids\.astype\(np\.int32\)`"):
        module.narrow(TABLE, ids)
    np.testing.assert_array_equal(module.narrow(TABLE, ids.astype(np.int32)), TABLE[ids])


def test_only_integers(module: Any) -> None:
    for ids in (np.array([1.0]), np.array([True])):
        with pytest.raises(tdsl.DTypeError, match="`I` stands for an integer dtype"):
            module.rows(TABLE, ids)


def test_the_body_is_checked_for_every_integer_dtype() -> None:
    text = "tdsl 0.1\npub fn f[N, I: dtype(int)](x: I[N]) -> I[N] { sqrt(x) }\n"
    with pytest.raises(tdsl.CompileError, match=r"`I` may be any dtype of `dtype.int.`"):
        tdsl.loads(text)
