"""Compare functions on a GPU with cuBLAS and PyTorch: products, attention, GPT-2.

    python bench/gpu.py [--runs 30]

Each line gives medians by the events of the GPU, of calls made in turn on fresh random inputs, and
the ratio. It needs a GPU, the extra `gpu`, and a PyTorch with CUDA; where one is missing it says so.
THIS HAS NOT RUN ON A GPU YET: there are no figures.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import tdsl

PROGRAMS = Path(__file__).parent.parent / "programs"
WARM = 5
TEXT = """tdsl 0.1
from std.nn import softmax

pub fn product[E: dtype(float), M, K, N](a: E[M, K], b: E[K, N]) -> E[M, N] { a @ b }

pub fn attention[E: dtype(float), B, H, T, D](
    q: E[B, H, T, D], k: E[B, H, T, D], v: E[B, H, T, D]
) -> E[B, H, T, D] {
    softmax(q @ transpose(k, [0, 1, 3, 2]) / 8 + causal_mask(T, E)) @ v
}
"""
SIZES = {"V": 50257, "N": 1024, "C": 768, "F": 3072, "L": 12}
HEADS = 12


def why_not() -> str:
    """What is missing here; "" where everything is there."""
    from tdsl.gpu.driver import binding

    try:
        binding.load_binding()
    except tdsl.TargetError as problem:
        return str(problem)
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed: there is nothing to compare with"
    return "" if torch.cuda.is_available() else "this PyTorch has no CUDA"


def medians(
    runs: int, make: Callable[[], Any], ways: Mapping[str, Callable[..., Any]]
) -> dict[str, float]:
    """Of each way, in milliseconds: by turns, on inputs that none has seen."""
    import torch

    times: dict[str, list[float]] = {name: [] for name in ways}
    for run in range(WARM + runs):
        for name, way in ways.items():
            inputs = make()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            start.record()
            way(*inputs)
            end.record()
            torch.cuda.synchronize()
            if run >= WARM:
                times[name].append(start.elapsed_time(end))
    return {name: statistics.median(found) for name, found in times.items()}


def report(what: str, found: Mapping[str, float], close: bool) -> None:
    (mine, own), (peer, theirs) = found.items()
    wrong = "" if close else "   THE RESULTS DIFFER"
    print(f"{what:34} {mine} {own:8.3f} ms   {peer} {theirs:8.3f} ms   {theirs / own:5.2f}x{wrong}")


def products(runs: int) -> None:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    for dtype, tolerance in ((torch.float32, 1e-3), (torch.bfloat16, 5e-2)):
        f = tdsl.loads(TEXT, target="nvptx").product

        def make(dtype: Any = dtype) -> Any:
            return [torch.randn(4096, 4096, device="cuda", dtype=dtype) for _ in range(2)]

        a, b = make()
        close = torch.allclose(f(a, b), a @ b, rtol=tolerance, atol=tolerance * 64)
        found = medians(runs, make, {"tdsl": f, "cublas": torch.matmul})
        report(f"product 4096^3 {dtype}", found, close)


def attention(runs: int) -> None:
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    def theirs(q: Any, k: Any, v: Any) -> Any:
        return scaled_dot_product_attention(q, k, v, is_causal=True)

    for dtype, tolerance in ((torch.float32, 1e-4), (torch.bfloat16, 3e-2)):
        f = tdsl.loads(TEXT, target="nvptx").attention

        def make(dtype: Any = dtype) -> Any:
            return [torch.randn(4, 12, 2048, 64, device="cuda", dtype=dtype) for _ in range(3)]

        q, k, v = make()
        close = torch.allclose(f(q, k, v), theirs(q, k, v), rtol=tolerance, atol=tolerance)
        found = medians(runs, make, {"tdsl": f, "sdpa": theirs})
        report(f"causal attention 4x12x2048 {dtype}", found, close)


def gpt2(runs: int) -> None:
    """The forward pass of 1024 tokens, against the same in eager PyTorch."""
    import torch

    m = tdsl.load(PROGRAMS / "gpt2.tdsl", target="nvptx")
    source = weights()
    p = m.GPT2.bind(source, device="cuda:0")

    def on_gpu(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: on_gpu(part) for name, part in value.items()}
        if isinstance(value, list):
            return [on_gpu(part) for part in value]
        return torch.from_numpy(value).cuda()

    there = on_gpu(source)

    def make() -> Any:
        return [torch.randint(SIZES["V"], (1024,), device="cuda", dtype=torch.int32)]

    def mine(ids: Any) -> Any:
        return m.forward(ids, p, heads=HEADS)

    def theirs(ids: Any) -> Any:
        return eager(ids.long(), there)

    with torch.no_grad():
        (ids,) = make()
        close = torch.allclose(mine(ids), theirs(ids), rtol=1e-2, atol=1e-2)
        report(
            "GPT-2, 1024 tokens, f32", medians(runs, make, {"tdsl": mine, "eager": theirs}), close
        )


def eager(ids: Any, p: Any) -> Any:
    from torch.nn import functional as nn

    def norm(x: Any, q: Any) -> Any:
        return nn.layer_norm(x, x.shape[-1:], q["gain"], q["bias"])

    x = p["wte"][ids] + p["wpe"][: len(ids)]
    for b in p["blocks"]:
        qkv = norm(x, b["ln_1"]) @ b["qkv"]["weight"] + b["qkv"]["bias"]
        q, k, v = (part.view(len(ids), HEADS, -1).transpose(0, 1) for part in qkv.chunk(3, dim=-1))
        seen = nn.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        x = x + seen.transpose(0, 1).reshape(x.shape) @ b["out"]["weight"] + b["out"]["bias"]
        up = nn.gelu(norm(x, b["ln_2"]) @ b["up"]["weight"] + b["up"]["bias"], approximate="tanh")
        x = x + up @ b["down"]["weight"] + b["down"]["bias"]
    return norm(x, p["ln_f"]) @ p["wte"].T


def weights() -> dict[str, Any]:
    """Random ones, of GPT-2 small."""
    random = np.random.default_rng(0)
    width, hidden = SIZES["C"], SIZES["F"]

    def normal(*shape: int) -> Any:
        return random.standard_normal(shape, dtype=np.float32) * np.float32(0.02)

    def linear(inputs: int, outputs: int) -> dict[str, Any]:
        return {"weight": normal(inputs, outputs), "bias": normal(outputs)}

    def norm() -> dict[str, Any]:
        return {"gain": 1 + normal(width), "bias": normal(width)}

    blocks = [
        {
            "ln_1": norm(),
            "qkv": linear(width, 3 * width),
            "out": linear(width, width),
            "ln_2": norm(),
            "up": linear(width, hidden),
            "down": linear(hidden, width),
        }
        for _ in range(SIZES["L"])
    ]
    return {
        "wte": normal(SIZES["V"], width),
        "wpe": normal(SIZES["N"], width),
        "blocks": blocks,
        "ln_f": norm(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=30, help="of each, besides those to warm up")
    runs = parser.parse_args().runs
    missing = why_not()
    if missing:
        print(f"nothing was measured: {missing}")
        sys.exit(0)
    for measure in (products, attention, gpt2):
        measure(runs)


if __name__ == "__main__":
    main()
