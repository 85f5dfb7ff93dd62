"""A newcomer's two-layer encoder with a padding mask: it is right, and mistakes in it lead to their mends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.check.helps import apply_edits
from tdsl.check.modules import check_source
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.syntax.source import Source

Array = np.ndarray

PROGRAM = """\
## A small transformer encoder with a padding mask.
tdsl 0.1

from std.nn import layer_norm, linear, gelu, masked_attention

## An affine map.
pub struct Linear[I, O] {
    w: f32[I, O]  ## stored [in, out]
    b: f32[O]
}

pub struct Norm[C] { gain: f32[C], bias: f32[C] }

pub struct Layer[C, F] {
    norm1: Norm[C]
    qkv: Linear[C, 3*C]
    out: Linear[C, C]
    norm2: Norm[C]
    up: Linear[C, F]
    down: Linear[F, C]
}

pub struct Encoder[V, P, C, F, L] {
    words: f32[V, C]
    positions: f32[P, C]
    layers: [Layer[C, F]; L]
    final: Norm[C]
}

fn cut[B, T, C, static H](x: f32[B, T, C]) -> f32[B*H, T, C//H] where H divides C {
    reshape(transpose(reshape(x, [B, T, H, C//H]), [0, 2, 1, 3]), [B*H, T, C//H])
}

fn merge[B, T, D, static heads](x: f32[B*heads, T, D]) -> f32[B, T, heads*D] {
    reshape(transpose(reshape(x, [B, heads, T, D]), [0, 2, 1, 3]), [B, T, heads*D])
}

fn layer[B, T, C, F, static H](
    x: f32[B, T, C], mask: bool[B*H, T, T], p: Layer[C, F]
) -> f32[B, T, C] where H divides C {
    let n = layer_norm(x, p.norm1.gain, p.norm1.bias)
    let qkv = linear(n, p.qkv.w, p.qkv.b)
    let [q, k, v] = [cut[H=H](qkv[..., i*C : (i+1)*C]) for i in 0..3]
    let a = merge[heads=H](masked_attention(q, k, v, mask))
    let y = x + linear(a, p.out.w, p.out.b)
    let m = layer_norm(y, p.norm2.gain, p.norm2.bias)
    y + linear(gelu(linear(m, p.up.w, p.up.b)), p.down.w, p.down.b)
}

pub fn encode[B, T, V, P, C, F, L, static heads](
    ids: i32[B, T], lengths: i32[B], p: Encoder[V, P, C, F, L]
) -> f32[B, T, C] where T <= P, heads divides C {
    let seen = iota(T)[newaxis, :] < lengths[:, newaxis]
    let mask = reshape(broadcast(seen[:, newaxis, newaxis, :], [B, heads, T, T]), [B*heads, T, T])
    let x = take(p.words, ids) + p.positions[0:T]
    let y = fold h = x for l in p.layers { layer[H=heads](h, mask, l) }
    layer_norm(y, p.final.gain, p.final.bias)
}

test "split and merge undo each other" {
    let x = f32(reshape(iota(2 * 3 * 8), [2, 3, 8]))
    assert allclose(merge[heads=4](cut[H=4](x)), x)
}

example encode[B=2, T=5, V=11, P=8, C=12, F=48, L=2, heads=3] -> f32[2, 5, 12]
"""

# What is written instead, and the beginning of the advice; True where its edit mends the program.
MISTAKES: dict[str, tuple[str, str, str, bool]] = {
    "wrong axis": (
        "layer_norm(x, p.norm1.gain, p.norm1.bias)",
        "(x - mean(x, axis=1)) * p.norm1.gain",
        "keep the axis that is reduced",
        True,
    ),
    "forgotten keepdims": (
        "layer_norm(x, p.norm1.gain, p.norm1.bias)",
        "(x - mean(x, axis=-1)) * p.norm1.gain",
        "keep the axis that is reduced",
        True,
    ),
    "weights stored [out, in]": (
        "w: f32[I, O]",
        "w: f32[O, I]",
        "it fits transposed: `p.qkv.w.T`",
        False,
    ),
    "transposed in vain": (
        "linear(n, p.qkv.w, p.qkv.b)",
        "n @ p.qkv.w.T + p.qkv.b",
        "the right side has C as its other axis; leave out its `.T`",
        True,
    ),
    "missing where": (
        "-> f32[B*H, T, C//H] where H divides C",
        "-> f32[B*H, T, C//H]",
        "add `where H divides C`",
        True,
    ),
    "missing bound": (" where T <= P, heads", " where heads", "add `where T <= P`", True),
    "list declared as one": (
        "layers: [Layer[C, F]; L]",
        "layers: Layer[C, F]",
        "L of them are a list of the type `[Layer[C, F]; L]`",
        False,
    ),
    "mask of numbers": (
        "broadcast(seen[:",
        "broadcast(f32(seen)[:",
        "cast it: `bool(mask)`",
        True,
    ),
    "mask without its axes": (
        "broadcast(seen[:, newaxis, newaxis, :]",
        "broadcast(seen",
        "if its axes are 0, 3 of the result, index it by `[:, newaxis, newaxis, :]`",
        True,
    ),
    "array as index": ("take(p.words, ids)", "p.words[ids]", "`take(p.words, ids, axis=0)`", True),
    "shape": ("[B*H, T, C//H])\n", "[x.shape[0]*H, T, C//H])\n", "name the size in", False),
    "np.where": (
        "let x = take",
        "let z = np.where(seen, 1.0, 0.0)\n    let x = take",
        "write `select(condition, a, b)`",
        True,
    ),
    "f-string": ('"split and', 'f"split and', "leave out the `f`", True),
    "loop as a statement": (
        "fold h = x for l in p.layers { layer[H=heads](h, mask, l) }",
        "x\n    for l in p.layers { y = layer[H=heads](y, mask, l) }",
        "write `fold state = start for",
        False,
    ),
    "state with more in it": (
        "{ layer[H=heads](h, mask, l) }",
        "{ (layer[H=heads](h, mask, l), l) }",
        "a `fold` gives the next state alone",
        False,
    ),
    "bound known at run time": (
        "p.positions[0:T]",
        "p.positions[0:lengths[0]]",
        "`slice(x, at=[…], size=[…])` cuts a window out at run time",
        False,
    ),
    "static in order": (
        "cut[H=H](qkv[..., i*C : (i+1)*C])",
        "cut(H, qkv[..., i*C : (i+1)*C])",
        "statics are passed by name, in brackets: `cut[H=H](…)`",
        False,
    ),
    "conditional expression": (
        "gelu(linear(m, p.up.w, p.up.b))",
        "m if H > 1 else x",
        "write `if condition { a } else { b }`",
        False,
    ),
}


def check(text: str) -> list[Any]:
    try:
        found = check_source(Source("encoder.tdsl", text), None).diagnostics
    except DiagnosticError as error:
        found = error.diagnostics
    return [one for one in found if one.severity == "error"]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_the_way_out(name: str) -> None:
    right, wrong, advice, mends = MISTAKES[name]
    assert right in PROGRAM
    errors = check(PROGRAM.replace(right, wrong))
    helps = [(one, help_) for one in errors for help_ in one.helps if advice in help_.text]
    assert helps, [help_.text for one in errors for help_ in one.helps]
    error, help_ = helps[0]
    assert bool(help_.edits) == mends
    if mends:
        changed = apply_edits(error.span.source, help_.edits).text
        codes = [one.code for one in check(changed)]
        assert error.code not in codes, changed


def normalised(x: Array, p: dict[str, Array]) -> Array:
    x = x - x.mean(-1, keepdims=True)
    y: Array = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * p["gain"] + p["bias"]
    return y


def forward(ids: Array, lengths: Array, p: dict[str, Any], heads: int) -> Array:
    """In float64, with softmax over what is seen."""
    batch, count = ids.shape
    x = p["words"][ids].astype(np.float64) + p["positions"][:count]
    seen = (np.arange(count) < lengths[:, None])[:, None, None, :]
    for layer in p["layers"]:
        qkv = normalised(x, layer["norm1"]) @ layer["qkv"]["w"] + layer["qkv"]["b"]
        q, k, v = (
            part.reshape(batch, count, heads, -1).transpose(0, 2, 1, 3)
            for part in np.split(qkv, 3, -1)
        )
        scores = np.where(seen, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        merged = (shares @ v).transpose(0, 2, 1, 3).reshape(batch, count, -1)
        x = x + merged @ layer["out"]["w"] + layer["out"]["b"]
        h = normalised(x, layer["norm2"]) @ layer["up"]["w"] + layer["up"]["b"]
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
        x = x + h @ layer["down"]["w"] + layer["down"]["b"]
    return normalised(x, p["final"])


def parameters(words: int, positions: int, width: int, inner: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)

    def array(*shape: int) -> Array:
        return (0.3 * rng.standard_normal(shape)).astype(np.float32)

    def linear(inputs: int, outputs: int) -> dict[str, Array]:
        return {"w": array(inputs, outputs), "b": array(outputs)}

    def norm() -> dict[str, Array]:
        return {"gain": 1 + array(width), "bias": array(width)}

    def layer() -> dict[str, Any]:
        return {
            "norm1": norm(),
            "qkv": linear(width, 3 * width),
            "out": linear(width, width),
            "norm2": norm(),
            "up": linear(width, inner),
            "down": linear(inner, width),
        }

    return {
        "words": array(words, width),
        "positions": array(positions, width),
        "layers": [layer(), layer()],
        "final": norm(),
    }


def test_the_encoder_is_that_of_numpy_with_dicts_and_bound() -> None:
    assert not check(PROGRAM)
    m = tdsl.loads(PROGRAM, name="encoder")
    p = parameters(11, 8, 12, 48)
    ids = np.random.default_rng(1).integers(0, 11, (2, 5)).astype(np.int32)
    lengths = np.array([5, 3], np.int32)
    wanted = forward(ids, lengths, p, 3)
    np.testing.assert_allclose(m.encode(ids, lengths, p, heads=3), wanted, atol=5e-6)
    bound = m.Encoder.bind(p)
    result = m.encode(ids, lengths, bound, heads=3)
    np.testing.assert_allclose(result, wanted, atol=5e-6)
    # What is beyond a sentence's length changes nothing of it.
    other = ids.copy()
    other[1, 3:] = (other[1, 3:] + 1) % 11
    again = m.encode(other, lengths, bound, heads=3)
    np.testing.assert_array_equal(again[1, :3], result[1, :3])
