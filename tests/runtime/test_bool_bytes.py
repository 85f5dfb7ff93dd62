"""Bytes of a bool array that are neither 0 nor 1 are true, as in NumPy, wherever one is read.

NumPy makes such arrays by viewing other memory: `np.frombuffer(b"\\2\\xff", np.bool_)`. A program that
took the lowest bit alone would read 2 as false and 255 as true.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_positions_agree import by_evaluator

import tdsl
from tdsl.check.modules import check_source
from tdsl.syntax.source import Source

Array = np.ndarray[Any, Any]

# The result's type and an expression over m, o: bool[N], k: bool[4, N], b: bool, x: f32[N], i: i64[N].
EXPRESSIONS = {
    "select": ("f32[67]", "select(m, x, 0.0)"),
    "select by a rank-0 bool": ("f32[67]", "select(b, x, 0.0)"),
    "select of bools": ("bool[67]", "select(o, m, o)"),
    "select by columns": ("f32[4, 67]", "select(k[:, 0:1], 1.0, x[newaxis, :])"),
    "not": ("bool[67]", "not m"),
    "and": ("bool[67]", "m and o"),
    "or": ("bool[67]", "m or o"),
    "to f32": ("f32[67]", "f32(m)"),
    "to f16": ("f16[67]", "f16(m)"),
    "to f64": ("f64[67]", "f64(m)"),
    "to i8": ("i8[67]", "i8(m)"),
    "to i64": ("i64[67]", "i64(m)"),
    "to u32": ("u32[67]", "u32(m)"),
    "to f32 of a rank-0 bool": ("f32", "f32(b)"),
    "equal": ("bool[67]", "m == o"),
    "not equal": ("bool[67]", "m != o"),
    "less": ("bool[67]", "m < o"),
    "less or equal": ("bool[67]", "m <= o"),
    "greater": ("bool[67]", "m > o"),
    "greater or equal": ("bool[67]", "m >= o"),
    "equal to a literal": ("bool[67]", "m == true"),
    "any": ("bool[4]", "any(k, axis=1)"),
    "all": ("bool[4]", "all(k, axis=1)"),
    "any of all": ("bool", "any(k)"),
    "all of all": ("bool", "all(m)"),
    "any over the first axis": ("bool[67]", "any(k, axis=0)"),
    "sum": ("i64[4]", "sum(k, axis=1)"),
    "mean": ("f64[67]", "mean(k, axis=0)"),
    "cumsum": ("i64[4, 67]", "cumsum(k, axis=1)"),
    "max": ("bool[4]", "max(k, axis=1)"),
    "min": ("bool[4]", "min(k, axis=1)"),
    "argmax": ("i64[4]", "argmax(k, axis=1)"),
    "argmin": ("i64[4]", "argmin(k, axis=1)"),
    "minimum": ("bool[67]", "minimum(m, o)"),
    "maximum": ("bool[67]", "maximum(m, o)"),
    "transposed": ("f32[67, 4]", "f32(transpose(k, [1, 0]))"),
    "reshaped": ("f32[2, 2, 67]", "f32(reshape(k, [2, 2, 67]))"),
    "sliced": ("f32[2, 64]", "f32(k[1:3, 3:])"),
    "flipped": ("f32[4, 67]", "f32(flip(k, axis=1))"),
    "joined": ("f32[201]", "f32(concat([m, o, not m], axis=0))"),
    "stacked": ("f32[2, 67]", "f32(stack([m, o], axis=0))"),
    "padded": ("f32[69]", "f32(pad(m, [[1, 1]], b))"),
    "broadcast": ("f32[3, 67]", "f32(broadcast(m, [3, 67]))"),
    "taken": ("f32[67, 67]", "f32(take(k, i % 4, axis=0))"),
    "sliced at run time": ("f32[9]", "f32(slice(m, [i[0] % 4], [9]))"),
    "updated": ("f32[67]", "f32(update(m, o[0:5], [i[0] % 4]))"),
    "folded": ("bool[67]", "fold s = full([67], false, bool) for j in 0..4 { s != k[j] }"),
    "a state": ("bool[67]", "fold s = m for j in 0..4 { s and not (k[j] and s) }"),
    "a row kernel": ("f32[4, 67]", "softmax(select(k, x, -1.0))"),
    "a masked row": ("f32[4, 67]", "masked_softmax(broadcast(x, [4, 67]), k)"),
    "a normed row": ("f32[4, 67]", "layer_norm(select(k, x, -1.0), x, x)"),
    "as it is": ("bool[67]", "m"),
    "a product": ("f32[4]", "f32(k) @ x"),
}
HEAD = "tdsl 0.1\nfrom std.nn import softmax, masked_softmax, layer_norm, masked_attention\n"
ARGUMENTS = "m: bool[67], o: bool[67], k: bool[4, 67], b: bool, x: f32[67], i: i64[67]"


def odd(*shape: int, seed: int) -> Array:
    """Bytes 0, 1, 2, 254 and 255; about half of them 0."""
    random = np.random.default_rng(seed)
    data = random.choice(np.array([0, 0, 0, 0, 1, 2, 254, 255], np.uint8), shape).tobytes()
    return np.frombuffer(data, np.bool_).reshape(shape)


def arguments() -> dict[str, Array]:
    random = np.random.default_rng(5)
    return {
        "m": odd(67, seed=1),
        "o": odd(67, seed=2),
        "k": odd(4, 67, seed=3),
        "b": np.frombuffer(b"\x02", np.bool_).reshape(()),
        "x": random.standard_normal(67).astype(np.float32),
        "i": random.integers(0, 50, 67),
    }


def proper(value: Array) -> Array:
    """The same truths in bytes 0 and 1."""
    return value.view(np.uint8) != 0 if value.dtype == np.bool_ else value


def agree(found: Any, wanted: Any, what: str) -> None:
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.dtype == wanted.dtype, what
    np.testing.assert_allclose(
        proper(found).astype(np.float64), proper(wanted).astype(np.float64),
        rtol=2e-6, atol=1e-6, err_msg=what,
    )  # fmt: skip


def _text() -> str:
    types = ", ".join(type_ for type_, _ in EXPRESSIONS.values())
    values = ",\n        ".join(expression for _, expression in EXPRESSIONS.values())
    return f"{HEAD}pub fn f({ARGUMENTS}) -> ({types}) {{\n    (\n        {values},\n    )\n}}\n"


@pytest.mark.parametrize("kernels", ["all", "none"])
def test_natively_and_in_the_evaluator(kernels: str) -> None:
    program = check_source(Source("bools.tdsl", _text()), None).program
    module = tdsl.loads(_text(), name="bools.tdsl", kernels=kernels)
    given = list(arguments().values())
    kept = [one.tobytes() for one in given]
    found = module.f(*given)
    _, evaluated = by_evaluator(program, "f", given)
    _, wanted = by_evaluator(program, "f", [proper(one) for one in given])
    for place, what in enumerate(EXPRESSIONS):
        agree(evaluated[place], wanted[place], f"{what}, by the evaluator")
        agree(found[place], wanted[place], f"{what}, natively")
    assert [one.tobytes() for one in given] == kept


MASKED = """tdsl 0.1
from std.nn import masked_attention, masked_softmax
pub fn attended(q: E[2, 9, 16], k: E[2, 70, 16], v: E[2, 70, 16], m: bool[2, 9, 70]) -> E[2, 9, 16] {
    masked_attention(q, k, v, m)
}
pub fn shared(q: E[2, 9, 16], k: E[2, 70, 16], v: E[2, 70, 16], m: bool[9, 70]) -> E[2, 9, 16] {
    masked_attention(q, k, v, broadcast(m, [2, 9, 70]))
}
pub fn padded(q: E[2, 9, 16], k: E[2, 70, 16], v: E[2, 70, 16], m: bool[70]) -> E[2, 9, 16] {
    let scores = select(not m, -inf, q @ transpose(k, [0, 2, 1]))
    let e = exp(scores - max(scores, axis=-1, keepdims=true))
    (e / sum(e, axis=-1, keepdims=true)) @ v
}
pub fn rows(x: E[9, 70], m: bool[9, 70]) -> E[9, 70] { masked_softmax(x, m) }
"""


@pytest.mark.parametrize("kernels", ["all", "none"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "f64"])
@pytest.mark.parametrize("name", ["attended", "shared", "padded", "rows"])
def test_masks_of_claimed_kernels(name: str, dtype: str, kernels: str) -> None:
    random = np.random.default_rng(7)
    numbers = {"f32": np.float32, "f16": np.float16, "f64": np.float64}[dtype]
    shapes = [(9, 70)] if name == "rows" else [(2, 9, 16), (2, 70, 16), (2, 70, 16)]
    arrays = [random.standard_normal(shape).astype(numbers) for shape in shapes]
    shape = {"attended": (2, 9, 70), "padded": (70,)}.get(name, (9, 70))
    mask = odd(*shape, seed=8)
    text = MASKED.replace("E[", f"{dtype}[")
    module = tdsl.loads(text, name="masks.tdsl", kernels=kernels)
    function = getattr(module, name)
    if kernels == "all" and (name == "rows" or dtype != "f16"):
        kind = "rows" if name == "rows" else "attention"
        placed = function.mlir("bufferized")
        assert f'tdsl.claim = "{kind}", tdsl.kernel = "native"' in placed
    found = function(*arrays, mask)
    np.testing.assert_array_equal(found, function(*arrays, proper(mask)))
    program = check_source(Source("masks.tdsl", text), None).program
    _, wanted = by_evaluator(program, name, [*arrays, mask])
    tolerance = 5e-3 if dtype == "f16" else 3e-6
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
