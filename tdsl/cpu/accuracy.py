"""How far the mathematical functions may be off, in units in the last place: the one definition."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec


class Accuracy(msgspec.Struct, frozen=True):
    """The most units in the last place that a result is off, over the whole range."""

    f32: float
    f64: float


ACCURACY: Final[Mapping[str, Accuracy]] = MappingProxyType(
    {
        "exp": Accuracy(1.5, 1.5),
        "exp2": Accuracy(1.5, 1.5),
        "expm1": Accuracy(2, 2.5),
        "log": Accuracy(1, 1),
        "log2": Accuracy(2, 2),
        "log1p": Accuracy(1.5, 1.5),
        "pow": Accuracy(0.51, 0.7),
        "sin": Accuracy(0.51, 0.8),
        "cos": Accuracy(0.51, 0.8),
        "tanh": Accuracy(2, 2),
        "erf": Accuracy(1.5, 2),
        "sigmoid": Accuracy(3, 3),
    }
)
"""By the name of the function in a program; `**` is pow. Tests hold every machine to it."""

HALF: Final = 0.51
"""For f16 and bf16, which are computed in f32 and rounded."""


def table() -> str:
    """As it stands in the documentation."""
    lines = ["| function | f32 | f64 | f16, bf16 |", "|---|---|---|---|"]
    for name, limit in ACCURACY.items():
        lines.append(f"| `{name}` | {limit.f32:g} | {limit.f64:g} | {HALF:g} |")
    return "\n".join(lines) + "\n"
