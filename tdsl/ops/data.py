"""The builtins that make arrays: zeros, full, iota, eye, causal_mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tdsl.ops import numeric
from tdsl.ops.operands import BOOL, FLOATS, I64, NUMBERS, is_kind, quiet, scalar
from tdsl.ops.primitive import Builder
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.ops.targets import require_positive, require_sizes
from tdsl.syntax.diagnostics import Help
from tdsl.types.dtypes import AnyDType, DType, DTypeVariable
from tdsl.types.sizes import Size
from tdsl.types.types import TensorType

Array = np.ndarray[Any, Any]

# What a hidden key gets: exp of it is 0 in every dtype, and f16 has it as -inf.
HIDDEN = -1e10

_SHAPE = Parameter("shape", "shape")
_DTYPE = Parameter("dtype", "dtype")
_N = Parameter("n", "size")


def _zeros_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    shape = require_sizes(checking, "zeros", given["shape"])
    dtype: AnyDType = given["dtype"].value
    return Typing(TensorType(dtype, shape), {}, {"shape": shape, "dtype": dtype})


def _zeros_expand(builder: Builder, shape: Sequence[Size], dtype: DType) -> Any:
    return builder.broadcast_to(builder.constant(0, dtype), tuple(map(Size.of, shape)))


def _full_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    shape = require_sizes(checking, "full", given["shape"])
    dtype: AnyDType = given["dtype"].value
    scalar(checking, "full", given["value"])
    attributes = {"shape": shape, "dtype": dtype}
    return Typing(TensorType(dtype, shape), {"value": dtype}, attributes)


def _full(value: Array, shape: tuple[int, ...], dtype: DType) -> Array:
    return np.full(shape, value, dtype.numpy)


def _full_expand(builder: Builder, value: Any, shape: Sequence[Size], dtype: DType) -> Any:
    return builder.broadcast_to(builder.cast(value, dtype), tuple(map(Size.of, shape)))


def _size(checking: Checking, name: str, given: Mapping[str, Given]) -> Size:
    size = Size.of(given["n"].value)
    require_positive(checking, name, given["n"], (size,))
    return size


def _iota_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    size = _size(checking, "iota", given)
    dtype = _dtype(checking, "iota", given["dtype"], NUMBERS, "number")
    return Typing(TensorType(dtype, (size,)), {}, {"n": size, "dtype": dtype})


def _iota(n: int, dtype: DType = I64) -> Array:
    return numeric.cast(np.arange(n), dtype.numpy)


def _dtype(
    checking: Checking, name: str, given: Given, kinds: frozenset[str], word: str
) -> AnyDType:
    dtype: AnyDType = given.value
    if not is_kind(dtype, kinds):
        shown = checking.show(dtype)
        helps = []
        if isinstance(dtype, DTypeVariable):
            helps.append(Help(f"declare `{shown}: dtype({word})`"))
        checking.fail(
            "E0306",
            f"`{name}` makes {word}s, not `{shown}`",
            labels=[(given.span, f"must be a {word} dtype")],
            helps=helps,
        )
    return dtype


def _eye_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    size = _size(checking, "eye", given)
    dtype: AnyDType = given["dtype"].value
    return Typing(TensorType(dtype, (size, size)), {}, {"n": size, "dtype": dtype})


def _places(builder: Builder, size: Size) -> tuple[Any, Any]:
    """The row and the column of every element of a square."""
    shape = (size, size)
    return builder.iota(shape, 0, I64), builder.iota(shape, 1, I64)


def _eye_expand(builder: Builder, n: Size, dtype: DType) -> Any:
    row, column = _places(builder, Size.of(n))
    return builder.cast(builder.elementwise("equal", row, column), dtype)


def _mask_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    size = _size(checking, "causal_mask", given)
    dtype = _dtype(checking, "causal_mask", given["dtype"], FLOATS, "float")
    return Typing(TensorType(dtype, (size, size)), {}, {"n": size, "dtype": dtype})


def _mask(n: int, dtype: DType) -> Array:
    hidden = np.triu(np.ones((n, n), np.bool_), 1)
    with np.errstate(all="ignore"):
        return np.where(hidden, np.float64(HIDDEN).astype(dtype.numpy), np.zeros((), dtype.numpy))


def _mask_expand(builder: Builder, n: Size, dtype: DType) -> Any:
    row, column = _places(builder, Size.of(n))
    hidden = builder.elementwise("greater", column, row)
    return builder.select(hidden, builder.constant(HIDDEN, dtype), builder.constant(0, dtype))


def _identity_matrix(n: int, dtype: DType) -> Array:
    return (
        np.eye(n, dtype=np.bool_).astype(dtype.numpy)
        if dtype != BOOL
        else np.eye(n, dtype=np.bool_)
    )


DATA = (
    Builtin(
        "zeros",
        "data",
        (_SHAPE, _DTYPE),
        "zeros[...S](shape, dtype) -> dtype[...S]",
        "An array of zeros.",
        "sum(zeros([2, 3], f32)) == 0.0",
        quiet(_zeros_rule),
        lambda shape, dtype: np.zeros(shape, dtype.numpy),
        _zeros_expand,
    ),
    Builtin(
        "full",
        "data",
        (_SHAPE, Parameter("value", "value"), _DTYPE),
        "full[...S](shape, value, dtype) -> dtype[...S]",
        "An array of one value, cast to the dtype.",
        "sum(full([2, 3], 2, i32)) == 12",
        quiet(_full_rule),
        _full,
        _full_expand,
    ),
    Builtin(
        "iota",
        "data",
        (_N, Parameter("dtype", "dtype", I64)),
        "iota[N](n, dtype=i64) -> dtype[N]",
        "0, 1, 2 … up to n - 1.",
        "sum(iota(4)) == 6",
        quiet(_iota_rule),
        _iota,
        lambda builder, n, dtype=I64: builder.iota((Size.of(n),), 0, dtype),
    ),
    Builtin(
        "eye",
        "data",
        (_N, _DTYPE),
        "eye[N](n, dtype) -> dtype[N, N]",
        "The square matrix with 1 on the diagonal and 0 elsewhere.",
        "sum(eye(3, f32)) == 3.0",
        quiet(_eye_rule),
        _identity_matrix,
        _eye_expand,
    ),
    Builtin(
        "causal_mask",
        "data",
        (_N, _DTYPE),
        "causal_mask[N](n, dtype) -> dtype[N, N]",
        "What is added to attention scores so that query i sees keys 0 to i only: 0 there, -1e10 "
        "(-inf in f16) after it.",
        "causal_mask(3, f32)[1, 1] == 0.0",
        quiet(_mask_rule),
        _mask,
        _mask_expand,
    ),
)
