"""Functions of attention as text, their operands, and what they mean in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from claim_programs import Axis, Making, softmax

from tdsl.graph.graph import Node
from tdsl.types.dtypes import DTYPES

Array = np.ndarray[Any, Any]
I64 = DTYPES["i64"]
HIDDEN = -1e10


def attention_text(
    heads: int,
    queries: Axis,
    keys: Axis,
    depth: int,
    width: int,
    *,
    mask: str = "causal",
    dtype: str = "f32",
    merged: bool = False,
    hidden_by: float = HIDDEN,
    keys_turned: bool = False,
) -> str:
    """`mask`: none, causal (as causal_mask), infinite (added), chosen (by select), array (added),
    flags (a bool array). Merged: operands and result are [rows, heads, columns]. Keys turned: they
    lie [heads, depth, keys]."""
    m = Making(dtype)
    shapes = ((queries, depth), (keys, depth), (keys, width))
    if merged:
        given = [m.argument(rows, heads, columns) for rows, columns in shapes]
        q, k, v = (m.transpose(x, (1, 0, 2)) for x in given)
    else:
        q, k, v = (m.argument(heads, rows, columns) for rows, columns in shapes)
    turned = m.argument(heads, depth, keys) if keys_turned else m.transpose(k, (0, 2, 1))
    scores = m.elementwise("div", m.matmul(q, turned), m.number(depth**0.5))
    shape = scores.type.shape[-2:]
    hidden = m.elementwise("greater", m.iota(shape, 1, I64), m.iota(shape, 0, I64))
    if mask in ("causal", "infinite"):
        number = m.number(hidden_by if mask == "causal" else -np.inf)
        scores = m.elementwise("add", scores, m.select(hidden, number, m.number(0.0)))
    elif mask == "chosen":
        scores = m.select(hidden, m.number(-np.inf), scores)
    elif mask == "array":
        scores = m.elementwise("add", scores, m.argument(queries, keys))
    elif mask == "flags":
        flags = m.argument(heads, queries, keys, dtype="bool")
        scores = m.select(flags, scores, m.number(-np.inf))
    result: Node = m.matmul(m.softmax(scores), v)
    if merged:
        result = m.transpose(result, (1, 0, 2))
    return m.text(result)


def expected(q: Array, k: Array, v: Array, mask: Array | None = None) -> Array:
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    with np.errstate(all="ignore"):
        scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
        return softmax(scores) @ v


def causal(queries: int, keys: int, hidden: float = HIDDEN) -> Array:
    seen = np.arange(keys)[None, :] <= np.arange(queries)[:, None]
    return np.where(seen, 0.0, hidden)


def operands(
    heads: int, queries: int, keys: int, depth: int, width: int, seed: int = 0
) -> list[Any]:
    random = np.random.default_rng(seed)
    shapes = ((heads, queries, depth), (heads, keys, depth), (heads, keys, width))
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]
