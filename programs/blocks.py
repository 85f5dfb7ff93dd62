"""The two halves of a transformer block, each with its residual connection, against NumPy."""

import math
from pathlib import Path

import attention
import mlp
import numpy as np

import tdsl


def layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Ba, Kiros and Hinton 2016, row by row, with the usual epsilon of 1e-5."""
    rows = [(row - row.mean()) / math.sqrt(row.var() + 1e-5) for row in x.astype(np.float64)]
    return np.stack(rows) * gain + bias


def attend(
    x: np.ndarray, gain: np.ndarray, bias: np.ndarray, *weights: np.ndarray, heads: int
) -> np.ndarray:
    return x + attention.oracle(layer_norm(x, gain, bias), *weights, heads=heads)


def feedforward(
    x: np.ndarray, gain: np.ndarray, bias: np.ndarray, *weights: np.ndarray
) -> np.ndarray:
    return x + mlp.oracle(layer_norm(x, gain, bias), *weights)


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    random = np.random.default_rng(1)
    gain = 1 + random.standard_normal(12, dtype=np.float32) / 8
    bias = random.standard_normal(12, dtype=np.float32)
    x, *attention_weights = attention.inputs(tokens=5, width=12)
    _, *mlp_weights = mlp.inputs(tokens=5, width=12, hidden=48)

    y = program.attend(x, gain, bias, *attention_weights, heads=2)
    z = program.feedforward(y, gain, bias, *mlp_weights)

    expected = attend(x, gain, bias, *attention_weights, heads=2)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        z, feedforward(expected, gain, bias, *mlp_weights), rtol=1e-5, atol=1e-5
    )
    print(program.attend)
    print(program.feedforward)
    print(z)


if __name__ == "__main__":
    main()
