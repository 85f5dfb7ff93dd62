"""Calls with work for several threads, and what NumPy says they give; for this and fresh processes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tdsl

SOURCE = """
tdsl 0.1
from std.nn import softmax, masked_attention, causal, layer_norm

pub fn mix[T, C, N](x: f32[T, C], w: f32[C, N]) -> f32[T, N] { softmax(x @ w) }
pub fn row[C, N](x: f32[1, C], w: f32[C, N]) -> f32[1, N] { x @ w }
pub fn norm[T, C](x: f32[T, C], g: f32[C], b: f32[C]) -> f32[T, C] { layer_norm(x, g, b) }
pub fn see[H, T, D](q: f32[H, T, D], k: f32[H, T, D], v: f32[H, T, D]) -> f32[H, T, D] {
    masked_attention(q, k, v, broadcast(causal[Q=T, N=T](0), [H, T, T]))
}
pub fn pick[V, C, T, N](table: f32[V, C], ids: i32[T], w: f32[C, N]) -> f32[T, N] {
    take(table, ids) @ w
}
"""
Array = np.ndarray[Any, Any]


def normal(*shape: int, seed: int = 0) -> Array:
    random = np.random.default_rng((seed, *shape))
    return random.standard_normal(shape, dtype=np.float32) * np.float32(0.3)


def softmax64(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def see64(q: Array, k: Array, v: Array) -> Array:
    q, k, v = (one.astype(np.float64) for one in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    seen = np.tri(q.shape[1], dtype=bool)
    return softmax64(np.where(seen, scores, -np.inf)) @ v


def norm64(x: Array, g: Array, b: Array) -> Array:
    x = x.astype(np.float64)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


class Calls:
    """One call of each function: all large enough to be shared out."""

    def __init__(self, seed: int = 0) -> None:
        self.module = tdsl.loads(SOURCE, name="threads")
        ids = np.random.default_rng(seed).integers(0, 60, 96, dtype=np.int32)
        given: dict[str, tuple[Array, ...]] = {
            "mix": (normal(96, 128, seed=seed), normal(128, 512)),
            "row": (normal(1, 512, seed=seed), normal(512, 1000)),
            "norm": (normal(300, 500, seed=seed), normal(500), normal(500, seed=9)),
            "see": tuple(normal(4, 160, 32, seed=seed + part) for part in range(3)),
            "pick": (normal(60, 128, seed=seed), ids, normal(128, 512)),
        }
        wanted: dict[str, Callable[..., Array]] = {
            "mix": lambda x, w: softmax64(x.astype(np.float64) @ w),
            "row": lambda x, w: x.astype(np.float64) @ w,
            "norm": norm64,
            "see": see64,
            "pick": lambda table, ids, w: table[ids].astype(np.float64) @ w,
        }
        self.given = given
        self.wanted = {name: wanted[name](*arrays) for name, arrays in given.items()}

    @property
    def names(self) -> list[str]:
        return list(self.given)

    def call(self, name: str) -> Array:
        result: Array = getattr(self.module, name)(*self.given[name])
        return result

    def is_right(self, name: str) -> bool:
        return bool(np.abs(self.call(name) - self.wanted[name]).max() < 1e-4)

    def digest(self) -> str:
        """Of the bits of all results."""
        whole = hashlib.sha256()
        for name in self.names:
            whole.update(self.call(name).tobytes())
        return whole.hexdigest()


def repeat(calls: Calls, seconds: float, wrong: list[object], seed: int = 0) -> int:
    """All functions in turn, beginning with another one for each seed; how many calls."""
    end, done = time.monotonic() + seconds, seed
    while time.monotonic() < end:
        name = calls.names[done % len(calls.names)]
        if not calls.is_right(name):
            wrong.append(name)
        done += 1
    return done - seed


def at_once(calls: Calls, seconds: float, count: int) -> tuple[list[threading.Thread], list[Any]]:
    """Many threads that call, and where they write what went wrong."""
    wrong: list[Any] = []
    threads = [
        threading.Thread(target=repeat, args=(calls, seconds, wrong, seed), daemon=True)
        for seed in range(count)
    ]
    for thread in threads:
        thread.start()
    return threads, wrong


def workers() -> int:
    """Threads of this process, besides those of Python and of OpenBLAS."""
    return len(os.listdir("/proc/self/task")) - threading.active_count()


def in_a_process(code: str, **environment: str) -> tuple[str, str]:
    """What code writes to stdout and to stderr in a fresh process that can import this module."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).parent,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout, done.stderr
