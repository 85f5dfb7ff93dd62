"""A whole GPT-2 of the design, by the evaluator: against recorded logits, and step by step."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tdsl.check import typed
from tdsl.check.modules import load_program
from tdsl.reference.evaluate import evaluate
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution

TESTS = Path(__file__).parent.parent
HEADS, LAYERS = 2, 2


@cache
def program() -> typed.Program:
    return load_program(TESTS / "design" / "programs" / "gpt2.tdsl")


@cache
def recorded() -> dict[str, Any]:
    with np.load(TESTS / "data" / "gpt2_l2_h2_d32_t5.npz") as file:
        return {key: file[key] for key in file.files}


def parameters() -> dict[str, Any]:
    def weights(path: str, *names: str) -> dict[str, Any]:
        values = (recorded()[f"w/transformer.{path}.{kind}"] for kind in ("weight", "bias"))
        return dict(zip(names, values, strict=True))

    def block(path: str) -> dict[str, Any]:
        return {
            "ln_1": weights(f"{path}.ln_1", "g", "b"),
            "attn": {name: weights(f"{path}.attn.{name}", "w", "b") for name in _MAPS},
            "ln_2": weights(f"{path}.ln_2", "g", "b"),
            "mlp": {name: weights(f"{path}.mlp.{name}", "w", "b") for name in ("c_fc", "c_proj")},
        }

    return {
        "wte": recorded()["w/transformer.wte.weight"],
        "wpe": recorded()["w/transformer.wpe.weight"],
        "blocks": [block(f"h.{layer}") for layer in range(LAYERS)],
        "ln_f": weights("ln_f", "g", "b"),
    }


_MAPS = ("c_attn", "c_proj")


def call(name: str, *arguments: Any, **own: int) -> Any:
    p = parameters()
    (vocabulary, width), places = p["wte"].shape, len(p["wpe"])
    hidden = p["blocks"][0]["mlp"]["c_fc"]["w"].shape[1]
    values = {"V": vocabulary, "C": width, "N": places, "F": hidden, "L": LAYERS, **own}
    values |= {"H": HEADS, "D": width // HEADS}
    signature = program().root.functions[name].signature
    sizes = {s: Size.of(values[s.name]) for size in signature.sizes for s in size.value.symbols()}
    return evaluate(program(), signature.function, [*arguments, p], Substitution(sizes, {}, {}))


def test_logits() -> None:
    ids = recorded()["in/input_ids"][0].astype(np.int32)
    found = call("gpt2", ids, T=len(ids))
    np.testing.assert_allclose(found, recorded()["f32/logits"][0], atol=2e-5)


def test_a_cache_gives_the_same_logits_token_by_token() -> None:
    ids = recorded()["in/input_ids"][0].astype(np.int32)
    width, places = parameters()["wte"].shape[1], len(parameters()["wpe"])
    empty = np.zeros((LAYERS, HEADS, places, width // HEADS), np.float32)
    cache_: Any = {"k": empty, "v": empty}  # stacked; results come as a list
    rows = []
    for start, stop in ((0, 3), (3, 4), (4, 5)):
        logits, cache_ = call("step", ids[start:stop], np.int32(start), cache_, S=stop - start)
        rows.append(logits)
    np.testing.assert_allclose(np.concatenate(rows), recorded()["f32/logits"][0], atol=2e-5)
