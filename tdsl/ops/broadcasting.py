"""Typing of shapes: NumPy's broadcasting without guesses about symbolic sizes, and axes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NoReturn

from tdsl.ops.operands import show_dimension, show_shape, wrap
from tdsl.ops.table import Checking, Given
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.sizes import Dimension, Pack, Shape, Size

ONE = Size.of(1)
_RULE = (
    "shapes are aligned from the right; each pair of sizes must be equal, or one of them the "
    "literal 1"
)
_PACK_RULE = (
    "shapes are aligned from the right, and beyond a pack nothing is known of what meets what; "
    "the same pack in the same place is fine"
)


def broadcast(checking: Checking, operation: str, operands: Sequence[tuple[Given, Shape]]) -> Shape:
    """The shape that elementwise operands broadcast to."""
    widest, shape = operands[0]
    for given, other in operands[1:]:
        result = _pair(checking, operation, (widest, shape), (given, other))
        if len(result) > len(shape) or result == other:
            widest = given
        shape = result
    return shape


def _pair(
    checking: Checking, operation: str, left: tuple[Given, Shape], right: tuple[Given, Shape]
) -> Shape:
    result: list[Dimension] = []
    aligned = zip_longest(reversed(left[1]), reversed(right[1]))
    for distance, (a, b) in enumerate(aligned, start=1):
        if a is None or b is None:
            kept = b if a is None else a
        elif a == b:
            kept = a
        elif isinstance(a, Pack) or isinstance(b, Pack):
            _refuse_pack(checking, operation, left, right)
        elif a == ONE:
            kept = b
        elif b == ONE:
            kept = a
        else:
            _refuse_sizes(checking, operation, left, right, a, b, distance)
        assert kept is not None
        result.append(kept)
    shape = tuple(reversed(result))
    _refuse_vector_against_column(checking, operation, left, right, shape)
    return shape


def _labels(
    checking: Checking, operands: Sequence[tuple[Given, Shape]], remarks: Sequence[str]
) -> list[tuple[Span, str]]:
    labels: list[tuple[Span, str]] = [(checking.span, "")]
    for (given, _), remark in zip(operands, remarks, strict=True):
        shown = f"`{checking.show(given.type)}`" if given.type else ""
        labels.append((given.span, f"{shown}{remark}"))
    return labels


def _types(checking: Checking, operands: Sequence[tuple[Given, Shape]]) -> list[str]:
    return [
        f"`{checking.show(given.type)}`" if given.type else show_shape(checking, shape)
        for given, shape in operands
    ]


def _refuse_sizes(
    checking: Checking,
    operation: str,
    left: tuple[Given, Shape],
    right: tuple[Given, Shape],
    a: Size,
    b: Size,
    distance: int,
) -> NoReturn:
    one, other = _types(checking, (left, right))
    first, second = checking.show(a), checking.show(b)
    remarks = []
    for (_, shape), size in ((left, first), (right, second)):
        packed = any(isinstance(dimension, Pack) for dimension in shape)
        axis = -distance if packed else len(shape) - distance
        remarks.append(f": axis {axis} is {size}")
    helps: list[Help] = []
    never = checking.at_least(a - b, 1) or checking.at_least(b - a, 1)
    if not never:
        helps.append(
            Help(
                f"if {first} and {second} are always equal, write one name for both in the signature"
            )
        )
        where = checking.where(a, "==", b)
        if where is not None:
            helps.append(where)
    checking.fail(
        "E0304",
        f"`{operation}` cannot broadcast {one} with {other}: {first} against {second} "
        f"on axis {-distance}",
        labels=_labels(checking, (left, right), remarks),
        notes=[_RULE],
        helps=helps,
    )


def _refuse_pack(
    checking: Checking, operation: str, left: tuple[Given, Shape], right: tuple[Given, Shape]
) -> NoReturn:
    one, other = _types(checking, (left, right))
    checking.fail(
        "E0304",
        f"`{operation}` cannot broadcast {one} with {other}: a pack stands for any number of axes",
        labels=_labels(checking, (left, right), ("", "")),
        notes=[_PACK_RULE],
    )


def _refuse_vector_against_column(
    checking: Checking,
    operation: str,
    left: tuple[Given, Shape],
    right: tuple[Given, Shape],
    result: Shape,
) -> None:
    vector, column = (left, right) if len(left[1]) < len(right[1]) else (right, left)
    grows = result not in (left[1], right[1])
    if not (grows and len(vector[1]) == 1 and len(column[1]) > 1):
        return
    if column[1][-1] != ONE or column[1][-2] == ONE:
        return
    one, other = _types(checking, (left, right))
    helps = []
    if column[1][-2] == vector[1][0]:
        shown = show_shape(checking, column[1])
        helps.append(
            Help(
                f"for one number a row, {shown}: make the vector a column",
                subscripted(vector[0], "[:, newaxis]"),
            )
        )
        if len(column[1]) == 2:
            shown = show_shape(checking, vector[1])
            helps.append(
                Help(
                    f"for one number a place, {shown}: make the column a vector",
                    subscripted(column[0], "[:, 0]"),
                )
            )
    helps.append(
        Help(
            f"for every pair, {show_shape(checking, result)}: make the vector a row",
            subscripted(vector[0], "[newaxis, :]"),
        )
    )
    checking.fail(
        "E0305",
        f"both operands of `{operation}` would grow: {one} with {other} gives "
        f"{show_shape(checking, result)}",
        labels=_labels(
            checking,
            (vector, column),
            (": a vector, it would be repeated as rows", ": a column, it would be stretched"),
        ),
        notes=["a vector against a column is nearly always a missing or a stray axis of size 1"],
        helps=helps,
    )


def subscripted(given: Given, subscript: str) -> tuple[Edit, ...]:
    """Edits that index an operand."""
    if re.fullmatch(r"[\w.]+", given.span.text):
        end = given.span.end
        return (Edit(given.span.source.span(end, end), subscript),)
    return wrap(given, "(", ")" + subscript)


def broadcasts_to(shape: Shape, target: Shape) -> bool:
    """Whether an array of this shape can be repeated to the target, by NumPy's rule."""
    if len(shape) > len(target):
        return False
    aligned = zip(reversed(shape), reversed(target), strict=False)
    return all(a in (b, ONE) for a, b in aligned)


def normal_axis(
    checking: Checking, operation: str, given: Given, axis: int, shape: Shape
) -> tuple[int, Dimension]:
    """The axis as it is kept in attributes, and its size: counted from the left, but from the
    right beyond a pack."""
    packs = [place for place, dimension in enumerate(shape) if isinstance(dimension, Pack)]
    rank = len(shape)
    if not packs:
        if not -rank <= axis < rank:
            _refuse_axis(checking, operation, given, axis, shape)
        return axis % rank, shape[axis]
    if not (0 <= axis < packs[0] or packs[-1] - rank < axis < 0):
        pack = show_dimension(checking, shape[packs[0 if axis >= 0 else -1]])
        note = (
            f"`{pack}` stands for any number of axes: count from the left for axes left of it, and "
            "from the right (-1 is the last) for axes right of it"
        )
        checking.fail(
            "E0403",
            f"`{operation}`: which axis {axis} of {show_shape(checking, shape)} is depends on "
            f"`{pack}`",
            labels=[(given.span, f"axis {axis} is in or beyond `{pack}`")],
            notes=[note],
        )
    return axis, shape[axis]


def _refuse_axis(
    checking: Checking, operation: str, given: Given, axis: int, shape: Shape
) -> NoReturn:
    rank = len(shape)
    what = "a number has no axes" if rank == 0 else f"axes are 0 to {rank - 1}, or -{rank} to -1"
    if rank == 1:
        what = "its only axis is 0, or -1"
    checking.fail(
        "E0403",
        f"`{operation}`: {show_shape(checking, shape)} has no axis {axis}",
        labels=[(given.span, what)],
    )


def normal_axes(
    checking: Checking, operation: str, given: Given | None, shape: Shape
) -> tuple[int, ...] | None:
    """Axes as kept in attributes, in increasing order of place; None for all."""
    if given is None or given.value is None:
        return None
    value = given.value
    wanted: Sequence[int] = value if isinstance(value, tuple) else (value,)
    axes: dict[int, int] = {}
    for axis in wanted:
        normal, _ = normal_axis(checking, operation, given, axis, shape)
        place = normal % len(shape)
        if place in axes:
            checking.fail(
                "E0403",
                f"`{operation}`: axis {axis} is named twice",
                labels=[(given.span, "each axis once")],
            )
        axes[place] = normal
    return tuple(axes[place] for place in sorted(axes))
