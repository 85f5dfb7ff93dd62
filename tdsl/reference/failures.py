"""What a failed assertion says: both sides, how far they are apart, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tdsl.ops import weak
from tdsl.ops.closeness import close, tolerances
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, of_numpy

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class AssertionFailure:
    """An assertion that does not hold; `left` and `right` where it compares two values, and
    `explanation` in lines of text."""

    span: Span
    message: str | None
    left: Any = field(default=None, compare=False)
    right: Any = field(default=None, compare=False)
    explanation: tuple[str, ...] = ()
    label: str = "this does not hold"


class OutOfRange(IndexError):
    """A position, known only at run time, that lies outside of its array; `span` is where the
    program uses it."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(f"{message} ({span.source.name}:{span.line}:{span.column})")
        self.message = message
        self.span = span


_SIGNS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}


def explain(builtin: str, left: Any, right: Any, attributes: Mapping[str, Any]) -> tuple[str, ...]:
    """Lines about a comparison that does not hold."""
    a, b = (np.asarray(weak.as_float(x)) if weak.is_number(x) else x for x in (left, right))
    a, b = np.broadcast_arrays(a, b)
    if builtin == "allclose":
        dtype = of_numpy(a.dtype) or DTYPES["f64"]
        rtol, atol = tolerances(dtype, attributes.get("rtol"), attributes.get("atol"))
        wrong = ~close(a, b, rtol, atol)
        allowed = f"allowed: {atol:g} + {rtol:g} * |right|"
    else:
        with np.errstate(all="ignore"):
            wrong = ~_COMPARE[builtin](a, b)
        allowed = f"wanted: left {_SIGNS[builtin]} right"
    lines = []
    if a.ndim:
        place = _worst(a, b, wrong)
        count = int(np.count_nonzero(wrong))
        whole = f"{count} of {a.size} elements fail" if a.size > 1 else "the only element fails"
        lines.append(f"{whole}; worst at [{', '.join(map(str, place))}]")
    else:
        place = ()
    one, other = a[place], b[place]
    lines.append(f"left:  {_show(one)}")
    lines.append(f"right: {_show(other)}")
    if a.dtype != np.bool_ and builtin in ("allclose", "equal"):
        with np.errstate(all="ignore"):
            difference = abs(float(one) - float(other))
        lines.append(f"difference: {difference:.6g}")
    lines.append(allowed)
    return tuple(lines)


_COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}


def _show(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    number = value.item() if hasattr(value, "item") else value
    return f"{number:.9g}" if isinstance(number, float) else str(number)


def _worst(a: Array, b: Array, wrong: Array) -> tuple[int, ...]:
    """The place of the largest difference among those that fail; a NaN is worst of all."""
    with np.errstate(all="ignore"):
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
    rank = np.where(wrong, np.where(np.isnan(difference), np.inf, difference), -1.0)
    return tuple(int(place) for place in np.unravel_index(int(np.argmax(rank)), rank.shape))
