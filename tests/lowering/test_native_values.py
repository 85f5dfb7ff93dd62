"""Small programs that native code once got wrong, against NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tdsl

Array = np.ndarray[Any, Any]
WAYS = ("all", "none")


def run(text: str, *arrays: Array, kernels: str = "all", dynamic: tuple[str, ...] = ()) -> Any:
    module = tdsl.loads(f"tdsl 0.1\n{text}", kernels=kernels)
    return module.f.compile(dynamic=dynamic)(*arrays)


def count(*shape: int, dtype: Any = np.float32) -> Array:
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("kernels", WAYS)
@pytest.mark.parametrize("dynamic", [(), ("N",)])
def test_reductions_of_a_broadcast_axis(kernels: str, dynamic: tuple[str, ...]) -> None:
    x = count(3)
    text = (
        "pub fn f[N](x: f32[N]) -> (f32, f32[3], f32, f32[N]) {\n"
        "    let y = broadcast(x[newaxis], [3, N])\n"
        "    (sum(broadcast(mean(x), [4])), max(y, axis=-1), min(y), sum(y, axis=0))\n}"
    )
    total, largest, smallest, sums = run(text, x, kernels=kernels, dynamic=dynamic)
    assert total == 4.0
    assert np.array_equal(largest, [2.0] * 3)
    assert smallest == 0.0
    assert np.array_equal(sums, 3 * x)


@pytest.mark.parametrize("kernels", WAYS)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_flip_of_what_was_computed_with_open_sizes(kernels: str, axis: int | None) -> None:
    x = count(6, 2)
    how = "" if axis is None else f", axis={axis}"
    text = f"pub fn f[N, M](x: f32[3*N, M]) -> f32[3*N, M] {{ flip(x + 1{how}) }}"
    found = run(text, x, kernels=kernels, dynamic=("N", "M"))
    assert np.array_equal(found, np.flip(x + 1, axis))


@pytest.mark.parametrize("kernels", WAYS)
@pytest.mark.parametrize("dynamic", [(), ("V", "D", "T")])
def test_rows_taken_out_of_what_was_computed(kernels: str, dynamic: tuple[str, ...]) -> None:
    table, places = count(5, 4), np.array([4, 0, 3, 3, 1])
    text = (
        "pub fn f[V, D, T](w: f32[V, D], at: i64[T]) -> f32[T, D] {\n"
        "    take(w * 2, at, axis=0) + 1\n}"
    )
    found = run(text, table, places, kernels=kernels, dynamic=dynamic)
    assert np.array_equal(found, table[places] * 2 + 1)


@pytest.mark.parametrize("kernels", WAYS)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("reshape(x, [N, M])", lambda x: x.reshape(3, 4)),
        ("reshape(x*2, [N, M])", lambda x: 2 * x.reshape(3, 4)),
        ("reshape(x, [M, N]).T", lambda x: x.reshape(4, 3).T),
        ("reshape(reshape(x, [N, M, 1]) + 1, [1, N, M])[0]", lambda x: x.reshape(3, 4) + 1),
        ("sin(reshape(cumsum(x, axis=0), [N, M]))", lambda x: np.sin(np.cumsum(x).reshape(3, 4))),
        ("reshape(x, [N, M])[:, :M] @ eye(M, f32)", lambda x: x.reshape(3, 4)),
    ],
)
def test_an_axis_split_into_open_axes(kernels: str, value: str, expected: Any) -> None:
    x = count(12)
    text = f"pub fn f[N, M](x: f32[N*M], y: f32[N], z: f32[M]) -> f32[N, M] {{ {value} }}"
    found = run(text, x, count(3), count(4), kernels=kernels, dynamic=("N", "M"))
    np.testing.assert_allclose(found, expected(x), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dynamic", [(), ("N",), ("M",), ("N", "M")])
def test_one_of_several_axes_of_size_1_is_dropped(dynamic: tuple[str, ...]) -> None:
    x = count(1, 2, 3, 2)
    text = (
        "pub fn f[N, M](x: f32[1, M, N, M]) -> (f32[1, M, M], f32[1, N, M], f32[1, M, N, M]) {\n"
        "    (x[:, :, 0], (x + 1)[:, -1], cumsum(x, axis=2))\n}"
    )
    first, last, sums = run(text, x, dynamic=dynamic)
    assert np.array_equal(first, x[:, :, 0])
    assert np.array_equal(last, x[:, -1] + 1)
    assert np.array_equal(sums, np.cumsum(x, 2))
    text = "pub fn f[N, M](x: f32[1, N, M]) -> f32[1, N, 2, M] { stack([x, x + 1], axis=2) }"
    found = run(text, x[:, 0], dynamic=dynamic)
    assert np.array_equal(found, np.stack([x[:, 0], x[:, 0] + 1], 2))


@pytest.mark.parametrize("kernels", WAYS)
@pytest.mark.parametrize("value", ["x[newaxis] @ x", "(broadcast(x, [1, N]) @ x[:, newaxis])[0]"])
def test_products_of_broadcasts_in_bf16(kernels: str, value: str) -> None:
    x = count(5, dtype=ml_dtypes.bfloat16)
    text = f"pub fn f[N](x: bf16[N]) -> bf16[1] {{ {value} }}"
    assert run(text, x, kernels=kernels, dynamic=("N",)) == 30
    assert run(text, x, kernels=kernels) == 30


@pytest.mark.parametrize("shape", [(9, 9, 9), (8, 8, 8), (5, 3, 17)])
def test_columns_of_bf16(shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    # LLVM aborted on the first: a worker keeps that from ending all tests.
    monkeypatch.setenv("TDSL_COMPILE", "isolated")
    x = (count(*shape) % 61).astype(ml_dtypes.bfloat16)
    y = (count(*shape[:2]) % 2).astype(ml_dtypes.bfloat16)
    text = (
        "pub fn f[N, M, K](x: bf16[N, M, K], y: bf16[N, M]) -> (bf16[N, M], bf16[N, M]) {\n"
        "    (x[:, :, 0], select(y > 0, x[:, :, 0], max(x, axis=-1)))\n}"
    )
    column, chosen = run(text, x, y)
    assert np.array_equal(column, x[:, :, 0])
    assert np.array_equal(chosen, np.where(y > 0, x[:, :, 0], x.max(-1)))
