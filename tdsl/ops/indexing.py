"""The builtins whose positions are known only at run time: take, slice, update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tdsl.ops.broadcasting import normal_axis, subscripted
from tdsl.ops.operands import I64, INTEGERS, array, array_or_number, is_kind, quiet, wrap
from tdsl.ops.primitive import Builder
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.ops.targets import require_sizes
from tdsl.syntax.diagnostics import Help
from tdsl.types.dtypes import AnyDType, DTypeVariable
from tdsl.types.sizes import Pack, Shape, Size
from tdsl.types.types import TensorType, WeakType

Array = np.ndarray[Any, Any]
ZERO = Size.of(0)

_X = Parameter("x", "value")
_AT = Parameter("at", "starts")
_CHECKED = "known only at run time and checked then: an IndexError where it is out of range"


# --- take


def _take_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    w = array(checking, "take", given["w"])
    ids = array_or_number(checking, "take", given["ids"])
    axis, dimension = normal_axis(checking, "take", given["axis"], given["axis"].value, w.shape)
    kind = ids.dtype if isinstance(ids, TensorType) else ids.kind
    if not is_kind(kind, INTEGERS):
        shown = checking.show(ids)
        helps = [Help("cast it", wrap(given["ids"], "i64(", ")"))]
        if isinstance(kind, DTypeVariable):
            helps = [Help(f"declare `{checking.show(kind)}: dtype(int)`")]
        checking.fail(
            "E0306",
            f"`take` takes integers as `ids`, not `{shown}`",
            labels=[(given["ids"].span, f"this is {shown}")],
            notes=["`ids` are positions along the axis"],
            helps=helps,
        )
    value = given["ids"].value
    if isinstance(value, int) and not isinstance(value, bool):
        assert isinstance(dimension, Size)
        _known_position(checking, given, value, axis, dimension)
    place = axis % len(w.shape)
    inner = ids.shape if isinstance(ids, TensorType) else ()
    shape = (*w.shape[:place], *inner, *w.shape[place + 1 :])
    convert: dict[str, AnyDType] = {"ids": I64} if isinstance(ids, WeakType) else {}
    return Typing(TensorType(w.dtype, shape), convert, {"axis": axis})


def _known_position(
    checking: Checking, given: Mapping[str, Given], value: int, axis: int, size: Size
) -> None:
    if value >= 0 and checking.at_least(size, value + 1):
        return
    shown = checking.show(size)
    certain = value < 0 or size.literal is not None
    where = None if certain else checking.where(Size.of(value + 1), "<=", size)
    checking.fail(
        "E0408",
        f"`take` at {value}, which {'is' if certain else 'may be'} out of bounds",
        labels=[
            (given["ids"].span, "positions count from 0" if value < 0 else ""),
            (given["w"].span, f"axis {axis} of it has size {shown}"),
        ],
        helps=[where] if where is not None else [],
    )


def _take(w: Array, ids: Array, axis: int = 0) -> Array:
    return PRIMITIVES["gather"].reference([w, ids], {"axis": axis % w.ndim})


def _take_expand(builder: Builder, w: Any, ids: Any, axis: int = 0) -> Any:
    return builder.gather(w, ids, axis % len(w.type.shape))


# --- windows: a start for each axis, and how many positions are taken from there


def _window(
    checking: Checking,
    name: str,
    given: Mapping[str, Given],
    whole: TensorType,
    part: tuple[Given, Shape],
) -> None:
    """Refuse a window that may be larger than the array, or one with a start that is known and
    may leave the array."""
    starts = given["at"]
    shown = checking.show(whole)
    rank = len(whole.shape)
    if any(isinstance(dimension, Pack) for dimension in whole.shape):
        checking.fail(
            "E0403",
            f"`{name}` needs one start an axis, and how many axes `{shown}` has is not known",
            labels=[(given["x"].span, "a pack stands for any number of axes")],
        )
    for count, what, span in (
        (len(starts.items), "starts", starts.span),
        (len(part[1]), "sizes", part[0].span),
    ):
        if count != rank:
            checking.fail(
                "E0403",
                f"`{name}` needs one start and one size an axis: {count} "
                f"{what[:-1] if count == 1 else what} for `{shown}`",
                labels=[(span, f"{count} here"), (given["x"].span, f"this is {shown}")],
            )
    for axis, (start, size, full) in enumerate(
        zip(starts.items, part[1], whole.shape, strict=True)
    ):
        assert isinstance(size, Size)
        assert isinstance(full, Size)
        _fits(checking, name, given["x"], part[0], axis, size, full)
        _start(checking, name, start)
        if isinstance(start.value, Size):
            _known_start(checking, name, given["x"], start, axis, size, full)


def _fits(
    checking: Checking, name: str, x: Given, part: Given, axis: int, size: Size, full: Size
) -> None:
    if checking.at_least(full - size, 0):
        return
    taken, there = checking.show(size), checking.show(full)
    literal = (full - size).literal is not None
    where = None if literal else checking.where(size, "<=", full)
    checking.fail(
        "E0401",
        f"`{name}`: {taken} positions {'do' if literal else 'may'} not fit into axis {axis}, which "
        f"has size {there}",
        labels=[(part.span, f"{taken} positions along axis {axis}"), _whole(checking, x)],
        notes=[] if literal else [f"nothing says {taken} <= {there}"],
        helps=[where] if where is not None else [],
    )


def _whole(checking: Checking, x: Given) -> tuple[Any, str]:
    assert x.type is not None
    return (x.span, f"this is {checking.show(x.type)}")


def _start(checking: Checking, name: str, start: Given) -> None:
    type_ = start.type
    fine = (isinstance(type_, WeakType) and type_.kind == "int") or (
        isinstance(type_, TensorType) and not type_.shape and is_kind(type_.dtype, INTEGERS)
    )
    if fine or type_ is None:
        return
    shown = checking.show(type_)
    helps = []
    if isinstance(type_, TensorType) and not type_.shape:
        helps = [Help("cast it", wrap(start, "i64(", ")"))]
    elif isinstance(type_, TensorType) and is_kind(type_.dtype, INTEGERS):
        helps = [Help("`take` takes an array of positions along one axis")]
    checking.fail(
        "E0406",
        f"`{name}` starts at a scalar integer on each axis, not at `{shown}`",
        labels=[(start.span, f"this is {shown}")],
        helps=helps,
    )


def _known_start(
    checking: Checking, name: str, x: Given, start: Given, axis: int, size: Size, full: Size
) -> None:
    """A start that is a size: what a subscript would have to show."""
    first: Size = start.value
    shown = checking.show(first)
    if not checking.at_least(first, 0):
        literal = first.literal is not None
        where = None if literal else checking.where(ZERO, "<=", first)
        checking.fail(
            "E0401",
            f"`{name}` {'starts' if literal else 'may start'} before the first position of axis "
            f"{axis}: at {shown}",
            labels=[(start.span, "starts count from 0"), _whole(checking, x)],
            helps=[where] if where is not None else [],
        )
    stop = first + size
    if not checking.at_least(full - stop, 0):
        literal = (full - stop).literal is not None
        where = None if literal else checking.where(stop, "<=", full)
        end, there = checking.show(stop), checking.show(full)
        checking.fail(
            "E0401",
            f"`{name}` {'runs' if literal else 'may run'} past the end of axis {axis}: it stops at "
            f"{end}, and the axis has size {there}",
            labels=[
                (start.span, f"from {shown} on, {checking.show(size)} positions"),
                _whole(checking, x),
            ],
            notes=[] if literal else [f"nothing says {end} <= {there}"],
            helps=[where] if where is not None else [],
        )


# --- slice


def _slice_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "slice", given["x"])
    size = require_sizes(checking, "slice", given["size"])
    _window(checking, "slice", given, x, (given["size"], size))
    return Typing(TensorType(x.dtype, size), {"at": I64}, {"size": size})


def _slice(x: Array, at: Sequence[Array], size: Sequence[int]) -> Array:
    sizes = tuple(map(Size.of, size))
    return PRIMITIVES["dynamic_slice"].reference([x, *at], {"sizes": sizes})


def _slice_expand(builder: Builder, x: Any, at: Sequence[Any], size: Sequence[Size]) -> Any:
    sizes = tuple(map(Size.of, size))
    known = [builder.known(start) for start in at]
    starts = tuple(Size.of(int(start)) for start in known if start is not None)
    if len(starts) == len(known) and all(map(_lies_within, starts, sizes, x.type.shape)):
        return builder.slice(x, starts, sizes)
    return builder.dynamic_slice(x, at, sizes)


def _lies_within(start: Size, size: Size, whole: Size) -> bool:
    """Whether it is certain, whatever sizes are still open."""
    first, room = start.literal, (whole - size - start).literal
    return first is not None and first >= 0 and room is not None and room >= 0


# --- update


def _update_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x, y = array(checking, "update", given["x"]), array(checking, "update", given["y"])
    if len(y.shape) != len(x.shape):
        helps = []
        if len(y.shape) + 1 == len(x.shape):
            axes = ", ".join(["newaxis", *[":"] * len(y.shape)])
            helps = [Help("give it a new axis", subscripted(given["y"], f"[{axes}]"))]
        checking.fail(
            "E0308",
            f"`update` puts a box of as many axes into an array: `{checking.show(y)}` into "
            f"`{checking.show(x)}`",
            labels=[
                (given["y"].span, f"this is {checking.show(y)}"),
                (given["x"].span, f"this is {checking.show(x)}"),
            ],
            helps=helps,
        )
    if x.dtype != y.dtype:
        wanted, found = checking.show(x.dtype), checking.show(y.dtype)
        variable = isinstance(x.dtype, DTypeVariable) or isinstance(y.dtype, DTypeVariable)
        checking.fail(
            "E0307" if variable else "E0306",
            f"`update` keeps the dtype: it cannot put {found} into an array of {wanted}",
            labels=[
                (given["y"].span, f"this is {checking.show(y)}"),
                (given["x"].span, f"this is {checking.show(x)}"),
            ],
            helps=[Help("cast it", wrap(given["y"], f"{wanted}(", ")"))],
        )
    _window(checking, "update", given, x, (given["y"], y.shape))
    return Typing(x, {"at": I64}, {})


def _update(x: Array, y: Array, at: Sequence[Array]) -> Array:
    return PRIMITIVES["dynamic_update"].reference([x, y, *at], {})


def _update_expand(builder: Builder, x: Any, y: Any, at: Sequence[Any]) -> Any:
    return builder.dynamic_update(x, y, at)


INDEXING = (
    Builtin(
        "take",
        "data",
        (Parameter("w", "value"), Parameter("ids", "value"), Parameter("axis", "axis", 0)),
        "take[E: dtype(any), I: dtype(int), ...S, ...R, ...T]"
        "(w: E[...S], ids: I[...R], axis=0) -> E[...T]",
        f"Those positions along an axis that `ids` hold: rows of a table by number. A position is "
        f"{_CHECKED}. They count from 0; negative ones are out of range.",
        "sum(take(10 * iota(4), iota(2) + i64(1), axis=0)) == 30",
        quiet(_take_rule),
        _take,
        _take_expand,
    ),
    Builtin(
        "slice",
        "data",
        (_X, _AT, Parameter("size", "shape")),
        "slice[E: dtype(any), ...S, ...R](x: E[...S], at, size) -> E[...R]",
        "A box of a size, from a start on each axis on, which may be "
        f"{_CHECKED}. Where all starts are sizes, `x[a:b]` says the same.",
        "sum(slice(iota(5), at=[i32(2)], size=[3])) == 9",
        quiet(_slice_rule),
        _slice,
        _slice_expand,
    ),
    Builtin(
        "update",
        "data",
        (_X, Parameter("y", "value"), _AT),
        "update[E: dtype(any), ...S, ...R](x: E[...S], y: E[...R], at) -> E[...S]",
        "x with the box y in it, from a start on each axis on, which may be "
        f"{_CHECKED}. x itself stays as it is.",
        "sum(update(iota(5), full([2], 10, i64), at=[i32(3)])) == 23",
        quiet(_update_rule),
        _update,
        _update_expand,
    ),
)
