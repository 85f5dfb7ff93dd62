"""The builtins that rearrange: reshape, transpose, broadcast, concat, stack, split, pad, flip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from tdsl.ops.broadcasting import (
    ONE,
    broadcasts_to,
    normal_axes,
    normal_axis,
    subscripted,
)
from tdsl.ops.operands import (
    array,
    array_or_number,
    conversions,
    quiet,
    scalar,
    shape_of,
    show_shape,
    unify,
    with_shape,
)
from tdsl.ops.primitive import Builder
from tdsl.ops.reshaping import RESHAPE
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.ops.targets import require_sizes
from tdsl.syntax.diagnostics import Help
from tdsl.types.dtypes import AnyDType
from tdsl.types.sizes import Dimension, Pack, Shape, Size, divide_exactly
from tdsl.types.types import ListType, TensorType, TupleType

Array = np.ndarray[Any, Any]
ZERO = Size.of(0)
_X = Parameter("x", "value")
_BROADCAST_RULE = (
    "axes are aligned from the right; each must have the wanted size or the literal size 1, and "
    "further axes may come before"
)


# --- transpose


def _transpose_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "transpose", given["x"])
    wanted: tuple[int, ...] = given["permutation"].value
    rank = len(x.shape)
    shown = f"[{', '.join(map(str, wanted))}]"
    if any(isinstance(dimension, Pack) for dimension in x.shape):
        checking.fail(
            "E0404",
            f"`transpose` lists every axis, and how many `{checking.show(x)}` has is not known",
            labels=[(given["x"].span, "a pack stands for any number of axes")],
        )
    permutation = tuple(axis % rank if -rank <= axis < rank else axis for axis in wanted)
    if sorted(permutation) != list(range(rank)):
        axes = ", ".join(map(str, range(rank))) or "none"
        repeated = next((axis for axis in permutation if permutation.count(axis) > 1), None)
        beyond = next((axis for axis in permutation if not 0 <= axis < rank), None)
        if beyond is not None:
            reason = f"there is no axis {beyond}"
        elif repeated is not None:
            reason = f"axis {repeated} stands twice"
        else:
            missing = sorted(set(range(rank)) - set(permutation))
            reason = f"axis {missing[0]} is missing"
        checking.fail(
            "E0404",
            f"{shown} is not a permutation of the axes of `{checking.show(x)}`: {reason}",
            labels=[
                (given["permutation"].span, reason),
                (given["x"].span, f"this is {checking.show(x)}, with the axes {axes}"),
            ],
        )
    shape = tuple(x.shape[axis] for axis in permutation)
    return Typing(TensorType(x.dtype, shape), {}, {"permutation": permutation})


# --- broadcast


def _broadcast_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "broadcast", given["x"])
    target = require_sizes(checking, "broadcast", given["shape"])
    if not broadcasts_to(x.shape, target):
        checking.fail(
            "E0304",
            f"cannot broadcast `{checking.show(x)}` to {show_shape(checking, target)}",
            labels=[
                (given["shape"].span, f"wanted: {show_shape(checking, target)}"),
                (given["x"].span, f"this is {checking.show(x)}"),
            ],
            notes=[_BROADCAST_RULE],
            helps=_placements(checking, given["x"], x.shape, target),
        )
    return Typing(TensorType(x.dtype, target), {}, {"shape": target})


def _placements(checking: Checking, operand: Given, shape: Shape, target: Shape) -> list[Help]:
    """Where among the wanted axes those of the array could be; the last ones are tried first."""
    helps: list[Help] = []
    for places in [*combinations(range(len(target)), len(shape))][::-1]:
        fits = all(size == target[place] for size, place in zip(shape, places, strict=True))
        if not fits or not places or len(helps) == 2:
            continue
        axes = range(places[0], len(target))
        index = ", ".join(":" if axis in places else "newaxis" for axis in axes)
        listed = ", ".join(map(str, places))
        which = f"it is axis {listed}" if len(places) == 1 else f"its axes are {listed}"
        edits = subscripted(operand, f"[{index}]")
        helps.append(Help(f"if {which} of the result, index it by `[{index}]`", edits))
    return helps


# --- lists of arrays


def _items(checking: Checking, name: str, given: Given) -> tuple[tuple[Given, ...], Size]:
    """Each array of a list, or one that stands for all, and how many there are."""
    if given.items:
        return given.items, Size.of(len(given.items))
    if isinstance(given.type, TupleType):
        items = tuple(Given(given.span, item) for item in given.type.items)
        return items, Size.of(len(items))
    if not isinstance(given.type, ListType):
        checking.fail(
            "E0308",
            f"`{name}` takes a list of arrays",
            labels=[(given.span, "not a list")],
        )
    return (Given(given.span, given.type.item),), given.type.length


def _joined_dtype(checking: Checking, name: str, items: Sequence[Given], given: Given) -> AnyDType:
    for item in items:
        array_or_number(checking, name, item)
    dtype = unify(checking, name, items)
    if isinstance(dtype, str):
        checking.fail(
            "E0308",
            f"`{name}` of compile-time numbers has no dtype",
            labels=[(given.span, "no dtype here")],
            helps=[Help("give one of the numbers a dtype, for example `f32(1.0)`")],
        )
    return dtype


def _concat_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    items, length = _items(checking, "concat", given["xs"])
    types = [array(checking, "concat", item) for item in items]
    dtype = _joined_dtype(checking, "concat", items, given["xs"])
    first = types[0]
    axis, dimension = normal_axis(
        checking, "concat", given["axis"], given["axis"].value, first.shape
    )
    place = axis % len(first.shape)
    total: Size = ZERO
    for number, (item, type_) in enumerate(zip(items, types, strict=True)):
        joined = type_.shape[place] if len(type_.shape) == len(first.shape) else None
        same = joined is not None and all(
            p == place or x == y
            for p, (x, y) in enumerate(zip(type_.shape, first.shape, strict=True))
        )
        if not same or not isinstance(joined, Size):
            span = item.span
            checking.fail(
                "E0409",
                f"`concat` along axis {axis} joins arrays that agree on every other axis; item "
                f"{number} is `{checking.show(type_)}`, the first `{checking.show(first)}`",
                labels=[(span, f"item {number} is {checking.show(type_)}")],
            )
        total = total + joined
    assert isinstance(dimension, Size)
    if len(items) == 1:
        total = dimension * length
    shape = (*first.shape[:place], total, *first.shape[place + 1 :])
    return Typing(TensorType(dtype, shape), {"xs": dtype}, {"axis": axis})


def _stack_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    items, length = _items(checking, "stack", given["xs"])
    dtype = _joined_dtype(checking, "stack", items, given["xs"])
    shapes = [shape_of(array_or_number(checking, "stack", item)) for item in items]
    for number, (item, shape) in enumerate(zip(items, shapes, strict=True)):
        if shape != shapes[0]:
            checking.fail(
                "E0409",
                f"`stack` joins arrays of one shape; item {number} has "
                f"{show_shape(checking, shape)}, the first {show_shape(checking, shapes[0])}",
                labels=[(item.span, f"item {number} has {show_shape(checking, shape)}")],
            )
    value = given["axis"].value
    # The new axis counts among the axes: -1 puts it last.
    widened = (ONE, *shapes[0]) if value >= 0 else (*shapes[0], ONE)
    axis, _ = normal_axis(checking, "stack", given["axis"], value, widened)
    place = axis % len(widened)
    result: tuple[Dimension, ...] = (*shapes[0][:place], length, *shapes[0][place:])
    return Typing(TensorType(dtype, result), {"xs": dtype}, {"axis": axis})


def _stack_expand(builder: Builder, xs: Sequence[Any], axis: int = 0) -> Any:
    rank = len(xs[0].type.shape) + 1
    place = axis % rank
    axes = tuple(a for a in range(rank) if a != place)
    widened = []
    for x in xs:
        shape = list(x.type.shape)
        shape.insert(place, ONE)
        widened.append(builder.broadcast_in_dim(x, tuple(shape), axes))
    return builder.concat(widened, place) if len(widened) > 1 else widened[0]


def _concat_expand(builder: Builder, xs: Sequence[Any], axis: int) -> Any:
    return builder.concat(xs, axis % len(xs[0].type.shape)) if len(xs) > 1 else xs[0]


# --- split


def _split_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "split", given["x"])
    parts: Size = given["parts"].value
    if not checking.at_least(parts, 1):
        checking.fail(
            "E0413",
            f"`split` into {checking.show(parts)} parts: there must be one or more",
            labels=[(given["parts"].span, "may be smaller than 1")],
        )
    axis, dimension = normal_axis(checking, "split", given["axis"], given["axis"].value, x.shape)
    assert isinstance(dimension, Size)
    size = divide_exactly(dimension, parts)
    if size is None:
        shown, into = checking.show(dimension), checking.show(parts)
        where = checking.where(parts, "divides", dimension) if dimension.literal is None else None
        checking.fail(
            "E0412",
            f"`split`: {into} does not divide {shown}, the size of axis {axis}",
            labels=[
                (given["parts"].span, f"{into} equal parts"),
                (given["x"].span, f"this is {checking.show(x)}"),
            ],
            helps=[where] if where is not None else [Help("slices may have different sizes")],
        )
    place = axis % len(x.shape)
    item = TensorType(x.dtype, (*x.shape[:place], size, *x.shape[place + 1 :]))
    return Typing(ListType(item, parts), {}, {"parts": parts, "axis": axis})


def _split(x: Array, parts: int, axis: int = 0) -> tuple[Array, ...]:
    return tuple(np.split(x, parts, axis))


def _split_expand(builder: Builder, x: Any, parts: Size | int, axis: int = 0) -> tuple[Any, ...]:
    count = Size.of(parts).literal
    assert count is not None, "a list of unknown length is never built"
    shape: tuple[Size, ...] = x.type.shape
    place = axis % len(shape)
    size = divide_exactly(shape[place], Size.of(count))
    assert size is not None
    sizes = (*shape[:place], size, *shape[place + 1 :])
    found = []
    for part in range(count):
        starts = tuple(size * part if a == place else ZERO for a in range(len(shape)))
        found.append(builder.slice(x, starts, sizes))
    return tuple(found)


# --- pad, flip


def _pad_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "pad", given["x"])
    scalar(checking, "pad", given["value"])
    dtype = unify(checking, "pad", (given["x"], given["value"]))
    pairs: tuple[tuple[Size, Size], ...] = given["pairs"].value
    if len(pairs) != len(x.shape) or any(isinstance(d, Pack) for d in x.shape):
        checking.fail(
            "E0403",
            f"`pad` needs one pair an axis: {len(pairs)} for `{checking.show(x)}`",
            labels=[
                (given["pairs"].span, "how much is added before and after each axis"),
                (given["x"].span, f"this is {checking.show(x)}"),
            ],
        )
    shape: list[Dimension] = []
    for (low, high), dimension in zip(pairs, x.shape, strict=True):
        for size in (low, high):
            if not checking.at_least(size, 0):
                checking.fail(
                    "E0413",
                    f"`pad` cannot take away: {checking.show(size)} may be negative",
                    labels=[(given["pairs"].span, "must be 0 or more")],
                    helps=[Help("a slice makes an array smaller")],
                )
        assert isinstance(dimension, Size)
        shape.append(low + dimension + high)
    return Typing(
        with_shape(dtype, tuple(shape)), conversions(dtype, ("x", "value")), {"pairs": pairs}
    )


def _pad(x: Array, value: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    shape = tuple(low + size + high for (low, high), size in zip(pairs, x.shape, strict=True))
    result = np.full(shape, value, x.dtype)
    result[tuple(slice(low, low + n) for (low, _), n in zip(pairs, x.shape, strict=True))] = x
    return result


def _pad_expand(builder: Builder, x: Any, value: Any, pairs: Sequence[tuple[Size, Size]]) -> Any:
    return builder.pad(
        x, tuple(Size.of(low) for low, _ in pairs), tuple(Size.of(high) for _, high in pairs), value
    )


def _flip_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "flip", given["x"])
    axes = normal_axes(checking, "flip", given["axis"], x.shape)
    return Typing(x, {}, {"axis": axes})


def _flip_axes(axis: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    return tuple(range(rank)) if axis is None else tuple(sorted(a % rank for a in axis))


def _shape_builtin(
    name: str,
    parameters: tuple[Parameter, ...],
    signature: str,
    doc: str,
    example: str,
    rule: Any,
    reference: Any,
    expand: Any,
) -> Builtin:
    return Builtin(
        name, "shape", parameters, signature, doc, example, quiet(rule), reference, expand
    )


SHAPES = (
    RESHAPE,
    _shape_builtin(
        "transpose",
        (_X, Parameter("permutation", "permutation")),
        "transpose[E: dtype(any), ...S, ...R](x: E[...S], permutation) -> E[...R]",
        "Axes in another order: axis i of the result is axis permutation[i] of x. `x.T` is short "
        "for a matrix.",
        "all(transpose(eye(2, f32), [1, 0]) == eye(2, f32))",
        _transpose_rule,
        lambda x, permutation: np.transpose(x, permutation),
        lambda builder, x, permutation: builder.transpose(x, tuple(permutation)),
    ),
    _shape_builtin(
        "broadcast",
        (_X, Parameter("shape", "shape")),
        "broadcast[E: dtype(any), ...S, ...R](x: E[...S], shape) -> E[...R]",
        "x repeated to a shape: new axes come first, axes of the literal size 1 stretch. It costs "
        "nothing by itself.",
        "sum(broadcast(f32(2.0), [3])) == 6.0",
        _broadcast_rule,
        lambda x, shape: np.broadcast_to(x, shape),
        lambda builder, x, shape: builder.broadcast_to(x, tuple(shape)),
    ),
    _shape_builtin(
        "concat",
        (Parameter("xs", "values"), Parameter("axis", "axis")),
        "concat[E: dtype(any), ...S, ...R, L](xs: [E[...S]; L], axis) -> E[...R]",
        "Arrays one after the other along an axis; they agree on every other axis.",
        "sum(concat([full([2], 1, i32), full([3], 2, i32)], axis=0)) == 8",
        _concat_rule,
        lambda xs, axis: np.concatenate(list(xs), axis=axis),
        _concat_expand,
    ),
    _shape_builtin(
        "stack",
        (Parameter("xs", "values"), Parameter("axis", "axis", 0)),
        "stack[E: dtype(any), ...S, ...R, L](xs: [E[...S]; L], axis=0) -> E[...R]",
        "Arrays of one shape along a new axis.",
        "sum(stack([i32(1), i32(2)])) == 3",
        _stack_rule,
        lambda xs, axis=0: np.stack(list(xs), axis=axis),
        _stack_expand,
    ),
    _shape_builtin(
        "split",
        (_X, Parameter("parts", "size"), Parameter("axis", "axis", 0)),
        "split[E: dtype(any), ...S, ...R, L](x: E[...S], parts, axis=0) -> [E[...R]; L]",
        "A list of equal parts along an axis, whose size the number of parts divides.",
        "sum(split(iota(4), 2)[1]) == 5",
        _split_rule,
        _split,
        _split_expand,
    ),
    _shape_builtin(
        "pad",
        (_X, Parameter("pairs", "pairs"), Parameter("value", "value")),
        "pad[E: dtype(any), ...S, ...R](x: E[...S], pairs, value: E) -> E[...R]",
        "x with a value around it: for each axis a pair, how much before and how much after.",
        "sum(pad(iota(3), [[1, 2]], 10)) == 33",
        _pad_rule,
        lambda x, value, pairs: _pad(x, value, pairs),
        _pad_expand,
    ),
    _shape_builtin(
        "flip",
        (_X, Parameter("axis", "axes", None)),
        "flip[E: dtype(any), ...S](x: E[...S], axis=all) -> E[...S]",
        "One axis, a list of axes or all run backwards.",
        "flip(iota(3), axis=0)[0] == 2",
        _flip_rule,
        lambda x, axis=None: np.flip(x, _flip_axes(axis, x.ndim)),
        lambda builder, x, axis=None: builder.reverse(x, _flip_axes(axis, len(x.type.shape))),
    ),
)
