"""Typing of `@` and of the builtins that rearrange, and the advice they give."""

from __future__ import annotations

from typing import Any

import pytest
from ops_support import check, edited, refusal, result, show

from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size
from tdsl.types.types import ListType

F32 = DTYPES["f32"]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("f32[M, K]", "f32[K, N]", "f32[M, N]"),
        ("f32[K]", "f32[K, N]", "f32[N]"),
        ("f32[M, K]", "f32[K]", "f32[M]"),
        ("f32[K]", "f32[K]", "f32"),
        ("f32[B, M, K]", "f32[B, K, N]", "f32[B, M, N]"),
        ("f32[...B, M, K]", "f32[...B, K, N]", "f32[...B, M, N]"),
        ("f32[...S, K]", "f32[K, N]", "f32[...S, N]"),
        ("f32[A, B, K]", "f32[K, N]", "f32[A, B, N]"),
        ("f32[...S, K]", "f32[K]", "f32[...S]"),
        ("f32[M, 2*K]", "f32[K*2, N]", "f32[M, N]"),
        ("f32[M, K]", "f64[K, N]", "f64[M, N]"),
        ("i8[M, K]", "u8[K, N]", "i16[M, N]"),
        ("E[M, K]", "E[K, N]", "E[M, N]"),
    ],
)
def test_matmul_result(left: str, right: str, expected: str) -> None:
    assert result("matmul", left, right) == expected


@pytest.mark.parametrize(
    ("left", "right", "code"),
    [
        ("f32", "f32[K, N]", "E0301"),
        ("f32[M, K]", "int", "E0301"),
        ("f32[...S]", "f32[K, N]", "E0301"),
        ("f32[K]", "f32[...S, K]", "E0301"),
        ("f32[M, K]", "f32[N, K]", "E0302"),
        ("f32[M, K]", "f32[K2, N]", "E0302"),
        ("f32[M, 3]", "f32[4, N]", "E0302"),
        ("f32[B, M, K]", "f32[C, K, N]", "E0303"),
        ("f32[B, M, K]", "f32[1, K, N]", "E0303"),
        ("f32[M, K]", "f32[B, K, N]", "E0303"),
        ("f32[K]", "f32[B, K, N]", "E0303"),
        ("f32[...S, K]", "f32[B, K, N]", "E0303"),
        ("f32[...B, M, K]", "f32[...C, K, N]", "E0303"),
        ("bool[M, K]", "bool[K, N]", "E0306"),
        ("E[M, K]", "f32[K, N]", "E0307"),
    ],
)
def test_matmul_refusal(left: str, right: str, code: str) -> None:
    assert refusal("matmul", left, right).code == code


def test_contraction_message() -> None:
    found = refusal("matmul", "f32[M, K]", "f32[N, K]")
    assert found.message == (
        "cannot multiply `f32[M, K]` by `f32[N, K]`: contracted sizes `K` and `N` differ"
    )
    assert [label.text for label in found.labels] == [
        "",
        "f32[M, K]: its last axis is K",
        "f32[N, K]: its first axis is N",
    ]
    assert found.notes == (
        "`@` contracts the last axis of the left with the first axis of the right",
    )
    (help_,) = found.helps
    assert help_.text == "the right side has K as its other axis; transpose it"
    assert edited(found) == "matmul(x, transpose(y, [1, 0]))"


@pytest.mark.parametrize(
    ("left", "right", "mended"),
    [
        ("f32[K, M]", "f32[K, N]", "matmul(transpose(x, [1, 0]), y)"),
        ("f32[B, M, K]", "f32[B, N, K]", "matmul(x, transpose(y, [0, 2, 1]))"),
        ("f32[K, M]", "f32[K]", "matmul(transpose(x, [1, 0]), y)"),
        ("f32[K]", "f32[N, K]", "matmul(x, transpose(y, [1, 0]))"),
    ],
)
def test_transposition_that_fits_is_offered(left: str, right: str, mended: str) -> None:
    assert edited(refusal("matmul", left, right)) == mended


def test_transposition_that_does_not_fit_is_not() -> None:
    found = refusal("matmul", "f32[M, K]", "f32[L, N]")
    assert [help_.text for help_ in found.helps] == ["add `where K == L`"]
    batch = refusal("matmul", "f32[A, M, K]", "f32[B, N, K]")
    assert not any("transpose" in help_.text for help_ in batch.helps)


def test_batches_are_broadcast_by_hand() -> None:
    found = refusal("matmul", "f32[B, M, K]", "f32[1, K, N]")
    assert edited(found) == "matmul(x, broadcast(y, [B, K, N]))"
    found = refusal("matmul", "f32[M, K]", "f32[B, K, N]")
    assert edited(found) == "matmul(broadcast(x, [B, M, K]), y)"
    assert refusal("matmul", "f32[B, M, K]", "f32[C, K, N]").helps == ()


# --- reshape


@pytest.mark.parametrize(
    ("type_", "target", "expected"),
    [
        ("f32[T, 3*C]", "3, T, C", "f32[3, T, C]"),
        ("f32[T, H*D]", "T, H, D", "f32[T, H, D]"),
        ("f32[T, H*D]", "T, H, _", "f32[T, H, D]"),
        ("f32[T, H*D]", "_, D", "f32[H*T, D]"),
        ("f32[6]", "2, _", "f32[2, 3]"),
        ("f32", "1, 1", "f32[1, 1]"),
        ("f32[...S, N]", "...S, N, 1", "f32[...S, N, 1]"),
    ],
)
def test_reshape_result(type_: str, target: str, expected: str) -> None:
    assert result("reshape", type_, target) == expected


def test_reshape_to_any_rank_of_rows() -> None:
    from ops_support import pack_elements

    typing = check("reshape", "f32[...S, N]", (None, Size.of(1)))
    assert typing.result.shape[1] == Size.of(1)  # type: ignore[union-attr]
    rows = check("reshape", "f32[...S, 4]", (None, Size.of(4)))
    assert rows.result.shape[0] == pack_elements("S")  # type: ignore[union-attr]


def test_reshape_message() -> None:
    found = refusal("reshape", "f32[T, C]", "T, H, D")
    assert found.code == "E0405"
    assert found.message == (
        "cannot reshape `f32[T, C]` to `[T, H, D]`: T*C elements against T*H*D"
    )
    assert found.notes == ("sizes are compared as polynomials, for every value of C, D, H, T",)
    assert [help_.text for help_ in found.helps] == ["add `where C == D*H`"]


@pytest.mark.parametrize(
    ("type_", "target", "where"),
    [
        ("f32[T, 3*C]", "3, T, H, D", "add `where C == D*H`"),
        ("f32[H, T, D]", "T, C", "add `where C == D*H`"),
        ("f32[N]", "M", "add `where N == M`"),
        ("f32[T*C]", "T, H, D", "add `where C == D*H`"),
        ("f32[...S, C]", "...S, H, D", "add `where C == D*H`"),
    ],
)
def test_reshape_finds_the_missing_equality(type_: str, target: str, where: str) -> None:
    assert refusal("reshape", type_, target).helps[0].text == where


def test_reshape_without_a_single_name_says_nothing() -> None:
    assert refusal("reshape", "f32[A, B]", "C, D").helps == ()
    found = refusal("reshape", "f32[6]", "4")
    assert found.helps == ()
    assert found.notes == ()
    assert "6 elements against 4" in found.message


def test_sums_that_both_sides_have_are_divided_out() -> None:
    wide = Size.of(1) + check("iota", "N").result.shape[0]  # type: ignore[union-attr, operator]
    have = check("zeros", (check("iota", "T").result.shape[0], wide), F32).result  # type: ignore[union-attr]
    target = (*check("zeros", "A, B", F32).result.shape, wide)  # type: ignore[union-attr]
    assert refusal("reshape", have, target).helps[0].text == "add `where T == A*B`"


def test_packs_are_no_names() -> None:
    assert refusal("reshape", "f32[...S, C]", "C").helps == ()


def test_wildcard_must_divide() -> None:
    found = refusal("reshape", "f32[T, C]", "T, H, _")
    assert found.code == "E0412"
    assert found.helps[0].text == "add `where H divides C`"
    assert found.labels[0].text == "`_` would be C / H"
    assert refusal("reshape", "f32[7]", "2, _").code == "E0412"
    assert refusal("reshape", "f32[8]", "_, _").code == "E0412"


# --- transpose, broadcast


def test_transpose_result() -> None:
    assert result("transpose", "f32[T, H, D]", (1, 0, 2)) == "f32[H, T, D]"
    assert check("transpose", "f32[A, B]", (-1, -2)).attributes["permutation"] == (1, 0)


@pytest.mark.parametrize(
    ("type_", "permutation", "reason"),
    [
        ("f32[A, B, C]", (0, 2, 2), "axis 2 stands twice"),
        ("f32[A, B, C]", (0, 1), "axis 2 is missing"),
        ("f32[A, B]", (0, 2), "there is no axis 2"),
        ("f32[A]", (0, 0), "axis 0 stands twice"),
        ("f32[...S, N]", (1, 0), "is not known"),
    ],
)
def test_transpose_refusal(type_: str, permutation: Any, reason: str) -> None:
    found = refusal("transpose", type_, permutation)
    assert found.code == "E0404"
    assert reason in found.message


@pytest.mark.parametrize(
    ("type_", "target", "expected"),
    [
        ("f32[N]", "M, N", "f32[M, N]"),
        ("f32[M, 1]", "M, N", "f32[M, N]"),
        ("f32", "N", "f32[N]"),
        ("f32[Q, N]", "...S, Q, N", "f32[...S, Q, N]"),
    ],
)
def test_broadcast_result(type_: str, target: str, expected: str) -> None:
    assert result("broadcast", type_, target) == expected


@pytest.mark.parametrize(
    ("type_", "target"), [("f32[N]", "M"), ("f32[M, N]", "N"), ("f32[N]", "N, 1")]
)
def test_broadcast_refusal(type_: str, target: str) -> None:
    assert refusal("broadcast", type_, target).code == "E0304"


# --- lists


def test_concat_result() -> None:
    assert result("concat", ["f32[M, K]", "f32[N, K]"], axis=0) == "f32[M + N, K]"
    assert result("concat", ["f32[2, K]", "f32[3, K]"], axis=-2) == "f32[5, K]"
    assert result("concat", ["f32[N]", "i32[N]"], axis=0) == "f64[2*N]"
    assert result("concat", ["f32[...S, D]", "f32[...S, D]"], axis=-1) == "f32[...S, 2*D]"
    heads = ListType(check("exp", "f32[T, D]").result, check("iota", "H").result.shape[0])  # type: ignore[union-attr, arg-type]
    assert result("concat", heads, axis=-1) == "f32[T, D*H]"


@pytest.mark.parametrize(
    ("items", "axis", "code"),
    [
        (["f32[M, K]", "f32[M, N]"], 0, "E0409"),
        (["f32[M]", "f32[M, N]"], 0, "E0409"),
        (["f32[M, K]", "f32[M, K]"], 2, "E0403"),
        (["f32[...S, K]", "f32[...S, K]"], 0, "E0403"),
        (["int", "int"], 0, "E0308"),
        (["E[N]", "f32[N]"], 0, "E0307"),
    ],
)
def test_concat_refusal(items: list[str], axis: int, code: str) -> None:
    assert refusal("concat", items, axis=axis).code == code


def test_stack() -> None:
    assert result("stack", ["f32[N]", "f32[N]"]) == "f32[2, N]"
    assert result("stack", ["f32[N]", "f32[N]"], axis=-1) == "f32[N, 2]"
    assert result("stack", ["f32[...S, N]"] * 3, axis=-1) == "f32[...S, N, 3]"
    assert result("stack", ["f32[...S, N]"] * 3, axis=0) == "f32[3, ...S, N]"
    assert refusal("stack", ["f32[N]", "f32[M]"]).code == "E0409"
    assert refusal("stack", ["int", "int"]).code == "E0308"
    assert refusal("stack", ["f32[N]", "f32[N]"], axis=2).code == "E0403"


def test_split() -> None:
    assert show(check("split", "f32[T, 3*C]", 3, axis=-1).result) == "[f32[T, C]; 3]"
    assert refusal("split", "f32[T, C]", 3, axis=-1).code == "E0412"
    assert refusal("split", "f32[T, C]", 3, axis=-1).helps[0].text == "add `where 3 divides C`"
    assert refusal("split", "f32[7]", 2).code == "E0412"
    assert refusal("split", "f32[7]", 0).code == "E0413"


def test_pad_and_flip() -> None:
    one, two = Size.of(1), Size.of(2)
    assert result("pad", "f32[M, N]", ((one, two), (two, two)), "int") == "f32[M + 3, N + 4]"
    assert refusal("pad", "f32[M, N]", ((one, two),), "int").code == "E0403"
    assert refusal("pad", "f32[M]", ((one, Size.of(-1)),), "int").code == "E0413"
    assert refusal("pad", "f32[M]", ((one, one),), "f32[M]").code == "E0308"
    assert result("flip", "f32[M, N]", axis=(0, 1)) == "f32[M, N]"
    assert refusal("flip", "f32[M]", axis=1).code == "E0403"
