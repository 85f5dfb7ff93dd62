"""Which chains over rows are claimed, where they begin and end, and what is said of the others."""

from __future__ import annotations

import pytest
from rows_programs import HEAD, WHOLE

from tdsl.check.modules import check_source
from tdsl.graph.claims import rows
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


def found(text: str) -> tuple[list[Claim], list[Remark]]:
    claims, remarks = rows.find(graph_of(text))
    return list(claims), list(remarks)


def names(claim: Claim) -> list[str]:
    return [str(node.attributes.get("name", node.operation)) for node in claim.inputs]


@pytest.mark.parametrize("name", WHOLE)
def test_the_whole_function_is_one_chain(name: str) -> None:
    text = WHOLE[name]
    graph = graph_of(text)
    (claim,), remarks = found(text)
    assert claim.root.operation == graph.results[0].operation
    assert all(node.operation == "input" for node in claim.inputs)
    assert [remark.claimed for remark in remarks] == [True]


def test_what_others_need_is_read_and_not_computed_again() -> None:
    text = """pub fn f(x: f32[3, 5], g: f32[5], b: f32[5]) -> (f32[3, 5], f32[3, 5]) {
        let y = tanh(x)
        (layer_norm(y, g, b), y)
    }"""
    (claim,), _ = found(text)
    assert set(names(claim)) == {"g", "b", "tanh"}
    assert all(node.operation != "tanh" for node in claim.inner)


def test_mean_and_variance_together_are_two_claims() -> None:
    text = """pub fn f[M, N](x: f32[M, N]) -> (f32[M], f32[M]) {
        let m = mean(x, axis=-1)
        let d = x - m[:, newaxis]
        (m, mean(d * d, axis=-1))
    }"""
    claims, _ = found(text)
    assert len(claims) == 2
    first, second = claims
    assert first.root in second.inputs


def test_rows_of_products_read_the_product() -> None:
    text = "pub fn f(x: f32[3, 4], w: f32[4, 5]) -> f32[3, 5] { softmax(x @ w) }"
    (claim,), _ = found(text)
    assert [node.operation for node in claim.inputs] == ["matmul"]


def test_chains_that_follow_each_other_are_one() -> None:
    text = "pub fn f(x: f32[3, 5]) -> f32[3, 5] { softmax(softmax(x)) }"
    claims, _ = found(text)
    assert len(claims) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "pub fn f(x: f32[3, 5]) -> f32[5] { sum(x, axis=0) }",
            "sum of f32[3, 5]: it is over axis 0, not over the last axis alone",
        ),
        (
            "pub fn f(x: f32[3, 5]) -> f32 { max(x) }",
            "max of f32[3, 5]: it is over axes 0 and 1, not over the last axis alone",
        ),
    ],
)
def test_other_axes_are_near_misses(text: str, reason: str) -> None:
    claims, remarks = found(text)
    assert claims == []
    assert [(remark.claimed, remark.reason) for remark in remarks] == [(False, reason)]


def test_a_sum_over_rows_reads_the_chain_in_front() -> None:
    text = "pub fn f(x: f32[5, 5]) -> f32[5] { sum(softmax(x), axis=0) }"
    (claim,), _ = found(text)
    assert claim.root.type.rank == 2


def test_integers_are_left_alone() -> None:
    assert found("pub fn f(x: i32[3, 5]) -> i64[3] { sum(x, axis=1) }") == ([], [])


def test_transposed_rows_are_read_as_an_operand() -> None:
    """A square one must not be taken for the rows themselves."""
    text = """pub fn f(x: f32[5, 5]) -> f32[5, 5] {
        x - transpose(sum(x, axis=1, keepdims=true), [1, 0])
    }"""
    (claim,), _ = found(text)
    assert claim.root.operation == "reduce_sum"


def test_a_vector_along_the_rows_is_not_one_number_for_each() -> None:
    text = "pub fn f(x: f32[5, 5]) -> f32[5, 5] { x / sum(x, axis=1)[newaxis, :] }"
    (claim,), _ = found(text)
    assert claim.root.operation == "reduce_sum"


def test_what_a_row_shares_with_labels() -> None:
    text = """pub fn f(x: f32[6, 9], l: i32[6]) -> f32 { cross_entropy(x, l) }"""
    claims, _ = found(text)
    assert claims
    assert all(
        claim.root.type.shape[:1] == (Size.of(6),) or not claim.root.type.shape for claim in claims
    )


READ = {
    "sums of integers": (
        """pub fn f(x: f32[3, 5], i: i32[3, 5]) -> f32[3, 5] {
            x * f32(sum(i, axis=1, keepdims=true)) / sum(x, axis=1, keepdims=true)
        }""",
        [("div", ["reduce_sum", "x"])],
    ),
    "what is read along two axes": (
        """pub fn f(x: f32[5]) -> f32[5] {
            let y = tanh(x)
            sum(y[:, newaxis] * y[newaxis, :], axis=1)
        }""",
        [("reduce_sum", ["tanh"])],
    ),
    "rows of other lengths": (
        """pub fn f(x: f32[3, 5], y: f32[3, 7]) -> f32[3] {
            sum(x, axis=1) + sum(y, axis=1)
        }""",
        [("reduce_sum", ["x"]), ("add", ["reduce_sum", "y"])],
    ),
    "one row for all": (
        """pub fn f(x: f32[3, 5], d: f32[1, 5]) -> f32[3, 5] {
            x / sum(d, axis=1, keepdims=true) + sum(x, axis=1, keepdims=true)
        }""",
        [("reduce_sum", ["d"]), ("add", ["reduce_sum", "x"])],
    ),
    "rows of one batch for all": (
        """pub fn f(x: f32[2, 3, 5], y: f32[3, 5]) -> f32[2, 3, 5] {
            x * sum(y, axis=1, keepdims=true) + sum(x, axis=2, keepdims=true)
        }""",
        [("reduce_sum", ["y"]), ("add", ["reduce_sum", "x"])],
    ),
    "powers": (
        "pub fn f(x: f32[3, 5], y: f32[3, 5]) -> f32[3] { sum(x ** y, axis=1) }",
        [("reduce_sum", ["pow"])],
    ),
    "remainders": (
        "pub fn f(x: f32[3, 5]) -> f32[3] { sum(x % 3.0, axis=1) }",
        [("reduce_sum", ["mod"])],
    ),
    "a size of something else": (
        """pub fn f[M, N, K](x: f32[M, N], y: f32[K]) -> f32[M, N] {
            x / sum(x, axis=1, keepdims=true) * (f32(K) + x)
        }""",
        [("div", ["x"])],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_read_and_not_computed(name: str) -> None:
    text, wanted = READ[name]
    claims, _ = found(text)
    assert [(one.root.operation, sorted(names(one))) for one in claims] == wanted


def test_long_chains_are_near_misses() -> None:
    steps = "".join(f" * {n}.5 - {n}.25" for n in range(1, 42))
    claims, (remark,) = found(f"pub fn f(x: f32[3, 5]) -> f32[3] {{ sum(x{steps}, axis=1) }}")
    assert claims == []
    assert remark.reason == "sum of f32[3, 5]: more than 80 operations belong to it"
