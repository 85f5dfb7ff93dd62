"""Measure attention, softmax and layer_norm against plain loops and NumPy, interleaved.

    OPENBLAS_NUM_THREADS=1 python bench/attention.py

Each line gives medians of calls made in turn in one process: a machine that others use, too, is
slow for all of them at the same time. Ratios are to be quoted, not times.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import tdsl

Array = np.ndarray[Any, Any]

PROGRAM = """tdsl 0.1
from std.nn import softmax, layer_norm

# Causal attention of 12 heads out of the projections to queries, keys and values, side by side.
pub fn attention[T](qkv: f32[T, 2304]) -> f32[T, 768] {
    let [q, k, v] = [
        transpose(reshape(qkv[:, i*768 : (i+1)*768], [T, 12, 64]), [1, 0, 2]) for i in 0..3
    ]
    let scores = q @ transpose(k, [0, 2, 1]) / 8.0 + causal_mask(T, f32)
    reshape(transpose(softmax(scores) @ v, [1, 0, 2]), [T, 768])
}

pub fn rows[H, M, N](x: f32[H, M, N]) -> f32[H, M, N] { softmax(x) }

pub fn norm[T, C](x: f32[T, C], gain: f32[C], bias: f32[C]) -> f32[T, C] {
    layer_norm(x, gain, bias)
}
"""


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    e /= e.sum(-1, keepdims=True)
    return e


def attention(qkv: Array) -> Array:
    count = len(qkv)
    q, k, v = (x.reshape(count, 12, 64).transpose(1, 0, 2) for x in np.split(qkv, 3, -1))
    hidden = np.triu(np.full((count, count), -1e10, qkv.dtype), 1)
    mixed = softmax(q @ k.transpose(0, 2, 1) / qkv.dtype.type(8) + hidden) @ v
    return mixed.transpose(1, 0, 2).reshape(count, 768)


def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain + bias


def medians(ways: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Milliseconds; one call of each way in every round."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def main(rounds: int) -> None:
    modules = {
        "kernels": tdsl.loads(PROGRAM),
        "loops": tdsl.loads(PROGRAM, kernels="matmul"),
    }
    random = np.random.default_rng(0)
    gain, bias = (random.standard_normal(768).astype(np.float32) for _ in range(2))
    heads = random.standard_normal((12, 512, 512)).astype(np.float32)
    table: list[tuple[str, str, Callable[..., Array], tuple[Array, ...]]] = [
        (f"causal attention, T={count}", "attention", attention,
         (random.standard_normal((count, 2304)).astype(np.float32),))
        for count in (128, 512, 1024)
    ]  # fmt: skip
    table.append(("softmax 12x512x512", "rows", softmax, (heads,)))
    rows = random.standard_normal((512, 768)).astype(np.float32)
    table.append(("layer_norm 512x768", "norm", layer_norm, (rows, gain, bias)))
    print(f"{'':32}{'kernels':>12}{'loops':>12}{'NumPy':>12}   ratios")
    for title, name, numpy_way, arrays in table:
        shown_title = title
        exact = numpy_way(*(array.astype(np.float64) for array in arrays))
        ways: dict[str, Callable[[], object]] = {}
        for label, module in modules.items():
            start = time.perf_counter()
            function = getattr(module, name)
            found = function(*arrays)
            taken = time.perf_counter() - start
            error = np.abs(found - exact).max()
            assert error < 2e-5, f"{title} by {label}: off by {error}"
            ways[label] = partial(function, *arrays)
            if label == "kernels":
                shown_title = f"{title} ({taken:.2f} s)"
        ways["NumPy"] = partial(numpy_way, *arrays)
        found_times = medians(ways, rounds)
        shown = "".join(f"{value:9.3f} ms" for value in found_times.values())
        first, *others = found_times.values()
        ratios = ", ".join(f"{first / other:.2f}" for other in others)
        print(f"{shown_title:32}{shown}   {ratios}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
