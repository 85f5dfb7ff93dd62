"""What somebody with nothing but README writes first: it works, or says how it would."""

from __future__ import annotations

import numpy as np
import pytest

import tdsl

Array = np.ndarray

FIRST = "fn f[N](x: f32[N]) -> f32[N] { x / sum(x) }"
WRONG = """tdsl 0.1
pub fn g[M, K, N](x: f32[M, K], w: f32[N, K]) -> f32[M, N] { x @ w }
"""
RESIDUAL = """tdsl 0.1
from std.nn import linear, gelu, layer_norm

pub fn residual[T, C, F](
    x: f32[T, C], gain: f32[C], bias: f32[C], up: f32[C, F], up_bias: f32[F], down: f32[F, C], down_bias: f32[C]
) -> f32[T, C] {
    x + linear(gelu(linear(layer_norm(x, gain, bias), up, up_bias)), down, down_bias)
}
"""


def numbers(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def test_the_first_function_runs_and_hears_of_editions() -> None:
    with pytest.warns(tdsl.ProgramWarning, match="add the line `tdsl 0.1`"):
        module = tdsl.loads(FIRST)
    x = np.abs(numbers(7))
    np.testing.assert_allclose(module.f(x), x / x.sum(), rtol=1e-6)


def test_a_wrong_product_says_which_sizes_and_what_to_write() -> None:
    with pytest.raises(tdsl.CompileError) as caught:
        tdsl.loads(WRONG)
    said = str(caught.value)
    assert "cannot multiply `f32[M, K]` by `f32[N, K]`: contracted sizes `K` and `N` differ" in said
    assert "help: the right side has K as its other axis; transpose it" in said
    assert "x @ transpose(w, [1, 0])" in said
    mended = tdsl.loads(WRONG.replace("x @ w", "x @ transpose(w, [1, 0])"))
    x, w = numbers(3, 5), numbers(4, 5)
    np.testing.assert_allclose(mended.g(x, w), x @ w.T, rtol=2e-6, atol=2e-6)


def test_a_residual_block_by_hand() -> None:
    arrays = [
        numbers(6, 8),
        numbers(8),
        numbers(8),
        numbers(8, 16),
        numbers(16),
        numbers(16, 8),
        numbers(8),
    ]
    x, gain, bias, up, up_bias, down, down_bias = (a.astype(np.float64) for a in arrays)
    centred = x - x.mean(-1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias
    hidden = normed @ up + up_bias
    grown = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))
    found = tdsl.loads(RESIDUAL).residual(*arrays)
    np.testing.assert_allclose(found, x + grown @ down + down_bias, rtol=1e-4, atol=1e-4)


def test_a_wrong_array_is_told_by_argument_types_and_what_fixed_each_size() -> None:
    module = tdsl.loads(RESIDUAL)
    arrays = [
        numbers(6, 8),
        numbers(8),
        numbers(8),
        numbers(16, 8),
        numbers(16),
        numbers(16, 8),
        numbers(8),
    ]
    with pytest.raises(tdsl.ShapeError) as caught:
        module.residual(*arrays)
    said = str(caught.value)
    for part in ("`up`", "f32[C, F]", "f32[16, 8]", "C = 8 was fixed by `x: f32[T, C]`", "`up.T`"):
        assert part in said, said
