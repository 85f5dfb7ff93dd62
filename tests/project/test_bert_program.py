"""programs/bert.tdsl against the recorded states and logits of an independent implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl

ROOT = Path(__file__).parents[2]
HEADS, LAYERS = 4, 2


@pytest.fixture(scope="module")
def recorded() -> dict[str, np.ndarray]:
    with np.load(ROOT / "tests/data/bert_l2_h4_d64_t10.npz") as file:
        return dict(file)


def linear(recorded: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    return {"weight": recorded[f"w/{name}.weight"].T, "bias": recorded[f"w/{name}.bias"]}


@pytest.fixture(scope="module")
def model(recorded: dict[str, np.ndarray]) -> dict[str, Any]:
    def norm(name: str) -> dict[str, np.ndarray]:
        return {"gain": recorded[f"w/{name}.weight"], "bias": recorded[f"w/{name}.bias"]}

    def layer(name: str) -> dict[str, Any]:
        return {
            "query": linear(recorded, f"{name}.attention.self.query"),
            "key": linear(recorded, f"{name}.attention.self.key"),
            "value": linear(recorded, f"{name}.attention.self.value"),
            "out": linear(recorded, f"{name}.attention.output.dense"),
            "norm_1": norm(f"{name}.attention.output.LayerNorm"),
            "up": linear(recorded, f"{name}.intermediate.dense"),
            "down": linear(recorded, f"{name}.output.dense"),
            "norm_2": norm(f"{name}.output.LayerNorm"),
        }

    tables = {
        "words": "word_embeddings",
        "positions": "position_embeddings",
        "kinds": "token_type_embeddings",
    }
    return {
        **{own: recorded[f"w/bert.embeddings.{name}.weight"] for own, name in tables.items()},
        "norm": norm("bert.embeddings.LayerNorm"),
        "layers": [layer(f"bert.encoder.layer.{i}") for i in range(LAYERS)],
    }


@pytest.fixture(scope="module")
def sentences(recorded: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        recorded["in/input_ids"].astype(np.int32),
        recorded["in/token_type_ids"].astype(np.int32),
        recorded["in/attention_mask"].astype(bool),
    )


@pytest.fixture(scope="module", params=["all", "none"])
def program(request: pytest.FixtureRequest) -> Any:
    return tdsl.load(ROOT / "programs/bert.tdsl", kernels=request.param)


def test_tables_of_names_find_the_same(model: Any, recorded: dict[str, np.ndarray]) -> None:
    program = tdsl.load(ROOT / "programs/bert.tdsl")
    weights = {n.removeprefix("w/"): a for n, a in recorded.items() if n.startswith("w/")}
    bound = program.Bert.bind(weights, rename=tdsl.names.bert_hf)
    np.testing.assert_array_equal(bound.words, model["words"])
    for layer, expected in zip(bound.layers, model["layers"], strict=True):
        for name, parts in expected.items():
            for part, array in parts.items():
                np.testing.assert_array_equal(getattr(getattr(layer, name), part), array)
    head = program.Classifier.bind(weights, rename=tdsl.names.bert_classifier_hf)
    pooler = linear(recorded, "bert.pooler.dense")
    np.testing.assert_array_equal(head.pooler.weight, pooler["weight"])


def test_classes_have_the_recorded_logits(
    program: Any, model: Any, sentences: Any, recorded: dict[str, np.ndarray]
) -> None:
    head = {"pooler": linear(recorded, "bert.pooler.dense"), "out": linear(recorded, "classifier")}
    logits = program.classify(*sentences, model, head, heads=HEADS)
    np.testing.assert_allclose(logits, recorded["f32/logits"], rtol=0, atol=2e-5)


def test_tokens_have_the_recorded_states(
    program: Any, model: Any, sentences: Any, recorded: dict[str, np.ndarray]
) -> None:
    """Those of padding too: it sees the tokens, though they do not see it."""
    states = program.states(*sentences, model, heads=HEADS)
    np.testing.assert_allclose(states, recorded[f"f32/hidden_states/{LAYERS}"], rtol=0, atol=2e-5)


def test_padding_changes_nothing_of_a_sentence(program: Any, model: Any, sentences: Any) -> None:
    ids, kinds, mask = sentences
    alone = program.states(*(part[1:, :6] for part in sentences), model, heads=HEADS)
    others = np.where(mask, ids, 7).astype(np.int32)
    padded = program.states(others, kinds, mask, model, heads=HEADS)
    np.testing.assert_allclose(padded[1, :6], alone[0], rtol=0, atol=2e-6)


def test_sentences_become_vectors_of_length_one(
    program: Any, model: Any, sentences: Any, recorded: dict[str, np.ndarray]
) -> None:
    ids, kinds, mask = sentences
    vectors = program.embed(ids, kinds, mask, model, heads=HEADS)
    states = recorded[f"f32/hidden_states/{LAYERS}"].astype(np.float64)
    for row, seen in enumerate(mask):
        mean = states[row, seen].mean(axis=0)
        np.testing.assert_allclose(vectors[row], mean / np.linalg.norm(mean), rtol=0, atol=2e-6)
    nothing = program.embed(ids, kinds, mask & [[True], [False]], model, heads=HEADS)
    np.testing.assert_array_equal(nothing[1], 0)
