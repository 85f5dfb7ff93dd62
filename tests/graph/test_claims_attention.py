"""Which spellings of attention are claimed, and what is said of those that only look like it."""

from __future__ import annotations

import pytest
from attention_programs import CLAIMED, HEAD, NOT_CLAIMED

from tdsl.check.modules import check_source
from tdsl.graph.claims import KINDS, find_claims
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Claim, Graph, Remark
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution


def graph_of(text: str) -> Graph:
    result = check_source(Source("model.tdsl", HEAD + text), None)
    assert result.program is not None, result.diagnostics
    signature = result.program.root.functions["f"].signature
    parameters = Substitution(
        {s: Size.of(s) for p in signature.sizes for s in p.value.symbols()},
        dict.fromkeys(signature.packs, ()),
        dict.fromkeys(signature.dtypes, DTYPES["f32"]),
    )
    return elaborate(result.program, signature.function, parameters)


def claims_of(text: str, kind: str) -> tuple[list[Claim], list[Remark]]:
    claims, remarks = find_claims(graph_of(text))
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


OPERANDS = {
    "a scaled operand that others need": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4])
            -> (f32[2, 7, 4], f32[2, 7, 4]) {
            let scaled = q * 0.5
            (softmax(scaled @ transpose(k, [0, 2, 1])) @ v, scaled)
        }""",
        ["mul", "input", "input"],
    ),
    "a number over an operand": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> f32[2, 7, 4] {
            softmax((2.0 / q) @ transpose(k, [0, 2, 1])) @ v
        }""",
        ["div", "input", "input"],
    ),
    "a mask at a run-time position": (
        """pub fn f(q: f32[2, 3, 4], k: f32[2, 9, 4], v: f32[2, 9, 4], pos: i32) -> f32[2, 3, 4] {
            masked_attention(q, k, v, broadcast(causal[Q=3, N=9](pos), [2, 3, 9]))
        }""",
        ["input", "input", "input", "input"],
    ),
    "a mask of remainders": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> f32[2, 7, 4] {
            let seen = broadcast(iota(7)[newaxis, :] % 2 == 0, [7, 7])
            softmax(select(seen, q @ transpose(k, [0, 2, 1]), -inf)) @ v
        }""",
        ["input", "input", "mod", "input"],
    ),
    "a mask that is written out for these scores": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4], m: bool[7, 7])
            -> f32[2, 7, 4] {
            softmax(q @ transpose(k, [0, 2, 1]) + select(m, f32(0), -inf)) @ v
        }""",
        ["input", "input", "input", "input"],
    ),
    "a mask that others need": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4], m: bool[7, 7])
            -> (f32[2, 7, 4], f32[7, 7]) {
            let mask = select(m, f32(0), -inf)
            (softmax(q @ transpose(k, [0, 2, 1]) + mask) @ v, exp(mask))
        }""",
        ["input", "input", "select", "input"],
    ),
    "heads grouped by an open number": (
        """pub fn f[G](q: f32[3*G, 7, 4], k: f32[3, 7, 4], v: f32[3, 7, 4]) -> f32[3*G, 7, 4] {
            let all = reshape(broadcast(k[:, newaxis], [3, G, 7, 4]), [3*G, 7, 4])
            let values = reshape(broadcast(v[:, newaxis], [3, G, 7, 4]), [3*G, 7, 4])
            softmax(q @ transpose(all, [0, 2, 1])) @ values
        }""",
        ["input", "reshape", "reshape"],
    ),
}


@pytest.mark.parametrize("name", OPERANDS)
def test_what_is_computed_outside(name: str) -> None:
    text, operations = OPERANDS[name]
    (claim,), _ = claims_of(text, "attention")
    assert sorted(node.operation for node in claim.inputs) == sorted(operations)


def test_where_the_result_ends() -> None:
    """It may be transposed and grouped, but by whole rows, and not where it is needed as it is."""
    text = """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> %s {
        let mixed = softmax(q @ transpose(k, [0, 2, 1])) @ v
        %s
    }"""
    rows = "transpose(mixed, [1, 0, 2])"
    for result, type_, ends in [
        (rows, "f32[7, 2, 4]", "transpose"),
        (f"reshape({rows}, [7, 8])", "f32[7, 8]", "transpose"),
        ("transpose(mixed, [0, 2, 1])", "f32[2, 4, 7]", "batch_matmul"),
        (f"({rows}, mixed)", "(f32[7, 2, 4], f32[2, 7, 4])", "batch_matmul"),
        (f"({rows}, exp(mixed))", "(f32[7, 2, 4], f32[2, 7, 4])", "batch_matmul"),
    ]:
        (claim,), _ = claims_of(text % (type_, result), "attention")
        assert claim.root.operation == ends, result


@pytest.mark.parametrize("kind", KINDS)
def test_what_another_kind_took_is_left_alone(kind: str) -> None:
    text = {
        "attention": "pub fn f(q: f32[7, 4], k: f32[7, 4]) -> f32[7, 4] { softmax(q @ k.T) @ k }",
        "rows": "pub fn f(x: f32[7, 4]) -> f32[7] { sum(tanh(x), axis=1) }",
        "matmul": "pub fn f(x: f32[7, 4], y: f32[4, 5]) -> f32[7, 5] { tanh(x @ y) }",
        "take": "pub fn f(x: f32[7, 4], i: i32[3]) -> f32[3, 4] { tanh(take(x, i) + 1.0) }",
    }[kind]
    graph = graph_of(text)
    (claim,), _ = KINDS[kind](graph, frozenset())
    for taken in claim.inner:
        if taken.operation in ("constant", "iota", "broadcast_in_dim"):
            continue
        claims, _ = KINDS[kind](graph, frozenset({taken}))
        assert all(taken not in one.inner for one in claims), taken
