"""The primitives that take their positions at run time; each position is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tdsl.ops.bounds import BUILTIN_OF, out_of_range
from tdsl.ops.primitive import (
    Array,
    ArrayLike,
    Attributes,
    Primitive,
    Sizes,
    check_axis,
    concrete_shape,
    require,
    show,
)
from tdsl.types.dtypes import DType


def _gather(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    x, ids = inputs
    axis = check_axis(attributes["axis"], len(x.shape))
    require(ids.dtype.is_integer, f"gather at positions of dtype {ids.dtype}")
    return x.dtype, (*x.shape[:axis], *ids.shape, *x.shape[axis + 1 :])


def _gather_reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
    x, ids = inputs
    axis = attributes["axis"]
    positions = np.asarray(ids).astype(np.int64)
    size = x.shape[axis]
    wrong = positions[(positions < 0) | (positions >= size)]
    if wrong.size:
        raise IndexError(out_of_range(BUILTIN_OF["gather"], int(wrong[0]), axis, size))
    return np.asarray(np.take(x, positions, axis))


def _require_starts(x: ArrayLike, starts: Sequence[ArrayLike], sizes: Sizes) -> None:
    require(len(starts) == len(x.shape) == len(sizes), "one start and size an axis")
    for start in starts:
        require(start.shape == () and start.dtype.is_integer, "a start is a scalar integer")
    for size, whole in zip(sizes, x.shape, strict=True):
        room = (whole - size).literal
        require(room is None or room >= 0, f"{show([sizes])} out of {show([x.shape])}")


def _dynamic_slice(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    x, *starts = inputs
    sizes = tuple(attributes["sizes"])
    _require_starts(x, starts, sizes)
    return x.dtype, sizes


def _box(builtin: str, x: Array, starts: Sequence[Array], sizes: Sequence[int]) -> tuple[Any, ...]:
    box = []
    for axis, (start, taken, size) in enumerate(zip(starts, sizes, x.shape, strict=True)):
        first = int(start)
        if not 0 <= first <= size - taken:
            raise IndexError(out_of_range(builtin, first, axis, size, taken))
        box.append(slice(first, first + taken))
    return tuple(box)


def _dynamic_slice_reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
    x, *starts = inputs
    sizes = concrete_shape(attributes["sizes"])
    return np.asarray(x[_box(BUILTIN_OF["dynamic_slice"], x, starts, sizes)])


def _dynamic_update(inputs: Sequence[ArrayLike], _: Attributes) -> tuple[DType, Sizes]:
    x, part, *starts = inputs
    require(x.dtype == part.dtype, f"update of {x.dtype} with {part.dtype}")
    _require_starts(x, starts, part.shape)
    return x.dtype, x.shape


def _dynamic_update_reference(inputs: Sequence[Array], _: Attributes) -> Array:
    x, part, *starts = inputs
    result = x.copy()
    result[_box(BUILTIN_OF["dynamic_update"], x, starts, part.shape)] = part
    return result


POSITIONS = (
    Primitive(
        "gather",
        "shape",
        ("axis",),
        "Those positions of an axis of the first operand that the second, of integers, holds; its "
        "axes stand in the place of the axis. IndexError for a position that is not there.",
        _gather,
        _gather_reference,
    ),
    Primitive(
        "dynamic_slice",
        "shape",
        ("sizes",),
        "A box of the first operand that starts at the others, a scalar for each axis. IndexError "
        "if it does not lie inside.",
        _dynamic_slice,
        _dynamic_slice_reference,
    ),
    Primitive(
        "dynamic_update",
        "shape",
        (),
        "The first operand with the second in the place of a box that starts at the others, a "
        "scalar for each axis. IndexError if it does not lie inside.",
        _dynamic_update,
        _dynamic_update_reference,
    ),
)
