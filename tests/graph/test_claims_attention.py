"""Which spellings of attention are claimed, and what is said of those that only look like it."""

from __future__ import annotations

import pytest
from attention_programs import CLAIMED, HEAD, NOT_CLAIMED

from tdsl.check.modules import check_source
from tdsl.graph.claims import find_claims
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Claim, Remark
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution


def claims_of(text: str, kind: str) -> tuple[list[Claim], list[Remark]]:
    result = check_source(Source("model.tdsl", HEAD + text), None)
    assert result.program is not None, result.diagnostics
    signature = result.program.root.functions["f"].signature
    parameters = Substitution(
        {s: Size.of(s) for p in signature.sizes for s in p.value.symbols()},
        dict.fromkeys(signature.packs, ()),
        dict.fromkeys(signature.dtypes, DTYPES["f32"]),
    )
    claims, remarks = find_claims(elaborate(result.program, signature.function, parameters))
    return [one for one in claims if one.kind == kind], [one for one in remarks if one.kind == kind]


@pytest.mark.parametrize("name", CLAIMED)
def test_claimed(name: str) -> None:
    (claim,), remarks = claims_of(CLAIMED[name], "attention")
    assert [remark.claimed for remark in remarks] == [True]
    assert all(node not in claim.inner for node in claim.inputs)
    products = [node for node in claim.inner if node.operation in ("matmul", "batch_matmul")]
    assert len(products) == 2


@pytest.mark.parametrize("name", NOT_CLAIMED)
def test_not_claimed(name: str) -> None:
    text, reason = NOT_CLAIMED[name]
    claims, remarks = claims_of(text, "attention")
    assert claims == []
    assert [(remark.claimed, remark.reason) for remark in remarks] == [(False, reason)]


def test_products_without_softmax_are_no_near_misses() -> None:
    text = "pub fn f(x: f32[3, 4], y: f32[4, 5], z: f32[5, 6]) -> f32[3, 6] { tanh(x @ y) @ z }"
    assert claims_of(text, "attention") == ([], [])


def test_open_sizes() -> None:
    text = """pub fn f[H, T, N](q: f32[H, T, 4], k: f32[H, N, 4], v: f32[H, N, 4]) -> f32[H, T, 4] {
        softmax(q @ transpose(k, [0, 2, 1])) @ v
    }"""
    (claim,), _ = claims_of(text, "attention")
    assert len(claim.inputs) == 3
