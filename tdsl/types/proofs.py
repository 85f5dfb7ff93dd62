"""Proofs of inequalities between sizes from lower bounds and hypotheses.

Sound, never complete: a yes holds for all values of the symbols that satisfy the hypotheses, a no
means that no proof was found within a fixed amount of work.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import gcd

import msgspec

from tdsl.types.sizes import (
    UNBOUNDED,
    Atom,
    Monomial,
    Opaque,
    PackProduct,
    Size,
    SizeTooComplex,
    Symbol,
)

DEPTH = 3  # multiples of hypotheses subtracted one after the other
STEPS = 100  # subtractions tried in one proof
LONGEST = 24  # terms of a hypothesis that is used
CASES = 3  # `min` and `max` atoms told apart by cases, in one proof


class Facts(msgspec.Struct, frozen=True, dict=True):
    """What is known about sizes in some place: each hypothesis is a size that is >= 0 there.

    Every symbol is known to be at least its `least`, and a pack's product at least 1.
    """

    hypotheses: tuple[Size, ...] = ()

    def assume(self, size: Size) -> Facts:
        """These facts and `size >= 0`."""
        if self.at_least(size):
            return self
        return Facts((*self.hypotheses, size))

    def at_least(self, size: Size, least: int = 0) -> bool:
        """Whether `size >= least` is proved."""
        floor = _floor(size)
        if floor is not None and floor >= least:
            return True
        if size.literal is not None:
            return False
        try:
            return _by_cases(size - least, self._tightened, CASES)
        except SizeTooComplex:
            return False

    def equal(self, left: Size, right: Size) -> bool:
        """Whether the two are one polynomial; inequalities that pin a size down do not count."""
        return left == right

    @cached_property
    def _tightened(self) -> tuple[Size, ...]:
        return tuple(_tighten(hypothesis) for hypothesis in self.hypotheses)


def _floor(size: Size) -> int | None:
    """A bound below the size from its symbols alone: most questions need no more."""
    total = 0
    for monomial, factor in size.terms:
        if monomial and factor < 0:
            return None
        for atom, power in monomial:
            if not isinstance(atom, Symbol) or atom.least < 0:
                return None
            factor *= atom.least**power
        total += factor
    return total


def _tighten(size: Size) -> Size:
    """The strongest size that is >= 0 for the same integers: `2*a - 3 >= 0` gives `a - 2 >= 0`."""
    divisor, constant = 0, 0
    for monomial, factor in size.terms:
        if monomial:
            divisor = gcd(divisor, factor)
        else:
            constant = factor
    if divisor <= 1:
        return size
    varying = size - constant
    return _scale_down(varying, divisor) + constant // divisor


def _scale_down(size: Size, divisor: int) -> Size:
    return Size(tuple((monomial, factor // divisor) for monomial, factor in size.terms))


def _by_cases(size: Size, hypotheses: tuple[Size, ...], left: int) -> bool:
    """Prove `size >= 0`, taking `min` and `max` apart: each is one of its operands."""
    if left:
        for atom in size.atoms():
            if isinstance(atom, Opaque) and atom.operator in ("min", "max"):
                order = atom.right - atom.left if atom.operator == "min" else atom.left - atom.right
                cases = ((atom.left, order), (atom.right, -order))
                return all(
                    _by_cases(
                        _replace(size, atom, operand),
                        (*(_replace(known, atom, operand) for known in hypotheses), condition),
                        left - 1,
                    )
                    for operand, condition in cases
                )
    return _Proof(hypotheses).holds(size)


def _replace(size: Size, atom: Atom, value: Size) -> Size:
    result = Size.of(0)
    for power, part in size.split(atom).items():
        result = result + part * value**power
    return result


class _Proof(msgspec.Struct):
    """One search: lower bounds of atoms found on the way, and the steps that are left."""

    hypotheses: tuple[Size, ...]
    lower: dict[Atom, int | None] = msgspec.field(default_factory=dict)
    # Goals that were not proved from some facts, with the depth of the search.
    failed: dict[tuple[Size, tuple[Size, ...]], int] = msgspec.field(default_factory=dict)
    steps: int = STEPS

    def __post_init__(self) -> None:
        """`N - 7 >= 0` is a bound of N."""
        for fact in self.hypotheses:
            varying = [term for term in fact.terms if term[0]]
            if len(varying) != 1 or varying[0][1] != 1:
                continue
            symbol = Size((varying[0],)).symbol
            if symbol is not None:
                constant = next((factor for monomial, factor in fact.terms if not monomial), 0)
                self.lower[symbol] = max(symbol.least, -constant)

    def holds(self, size: Size) -> bool:
        if self.bounded(_tighten(size)):
            return True
        return self.search(
            self.shifted(size), self.shifted_facts((*self.hypotheses, *self.of_opaque(size))), DEPTH
        )

    def lower_bound(self, size: Size) -> int | None:
        """A number that the size never goes below, from the bounds of its atoms alone."""
        total = 0
        for monomial, factor in size.terms:
            if monomial and factor < 0:
                return None
            value = factor
            for atom, power in monomial:
                bound = self.bound(atom)
                if bound is None or bound < 0:
                    return None
                value *= bound**power
            total += value
        return total

    def bounded(self, size: Size) -> bool:
        bound = self.lower_bound(size)
        return bound is not None and bound >= 0

    def bound(self, atom: Atom) -> int | None:
        """A number that the atom never goes below; None where none is known."""
        if isinstance(atom, Symbol):
            return self.lower.get(atom, None if atom.least <= UNBOUNDED else atom.least)
        if isinstance(atom, PackProduct):
            return 1
        if atom not in self.lower:
            self.lower[atom] = None  # while it is looked for: no proof may lean on itself
            self.lower[atom] = self.bound_of_opaque(atom)
        return self.lower[atom]

    def bound_of_opaque(self, atom: Opaque) -> int | None:
        left, right = atom.left, atom.right
        if atom.operator in ("//", "%"):
            if not self.proves(right - 1):
                return None
            if atom.operator == "%":
                return 0
            lowest = self.lower_bound(left)
            if lowest is not None and right.literal:
                bound = lowest // right.literal
                return bound + self.proves(left - right * (bound + 1))
            if self.proves(left - right):
                return 1
            return 0 if self.proves(left) else None
        one, two = self.lower_bound(left), self.lower_bound(right)
        if one is None or two is None:
            known = [bound for bound in (one, two) if bound is not None]
            return known[0] if known and atom.operator == "max" else None
        return min(one, two) if atom.operator == "min" else max(one, two)

    def proves(self, size: Size) -> bool:
        """A proof within this one, from the hypotheses alone."""
        if self.bounded(size):
            return True
        return self.search(self.shifted(size), self.shifted_facts(self.hypotheses), DEPTH - 1)

    def of_opaque(self, size: Size) -> Iterator[Size]:
        """What the opaque atoms of a size and of the hypotheses are by their meaning."""
        waiting = [*size.atoms(), *(atom for known in self.hypotheses for atom in known.atoms())]
        seen: set[Atom] = set()
        while waiting:
            atom = waiting.pop()
            if not isinstance(atom, Opaque) or atom in seen:
                continue
            seen.add(atom)
            left, right, own = atom.left, atom.right, Size.of(atom)
            waiting += [*left.atoms(), *right.atoms()]
            if atom.operator == "min":
                yield from (left - own, right - own)
            elif atom.operator == "max":
                yield from (own - left, own - right)
            elif self.proves(right - 1):
                if atom.operator == "%":
                    yield right - 1 - own
                    if self.proves(left):
                        yield left - own
                else:
                    yield left - right * own
                    yield right * own + right - 1 - left

    def shifted_facts(self, facts: tuple[Size, ...]) -> tuple[Size, ...]:
        """The short ones: multiples of long sums are slow and of no use."""
        short = (fact for fact in facts if len(fact.terms) <= LONGEST)
        return tuple(dict.fromkeys(self.shifted(fact) for fact in short))

    def shifted(self, size: Size) -> Size:
        return _tighten(self.shift(size))

    def shift(self, size: Size) -> Size:
        """The size over atoms that start at 0: each atom stands for itself less its lower bound."""
        for atom in tuple(size.atoms()):
            bound = self.bound(atom)
            if bound:
                size = _replace(size, atom, Size.of(atom) + bound)
        return size

    def search(self, goal: Size, facts: tuple[Size, ...], depth: int) -> bool:
        """Prove `goal >= 0`, both over shifted atoms, by subtracting multiples of facts.

        A negative term can only be outweighed by a fact that has a term of the same kind, so
        only such multiples are tried, and only for one negative term: some fact must meet it.
        """
        negative = [term for term in goal.terms if term[1] < 0 or not self.is_positive(term[0])]
        if not negative:
            return True
        if self.failed.get((goal, facts), 0) >= depth or len(goal.terms) > 4 * LONGEST:
            return False
        self.failed[goal, facts] = depth
        monomial, factor = max(negative, key=lambda term: sum(power for _, power in term[0]))
        if factor > 0:
            return False  # an atom of unknown sign
        for fact in facts:
            for own, amount in fact.terms:
                if amount > 0:
                    continue
                multiple = _cofactor(monomial, own)
                if multiple is None or not self.is_positive(multiple):
                    continue
                common = gcd(amount, factor)
                for size in self.multiples(multiple):
                    if self.steps <= 0:
                        return False
                    self.steps -= 1
                    rest = goal * (-amount // common) - fact * size * (-factor // common)
                    if self.search(_tighten(rest), facts, depth - 1):
                        return True
        return False

    def is_positive(self, monomial: Monomial) -> bool:
        """Whether a product of shifted atoms is never negative."""
        return all(self.bound(atom) is not None for atom, _ in monomial)

    def multiples(self, multiple: Monomial) -> Iterator[Size]:
        """The product of whole atoms first, then of the shifted ones: both are never negative."""
        if all((self.bound(atom) or 0) >= 0 for atom, _ in multiple):
            whole = self.shift(Size(((multiple, 1),)))
            yield whole
            if len(whole.terms) == 1:
                return
        yield Size(((multiple, 1),))


def _cofactor(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """What `divisor` must be multiplied by to give `monomial`."""
    powers = dict(monomial)
    for atom, power in divisor:
        powers[atom] = powers.get(atom, 0) - power
    if any(power < 0 for power in powers.values()):
        return None
    return tuple(item for item in powers.items() if item[1])
