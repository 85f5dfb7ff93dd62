"""Read sentences of unequal lengths at once with BERT: classes, and vectors that tell what is near.

The weights are random here; the point is that padding changes nothing, and that NumPy agrees.
"""

import math
from pathlib import Path

import numpy as np

import tdsl


def layer_norm(x: np.ndarray, p: dict) -> np.ndarray:
    spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-12)
    return (x - x.mean(axis=1, keepdims=True)) / spread * p["gain"] + p["bias"]


def linear(x: np.ndarray, p: dict) -> np.ndarray:
    return x @ p["weight"].astype(np.float64) + p["bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def attention(x: np.ndarray, p: dict, heads: int) -> np.ndarray:
    """Every token sees every token; head by head."""
    q, k, v = (np.split(linear(x, p[part]), heads, axis=1) for part in ("query", "key", "value"))
    mixed = []
    for head in range(heads):
        scores = q[head] @ k[head].T / math.sqrt(q[head].shape[1])
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        mixed.append(shares / shares.sum(axis=1, keepdims=True) @ v[head])
    return linear(np.concatenate(mixed, axis=1), p["out"])


def oracle(ids: np.ndarray, kinds: np.ndarray, model: dict, heads: int) -> np.ndarray:
    """The states of one sentence without padding, in float64."""
    x = model["words"][ids].astype(np.float64) + model["positions"][: len(ids)]
    x = layer_norm(x + model["kinds"][kinds], model["norm"])
    for layer in model["layers"]:
        x = layer_norm(x + attention(x, layer, heads), layer["norm_1"])
        x = layer_norm(x + linear(gelu(linear(x, layer["up"])), layer["down"]), layer["norm_2"])
    return x


def parameters(vocabulary: int, positions: int, width: int, layers: int) -> dict:
    """Random weights as nested dicts and lists, in the shape of the struct `Bert`."""
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32)

    def affine(inputs: int, outputs: int) -> dict:
        return {"weight": normal(inputs, outputs) / math.sqrt(inputs), "bias": normal(outputs)}

    def norm() -> dict:
        return {"gain": 1 + normal(width) / 8, "bias": normal(width) / 8}

    def layer() -> dict:
        return {
            **{part: affine(width, width) for part in ("query", "key", "value", "out")},
            "norm_1": norm(),
            "up": affine(width, 4 * width),
            "down": affine(4 * width, width),
            "norm_2": norm(),
        }

    return {
        "words": normal(vocabulary, width),
        "positions": normal(positions, width) / 8,
        "kinds": normal(2, width) / 8,
        "norm": norm(),
        "layers": [layer() for _ in range(layers)],
    }


def padded(sentences: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows of equal length, and where they hold tokens."""
    lengths = np.array([len(sentence) for sentence in sentences])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.zeros(mask.shape, np.int32)
    ids[mask] = np.concatenate(sentences)
    return ids, mask


def main() -> None:
    program = tdsl.load(Path(__file__).with_suffix(".tdsl"))
    heads, width, classes = 4, 32, 3
    model = parameters(vocabulary=29, positions=12, width=width, layers=3)
    ids, mask = padded([[3, 14, 15, 9, 26, 5], [2, 7, 18], [3, 14, 15, 9, 26, 5, 8]])
    kinds = np.zeros_like(ids)
    random = np.random.default_rng(1)
    pooler, out = (
        {
            "weight": random.standard_normal((width, size), dtype=np.float32) / 4,
            "bias": np.zeros(size, np.float32),
        }
        for size in (width, classes)
    )

    states = program.states(ids, kinds, mask, model, heads=heads)
    logits = program.classify(ids, kinds, mask, model, {"pooler": pooler, "out": out}, heads=heads)
    vectors = program.embed(ids, kinds, mask, model, heads=heads)

    for row, seen in enumerate(mask):
        expected = oracle(ids[row, seen], kinds[row, seen], model, heads)
        np.testing.assert_allclose(states[row, seen], expected, rtol=1e-4, atol=1e-4)
        pooled = np.tanh(linear(expected[:1], pooler))
        np.testing.assert_allclose(logits[row], linear(pooled, out)[0], rtol=1e-4, atol=1e-4)
        mean = expected.mean(axis=0)
        np.testing.assert_allclose(vectors[row], mean / np.linalg.norm(mean), rtol=0, atol=1e-5)

    print(program.states)
    print(program.classify)
    print(program.embed)
    print("how near the sentences are:")
    print(vectors @ vectors.T)


if __name__ == "__main__":
    main()
