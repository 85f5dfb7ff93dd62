"""Sizes by majority: which arrays are blamed where shapes contradict each other."""

from __future__ import annotations

from tdsl.runtime.fitting import Fact, fit
from tdsl.types.sizes import Pack, Size, Symbol

C, F, H, D = (Symbol(name, "m.f") for name in "CFHD")


def fact(path: str, declared: list[Symbol | Size], *found: int) -> Fact:
    sizes = tuple(Size.of(size) for size in declared)
    return Fact(path, sizes, found, len(sizes))


def test_facts_that_agree() -> None:
    found = fit([fact("a", [C, F], 3, 4), fact("b", [F], 4)], {})
    assert not found.misfits
    assert found.values == {C: Size.of(3), F: Size.of(4)}


def test_the_first_of_two_is_right() -> None:
    (misfit,) = fit([fact("a", [C], 3), fact("b", [C], 4)], {}).misfits
    assert (misfit.fact.path, misfit.axes, misfit.wanted) == ("b", (0,), (3,))


def test_the_majority_is_right_after_many_wrong_ones() -> None:
    facts = [fact(f"a{n}", [C], n) for n in range(10, 20)] + [fact(f"b{n}", [C], 3) for n in (0, 1)]
    assert [misfit.fact.path[0] for misfit in fit(facts, {}).misfits] == ["a"] * 10


def test_what_is_given_by_name_is_right() -> None:
    facts = [fact("a", [C], 3), fact("b", [C], 3)]
    assert len(fit(facts, {C: Size.of(4)}).misfits) == 2


def test_matrices_that_are_all_transposed() -> None:
    norms = [fact("g", [C], 3), fact("b", [C], 3)]
    found = fit([*norms, fact("up", [C, F], 5, 3), fact("down", [F, C], 3, 5)], {})
    assert [(m.fact.path, m.wanted, m.transposed) for m in found.misfits] == [
        ("up", (3, 5), True),
        ("down", (5, 3), True),
    ]


def test_sizes_that_depend_on_others() -> None:
    product = Size.of(H) * Size.of(D)
    facts = [fact("a", [product], 12), fact("b", [product * 3], 36), fact("c", [product], 8)]
    found = fit(facts, {H: Size.of(2)})
    assert found.values[D] == Size.of(6)
    assert [misfit.fact.path for misfit in found.misfits] == ["c"]
    assert fit(facts[:1], {H: Size.of(5)}).misfits == ()  # 5 does not divide 12: nothing is known


def test_packs_take_what_is_left() -> None:
    pack = Pack("S", "m.f")
    facts = [
        Fact("x", (pack, Size.of(C)), (7, 8, 3), 2),
        fact("g", [C], 3),
        Fact("y", (Size.of(C), pack), (4, 9), 2),
    ]
    (misfit,) = fit(facts, {}).misfits
    assert (misfit.fact.path, misfit.axes) == ("y", (0,))
