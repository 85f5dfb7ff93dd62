"""Sizes drawn at random, and their values for drawn numbers."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from tdsl.types.sizes import Opaque, Size, Symbol, opaque

SYMBOLS = (*(Symbol(name, "m.f") for name in "ABC"), Symbol("i", "m.f#0", 0))


def _combine(children: st.SearchStrategy[Size]) -> st.SearchStrategy[Size]:
    pairs = st.tuples(children, children)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] - p[1]),
        pairs.map(lambda p: p[0] * p[1]),
    )


leaves = st.one_of(st.sampled_from(SYMBOLS).map(Size.of), st.integers(-6, 6).map(Size.of))
polynomials = st.recursive(leaves, _combine, max_leaves=6)


@st.composite
def with_opaque(draw: st.DrawFn) -> Size:
    """A polynomial that may hold opaque atoms; divisors are at least 1."""
    size = draw(polynomials)
    for _ in range(draw(st.integers(0, 2))):
        operator = draw(st.sampled_from(["//", "%", "min", "max"]))
        right = draw(polynomials)
        if operator in ("//", "%"):
            right = draw(
                st.one_of(st.integers(1, 5).map(Size.of), st.sampled_from(SYMBOLS[:3]).map(Size.of))
            )
        size = draw(st.sampled_from([1, -1])) * opaque(operator, size, right)  # type: ignore[arg-type]
        size = size * draw(leaves) + draw(polynomials)
    return size


values = st.fixed_dictionaries(
    {symbol: st.integers(symbol.least, symbol.least + 5) for symbol in SYMBOLS}
)


def value(size: Size, at: Mapping[Symbol, int]) -> int:
    """What a size is for some values of its symbols, by its meaning and not by substitution."""
    total = 0
    for monomial, factor in size.terms:
        for atom, power in monomial:
            if isinstance(atom, Opaque):
                left, right = value(atom.left, at), value(atom.right, at)
                number = {
                    "//": lambda a, b: a // b,
                    "%": lambda a, b: a % b,
                    "min": min,
                    "max": max,
                }[atom.operator](left, right)
            else:
                assert isinstance(atom, Symbol)
                number = at[atom]
            factor *= number**power
        total += factor
    return total
