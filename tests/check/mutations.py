"""Mistakes in real programs: what was written instead, and the code of the message that must come.

`code` is None where no shape can see the mistake: the program is accepted, and
docs/what-shapes-cannot-see.md says what does see it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    kind: str
    program: str  # of tests/design/programs, or std/nn
    right: str  # the first such place is changed
    wrong: str
    code: str | None


_GPT2 = [
    # a field that is another, or none
    (
        "wrong field",
        "p.attn.c_attn.w, p.attn.c_attn.b",
        "p.attn.c_proj.w, p.attn.c_attn.b",
        "E0504",
    ),
    ("wrong field", "layer_norm(x, p.ln_1)", "layer_norm(x, p.ln1)", "E0807"),
    ("wrong field", "layer_norm(x, p.ln_1)", "layer_norm(x, p.attn)", "E0502"),
    (
        "wrong field",
        "mlp(layer_norm(y, p.ln_2), p.mlp)",
        "mlp(layer_norm(y, p.ln_2), p.mlp.c_fc)",
        "E0502",
    ),
    ("wrong field", "KV(k=update(", "KV(key=update(", "E0501"),
    (
        "wrong field",
        "p.attn.c_proj.w, p.attn.c_proj.b)\n    let y = x + a\n    y + mlp",
        "p.attn.w, p.attn.c_proj.b)\n    let y = x + a\n    y + mlp",
        "E0807",
    ),
    # arguments that change places
    ("swapped arguments", "block[H=H](x, b)", "block[H=H](b, x)", "E0502"),
    ("swapped arguments", "block_step(x, b, c, pos)", "block_step(x, c, b, pos)", "E0502"),
    ("swapped arguments", "zip(p.blocks, cache)", "zip(cache, p.blocks)", "E0502"),
    (
        "swapped arguments",
        "take(p.wte, ids, axis=0) + p.wpe[0:T]",
        "take(ids, p.wte, axis=0) + p.wpe[0:T]",
        "E0306",
    ),
    # heads and their size
    ("head order", "block[H=H](x, b)", "block[H=D](x, b)", None),
    (
        "head order",
        "struct KV[H, N, D] { k: f32[H, N, D], v",
        "struct KV[H, N, D] { k: f32[H, D, N], v",
        "E0401",
    ),
    (
        "head order",
        "reshape(qkv[:, i*C : (i+1)*C], [S, H, D])",
        "reshape(qkv[:, i*C : (i+1)*C], [S, D, H])",
        "E0401",
    ),
    (
        "head order",
        "reshape(qkv[:, i*C : (i+1)*C], [S, H, D]), [1, 0, 2])",
        "reshape(qkv[:, i*C : (i+1)*C], [H, S, D]), [0, 1, 2])",
        None,
    ),
    # a weight the other way round
    (
        "transposed weight",
        "@ transpose(p.wte, [1, 0])\n}\n\nfn block_step",
        "@ p.wte\n}\n\nfn block_step",
        "E0302",
    ),
    ("transposed weight", "c_attn: Linear[C, 3*C]", "c_attn: Linear[3*C, C]", "E0504"),
    ("transposed weight", "wpe: f32[N, C]", "wpe: f32[C, N]", "E0401"),
    (
        "transposed weight",
        "p.attn.c_proj.w, p.attn.c_proj.b)\n    let y = x + a\n    y + mlp",
        "p.attn.c_proj.w.T, p.attn.c_proj.b)\n    let y = x + a\n    y + mlp",
        None,
    ),
    # what a signature must say
    ("missing where", "where C == H * D, T <= N", "where C == H * D", "E0401"),
    ("missing where", "where C == H * D, T <= N", "where T <= N", "E0507"),
    (
        "missing where",
        "where C == H * D, S <= N\n{\n    let qkv",
        "where C == H * D\n{\n    let qkv",
        "E0401",
    ),
    # what a loop carries
    (
        "wrong fold state",
        "fold x = x0 for b in p.blocks { block[H=H](x, b) }",
        "fold x = ids for b in p.blocks { block[H=H](x, b) }",
        "E0502",
    ),
    (
        "wrong fold state",
        "{ block[H=H](x, b) }",
        "{ linear(x, b.mlp.c_fc.w, b.mlp.c_fc.b) }",
        "E0601",
    ),
    (
        "wrong fold state",
        "{ block_step(x, b, c, pos) }",
        "{ block_step(x, b, c, pos)[0] }",
        "E0601",
    ),
    (
        "wrong fold state",
        "{ block_step(x, b, c, pos) }",
        "{ (block_step(x, b, c, pos), c) }",
        "E0601",
    ),
    ("wrong fold state", "let (x, cache2) = scan", "let (cache2, x) = scan", "E0502"),
    ("wrong fold state", "{ block[H=H](x, b) }", "{ block[H=H](x0, b) }", "W0004"),
    # axes
    ("axis", "take(p.wte, ids, axis=0)", "take(p.wte, ids, axis=1)", "E0304"),
    ("axis", "at=[0, pos, 0]), v", "at=[pos, 0, 0]), v", None),
    ("axis", "at=[pos, 0]", "at=[pos]", "E0403"),
    ("slice bound", "p.wpe[0:T]", "p.wpe[0:N]", "E0304"),
    ("slice bound", "p.wpe[0:T]", "p.wpe[1:T]", "E0401"),
    ("slice bound", "size=[S, C]", "size=[S, N]", "E0401"),
    ("mask direction", "causal[Q=S, N=N](pos)", "causal[Q=N, N=S](pos)", "E0504"),
    ("mask direction", "causal[Q=S, N=N](pos)", "causal[Q=S, N=N](0)", None),
]

_ATTENTION = [
    ("mask direction", "iota(N)[newaxis, :] <= start", "iota(N)[newaxis, :] >= start", None),
    (
        "mask direction",
        "iota(N)[newaxis, :] <= start + iota(Q)[:, newaxis]",
        "iota(N)[:, newaxis] <= start + iota(Q)[newaxis, :]",
        "E0204",
    ),
    ("mask direction", "select(mask, x, -inf)", "select(x, mask, -inf)", "E0306"),
    ("keepdims", "max(x, axis=-1, keepdims=true)", "max(x, axis=-1)", "E0304"),
    ("keepdims", "sum(e, axis=-1, keepdims=true)\n}", "sum(e, axis=-1)\n}", "E0304"),
    ("axis", "sum(e, axis=-1, keepdims=true)\n}", "sum(e, axis=-2, keepdims=true)\n}", "E0403"),
    ("permutation", "transpose(k, [0, 2, 1])", "transpose(k, [2, 1, 0])", "E0302"),
    ("permutation", "reshape(transpose(out, [1, 0, 2]), [T, C])", "reshape(out, [T, C])", None),
    (
        "permutation",
        "reshape(transpose(out, [1, 0, 2]), [T, C])",
        "reshape(transpose(out, [1, 2, 0]), [T, C])",
        None,
    ),
    ("slice bound", "h*D : (h+1)*D], k", "h*D : (h+2)*D], k", "E0401"),
    ("slice bound", "qkv[:, i*C : (i+1)*C], [T", "qkv[:, i*D : (i+1)*D], [T", "E0405"),
    ("slice bound", "qkv[:, i*C : (i+1)*C], [T", "qkv[:, C : 2*C], [T", None),
    (
        "swapped arguments",
        "softmax(scores, causal[Q=T, N=T](0))",
        "softmax(causal[Q=T, N=T](0), scores)",
        "E0502",
    ),
    (
        "swapped arguments",
        "let scores = q @ transpose(k, [1, 0])",
        "let scores = k @ transpose(q, [1, 0])",
        None,
    ),
    ("axis", "for h in 0..H], axis=-1)", "for h in 0..H], axis=0)", "E0204"),
]

_NN = [
    (
        "keepdims",
        "mean(x, axis=-1, keepdims=true)\n    let variance",
        "mean(x, axis=-1)\n    let variance",
        "E0304",
    ),
    (
        "axis",
        "sum(exp(shifted), axis=-1, keepdims=true)",
        "sum(exp(shifted), axis=0, keepdims=true)",
        "E0403",
    ),
    ("missing where", "-> E[...S, T, D] where 2 divides D {", "-> E[...S, T, D] {", "E0413"),
    (
        "missing where",
        "-> E[T, C] where heads divides C {\n    let depth",
        "-> E[T, C] {\n    let depth",
        "E0413",
    ),
    ("slice bound", "x[..., D//2 : D]", "x[..., D//2 : D + 1]", "E0401"),
    ("permutation", "transpose(mixed, [1, 0, 2])", "transpose(mixed, [0, 1])", "E0404"),
    ("transposed weight", "x @ weight + bias\n}", "weight @ x + bias\n}", "E0301"),
    ("mask direction", "causal_mask(T, E)", "causal_mask(depth, E)", "E0304"),
    ("head order", "[T, heads, depth]), [1, 0, 2])", "[T, depth, heads]), [1, 0, 2])", None),
    ("wrong scale", "/ sqrt(depth) + causal", "/ sqrt(C) + causal", None),
    (
        "swapped arguments",
        "linear(hidden, down_weight, down_bias)",
        "linear(hidden, down_bias, down_weight)",
        "E0502",
    ),
    ("swapped arguments", "* gain + bias\n}", "* bias + gain\n}", None),
]

MUTATIONS = [
    Mutation(kind, program, right, wrong, code)
    for program, rows in (("gpt2", _GPT2), ("attention", _ATTENTION), ("std/nn", _NN))
    for kind, right, wrong, code in rows
]
