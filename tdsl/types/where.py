"""`where` clauses at a definition: which parameters they put out of use, and what they promise.

Clauses are taken in the order written; one that needs another first is taken again after it.

- An equality eliminates one parameter. Preferred are, in this order: values that are certainly
  large enough; a side that is a bare parameter; the parameter declared last.
- `H divides C` eliminates `C := H*q`, where the new symbol q is named `C//H`.
- An inequality becomes a hypothesis: a size that is >= 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd
from typing import Literal

import msgspec

from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Opaque, Size, Symbol, divide_exactly

Relation = Literal["==", "<=", "<", ">=", ">", "divides"]


class Clause(msgspec.Struct, frozen=True):
    """`left relation right` over the parameters as declared; `span` is handed through."""

    relation: Relation
    left: Size
    right: Size
    span: object = None


class Refusal(msgspec.Struct, frozen=True):
    """A clause that cannot be used: E0512 with a form to write, or E0505 where none can hold."""

    clause: Clause
    code: Literal["E0512", "E0505"]
    reason: str
    write: str | None = None


class Relations(msgspec.Struct, frozen=True):
    """What the clauses of a function say.

    `values` are the eliminated parameters, over those that remain; `names` the same by name and
    with the quotients that went too (for naming.Names); `quotients` the new symbols.
    """

    values: Mapping[Symbol, Size]
    names: Mapping[str, Size]
    quotients: tuple[Symbol, ...]
    hypotheses: tuple[Size, ...]
    refusals: tuple[Refusal, ...]

    @property
    def facts(self) -> Facts:
        return Facts(self.hypotheses)


def relate(parameters: Sequence[Symbol], clauses: Iterable[Clause]) -> Relations:
    """The meaning of `where` clauses over the parameters of a function, in declared order."""
    clauses = tuple(clauses)
    state = _Relating(parameters)
    for clause in clauses:
        if clause.relation not in ("==", "divides"):
            state.hypothesis(clause)  # may be what makes the others possible
    waiting = [clause for clause in clauses if clause.relation in ("==", "divides")]
    refusals: list[Refusal] = []
    progress = True
    while waiting and progress:
        progress, later, refusals = False, [], []
        for clause in waiting:
            refusal = state.equality(clause) if clause.relation == "==" else state.divides(clause)
            if refusal is None:
                progress = True
            else:
                later.append(clause)
                refusals.append(refusal)
        waiting = later
    for clause in clauses:
        if clause.relation not in ("==", "divides"):
            left, right = state.both(clause)
            literal = excess(clause.relation, left, right).literal
            if literal is not None and literal < 0:
                refusals.append(Refusal(clause, "E0505", "this never holds"))
    hypotheses = tuple(size for size in state.hypotheses if size.literal is None)
    return Relations(
        state.values,
        {symbol.name: value for symbol, value in state.values.items()},
        tuple(symbol for symbol in state.quotients if symbol not in state.values),
        hypotheses,
        tuple(refusals),
    )


def excess(relation: Relation, left: Size, right: Size) -> Size:
    """What is >= 0 exactly where the inequality holds."""
    match relation:
        case "<=":
            return right - left
        case "<":
            return right - left - 1
        case ">=":
            return left - right
        case _:
            return left - right - 1


class _Relating:
    def __init__(self, parameters: Sequence[Symbol]) -> None:
        self.places = {symbol: place for place, symbol in enumerate(parameters)}
        owner = parameters[0].owner if parameters else ""
        self.names = Names(order=tuple(symbol.name for symbol in parameters), owner=owner)
        self.values: dict[Symbol, Size] = {}
        self.quotients: list[Symbol] = []
        self.hypotheses: list[Size] = []

    def both(self, clause: Clause) -> tuple[Size, Size]:
        return clause.left.substitute(self.values), clause.right.substitute(self.values)

    def hypothesis(self, clause: Clause) -> None:
        self.hypotheses.append(excess(clause.relation, *self.both(clause)))

    def eliminate(self, symbol: Symbol, value: Size) -> None:
        only = {symbol: value}
        facts = Facts(tuple(self.hypotheses))
        if not facts.at_least(value, symbol.least):
            self.hypotheses.append(value - symbol.least)
        self.values = {old: size.substitute(only) for old, size in self.values.items()}
        self.values[symbol] = value
        self.hypotheses = [size.substitute(only) for size in self.hypotheses]

    # --- equalities

    def equality(self, clause: Clause) -> Refusal | None:
        left, right = self.both(clause)
        difference = left - right
        if not difference.terms:
            return None
        if difference.literal is not None:
            return Refusal(clause, "E0505", "this never holds")
        for atom in difference.atoms():
            if isinstance(atom, Opaque) and atom.operator == "%":
                remainder = _alone(difference, atom)
                if remainder is not None and remainder.literal == 0:
                    return self.divides(Clause("divides", atom.right, atom.left, clause.span))
        found = self.candidate(difference, left, right)
        if found is None:
            return self.refuse_equality(clause, difference)
        symbol, value = found
        if value.literal is not None and value.literal < symbol.least:
            return Refusal(clause, "E0505", f"{symbol.name} would be {value.literal}")
        self.eliminate(symbol, value)
        return None

    def candidate(self, difference: Size, left: Size, right: Size) -> tuple[Symbol, Size] | None:
        """The best parameter to eliminate, and its value."""
        facts = Facts(tuple(self.hypotheses))
        best: tuple[tuple[bool, bool, int], Symbol, Size] | None = None
        for symbol in difference.symbols():
            value = self.solved_for(difference, symbol, facts)
            if value is None:
                continue
            rank = (
                facts.at_least(value, symbol.least),
                symbol in (left.symbol, right.symbol),
                self.place(symbol),
            )
            if best is None or rank > best[0]:
                best = (rank, symbol, value)
        return None if best is None else best[1:]

    def place(self, symbol: Symbol) -> int:
        return self.places.get(symbol, -1)

    def solved_for(self, difference: Size, symbol: Symbol, facts: Facts) -> Size | None:
        parts = difference.split(symbol)
        if set(parts) - {0, 1} or 1 not in parts:
            return None
        factor, rest = parts[1], parts.get(0, Size.of(0))
        if symbol in rest.symbols() or symbol in factor.symbols():
            return None
        if factor.literal is None and not (facts.at_least(factor, 1) or facts.at_least(-factor, 1)):
            return None
        return divide_exactly(-rest, factor)

    def refuse_equality(self, clause: Clause, difference: Size) -> Refusal:
        raw = clause.left - clause.right
        for atom in raw.atoms():
            if isinstance(atom, Opaque) and atom.operator == "//":
                value = _alone(raw, atom)
                if value is not None:
                    left, right = atom.left, atom.right * value
                    form = f"where {self.names.size(left)} == {self.names.size(right)}"
                    return Refusal(clause, "E0512", "floor division forgets the remainder", form)
        reason = (
            "no parameter can be put in terms of the others; "
            "one side must be a parameter that no other clause fixes"
        )
        return Refusal(clause, "E0512", reason, self.with_quotient(difference))

    def with_quotient(self, difference: Size) -> str | None:
        """`2*C == 3*H` is `2 divides H, C == 3*(H//2)`."""
        if len(difference.terms) != 2:
            return None
        terms = sorted(difference.terms, key=lambda term: abs(term[1]))
        (own, factor), (other, multiple) = terms
        if factor * multiple > 0:
            return None
        common = gcd(factor, multiple)
        one, two = Size(((own, 1),)).symbol, Size(((other, 1),)).symbol
        if one is None or two is None:
            return None
        factor, multiple = abs(factor) // common, abs(multiple) // common
        return f"where {factor} divides {two.name}, {one.name} == {multiple}*({two.name}//{factor})"

    # --- divides

    def divides(self, clause: Clause) -> Refusal | None:
        divisor, dividend = self.both(clause)
        if divide_exactly(dividend, divisor) is not None:
            return None
        facts = Facts(tuple(self.hypotheses))
        if not facts.at_least(divisor, 1):
            return Refusal(clause, "E0512", f"the divisor {self.names.size(clause.left)} may be 0")
        if dividend.literal is not None and divisor.literal is not None:
            return Refusal(clause, "E0505", f"{divisor.literal} does not divide {dividend.literal}")
        name = Opaque("//", clause.right, clause.left)
        # Numbers: `4 divides 6*q` says no more than `2 divides q`.
        if divisor.literal is not None and len(dividend.terms) == 1:
            monomial, amount = dividend.terms[0]
            common = gcd(divisor.literal, amount)
            divisor, dividend = Size.of(divisor.literal // common), Size(((monomial, 1),))
            if common != amount:
                name = Opaque("//", dividend, divisor)
        least = 1 if facts.at_least(dividend, 1) else 0
        if not least and not facts.at_least(dividend):
            return Refusal(clause, "E0512", f"{self.names.size(clause.right)} may be negative")
        owner = next((symbol.owner for symbol in dividend.symbols()), "")
        quotient = Symbol(self.names.size(Size.of(name)), owner, least)
        found = self.divided(divisor, dividend, Size.of(quotient), facts)
        if found is None:
            return self.refuse_divides(clause, dividend)
        self.quotients.append(quotient)
        self.eliminate(*found)
        return None

    def divided(
        self, divisor: Size, dividend: Size, quotient: Size, facts: Facts
    ) -> tuple[Symbol, Size] | None:
        """The last declared symbol that stands in the dividend once, by itself, and its value."""
        best: tuple[tuple[bool, int], Symbol, Size] | None = None
        for symbol in dividend.symbols() - divisor.symbols():
            parts = dividend.split(symbol)
            factor, rest = parts.get(1), parts.get(0, Size.of(0))
            if set(parts) - {0, 1} or factor is None or symbol in rest.symbols():
                continue
            if factor.literal not in (1, -1):
                continue
            value = (divisor * quotient - rest) * factor
            rank = (facts.at_least(value, symbol.least), self.place(symbol))
            if best is None or rank > best[0]:
                best = (rank, symbol, value)
        return None if best is None else best[1:]

    def refuse_divides(self, clause: Clause, dividend: Size) -> Refusal:
        divisor, whole = self.names.size(clause.left), clause.right.symbol
        if whole is not None and whole in self.values and len(self.values[whole].terms) == 1:
            for symbol in self.values[whole].symbols():
                if symbol in self.quotients:
                    return Refusal(
                        clause,
                        "E0512",
                        f"{whole.name} is already known to be a product; "
                        "say of which factor this is meant",
                        f"where {divisor} divides {symbol.name}",
                    )
        return Refusal(
            clause, "E0512", f"what is divided must be a parameter, not {self.names.size(dividend)}"
        )


def _alone(difference: Size, atom: Opaque) -> Size | None:
    """What the atom must be for the difference to be 0, where it occurs once and by itself."""
    parts = difference.split(atom)
    factor = parts.get(1)
    if set(parts) - {0, 1} or factor is None or factor.literal not in (1, -1):
        return None
    return -(parts.get(0, Size.of(0)) * factor)
