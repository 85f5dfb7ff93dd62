"""Compile causal attention, show its MLIR, run it, and compare with NumPy."""

import math
from pathlib import Path

import numpy as np

import tdsl


def oracle(
    x: np.ndarray,
    qkv_weight: np.ndarray,
    qkv_bias: np.ndarray,
    out_weight: np.ndarray,
    out_bias: np.ndarray,
    heads: int,
) -> np.ndarray:
    """Head by head and query by query, in float64, each query seeing only the keys before it."""
    x = x.astype(np.float64)
    tokens, width = x.shape
    depth = width // heads
    q, k, v = np.split(x @ qkv_weight + qkv_bias, 3, axis=1)
    merged = np.zeros((tokens, width))
    for head in range(heads):
        columns = slice(head * depth, (head + 1) * depth)
        for query in range(tokens):
            scores = k[: query + 1, columns] @ q[query, columns] / math.sqrt(depth)
            weights = np.exp(scores - scores.max())
            merged[query, columns] = weights @ v[: query + 1, columns] / weights.sum()
    return merged @ out_weight + out_bias


def inputs(tokens: int, width: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32)

    scale = np.float32(1 / math.sqrt(width))
    return (
        normal(tokens, width),
        normal(width, 3 * width) * scale,
        normal(3 * width),
        normal(width, width) * scale,
        normal(width),
    )


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    arguments = inputs(tokens=5, width=12)
    print(program.attention.mlir(T=5, C=12, E="f32", heads=2))

    result = program.attention(*arguments, heads=2)

    expected = oracle(*arguments, heads=2)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
    print(result)
    print(f"largest difference from NumPy in float64: {np.abs(result - expected).max():.1e}")


if __name__ == "__main__":
    main()
