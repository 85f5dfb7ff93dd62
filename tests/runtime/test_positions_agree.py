"""Run-time positions: native code and the evaluator give the same values and the same errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.check import typed
from tdsl.check.calls import solve_call
from tdsl.check.modules import check_source
from tdsl.reference.evaluate import evaluate
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, DType, of_numpy
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution, TensorType

TEXT = """tdsl 0.1
pub fn taken[V, C, T](w: f32[V, C], ids: I[T]) -> (f32[T, C], f32[V, T]) {
    (take(w, ids, axis=0), take(w, ids, axis=-1))
}
pub fn cut[V, C](w: f32[V, C], row: I, column: I) -> f32[2, 2] where V >= 2, C >= 2 {
    slice(w, at=[row, column], size=[2, 2])
}
pub fn put[V, C, S](w: f32[V, C], y: f32[S, C], row: I) -> f32[V, C] where S <= V {
    update(w, y, at=[row, 0])
}
"""
LIMITS = {"i64": (-(2**63), 2**63 - 1), "i8": (-128, 127), "u32": (0, 2**32 - 1)}
NAME = "positions.tdsl"

Outcome = tuple[str, Any]


def by_evaluator(program: typed.Program, name: str, arrays: list[Any]) -> Outcome:
    signature = program.root.functions[name].signature
    types = []
    for array in arrays:
        dtype = of_numpy(array.dtype)
        assert dtype is not None
        types.append(TensorType(dtype, tuple(map(Size.of, array.shape))))
    solved = solve_call(signature, types, {}, Facts())
    assert isinstance(solved, Substitution)
    try:
        return "gives", evaluate(program, signature.function, arrays, solved)
    except IndexError as error:
        return "raises", str(error)


def natively(module: tdsl.Module, name: str, arrays: list[Any]) -> Outcome:
    try:
        return "gives", getattr(module, name)(*arrays)
    except IndexError as error:
        return "raises", str(error)


@pytest.mark.parametrize("dtype", [DTYPES[name] for name in LIMITS], ids=str)
def test_the_same_values_and_the_same_errors(dtype: DType) -> None:
    text = TEXT.replace("I", dtype.name)
    program = check_source(Source(f"<{NAME}>", text), None).program
    assert program is not None
    module = tdsl.loads(text, name=NAME)
    w = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    low, high = LIMITS[dtype.name]
    places = sorted({0, 1, 2, 3, 4, 5, 7, max(low, -1), low, high})
    outcomes = {"gives": 0, "raises": 0}
    for row in places:
        one = np.asarray(row, dtype.numpy)
        calls = [
            ("taken", [w, np.array([0, row, 3], dtype.numpy)]),
            ("put", [w, -w[:2], one]),
            ("put", [w, -w, one]),
            *(("cut", [w, one, np.asarray(column, dtype.numpy)]) for column in (0, 2, 3)),
        ]
        for name, arrays in calls:
            way, wanted = by_evaluator(program, name, arrays)
            found_way, found = natively(module, name, arrays)
            assert found_way == way, (name, row)
            outcomes[way] += 1
            if way == "raises":
                assert found == wanted
                assert NAME in found
            elif isinstance(wanted, tuple):
                for left, right in zip(found, wanted, strict=True):
                    np.testing.assert_array_equal(left, right)
            else:
                np.testing.assert_array_equal(found, wanted)
    assert min(outcomes.values()) > 5


FROM_THE_END = """tdsl 0.1
pub fn first[N](x: i64[N]) -> i64 { x[-N] }
pub fn second[N, M](x: i64[N, M]) -> i64[M] where N >= 2 { x[1 - N] }
pub fn last_of_some[N, K](x: i64[N], y: i64[K]) -> i64 where K <= N { x[-K] + 0 * y[0] }
pub fn backwards[N](x: i64[N]) -> i64 { fold s = i64(0) for i in 0..N { 2 * s + x[-1 - i] } }
pub fn item[N](x: i64[N]) -> i64 { [x, x + 1, x + 2][-1][-N] }
"""


def test_static_positions_from_the_end() -> None:
    program = check_source(Source(f"<{NAME}>", FROM_THE_END), None).program
    assert program is not None
    module = tdsl.loads(FROM_THE_END, name=NAME)
    x = np.array([7, 5, 3], np.int64)
    square = np.arange(6).reshape(3, 2)
    expected = [
        ("first", [x], 7),
        ("second", [square], square[1]),
        ("last_of_some", [x, x[:2]], 5),
        ("backwards", [x], (3 * 2 + 5) * 2 + 7),
        ("item", [x], 9),
    ]
    for name, arrays, value in expected:
        for way, found in (by_evaluator(program, name, arrays), natively(module, name, arrays)):
            assert way == "gives", found
            np.testing.assert_array_equal(found, value, name)


def test_a_start_that_is_known_early_is_checked_all_the_same() -> None:
    module = tdsl.loads(
        "tdsl 0.1\n"
        "fn late[N](x: f32[N]) -> f32[1] { slice(x, at=[i64(4) + 3], size=[1]) }\n"
        "pub fn f[N](x: f32[N]) -> f32[1] { late(x) }\n"
        "pub fn whole[N](x: f32[N]) -> f32[N] { slice(x, at=[i64(0)], size=[N]) }\n"
    )
    opened = module.f.compile(dynamic=("N",))
    for f in (module.f, opened):
        for n in (3, 7):
            with pytest.raises(IndexError, match=f"start 7 is out of range for axis 0 of size {n}"):
                f(np.arange(n, dtype=np.float32))
        assert f(np.arange(8, dtype=np.float32)).tolist() == [7]
    assert module.whole(np.ones(3, np.float32)).tolist() == [1, 1, 1]
