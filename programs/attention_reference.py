"""Attention whose scores are promoted to float64, with NumPy's own promotion as the oracle."""

from pathlib import Path

import numpy as np
from attention import inputs

import tdsl


def oracle(
    x: np.ndarray,
    qkv_weight: np.ndarray,
    qkv_bias: np.ndarray,
    out_weight: np.ndarray,
    out_bias: np.ndarray,
    heads: int,
) -> np.ndarray:
    """In NumPy as one would write it: `np.sqrt` gives a float64 scalar, which promotes."""
    tokens, width = x.shape
    depth = width // heads
    q, k, v = (
        part.reshape(tokens, heads, depth).transpose(1, 0, 2)
        for part in np.split(x @ qkv_weight + qkv_bias, 3, axis=1)
    )
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(np.float64(depth))
    scores = scores + np.triu(np.full((tokens, tokens), -1e10, np.float32), k=1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    merged = (weights @ v).transpose(1, 0, 2).reshape(tokens, width)
    return merged @ out_weight + out_bias


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    arguments = inputs(tokens=5, width=12)

    result = program.attention_reference(*arguments, heads=2)

    expected = oracle(*arguments, heads=2)
    assert result.dtype == expected.dtype == np.float64
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
    print(program.attention_reference)
    print(result)


if __name__ == "__main__":
    main()
