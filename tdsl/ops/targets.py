"""Shapes that are written in a program: every size of them must be known to be 1 or more."""

from __future__ import annotations

from tdsl.ops.operands import show_shape
from tdsl.ops.table import Checking, Given
from tdsl.types.sizes import Dimension, Shape, Size


def require_sizes(checking: Checking, name: str, given: Given) -> Shape:
    """A written shape without `_`."""
    dimensions: tuple[Dimension | None, ...] = given.value
    shape: list[Dimension] = []
    for dimension in dimensions:
        if dimension is None:
            checking.fail(
                "E0412",
                f"`{name}` needs every size; only `reshape` finds one for `_`",
                labels=[(given.span, "write the size")],
            )
        shape.append(dimension)
    require_positive(checking, name, given, tuple(shape))
    return tuple(shape)


def require_positive(checking: Checking, name: str, given: Given, shape: Shape) -> None:
    for dimension in shape:
        if isinstance(dimension, Size) and not checking.at_least(dimension, 1):
            shown = checking.show(dimension)
            known = dimension.literal is not None
            where = None if known else checking.where(Size.of(1), "<=", dimension)
            checking.fail(
                "E0413",
                f"`{name}` to {show_shape(checking, shape)}: "
                + (f"a size of {shown}" if known else f"{shown} may be smaller than 1"),
                labels=[(given.span, "sizes are 1 or more")],
                helps=[where] if where is not None else [],
            )
