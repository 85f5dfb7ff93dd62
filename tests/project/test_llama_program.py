"""programs/llama.tdsl against the recorded logits of an independent implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tdsl

ROOT = Path(__file__).parents[2]
HEADS, GROUPS, DEPTH, POSITIONS, LAYERS = 4, 2, 16, 16, 2


@pytest.fixture(scope="module")
def recorded() -> dict[str, np.ndarray]:
    with np.load(ROOT / "tests/data/llama_l2_h4_kv2_d64_t12.npz") as file:
        return dict(file)


@pytest.fixture(scope="module")
def model(recorded: dict[str, np.ndarray]) -> dict[str, Any]:
    names = {
        "query": "self_attn.q_proj",
        "key": "self_attn.k_proj",
        "value": "self_attn.v_proj",
        "out": "self_attn.o_proj",
        "gate": "mlp.gate_proj",
        "up": "mlp.up_proj",
        "down": "mlp.down_proj",
    }

    def block(name: str) -> dict[str, np.ndarray]:
        return {
            "norm_1": recorded[f"{name}.input_layernorm.weight"],
            "norm_2": recorded[f"{name}.post_attention_layernorm.weight"],
            **{own: recorded[f"{name}.{other}.weight"].T for own, other in names.items()},
        }

    return {
        "tokens": recorded["w/model.embed_tokens.weight"],
        "blocks": [block(f"w/model.layers.{i}") for i in range(LAYERS)],
        "norm": recorded["w/model.norm.weight"],
        "head": recorded["w/lm_head.weight"],
    }


@pytest.fixture(scope="module", params=["all", "none"])
def program(request: pytest.FixtureRequest) -> Any:
    return tdsl.load(ROOT / "programs/llama.tdsl", kernels=request.param)


def empty(dtype: Any = np.float32) -> list[dict[str, np.ndarray]]:
    nothing = np.zeros((GROUPS, POSITIONS, DEPTH), dtype)
    return [{"k": nothing, "v": nothing}] * LAYERS


def test_a_table_of_names_finds_the_same(
    model: dict[str, Any], recorded: dict[str, np.ndarray]
) -> None:
    program = tdsl.load(ROOT / "programs/llama.tdsl")
    weights = {n.removeprefix("w/"): a for n, a in recorded.items() if n.startswith("w/")}
    bound = program.Llama.bind(weights, rename=tdsl.names.llama_hf)
    np.testing.assert_array_equal(bound.head, model["head"])
    for block, expected in zip(bound.blocks, model["blocks"], strict=True):
        for name, array in expected.items():
            np.testing.assert_array_equal(getattr(block, name), array)
    del weights["lm_head.weight"]
    tied = program.Llama.bind(weights, rename=tdsl.names.llama_hf)
    np.testing.assert_array_equal(tied.head, model["tokens"])


@pytest.mark.parametrize("sentence", [0, 1])
def test_forward_gives_the_recorded_logits(
    program: Any, model: dict[str, Any], recorded: dict[str, np.ndarray], sentence: int
) -> None:
    ids = recorded["in/input_ids"][sentence].astype(np.int32)
    logits = program.forward(ids, model, heads=HEADS)
    np.testing.assert_allclose(logits, recorded["f32/logits"][sentence], rtol=0, atol=2e-5)


def test_prefill_and_steps_give_the_same_rows(
    program: Any, model: dict[str, Any], recorded: dict[str, np.ndarray]
) -> None:
    ids = recorded["in/input_ids"][0].astype(np.int32)
    expected = recorded["f32/logits"][0]
    rows, cache = program.step(ids[:10], np.int32(0), empty(), model)
    np.testing.assert_allclose(rows, expected[:10], rtol=0, atol=2e-5)
    for position in (10, 11):
        row, cache = program.step(ids[position : position + 1], np.int32(position), cache, model)
        np.testing.assert_allclose(row[0], expected[position], rtol=0, atol=2e-5)


def test_the_next_token_needs_the_last_row_alone(
    program: Any, model: dict[str, Any], recorded: dict[str, np.ndarray]
) -> None:
    ids = recorded["in/input_ids"][1].astype(np.int32)
    expected = recorded["f32/logits"][1]
    row, cache = program.next(ids[:10], np.int32(0), empty(), model)
    np.testing.assert_allclose(row, expected[9], rtol=0, atol=2e-5)
    for position in (10, 11):
        row, cache = program.next(ids[position : position + 1], np.int32(position), cache, model)
        np.testing.assert_allclose(row, expected[position], rtol=0, atol=2e-5)


def test_a_tied_head_is_the_table_of_tokens(program: Any, model: dict[str, Any]) -> None:
    """With no layer that does anything, the logits are products of rows of that table."""
    still = [
        {**block, "out": 0 * block["out"], "down": 0 * block["down"]} for block in model["blocks"]
    ]
    tied = {**model, "blocks": still, "head": model["tokens"]}
    ids = np.arange(12, dtype=np.int32)
    x = model["tokens"][ids].astype(np.float64)
    rows = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6) * model["norm"]
    logits = program.forward(ids, tied, heads=HEADS)
    np.testing.assert_allclose(logits, rows @ model["tokens"].T, rtol=0, atol=2e-5)


def test_epsilon_and_theta_count(program: Any, model: dict[str, Any]) -> None:
    ids = np.arange(12, dtype=np.int32)
    plain = program.forward(ids, model, heads=HEADS)
    slow = program.forward(ids, model, heads=HEADS, theta=1e5)
    np.testing.assert_allclose(slow[0], plain[0], rtol=0, atol=2e-6)
    assert np.abs(slow[9] - plain[9]).max() > 1e-4
    assert np.abs(program.forward(ids, model, heads=HEADS, epsilon=0.1) - plain).max() > 1e-3
    rows, _ = program.step(ids[:10], np.int32(0), empty(), model, theta=1e5)
    np.testing.assert_allclose(rows, slow[:10], rtol=0, atol=2e-5)


def test_weights_may_be_bf16(model: dict[str, Any], recorded: dict[str, np.ndarray]) -> None:
    program = tdsl.load(ROOT / "programs/llama.tdsl")

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: short(item) for name, item in value.items()}
        if isinstance(value, list):
            return [short(item) for item in value]
        return value.astype(ml_dtypes.bfloat16)

    ids = recorded["in/input_ids"][0].astype(np.int32)
    expected = recorded["f32/logits"][0]
    logits = program.forward(ids, short(model), heads=HEADS).astype(np.float32)
    assert np.abs(logits - expected).max() < 0.03 * np.abs(expected).max()
    rows, _ = program.step(ids, np.int32(0), empty(ml_dtypes.bfloat16), short(model))
    assert np.abs(rows.astype(np.float32) - expected).max() < 0.03 * np.abs(expected).max()


def test_tokens_and_positions_out_of_range_are_refused(
    program: Any, model: dict[str, Any], recorded: dict[str, np.ndarray]
) -> None:
    words = len(model["tokens"])
    good = recorded["in/input_ids"][0].astype(np.int32)
    for bad in (words, -words - 1):
        ids = good.copy()
        ids[3] = bad
        with pytest.raises(IndexError, match=f"{bad} is out of range"):
            program.forward(ids, model, heads=HEADS)
    with pytest.raises(IndexError, match="out of range"):
        program.step(good[:10], np.int32(POSITIONS - 9), empty(), model)
    with pytest.raises(tdsl.DTypeError, match="ids"):
        program.forward(good.astype(np.int64), model, heads=HEADS)


def test_wrong_groups_are_told(model: dict[str, Any]) -> None:
    program = tdsl.load(ROOT / "programs/llama.tdsl")
    with pytest.raises(tdsl.ShapeError, match="heads"):
        program.forward(np.array([5], np.int32), model, heads=3)


def test_code_does_not_grow_with_the_number_of_layers() -> None:
    forward = tdsl.load(ROOT / "programs/llama.tdsl").forward

    def operations(layers: int) -> int:
        """In the LLVM dialect, without the constants, which are merged where they are equal."""
        sizes = {"T": 3, "V": 11, "C": 8, "F": 20, "heads": 4, "G": 2, "D": 2}
        text = forward.mlir("llvm", L=layers, E="f32", **sizes)
        return sum("llvm.mlir.constant" not in line for line in text.splitlines())

    assert operations(2) == operations(12)
