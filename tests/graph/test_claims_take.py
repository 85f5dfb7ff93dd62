"""Which rows taken from a table are claimed together with what is added to them."""

from __future__ import annotations

import pytest
from test_claims_rows import graph_of

from tdsl.graph.claims import find_claims, take

HEAD = "pub fn f(ids: i32[7], wte: f32[50, 8], wpe: f32[9, 8])"


def found(text: str) -> tuple[int, list[tuple[bool, str]]]:
    claims, remarks = take.find(graph_of(text))
    return len(claims), [(remark.claimed, remark.reason) for remark in remarks]


@pytest.mark.parametrize(
    "body",
    [
        "take(wte, ids, axis=0) + wpe[0:7]",
        "wpe[0:7] + take(wte, ids, axis=0)",
        "tanh(take(wte, ids, axis=0) * 2.0 + wpe[1])",
        "take(wte, ids, axis=0) + wpe[0:7] + wpe[1:8]",
    ],
)
def test_claimed(body: str) -> None:
    text = f"{HEAD} -> f32[7, 8] {{ {body} }}"
    reason = "i32[7] rows of f32[50, 8], and what is added to them"
    assert found(text) == (1, [(True, reason)])
    (claim,), _ = take.find(graph_of(text))
    assert claim.root is graph_of(text).results[0] or claim.root.operation in ("add", "tanh")
    assert [node.operation for node in claim.inputs][:2] == ["input", "input"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            (
                "pub fn f(ids: i32[7], t: f32[8, 50], b: f32[8, 7]) -> f32[8, 7] "
                "{ take(t, ids, axis=1) + b }"
            ),
            "it does not take rows of a matrix",
        ),
        (
            (
                "pub fn f(ids: i32[2, 7], t: f32[50, 8], b: f32[8]) -> f32[2, 7, 8] "
                "{ take(t, ids, axis=0) + b }"
            ),
            "its positions have 2 axes, not one",
        ),
        (
            (
                "pub fn f(ids: i32[7], t: i32[50, 8], b: i32[8]) -> i32[7, 8] "
                "{ take(t, ids, axis=0) + b }"
            ),
            "no kernel takes rows of i32",
        ),
        (
            (
                f"{HEAD} -> (f32[7, 8], f32[7, 8]) "
                "{ let x = take(wte, ids, axis=0)\n (x + wpe[0:7], x) }"
            ),
            "what is taken is needed elsewhere, too",
        ),
        (
            (
                "pub fn f(ids: i32[7], t: f32[50, 2, 8], b: f32[7, 2, 8]) -> f32[7, 2, 8] "
                "{ take(t, ids, axis=0) + b }"
            ),
            "it does not take rows of a matrix",
        ),
        (
            (
                "pub fn f(ids: i32[7], t: f32[50, 8], b: f32[3, 7, 8]) -> f32[3, 7, 8] "
                "{ take(t, ids, axis=0) + b }"
            ),
            "the sum is of another shape",
        ),
        (
            (
                "pub fn f[K](ids: i32[7], t: f32[50, 8], x: f32[K]) -> f32[7, 8] "
                "{ take(t, ids, axis=0) + f32(K) }"
            ),
            "what follows needs sizes that no operand has",
        ),
    ],
)
def test_near_misses_say_why(text: str, reason: str) -> None:
    assert found(text) == (0, [(False, reason)])


def test_what_only_is_taken_is_no_sum() -> None:
    assert found(f"{HEAD} -> f32[7, 8] {{ take(wte, ids, axis=0) }}") == (0, [])


def test_a_sum_behind_a_product_stays_with_it() -> None:
    text = (
        "pub fn f(ids: i32[7], t: f32[50, 8], x: f32[7, 3], w: f32[3, 8]) -> f32[7, 8] "
        "{ x @ w + take(t, ids, axis=0) }"
    )
    claims, remarks = find_claims(graph_of(text))
    assert [claim.kind for claim in claims] == ["matmul"]
    assert "the sum is part of another claim" in [remark.reason for remark in remarks]


def test_other_work_is_no_sum() -> None:
    assert found(f"{HEAD} -> f32[7, 8] {{ tanh(take(wte, ids, axis=0)) }}") == (0, [])


def test_a_sum_belongs_to_one_of_two() -> None:
    count, remarks = found(
        f"{HEAD} -> f32[7, 8] {{ take(wte, ids, axis=0) + take(wpe, ids, axis=0) }}"
    )
    assert count == 1
    assert [claimed for claimed, _ in remarks] == [True, False]
