"""Programs that the hunt has found to go wrong, at their smallest."""

from __future__ import annotations

import numpy as np
import pytest

import tdsl

pytestmark = pytest.mark.filterwarnings("ignore::tdsl.errors.ProgramWarning")

HEAD = "tdsl 0.1\npub fn f[N](x: f32[N, N], y: f32[1, N], at: i32) -> "
FIRST = " {\n    let a = x * 2.0\n    let b = update(a, y, at=[at, 0])\n    "


@pytest.mark.parametrize("kernels", ["all", "none"])
@pytest.mark.parametrize(
    ("type_", "returned"),
    [
        ("f32[N, N]", "a"),
        ("f32[N*N]", "reshape(a, [N*N])"),
        ("f32[N, N]", "a.T"),
        ("f32[1, N]", "a[0:1]"),
        ("f32[N]", "reshape(a, [N*N])[0:N]"),
        ("f32[N, N]", "fold s = a for i in 0..N { s }"),
        ("f32[N, N]", "fold s = a for i in 0..N { -abs(s) }"),
        ("f32[N, N]", "update(a, a[0:1], at=[at, 0])"),
    ],
)
def test_a_result_is_not_what_an_update_makes_of_it(
    type_: str, returned: str, kernels: str
) -> None:
    text = f"{HEAD}(f32[N, N], {type_}){FIRST}(b, {returned})\n}}\n"
    x = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    y = -np.ones((1, 3), np.float32)
    updated, kept = tdsl.loads(text, kernels=kernels).f(x, y, np.int32(0))
    assert np.array_equal(updated, np.vstack([y, 2 * x[1:]]))
    whole = 2 * x.T if returned == "a.T" else 2 * x
    assert np.array_equal(np.abs(np.ravel(kept)), np.ravel(whole)[: kept.size])


@pytest.mark.parametrize("kernels", ["all", "none"])
def test_a_result_is_not_what_a_loop_makes_of_it(kernels: str) -> None:
    text = (
        f"{HEAD}(f32[N, N], f32[N, N]) {{\n    let a = x * 2.0\n"
        "    let b = fold s = a for i in 0..N { update(s, y, at=[at, 0]) }\n    (b, a)\n}\n"
    )
    x = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    y = -np.ones((1, 3), np.float32)
    updated, kept = tdsl.loads(text, kernels=kernels).f(x, y, np.int32(0))
    assert np.array_equal(updated, np.vstack([y, 2 * x[1:]]))
    assert np.array_equal(kept, 2 * x)


@pytest.mark.parametrize("kernels", ["all", "none"])
def test_operations_that_say_the_same_are_told_apart(kernels: str) -> None:
    """The state is copied before the loop and again in each step, by operations that are equal."""
    text = """tdsl 0.1
pub fn f[M, K, L](x: f32[M, K], ns: [i32[K]; L]) -> [f32[K, M]; L] {
    let (_, v) = scan (a, w) = (ns[0], full([K, M], 0.5, f64)) for n in ns {
        ((ns[0], w), tanh(x.T))
    }
    v
}
"""
    x = np.ones((1, 5), np.float32)
    result = tdsl.loads(text, kernels=kernels).f(x, [np.ones(5, np.int32)] * 5)
    np.testing.assert_allclose(np.stack(list(result)), np.tanh(1) * np.ones((5, 5, 1)), rtol=1e-6)
