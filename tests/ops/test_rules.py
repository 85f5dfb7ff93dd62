"""Typing rules of builtins: kinds, dtypes, shapes with symbols and packs, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from ops_support import check, edited, refusal, result, show


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("f32[M, K]", "f32[M, K]", "f32[M, K]"),
        ("f32[M, K]", "f32[K]", "f32[M, K]"),
        ("f32", "f32[M]", "f32[M]"),
        ("f32[M, 1]", "f32[M, K]", "f32[M, K]"),
        ("f32[M, 1]", "f32[1, K]", "f32[M, K]"),
        ("f32[1]", "f32[M, 1]", "f32[M, 1]"),
        ("f32[N]", "f32[1, 1]", "f32[1, N]"),
        ("f32[H, 1, 1]", "f32[T, T]", "f32[H, T, T]"),
        ("f32[2*K]", "f32[K*2]", "f32[2*K]"),
        ("f32[...S, N]", "f32[...S, N]", "f32[...S, N]"),
        ("f32[...S, N]", "f32[N]", "f32[...S, N]"),
        ("f32[...S, N]", "f32[...S, 1]", "f32[...S, N]"),
        ("f32[...S]", "f32", "f32[...S]"),
        ("f32[M]", "i32[M]", "f64[M]"),
        ("f32[M]", "i8[M]", "f32[M]"),
        ("f32[M]", "int", "f32[M]"),
        ("f32[M]", "float", "f32[M]"),
        ("i32[M]", "float", "f64[M]"),
        ("bf16[M]", "float", "bf16[M]"),
        ("E[M]", "E", "E[M]"),
        ("E[M]", "float", "E[M]"),
        ("E[M]", "int", "E[M]"),
        ("I[M]", "int", "I[M]"),
        ("I[M]", "float", "f64[M]"),
        ("R[M]", "int", "R[M]"),
    ],
)
def test_elementwise_result(left: str, right: str, expected: str) -> None:
    assert result("add", left, right) == expected
    assert result("add", right, left) == expected


def test_operands_are_converted_to_where_they_meet() -> None:
    convert = check("add", "f32[M]", "i32[M]").convert
    assert {name: str(dtype) for name, dtype in convert.items()} == {"x": "f64", "y": "f64"}
    assert check("add", "int", "float").convert == {}


@pytest.mark.parametrize(
    ("left", "right", "code", "words"),
    [
        ("f32[M]", "f32[N]", "E0304", ["M against N", "axis -1"]),
        ("f32[M, K]", "f32[N, K]", "E0304", ["M against N", "axis -2"]),
        ("f32[3]", "f32[4]", "E0304", ["3 against 4"]),
        ("f32[M]", "f32[1*2]", "E0304", ["M against 2"]),
        ("f32[N]", "f32[N, 1]", "E0305", ["would grow", "[N, N]"]),
        ("f32[T, 1]", "f32[C]", "E0305", ["[T, C]"]),
        ("f32[...S, N]", "f32[M, N]", "E0304", ["a pack stands for any number of axes"]),
        ("f32[...S]", "f32[...R]", "E0304", ["pack"]),
        ("E[M]", "f32[M]", "E0307", ["`E`", "`f32`"]),
        ("E[M]", "G[M]", "E0307", ["`E`", "`G`"]),
        ("R[M]", "float", "E0307", ["number with a fraction"]),
        ("A[M]", "int", "E0307", ["`A`"]),
    ],
)
def test_elementwise_refusal(left: str, right: str, code: str, words: list[str]) -> None:
    for found in (refusal("add", left, right), refusal("add", right, left)):
        assert found.code == code
    found = refusal("add", left, right)
    for word in words:
        assert word in found.message


def test_a_dtype_that_may_be_bool_is_no_number() -> None:
    found = refusal("sub", "A[M]", "A[M]")
    assert found.code == "E0306"
    assert found.helps[0].text == "declare `A: dtype(number)`"
    assert result("add", "A[M]", "A[M]") == "A[M]"


def test_size_one_must_be_literal() -> None:
    """A symbolic size is never taken for 1."""
    assert refusal("mul", "f32[N]", "f32[M]").code == "E0304"
    assert result("mul", "f32[N]", "f32[1]") == "f32[N]"


def test_sizes_that_differ_come_with_a_where() -> None:
    found = refusal("add", "f32[M]", "f32[N]")
    assert any("where M == N" in help_.text for help_ in found.helps)
    assert [label.text for label in found.labels[1:]] == [
        "`f32[M]`: axis 0 is M",
        "`f32[N]`: axis 0 is N",
    ]
    assert refusal("add", "f32[3]", "f32[4]").helps == ()


def test_vector_against_column_says_both_ways_to_write_it() -> None:
    found = refusal("add", "f32[N]", "f32[N, 1]")
    assert edited(found, 0) == "add(x[:, newaxis], y)"
    assert edited(found, 1) == "add(x, y[:, 0])"
    assert edited(found, 2) == "add(x[newaxis, :], y)"
    # Where a column of the vector would not fit, only the row is offered.
    only = refusal("add", "f32[T, 1]", "f32[C]")
    assert len(only.helps) == 1
    assert edited(only, 0) == "add(x, y[newaxis, :])"


def test_dtype_parameter_is_cast_on_the_side_that_is_not_it() -> None:
    assert edited(refusal("add", "E[M]", "f32[M]")) == "add(x, E(y))"
    assert edited(refusal("add", "f32[M]", "E[M]")) == "add(E(x), y)"


@pytest.mark.parametrize("name", ["exp", "sqrt", "tanh", "isnan"])
def test_float_functions_refuse_integers(name: str) -> None:
    found = refusal(name, "i32[N]")
    assert found.code == "E0306"
    assert edited(found) == f"{name}(f32(x))"
    assert "declare `R: dtype(float)`" in refusal(name, "R[N]").helps[0].text
    assert refusal(name, "bool[N]").code == "E0306"
    assert refusal(name, "weak bool").code == "E0306"


@pytest.mark.parametrize("name", ["sub", "floordiv", "mod", "pow"])
def test_bools_are_no_numbers(name: str) -> None:
    assert refusal(name, "bool[N]", "bool[N]").code == "E0306"
    assert result(name, "bool[N]", "i32[N]") == "i32[N]"


def test_difference_of_bools_is_not_equal() -> None:
    assert "`!=`" in refusal("sub", "bool[N]", "bool[N]").helps[0].text


def test_division() -> None:
    assert result("div", "i32[N]", "int") == "f64[N]"
    assert result("div", "I[N]", "I[N]") == "f64[N]"
    assert result("div", "E[N]", "int") == "E[N]"
    assert result("div", "bool[N]", "bool[N]") == "f64[N]"
    assert refusal("div", "R[N]", "R[N]").code == "E0306"


def test_negative_powers() -> None:
    found = refusal("pow", "i32[N]", ("int", -1))
    assert found.code == "E0306"
    assert edited(found) == "pow(f32(x), y)"
    assert refusal("pow", ("int", 2), ("int", -1)).code == "E0306"
    assert result("pow", "f32[N]", ("int", -1)) == "f32[N]"
    assert result("pow", "i32[N]", ("int", 2)) == "i32[N]"


def test_comparisons_give_bools() -> None:
    assert result("less", "f32[N]", "int") == "bool[N]"
    assert result("equal", "A[N]", "A[N]") == "bool[N]"
    assert result("equal", "bool[N]", "bool[N]") == "bool[N]"


def test_logic_takes_bools_only() -> None:
    found = refusal("logical_and", "f32[N]", "bool[N]")
    assert found.code == "E0306"
    assert edited(found) == "logical_and((x != 0), y)"


def test_select() -> None:
    assert result("select", "bool[Q, N]", "f32[...S, Q, N]", "float") == "f32[...S, Q, N]"
    assert result("select", "bool[N]", "E[M, N]", "int") == "E[M, N]"
    assert result("select", "weak bool", "int", "float") == "a compile-time number"
    found = refusal("select", "bool[N]", "float", "float")
    assert found.code == "E0308"
    assert edited(found) == "select(x, f32(y), z)"
    assert refusal("select", "f32[N]", "f32[N]", "f32[N]").code == "E0306"
    assert refusal("select", "bool[M]", "f32[N]", "f32[N]").code == "E0304"


@pytest.mark.parametrize("name", ["add", "exp", "sum", "transpose"])
def test_kinds(name: str) -> None:
    from tdsl.types.dtypes import DTYPES
    from tdsl.types.sizes import Size
    from tdsl.types.types import DTypeType, ListType, StringType, TensorType, TupleType

    array = TensorType(DTYPES["f32"], ())
    more: dict[str, Any] = {"permutation": ()} if name == "transpose" else {}
    for wrong in (
        TupleType((array, array)),
        ListType(array, Size.of(2)),
        StringType(),
        DTypeType(DTYPES["f32"]),
    ):
        operands = (wrong, array) if name == "add" else (wrong,)
        assert refusal(name, *operands, **more).code == "E0308"


def test_errors_do_not_cascade() -> None:
    from tdsl.types.types import POISON

    assert check("add", POISON, "f32[N]").result == POISON
    assert check("matmul", "f32[N]", POISON).result == POISON
    assert check("concat", [POISON, POISON], axis=0).result == POISON


# --- reductions


@pytest.mark.parametrize(
    ("name", "type_", "statics", "expected"),
    [
        ("sum", "f32[M, N]", {}, "f32"),
        ("sum", "f32[M, N]", {"axis": -1}, "f32[M]"),
        ("sum", "f32[M, N]", {"axis": 0, "keepdims": True}, "f32[1, N]"),
        ("sum", "f32[M, N]", {"axis": (0, -1)}, "f32"),
        ("sum", "f32[M, N]", {"keepdims": True}, "f32[1, 1]"),
        ("sum", "f32[...S, N]", {"axis": -1}, "f32[...S]"),
        ("sum", "f32[...S, N]", {"axis": -1, "keepdims": True}, "f32[...S, 1]"),
        ("sum", "f32[B, ...S]", {"axis": 0}, "f32[...S]"),
        ("sum", "f32[...S]", {}, "f32"),
        ("sum", "i8[N]", {}, "i64"),
        ("sum", "bool[N]", {}, "i64"),
        ("sum", "bf16[N]", {}, "bf16"),
        ("sum", "E[N]", {}, "E"),
        ("sum", "I[N]", {}, "i64"),
        ("mean", "i8[N]", {}, "f64"),
        ("mean", "f16[N]", {}, "f16"),
        ("max", "i8[N]", {}, "i8"),
        ("max", "A[N]", {}, "A"),
        ("all", "bool[M, N]", {"axis": 1}, "bool[M]"),
        ("argmax", "f32[M, N]", {"axis": 1}, "i64[M]"),
        ("argmax", "f32[M, N]", {}, "i64"),
        ("cumsum", "f32[...S, N]", {"axis": -1}, "f32[...S, N]"),
        ("cumsum", "i8[N]", {"axis": 0}, "i64[N]"),
    ],
)
def test_reduction_result(name: str, type_: str, statics: Any, expected: str) -> None:
    assert result(name, type_, **statics) == expected


@pytest.mark.parametrize(
    ("name", "type_", "statics", "code"),
    [
        ("sum", "f32[M, N]", {"axis": 2}, "E0403"),
        ("sum", "f32[M, N]", {"axis": -3}, "E0403"),
        ("sum", "f32", {"axis": 0}, "E0403"),
        ("sum", "f32[M, N]", {"axis": (0, -2)}, "E0403"),
        ("sum", "f32[...S, N]", {"axis": 0}, "E0403"),
        ("sum", "f32[...S, N]", {"axis": -2}, "E0403"),
        ("sum", "f32[...S]", {"keepdims": True}, "E0403"),
        ("sum", "R[N]", {}, "E0306"),
        ("mean", "A[N]", {}, "E0306"),
        ("sum", "float", {}, "E0308"),
        ("any", "f32[N]", {}, "E0306"),
    ],
)
def test_reduction_refusal(name: str, type_: str, statics: Any, code: str) -> None:
    assert refusal(name, type_, **statics).code == code


@pytest.mark.parametrize(
    ("type_", "axis", "label"),
    [
        ("f32", 0, "a number has no axes"),
        ("f32[N]", 1, "its only axis is 0, or -1"),
        ("f32[M, N]", 2, "axes are 0 to 1, or -2 to -1"),
        ("f32[...S, N]", 0, "axis 0 is in or beyond `...S`"),
    ],
)
def test_which_axes_there_are(type_: str, axis: int, label: str) -> None:
    assert refusal("sum", type_, axis=axis).labels[0].text == label


def test_axes_beyond_a_pack_stay_counted_from_the_right() -> None:
    assert check("sum", "f32[...S, N]", axis=-1).attributes["axis"] == (-1,)
    assert check("sum", "f32[M, N]", axis=-1).attributes["axis"] == (1,)


def test_dtype_attributes() -> None:
    from tdsl.types.dtypes import DTYPES

    assert result("zeros", "2, N", DTYPES["f32"]) == "f32[2, N]"
    assert result("full", "N", "float", DTYPES["f16"]) == "f16[N]"
    assert result("iota", "N") == "i64[N]"
    assert result("causal_mask", "T", DTYPES["f32"]) == "f32[T, T]"
    assert refusal("causal_mask", "T", DTYPES["i32"]).code == "E0306"
    assert refusal("iota", "N", DTYPES["bool"]).code == "E0306"
    assert refusal("zeros", "2, _", DTYPES["f32"]).code == "E0412"
    assert refusal("full", "N", "f32[N]", DTYPES["f32"]).code == "E0308"


def test_written_sizes_are_at_least_one() -> None:
    from tdsl.types.dtypes import DTYPES
    from tdsl.types.sizes import Size, Symbol

    smaller = Size.of(Symbol("N")) - 1
    assert refusal("iota", smaller).code == "E0413"
    found = refusal("zeros", (Size.of(0),), DTYPES["f32"])
    assert found.code == "E0413"
    assert found.helps == ()
    assert refusal("reshape", "f32[N]", (smaller,)).code == "E0413"
    assert refusal("broadcast", "f32", (smaller,)).code == "E0413"


def test_shown_types_are_the_users() -> None:
    assert show(check("add", "f32[...S, N]", "f32[N]").result) == "f32[...S, N]"
