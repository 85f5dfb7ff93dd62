"""Python values as arrays: what is taken, what is refused, and in which words."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tdsl
from tdsl.runtime.arrays import (
    Wanted,
    WeakNumber,
    as_array,
    check_dtype,
    check_rank,
    plain,
    weak_array,
)
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, AnyDType, DTypeVariable
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import TensorType

SOURCE = Source("m.tdsl", "tdsl 0.1\nfn f[M, K](x: f32[M, K]) -> f32[M, K] { x }\n")


def wanted(dtype: AnyDType = DTYPES["f32"], *axes: str) -> Wanted:
    shape = tuple(Size.of(Symbol(axis)) for axis in axes)
    shown = f"{dtype}[{', '.join(axes)}]" if axes else str(dtype)
    return Wanted("f", "x", TensorType(dtype, shape), shown, SOURCE.span(20, 21))


MATRIX = wanted(DTYPES["f32"], "M", "K")


def test_an_array_is_taken_without_a_copy() -> None:
    x = np.zeros((2, 3), np.float32)
    assert np.shares_memory(as_array(x, MATRIX), x)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_subclass_is_taken_as_what_it_holds() -> None:
    x = np.asmatrix(np.ones((2, 3), np.float32))
    taken = as_array(x, MATRIX)
    assert type(taken) is np.ndarray
    assert np.shares_memory(taken, x)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([[1.0]], "np.asarray(x, np.float32)"),
        (((1.0,),), "np.asarray(x, np.float32)"),
        (None, "not None"),
        ("text", "a Python str"),
        (1.5, "np.full(shape, 1.5, np.float32)"),
        (np.ma.masked_array(np.zeros((2, 2), np.float32)), "x.filled(0)"),
    ],
)
def test_what_is_no_array_is_refused_with_a_way_out(value: object, says: str) -> None:
    with pytest.raises(tdsl.DTypeError) as caught:
        as_array(value, MATRIX)
    assert says in str(caught.value)
    assert "m.tdsl:2:" in str(caught.value)
    assert caught.value.code == "E0702"
    assert caught.value.argument == "x"
    assert caught.value.expected == "f32[M, K]"


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.zeros((2, 2)), "x.astype(np.float32)"),
        (np.zeros((2, 2), object), "holds Python objects"),
        (np.zeros((2, 2), np.complex64), "no complex numbers"),
        (np.zeros((2, 2), "U3"), "x.astype(np.float32)"),
        (np.zeros((2, 2), np.uint64), "TDSL has f64"),
        (np.zeros((2, 2), "M8[s]"), "x.astype(np.int64)"),
        (np.zeros((2, 2), [("a", "f4")]), "structured"),
    ],
)
def test_another_dtype_is_refused(array: np.ndarray, says: str) -> None:
    with pytest.raises(tdsl.DTypeError) as caught:
        check_dtype(as_array(array, MATRIX), MATRIX, {})
    assert says in str(caught.value)


def test_byte_order_is_no_other_dtype() -> None:
    check_dtype(as_array(np.zeros((2, 2), ">f4"), MATRIX), MATRIX, {})


def test_a_dtype_parameter_is_fixed_by_its_first_argument() -> None:
    variable = DTypeVariable("E", "float")
    one = wanted(variable, "N")
    fixed: dict = {}
    check_dtype(np.zeros(2, np.float32), one, fixed)
    check_dtype(np.zeros(2, np.float32), one, fixed)
    with pytest.raises(tdsl.DTypeError, match="E = f32 was fixed by argument `x`"):
        check_dtype(np.zeros(2), one, fixed)
    with pytest.raises(tdsl.DTypeError, match="stands for a float dtype"):
        check_dtype(np.zeros(2, np.int32), one, {})
    check_dtype(np.zeros(2, ml_dtypes.bfloat16), one, {})


SCALARS = [
    ("f32", 1.5, True),
    ("f32", 2, True),
    ("f32", True, False),
    ("i32", 2, True),
    ("i32", 2.0, False),
    ("i32", True, False),
    ("i8", 127, True),
    ("i8", 128, False),
    ("u8", -1, False),
    ("bool", True, True),
    ("bool", 1, False),
]


@pytest.mark.parametrize(("dtype", "value", "fits"), SCALARS)
def test_a_python_number_is_a_weak_scalar(dtype: str, value: float, fits: bool) -> None:
    scalar = wanted(DTYPES[dtype])
    number = as_array(value, scalar)
    assert isinstance(number, WeakNumber)
    if fits:
        check_dtype(number, scalar, {})
        made = weak_array(number, scalar, DTYPES[dtype])
        assert made.shape == ()
        assert made.dtype == DTYPES[dtype].numpy
        assert made == value
    else:
        with pytest.raises(tdsl.DTypeError):
            check_dtype(number, scalar, {})


def test_a_numpy_scalar_keeps_its_dtype() -> None:
    scalar = wanted(DTYPES["f32"])
    check_dtype(as_array(np.float32(2), scalar), scalar, {})
    with pytest.raises(tdsl.DTypeError):
        check_dtype(as_array(np.float64(2), scalar), scalar, {})


def test_too_large_a_float_saturates_as_a_literal_does() -> None:
    scalar = wanted(DTYPES["f16"])
    assert weak_array(WeakNumber(-1e10, "float"), scalar, DTYPES["f16"]) == -np.inf
    assert weak_array(WeakNumber(10**400, "int"), scalar, DTYPES["f16"]) == np.inf


@pytest.mark.parametrize(
    ("shape", "error", "says"),
    [
        ((2,), tdsl.ShapeError, "must have 2 axes, not 1"),
        ((2, 3, 1), tdsl.ShapeError, "x.squeeze(2)"),
        ((2, 3, 4), tdsl.ShapeError, "must have 2 axes, not 3"),
        ((2, 0), tdsl.SizeError, "axis 1 has size 0"),
    ],
)
def test_rank_and_empty_axes(shape: tuple[int, ...], error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        check_rank(np.zeros(shape, np.float32), MATRIX)
    assert says in str(caught.value)
    assert issubclass(error, TypeError)
    assert issubclass(error, tdsl.Error)


def test_an_array_that_is_too_large_is_refused_before_anything_is_computed() -> None:
    huge = np.broadcast_to(np.float32(0), (1 << 30, 1 << 30))
    with pytest.raises(tdsl.SizeError, match="too large"):
        check_rank(huge, MATRIX)


def test_plain_copies_what_native_code_cannot_read() -> None:
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    assert plain(whole) is whole
    buffer = np.zeros(whole.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(4, 6)
    buffer[:] = whole
    assert not buffer.flags.aligned
    for odd in (whole.T, whole[::2, 1::3], whole[::-1], whole.astype(">f4"), buffer):
        made = plain(odd)
        assert made.flags.c_contiguous
        assert made.flags.aligned
        assert made.dtype.isnative
        np.testing.assert_array_equal(made, odd)
    assert plain(np.zeros((), ">f4")).shape == ()
