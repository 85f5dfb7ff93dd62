"""take, slice, update and dbg: what is refused when a program is checked, and what they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops_support import ALL, DTYPES, INTEGERS, check, edited, refusal, result, run, sample, size

from tdsl.ops.looking import described
from tdsl.ops.table import Given
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size
from tdsl.types.types import TensorType, Type, WeakType

I32 = TensorType(DTYPES["i32"])
INT = WeakType("int")


def at(*starts: Type | str | int) -> list[Any]:
    """Starts for a rule: run-time scalars by type, sizes by text, literals."""
    found: list[Any] = []
    for start in starts:
        if isinstance(start, str | int):
            value = Size.of(start) if isinstance(start, int) else size(start)
            found.append((INT, value))
        else:
            found.append((start, None))
    return found


# --- take


def test_take_puts_the_axes_of_ids_in_the_place_of_the_axis() -> None:
    assert result("take", "f32[V, C]", "i32[T]", axis=0) == "f32[T, C]"
    assert result("take", "f32[V, C]", "u8[T, S]", axis=1) == "f32[V, T, S]"
    assert result("take", "bool[V, C]", "i64", axis=-1) == "bool[V]"
    assert result("take", "A[...S, V]", "I[...R]", axis=-1) == "A[...S, ...R]"
    assert result("take", "f32[V, C]", "i32[T]") == "f32[T, C]"  # rows, where nothing is said


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_as_numpy(dtype: DType, axis: int) -> None:
    w = sample(dtype, (3, 4, 5))
    for ids in (np.array([[2, 0], [1, 2]], np.int32), np.uint8(1), np.array([2, 2, 0])):
        ran = run("take", w, ids, axis=axis)
        np.testing.assert_array_equal(ran.reference, np.take(w, ids, axis))
        np.testing.assert_array_equal(ran.expanded, ran.reference)


@pytest.mark.parametrize("value", [-1, 4, np.iinfo(np.int64).min, np.iinfo(np.int64).max])
def test_take_out_of_range_is_an_index_error_with_the_value(value: int) -> None:
    with pytest.raises(
        IndexError, match=f"take: index {value} is out of range for axis 0 of size 4"
    ):
        run("take", np.eye(4, dtype=np.float32), np.array([0, value, -7]))


def test_an_axis_from_the_right_is_named_from_the_left() -> None:
    with pytest.raises(IndexError, match="index 4 is out of range for axis 1 of size 4"):
        run("take", np.eye(4), np.array([4]), axis=-1)


def test_a_literal_position_becomes_an_array() -> None:
    assert check("take", "f32[5]", ("int", 4)).convert == {"ids": DTYPES["i64"]}
    assert check("take", "f32[5]", "u8[T]").convert == {}


def test_ids_are_integers() -> None:
    for ids, shown in (("f32[T]", "f32[T]"), ("bool[T]", "bool[T]"), ("float", "number")):
        found = refusal("take", "f32[V, C]", ids)
        assert found.code == "E0306"
        assert shown in found.message
        assert edited(found) == "take(x, i64(y))"
    assert "dtype(int)" in refusal("take", "f32[V]", "R[T]").helps[0].text


def test_a_literal_position_is_checked_with_the_program() -> None:
    assert result("take", "f32[5, C]", ("int", 4)) == "f32[C]"
    certain = refusal("take", "f32[5, C]", ("int", 5))
    assert (certain.code, certain.helps) == ("E0408", ())
    assert "is out of bounds" in certain.message
    perhaps = refusal("take", "f32[V, C]", ("int", 1))
    assert "may be out of bounds" in perhaps.message
    assert perhaps.helps[0].text == "add `where 2 <= V`"
    negative = refusal("take", "f32[V, C]", ("int", -1))
    assert negative.helps == ()
    assert "count from 0" in negative.labels[0].text


def test_take_has_the_axes_of_its_array() -> None:
    assert refusal("take", "f32[V, C]", "i32[T]", axis=2).code == "E0403"


# --- slice and update


def test_slice_gives_the_size_that_is_asked_for() -> None:
    assert result("slice", "f32[N, C]", at(I32, 0), size="N, C") == "f32[N, C]"
    assert result("slice", "f32[5, C]", at(I32, I32), size="3, C") == "f32[3, C]"
    assert result("slice", "f32[2*N]", at("N"), size="N") == "f32[N]"


def test_a_window_must_fit_whatever_its_start() -> None:
    found = refusal("slice", "f32[N, C]", at(I32, 0), size="S, C")
    assert found.code == "E0401"
    assert found.message == "`slice`: S positions may not fit into axis 0, which has size N"
    assert found.notes == ("nothing says S <= N",)
    assert found.helps[0].text == "add `where S <= N`"
    certain = refusal("slice", "f32[5]", at(I32), size="6")
    assert "do not fit" in certain.message
    assert certain.helps == ()
    assert refusal("update", "f32[N]", "f32[S]", at(I32)).helps[0].text == "add `where S <= N`"
    assert result("update", "f32[N]", "f32[N]", at(I32)) == "f32[N]"


def test_a_start_that_is_a_size_is_proved() -> None:
    found = refusal("slice", "f32[N]", at("S"), size="N")
    assert found.code == "E0401"
    assert found.helps[0].text == "add `where N + S <= N`"
    assert "runs past the end" in refusal("slice", "f32[5]", at(3), size="3").message
    negative = refusal("slice", "f32[5]", at(-1), size="3")
    assert negative.code == "E0401"
    assert "before the first position" in negative.message
    assert negative.helps == ()
    # A run-time start is checked when it is known.
    assert result("slice", "f32[5]", at(I32), size="3") == "f32[3]"


@pytest.mark.parametrize(
    "start",
    [TensorType(DTYPES["f32"]), TensorType(DTYPES["i32"], (Size.of(2),)), WeakType("float")],
)
@pytest.mark.parametrize("name", ["slice", "update"])
def test_a_start_is_a_scalar_integer(start: Type, name: str) -> None:
    rest: Any = {"size": "3"} if name == "slice" else {}
    parts: Any = [] if name == "slice" else ["f32[3]"]
    assert refusal(name, "f32[5]", *parts, at(start), **rest).code == "E0406"


def test_one_start_and_one_size_an_axis() -> None:
    for starts, sizes in ((at(0), "2, 2"), (at(0, 0), "2"), (at(0, 0, 0), "2, 2")):
        found = refusal("slice", "f32[3, 3]", starts, size=sizes)
        assert found.code == "E0403"
        assert "one start and one size an axis" in found.message
    assert refusal("slice", "f32[...S, 3]", at(0, 0), size="2, 2").code == "E0403"
    assert refusal("slice", "f32[3]", at(0), size="_").code == "E0412"
    assert refusal("slice", "f32[3]", at(0), size="0").code == "E0413"


def test_update_keeps_dtype_and_axes() -> None:
    narrow = refusal("update", "f16[5]", "f32[2]", at(I32))
    assert narrow.code == "E0306"
    assert edited(narrow).startswith("update(x, f16(y)")
    opaque = refusal("update", "E[5]", "f32[2]", at(I32))
    assert opaque.code == "E0307"
    assert edited(opaque).startswith("update(x, E(y)")
    axes = refusal("update", "f32[5, C]", "f32[C]", at(I32, 0))
    assert axes.code == "E0308"
    assert edited(axes).startswith("update(x, y[newaxis, :]")


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_slice_and_update_as_numpy(dtype: DType) -> None:
    x, y = sample(dtype, (5, 4)), sample(dtype, (2, 3), 1)
    before = x.copy()
    for row, column in ((0, 0), (3, 1), (2, 0)):
        starts = [np.int32(row), np.int32(column)]
        box = (slice(row, row + 2), slice(column, column + 3))
        cut = run("slice", x, starts, size=[2, 3])
        np.testing.assert_array_equal(cut.reference, x[box])
        np.testing.assert_array_equal(cut.expanded, x[box])
        wanted = x.copy()
        wanted[box] = y
        put = run("update", x, y, starts)
        np.testing.assert_array_equal(put.reference, wanted)
        np.testing.assert_array_equal(put.expanded, wanted)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("start", [-1, 4, np.iinfo(np.int64).min])
def test_a_run_time_start_out_of_range_is_an_index_error(start: int) -> None:
    x = np.arange(5)
    for call in (
        lambda: run("slice", x, [np.int64(start)], size=[2]),
        lambda: run("update", x, x[:2], [np.int64(start)]),
    ):
        with pytest.raises(IndexError, match=f"start {start} is out of range for axis 0 of size 5"):
            call()


def test_literal_starts_are_an_ordinary_slice() -> None:
    x = np.arange(12).reshape(3, 4)
    assert run("slice", x, [1, 0], size=[2, 4]).used[-1] == "slice"
    assert run("slice", x, [np.int32(1), 0], size=[2, 4]).used[-1] == "dynamic_slice"


# --- dbg


def test_dbg_says_label_type_and_elements() -> None:
    assert described(np.float32(2.5), "x") == "x: f32 = 2.5"
    assert described(np.asarray(True), "flag") == "flag: bool = true"
    text = described(np.array([[1, -2], [3, 4]], np.int8), "y")
    assert text == "y: i8[2, 2]\n    [[ 1, -2],\n     [ 3,  4]]"


def test_dbg_sums_up_what_is_long() -> None:
    x = np.arange(100, dtype=DTYPES["bf16"].numpy)
    x[3], x[4], x[5] = np.nan, np.inf, -np.inf
    head = described(x, "x").splitlines()[0]
    assert head == "x: bf16[100], min 0, mean 50.9072, max 99, 1 NaN, 2 infinite"
    assert described(np.arange(40) > 30, "m").startswith("m: bool[40], 9 of 40 true\n")
    assert "..." in described(np.arange(40), "n")


def test_dbg_prints_and_passes_through(capsys: pytest.CaptureFixture[str]) -> None:
    typing = check("dbg", "f32[N]", label="here")
    assert typing.attributes == {"label": "here"}
    from tdsl.ops.builtins import BUILTINS

    x = np.ones(2, np.float32)
    assert BUILTINS["dbg"].reference(x, label="here") is x
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "here: f32[2]\n    [1, 1]\n"


def test_dbg_of_a_compile_time_number_is_refused() -> None:
    found = refusal("dbg", ("int", 3), label="three")
    assert found.code == "E0308"
    assert edited(found) == "dbg(f64(x))"


def test_every_integer_dtype_indexes() -> None:
    x = np.arange(5)
    for dtype in INTEGERS:
        ids = np.array([1, 3]).astype(dtype.numpy)
        np.testing.assert_array_equal(run("take", x, ids).expanded, [1, 3])
        np.testing.assert_array_equal(run("slice", x, [ids[1]], size=[2]).expanded, [3, 4])


def test_spans_of_starts_are_their_own() -> None:
    """What is marked is the start, not the list."""
    source = Source("t.tdsl", "slice(x, at=[a, b], size=[1, 1])")
    first, second = source.span(12, 13), source.span(15, 16)
    from ops_support import FakeChecking, Refused

    from tdsl.ops.builtins import BUILTINS

    whole = source.span(0, 32)
    given = {
        "x": Given(source.span(6, 7), TensorType(DTYPES["f32"], (Size.of(2), Size.of(2)))),
        "at": Given(
            source.span(12, 17),
            None,
            None,
            (Given(first, I32), Given(second, TensorType(DTYPES["f32"]))),
        ),
        "size": Given(source.span(25, 31), None, (Size.of(1), Size.of(1))),
    }
    with pytest.raises(Refused) as caught:
        BUILTINS["slice"].rule(FakeChecking(whole), given)
    assert caught.value.diagnostic.span == second
