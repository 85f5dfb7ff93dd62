"""Call `linear` from Python and compare with NumPy."""

from pathlib import Path

import numpy as np

import tdsl


def oracle(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """The affine map by the sums of its definition, in float64."""
    return np.einsum("mk,kn->mn", x.astype(np.float64), weight) + bias


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 5), dtype=np.float32)
    weight = random.standard_normal((5, 7), dtype=np.float32)
    bias = random.standard_normal(7, dtype=np.float32)

    result = program.linear(x, weight, bias)

    np.testing.assert_allclose(result, oracle(x, weight, bias), rtol=2e-6, atol=2e-6)
    print(program.linear)
    print(result)


if __name__ == "__main__":
    main()
