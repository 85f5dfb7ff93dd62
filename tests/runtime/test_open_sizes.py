"""Sizes that stay open where no axis is just that size: 4*q, 3*4*q, N + 1."""

from __future__ import annotations

import numpy as np
import pytest

import tdsl

TEXT = """tdsl 0.1
from std.nn import attention

pub fn heads[T, C, static H](x: f32[T, 3*C], w: f32[C, C]) -> f32[H, T, C//H]
    where H divides C
{
    let y = x[:, C : 2*C] @ w
    transpose(reshape(y, [T, H, C//H]), [1, 0, 2])
}
pub fn next[N](x: f32[2*N + 1], y: f32[N + 3]) -> f32[N] { x[N+1:] * y[3:] + f32(N) }
pub fn attend[T, C, static heads](x: f32[T, C], qkv: f32[C, 3*C], a: f32[3*C], out: f32[C, C], b: f32[C])
    -> f32[T, C] where heads divides C
{
    attention[heads=heads](x, qkv, a, out, b)
}
pub fn layers[T, C, L, static heads](x: f32[T, C], ws: [f32[C, 3*C]; L]) -> f32[T, C]
    where heads divides C
{
    fold y = x for w in ws { tanh((y @ w)[:, C : 2*C]) + y }
}
"""


@pytest.fixture(scope="module")
def module() -> tdsl.Module:
    return tdsl.loads(TEXT)


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    random = np.random.default_rng(3)
    return [(random.standard_normal(shape) * 0.3).astype(np.float32) for shape in shapes]


def test_a_size_is_read_from_its_multiples(module: tdsl.Module) -> None:
    function = module.heads.compile(H=4, dynamic=("C",))
    for t, c in ((3, 8), (3, 20), (3, 64)):
        x, w = arrays((t, 3 * c), (c, c))
        wanted = (x[:, c : 2 * c] @ w).reshape(t, 4, c // 4).transpose(1, 0, 2)
        np.testing.assert_allclose(function(x, w), wanted, rtol=1e-4, atol=1e-5)
    assert len(function.cache_info().instances) == 1


def test_a_size_is_read_through_a_constant(module: tdsl.Module) -> None:
    function = module.next.compile(dynamic=("N",))
    for n in (1, 2, 5, 130):
        x, y = arrays((2 * n + 1,), (n + 3,))
        np.testing.assert_allclose(function(x, y), x[n + 1 :] * y[3:] + n, rtol=1e-6)
    assert len(function.cache_info().instances) == 1


def test_attention_for_every_width(module: tdsl.Module) -> None:
    function = module.attend.compile(heads=4, dynamic=("C", "T"))
    fixed = module.attend.compile(dynamic=())
    for t, c in ((1, 4), (7, 48)):
        given = arrays((t, c), (c, 3 * c), (3 * c,), (c, c), (c,))
        np.testing.assert_allclose(function(*given), fixed(*given, heads=4), rtol=1e-4, atol=1e-5)
    assert len(function.cache_info().instances) == 1


def test_loops_over_layers_of_open_width_and_number(module: tdsl.Module) -> None:
    function = module.layers.compile(heads=2, dynamic=("C", "T", "L"))
    for t, c, count in ((1, 2, 1), (4, 6, 3), (2, 32, 5)):
        x, ws = arrays((t, c), (count, c, 3 * c))
        wanted = x
        for w in ws:
            wanted = np.tanh((wanted @ w)[:, c : 2 * c]) + wanted
        np.testing.assert_allclose(function(x, list(ws)), wanted, rtol=1e-3, atol=1e-4)
    assert len(function.cache_info().instances) == 1


def test_a_static_is_never_open_and_keeps_no_size_from_it(module: tdsl.Module) -> None:
    function = module.heads.compile()
    for t, heads in ((3, 2), (3, 4), (5, 4), (7, 4)):
        x, w = arrays((t, 24), (8, 8))
        assert function(x, w, H=heads).shape == (heads, t, 8 // heads)
    shown = function.cache_info().instances
    chosen = [(one.split(", ")[0], "H=?" in one) for one in shown]
    assert chosen == [("T=3", False), ("T=3", False), ("T=?", False)]
