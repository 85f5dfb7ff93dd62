"""The builtin `@`: products of matrices, vectors and batches of matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from tdsl.ops.broadcasting import ONE
from tdsl.ops.operands import (
    NUMBERS,
    array_or_number,
    is_kind,
    quiet,
    require_number,
    show_dimension,
    show_shape,
    unify,
    wrap,
)
from tdsl.ops.primitive import Builder
from tdsl.ops.reductions import known_dtype
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Dimension, Pack, Shape, Size, elements
from tdsl.types.types import TensorType

Array = np.ndarray[Any, Any]


def _rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    a, b = (_operand(checking, given, name) for name in ("a", "b"))
    dtype = unify(checking, "@", (given["a"], given["b"]))
    assert not isinstance(dtype, str)
    if not is_kind(dtype, NUMBERS):
        require_number(checking, "@", given["a"])
    shape = _shape(checking, given, a.shape, b.shape)
    return Typing(TensorType(dtype, shape), {"a": dtype, "b": dtype}, {})


def _operand(checking: Checking, given: Mapping[str, Given], name: str) -> TensorType:
    found = array_or_number(checking, "@", given[name], "an array")
    if not isinstance(found, TensorType) or not found.shape:
        shown = checking.show(found)
        what = f"`{shown}`" if isinstance(found, TensorType) else shown
        checking.fail(
            "E0301",
            f"`@` multiplies matrices and vectors; this operand is {what}, with no axis",
            labels=[(given[name].span, "no axis to contract")],
            helps=[Help("`*` multiplies every element by a number")],
        )
    known = found.shape[-1:] if name == "a" else found.shape[-2:]
    if any(isinstance(dimension, Pack) for dimension in known):
        checking.fail(
            "E0301",
            f"`@` needs the last {'axis' if name == 'a' else 'two axes'} of this operand, "
            f"`{checking.show(found)}`, outside of a pack",
            labels=[(given[name].span, "how many axes it has is not known")],
        )
    return found


def _shape(checking: Checking, given: Mapping[str, Given], a: Shape, b: Shape) -> Shape:
    contracted = b[-1] if len(b) == 1 else b[-2]
    if a[-1] != contracted:
        _refuse_contraction(checking, given, a, b)
    if len(b) == 1:
        return a[:-1]
    if len(b) == 2:
        return (*a[:-1], b[-1])
    if len(a) < 2 or isinstance(a[-2], Pack) or a[:-2] != b[:-2]:
        _refuse_batch(checking, given, a, b)
    return (*a[:-1], b[-1])


def _where(place: int, rank: int) -> str:
    if rank == 1:
        return "its only axis"
    if place == rank - 1:
        return "its last axis"
    return "its first axis" if place == 0 else "its second-last axis"


def _labels(
    checking: Checking, given: Mapping[str, Given], remarks: Sequence[str]
) -> list[tuple[Span, str]]:
    labels = [(checking.span, "")]
    for name, remark in zip("ab", remarks, strict=True):
        type_ = given[name].type
        assert type_ is not None
        labels.append((given[name].span, f"{checking.show(type_)}: {remark}"))
    return labels


def _refuse_contraction(
    checking: Checking, given: Mapping[str, Given], a: Shape, b: Shape
) -> NoReturn:
    place = 0 if len(b) == 1 else len(b) - 2
    left, right = (show_dimension(checking, dimension) for dimension in (a[-1], b[place]))
    types = [checking.show(t) for t in (given["a"].type, given["b"].type) if t is not None]
    helps = _transposed(checking, given, a, b)
    if not helps and isinstance(a[-1], Size) and isinstance(b[place], Size):
        where = checking.where(a[-1], "==", _size(b[place]))
        helps = [where] if where is not None else []
    contracts = "the last axis of the left with the " + (
        "axis of the right"
        if len(b) == 1
        else "first axis of the right"
        if len(b) == 2
        else "second-last axis of the right"
    )
    checking.fail(
        "E0302",
        f"cannot multiply `{types[0]}` by `{types[1]}`: contracted sizes `{left}` and `{right}` "
        "differ",
        labels=_labels(
            checking,
            given,
            (
                f"{_where(len(a) - 1, len(a))} is {left}",
                f"{_where(place, len(b))} is {right}",
            ),
        ),
        notes=[f"`@` contracts {contracts}"],
        helps=helps,
    )


def _size(dimension: Dimension) -> Size:
    assert isinstance(dimension, Size)
    return dimension


def _transposed(checking: Checking, given: Mapping[str, Given], a: Shape, b: Shape) -> list[Help]:
    """Advice to transpose the side after whose transposition the product is well-typed."""
    for name, side in (("b", "right"), ("a", "left")):
        shape = b if name == "b" else a
        rank = len(shape)
        if rank < 2 or any(isinstance(dimension, Pack) for dimension in shape):
            continue
        swapped = (*shape[:-2], shape[-1], shape[-2])
        x, y = (a, swapped) if name == "b" else (swapped, b)
        fits = x[-1] == (y[0] if len(y) == 1 else y[-2])
        if not fits or (len(y) > 2 and x[:-2] != y[:-2]):
            continue
        permutation = [*range(rank - 2), rank - 1, rank - 2]
        other = "its other axis" if rank == 2 else "its other axis of the last two"
        size = show_dimension(checking, x[-1])
        span = given[name].span
        if rank == 2 and span.text.endswith(".T"):
            edit = Edit(span.source.span(span.end - 2, span.end), "")
            return [Help(f"the {side} side has {size} as {other}; leave out its `.T`", (edit,))]
        edits = wrap(given[name], "transpose(", f", {permutation})")
        return [Help(f"the {side} side has {size} as {other}; transpose it", edits)]
    return []


def _refuse_batch(checking: Checking, given: Mapping[str, Given], a: Shape, b: Shape) -> NoReturn:
    types = [checking.show(t) for t in (given["a"].type, given["b"].type) if t is not None]
    batch_a, batch_b = a[:-2], b[:-2]
    if len(a) < 2 or isinstance(a[-2], Pack):
        checking.fail(
            "E0303",
            f"cannot multiply `{types[0]}` by `{types[1]}`: the right is a batch of matrices, the "
            "left is not",
            labels=_labels(
                checking,
                given,
                ("no batch of matrices", f"batch axes {show_shape(checking, batch_b)}"),
            ),
            notes=["batch axes must be equal on both sides"],
        )
    helps = []
    for name, batch, other, matrix in (
        ("a", batch_a, batch_b, a[-2:]),
        ("b", batch_b, batch_a, b[-2:]),
    ):
        if _stretches(batch, other):
            wanted = show_shape(checking, (*other, *matrix))
            helps.append(
                Help(
                    "a batch of 1 or none is not stretched by itself; `broadcast` does it, without "
                    "a copy",
                    wrap(given[name], "broadcast(", f", {wanted})"),
                )
            )
    shown = [show_shape(checking, batch) for batch in (batch_a, batch_b)]
    checking.fail(
        "E0303",
        f"cannot multiply `{types[0]}` by `{types[1]}`: batch axes {shown[0]} and {shown[1]} "
        "differ",
        labels=_labels(checking, given, [f"batch axes {text}" for text in shown]),
        notes=["batch axes must be equal on both sides, exactly; a batch of 1 is not stretched"],
        helps=helps,
    )


def _stretches(batch: Shape, other: Shape) -> bool:
    if len(batch) > len(other):
        return False
    aligned = zip(reversed(batch), reversed(other), strict=False)
    return batch != other and all(x in (y, ONE) for x, y in aligned)


def _reference(a: Array, b: Array) -> Array:
    dtype = known_dtype(a)
    wide = dtype.accumulator.numpy
    with np.errstate(all="ignore"):
        return np.asarray(np.matmul(a.astype(wide), b.astype(wide))).astype(dtype.numpy)


def _expand(builder: Builder, a: Any, b: Any) -> Any:
    dtype: DType = a.type.dtype
    a, b = builder.cast(a, dtype.accumulator), builder.cast(b, dtype.accumulator)
    return builder.cast(_product(builder, a, b), dtype)


def _product(builder: Builder, a: Any, b: Any) -> Any:
    left, right = a.type.shape, b.type.shape
    result = (*left[:-1], *right[-1:]) if len(right) > 1 else left[:-1]
    if len(left) == 1:
        a = builder.broadcast_in_dim(a, (ONE, *left), (1,))
    if len(right) == 1:
        b = builder.broadcast_in_dim(b, (*right, ONE), (0,))
    if len(right) <= 2 and len(left) > 2:
        a = builder.reshape(a, (elements(left[:-1]), left[-1]))
    elif len(right) > 3:
        a, b = (
            builder.reshape(x, (elements(x.type.shape[:-2]), *x.type.shape[-2:])) for x in (a, b)
        )
    product = builder.matmul(a, b)
    return product if product.type.shape == result else builder.reshape(product, result)


PRODUCTS = (
    Builtin(
        "matmul",
        "product",
        (Parameter("a", "value"), Parameter("b", "value")),
        "matmul[E: dtype(number), ...B, M, K, N](a: E[...B, M, K], b: E[...B, K, N]) -> "
        "E[...B, M, N]",
        "The product of matrices, of vectors and matrices, or of two equal batches of matrices; a "
        "batch times one matrix multiplies all rows by it. f16 and bf16 add up in f32, i8 and u8 "
        "in i32, and the sums are rounded to the operands' dtype.",
        "full([3], 2.0, f32) @ full([3], 1.0, f32) == 6.0",
        quiet(_rule),
        _reference,
        _expand,
        "@",
    ),
)
