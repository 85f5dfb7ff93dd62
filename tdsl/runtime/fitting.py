"""Which arrays of a call have another shape than the rest asks for: sizes by majority.

Where many arrays must agree, the first one is not always right. Every size takes the value with
which the fewest arrays have a wrong shape; an array that is right the other way round counts half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from tdsl.types.sizes import Pack, Shape, Size, Symbol, divide_exactly

MOST_TRIED = 6  # values of one size


class Fact(msgspec.Struct, frozen=True):
    """The shape of an array, or the length of a list, and what is declared for it."""

    path: str
    declared: Shape
    found: tuple[int, ...]
    own_axes: int  # of the item: the last ones

    @property
    def pairs(self) -> list[tuple[int, Size, int]]:
        """Axis, declared and found size, but for the axes that a pack stands for."""
        packs = [place for place, axis in enumerate(self.declared) if isinstance(axis, Pack)]
        before = packs[0] if packs else len(self.declared)
        after = len(self.declared) - before - 1 if packs else 0
        places = [*range(before), *range(len(self.found) - after, len(self.found))]
        sizes = [axis for axis in self.declared if isinstance(axis, Size)]
        return [(p, size, self.found[p]) for p, size in zip(places, sizes, strict=False)]

    @property
    def transposed_pairs(self) -> list[tuple[Size, int]]:
        """The sizes of a matrix, each with what was found for the other one."""
        pairs = self.pairs
        if self.own_axes != 2 or not len(pairs) == len(self.declared) == len(self.found):
            return []
        (_, first, a), (_, second, b) = pairs[-2:]
        return [(first, b), (second, a)]


class Misfit(msgspec.Struct, frozen=True):
    """An array that is not what the others ask for: `wanted` where all of its sizes are known."""

    fact: Fact
    axes: tuple[int, ...]
    wanted: tuple[int, ...] | None
    transposed: bool


class Fit(msgspec.Struct, frozen=True):
    """The values that most arrays agree on, and the arrays that do not."""

    values: Mapping[Symbol, Size]
    misfits: tuple[Misfit, ...]


class _Groups:
    """Facts that say the same, counted: the twelve layers of a model are looked at once."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts: dict[tuple[Shape, tuple[int, ...], int], int] = {}
        for fact in facts:
            key = (fact.declared, fact.found, fact.own_axes)
            self.facts[key] = self.facts.get(key, 0) + 1

    @cached_property
    def all(self) -> list[tuple[Fact, int]]:
        return [(Fact("", *key), count) for key, count in self.facts.items()]

    def cost(self, values: Mapping[Symbol, Size]) -> float:
        total = 0.0
        for fact, count in self.all:
            misfit = judge(fact, values)
            if misfit is not None:
                total += count * (0.5 if misfit.transposed else 1.0)
        return total


def fit(facts: Sequence[Fact], known: Mapping[Symbol, Size]) -> Fit:
    """`known` are the values that were given by name."""
    groups = _Groups(facts)
    values, candidates = _first_values(groups, known, {})
    cost = groups.cost(values)
    for symbol, others in candidates.items():
        chosen = values[symbol]
        for other in others[:MOST_TRIED]:
            if not cost:
                break
            if other == chosen:
                continue
            # What other sizes are may depend on this one.
            fixed = {s: v for s, v in values.items() if s == symbol or s in known}
            tried, _ = _first_values(groups, {**fixed, symbol: other}, values)
            other_cost = groups.cost(tried)
            if other_cost < cost:
                values, cost = tried, other_cost
    wrong = facts if cost else ()
    misfits = [misfit for fact in wrong if (misfit := judge(fact, values)) is not None]
    return Fit(values, tuple(misfits))


def judge(fact: Fact, values: Mapping[Symbol, Size]) -> Misfit | None:
    """None if the fact agrees with the values, as far as they go."""
    wrong: list[int] = []
    wanted: list[int] | None = [*fact.found]
    for axis, declared, found in fact.pairs:
        value = declared.substitute(values).literal
        if value is None:
            wanted = None
        else:
            if wanted is not None:
                wanted[axis] = value
            if value != found:
                wrong.append(axis)
    if not wrong:
        return None
    transposed = False
    if wanted is not None and fact.own_axes == 2:
        transposed = wanted == [*fact.found[:-2], fact.found[-1], fact.found[-2]]
    return Misfit(fact, tuple(wrong), tuple(wanted) if wanted is not None else None, transposed)


def _first_values(
    groups: _Groups, known: Mapping[Symbol, Size], hints: Mapping[Symbol, Size]
) -> tuple[dict[Symbol, Size], dict[Symbol, list[Size]]]:
    """Solve for one size after the other; of several values the hint, or the most common."""
    values = dict(known)
    candidates: dict[Symbol, list[Size]] = {}
    while True:
        votes: dict[Symbol, dict[Size, int]] = {}
        for fact, count in groups.all:
            for _, declared, found in fact.pairs:
                solved = _solve(declared.substitute(values), found)
                if solved is not None:
                    symbol, value = solved
                    by_value = votes.setdefault(symbol, {})
                    by_value[value] = by_value.get(value, 0) + count
            # What a matrix says the other way round is worth a try, but no vote.
            for declared, found in fact.transposed_pairs:
                solved = _solve(declared.substitute(values), found)
                if solved is not None and solved[0] in votes:
                    votes[solved[0]].setdefault(solved[1], 0)
        if not votes:
            return values, candidates
        for symbol, by_value in votes.items():
            ranked = sorted(by_value, key=lambda value: -by_value[value])
            candidates[symbol] = ranked
            hint = hints.get(symbol)
            values[symbol] = hint if hint in by_value else ranked[0]


def _solve(declared: Size, found: int) -> tuple[Symbol, Size] | None:
    """The value of the one symbol that is left, if it is linear and divides."""
    symbols = declared.symbols()
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    parts = declared.split(symbol)
    if not parts.keys() <= {0, 1}:
        return None
    factor = parts.get(1, Size.of(0))
    rest = Size.of(found) - parts.get(0, Size.of(0))
    if factor.literal is None or rest.literal is None or factor.literal == 0:
        return None
    value = divide_exactly(rest, factor)
    if value is None or value.literal is None or value.literal < symbol.least:
        return None
    return symbol, value
