"""Sizes: integer polynomials over size parameters, in a normal form.

Two sizes are equal exactly when their normal forms are. Proofs of inequalities are in proofs.py,
the solving of equations in solve.py, printing under the user's names in naming.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Symbol:
    """A size parameter (or loop index) of one function; `owner` tells equal names apart.

    `least` is its smallest value: 1 for a size, 0 or another literal for an index.
    """

    name: str
    owner: str = ""
    least: int = 1


@dataclass(frozen=True, slots=True)
class Opaque:
    """`left // right`, `left % right`, `min`, `max` where nothing more is known."""

    operator: Literal["//", "%", "min", "max"]
    left: Size
    right: Size


@dataclass(frozen=True, slots=True)
class PackProduct:
    """The number of elements along the axes that a pack stands for."""

    pack: Pack


@dataclass(frozen=True, slots=True)
class Pack:
    """Zero or more axes under one name, among the sizes of a shape."""

    name: str
    owner: str = ""


Atom = Symbol | Opaque | PackProduct
Monomial = tuple[tuple[Atom, int], ...]  # atoms with powers >= 1, in a fixed order


def _order(atom: Atom) -> tuple[str, str, str]:
    if isinstance(atom, Symbol):
        return ("symbol", atom.name, atom.owner)
    return (type(atom).__name__, str(atom), "")


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: _order(item[0])))


@dataclass(frozen=True, slots=True)
class Size:
    """A sum of integer multiples of monomials: `terms` holds no zero and is in a fixed order."""

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def of(value: int | Atom | Size) -> Size:
        if isinstance(value, Size):
            return value
        if isinstance(value, int):
            return Size((((), value),) if value else ())
        return Size(((((value, 1),), 1),))

    @staticmethod
    def _from(terms: Mapping[Monomial, int]) -> Size:
        kept = [(monomial, factor) for monomial, factor in terms.items() if factor]
        kept.sort(key=lambda term: [(_order(atom), power) for atom, power in term[0]])
        return Size(tuple(kept))

    def __add__(self, other: Size | int) -> Size:
        result = dict(self.terms)
        for monomial, factor in Size.of(other).terms:
            result[monomial] = result.get(monomial, 0) + factor
        return Size._from(result)

    def __neg__(self) -> Size:
        return Size(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __sub__(self, other: Size | int) -> Size:
        return self + (-Size.of(other))

    def __mul__(self, other: Size | int) -> Size:
        result: dict[Monomial, int] = {}
        for left, left_factor in self.terms:
            for right, right_factor in Size.of(other).terms:
                monomial = _times(left, right)
                result[monomial] = result.get(monomial, 0) + left_factor * right_factor
        return Size._from(result)

    def __pow__(self, exponent: int) -> Size:
        result = Size.of(1)
        for _ in range(exponent):
            result = result * self
        return result

    @property
    def literal(self) -> int | None:
        """The value where no atom occurs, else None."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    def atoms(self) -> Iterator[Atom]:
        """Every atom that occurs, once, not looking inside opaque ones."""
        seen: set[Atom] = set()
        for monomial, _ in self.terms:
            for atom, _ in monomial:
                if atom not in seen:
                    seen.add(atom)
                    yield atom

    def symbols(self) -> frozenset[Symbol]:
        """Every symbol that occurs, also inside opaque atoms."""
        found: set[Symbol] = set()
        for atom in self.atoms():
            if isinstance(atom, Symbol):
                found.add(atom)
            elif isinstance(atom, Opaque):
                found |= atom.left.symbols() | atom.right.symbols()
        return frozenset(found)

    def substitute(self, values: Mapping[Symbol, Size], packs: Mapping[Pack, Shape] | None = None) -> Size:
        """Replace symbols (and packs) by sizes, simplifying opaque atoms that become known."""
        result = Size.of(0)
        for monomial, factor in self.terms:
            product = Size.of(factor)
            for atom, power in monomial:
                product = product * _substitute_atom(atom, values, packs or {}) ** power
            result = result + product
        return result

    def __str__(self) -> str:
        """In the plain names of the symbols; messages to users go through naming.py."""
        if not self.terms:
            return "0"
        parts = []
        for monomial, factor in sorted(self.terms, key=lambda t: (not t[0], -sum(p for _, p in t[0]), str(t))):
            factors = [f"{_show(a)}**{p}" if p > 1 else _show(a) for a, p in monomial]
            if abs(factor) != 1 or not factors:
                factors.insert(0, str(abs(factor)))
            sign = "-" if factor < 0 else "+"
            parts.append((sign, "*".join(factors)))
        first_sign, first = parts[0]
        text = ("-" if first_sign == "-" else "") + first
        return text + "".join(f" {sign} {part}" for sign, part in parts[1:])


Dimension = Size | Pack
Shape = tuple[Dimension, ...]


def _show(atom: Atom) -> str:
    if isinstance(atom, Symbol):
        return atom.name
    if isinstance(atom, PackProduct):
        return f"...{atom.pack.name}"
    if atom.operator in ("min", "max"):
        return f"{atom.operator}({atom.left}, {atom.right})"
    left, right = (f"({s})" if len(s.terms) > 1 else str(s) for s in (atom.left, atom.right))
    return f"({left}{atom.operator}{right})"


def _substitute_atom(atom: Atom, values: Mapping[Symbol, Size], packs: Mapping[Pack, Shape]) -> Size:
    if isinstance(atom, Symbol):
        return values.get(atom, Size.of(atom))
    if isinstance(atom, PackProduct):
        return elements(packs[atom.pack]) if atom.pack in packs else Size.of(atom)
    return opaque(atom.operator, atom.left.substitute(values, packs), atom.right.substitute(values, packs))


def elements(shape: Shape) -> Size:
    """The number of elements of an array of this shape."""
    result = Size.of(1)
    for dimension in shape:
        result = result * (Size.of(PackProduct(dimension)) if isinstance(dimension, Pack) else dimension)
    return result


def divide_exactly(dividend: Size, divisor: Size) -> Size | None:
    """The quotient where the division leaves no remainder for every value, else None."""
    if not divisor.terms:
        return None
    leading_monomial, leading_factor = max(divisor.terms, key=_degree)
    quotient, rest = Size.of(0), dividend
    while rest.terms:
        monomial, factor = max(rest.terms, key=_degree)
        powers = dict(monomial)
        for atom, power in leading_monomial:
            powers[atom] = powers.get(atom, 0) - power
        if factor % leading_factor or any(power < 0 for power in powers.values()):
            return None
        kept = tuple((atom, power) for atom, power in powers.items() if power)
        step = Size._from({_times(kept, ()): factor // leading_factor})
        quotient, rest = quotient + step, rest - step * divisor
    return quotient


def _degree(term: tuple[Monomial, int]) -> tuple[int, list[tuple[tuple[str, str, str], int]]]:
    monomial, _ = term
    return sum(power for _, power in monomial), [(_order(atom), power) for atom, power in monomial]


def opaque(operator: Literal["//", "%", "min", "max"], left: Size, right: Size) -> Size:
    """`left operator right`, computed where the operands allow it, else an opaque atom."""
    a, b = left.literal, right.literal
    if a is not None and b is not None and not (operator in ("//", "%") and b == 0):
        return Size.of({"//": lambda: a // b, "%": lambda: a % b, "min": lambda: min(a, b), "max": lambda: max(a, b)}[operator]())
    if operator in ("//", "%"):
        quotient = divide_exactly(left, right)
        if quotient is not None:
            return quotient if operator == "//" else Size.of(0)
    elif left == right:
        return left
    return Size.of(Opaque(operator, left, right))
