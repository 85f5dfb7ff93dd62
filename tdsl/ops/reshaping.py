"""The builtin `reshape`, and what to say when element counts differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from tdsl.ops.operands import array, quiet, show_dimension, show_shape
from tdsl.ops.primitive import Builder
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.ops.targets import require_positive
from tdsl.syntax.diagnostics import Help
from tdsl.types.sizes import Dimension, PackProduct, Shape, Size, divide_exactly, elements
from tdsl.types.types import TensorType


def _rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array(checking, "reshape", given["x"])
    written: tuple[Dimension | None, ...] = given["shape"].value
    known = tuple(dimension for dimension in written if dimension is not None)
    require_positive(checking, "reshape", given["shape"], known)
    open_places = [place for place, dimension in enumerate(written) if dimension is None]
    if len(open_places) > 1:
        checking.fail(
            "E0412",
            f"`reshape` finds one size for `_`, not {len(open_places)}",
            labels=[(given["shape"].span, "write all sizes but one")],
        )
    have, want = elements(x.shape), elements(known)
    if not open_places:
        if have != want:
            _refuse(checking, given, x, known)
        shape: Shape = known
    else:
        rest = divide_exactly(have, want)
        if rest is None:
            checking.fail(
                "E0412",
                f"cannot reshape `{checking.show(x)}`: its {_count(checking, x.shape)} elements do "
                f"not divide evenly by {_count(checking, known)}",
                labels=[
                    (given["shape"].span, f"`_` would be {_quotient(checking, x.shape, known)}"),
                    (given["x"].span, f"this is {checking.show(x)}"),
                ],
                helps=_helps(checking, x.shape, known, "divides"),
            )
        place = open_places[0]
        shape = (*known[:place], rest, *known[place:])
    return Typing(TensorType(x.dtype, shape), {}, {"shape": shape})


def _quotient(checking: Checking, have: Shape, want: Shape) -> str:
    dividend, divisor = (
        checking.show(size) if len(size.terms) == 1 else f"({checking.show(size)})"
        for size in _reduced(have, want)
    )
    return f"{dividend} / ({divisor})" if "*" in divisor else f"{dividend} / {divisor}"


def _count(checking: Checking, shape: Shape) -> str:
    """The number of elements as a product of the sizes that the user sees, or as a number."""
    total = elements(shape)
    if total.literal is not None:
        return str(total.literal)
    factors = []
    for dimension in shape:
        shown = show_dimension(checking, dimension)
        factors.append(f"({shown})" if " " in shown else shown)
    return "*".join(factors)


def _refuse(
    checking: Checking, given: Mapping[str, Given], x: TensorType, target: Shape
) -> NoReturn:
    sizes = (elements(x.shape), elements(target))
    symbols = sorted({symbol.name for size in sizes for symbol in size.symbols()})
    notes = []
    if symbols:
        notes.append(f"sizes are compared as polynomials, for every value of {', '.join(symbols)}")
    checking.fail(
        "E0405",
        f"cannot reshape `{checking.show(x)}` to `{show_shape(checking, target)}`: "
        f"{_count(checking, x.shape)} elements against {_count(checking, target)}",
        labels=[(checking.span, "")],
        notes=notes,
        helps=_helps(checking, x.shape, target, "=="),
    )


def _helps(checking: Checking, have: Shape, want: Shape, relation: str) -> list[Help]:
    """The constraint that is missing, where dividing out what both sides share leaves one name."""
    dividend, divisor = _reduced(have, want)
    if any(isinstance(atom, PackProduct) for size in (dividend, divisor) for atom in size.atoms()):
        return []
    if relation == "divides":
        where = checking.where(divisor, "divides", dividend)
    elif _is_name(dividend):
        where = checking.where(dividend, "==", divisor)
    elif _is_name(divisor):
        where = checking.where(divisor, "==", dividend)
    else:
        where = None
    return [where] if where is not None else []


def _reduced(have: Shape, want: Shape) -> tuple[Size, Size]:
    """The element counts without what both share."""
    left, right = list(have), list(want)
    for dimension in have:
        if dimension in right:
            left.remove(dimension)
            right.remove(dimension)
    dividend, divisor = elements(tuple(left)), elements(tuple(right))
    shared = _shared_factor(dividend, divisor)
    return _divided(dividend, shared), _divided(divisor, shared)


def _shared_factor(one: Size, other: Size) -> Size:
    """The largest monomial that divides both."""
    shared = Size.of(math.gcd(*(factor for size in (one, other) for _, factor in size.terms)))
    for atom in one.atoms():
        while True:
            wider = shared * Size.of(atom)
            if divide_exactly(one, wider) is None or divide_exactly(other, wider) is None:
                break
            shared = wider
    return shared


def _divided(size: Size, by: Size) -> Size:
    quotient = divide_exactly(size, by)
    assert quotient is not None
    return quotient


def _is_name(size: Size) -> bool:
    return (
        len(size.terms) == 1
        and size.terms[0][1] == 1
        and [power for _, power in size.terms[0][0]] == [1]
    )


def _expand(builder: Builder, x: Any, shape: tuple[Size, ...]) -> Any:
    target = tuple(map(Size.of, shape))
    return x if target == x.type.shape else builder.reshape(x, target)


RESHAPE = Builtin(
    "reshape",
    "shape",
    (Parameter("x", "value"), Parameter("shape", "shape")),
    "reshape[E: dtype(any), ...S, ...R](x: E[...S], shape) -> E[...R]",
    "The same elements in row-major order under another shape; one size may be `_`.",
    "sum(reshape(iota(6), [2, _]), axis=1)[0] == 3",
    quiet(_rule),
    lambda x, shape: np.reshape(x, shape),
    _expand,
)
