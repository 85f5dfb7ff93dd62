"""The work that is measured against other systems: inputs, a float64 oracle, and each system's form.

GPT-2 small sizes: 768 channels, 12 heads, 3072 hidden channels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import graphs
import numpy as np

Arrays = tuple[np.ndarray, ...]
PROGRAMS = Path(__file__).parent.parent / "programs"
C, HEADS, HIDDEN = 768, 12, 3072
ATTENTION = ("gain", "bias", "qkv_weight", "qkv_bias", "out_weight", "out_bias")
FEEDFORWARD = ("gain", "bias", "up_weight", "up_bias", "down_weight", "down_bias")
"""The fields of the structs, in the order of `attend_arrays` and `feed_arrays`."""

MODULE = """
tdsl 0.1
from std.nn import attend, feedforward, layer_norm, softmax

pub struct Matrix[K, N] { weight: f32[K, N] }
pub struct Attention[C] {
    gain: f32[C], bias: f32[C]
    qkv_weight: f32[C, 3*C], qkv_bias: f32[3*C]
    out_weight: f32[C, C], out_bias: f32[C]
}
pub struct Feedforward[C, F] {
    gain: f32[C], bias: f32[C]
    up_weight: f32[C, F], up_bias: f32[F]
    down_weight: f32[F, C], down_bias: f32[C]
}
pub struct Block[C, F] { attention: Attention[C], feedforward: Feedforward[C, F] }

pub fn product[M, K, N](x: f32[M, K], p: Matrix[K, N]) -> f32[M, N] { x @ p.weight }
pub fn norm[T, C](x: f32[T, C], gain: f32[C], bias: f32[C]) -> f32[T, C] { layer_norm(x, gain, bias) }
pub fn rows[H, T](x: f32[H, T, T]) -> f32[H, T, T] { softmax(x) }

pub fn attention_block[T, C, static heads](x: f32[T, C], p: Attention[C]) -> f32[T, C]
    where heads divides C
{
    attend[heads=heads](x, p.gain, p.bias, p.qkv_weight, p.qkv_bias, p.out_weight, p.out_bias)
}

pub fn whole_block[T, C, F, static heads](x: f32[T, C], p: Block[C, F]) -> f32[T, C]
    where heads divides C
{
    let f = p.feedforward
    feedforward(
        attention_block[heads=heads](x, p.attention),
        f.gain, f.bias, f.up_weight, f.up_bias, f.down_weight, f.down_bias
    )
}
"""


@dataclass(frozen=True)
class Work:
    """One row of the table. The first `inputs` arrays are what changes from call to call, the others
    are weights, which a system may pack when it compiles: ours are bound, the peers' are constants."""

    name: str
    arrays: Callable[[], Arrays]
    oracle: Callable[..., np.ndarray]
    ours: Callable[[Arrays], Callable[..., np.ndarray]]
    torch: Callable[[Any], Callable[..., Any]]
    jax: Callable[[Any], Callable[..., Any]]
    onnx: Callable[[Arrays, bool], bytes]
    """With standard operators, or with ONNX Runtime's fused ones."""
    tolerance: float
    reach: float
    """The ratio to the best peer that is aimed at."""
    operations: int = 0
    """Floating-point operations of its matrix products, hidden positions of attention left out."""
    inputs: int = 1
    room: tuple[int, ...] = ()
    """The arrays that torch writes to in place, and that have more room there."""


def normal(*shape: int, scale: float = 1.0, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng((seed, *shape))
    return random.standard_normal(shape, dtype=np.float32) * np.float32(scale)


# --- what the products take


def attend_operations(tokens: int) -> int:
    visible = tokens * (tokens + 1) // 2
    return 2 * tokens * C * 4 * C + 4 * visible * C


def block_operations(tokens: int) -> int:
    return attend_operations(tokens) + 4 * tokens * C * HIDDEN


# --- oracles in float64


def norm64(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gain + bias


def softmax64(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend64(
    x: np.ndarray,
    gain: np.ndarray,
    bias: np.ndarray,
    qkv_weight: np.ndarray,
    qkv_bias: np.ndarray,
    out_weight: np.ndarray,
    out_bias: np.ndarray,
) -> np.ndarray:
    tokens = len(x)
    qkv = norm64(x, gain, bias) @ qkv_weight + qkv_bias
    q, k, v = (p.reshape(tokens, HEADS, -1).transpose(1, 0, 2) for p in np.split(qkv, 3, axis=1))
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    mixed = (softmax64(scores) @ v).transpose(1, 0, 2).reshape(x.shape)
    return x + mixed @ out_weight + out_bias


def feed64(
    x: np.ndarray,
    gain: np.ndarray,
    bias: np.ndarray,
    up: np.ndarray,
    up_bias: np.ndarray,
    down: np.ndarray,
    down_bias: np.ndarray,
) -> np.ndarray:
    h = norm64(x, gain, bias) @ up + up_bias
    h = 0.5 * h * (1 + np.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
    return x + h @ down + down_bias


# --- the same for torch and jax


def torch_attend(
    torch: Any, x: Any, gain: Any, bias: Any, wqkv: Any, bqkv: Any, wo: Any, bo: Any
) -> Any:
    functional = torch.nn.functional
    tokens = x.shape[0]
    qkv = functional.layer_norm(x, (C,), gain, bias) @ wqkv + bqkv
    q, k, v = (p.reshape(tokens, HEADS, C // HEADS).transpose(0, 1) for p in qkv.split(C, dim=1))
    mixed = functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    return x + mixed.transpose(0, 1).reshape(tokens, C) @ wo + bo


def torch_feed(
    torch: Any, x: Any, gain: Any, bias: Any, up: Any, bup: Any, down: Any, bdown: Any
) -> Any:
    functional = torch.nn.functional
    h = functional.layer_norm(x, (C,), gain, bias) @ up + bup
    return x + functional.gelu(h, approximate="tanh") @ down + bdown


def jax_norm(jax: Any, x: Any, gain: Any, bias: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain + bias


def jax_attend(
    jax: Any, x: Any, gain: Any, bias: Any, wqkv: Any, bqkv: Any, wo: Any, bo: Any
) -> Any:
    jnp = jax.numpy
    tokens = x.shape[0]
    qkv = jax_norm(jax, x, gain, bias) @ wqkv + bqkv
    q, k, v = (p.reshape(tokens, HEADS, -1).transpose(1, 0, 2) for p in jnp.split(qkv, 3, axis=1))
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(C // HEADS)
    scores = jnp.where(jnp.tri(tokens, dtype=bool), scores, -jnp.inf)
    mixed = jax.nn.softmax(scores) @ v
    return x + mixed.transpose(1, 0, 2).reshape(tokens, C) @ wo + bo


def jax_feed(
    jax: Any, x: Any, gain: Any, bias: Any, up: Any, bup: Any, down: Any, bdown: Any
) -> Any:
    h = jax_norm(jax, x, gain, bias) @ up + bup
    return x + jax.nn.gelu(h, approximate=True) @ down + bdown


# --- the rows


def block_arrays(tokens: int) -> Arrays:
    return (*attend_arrays(tokens), *feed_arrays())


def attend_arrays(tokens: int, channels: int = C) -> Arrays:
    return (
        normal(tokens, channels),
        1 + normal(channels, scale=0.1),
        normal(channels, scale=0.1, seed=1),
        normal(channels, 3 * channels, scale=channels**-0.5),
        normal(3 * channels, scale=0.1),
        normal(channels, channels, scale=channels**-0.5),
        normal(channels, scale=0.1, seed=2),
    )


def feed_arrays(channels: int = C) -> Arrays:
    hidden = 4 * channels
    return (
        1 + normal(channels, scale=0.1, seed=3),
        normal(channels, scale=0.1, seed=4),
        normal(channels, hidden, scale=channels**-0.5),
        normal(hidden, scale=0.1),
        normal(hidden, channels, scale=hidden**-0.5),
        normal(channels, scale=0.1, seed=5),
    )


def works() -> list[Work]:
    import tdsl  # here, because figures.py times it

    m = tdsl.loads(MODULE, name="works")

    def product(arrays: Arrays) -> Callable[..., np.ndarray]:
        p = m.Matrix.bind({"weight": arrays[1]})
        return lambda x, *_: m.product(x, p)

    def attention_block(arrays: Arrays) -> Callable[..., np.ndarray]:
        p = m.Attention.bind(dict(zip(ATTENTION, arrays[1:], strict=True)))
        return lambda x, *_: m.attention_block(x, p, heads=HEADS)

    def whole_block(arrays: Arrays) -> Callable[..., np.ndarray]:
        attention, feed = arrays[1 : 1 + len(ATTENTION)], arrays[1 + len(ATTENTION) :]
        p = m.Block.bind(
            {
                "attention": dict(zip(ATTENTION, attention, strict=True)),
                "feedforward": dict(zip(FEEDFORWARD, feed, strict=True)),
            }
        )
        return lambda x, *_: m.whole_block(x, p, heads=HEADS)

    found = [
        Work(
            "matmul 512x768x2304",
            lambda: (normal(512, 768), normal(768, 2304, scale=768**-0.5)),
            lambda x, w: x.astype(np.float64) @ w,
            product,
            lambda torch: lambda x, w: x @ w,
            lambda jax: lambda x, w: x @ w,
            graphs.product,
            1e-4,
            1.0,
            2 * 512 * 768 * 2304,
        ),
        Work(
            "layer_norm 512x768",
            lambda: (normal(512, C), 1 + normal(C), normal(C, seed=1)),
            norm64,
            lambda arrays: m.norm,
            lambda torch: lambda x, g, b: torch.nn.functional.layer_norm(x, (C,), g, b),
            lambda jax: lambda x, g, b: jax_norm(jax, x, g, b),
            graphs.layer_norm,
            1e-4,
            1.0,
        ),
        Work(
            "softmax 12x512x512",
            lambda: (normal(12, 512, 512, scale=3.0),),
            softmax64,
            lambda arrays: m.rows,
            lambda torch: lambda x: x.softmax(-1),
            lambda jax: jax.nn.softmax,
            graphs.softmax,
            1e-5,
            1.0,
        ),
    ]
    for tokens in (128, 512, 1024):
        found.append(
            Work(
                f"attention block T={tokens}",
                partial(attend_arrays, tokens),
                attend64,
                attention_block,
                lambda torch: lambda *a: torch_attend(torch, *a),
                lambda jax: lambda *a: jax_attend(jax, *a),
                graphs.attention_block,
                1e-3,
                0.85,
                attend_operations(tokens),
            )
        )
    for tokens in (128, 512):
        found.append(
            Work(
                f"whole block T={tokens}",
                partial(block_arrays, tokens),
                lambda *a: feed64(attend64(*a[:7]), *a[7:]),
                whole_block,
                lambda torch: lambda *a: torch_feed(torch, torch_attend(torch, *a[:7]), *a[7:]),
                lambda jax: lambda *a: jax_feed(jax, jax_attend(jax, *a[:7]), *a[7:]),
                graphs.whole_block,
                1e-3,
                0.85,
                block_operations(tokens),
            )
        )
    return found
