"""Sizes: integer polynomials over size parameters, in a normal form.

Two sizes are equal exactly when their normal forms are. Proofs of inequalities are in proofs.py,
the solving of equations in solve.py, printing under the user's names in naming.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec.structs import force_setattr

OpaqueOperator = Literal["//", "%", "min", "max"]

# Beyond these a size is no use to anybody, and arithmetic on it would make the checker slow.
MOST_TERMS = 1000
MOST_POWER = 64
MOST_FACTOR = 2**63
MOST_OPAQUE = 100


UNBOUNDED = -(2**63)  # the `least` of a symbol that may be any integer


class SizeTooComplex(Exception):
    """A size with more terms, higher powers or larger numbers than are supported."""


class Symbol(msgspec.Struct, frozen=True, cache_hash=True):
    """A size parameter (or loop index) of one function; `owner` tells equal names apart.

    `least` is its smallest value: 1 for a size, 0 or another literal for an index, UNBOUNDED
    for a static number.
    """

    name: str
    owner: str = ""
    least: int = 1

    @property
    def key(self) -> tuple[Any, ...]:
        """Where it stands among the factors of a monomial."""
        return ("symbol", self.name, self.owner, self.least)


class Opaque(msgspec.Struct, frozen=True):
    """`left // right`, `left % right`, `min`, `max` where nothing more is known.

    Made by `opaque` alone, which puts it in normal form.
    """

    operator: OpaqueOperator
    left: Size
    right: Size
    # Both follow from the operands, and are computed once.
    weight: int = 0
    key: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        weight = 1 + self.left.weight + self.right.weight
        if weight > MOST_OPAQUE:
            raise SizeTooComplex(f"`{self.operator}` is nested too often")
        force_setattr(self, "weight", weight)
        force_setattr(self, "key", (self.operator, self.left.key, self.right.key))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Opaque)
            and self.operator == other.operator
            and self.left == other.left
            and self.right == other.right
        )

    def __hash__(self) -> int:
        return hash((self.operator, self.left, self.right))

    def __reduce__(self) -> tuple[type[Opaque], tuple[Any, ...]]:
        return Opaque, (self.operator, self.left, self.right)


class Pack(msgspec.Struct, frozen=True, cache_hash=True):
    """Zero or more axes under one name, among the sizes of a shape."""

    name: str
    owner: str = ""


class PackProduct(msgspec.Struct, frozen=True):
    """The number of elements along the axes that a pack stands for."""

    pack: Pack

    @property
    def key(self) -> tuple[Any, ...]:
        return ("pack", self.pack.name, self.pack.owner)


Atom = Symbol | Opaque | PackProduct
Monomial = tuple[tuple[Atom, int], ...]  # atoms with powers >= 1, in the order of their keys
Term = tuple[Monomial, int]


def _times(left: Monomial, right: Monomial) -> Monomial:
    if not left:
        return right
    if not right:
        return left
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    if max(powers.values()) > MOST_POWER:
        raise SizeTooComplex(f"a power above {MOST_POWER}")
    if len(powers) == 1:
        return tuple(powers.items())
    return tuple(sorted(powers.items(), key=lambda item: item[0].key))


def _term_key(term: Term) -> tuple[Any, ...]:
    return tuple((atom.key, power) for atom, power in term[0])


@lru_cache(maxsize=1024)
def _literal(value: int) -> Size:
    if abs(value) > MOST_FACTOR:
        raise SizeTooComplex("a number beyond 64 bits")
    return Size((((), value),) if value else ())


class Size(msgspec.Struct, frozen=True, cache_hash=True):
    """A sum of integer multiples of monomials: `terms` holds no zero and is in a fixed order."""

    terms: tuple[Term, ...]

    @staticmethod
    def of(value: int | Atom | Size) -> Size:
        if isinstance(value, Size):
            return value
        if isinstance(value, int):
            return _literal(int(value))
        return Size(((((value, 1),), 1),))

    @staticmethod
    def _from(terms: Mapping[Monomial, int]) -> Size:
        kept = [term for term in terms.items() if term[1]]
        if len(kept) > 1:
            if len(kept) > MOST_TERMS:
                raise SizeTooComplex(f"more than {MOST_TERMS} terms")
            kept.sort(key=_term_key)
        for _, factor in kept:
            if not -MOST_FACTOR <= factor <= MOST_FACTOR:
                raise SizeTooComplex("a number beyond 64 bits")
        return Size(tuple(kept))

    def __add__(self, other: Size | int) -> Size:
        other = Size.of(other)
        if not other.terms:
            return self
        if not self.terms:
            return other
        result = dict(self.terms)
        for monomial, factor in other.terms:
            result[monomial] = result.get(monomial, 0) + factor
        return Size._from(result)

    def __neg__(self) -> Size:
        return Size(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __sub__(self, other: Size | int) -> Size:
        other = Size.of(other)
        if self.terms == other.terms:
            return _literal(0)
        return self + (-other)

    def __mul__(self, other: Size | int) -> Size:
        other = Size.of(other)
        for one, two in ((self, other), (other, self)):
            if one.literal is not None:
                return two._scaled(one.literal)
        if len(self.terms) * len(other.terms) > 20 * MOST_TERMS:
            raise SizeTooComplex("a product of two long sums")
        result: dict[Monomial, int] = {}
        for left, left_factor in self.terms:
            for right, right_factor in other.terms:
                monomial = _times(left, right)
                result[monomial] = result.get(monomial, 0) + left_factor * right_factor
        return Size._from(result)

    def _scaled(self, by: int) -> Size:
        if by == 1 or not self.terms:
            return self
        if by == 0:
            return _literal(0)
        terms = tuple((monomial, factor * by) for monomial, factor in self.terms)
        if any(abs(factor) > MOST_FACTOR for _, factor in terms):
            raise SizeTooComplex("a number beyond 64 bits")
        return Size(terms)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: int) -> Size:
        return Size.of(other) - self

    def __pow__(self, exponent: int) -> Size:
        if exponent < 0:
            raise ValueError("a size to a negative power")
        if exponent > MOST_POWER and self.literal not in (0, 1, -1):
            raise SizeTooComplex(f"a power above {MOST_POWER}")
        result = Size.of(1)
        for _ in range(exponent if exponent <= MOST_POWER else 2 - exponent % 2):
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

    @property
    def symbol(self) -> Symbol | None:
        """The symbol that this size is, and nothing more; else None."""
        if len(self.terms) == 1:
            monomial, factor = self.terms[0]
            if factor == 1 and len(monomial) == 1 and monomial[0][1] == 1:
                atom = monomial[0][0]
                return atom if isinstance(atom, Symbol) else None
        return None

    @property
    def key(self) -> tuple[Any, ...]:
        """A place in a fixed order of all sizes; equal only for equal sizes."""
        return tuple((_term_key(term), term[1]) for term in self.terms)

    @property
    def weight(self) -> int:
        """How many opaque atoms it holds, at every depth."""
        total = 0
        for atom in self.atoms():
            if isinstance(atom, Opaque):
                total += atom.weight
        return total

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

    def packs(self) -> frozenset[Pack]:
        """Every pack whose product occurs, also inside opaque atoms."""
        found: set[Pack] = set()
        for atom in self.atoms():
            if isinstance(atom, PackProduct):
                found.add(atom.pack)
            elif isinstance(atom, Opaque):
                found |= atom.left.packs() | atom.right.packs()
        return frozenset(found)

    def split(self, atom: Atom) -> dict[int, Size]:
        """By powers of `atom`, what each is multiplied by: `self == sum(part * atom**power)`."""
        parts: dict[int, dict[Monomial, int]] = {}
        for monomial, factor in self.terms:
            power = next((power for found, power in monomial if found == atom), 0)
            rest = tuple(item for item in monomial if item[0] != atom) if power else monomial
            parts.setdefault(power, {})[rest] = factor
        return {power: Size._from(terms) for power, terms in parts.items()}

    def substitute(
        self, values: Mapping[Symbol, Size], packs: Mapping[Pack, Shape] | None = None
    ) -> Size:
        """Replace symbols (and packs) by sizes, simplifying opaque atoms that become known."""
        known = packs or {}
        result: dict[Monomial, int] = {}
        products: list[Size] = []
        for monomial, factor in self.terms:
            kept: list[tuple[Atom, int]] = []
            product: Size | None = None
            for atom, power in monomial:
                value = _substitute_atom(atom, values, known)
                if value is None:
                    kept.append((atom, power))
                else:
                    value = value if power == 1 else value**power
                    product = value if product is None else product * value
            if product is None:
                result[monomial] = result.get(monomial, 0) + factor
            else:
                products.append(product * Size(((tuple(kept), factor),)))
        if not products:
            return self
        for product in products:
            for monomial, factor in product.terms:
                result[monomial] = result.get(monomial, 0) + factor
        return Size._from(result)

    def __str__(self) -> str:
        """In the plain names of the symbols; messages to users go through naming.py."""
        from tdsl.types.naming import PLAIN

        return PLAIN.size(self)


Dimension = Size | Pack
Shape = tuple[Dimension, ...]


def _substitute_atom(
    atom: Atom, values: Mapping[Symbol, Size], packs: Mapping[Pack, Shape]
) -> Size | None:
    """What stands in the atom's place; None where it stays."""
    if isinstance(atom, Symbol):
        return values.get(atom)
    if isinstance(atom, PackProduct):
        return elements(packs[atom.pack]) if atom.pack in packs else None
    left, right = atom.left.substitute(values, packs), atom.right.substitute(values, packs)
    if left is atom.left and right is atom.right:
        return None
    return opaque(atom.operator, left, right)


def elements(shape: Shape) -> Size:
    """The number of elements of an array of this shape."""
    result = Size.of(1)
    for dimension in shape:
        if isinstance(dimension, Pack):
            dimension = Size.of(PackProduct(dimension))
        result = result * dimension
    return result


def divide_exactly(dividend: Size, divisor: Size) -> Size | None:
    """The quotient where the division leaves no remainder for every value, else None."""
    if not divisor.terms:
        return None
    if dividend == divisor:
        return Size.of(1)
    if len(divisor.terms) == 1:
        quotient, rest = _divide_terms(dividend, *divisor.terms[0])
        return None if rest.terms else quotient
    # Long division by leading terms, in graded lexicographic order over a common list of atoms:
    # an order that multiplication respects, so that leading terms divide where the sizes do.
    atoms = sorted({*dividend.atoms(), *divisor.atoms()}, key=lambda atom: atom.key)
    places = {atom: place for place, atom in enumerate(atoms)}

    def dense(size: Size) -> dict[tuple[int, ...], int]:
        result = {}
        for monomial, factor in size.terms:
            powers = [0] * (len(atoms) + 1)
            for atom, power in monomial:
                powers[places[atom] + 1] = power
                powers[0] += power  # the degree in front makes tuple comparison graded
            result[tuple(powers)] = factor
        return result

    remainder, by = dense(dividend), dense(divisor)
    lead = max(by)
    result: dict[Monomial, int] = {}
    while remainder:
        top = max(remainder)
        powers = tuple(a - b for a, b in zip(top, lead, strict=True))
        if min(powers) < 0 or remainder[top] % by[lead]:
            return None
        factor = remainder[top] // by[lead]
        result[tuple((a, p) for a, p in zip(atoms, powers[1:], strict=True) if p)] = factor
        for other, amount in by.items():
            place = tuple(a + b for a, b in zip(powers, other, strict=True))
            left = remainder.get(place, 0) - amount * factor
            if left:
                remainder[place] = left
            else:
                del remainder[place]
        if len(remainder) > MOST_TERMS:
            raise SizeTooComplex(f"more than {MOST_TERMS} terms")
    return Size._from(result)


def _divide_terms(dividend: Size, monomial: Monomial, factor: int) -> tuple[Size, Size]:
    """The terms that one term divides, divided, and the rest of the others.

    By a literal, a rest is between 0 and the divisor: `dividend == divisor*quotient + rest`.
    """
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for own, amount in dividend.terms:
        powers = dict(own)
        for atom, power in monomial:
            powers[atom] = powers.get(atom, 0) - power
        if any(power < 0 for power in powers.values()):
            rest[own] = amount
            continue
        whole, left = divmod(amount, factor)
        quotient[tuple(item for item in powers.items() if item[1])] = whole
        rest[own] = left
    return Size._from(quotient), Size._from(rest)


def opaque(operator: OpaqueOperator, left: Size, right: Size) -> Size:
    """`left operator right`, computed where the operands allow it, else an opaque atom.

    `(b*k + r) // b` is `k + r//b` and `(b*k + r) % b` is `r % b`, whatever the signs; so equal
    values get equal normal forms more often. A divisor must be known to be no 0 by the caller.
    """
    if operator in ("min", "max"):
        difference = (right - left).literal
        if difference is not None:
            return left if (difference >= 0) == (operator == "min") else right
        if right.key < left.key:
            left, right = right, left
        return Size.of(Opaque(operator, left, right))
    exact = divide_exactly(left, right)
    if exact is not None:
        return exact if operator == "//" else Size.of(0)
    whole = Size.of(0)
    if len(right.terms) == 1:
        whole, left = _divide_terms(left, *right.terms[0])
        a, b = left.literal, right.literal
        if a is not None and b:
            return whole + a // b if operator == "//" else Size.of(a % b)
    rest = Size.of(Opaque(operator, left, right))
    return whole + rest if operator == "//" else rest
