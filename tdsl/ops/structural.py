"""The primitives that reduce, rearrange and multiply whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tdsl.ops.primitive import (
    DOMAINS,
    I64,
    ONE,
    Array,
    ArrayLike,
    Attributes,
    Domain,
    Infer,
    Primitive,
    Sizes,
    check_axis,
    concrete_shape,
    require,
    show,
)
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size, elements

# --- reductions


def _drop(shape: Sizes, axes: Sequence[int]) -> Sizes:
    for axis in axes:
        check_axis(axis, len(shape))
    require(len(set(axes)) == len(axes), f"axes {axes} repeat")
    return tuple(size for place, size in enumerate(shape) if place not in axes)


def _reduction(name: str, function: Callable[..., Any], doc: str, domain: Domain) -> Primitive:
    def infer(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
        (x,) = inputs
        require(x.dtype.kind in DOMAINS[domain], f"{name} does not take {x.dtype}")
        return x.dtype, _drop(x.shape, attributes["axes"])

    def reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
        (x,) = inputs
        with np.errstate(all="ignore"):
            return np.asarray(function(x, axis=tuple(attributes["axes"]), dtype=x.dtype))

    return Primitive(name, "reduction", ("axes",), doc, infer, reference)


def _arg_infer(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    return I64, _drop(x.shape, (attributes["axis"],))


def _cumsum_infer(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    check_axis(attributes["axis"], len(x.shape))
    require(x.dtype.kind in DOMAINS["number"], f"cumsum does not take {x.dtype}")
    return x.dtype, x.shape


def _cumsum_reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
    (x,) = inputs
    with np.errstate(all="ignore"):
        return np.cumsum(x, axis=attributes["axis"], dtype=x.dtype)


REDUCTIONS = (
    _reduction("reduce_sum", np.add.reduce, "The sum over axes, which go away.", "number"),
    _reduction("reduce_prod", np.multiply.reduce, "The product over axes.", "number"),
    _reduction("reduce_max", np.maximum.reduce, "The largest over axes; NaN if one is.", "any"),
    _reduction("reduce_min", np.minimum.reduce, "The smallest over axes; NaN if one is.", "any"),
    Primitive(
        "argmax",
        "reduction",
        ("axis",),
        "The first place of the largest along an axis, which goes away; of the first NaN if any.",
        _arg_infer,
        lambda inputs, a: np.asarray(np.argmax(inputs[0], axis=a["axis"])),
    ),
    Primitive(
        "argmin",
        "reduction",
        ("axis",),
        "The first place of the smallest along an axis, which goes away; of the first NaN if any.",
        _arg_infer,
        lambda inputs, a: np.asarray(np.argmin(inputs[0], axis=a["axis"])),
    ),
    Primitive(
        "cumsum",
        "reduction",
        ("axis",),
        "Running sums along an axis.",
        _cumsum_infer,
        _cumsum_reference,
    ),
)

# --- shapes


def _broadcast_in_dim(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    shape, axes = tuple(attributes["shape"]), tuple(attributes["axes"])
    require(len(axes) == len(x.shape), f"axes {axes} for rank {len(x.shape)}")
    require(list(axes) == sorted(set(axes)), f"axes {axes} are not increasing")
    for size, axis in zip(x.shape, axes, strict=True):
        check_axis(axis, len(shape))
        require(size in (ONE, shape[axis]), f"size {size} does not stretch to {shape[axis]}")
    return x.dtype, shape


def _broadcast_reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
    (x,) = inputs
    shape = concrete_shape(attributes["shape"])
    places = [1] * len(shape)
    for size, axis in zip(x.shape, attributes["axes"], strict=True):
        places[axis] = size
    return np.broadcast_to(x.reshape(places), shape)


def _reshape(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    shape = tuple(attributes["shape"])
    require(elements(shape) == elements(x.shape), f"reshape of {show([x.shape, shape])}")
    return x.dtype, shape


def _transpose(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    permutation = attributes["permutation"]
    require(sorted(permutation) == list(range(len(x.shape))), f"permutation {permutation}")
    return x.dtype, tuple(x.shape[axis] for axis in permutation)


def _slice(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    starts, sizes = attributes["starts"], tuple(attributes["sizes"])
    require(len(starts) == len(sizes) == len(x.shape), "one start and size an axis")
    for start, size, whole in zip(starts, sizes, x.shape, strict=True):
        room = (whole - start - size).literal
        require(room is None or room >= 0, f"[{start}, {start} + {size}) of an axis of {whole}")
    return x.dtype, sizes


def _slice_reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
    (x,) = inputs
    starts, sizes = concrete_shape(attributes["starts"]), concrete_shape(attributes["sizes"])
    return x[tuple(slice(a, a + n) for a, n in zip(starts, sizes, strict=True))]


def _concat(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    first, axis = inputs[0], attributes["axis"]
    check_axis(axis, len(first.shape))
    total = Size.of(0)
    for operand in inputs:
        require(operand.dtype == first.dtype, "concat of several dtypes")
        same = _drop(operand.shape, (axis,)) == _drop(first.shape, (axis,))
        require(same, f"concat of {show([first.shape, operand.shape])} on axis {axis}")
        total = total + operand.shape[axis]
    return first.dtype, (*first.shape[:axis], total, *first.shape[axis + 1 :])


def _pad(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    x, value = inputs
    require(value.shape == () and value.dtype == x.dtype, "pad needs a scalar of the same dtype")
    low, high = attributes["low"], attributes["high"]
    require(len(low) == len(high) == len(x.shape), "one pair an axis")
    return x.dtype, tuple(a + n + b for a, n, b in zip(low, x.shape, high, strict=True))


def _pad_reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
    x, value = inputs
    low, high = concrete_shape(attributes["low"]), concrete_shape(attributes["high"])
    shape = tuple(a + n + b for a, n, b in zip(low, x.shape, high, strict=True))
    result = np.full(shape, value, x.dtype)
    result[tuple(slice(a, a + n) for a, n in zip(low, x.shape, strict=True))] = x
    return result


def _reverse(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    _drop(x.shape, attributes["axes"])
    return x.dtype, x.shape


SHAPES = (
    Primitive(
        "broadcast_in_dim",
        "shape",
        ("shape", "axes"),
        "Each axis of the operand put at a place of the result; size 1 stretches.",
        _broadcast_in_dim,
        _broadcast_reference,
    ),
    Primitive(
        "reshape",
        "shape",
        ("shape",),
        "The same elements in row-major order under another shape.",
        _reshape,
        lambda inputs, a: inputs[0].reshape(concrete_shape(a["shape"])),
    ),
    Primitive(
        "transpose",
        "shape",
        ("permutation",),
        "Axis i of the result is axis permutation[i] of the operand.",
        _transpose,
        lambda inputs, a: np.transpose(inputs[0], a["permutation"]),
    ),
    Primitive(
        "slice",
        "shape",
        ("starts", "sizes"),
        "A box of the operand, unit stride.",
        _slice,
        _slice_reference,
    ),
    Primitive(
        "concat",
        "shape",
        ("axis",),
        "Operands one after the other along an axis.",
        _concat,
        lambda inputs, a: np.concatenate(inputs, axis=a["axis"]),
    ),
    Primitive(
        "pad",
        "shape",
        ("low", "high"),
        "The first operand with copies of the second, a scalar, around it.",
        _pad,
        _pad_reference,
    ),
    Primitive(
        "reverse",
        "shape",
        ("axes",),
        "Axes run backwards.",
        _reverse,
        lambda inputs, a: np.flip(inputs[0], tuple(a["axes"])),
    ),
)

# --- products


def _product(name: str, batch: int) -> Infer:
    def infer(inputs: Sequence[ArrayLike], _: Attributes) -> tuple[DType, Sizes]:
        a, b = inputs
        require(a.dtype == b.dtype, f"{name} of {a.dtype} and {b.dtype}")
        require(a.dtype.kind in DOMAINS["number"], f"{name} does not take {a.dtype}")
        require(len(a.shape) == len(b.shape) == batch + 2, f"{name} of {show([a.shape, b.shape])}")
        fits = a.shape[:batch] == b.shape[:batch] and a.shape[-1] == b.shape[-2]
        require(fits, f"{name} of {show([a.shape, b.shape])}")
        return a.dtype, (*a.shape[:-1], b.shape[-1])

    return infer


def _matmul_reference(inputs: Sequence[Array], _: Attributes) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(np.matmul(*inputs)).astype(inputs[0].dtype, copy=False)


PRODUCTS = (
    Primitive(
        "matmul",
        "product",
        (),
        "[M, K] by [K, N], summed in the operands' own dtype (widened before where it is narrow).",
        _product("matmul", 0),
        _matmul_reference,
    ),
    Primitive(
        "batch_matmul",
        "product",
        (),
        "[B, M, K] by [B, K, N].",
        _product("batch_matmul", 1),
        _matmul_reference,
    ),
)
