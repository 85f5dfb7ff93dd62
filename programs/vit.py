"""Sort images into classes with a vision transformer, against a forward pass written in NumPy."""

import math
from pathlib import Path

import numpy as np

import tdsl


def layer_norm(x: np.ndarray, p: dict) -> np.ndarray:
    rows = [(row - row.mean()) / math.sqrt(row.var() + 1e-6) for row in x]
    return np.stack(rows) * p["gain"] + p["bias"]


def linear(x: np.ndarray, p: dict) -> np.ndarray:
    return x @ p["weight"].astype(np.float64) + p["bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def attention(x: np.ndarray, p: dict, heads: int) -> np.ndarray:
    """Every row sees every row; head by head."""
    q, k, v = (np.split(part, heads, axis=1) for part in np.split(linear(x, p["qkv"]), 3, axis=1))
    mixed = []
    for head in range(heads):
        shares = np.exp(q[head] @ k[head].T / math.sqrt(q[head].shape[1]))
        mixed.append(shares / shares.sum(axis=1, keepdims=True) @ v[head])
    return linear(np.concatenate(mixed, axis=1), p["out"])


def oracle(image: np.ndarray, model: dict, heads: int) -> np.ndarray:
    """The logits of one image, in float64; the patches are met by a convolution's sums."""
    _, height, width = image.shape
    size = model["patch"].shape[1]
    rows = [model["token"]]
    for top in range(0, height, size):
        for left in range(0, width, size):
            window = image[:, top : top + size, left : left + size].astype(np.float64)
            rows.append(np.einsum("kyx,kyxc->c", window, model["patch"]) + model["patch_bias"])
    x = np.stack(rows) + model["positions"]
    for p in model["blocks"]:
        x = x + attention(layer_norm(x, p["norm_1"]), p, heads)
        x = x + linear(gelu(linear(layer_norm(x, p["norm_2"]), p["up"])), p["down"])
    return linear(layer_norm(x[:1], model["norm"]), model["head"])[0]


def parameters(
    colours: int, grid: tuple[int, int], patch: int, width: int, layers: int, classes: int
) -> dict:
    """Random weights as nested dicts and lists, in the shape of the struct `ViT`."""
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32)

    def affine(inputs: int, outputs: int) -> dict:
        return {"weight": normal(inputs, outputs) / math.sqrt(inputs), "bias": normal(outputs)}

    def norm() -> dict:
        return {"gain": 1 + normal(width) / 8, "bias": normal(width) / 8}

    def block() -> dict:
        return {
            "norm_1": norm(),
            "qkv": affine(width, 3 * width),
            "out": affine(width, width),
            "norm_2": norm(),
            "up": affine(width, 4 * width),
            "down": affine(4 * width, width),
        }

    return {
        "patch": normal(colours, patch, patch, width) / math.sqrt(colours * patch * patch),
        "patch_bias": normal(width),
        "token": normal(width),
        "positions": normal(1 + grid[0] * grid[1], width),
        "blocks": [block() for _ in range(layers)],
        "norm": norm(),
        "head": affine(width, classes),
    }


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    heads = 4
    model = parameters(colours=3, grid=(3, 4), patch=4, width=32, layers=3, classes=5)
    images = np.random.default_rng(1).standard_normal((2, 3, 12, 16), dtype=np.float32)

    logits = program.classify(images, model, heads=heads)

    expected = np.stack([oracle(image, model, heads) for image in images])
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-4)
    print(program.classify)
    print("classes:", logits.argmax(axis=1))


if __name__ == "__main__":
    main()
