"""What `tdsl.explain_recompiles` says of each instance, and the warning that there are many."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest

import tdsl

PROGRAM = """
tdsl 0.1
pub fn scaled[E: dtype(float), T, C, static h: int](x: E[T, C]) -> E[T, C] { x * h }
pub fn thirds[N](x: f32[3 * N]) -> f32[3] { sum(reshape(x, [3, N]), 1) }
pub fn counted[N](x: f32[N]) -> f32[N] { x * (if N > 4 { 2.0 } else { 3.0 }) }
pub fn ranked[...S](x: f32[...S]) -> f32[...S] { x + 1.0 }
"""


@pytest.fixture
def m() -> tdsl.Module:
    gc.collect()
    return tdsl.loads(PROGRAM)


def told(name: str) -> list[str]:
    return [str(one.reason) for one in tdsl.explain_recompiles() if one.function == name]


def x(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.ones(shape, dtype)


def test_each_instance_says_what_made_it(m: tdsl.Module) -> None:
    m.scaled(x(2, 8), h=1)
    m.scaled(x(3, 8), h=1)
    m.scaled(x(5, 8), h=1)
    m.scaled(x(5, 8), h=2)
    m.scaled(x(5, 8, dtype="float64"), h=2)
    m.scaled(x(4, 9, dtype="float64"), h=2)
    assert told("scaled") == [
        "the first one",
        "T was 2 and is 3: a size that varies is open from then on",
        "h was 1 and is 2: a static always chooses an instance",
        "E was f32 and is f64: a dtype always chooses an instance",
        "C was 8 and is 9, and T was 5 and is 4: a size that varies is open from then on",
    ]


def test_the_number_of_axes_is_told(m: tdsl.Module) -> None:
    m.ranked(x(2))
    m.ranked(x(2, 3))
    assert told("ranked")[1] == (
        "S was 1 axis and is 2 axes: the number of axes always chooses an instance"
    )


def test_a_size_that_must_be_known_is_told_with_the_reason(m: tdsl.Module) -> None:
    m.counted(x(3))
    m.counted(x(6))
    assert m.counted(x(9))[0] == 2
    assert told("counted")[1].startswith("N was 3 and is 6: it cannot be left open (")
    assert told("counted")[2].startswith("N was 6 and is 9: it cannot be left open (")


def test_the_list_is_for_people_and_forgets_what_is_gone(m: tdsl.Module) -> None:
    fixed = m.thirds.compile(dynamic=())
    fixed(x(6))
    fixed(x(9))
    shown = repr(tdsl.explain_recompiles())
    assert (
        "thirds for dynamic=()\n"
        "    N=2: the first one\n    N=3: N was 2 and is 3: `dynamic` keeps it" in shown
    )
    del fixed
    gc.collect()
    assert told("thirds") == []


def test_sizes_are_shown_as_they_are_declared() -> None:
    text = """
tdsl 0.1
pub fn cut[T, C, static heads](x: f32[T, C]) -> f32[T, heads, C//heads] where heads divides C {
    reshape(x, [T, heads, C//heads])
}
"""
    m = tdsl.loads(text)
    m.cut(x(2, 12), heads=3)
    assert m.cut.cache_info().instances == ("T=2, C=12, heads=3",)
    m.cut(x(2, 15), heads=3)
    assert m.cut.cache_info().instances[1] == "T=2, C=?, heads=3"


def test_instances_of_another_target_are_told_apart(m: tdsl.Module) -> None:
    m.thirds(x(6))
    emulated = m.thirds.compile(target="gpu-emulator")
    emulated(x(6))
    shown = repr(tdsl.explain_recompiles())
    assert "thirds for gpu-emulator:sm_80\n    N=2: the first one" in shown


def test_functions_that_compile_gave_are_told_apart(m: tdsl.Module) -> None:
    m.thirds(x(6))
    kept = m.thirds.compile(N=2)
    kept.profile(x(6), repeat=1)
    assert told("thirds") == ["the first one"] * 3
    shown = repr(tdsl.explain_recompiles())
    assert shown.endswith(
        "thirds\n    N=2: the first one\n"
        "thirds for N=2\n    N=2: the first one\n"
        "thirds for N=2, profiled\n    N=2: the first one"
    )


def test_eight_instances_for_one_size_are_warned_of_once(m: tdsl.Module) -> None:
    fixed = m.thirds.compile(dynamic=())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(1, 8):
            fixed(x(3 * n))
    with pytest.warns(tdsl.RecompileWarning, match='dynamic=\\("N",\\)') as caught:
        [fixed(x(3 * n)) for n in range(8, 20)]
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert m.thirds.compile(dynamic=("N",))(x(12)).tolist() == [4, 4, 4]


def test_no_warning_where_its_advice_would_not_work(m: tdsl.Module) -> None:
    fixed = m.counted.compile(dynamic=())
    both = m.scaled.compile(dynamic=(), h=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(1, 12):
            fixed(x(n))
            both(x(n, 1 + n % 2))
