"""Proofs of inequalities: the ones that must be found, and that none is found that is wrong."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from size_strategies import SYMBOLS, polynomials, value, with_opaque

from tdsl.types.proofs import Facts
from tdsl.types.sizes import UNBOUNDED, Pack, PackProduct, Size, Symbol, opaque

T, C, H, D, N = (Size.of(Symbol(name, "m.f")) for name in "TCHDN")
h = Size.of(Symbol("h", "m.f#0", 0))
IN_RANGE = Facts((H - h - 1,))
HALF = opaque("//", D, Size.of(2))
REST = opaque("%", T, D)


@pytest.mark.parametrize(
    ("facts", "size", "least"),
    [
        (Facts(), N, 1),
        (Facts(), N * T + 3 * N - 4, 0),
        (Facts(), h * D, 0),
        (IN_RANGE, H * D - (h + 1) * D, 0),
        (IN_RANGE, T * H * D - T * (h + 1) * D, 0),
        (IN_RANGE, T * C * H * D - T * C * D * h, 1),
        (IN_RANGE, (h + 1) * D - h * D, 1),
        (Facts((N - T,)), N * D - T * D, 0),
        (Facts((N - T, C - N)), C - T, 0),
        (Facts((N - T, C - N, D - C)), D - T, 0),
        (Facts((2 * N - 2 * T + 1,)), N - T, 0),
        (Facts((N - T - 1,)), 2 * N - 2 * T, 2),
        (Facts(), D - 2 * HALF, 0),
        (Facts(), 2 * HALF + 1 - D, 0),
        (Facts(), HALF, 0),
        (Facts((D - 2,)), HALF, 1),
        (Facts((D - 7,)), HALF, 3),
        (Facts(), REST, 0),
        (Facts(), D - REST, 1),
        (Facts(), T - REST, 0),
        (Facts(), T - opaque("min", T, N), 0),
        (Facts(), opaque("min", T, N), 1),
        (Facts(), opaque("max", T, N) - T, 0),
        (Facts(), opaque("max", T, N) - opaque("min", T, N), 0),
        (Facts(), T + N - opaque("max", T, N), 1),
        (Facts((N - T,)), T - opaque("min", T, N), 0),
        (Facts((opaque("min", T, N) - C,)), T - C, 0),
        (Facts(), Size.of(PackProduct(Pack("S"))) * N, 1),
    ],
)
def test_proved(facts: Facts, size: Size, least: int) -> None:
    assert facts.at_least(size, least)


@pytest.mark.parametrize(
    ("facts", "size", "least"),
    [
        (Facts(), N, 2),
        (Facts(), N - T, 0),
        (Facts(), h, 1),
        (IN_RANGE, H * D - (h + 2) * D, 0),
        (Facts((N - T,)), N - T, 1),
        (Facts(), HALF, 1),
        (Facts(), D - 2 * HALF, 1),
        (Facts(), REST, 1),
        (Facts(), 2 * HALF - D, 0),
        (Facts(), opaque("//", T - N, D), 0),
        (Facts(), opaque("//", T, D), 1),
        (Facts(), opaque("%", T, N - D), 0),
        (Facts(), opaque("//", T, N - 1), 0),
        (Facts(), opaque("//", T - N, Size.of(2)), 0),
        (Facts(), opaque("min", T, N) - T, 0),
        (Facts(), Size.of(Symbol("n", "m.f", UNBOUNDED)), 0),
        (Facts(), Size.of(Symbol("n", "m.f", UNBOUNDED)) ** 2 * N, 1),
        (Facts(), Size.of(-1), 0),
    ],
)
def test_not_proved(facts: Facts, size: Size, least: int) -> None:
    assert not facts.at_least(size, least)


def test_assuming_what_is_known_adds_nothing() -> None:
    assert Facts().assume(N - 1) == Facts()
    assert Facts().assume(N - T) == Facts((N - T,))


numbers = st.fixed_dictionaries(
    {symbol: st.integers(symbol.least, symbol.least + 4) for symbol in SYMBOLS}
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(with_opaque(), max_size=3),
    with_opaque(),
    st.lists(numbers, min_size=12, max_size=12),
)
def test_what_is_proved_is_true(
    hypotheses: list[Size], size: Size, points: list[dict[Symbol, int]]
) -> None:
    facts = Facts(tuple(hypotheses))
    for goal in (size, *(known + size for known in hypotheses)):
        if facts.at_least(goal):
            for at in points:
                if all(value(known, at) >= 0 for known in hypotheses):
                    assert value(goal, at) >= 0


@settings(max_examples=100, deadline=None)
@given(st.lists(polynomials, min_size=1, max_size=3), st.data())
def test_what_is_proved_at_a_known_point_is_true(
    hypotheses: list[Size], data: st.DataObject
) -> None:
    """Hypotheses made true at one point, so that none of the draws is vacuous."""
    at = data.draw(numbers)
    known = tuple(size - value(size, at) for size in hypotheses)
    goal = data.draw(st.sampled_from(known)) * data.draw(st.integers(1, 3)) + data.draw(polynomials)
    if Facts(known).at_least(goal):
        assert value(goal, at) >= 0


def test_a_hopeless_question_ends_soon() -> None:
    symbols = [Size.of(Symbol(f"N{i}")) for i in range(8)]
    facts = Facts(tuple(a * b - c for a in symbols[:4] for b in symbols[4:] for c in symbols[:2]))
    goal = sum((a * b for a in symbols for b in symbols), Size.of(0)) - sum(
        (a**3 for a in symbols), Size.of(0)
    )
    start = time.process_time()
    assert not facts.at_least(goal)
    assert not facts.at_least((symbols[0] - symbols[1]) ** 30)
    assert time.process_time() - start < 1.0
