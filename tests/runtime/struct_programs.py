"""Programs with structs, and GPT-2 with its weights, for tests of the Python side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import tdsl

HERE = Path(__file__).resolve().parent.parent
GPT2 = HERE / "design" / "programs" / "gpt2.tdsl"
WEIGHTS = HERE / "data" / "gpt2_l2_h2_d32_t5.npz"

SMALL = """tdsl 0.1
## An affine map.
pub struct Linear[I, O] {
    w: f32[I, O]  ## stored [in, out]
    b: f32[O]
}
pub struct Net[C, L] { layers: [Linear[C, C]; L], head: Linear[C, 1], scale: f32 }
pub struct Pair[E: dtype(float), N] { a: E[N], lambda: E[N] }
pub struct Head[D] { w: f32[D] }
pub struct Layer[H, D] { heads: [Head[D]; H], bias: f32[D] }
pub struct Deep[M, L, N] { rows: [[f32[N]; M]; L], pairs: [(f32[N], f32); L] }

pub fn linear[M, I, O](x: f32[M, I], p: Linear[I, O]) -> f32[M, O] { x @ p.w + p.b }
pub fn net[M, C, L](x: f32[M, C], p: Net[C, L]) -> f32[M, 1] {
    let y = fold y = x for l in p.layers { linear(y, l) }
    linear(y, p.head) * p.scale
}
pub fn twice[I, O](p: Linear[I, O]) -> Linear[I, O] { Linear(w=p.w * 2.0, b=p.b * 2.0) }
pub fn swap[E: dtype(float), N](p: Pair[E, N]) -> Pair[E, N] {
    Pair(a=p.lambda + 0, lambda=p.a + 0)
}
pub fn total[M, L, N](d: Deep[M, L, N]) -> f32[N] {
    let r = fold z = zeros([N], f32) for row in d.rows { fold y = z for x in row { y + x } }
    fold z = r for (v, s) in d.pairs { z + v * s }
}
pub fn sums[N, L](xs: [f32[N]; L]) -> [f32[N]; L] {
    let (_, ys) = scan z = zeros([N], f32) for x in xs { (z + x, z + x) }
    ys
}
pub fn doubled[L, H, D](ls: [Layer[H, D]; L]) -> [Layer[H, D]; L] {
    let (_, out) = scan z = f32(0) for l in ls { (z, Layer(heads=l.heads, bias=l.bias * 2.0)) }
    out
}
pub fn mean_of[L](xs: [f32; L]) -> f32 { (fold s = f32(0) for x in xs { s + x }) / L }
pub fn moved[N](p: Head[N], by: f32 = 1.5, k: i32 = 2) -> f32[N] { p.w * by + f32(k) }
pub fn several[N](x: f32[N]) -> (Head[N], (f32, [f32[N]; 2])) {
    (Head(w=x + 1), (sum(x), [x * 2, x * 3]))
}
"""


def arrays(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def nested_weights() -> dict[str, Any]:
    """GPT-2's weights as nested dicts and lists, named as gpt2.tdsl names them."""
    with np.load(WEIGHTS) as file:
        raw = {key: file[key] for key in file.files if key.startswith("w/")}

    def norm(name: str) -> dict[str, Any]:
        return {"g": raw[f"{name}.weight"], "b": raw[f"{name}.bias"]}

    def linear(name: str) -> dict[str, Any]:
        return {"w": raw[f"{name}.weight"], "b": raw[f"{name}.bias"]}

    def block(number: int) -> dict[str, Any]:
        name = f"w/transformer.h.{number}"
        return {
            "ln_1": norm(f"{name}.ln_1"),
            "attn": {part: linear(f"{name}.attn.{part}") for part in ("c_attn", "c_proj")},
            "ln_2": norm(f"{name}.ln_2"),
            "mlp": {part: linear(f"{name}.mlp.{part}") for part in ("c_fc", "c_proj")},
        }

    return {
        "wte": raw["w/transformer.wte.weight"],
        "wpe": raw["w/transformer.wpe.weight"],
        "blocks": [block(0), block(1)],
        "ln_f": norm("w/transformer.ln_f"),
    }


def flat(value: Any, before: str = "") -> dict[str, Any]:
    """Nested dicts and lists under dotted names."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: dict[str, Any] = {}
    for key, part in items:
        if isinstance(part, dict | list):
            found.update(flat(part, f"{before}{key}."))
        else:
            found[f"{before}{key}"] = part
    return found


def instance(m: tdsl.Module, kind: str, value: dict[str, Any]) -> Any:
    """Nested dicts as instances of the module's classes; lists stay lists."""
    kinds = {
        "ln_1": "LayerNorm",
        "ln_2": "LayerNorm",
        "ln_f": "LayerNorm",
        "attn": "Attn",
        "mlp": "Mlp",
        "blocks": "Block",
        "c_attn": "Linear",
        "c_proj": "Linear",
        "c_fc": "Linear",
    }
    made = {}
    for name, part in value.items():
        if isinstance(part, dict):
            part = instance(m, kinds[name], part)
        elif isinstance(part, list):
            part = [instance(m, kinds[name], item) for item in part]
        made[name] = part
    return getattr(m, kind)(**made)


def ids_and_logits() -> tuple[Any, Any]:
    with np.load(WEIGHTS) as file:
        return file["in/input_ids"][0].astype(np.int32), file["f32/logits"][0]
