"""Which instances there are and why each was compiled: `tdsl.explain_recompiles()`, and the warning
that one size makes too many of them."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence

import msgspec

from tdsl.check import typed
from tdsl.errors import RecompileWarning
from tdsl.runtime.reasons import Reason, alone
from tdsl.runtime.specialise import Instances, Point
from tdsl.syntax.callers import caller_level
from tdsl.types.sizes import Symbol
from tdsl.types.types import Substitution

MOST_ALIKE = 8
"""Instances that differ in one size before a warning is given."""


class Recompiled(msgspec.Struct, frozen=True):
    """One instance of a function, and why the ones before it did not do."""

    function: str
    how: str
    """What `compile` was given for the function: it has instances of its own then."""
    instance: str
    reason: Reason

    def __str__(self) -> str:
        return f"{self.instance}: {self.reason}" if self.instance else str(self.reason)


class Recompiles(tuple[Recompiled, ...]):
    """Instances in the order in which each function made them. Printed, they are a list for people."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "no function has been compiled yet"
        lines: list[str] = []
        for position, one in enumerate(self):
            head = one.function + one.how
            if position == 0 or head != self[position - 1].function + self[position - 1].how:
                lines.append(head)
            lines.append(f"    {one}")
        return "\n".join(lines)


class _Known(msgspec.Struct, frozen=True):
    """What is to be told of a function besides its instances."""

    name: str
    how: str
    sizes: Sequence[typed.SizeParameter]


# Which functions have instances. It keeps none of them alive, and nothing is decided by it.
_KNOWN: dict[weakref.ref[Instances], _Known] = {}


def remember(
    instances: Instances, name: str, how: str, sizes: Sequence[typed.SizeParameter]
) -> None:
    """Count a function's instances among those that `explain_recompiles` tells of."""
    _KNOWN[weakref.ref(instances, lambda dead: _KNOWN.pop(dead, None))] = _Known(name, how, sizes)


def explain_recompiles() -> Recompiles:
    """Every instance there is, with the size, static or dtype that made a call compile it.

    Functions that nothing refers to any more are left out.
    """
    found = []
    for reference, known in [*_KNOWN.items()]:
        for instance in reference() or ():
            shown = instance.describe(known.sizes)
            found.append(Recompiled(known.name, known.how, shown, instance.reason))
    return Recompiles(found)


def warn_if_many(
    name: str,
    instances: Instances,
    point: Point,
    asked: frozenset[Symbol],
    can_open: Callable[[Substitution], bool],
) -> None:
    """Once: when as many instances as are too many were compiled for one size alone, and the
    function can be compiled with that size open."""
    alike = [one for one in instances if one.point.group == point.group]
    if len(alike) != MOST_ALIKE:
        return
    size = alone([one.reason for one in alike])
    opened = asked | {symbol for symbol in point.values if symbol.name == size}
    if opened == asked or not can_open(point.opened(opened)):
        return
    names = sorted(symbol.name for symbol in opened)
    listed = ", ".join(f'"{one}"' for one in names) + ("," if len(names) == 1 else "")
    warnings.warn(
        f"`{name}` was compiled {MOST_ALIKE} times for nothing but other values of `{size}`:"
        f" leave it open with `{name}.compile(dynamic=({listed}))`",
        RecompileWarning,
        stacklevel=caller_level(),
    )
