"""A small model with everything that weights can be used for, and weights for it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import tdsl
from tdsl.runtime.bound import Bound, bound, struct_layout

TEXT = """tdsl 0.1

pub struct Layer[C, F] { up: f32[C, F], bias: f32[F], down: f32[F, C] }
pub struct Net[V, C, F, L] { words: f32[V, C], layers: [Layer[C, F]; L], scale: f32[C] }
pub struct Other[C] { w: f32[C, C], b: f32[C] }
pub struct Half[K, N] { w: bf16[K, N], v: f16[N, K] }
pub struct Cache[N, C] { x: f32[N, C], y: f32[N, C] }

fn layer[T, C, F](x: f32[T, C], p: Layer[C, F]) -> f32[T, C] {
    maximum(x @ p.up + p.bias, 0.0) @ p.down + x
}

pub fn net[T, V, C, F, L](ids: i32[T], p: Net[V, C, F, L]) -> f32[T, V] {
    let x = fold x = take(p.words, ids, axis=0) for b in p.layers { layer(x, b) }
    (x * p.scale) @ p.words.T
}

## Reads what `net` reads through products in another way.
pub fn total[V, C, F, L](p: Net[V, C, F, L]) -> f32 {
    fold s = sum(p.words) for b in p.layers { s + sum(b.up) + sum(b.down) }
}

pub fn other[T, C](x: f32[T, C], p: Other[C]) -> f32[T, C] { x @ p.w + p.b }

pub fn turned[T, C](x: f32[T, C], p: Other[C]) -> f32[T, C] { x @ p.w.T + p.b }

pub fn half[T, K, N](x: f32[T, K], p: Half[K, N]) -> f32[T, K] {
    (x @ f32(p.w)) @ f32(p.v)
}

## One item of each layer is written, and all are read.
pub fn put[N, C, L](
    begin: f32[C], at: i32, cache: [Cache[N, C]; L], p: Other[C]
) -> (f32[C], [Cache[N, C]; L]) {
    scan x = begin for c in cache {
        let y = reshape(x, [1, C]) @ p.w
        let xs = update(c.x, y, at=[at, 0])
        let ys = update(c.y, y + p.b, at=[at, 0])
        (x + sum(xs, axis=0) + sum(ys, axis=0), Cache(x=xs, y=ys))
    }
}
"""


def module(kernels: str = "all") -> Any:
    return tdsl.loads(TEXT, name="bound", kernels=kernels)


def random(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed + sum(shape)).standard_normal(shape) * 0.3
    return found.astype(dtype)


def net(m: Any, v: int = 31, c: int = 20, f: int = 100, layers: int = 3) -> Any:
    stacked = m.Layer(
        up=random(layers, c, f), bias=random(layers, f), down=random(layers, f, c, seed=1)
    )
    return m.Net(words=random(v, c), layers=tdsl.StackedList(stacked), scale=random(c))


def other(m: Any, c: int = 20) -> Any:
    return m.Other(w=random(c, c), b=random(c))


def half(m: Any, k: int = 20, n: int = 70) -> Any:
    return m.Half(w=random(k, n, dtype=ml_dtypes.bfloat16), v=random(n, k, dtype=np.float16))


def bind(m: Any, value: Any) -> Bound:
    program = m.__program__
    definition = program.root.structs[type(value).__name__]
    return bound(value, struct_layout(program, definition), m.__structs__)


def cache(m: Any, n: int = 6, c: int = 20, layers: int = 3) -> Any:
    return tdsl.StackedList(m.Cache(x=random(layers, n, c), y=random(layers, n, c, seed=2)))
