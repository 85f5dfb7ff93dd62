"""Call `mlp` (linear, gelu, linear) from Python and compare with NumPy."""

import math
from pathlib import Path

import numpy as np

import tdsl


def gelu(x: np.ndarray) -> np.ndarray:
    """The tanh form of GELU (Hendrycks and Gimpel 2016, eq. 2), one number at a time."""
    values = [
        0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))
        for v in x.ravel().tolist()
    ]
    return np.array(values).reshape(x.shape)


def oracle(
    x: np.ndarray,
    up_weight: np.ndarray,
    up_bias: np.ndarray,
    down_weight: np.ndarray,
    down_bias: np.ndarray,
) -> np.ndarray:
    hidden = gelu(x.astype(np.float64) @ up_weight + up_bias)
    return hidden @ down_weight.astype(np.float64) + down_bias


def inputs(tokens: int, width: int, hidden: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32)

    return (
        normal(tokens, width),
        normal(width, hidden) / np.float32(math.sqrt(width)),
        normal(hidden),
        normal(hidden, width) / np.float32(math.sqrt(hidden)),
        normal(width),
    )


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    arguments = inputs(tokens=6, width=8, hidden=32)

    result = program.mlp(*arguments)

    np.testing.assert_allclose(result, oracle(*arguments), rtol=1e-5, atol=1e-5)
    print(program.mlp)
    print(result)


if __name__ == "__main__":
    main()
