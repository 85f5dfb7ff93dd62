"""programs/gpt2.tdsl against the recorded logits of an independent implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl

ROOT = Path(__file__).parents[2]
HEADS, WIDTH, POSITIONS, LAYERS = 2, 32, 32, 2


@pytest.fixture(scope="module")
def recorded() -> dict[str, np.ndarray]:
    with np.load(ROOT / "tests/data/gpt2_l2_h2_d32_t5.npz") as file:
        return dict(file)


@pytest.fixture(scope="module")
def model(recorded: dict[str, np.ndarray]) -> dict[str, Any]:
    def weight(name: str) -> np.ndarray:
        return recorded[f"w/transformer.{name}"]

    def linear(name: str) -> dict[str, np.ndarray]:
        return {"weight": weight(f"{name}.weight"), "bias": weight(f"{name}.bias")}

    def norm(name: str) -> dict[str, np.ndarray]:
        return {"gain": weight(f"{name}.weight"), "bias": weight(f"{name}.bias")}

    return {
        "wte": weight("wte.weight"),
        "wpe": weight("wpe.weight"),
        "blocks": [
            {
                "ln_1": norm(f"h.{i}.ln_1"),
                "qkv": linear(f"h.{i}.attn.c_attn"),
                "out": linear(f"h.{i}.attn.c_proj"),
                "ln_2": norm(f"h.{i}.ln_2"),
                "up": linear(f"h.{i}.mlp.c_fc"),
                "down": linear(f"h.{i}.mlp.c_proj"),
            }
            for i in range(LAYERS)
        ],
        "ln_f": norm("ln_f"),
    }


@pytest.fixture(
    scope="module",
    params=[("all", "cpu"), ("none", "cpu"), ("all", "gpu-emulator")],
    ids=lambda how: "-".join(how),
)
def program(request: pytest.FixtureRequest) -> Any:
    kernels, target = request.param
    return tdsl.load(ROOT / "programs/gpt2.tdsl", kernels=kernels, target=target)


def test_forward_gives_the_recorded_logits(
    program: Any, model: dict[str, Any], recorded: dict[str, np.ndarray]
) -> None:
    ids = recorded["in/input_ids"][0].astype(np.int32)
    logits = program.forward(ids, model, heads=HEADS)
    np.testing.assert_allclose(logits, recorded["f32/logits"][0], rtol=0, atol=2e-5)


def test_prefill_and_two_steps_give_the_same_rows(
    program: Any, model: dict[str, Any], recorded: dict[str, np.ndarray]
) -> None:
    ids = recorded["in/input_ids"][0].astype(np.int32)
    expected = recorded["f32/logits"][0]
    empty = np.zeros((HEADS, POSITIONS, WIDTH // HEADS), np.float32)
    cache: Any = [{"k": empty, "v": empty}] * LAYERS
    rows, cache = program.step(ids[:3], np.int32(0), cache, model)
    np.testing.assert_allclose(rows, expected[:3], rtol=0, atol=2e-5)
    for position in (3, 4):
        row, cache = program.step(ids[position : position + 1], np.int32(position), cache, model)
        np.testing.assert_allclose(row[0], expected[position], rtol=0, atol=2e-5)


def test_code_does_not_grow_with_the_number_of_layers() -> None:
    forward = tdsl.load(ROOT / "programs/gpt2.tdsl").forward

    def operations(layers: int) -> int:
        """In the LLVM dialect, without the constants, which are merged where they are equal."""
        text = forward.mlir("llvm", T=3, V=11, N=8, C=6, F=24, L=layers, heads=2)
        return sum("llvm.mlir.constant" not in line for line in text.splitlines())

    assert operations(2) == operations(12) == operations(48)
