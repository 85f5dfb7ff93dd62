"""An index that lies in [-n, n) for all sizes, on a side of 0 that depends on them: as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_positions_agree import by_evaluator

import tdsl
from tdsl.check.modules import check_source
from tdsl.syntax.source import Source

TEXT = """tdsl 0.1
pub fn item[A, B](x: f32[A + B], y: f32[A]) -> f32 { x[A - B] }
pub fn row[A, B](x: f32[A + B, 3], y: f32[A]) -> f32[3] { x[A - B] }
pub fn column[A, B](x: f32[3, A + B], y: f32[A]) -> f32[3] { x[..., A - B] }
pub fn behind[N](x: f32[N]) -> f32[N] { fold s = 0.0 * x for i in 0..N { s + x[i - 1] * x[i] } }
pub fn listed[N](x: f32[N, 2]) -> [f32[2]; N] { [x[i - 1] for i in 0..N] }
pub fn of_list[C, static L](xs: [f32[C]; L + 3], y: f32[C]) -> f32[C] {
    y + xs[L - 3]
}
pub fn from_the_end[N, K](x: f32[N], y: f32[K]) -> f32 where K <= N { x[-K] }
pub fn assumed[A, B, N](x: f32[N], y: f32[A], z: f32[B]) -> f32 where A <= N, B <= N {
    x[A - B]
}
"""

Array = np.ndarray[Any, Any]


def vector(count: int) -> Array:
    return np.random.default_rng(count).standard_normal(count).astype(np.float32)


def rows(count: int, width: int) -> Array:
    return vector(count * width).reshape(count, width)


CASES: list[tuple[str, list[Any], dict[str, int], Callable[..., Any]]] = [
    *(
        (name, [x, vector(a)], {}, function)
        for a, b in [(1, 1), (2, 5), (5, 2), (4, 4), (1, 9)]
        for name, x, function in [
            ("item", vector(a + b), lambda x, y: x[2 * len(y) - len(x)]),
            ("row", rows(a + b, 3), lambda x, y: x[2 * len(y) - len(x)]),
            ("column", rows(3, a + b), lambda x, y: x[..., 2 * len(y) - x.shape[1]]),
        ]
    ),
    *(
        ("behind", [vector(n)], {}, lambda x: np.full_like(x, (np.roll(x, 1) * x).sum()))
        for n in (1, 2, 7)
    ),
    *(
        ("listed", [rows(n, 2)], {}, lambda x: np.roll(x, 1, axis=0))
        for n in (1, 5)
    ),
    *(
        ("of_list", [[vector(4) * i for i in range(count + 3)], vector(4)], {"L": count},
         lambda xs, y: y + xs[len(xs) - 6])
        for count in (1, 3, 5)
    ),
    *(
        ("assumed", [vector(n), vector(a), vector(b)], {}, lambda x, y, z: x[len(y) - len(z)])
        for n, a, b in [(3, 3, 3), (3, 1, 3), (9, 8, 2)]
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def module() -> tdsl.Module:
    return tdsl.loads(TEXT, name="sides.tdsl")


@pytest.mark.parametrize("place", range(len(CASES)))
def test_natively(place: int, module: tdsl.Module) -> None:
    """One instance after the other, so that most of them have open sizes."""
    name, arrays, statics, wanted = CASES[place]
    found = getattr(module, name)(*arrays, **statics)
    np.testing.assert_allclose(np.asarray(found), wanted(*arrays), rtol=1e-5)


@pytest.mark.parametrize("place", [p for p in range(len(CASES)) if not CASES[p][2]])
def test_in_the_evaluator(place: int) -> None:
    name, arrays, _, wanted = CASES[place]
    program = check_source(Source("sides.tdsl", TEXT), None).program
    _, found = by_evaluator(program, name, arrays)
    np.testing.assert_allclose(np.asarray(found), wanted(*arrays), rtol=1e-5)


def test_open_sizes_serve_either_side(module: tdsl.Module) -> None:
    assumed = module.assumed.compile(dynamic=("A", "B", "N"))
    for n, a, b in [(3, 3, 3), (3, 1, 3), (9, 8, 2), (9, 2, 8), (1, 1, 1)]:
        x = vector(n)
        assert assumed(x, vector(a), vector(b)) == x[a - b]
    from_the_end = module.from_the_end.compile(dynamic=("N", "K"))
    for n, k in [(1, 1), (5, 5), (5, 2)]:
        assert from_the_end(vector(n), vector(k)) == vector(n)[-k]


def test_what_may_lie_beyond_either_end_is_refused_with_both_facts() -> None:
    text = "tdsl 0.1\npub fn f[A, B, N](x: f32[N], y: f32[A], z: f32[B]) -> f32 { x[A - B] }\n"
    (found,) = check_source(Source("sides.tdsl", text), None).diagnostics
    assert (found.code, found.message) == ("E0408", "index A - B may be out of bounds")
    (help_,) = found.helps
    assert help_.text.startswith("add `where A - B >= 0, A - B < N`")
    fixed = text.replace("f32 {", "f32 where A - B >= 0, A - B < N {")
    assert not check_source(Source("sides.tdsl", fixed), None).diagnostics


def test_only_what_is_missing_is_asked_for() -> None:
    text = "tdsl 0.1\npub fn f[A, B](x: f32[A], y: f32[B], z: f32[A + B]) -> f32 { x[A - B] }\n"
    (found,) = check_source(Source("sides.tdsl", text), None).diagnostics
    assert found.helps[0].text.startswith("add `where A - B >= 0`")


@pytest.mark.parametrize(
    ("index", "message", "clause"),
    [
        ("L", "index L is out of bounds: there are L items", None),
        ("-L - 1", "index -L - 1 is out of bounds: there are L items", None),
        ("-K", "index -K may be out of bounds: there are L items", "K <= L"),
        ("K", "index K may be out of bounds: there are L items", "K < L"),
        ("1", "index 1 may be out of bounds: there are L items", "L > 1"),
        ("-2", "index -2 may be out of bounds: there are L items", "L >= 2"),
    ],
)
def test_an_item_of_a_list_is_proved_as_well(index: str, message: str, clause: str | None) -> None:
    text = f"tdsl 0.1\npub fn f[C, L, K](xs: [f32[C]; L], y: f32[K]) -> f32[C] {{ xs[{index}] }}\n"
    (found,) = check_source(Source("sides.tdsl", text), None).diagnostics
    assert found.message == message
    assert [help_.text.partition(";")[0] for help_ in found.helps] == (
        [f"add `where {clause}`"] if clause else []
    )
