"""The elementwise family of builtins, gathered; the casts are defined here."""

from __future__ import annotations

from collections.abc import Mapping

from tdsl.ops.arithmetic import ARITHMETIC, UNARY
from tdsl.ops.choice import ORDER, SELECTION
from tdsl.ops.elementwise_common import X
from tdsl.ops.floats import FLOAT_FUNCTIONS
from tdsl.ops.operands import (
    array_or_number,
    quiet,
    shape_of,
)
from tdsl.ops.table import Builtin, Checking, Given, Typing
from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.types import TensorType


def _cast(dtype: DType) -> Builtin:
    name = dtype.name

    def rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
        found = array_or_number(checking, name, given["x"])
        return Typing(TensorType(dtype, shape_of(found)), {"x": dtype}, {})

    return Builtin(
        name,
        "elementwise",
        (X,),
        f"{name}[E: dtype(any), ...S](x: E[...S]) -> {name}[...S]",
        _CAST_DOCS[dtype.kind].format(name),
        f"{name}(1) == {'true' if dtype.kind == 'bool' else name + '(1)'}",
        quiet(rule),
        lambda x: x,  # the operand arrives converted
        lambda builder, x: x,
    )


_CAST_DOCS = {
    "float": "To {}, rounded to the nearest; too large a number becomes infinite.",
    "int": "To {}: a fraction is cut off, an integer out of range wraps around. A float out of "
    "range has no specified value.",
    "uint": "To {}: a fraction is cut off, an integer out of range wraps around. A float out of "
    "range has no specified value.",
    "bool": "To {}: whether not 0.",
}

ELEMENTWISE = (
    *ARITHMETIC,
    *UNARY,
    *FLOAT_FUNCTIONS,
    *ORDER,
    *SELECTION,
    *map(_cast, DTYPES.values()),
)
