"""Why an instance was compiled: what no earlier instance of the function was there for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from tdsl.runtime.passing import Passing
from tdsl.types.sizes import Shape, Symbol
from tdsl.types.types import Substitution

Values = Mapping[Symbol, int]


class Change(msgspec.Struct, frozen=True):
    """One thing that is not as it was in the call before: `T was 5 and is 7`."""

    name: str
    before: str
    now: str

    def __str__(self) -> str:
        return f"{self.name} was {self.before} and is {self.now}"


class Reason(msgspec.Struct, frozen=True):
    """Why an instance was compiled; no changes for the first one."""

    why: str
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        if not self.changes:
            return self.why
        *most, last = map(str, self.changes)
        listed = f"{', '.join(most)}, and {last}" if most else last
        return f"{listed}: {self.why}"


FIRST = Reason("the first one")


def of_choice(before: Substitution, now: Substitution, statics: frozenset[Symbol]) -> Reason:
    """Dtypes, statics or numbers of axes are not those of the instance compiled before."""
    changes = [
        Change(variable.name, str(before.dtypes[variable]), str(dtype))
        for variable, dtype in now.dtypes.items()
        if before.dtypes.get(variable, dtype) != dtype
    ]
    kinds = ["a dtype"] if changes else []
    different = [
        Change(symbol.name, str(before.sizes[symbol]), str(size))
        for symbol, size in now.sizes.items()
        if symbol in statics and before.sizes.get(symbol, size) != size
    ]
    ranks = [
        Change(pack.name, _axes(before.packs[pack]), _axes(shape))
        for pack, shape in now.packs.items()
        if len(before.packs.get(pack, shape)) != len(shape)
    ]
    kinds += ["a static"] if different else []
    kinds += ["the number of axes"] if ranks else []
    why = f"{' or '.join(kinds)} always chooses an instance"
    return Reason(why, (*changes, *different, *ranks))


def of_passing(before: Passing, now: Passing) -> Reason:
    """Other arguments are bound weights, or donated, than in the call before."""
    changes = []
    if before.constants != now.constants:
        changes.append("weights are bound" if now.constants else "weights are not bound")
    if before.donated != now.donated:
        changes.append("arrays are donated" if now.donated else "nothing is donated")
    return Reason(f"{' and '.join(changes)} now, which always chooses an instance")


def of_size(before: Values, now: Values, among: Iterable[Symbol], why: str) -> Reason:
    """Sizes among these are not those of the instance compiled before."""
    changes = tuple(
        Change(symbol.name, str(before[symbol]), str(now[symbol]))
        for symbol in sorted(among, key=lambda symbol: symbol.name)
        if symbol in before and before[symbol] != now[symbol]
    )
    return Reason(why, changes)


def _axes(shape: Shape) -> str:
    return f"{len(shape)} {'axis' if len(shape) == 1 else 'axes'}"


def alone(reasons: Sequence[Reason]) -> str | None:
    """The one size that all these instances were compiled for, if it is one."""
    names = {change.name for reason in reasons for change in reason.changes}
    return next(iter(names)) if len(names) == 1 else None
