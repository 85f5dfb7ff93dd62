"""Solving the sizes of a call: equations between what a signature wants and what was found.

An equation in which one unknown is left, and that linearly, gives it by exact division; its value
is put into the others, and so on. So the order of equations decides nothing but which of two
contradicting ones is blamed: the later.

Where no equation has one unknown alone, a known product of several is put into the others: H*D = 48
becomes 6*D = 48 where `G divides H` has made H a product, G*q = 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

import msgspec

from tdsl.types.naming import dimensions as dimensions
from tdsl.types.proofs import Facts
from tdsl.types.sizes import UNBOUNDED, Opaque, Size, Symbol, divide_exactly


class Equation(msgspec.Struct, frozen=True):
    """`wanted`, over unknowns, must be `found`; `why` is what a message says of it."""

    wanted: Size
    found: Size
    why: object


class Solved(msgspec.Struct, frozen=True):
    """What is known of the unknowns, and which equation gave each of them."""

    values: Mapping[Symbol, Size]
    why: Mapping[Symbol, object]


class Solution(Solved, frozen=True):
    """A value for every unknown."""


class Conflict(Solved, frozen=True):
    """The equation does not hold: `wanted` and `found` are its sides with all known values.

    Where `divisor` is given, it does not divide `dividend`, and so `symbol` has no value.
    """

    equation: Equation
    wanted: Size
    found: Size
    symbol: Symbol | None = None
    divisor: Size | None = None
    dividend: Size | None = None


class Undetermined(Solved, frozen=True):
    """No equation gives these."""

    symbols: tuple[Symbol, ...]


class MayBeSmall(Solved, frozen=True):
    """The symbol's value is not known to be as large as its `least`."""

    symbol: Symbol
    value: Size


def solve(
    unknowns: frozenset[Symbol], equations: Sequence[Equation], facts: Facts
) -> Solution | Conflict | Undetermined | MayBeSmall:
    """Values of the unknowns for which all equations hold."""
    values: dict[Symbol, Size] = {}
    why: dict[Symbol, object] = {}
    waiting: Sequence[tuple[Equation, Size]] = [(each, each.wanted) for each in equations]
    while waiting:
        later: list[tuple[Equation, Size]] = []
        for equation, wanted in waiting:
            found = equation.found
            symbol = wanted.symbol
            if found.literal is None and found.symbols() & unknowns:
                found = found.substitute(values)  # a default over the other unknowns
            if symbol is None or symbol not in unknowns or symbol in values:
                wanted, found = wanted.substitute(values), found.substitute(values)
                if wanted == found:
                    continue
            elif found.literal is not None or not found.symbols() & unknowns:
                values[symbol], why[symbol] = found, equation.why
                if found.literal is not None and found.literal < symbol.least:
                    return MayBeSmall(values, why, symbol, found)
                continue
            difference = wanted - found
            left = difference.symbols() & unknowns
            if not left:
                if difference.terms:
                    return Conflict(values, why, equation, wanted, found)
                continue
            symbol = next(iter(left))
            split = _linear(difference, symbol) if len(left) == 1 else None
            if split is None:
                later.append((equation, wanted))
                continue
            factor, rest = split
            value = divide_exactly(-rest, factor)
            if value is None:
                if (factor.literal or 0) < 0:
                    factor, rest = -factor, -rest
                return Conflict(values, why, equation, wanted, found, symbol, factor, -rest)
            values[symbol], why[symbol] = value, equation.why
            if value.literal is not None and value.literal < symbol.least:
                return MayBeSmall(values, why, symbol, value)
        if len(later) == len(waiting) and not _put_products(later, unknowns, values):
            break
        waiting = later
    missing = unknowns - values.keys()
    if missing:
        return Undetermined(values, why, tuple(sorted(missing, key=lambda symbol: symbol.key)))
    for symbol, value in values.items():
        if symbol.least > UNBOUNDED and not facts.at_least(value, symbol.least):
            return MayBeSmall(values, why, symbol, value)
    return Solution(values, why)


def _put_products(
    waiting: list[tuple[Equation, Size]], unknowns: frozenset[Symbol], values: Mapping[Symbol, Size]
) -> bool:
    """Whether a product of unknowns that an equation gives was put into another one."""
    progress = False
    for giver, (source, product) in enumerate(waiting):
        value = source.found.substitute(values)
        if len(product.terms) != 1 or value.symbols() & unknowns or not product.symbols():
            continue  # without symbols: an equation that has been replaced as a whole
        monomial, factor = product.terms[0]
        quotient = divide_exactly(value, Size.of(factor))
        if quotient is None:
            continue
        for place, (equation, wanted) in enumerate(waiting):
            if place != giver:
                less = _replaced(wanted, Size(((monomial, 1),)), quotient)
                progress |= less != wanted
                waiting[place] = equation, less
    return progress


def _replaced(size: Size, product: Size, value: Size) -> Size:
    """The size with a value wherever the product is a factor of a term."""
    result = Size.of(0)
    for term in size.terms:
        part, times = Size((term,)), 0
        while (rest := divide_exactly(part, product)) is not None:
            part, times = rest, times + 1
        result += part * value**times
    return result


def _linear(size: Size, symbol: Symbol) -> tuple[Size, Size] | None:
    """`factor, rest` where the size is `factor*symbol + rest`, with no symbol in either."""
    parts = size.split(symbol)
    if not parts.keys() <= {0, 1}:
        return None
    factor, rest = parts.get(1, Size.of(0)), parts.get(0, Size.of(0))
    for part in (factor, rest):
        if any(isinstance(atom, Opaque) for atom in part.atoms()) and symbol in part.symbols():
            return None
    return factor, rest


def without_common_factor(divisor: Size, dividend: Size) -> tuple[Size, Size]:
    """`3*H` and `3*C` say of each other what H and C say."""
    terms = (*divisor.terms, *dividend.terms)
    common = gcd(*(factor for _, factor in terms))
    shared = dict(terms[0][0])
    for monomial, _ in terms:
        powers = dict(monomial)
        shared = {atom: min(power, powers.get(atom, 0)) for atom, power in shared.items()}
    monomial = tuple(item for item in shared.items() if item[1])
    by = Size(((monomial, common),))
    a, b = divide_exactly(divisor, by), divide_exactly(dividend, by)
    assert a is not None
    assert b is not None
    return a, b
