"""Which instance of a function a call uses: sizes are fixed until they vary, then left open."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from tdsl.check import typed
from tdsl.runtime import reasons
from tdsl.runtime.build import Built
from tdsl.runtime.passing import Passing
from tdsl.runtime.reasons import Reason, Values
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.types.numbers import shown
from tdsl.types.sizes import Pack, Shape, Size, Symbol
from tdsl.types.types import Substitution

Key = tuple[Any, ...]


_USUAL = Passing()


class Point(msgspec.Struct, frozen=True):
    """What one call asks for: dtypes and statics, which always choose, and the other sizes."""

    parameters: Substitution  # literal throughout
    statics: frozenset[Symbol]
    passing: Passing = _USUAL
    fixed: frozenset[Symbol | Pack] = frozenset()  # sizes that choose, too, though no statics

    @property
    def values(self) -> dict[Symbol, int]:
        """Everything that may be left open."""
        found: dict[Symbol, int] = {}
        for symbol, size in self.parameters.sizes.items():
            if symbol not in self.statics | self.fixed and size.literal is not None:
                found[symbol] = size.literal
        for pack, shape in self.parameters.packs.items():
            for axis, dimension in enumerate(() if pack in self.fixed else shape):
                literal = dimension.literal if isinstance(dimension, Size) else None
                if literal is not None:
                    found[Symbol(f"{pack.name}_{axis}", pack.owner)] = literal
        return found

    @property
    def group(self) -> Key:
        """Instances that differ in nothing but sizes that may be left open share it."""
        parameters = self.parameters
        chosen = self.statics | self.fixed
        return (
            frozenset(parameters.dtypes.items()),
            frozenset((s, size) for s, size in parameters.sizes.items() if s in chosen),
            frozenset(
                (pack, shape if pack in self.fixed else len(shape))
                for pack, shape in parameters.packs.items()
            ),
            self.passing,
        )

    def opened(self, symbols: frozenset[Symbol]) -> Substitution:
        """The parameters with these sizes left open."""
        parameters = self.parameters
        packs: dict[Any, Shape] = {}
        for pack, shape in parameters.packs.items():
            axes: list[Any] = []
            for axis, size in enumerate(shape):
                symbol = Symbol(f"{pack.name}_{axis}", pack.owner)
                axes.append(Size.of(symbol) if symbol in symbols else size)
            packs[pack] = tuple(axes)
        sizes = {
            symbol: Size.of(symbol) if symbol in symbols else size
            for symbol, size in parameters.sizes.items()
        }
        return Substitution(sizes, packs, parameters.dtypes)


class Instance(msgspec.Struct, frozen=True):
    """A compiled instance, the parameters that it was compiled for, and why that was done."""

    parameters: Substitution
    built: Built
    reason: Reason
    point: Point  # of the call that it was compiled for

    def describe(self, declared: Sequence[typed.SizeParameter]) -> str:
        """`T=?, C=768, heads=12, E=f32`, for cache_info: the sizes as declared, also those that a
        `where` clause has put in terms of others."""
        parts = {}
        for one in declared:
            value = one.value.substitute(self.parameters.sizes).literal
            parts[one.name] = "?" if value is None else shown(one.kind, value)
        for pack, shape in self.parameters.packs.items():
            axes = ("?" if isinstance(s, Size) and s.literal is None else str(s) for s in shape)
            parts[pack.name] = f"[{', '.join(axes)}]"
        for variable, dtype in self.parameters.dtypes.items():
            parts[variable.name] = str(dtype)
        return ", ".join(f"{name}={value}" for name, value in parts.items())


class Instances:
    """The instances of one function under one set of options.

    There is no lock around the tables: every step is one atomic dictionary operation, so that a
    fork cannot leave them locked. Each compilation has a lock of its own, found under the process
    that made it.
    """

    def __init__(self, build: Callable[[Substitution, Passing], Built]) -> None:
        self._build = build
        self._ready: dict[Key, Instance] = {}
        self._pending: dict[Key, threading.Lock] = {}
        self._first: dict[Key, Values] = {}
        self._open: dict[Key, frozenset[Symbol]] = {}
        self._closed: dict[Key, str] = {}  # why sizes cannot be open

    def __iter__(self) -> Iterator[Instance]:
        return iter(tuple(self._ready.values()))

    def __len__(self) -> int:
        return len(self._ready)

    def find(self, point: Point, asked: frozenset[Symbol], may_open: bool) -> tuple[Instance, bool]:
        """The instance for a call, and whether it had to be compiled for it.

        `asked` sizes are open from the start; with `may_open` so is each that had another value
        in an earlier call.
        """
        values, group = point.values, point.group
        asked = asked.intersection(values)
        opened = asked
        if may_open and group not in self._closed:
            opened = asked | self._varying(group, values)
        try:
            return self._at(point, values, group, opened)
        except DiagnosticError as error:
            # Some functions need a size to be a number: to unroll over it, or because no argument
            # shows it. Unless the user asked, that is no error: each value gets an instance.
            if opened == asked:
                raise
            self._closed[group] = error.diagnostics[0].message
            return self._at(point, values, group, asked)

    def _at(
        self, point: Point, values: Values, group: Key, opened: frozenset[Symbol]
    ) -> tuple[Instance, bool]:
        closed = frozenset((s, value) for s, value in values.items() if s not in opened)
        return self._get((group, opened, closed), point, opened)

    def _varying(self, group: Key, values: Values) -> frozenset[Symbol]:
        first = self._first.setdefault(group, values)
        known = self._open.get(group, frozenset())
        found = known | {symbol for symbol, value in values.items() if first.get(symbol) != value}
        if found != known:
            self._open[group] = found
        # A call with the very first sizes goes on with the instance that was made for them.
        return frozenset() if first == values else found

    def _reason(self, point: Point, opened: frozenset[Symbol]) -> Reason:
        """Why there is no instance for this call yet."""
        earlier = [*self._ready.values()]
        if not earlier:
            return reasons.FIRST
        group, values = point.group, point.values
        alike = [instance for instance in earlier if instance.point.group == group]
        if not alike:
            before = earlier[-1].point
            if before.passing != point.passing:
                return reasons.of_passing(before.passing, point.passing)
            chosen = point.statics | {one for one in point.fixed if isinstance(one, Symbol)}
            return reasons.of_choice(before.parameters, point.parameters, chosen)
        known = alike[-1].point.values
        if group in self._closed:
            why = f"it cannot be left open ({self._closed[group]})"
            return reasons.of_size(known, values, values, why)
        closed = values.keys() - opened
        forbidden = reasons.of_size(known, values, closed, "`dynamic` keeps it fixed")
        if forbidden.changes:
            return forbidden
        first = self._first.get(group, known)
        return reasons.of_size(first, values, opened, "a size that varies is open from then on")

    def _get(self, key: Key, point: Point, opened: frozenset[Symbol]) -> tuple[Instance, bool]:
        found = self._ready.get(key)
        if found is not None:
            return found, False
        pending = (os.getpid(), key)
        lock = self._pending.setdefault(pending, threading.Lock())
        with lock:
            found = self._ready.get(key)
            if found is not None:
                return found, False
            try:
                chosen = point.opened(opened)
                built = self._build(chosen, point.passing)
                found = Instance(chosen, built, self._reason(point, opened), point)
                self._ready[key] = found
            finally:
                self._pending.pop(pending, None)
        return found, True


def statics_of(signature: typed.Signature) -> frozenset[Symbol]:
    """The symbols that static parameters determine: they are never left open."""
    found: frozenset[Symbol] = frozenset()
    for parameter in signature.sizes:
        if parameter.static:
            found |= parameter.value.symbols()
    return found
