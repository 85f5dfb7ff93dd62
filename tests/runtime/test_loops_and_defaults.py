"""Lists walked side by side, steps written out, and defaults of dtypes, each as native code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tdsl

TEXT = """tdsl 0.1
pub fn beside[N, L](a: [f32[N]; L], b: [f32[N]; L]) -> [f32[N]; L] {
    [x - 2 * y for (x, y) in zip(a, b)]
}
pub fn written[N](a: f32[N], b: f32[N]) -> f32[N] {
    let [one, two] = [x - 2 * y for (x, y) in zip([a, b], [b, b])]
    one * 3 + two
}
pub fn collected[N](x: f32[N]) -> (f32[N], [f32[N]; 3]) {
    @unroll scan s = x for i in 1..4 { (s * 2, s + i) }
}
pub fn weighed[N](xs: [f32[N]; 3]) -> f32[N] {
    @unroll fold s = zeros([N], f32) for x in xs { s * 2 + x }
}
fn counted[static N, E: dtype(float) = f64]() -> E[N] { E(iota(N)) / 2 }
pub fn usual() -> f64[3] { counted[N=3]() }
pub fn chosen() -> f16[3] { counted[N=3, E=f16]() }
"""


@pytest.fixture(scope="module")
def module() -> Any:
    return tdsl.loads(TEXT, name="loops")


def test_lists_side_by_side_keep_their_order(module: Any) -> None:
    a, b = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    np.testing.assert_array_equal(module.beside(list(a), list(b)), a - 2 * b)
    x, y = a[0], b[0]
    np.testing.assert_array_equal(module.written(x, y), (x - 2 * y) * 3 - y)


def test_steps_that_are_written_out_collect_in_order(module: Any) -> None:
    x = np.arange(4, dtype=np.float32)
    last, found = module.collected(x)
    np.testing.assert_array_equal(last, x * 8)
    np.testing.assert_array_equal(found, [x + 1, x * 2 + 2, x * 4 + 3])
    np.testing.assert_array_equal(module.weighed([x, x + 1, x * x]), x * 4 + (x + 1) * 2 + x * x)


def test_a_dtype_that_nothing_fixes_is_its_default(module: Any) -> None:
    assert module.usual().dtype == np.float64
    assert module.chosen().dtype == np.float16
    for dtype, function in (
        (np.float64, module.counted),
        (np.float32, module.counted.compile(E="f32")),
    ):
        found = function(N=3)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, [0, 0.5, 1])
