"""Continue a text of token numbers with Llama: a prompt at once, then one token at a time.

The weights are random here; the point is that both ways agree with NumPy, and with each other.
"""

import math
from pathlib import Path

import numpy as np

import tdsl

Array = np.ndarray


def rms_norm(x: Array, gain: Array) -> Array:
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6) * gain


def turned(x: Array) -> Array:
    """Rotary positions: entries i and i + D/2 of a row as one complex number, turned."""
    half = x.shape[1] // 2
    angles = np.outer(np.arange(len(x)), 10000.0 ** (-np.arange(half) / half))
    pairs = (x[:, :half] + 1j * x[:, half:]) * np.exp(1j * angles)
    return np.concatenate([pairs.real, pairs.imag], axis=1)


def attention(x: Array, p: dict, heads: int, groups: int) -> Array:
    """Every token sees itself and those before it; head by head, each with its group's keys."""
    q = np.split(x @ p["query"], heads, axis=1)
    k = np.split(x @ p["key"], groups, axis=1)
    v = np.split(x @ p["value"], groups, axis=1)
    mixed = []
    for head in range(heads):
        group = head // (heads // groups)
        scores = turned(q[head]) @ turned(k[group]).T / math.sqrt(q[head].shape[1])
        scores[np.triu_indices(len(x), 1)] = -np.inf
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        mixed.append(shares / shares.sum(axis=1, keepdims=True) @ v[group])
    return np.concatenate(mixed, axis=1) @ p["out"]


def oracle(ids: Array, model: dict, heads: int, groups: int) -> Array:
    """The logits of every position, in float64."""
    x = model["tokens"][ids].astype(np.float64)
    for p in model["blocks"]:
        x = x + attention(rms_norm(x, p["norm_1"]), p, heads, groups)
        y = rms_norm(x, p["norm_2"])
        gate = y @ p["gate"]
        x = x + (gate / (1 + np.exp(-gate)) * (y @ p["up"])) @ p["down"]
    return rms_norm(x, model["norm"]) @ model["head"].T


def parameters(
    vocabulary: int, width: int, hidden: int, heads: int, groups: int, layers: int
) -> dict:
    """Random weights as nested dicts and lists, in the shape of the struct `Llama`; a tied head."""
    random = np.random.default_rng(0)
    depth = width // heads

    def normal(*shape: int) -> Array:
        return random.standard_normal(shape, dtype=np.float32) / math.sqrt(shape[0])

    def gain() -> Array:
        return 1 + random.standard_normal(width, dtype=np.float32) / 8

    def block() -> dict:
        return {
            "norm_1": gain(),
            "query": normal(width, heads * depth),
            "key": normal(width, groups * depth),
            "value": normal(width, groups * depth),
            "out": normal(heads * depth, width),
            "norm_2": gain(),
            "gate": normal(width, hidden),
            "up": normal(width, hidden),
            "down": normal(hidden, width),
        }

    tokens = normal(vocabulary, width)
    blocks = [block() for _ in range(layers)]
    return {"tokens": tokens, "blocks": blocks, "norm": gain(), "head": tokens}


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    heads, groups, width, positions, layers = 6, 2, 48, 12, 3
    model = parameters(29, width, 4 * width, heads, groups, layers)
    ids = np.array([3, 14, 15, 9, 26, 5], np.int32)

    logits = program.forward(ids, model, heads=heads)

    expected = oracle(ids, model, heads, groups)
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-4)

    empty = np.zeros((groups, positions, width // heads), np.float32)
    cache = [{"k": empty, "v": empty} for _ in range(layers)]
    rows, cache = program.step(ids[:4], np.int32(0), cache, model)
    np.testing.assert_allclose(rows, expected[:4], rtol=1e-4, atol=1e-4)
    for position in (4, 5):
        row, cache = program.step(ids[position : position + 1], np.int32(position), cache, model)
        np.testing.assert_allclose(row[0], expected[position], rtol=1e-4, atol=1e-4)

    print(program.forward)
    print(program.step)
    print("next token:", int(logits[-1].argmax()))


if __name__ == "__main__":
    main()
