"""Continue a text of token numbers with GPT-2: a prompt at once, then one token at a time.

The weights are random here; the point is that both ways agree with NumPy, and with each other.
"""

import math
from pathlib import Path

import blocks
import numpy as np

import tdsl


def oracle(ids: np.ndarray, model: dict, heads: int) -> np.ndarray:
    """The logits of every position, in float64."""
    x = model["wte"][ids].astype(np.float64) + model["wpe"][: len(ids)]
    for layer in model["blocks"]:
        x = blocks.attend(
            x,
            layer["ln_1"]["gain"],
            layer["ln_1"]["bias"],
            layer["qkv"]["weight"],
            layer["qkv"]["bias"],
            layer["out"]["weight"],
            layer["out"]["bias"],
            heads=heads,
        )
        x = blocks.feedforward(
            x,
            layer["ln_2"]["gain"],
            layer["ln_2"]["bias"],
            layer["up"]["weight"],
            layer["up"]["bias"],
            layer["down"]["weight"],
            layer["down"]["bias"],
        )
    x = blocks.layer_norm(x, model["ln_f"]["gain"], model["ln_f"]["bias"])
    return x @ model["wte"].T.astype(np.float64)


def parameters(vocabulary: int, positions: int, width: int, layers: int) -> dict:
    """Random weights as nested dicts and lists, in the shape of the struct `GPT2`."""
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32)

    def linear(inputs: int, outputs: int) -> dict:
        return {"weight": normal(inputs, outputs) / math.sqrt(inputs), "bias": normal(outputs)}

    def norm() -> dict:
        return {"gain": 1 + normal(width) / 8, "bias": normal(width) / 8}

    def layer() -> dict:
        return {
            "ln_1": norm(),
            "qkv": linear(width, 3 * width),
            "out": linear(width, width),
            "ln_2": norm(),
            "up": linear(width, 4 * width),
            "down": linear(4 * width, width),
        }

    return {
        "wte": normal(vocabulary, width),
        "wpe": normal(positions, width) / 8,
        "blocks": [layer() for _ in range(layers)],
        "ln_f": norm(),
    }


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    heads, width, positions, layers = 2, 16, 12, 3
    model = parameters(vocabulary=29, positions=positions, width=width, layers=layers)
    ids = np.array([3, 14, 15, 9, 26, 5], np.int32)

    logits = program.forward(ids, model, heads=heads)

    np.testing.assert_allclose(logits, oracle(ids, model, heads), rtol=1e-4, atol=1e-4)

    empty = np.zeros((heads, positions, width // heads), np.float32)
    cache = [{"k": empty, "v": empty} for _ in range(layers)]
    rows, cache = program.step(ids[:4], np.int32(0), cache, model)
    np.testing.assert_allclose(rows, logits[:4], rtol=1e-4, atol=1e-4)
    for position in (4, 5):
        row, cache = program.step(ids[position : position + 1], np.int32(position), cache, model)
        np.testing.assert_allclose(row[0], logits[position], rtol=1e-4, atol=1e-4)

    print(program.forward)
    print(program.step)
    print("next token:", int(logits[-1].argmax()))


if __name__ == "__main__":
    main()
