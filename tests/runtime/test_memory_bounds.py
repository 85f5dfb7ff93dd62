"""Compiled code writes only its results and its scratch memory, with fixed and with open sizes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.runtime import calling

PROGRAMS = Path(__file__).parents[2] / "programs"
GUARD, BYTE = 1 << 16, 0xAB


class Guarded:
    """np.empty with a wide margin on both sides, whose bytes are known."""

    def __init__(self) -> None:
        self.made: list[tuple[np.ndarray, np.ndarray]] = []

    def empty(self, shape: Any, dtype: Any) -> np.ndarray:
        dtype = np.dtype(dtype)
        count = int(np.prod(shape)) * dtype.itemsize
        whole = np.full(count + 2 * GUARD + 64, BYTE, np.uint8)
        whole = whole[-whole.ctypes.data % 64 :]
        inner = whole[GUARD : GUARD + count].view(dtype).reshape(shape)
        self.made.append((whole, inner))
        return inner

    def check(self) -> None:
        assert self.made
        for whole, inner in self.made:
            assert (whole[:GUARD] == BYTE).all(), "written before the start"
            assert (whole[GUARD + inner.nbytes :] == BYTE).all(), "written after the end"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Guarded:
    guarded = Guarded()
    monkeypatch.setattr(calling, "np", SimpleNamespace(empty=guarded.empty, uint8=np.uint8))
    # So that the end of the scratch memory is the end of the allocation, to the byte.
    monkeypatch.setattr(calling, "ALIGNMENT", 1)
    return guarded


def attention_arguments(tokens: int, width: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32) / np.float32(shape[0] ** 0.5)

    return (
        normal(tokens, width),
        normal(width, 3 * width),
        normal(3 * width),
        normal(width, width),
        normal(width),
    )


def oracle(
    x: np.ndarray,
    qkv_weight: np.ndarray,
    qkv_bias: np.ndarray,
    out_weight: np.ndarray,
    out_bias: np.ndarray,
    heads: int,
) -> np.ndarray:
    tokens, width = x.shape
    qkv = x.astype(np.float64) @ qkv_weight + qkv_bias
    q, k, v = (
        part.reshape(tokens, heads, -1).transpose(1, 0, 2) for part in np.split(qkv, 3, axis=1)
    )
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(width / heads)
    scores[:, ~np.tri(tokens, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = weights / weights.sum(axis=-1, keepdims=True) @ v
    return mixed.transpose(1, 0, 2).reshape(tokens, width) @ out_weight + out_bias


@pytest.mark.parametrize(
    ("kernels", "dynamic"), [("all", ()), ("all", ("C",)), ("none", ()), ("none", ("T", "C"))]
)
def test_attention(memory: Guarded, kernels: str, dynamic: tuple[str, ...]) -> None:
    module = tdsl.load(PROGRAMS / "attention.tdsl", kernels=kernels)
    sizes = {"T": 9, "C": 36, "heads": 2, "E": "f32"}
    fixed = {name: value for name, value in sizes.items() if name not in dynamic}
    attention = module.attention.compile(**fixed, dynamic=dynamic)
    assert attention.cache_info().currsize == 1
    arguments = attention_arguments(9, 36)
    np.testing.assert_allclose(
        attention(*arguments), oracle(*arguments, heads=2), rtol=1e-5, atol=1e-5
    )
    assert attention.cache_info().currsize == 1
    memory.check()


def test_a_size_that_grows_from_call_to_call(memory: Guarded) -> None:
    attention = tdsl.load(PROGRAMS / "attention.tdsl").attention
    for tokens, width in [(5, 12), (6, 12), (7, 24), (9, 36), (1, 12), (33, 6)]:
        arguments = attention_arguments(tokens, width)
        np.testing.assert_allclose(
            attention(*arguments, heads=2), oracle(*arguments, heads=2), rtol=1e-5, atol=1e-5
        )
    assert attention.cache_info().currsize == 3
    memory.check()


def test_the_margins_are_watched(memory: Guarded) -> None:
    inner = memory.empty((4,), np.float32)
    memory.check()
    whole, _ = memory.made[0]
    whole[GUARD + inner.nbytes] = 0
    with pytest.raises(AssertionError, match="after the end"):
        memory.check()
