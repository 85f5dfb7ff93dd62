"""GPT-2 small with random weights: the forward pass and one step of decoding, in each system's form."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import graphs
import numpy as np
from works import (
    HEADS,
    PROGRAMS,
    Arrays,
    C,
    Work,
    attend64,
    attend_arrays,
    block_operations,
    feed64,
    feed_arrays,
    jax_attend,
    jax_feed,
    jax_norm,
    norm64,
    normal,
    softmax64,
    torch_attend,
    torch_feed,
)

LAYERS, VOCABULARY, POSITIONS = 12, 50257, 1024
TOKENS, CACHED = 128, 512
DEPTH = C // HEADS
LAST = """
pub fn last[T, V, N, C, F, L, static heads](ids: i32[T], p: GPT2[V, N, C, F, L]) -> f32[1, V]
    where heads divides C, T <= N
{
    let embedded = take(p.wte, ids, axis=0) + p.wpe[0:T]
    let x = fold x = embedded for b in p.blocks { block[heads=heads](x, b) }
    layer_norm(x[T-1:T], p.ln_f.gain, p.ln_f.bias) @ p.wte.T
}
"""


def weights_of(vocabulary: int, positions: int, channels: int) -> Arrays:
    """wte, wpe, for each block its twelve arrays, and the gain and bias of the last norm."""
    found = [normal(vocabulary, channels, scale=0.05), normal(positions, channels, scale=0.05)]
    for _ in range(LAYERS):
        # Of the same numbers in each layer, but memory of its own.
        block = (*attend_arrays(1, channels)[1:], *feed_arrays(channels))
        found += [array.copy() for array in block]
    return (*found, 1 + normal(channels, scale=0.1), normal(channels, scale=0.1))


@cache
def weights() -> Arrays:
    return weights_of(VOCABULARY, POSITIONS, C)


def source(bf16: bool) -> str:
    """The program; with bf16, matrices are stored so and computed with in f32."""
    text = (PROGRAMS / "gpt2.tdsl").read_text() + LAST
    if bf16:
        text = re.sub(r"(weight|wte): f32", r"\1: bf16", text)
        text = re.sub(r"\bp\.(\w+)\.weight", r"f32(p.\1.weight)", text)
        text = text.replace("take(p.wte, ids, axis=0)", "f32(take(p.wte, ids, axis=0))")
        text = text.replace("p.wte.T", "f32(p.wte).T")
    return text


@cache
def model(bf16: bool = False) -> tuple[Any, Any]:
    """The module, and the weights as its struct: bound, so that they are packed once."""
    import tdsl  # here, because figures.py times it

    m = tdsl.loads(source(bf16), name="gpt2_bf16" if bf16 else "gpt2")
    return m, m.GPT2.bind(fields(weights(), bf16))


def fields(given: Arrays, bf16: bool = False) -> dict[str, Any]:
    """Weights as the struct has them."""
    from ml_dtypes import bfloat16

    wte, wpe, *blocks, gain, bias = given

    def matrix(array: np.ndarray) -> np.ndarray:
        return array.astype(bfloat16) if bf16 else array

    def linear(weight: np.ndarray, bias: np.ndarray) -> dict[str, np.ndarray]:
        return {"weight": matrix(weight), "bias": bias}

    def block(a: list[np.ndarray]) -> dict[str, Any]:
        return {
            "ln_1": {"gain": a[0], "bias": a[1]}, "qkv": linear(a[2], a[3]),
            "out": linear(a[4], a[5]), "ln_2": {"gain": a[6], "bias": a[7]},
            "up": linear(a[8], a[9]), "down": linear(a[10], a[11]),
        }  # fmt: skip

    return {
        "wte": matrix(wte),
        "wpe": wpe,
        "blocks": [block(blocks[at : at + 12]) for at in range(0, len(blocks), 12)],
        "ln_f": {"gain": gain, "bias": bias},
    }


def ids(tokens: int, vocabulary: int = VOCABULARY) -> np.ndarray:
    return np.random.default_rng(tokens).integers(0, vocabulary, tokens, dtype=np.int32)


# --- the forward pass


def forward64(ids: np.ndarray, wte: np.ndarray, wpe: np.ndarray, *rest: np.ndarray) -> np.ndarray:
    *blocks, gain, bias = rest
    x = wte[ids].astype(np.float64) + wpe[: len(ids)]
    for at in range(0, len(blocks), 12):
        x = feed64(attend64(x, *blocks[at : at + 6]), *blocks[at + 6 : at + 12])
    return norm64(x, gain, bias) @ wte.T


def last64(*given: np.ndarray) -> np.ndarray:
    return forward64(*given)[-1:]


def torch_last(torch: Any, ids: Any, wte: Any, wpe: Any, *rest: Any) -> Any:
    *blocks, gain, bias = rest
    x = wte[ids] + wpe[: ids.shape[0]]
    for at in range(0, len(blocks), 12):
        x = torch_attend(torch, x, *blocks[at : at + 6])
        x = torch_feed(torch, x, *blocks[at + 6 : at + 12])
    return torch.nn.functional.layer_norm(x[-1:], (C,), gain, bias) @ wte.T


def jax_last(jax: Any, ids: Any, wte: Any, wpe: Any, *rest: Any) -> Any:
    *blocks, gain, bias = rest
    x = wte[ids] + wpe[: ids.shape[0]]
    for at in range(0, len(blocks), 12):
        x = jax_attend(jax, x, *blocks[at : at + 6])
        x = jax_feed(jax, x, *blocks[at + 6 : at + 12])
    return jax_norm(jax, x[-1:], gain, bias) @ wte.T


# --- one step of decoding; keys and values [layer, head, position, channel]


def caches() -> tuple[np.ndarray, np.ndarray]:
    shape = (LAYERS, HEADS, CACHED, DEPTH)
    return normal(*shape), normal(*shape, seed=1)


def decode64(
    ids: np.ndarray, keys: np.ndarray, values: np.ndarray, *given: np.ndarray
) -> np.ndarray:
    wte, wpe, *blocks, gain, bias = given
    x = wte[ids].astype(np.float64) + wpe[CACHED : CACHED + 1]
    for layer, at in enumerate(range(0, len(blocks), 12)):
        g, b, wqkv, bqkv, wo, bo = blocks[at : at + 6]
        qkv = norm64(x, g, b) @ wqkv + bqkv
        q, k, v = (part.reshape(HEADS, 1, DEPTH) for part in np.split(qkv, 3, axis=1))
        k = np.concatenate([keys[layer], k], axis=1)
        v = np.concatenate([values[layer], v], axis=1)
        mixed = softmax64(q @ k.transpose(0, 2, 1) / math.sqrt(DEPTH)) @ v
        x = feed64(x + mixed.reshape(1, C) @ wo + bo, *blocks[at + 6 : at + 12])
    return norm64(x, gain, bias) @ wte.T


def torch_decode(torch: Any, ids: Any, keys: Any, values: Any, *given: Any) -> Any:
    """The caches have room, and are written in place: no copies of them."""
    functional = torch.nn.functional
    wte, wpe, *blocks, gain, bias = given
    x = wte[ids] + wpe[CACHED : CACHED + 1]
    for layer, at in enumerate(range(0, len(blocks), 12)):
        g, b, wqkv, bqkv, wo, bo = blocks[at : at + 6]
        qkv = functional.layer_norm(x, (C,), g, b) @ wqkv + bqkv
        q, k, v = (part.reshape(HEADS, 1, DEPTH) for part in qkv.split(C, dim=1))
        keys[layer, :, CACHED : CACHED + 1] = k
        values[layer, :, CACHED : CACHED + 1] = v
        seen = (one[layer, :, : CACHED + 1][None] for one in (keys, values))
        mixed = functional.scaled_dot_product_attention(q[None], *seen)[0]
        x = torch_feed(torch, x + mixed.reshape(1, C) @ wo + bo, *blocks[at + 6 : at + 12])
    return functional.layer_norm(x, (C,), gain, bias) @ wte.T


def jax_decode(jax: Any, ids: Any, keys: Any, values: Any, *given: Any) -> Any:
    jnp = jax.numpy
    wte, wpe, *blocks, gain, bias = given
    x = wte[ids] + wpe[CACHED : CACHED + 1]
    for layer, at in enumerate(range(0, len(blocks), 12)):
        g, b, wqkv, bqkv, wo, bo = blocks[at : at + 6]
        qkv = jax_norm(jax, x, g, b) @ wqkv + bqkv
        q, k, v = (part.reshape(HEADS, 1, DEPTH) for part in jnp.split(qkv, 3, axis=1))
        k = jnp.concatenate([keys[layer], k], axis=1)
        v = jnp.concatenate([values[layer], v], axis=1)
        mixed = jax.nn.softmax(q @ k.transpose(0, 2, 1) / math.sqrt(DEPTH)) @ v
        x = jax_feed(jax, x + mixed.reshape(1, C) @ wo + bo, *blocks[at + 6 : at + 12])
    return jax_norm(jax, x, gain, bias) @ wte.T


class Decoder:
    """Our step; each call is given the memory of the cache, and writes into it."""

    def __init__(self, bf16: bool) -> None:
        import tdsl

        m, self.p = model(bf16)
        keys, values = caches()
        room = ((0, 0), (0, 0), (0, POSITIONS - CACHED), (0, 0))
        self.cache = tdsl.stack(
            [
                {"k": k, "v": v}
                for k, v in zip(np.pad(keys, room), np.pad(values, room), strict=True)
            ]
        )
        self.step = m.step.compile(donate=("cache",))

    def __call__(self, ids: np.ndarray, *_: np.ndarray) -> np.ndarray:
        logits, self.cache = self.step(ids, np.int32(CACHED), self.cache, self.p)
        found: np.ndarray = logits
        return found


# --- the rows


def works() -> list[Work]:
    step_arrays = (ids(1), *caches(), *weights())

    def decoding(name: str, bf16: bool, reach: float, tolerance: float) -> Work:
        return Work(
            name,
            lambda: step_arrays,
            decode64,
            lambda arrays: Decoder(bf16),
            lambda torch: lambda *a: torch_decode(torch, *a),
            lambda jax: lambda *a: jax_decode(jax, *a),
            graphs.decode,
            tolerance,
            reach,
            inputs=3,
            room=(1, 2),
        )

    def ours(arrays: Arrays) -> Any:
        m, p = model()
        return lambda tokens, *_: m.last(tokens, p, heads=HEADS)

    return [
        Work(
            f"GPT-2 forward T={TOKENS}, last logits",
            lambda: (ids(TOKENS), *weights()),
            last64,
            ours,
            lambda torch: lambda *a: torch_last(torch, *a),
            lambda jax: lambda *a: jax_last(jax, *a),
            graphs.gpt2,
            1e-3,
            0.85,
            LAYERS * block_operations(TOKENS) + 2 * C * VOCABULARY,
        ),
        decoding("GPT-2 decode, 512 cached", False, 0.9, 1e-3),
        decoding("GPT-2 decode, 512 cached, bf16 weights", True, 0.55, 3e-2),
    ]
