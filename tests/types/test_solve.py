"""Solving for unknown sizes."""

from __future__ import annotations

import random
import timeit

from hypothesis import given, settings
from hypothesis import strategies as st

from tdsl.types.proofs import Facts
from tdsl.types.sizes import UNBOUNDED, Size, Symbol, divide_exactly, opaque
from tdsl.types.solve import (
    Conflict,
    Equation,
    MayBeSmall,
    Solution,
    Undetermined,
    solve,
)

M, K, N, H, D, Q = (Size.of(Symbol(name, "m.callee")) for name in "MKNHDQ")
T, C, R = (Size.of(Symbol(name, "m.caller")) for name in "TCR")


def unknown(*sizes: Size) -> frozenset[Symbol]:
    return frozenset().union(*(size.symbols() for size in sizes))


def equations(*pairs: tuple[Size, Size | int]) -> list[Equation]:
    return [Equation(wanted, Size.of(found), i) for i, (wanted, found) in enumerate(pairs)]


planted = st.fixed_dictionaries(
    {
        symbol: st.sampled_from(
            [
                T,
                C,
                R,
                T * C,
                3 * C,
                T + C,
                Size.of(1),
                Size.of(7),
                C * R + 2,
                opaque("//", T, C) + 1,
            ]
        )
        for symbol in sorted(unknown(M, K, N, H, D), key=lambda symbol: symbol.name)
    }
)


@settings(deadline=None)
@given(planted, st.randoms(use_true_random=False))
def test_planted_solutions_are_found_in_any_order(
    values: dict[Symbol, Size], order: random.Random
) -> None:
    wanted = [M * 2 + K, K, N * K, H * N - K, H * D * 3, D * M]
    found = [Equation(size, size.substitute(values), None) for size in wanted]
    order.shuffle(found)
    result = solve(unknown(M, K, N, H, D), found, Facts())
    assert isinstance(result, Solution)
    assert result.values == values


def test_who_fixed_what() -> None:
    result = solve(unknown(M, N), equations((M, T), (M * N, T * C), (N, C)), Facts())
    assert isinstance(result, Solution)
    assert result.why == {M.symbol: 0, N.symbol: 1}


def test_a_conflict_names_the_later_equation() -> None:
    result = solve(unknown(K, N), equations((K, C), (N, 3 * C), (N, C)), Facts())
    assert isinstance(result, Conflict)
    assert (result.equation.why, result.wanted, result.found) == (2, 3 * C, C)
    assert result.why[next(iter(unknown(N)))] == 1


def test_five_does_not_divide_24() -> None:
    result = solve(unknown(H, D), equations((H * D, 24), (H, 5)), Facts())
    assert isinstance(result, Conflict)
    assert result.symbol == D.symbol
    assert result.divisor is not None
    assert result.dividend is not None
    assert (result.divisor.literal, result.dividend.literal) == (5, 24)
    negative = solve(unknown(D), equations((7 - 2 * D, 2)), Facts())
    assert isinstance(negative, Conflict)
    assert (negative.divisor, negative.dividend) == (Size.of(2), Size.of(5))


def test_undetermined() -> None:
    result = solve(unknown(H, D, K), equations((H * D, C), (K, T)), Facts())
    assert isinstance(result, Undetermined)
    assert result.symbols == (D.symbol, H.symbol)
    assert result.values == {K.symbol: T}
    nonlinear = solve(unknown(N), equations((N * N, 9)), Facts())
    assert isinstance(nonlinear, Undetermined)
    hidden = solve(unknown(N), equations((opaque("//", N, Size.of(2)), 4)), Facts())
    assert isinstance(hidden, Undetermined)


def test_a_product_that_is_known_is_put_into_others() -> None:
    """`where M divides H`: H is M*N, and only H itself is given."""
    result = solve(
        unknown(M, N, D),
        equations((M * N * D + 1, 49), (M * N * D, 48), (M * N, 6), (M * N, 6), (M * D, 16)),
        Facts(),
    )
    assert isinstance(result, Solution)
    assert result.values == {M.symbol: Size.of(2), N.symbol: Size.of(3), D.symbol: Size.of(8)}
    twice = solve(unknown(M, N, D), equations((3 * M * N, 3 * T), (M * N * D, T)), Facts())
    assert isinstance(twice, Undetermined)
    assert twice.values == {D.symbol: Size.of(1)}
    wrong = solve(unknown(M, N, D), equations((M * N, 6), (M * N * D, 49)), Facts())
    assert isinstance(wrong, Conflict)
    assert (wrong.symbol, wrong.divisor, wrong.dividend) == (D.symbol, Size.of(6), Size.of(49))
    assert wrong.equation.wanted == M * N * D
    assert isinstance(solve(unknown(M, N), equations((M * N, 6), (M * N, 7)), Facts()), Conflict)


def test_an_opaque_equation_is_checked_when_its_unknown_is_known() -> None:
    half = opaque("//", N, Size.of(2))
    assert isinstance(solve(unknown(N), equations((half, 4), (N, 9)), Facts()), Solution)
    assert isinstance(solve(unknown(N), equations((half, 4), (N, 7)), Facts()), Conflict)


def test_solved_sizes_are_proved_positive() -> None:
    small = solve(unknown(N), equations((N + 1, T)), Facts())
    assert isinstance(small, MayBeSmall)
    assert (small.symbol, small.value) == (N.symbol, T - 1)
    assert isinstance(solve(unknown(N), equations((N + 1, T)), Facts((T - 2,))), Solution)
    literal = solve(unknown(N), equations((N + 1, 1), (N, 5)), Facts())
    assert isinstance(literal, MayBeSmall)
    assert literal.value == Size.of(0)
    index = Size.of(Symbol("i", "m.callee", 0))
    assert isinstance(solve(unknown(index), equations((index, 0)), Facts()), Solution)
    number = Size.of(Symbol("n", "m.callee", UNBOUNDED))
    assert isinstance(solve(unknown(number), equations((number, T - 9)), Facts()), Solution)


def test_literal_sizes_are_quick() -> None:
    """Loose: what matters is that it is not milliseconds."""
    pairs = equations((M, 12), (K, 768), (K, 768), (N, 2304), (N, 2304), (H * D, 768), (H, 12))
    unknowns = unknown(M, K, N, H, D)
    assert isinstance(solve(unknowns, pairs, Facts()), Solution)
    best = min(timeit.repeat(lambda: solve(unknowns, pairs, Facts()), number=20, repeat=5)) / 20
    assert best < 1e-3


def test_values_divide_exactly() -> None:
    result = solve(unknown(H, D), equations((H, T), (H * D, T * C + T)), Facts())
    assert isinstance(result, Solution)
    assert result.values[next(iter(unknown(D)))] == C + 1
    assert divide_exactly(T * C + T, T) == C + 1
