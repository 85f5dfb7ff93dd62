"""The table of primitives that a graph consists of; the sources and elementwise ones are here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tdsl.ops import numeric, weak
from tdsl.ops.positions import POSITIONS
from tdsl.ops.primitive import (
    BOOL,
    DOMAINS,
    I64,
    Array,
    ArrayLike,
    Attributes,
    Builder,
    Domain,
    InternalError,
    Primitive,
    Sizes,
    broadcast,
    check_axis,
    concrete,
    concrete_shape,
    require,
)
from tdsl.ops.structural import PRODUCTS, REDUCTIONS, SHAPES
from tdsl.types.dtypes import DType

__all__ = ["PRIMITIVES", "Builder", "InternalError", "Primitive"]

# --- sources


def _source(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    require(not inputs, "a source has no operands")
    return attributes["dtype"], tuple(attributes["shape"])


def _scalar_source(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    require(not inputs, "a source has no operands")
    return attributes.get("dtype", I64), ()


def _iota(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    check_axis(attributes["axis"], len(attributes["shape"]))
    return _source(inputs, attributes)


def _iota_reference(_: Sequence[Array], attributes: Attributes) -> Array:
    shape, axis = concrete_shape(attributes["shape"]), attributes["axis"]
    line = np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return np.broadcast_to(numeric.cast(line, attributes["dtype"].numpy), shape)


def _input_reference(_: Sequence[Array], attributes: Attributes) -> Array:
    raise InternalError(f"input {attributes['name']} has no value of its own")


_SOURCES = (
    Primitive(
        "input",
        "source",
        ("name", "index", "dtype", "shape"),
        "An array argument of the function.",
        _source,
        _input_reference,
    ),
    Primitive(
        "constant",
        "source",
        ("value", "dtype"),
        "A number, as a rank-0 array.",
        _scalar_source,
        lambda _, a: weak.to_dtype(a["value"], a["dtype"]),
    ),
    Primitive(
        "size",
        "source",
        ("size",),
        "A size, as a rank-0 i64.",
        _scalar_source,
        lambda _, a: np.asarray(concrete(a["size"]), np.int64),
    ),
    Primitive(
        "iota",
        "source",
        ("shape", "axis", "dtype"),
        "0, 1, 2 … along one axis, the same along the others.",
        _iota,
        _iota_reference,
    ),
)

# --- elementwise


def _elementwise(
    name: str,
    arity: int,
    domain: Domain,
    function: Callable[..., Any],
    doc: str,
    *,
    gives_bool: bool = False,
) -> Primitive:
    def infer(inputs: Sequence[ArrayLike], _: Attributes) -> tuple[DType, Sizes]:
        require(len(inputs) == arity, f"{name} takes {arity} operands, not {len(inputs)}")
        dtypes = {operand.dtype for operand in inputs}
        require(len(dtypes) == 1, f"{name} on several dtypes: {', '.join(map(str, dtypes))}")
        dtype = inputs[0].dtype
        require(dtype.kind in DOMAINS[domain], f"{name} does not take {dtype}")
        shape = broadcast([operand.shape for operand in inputs])
        return (BOOL if gives_bool else dtype), shape

    def reference(inputs: Sequence[Array], _: Attributes) -> Array:
        with np.errstate(all="ignore"):
            result = np.asarray(function(*inputs))
        return result if gives_bool else result.astype(np.asarray(inputs[0]).dtype, copy=False)

    return Primitive(name, "elementwise", (), doc, infer, reference)


def _select(inputs: Sequence[ArrayLike], _: Attributes) -> tuple[DType, Sizes]:
    condition, x, y = inputs
    require(condition.dtype == BOOL, "select needs a bool condition")
    require(x.dtype == y.dtype, f"select between {x.dtype} and {y.dtype}")
    return x.dtype, broadcast([operand.shape for operand in inputs])


def _cast(inputs: Sequence[ArrayLike], attributes: Attributes) -> tuple[DType, Sizes]:
    (x,) = inputs
    return attributes["dtype"], x.shape


def _cast_reference(inputs: Sequence[Array], attributes: Attributes) -> Array:
    with np.errstate(all="ignore"):
        return numeric.cast(inputs[0], attributes["dtype"].numpy)


_ELEMENTWISE = (
    _elementwise("neg", 1, "number", np.negative, "-x."),
    _elementwise("abs", 1, "number", np.abs, "The absolute value."),
    _elementwise("sign", 1, "number", np.sign, "-1, 0 or 1; NaN for NaN."),
    _elementwise("exp", 1, "float", np.exp, "e to the power x."),
    _elementwise("exp2", 1, "float", np.exp2, "2 to the power x."),
    _elementwise("expm1", 1, "float", np.expm1, "exp(x) - 1, exact near 0."),
    _elementwise("log", 1, "float", np.log, "The natural logarithm."),
    _elementwise("log2", 1, "float", np.log2, "The logarithm to base 2."),
    _elementwise("log1p", 1, "float", np.log1p, "log(1 + x), exact near 0."),
    _elementwise("sqrt", 1, "float", np.sqrt, "The square root."),
    _elementwise("rsqrt", 1, "float", numeric.rsqrt, "1 / sqrt(x)."),
    _elementwise("reciprocal", 1, "float", numeric.reciprocal, "1 / x."),
    _elementwise("sin", 1, "float", np.sin, "The sine."),
    _elementwise("cos", 1, "float", np.cos, "The cosine."),
    _elementwise("tanh", 1, "float", np.tanh, "The hyperbolic tangent."),
    _elementwise("erf", 1, "float", numeric.erf, "The error function."),
    _elementwise("sigmoid", 1, "float", numeric.sigmoid, "1 / (1 + exp(-x)), without overflow."),
    _elementwise("floor", 1, "float", np.floor, "Rounds down."),
    _elementwise("ceil", 1, "float", np.ceil, "Rounds up."),
    _elementwise("round", 1, "float", numeric.round_half_even, "To the nearest, halves to even."),
    _elementwise("isnan", 1, "float", np.isnan, "Whether NaN.", gives_bool=True),
    _elementwise(
        "isfinite", 1, "float", np.isfinite, "Whether neither NaN nor infinite.", gives_bool=True
    ),
    _elementwise("add", 2, "number", np.add, "x + y; integers wrap around."),
    _elementwise("sub", 2, "number", np.subtract, "x - y; integers wrap around."),
    _elementwise("mul", 2, "number", np.multiply, "x * y; integers wrap around."),
    _elementwise("div", 2, "float", np.true_divide, "x / y."),
    _elementwise(
        "floordiv", 2, "number", numeric.floor_divide, "x / y rounded down; 0 for integers by 0."
    ),
    _elementwise(
        "mod", 2, "number", numeric.remainder, "x - (x // y) * y; 0 for integers modulo 0."
    ),
    _elementwise(
        "pow",
        2,
        "number",
        numeric.power,
        "x ** y; integers to a negative power round towards zero, and 0 then gives 0.",
    ),
    _elementwise("minimum", 2, "number", np.minimum, "The smaller; NaN if either is."),
    _elementwise("maximum", 2, "number", np.maximum, "The larger; NaN if either is."),
    _elementwise("equal", 2, "any", np.equal, "x == y.", gives_bool=True),
    _elementwise("not_equal", 2, "any", np.not_equal, "x != y.", gives_bool=True),
    _elementwise("less", 2, "any", np.less, "x < y.", gives_bool=True),
    _elementwise("less_equal", 2, "any", np.less_equal, "x <= y.", gives_bool=True),
    _elementwise("greater", 2, "any", np.greater, "x > y.", gives_bool=True),
    _elementwise("greater_equal", 2, "any", np.greater_equal, "x >= y.", gives_bool=True),
    _elementwise("logical_and", 2, "bool", np.logical_and, "Whether both."),
    _elementwise("logical_or", 2, "bool", np.logical_or, "Whether at least one."),
    _elementwise("logical_not", 1, "bool", np.logical_not, "Whether not."),
    Primitive(
        "select",
        "elementwise",
        (),
        "The second operand where the first (bool) holds, else the third.",
        _select,
        lambda inputs, _: np.where(*inputs),
    ),
    Primitive(
        "cast",
        "elementwise",
        ("dtype",),
        "To another dtype; floats to integers towards zero, integers to narrower ones wrap around, "
        "to bool: whether not 0.",
        _cast,
        _cast_reference,
    ),
)

PRIMITIVES: dict[str, Primitive] = {
    primitive.name: primitive
    for primitive in (*_SOURCES, *_ELEMENTWISE, *REDUCTIONS, *SHAPES, *POSITIONS, *PRODUCTS)
}
