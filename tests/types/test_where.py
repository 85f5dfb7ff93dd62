"""`where` clauses: what they eliminate, what they promise, what is refused."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdsl.types.naming import Names
from tdsl.types.sizes import Size, Symbol, opaque
from tdsl.types.where import Clause, Relation, Relations, relate

PARAMETERS = [Symbol(name, "m.f") for name in "TCHDEN"]
T, C, H, D, E, N = map(Size.of, PARAMETERS)


def clause(left: Size | int, relation: Relation, right: Size | int) -> Clause:
    return Clause(relation, Size.of(left), Size.of(right))


def related(*clauses: Clause) -> Relations:
    return relate(PARAMETERS, clauses)


def shown(relations: Relations) -> dict[str, str]:
    return {symbol.name: str(value) for symbol, value in relations.values.items()}


def in_force(size: Size, relations: Relations) -> Size:
    return size.substitute(relations.values)


def half(size: Size) -> Size:
    return opaque("//", size, Size.of(2))


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ([clause(C, "==", H * D)], {"C": "D*H"}),
        ([clause(H * D, "==", C)], {"C": "D*H"}),
        ([clause(C, "==", N)], {"N": "C"}),
        ([clause(C, "==", H - 1)], {"H": "C + 1"}),
        ([clause(C + 1, "==", 2 * H)], {"C": "2*H - 1"}),
        ([clause(2 * C, "==", 2 * H * D)], {"C": "D*H"}),
        ([clause(H * C, "==", H * D)], {"D": "C"}),
        ([clause(N, "==", 4)], {"N": "4"}),
        ([clause(C, "==", H * D), clause(T, "==", C * 2)], {"C": "D*H", "T": "2*D*H"}),
        ([clause(C, "==", H * D), clause(H, "==", T)], {"C": "D*T", "H": "T"}),
        ([clause(C, "==", C)], {}),
        ([clause(H, "divides", C)], {"C": "(C//H)*H"}),
        ([clause(opaque("%", C, H), "==", 0)], {"C": "(C//H)*H"}),
        (
            [clause(H, "divides", C), clause(2, "divides", opaque("//", C, H))],
            {"C": "2*(C//H//2)*H", "C//H": "2*(C//H//2)"},
        ),
        (
            [clause(4, "divides", C), clause(6, "divides", C)],
            {"C": "12*(C//4//3)", "C//4": "3*(C//4//3)"},
        ),
        ([clause(2, "divides", C), clause(2, "divides", C)], {"C": "2*(C//2)"}),
        ([clause(2, "divides", C - 1)], {"C": "2*((C - 1)//2) + 1"}),
        ([clause(H, "divides", C), clause(H, "divides", C * 3)], {"C": "(C//H)*H"}),
    ],
)
def test_eliminated(clauses: list[Clause], expected: dict[str, str]) -> None:
    relations = related(*clauses)
    assert relations.refusals == ()
    assert shown(relations) == expected
    for one in clauses:
        if one.relation == "==":
            assert in_force(one.left, relations) == in_force(one.right, relations)
        else:
            assert in_force(opaque("%", one.right, one.left), relations) == Size.of(0)


def test_divides_makes_quotients_exact() -> None:
    relations = related(clause(H, "divides", C), clause(2, "divides", D))
    depth = in_force(opaque("//", C, H), relations)
    assert depth * H == in_force(C, relations)
    assert in_force(2 * half(D), relations) == in_force(D, relations)
    facts = relations.facts
    assert facts.at_least(in_force(half(D), relations), 1)
    assert {symbol.name for symbol in relations.quotients} == {"C//H", "D//2"}


def test_a_quotient_that_may_be_0() -> None:
    relations = related(clause(2, "divides", C - 1))
    (quotient,) = relations.quotients
    assert quotient.least == 0
    assert relations.hypotheses == ()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_clauses_does_not_matter(order: tuple[int, ...]) -> None:
    clauses = [
        clause(2, "divides", opaque("//", C, H)),
        clause(H, "divides", C),
        clause(D, "==", half(opaque("//", C, H))),
    ]
    relations = related(*(clauses[i] for i in order))
    assert relations.refusals == ()
    assert in_force(C, relations) == in_force(2 * D * H, relations)


def test_inequalities() -> None:
    relations = related(
        clause(T, "<=", N), clause(C, "==", H * D), clause(C, ">", 4), clause(T, "<", C)
    )
    assert relations.hypotheses == (N - T, H * D - 5, H * D - T - 1)
    assert relations.facts.at_least(H * D, 5)


def test_an_eliminated_parameter_stays_at_least_1() -> None:
    relations = related(clause(C + D, "==", N + 2 * T))
    symbol, value = next(iter(relations.values.items()))
    assert (symbol.name, str(value)) == ("N", "C + D - 2*T")
    assert relations.facts.at_least(value, 1)
    promised = related(clause(C, "==", T - N), clause(T, ">", N))
    assert in_force(T, promised) == in_force(C + N, promised)


@pytest.mark.parametrize(
    ("clauses", "code", "write"),
    [
        ([clause(H * D, "==", T * C)], "E0512", None),
        ([clause(2 * C, "==", 3 * H)], "E0512", "where 2 divides H, C == 3*(H//2)"),
        ([clause(opaque("//", C, H), "==", D * E)], "E0512", "where C == H*D*E"),
        (
            [clause(T * opaque("//", C, H), "==", N * D)],
            "E0512",
            None,
        ),
        (
            [clause(H * D, "==", T * opaque("//", C, H)), clause(D, "==", 2)],
            "E0512",
            None,
        ),
        ([clause(H, "divides", C), clause(2, "divides", C)], "E0512", "where 2 divides C//H"),
        ([clause(H, "divides", T * C)], "E0512", None),
        ([clause(H - 1, "divides", C)], "E0512", None),
        ([clause(H, "divides", C - D)], "E0512", None),
        ([clause(2, "==", 3)], "E0505", None),
        ([clause(C, "==", C + 1)], "E0505", None),
        ([clause(C, "==", 0)], "E0505", None),
        ([clause(5, "divides", 24)], "E0505", None),
        ([clause(N, "==", 4), clause(N, ">", 5)], "E0505", None),
    ],
)
def test_refused(clauses: list[Clause], code: str, write: str | None) -> None:
    relations = related(*clauses)
    assert [refusal.code for refusal in relations.refusals] == [code]
    assert relations.refusals[0].write == write
    assert relations.refusals[0].reason


def test_the_form_to_write_is_accepted() -> None:
    relations = related(clause(2, "divides", H), clause(C, "==", 3 * half(H)))
    assert relations.refusals == ()
    assert in_force(2 * C, relations) == in_force(3 * H, relations)


sides = st.sampled_from([T, C, H, D, H * D, 2 * C, T + 1, C - 1, N * E, Size.of(6), H * D + N])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sides, st.sampled_from(["==", "divides", "<="]), sides), max_size=3))
def test_meaning_is_kept(drawn: list[tuple[Size, Relation, Size]]) -> None:
    """Every assignment to the remaining symbols that the hypotheses allow satisfies the clauses."""
    relations = related(*(clause(*one) for one in drawn))
    if relations.refusals:
        return
    free = {symbol for value in relations.values.values() for symbol in value.symbols()}
    free |= {*PARAMETERS} - relations.values.keys()
    for number in (1, 2, 5):
        at = {symbol: Size.of(symbol.least + number) for symbol in free}
        hypotheses = [size.substitute(at).literal for size in relations.hypotheses]
        if any(size is not None and size < 0 for size in hypotheses):
            continue
        for left, relation, right in drawn:
            a = in_force(left, relations).substitute(at).literal
            b = in_force(right, relations).substitute(at).literal
            assert a is not None
            assert b is not None
            assert {"==": a == b, "<=": a <= b, "divides": a != 0 and b % a == 0}[relation]
        for value in relations.values.values():
            small = value.substitute(at).literal
            assert small is not None
            assert small >= 0


def test_names_show_eliminated_parameters() -> None:
    relations = related(clause(H, "divides", C), clause(2, "divides", opaque("//", C, H)))
    names = Names(relations.names, tuple("TCHDEN"), "m.f")
    (quotient,) = relations.quotients
    assert names.size(in_force(3 * C, relations)) == "3*C"
    assert names.size(in_force(opaque("//", C, H), relations)) == "C//H"
    assert names.size(Size.of(quotient)) == "C//H//2"
