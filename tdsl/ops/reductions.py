"""The builtins that reduce or accumulate along axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from tdsl.ops.broadcasting import ONE, normal_axes, normal_axis
from tdsl.ops.operands import (
    BOOL,
    F64,
    FLOATS,
    I64,
    INTEGERS,
    array,
    is_kind,
    quiet,
    refuse_dtype,
    require_bool,
    show_shape,
)
from tdsl.ops.primitive import Builder, Reduction
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Rule, Typing
from tdsl.syntax.diagnostics import Help
from tdsl.types.dtypes import AnyDType, DType, of_numpy
from tdsl.types.sizes import Pack, Shape, Size, elements
from tdsl.types.types import TensorType

Array = np.ndarray[Any, Any]
Axes = tuple[int, ...] | None
ResultDType = Callable[[Checking, str, Given, AnyDType], AnyDType]

_X = Parameter("x", "value")
_PARAMETERS = (_X, Parameter("axis", "axes", None), Parameter("keepdims", "flag", False))


def _reduced_shape(
    checking: Checking, name: str, shape: Shape, axes: Axes, keepdims: bool
) -> Shape:
    if axes is not None:
        places = {axis % len(shape) for axis in axes}
        kept = [
            ONE if place in places else dimension
            for place, dimension in enumerate(shape)
            if keepdims or place not in places
        ]
        return tuple(kept)
    if keepdims and any(isinstance(dimension, Pack) for dimension in shape):
        checking.fail(
            "E0403",
            f"`{name}` over all axes of {show_shape(checking, shape)} cannot keep them: how many "
            "there are is not known",
            helps=[Help("name the axes, `axis=-1`, or leave `keepdims` out")],
        )
    return (ONE,) * len(shape) if keepdims else ()


def _rule(name: str, result_dtype: ResultDType) -> Rule:
    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        x = array(checking, name, given["x"])
        dtype = result_dtype(checking, name, given["x"], x.dtype)
        axes = normal_axes(checking, name, given["axis"], x.shape)
        keepdims = bool(given["keepdims"].value)
        shape = _reduced_shape(checking, name, x.shape, axes, keepdims)
        return Typing(TensorType(dtype, shape), {}, {"axis": axes, "keepdims": keepdims})

    return quiet(rule)


# --- dtypes of results


def _same(_checking: Checking, _name: str, _given: Given, dtype: AnyDType) -> AnyDType:
    return dtype


def _for_integers(integers: DType) -> ResultDType:
    """Floats as they are; integers and bools give another dtype, so a parameter must say which."""

    def result(checking: Checking, name: str, given: Given, dtype: AnyDType) -> AnyDType:
        floats = is_kind(dtype, FLOATS)
        if not (floats or isinstance(dtype, DType) or is_kind(dtype, INTEGERS)):
            shown = checking.show(dtype)
            refuse_dtype(
                checking,
                name,
                given,
                dtype,
                f"floats, or integers (which give {integers})",
                [Help(f"declare `{shown}: dtype(float)` or `{shown}: dtype(int)`")],
            )
        return dtype if floats else integers

    return result


def _bools(checking: Checking, name: str, given: Given, _: AnyDType) -> AnyDType:
    require_bool(checking, name, given)
    return BOOL


# --- values


def _places(axis: Axes, rank: int) -> tuple[int, ...]:
    return tuple(range(rank)) if axis is None else tuple(sorted(a % rank for a in axis))


def known_dtype(x: Array) -> DType:
    found = of_numpy(np.asarray(x).dtype)
    assert found is not None, np.asarray(x).dtype
    return found


def _accumulator(dtype: DType) -> DType:
    """What sums of an array of this dtype are made in."""
    return dtype.accumulator if dtype.is_float else I64


def _accumulated(function: Callable[..., Any]) -> Callable[..., Array]:
    """Sum or product: floats round back from their accumulator, integers stay i64."""

    def compute(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
        dtype = known_dtype(x)
        wide = _accumulator(dtype).numpy
        with np.errstate(all="ignore"):
            total = function(x, axis=_places(axis, x.ndim), dtype=wide, keepdims=keepdims)
            return np.asarray(total).astype(dtype.numpy if dtype.is_float else wide)

    return compute


def _mean(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    dtype = known_dtype(x)
    wide, narrow = (dtype.accumulator, dtype) if dtype.is_float else (F64, F64)
    with np.errstate(all="ignore"):
        found = np.mean(x, axis=_places(axis, x.ndim), dtype=wide.numpy, keepdims=keepdims)
        return np.asarray(found).astype(narrow.numpy)


def _plain(function: Callable[..., Any]) -> Callable[..., Array]:
    def compute(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
        with np.errstate(all="ignore"):
            found = function(x, axis=_places(axis, x.ndim), keepdims=keepdims)
        return np.asarray(found).astype(x.dtype, copy=False)

    return compute


# --- expansions


def _reduce(builder: Builder, operation: Reduction, x: Any, axis: Axes, keepdims: bool) -> Any:
    shape = x.type.shape
    axes = _places(axis, len(shape))
    return _keep(builder, builder.reduce(operation, x, axes), shape, axes, keepdims)


def _keep(
    builder: Builder, reduced: Any, shape: tuple[Size, ...], axes: tuple[int, ...], keepdims: bool
) -> Any:
    if not keepdims or not axes:
        return reduced
    whole = tuple(ONE if place in axes else size for place, size in enumerate(shape))
    kept = tuple(place for place in range(len(shape)) if place not in axes)
    return builder.broadcast_in_dim(reduced, whole, kept)


def _expand_accumulated(operation: Reduction) -> Callable[..., Any]:
    def expand(builder: Builder, x: Any, axis: Axes = None, keepdims: bool = False) -> Any:
        dtype: DType = x.type.dtype
        wide = _accumulator(dtype)
        total = _reduce(builder, operation, builder.cast(x, wide), axis, keepdims)
        return builder.cast(total, dtype) if dtype.is_float else total

    return expand


def _expand_mean(builder: Builder, x: Any, axis: Axes = None, keepdims: bool = False) -> Any:
    dtype: DType = x.type.dtype
    wide, narrow = (dtype.accumulator, dtype) if dtype.is_float else (F64, F64)
    total = _reduce(builder, "sum", builder.cast(x, wide), axis, keepdims)
    sizes = [x.type.shape[place] for place in _places(axis, len(x.type.shape))]
    count = builder.cast(builder.size(elements(tuple(sizes))), wide)
    return builder.cast(builder.elementwise("div", total, count), narrow)


def _expand_plain(operation: Reduction) -> Callable[..., Any]:
    def expand(builder: Builder, x: Any, axis: Axes = None, keepdims: bool = False) -> Any:
        return _reduce(builder, operation, x, axis, keepdims)

    return expand


def _reduction(
    name: str,
    types: tuple[str, str],
    doc: str,
    example: str,
    result_dtype: ResultDType,
    reference: Callable[..., Array],
    expand: Callable[..., Any],
) -> Builtin:
    bound, result = types
    dtypes = "" if bound == "bool" else f"E: dtype({bound}), "
    dtypes += f"{result}: dtype(number), " if result == "A" else ""
    operand = "bool" if bound == "bool" else "E"
    return Builtin(
        name,
        "reduction",
        _PARAMETERS,
        f"{name}[{dtypes}...S, ...R](x: {operand}[...S], axis=all, keepdims=false) -> {result}[...R]",
        doc,
        example,
        _rule(name, result_dtype),
        reference,
        expand,
    )


_SUMS = (
    _reduction(
        "sum",
        ("any", "A"),
        "The sum over one axis, a list of axes or all. A is E of floats, and i64 of integers and "
        "bools; f16 and bf16 add up in f32.",
        "sum(full([3], 2.0, f32)) == 6.0",
        _for_integers(I64),
        _accumulated(np.sum),
        _expand_accumulated("sum"),
    ),
    _reduction(
        "mean",
        ("any", "A"),
        "The mean over one axis, a list of axes or all. A is E of floats, and f64 of integers and "
        "bools.",
        "mean(iota(4)) == 1.5",
        _for_integers(F64),
        _mean,
        _expand_mean,
    ),
    _reduction(
        "prod",
        ("any", "A"),
        "The product over one axis, a list of axes or all. A is E of floats, and i64 of integers "
        "and bools.",
        "prod(full([3], 2.0, f32)) == 8.0",
        _for_integers(I64),
        _accumulated(np.prod),
        _expand_accumulated("prod"),
    ),
)

_EXTREMES = (
    _reduction(
        "max",
        ("any", "E"),
        "The largest over one axis, a list of axes or all; NaN if one is NaN.",
        "max(iota(4)) == 3",
        _same,
        _plain(np.max),
        _expand_plain("max"),
    ),
    _reduction(
        "min",
        ("any", "E"),
        "The smallest over one axis, a list of axes or all; NaN if one is NaN.",
        "min(iota(4)) == 0",
        _same,
        _plain(np.min),
        _expand_plain("min"),
    ),
    _reduction(
        "any",
        ("bool", "bool"),
        "Whether at least one holds along one axis, a list of axes or all.",
        "any(iota(4) == 2)",
        _bools,
        _plain(np.any),
        _expand_plain("max"),
    ),
    _reduction(
        "all",
        ("bool", "bool"),
        "Whether each one holds along one axis, a list of axes or all.",
        "all(iota(4) < 4)",
        _bools,
        _plain(np.all),
        _expand_plain("min"),
    ),
)


# --- places of extremes


def _arg(name: str, operation: Literal["max", "min"], doc: str, example: str) -> Builtin:
    find = np.argmax if operation == "max" else np.argmin

    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        x = array(checking, name, given["x"])
        keepdims = bool(given["keepdims"].value)
        value = given["axis"].value
        axes: Axes = None
        if value is not None:
            axes = (normal_axis(checking, name, given["axis"], value, x.shape)[0],)
        shape = _reduced_shape(checking, name, x.shape, axes, keepdims)
        axis = None if axes is None else axes[0]
        return Typing(TensorType(I64, shape), {}, {"axis": axis, "keepdims": keepdims})

    def compute(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
        return np.asarray(find(x, axis=axis, keepdims=keepdims), np.int64)

    def expand(builder: Builder, x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        shape = x.type.shape
        if axis is not None:
            place = axis % len(shape)
            found = builder.arg_reduce(operation, x, place)
            return _keep(builder, found, shape, (place,), keepdims)
        flat = builder.reshape(x, (elements(shape),))
        found = builder.arg_reduce(operation, flat, 0)
        return _keep(builder, found, shape, tuple(range(len(shape))), keepdims)

    return Builtin(
        name,
        "reduction",
        (_X, Parameter("axis", "axis", None), Parameter("keepdims", "flag", False)),
        f"{name}[E: dtype(any), ...S, ...R](x: E[...S], axis=all, keepdims=false) -> i64[...R]",
        doc,
        example,
        quiet(rule),
        compute,
        expand,
    )


_PLACES = (
    _arg(
        "argmax",
        "max",
        "The first place of the largest along an axis; of the first NaN if there is one. Without "
        "an axis, the place in row-major order.",
        "argmax(iota(4)) == 3",
    ),
    _arg(
        "argmin",
        "min",
        "The first place of the smallest along an axis; of the first NaN if there is one. Without "
        "an axis, the place in row-major order.",
        "argmin(iota(4)) == 0",
    ),
)


# --- running sums


def _cumsum_rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "cumsum", given["x"])
    dtype = _for_integers(I64)(checking, "cumsum", given["x"], x.dtype)
    axis, _ = normal_axis(checking, "cumsum", given["axis"], given["axis"].value, x.shape)
    return Typing(TensorType(dtype, x.shape), {}, {"axis": axis})


def _cumsum(x: Array, axis: int) -> Array:
    dtype = known_dtype(x)
    wide = _accumulator(dtype).numpy
    with np.errstate(all="ignore"):
        return np.cumsum(x, axis=axis, dtype=wide).astype(dtype.numpy if dtype.is_float else wide)


def _expand_cumsum(builder: Builder, x: Any, axis: int) -> Any:
    dtype: DType = x.type.dtype
    sums = builder.cumsum(builder.cast(x, _accumulator(dtype)), axis % len(x.type.shape))
    return builder.cast(sums, dtype) if dtype.is_float else sums


_RUNNING = Builtin(
    "cumsum",
    "reduction",
    (_X, Parameter("axis", "axis")),
    "cumsum[E: dtype(any), A: dtype(number), ...S](x: E[...S], axis) -> A[...S]",
    "Running sums along an axis. A is E of floats, and i64 of integers and bools; f16 and bf16 add up "
    "in f32.",
    "cumsum(iota(4), axis=0)[3] == 6",
    quiet(_cumsum_rule),
    _cumsum,
    _expand_cumsum,
)


REDUCTIONS = (*_SUMS, *_EXTREMES, *_PLACES, _RUNNING)
