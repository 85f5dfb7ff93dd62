"""What the elementwise builtins share: parameters, meeting of operands, references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tdsl.ops import weak
from tdsl.ops.broadcasting import broadcast
from tdsl.ops.operands import (
    array_or_number,
    shape_of,
    unify,
)
from tdsl.ops.primitive import Builder
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import Checking, Given, Parameter
from tdsl.types.dtypes import AnyDType, WeakKind

X = Parameter("x", "value")
Y = Parameter("y", "value")


def reference(
    primitive: str, on_numbers: Callable[..., Any]
) -> Callable[..., np.ndarray[Any, Any] | int | float | bool]:
    """A primitive on arrays; on compile-time numbers, the function of their own."""

    def compute(*operands: Any) -> Any:
        if all(map(weak.is_number, operands)):
            return on_numbers(*operands)
        return PRIMITIVES[primitive].reference(operands, {})

    return compute


def primitive(name: str) -> Callable[..., Any]:
    """An expansion into one primitive."""

    def expand(builder: Builder, *operands: Any) -> Any:
        return builder.elementwise(name, *operands)

    return expand


def meet(
    checking: Checking, operation: str, given: Mapping[str, Given], names: tuple[str, ...]
) -> tuple[AnyDType | WeakKind, Any]:
    """The dtype and shape in which elementwise operands meet."""
    operands = [given[name] for name in names]
    types = [array_or_number(checking, operation, operand) for operand in operands]
    dtype = unify(checking, operation, operands)
    shapes = [(g, shape_of(t)) for g, t in zip(operands, types, strict=True)]
    return dtype, broadcast(checking, operation, shapes)
