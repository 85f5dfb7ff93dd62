"""Chains over rows through every stage: with kernels for each kind of processor the results are the
evaluator's, with fixed sizes and with open ones."""

from __future__ import annotations

import numpy as np
import pytest
from emission_support import run
from program_support import Instance
from rows_programs import HEAD, WHOLE

from tdsl.lowering.options import Options

OPEN = {"M": 7, "N": 70, "T": 5, "C": 33}


@pytest.mark.parametrize("isa", ["host", "avx2", "portable"])
@pytest.mark.parametrize("name", WHOLE)
def test_as_evaluated(name: str, isa: str) -> None:
    made = Instance.of_text(HEAD.removeprefix("tdsl 0.1\n") + WHOLE[name])
    tolerance = 2e-2 if name == "bf16" else 2e-6
    made.compare(OPEN, Options(isa=isa), tolerance=tolerance)


ROWS_AND_MORE = {
    "a mean that others read": """pub fn f[M, N](x: f32[M, N]) -> (f32[M], f32[M]) {
        let m = mean(x, axis=-1)
        let d = x - m[:, newaxis]
        (m, mean(d * d, axis=-1))
    }""",
    "chains behind chains": "pub fn f(x: f32[3, 50]) -> f32[3, 50] { softmax(softmax(x)) }",
    "along the rows": "pub fn f(x: f32[5, 5]) -> f32[5, 5] { x / sum(x, axis=1)[newaxis, :] }",
    "turned": """pub fn f(x: f32[5, 5]) -> f32[5, 5] {
        x - transpose(sum(x, axis=1, keepdims=true), [1, 0])
    }""",
    "behind a product": "pub fn f(x: f32[3, 4], w: f32[4, 35]) -> f32[3, 35] { softmax(x @ w) }",
    "with labels": "pub fn f(x: f32[6, 40], l: i32[6]) -> f32 { cross_entropy(x, l) }",
    "the same in each place": """pub fn f() -> f32[3] {
        masked_softmax(f32(iota(3)), full([3], false, bool))
    }""",
    "in a loop": """pub fn f(x: f32[6, 40]) -> f32[6, 40] {
        fold y = x for i in 0..3 { softmax(y) * 3.0 }
    }""",
    "of a column": """pub fn f(x: f32[6, 40]) -> f32[40, 6] {
        softmax(transpose(x, [1, 0]))
    }""",
}


@pytest.mark.parametrize("name", ROWS_AND_MORE)
def test_next_to_other_work(name: str) -> None:
    made = Instance.of_text(HEAD.removeprefix("tdsl 0.1\n") + ROWS_AND_MORE[name])
    assert any(claim.kind == "rows" for claim in made.claims)
    made.compare(OPEN, tolerance=2e-6)


def test_equal_chains_are_one_function() -> None:
    """Whatever the order in which their operands come into the program."""
    made = Instance.of_text(
        HEAD.removeprefix("tdsl 0.1\n")
        + """pub fn f[M, N](x: f32[M, N], g: f32[N], b: f32[N], h: f32[N], c: f32[N]) -> f32[M, N] {
    layer_norm(layer_norm(x, g, b) @ (x.T @ x), h, c)
}"""
    )
    assert made.text.count('tdsl.claim = "rows"') == 1


@pytest.mark.parametrize(("dtype", "least"), [("f32", -87.2), ("f64", -708.2)])
def test_the_least_share_is_a_normal_number(dtype: str, least: float) -> None:
    """Only what would be subnormal is 0."""
    text = f"pub fn f(x: {dtype}[1, 40]) -> {dtype}[1, 40] {{ softmax(x) }}"
    made = Instance.of_text(HEAD.removeprefix("tdsl 0.1\n") + text)
    x = np.full((1, 40), 2 * least, np.float32 if dtype == "f32" else np.float64)
    x[0, 3], x[0, 5:9] = 0, [least, least + 1, least / 2, -1]
    (found,) = run(made.graph, [x], made.claims, text=made.text)
    wide = np.exp(x.astype(np.longdouble))
    wanted = np.where(x < least - 1, 0, wide / wide.sum())
    np.testing.assert_allclose(found, wanted.astype(x.dtype), rtol=1e-6, atol=0)
