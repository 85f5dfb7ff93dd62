"""Positions that a call brings: the right IndexError, or the nearest position inside."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl

TEXT = """tdsl 0.1

pub fn rows[V, C, T](table: f32[V, C], ids: i32[T]) -> f32[T, C] { take(table, ids, axis=0) }
pub fn wide[V, T](table: f32[V], ids: i64[T]) -> f32[T] { take(table, ids) }
pub fn window[N](x: f32[N], at: i64) -> f32[3] where 3 <= N { slice(x, at=[at], size=[3]) }
pub fn put[N](x: f32[N], y: f32[2], at: i32) -> f32[N] where 2 <= N { update(x, y, at=[at]) }
pub fn walk[V, C, T](table: f32[V, C], ids: i32[T]) -> f32[C] {
    fold s = table[0] for i in 0..T { s + take(table, ids[i], axis=0) }
}
"""

FAR = [-1, 5, np.iinfo(np.int64).min, np.iinfo(np.int64).max]
X = np.arange(5, dtype=np.float32)
TABLE = np.arange(15, dtype=np.float32).reshape(5, 3)


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("bounds") / "model.tdsl"
    path.write_text(TEXT)
    return tdsl.load(path)


@pytest.fixture(scope="module")
def clamped() -> Any:
    return tdsl.loads(TEXT, bounds="clamp")


def test_positions_inside_are_right(module: Any, clamped: Any) -> None:
    ids = np.array([4, 0, 2], np.int32)
    for one in (module, clamped):
        np.testing.assert_array_equal(one.rows(TABLE, ids), TABLE[ids])
        np.testing.assert_array_equal(one.window(X, np.int64(2)), X[2:5])
        np.testing.assert_array_equal(one.put(X, X[:2], np.int32(3)), [0, 1, 2, 0, 1])
        np.testing.assert_array_equal(one.walk(TABLE, ids), TABLE[0] + TABLE[ids].sum(0))


@pytest.mark.parametrize("index", FAR)
def test_an_index_outside_is_an_index_error(module: Any, clamped: Any, index: int) -> None:
    ids = np.array([1, index, -99])
    with pytest.raises(IndexError) as caught:
        module.wide(X, ids)
    message = str(caught.value)
    assert message.startswith(f"take: index {index} is out of range for axis 0 of size 5 (")
    assert message.endswith("model.tdsl:4:59)")
    np.testing.assert_array_equal(clamped.wide(X, ids), [1, 0 if index < 0 else 4, 0])


@pytest.mark.parametrize("start", FAR)
def test_a_start_outside_is_an_index_error(module: Any, clamped: Any, start: int) -> None:
    with pytest.raises(IndexError, match=f"slice: start {start} .* size 5: 3 .* start at 0 to 2"):
        module.window(X, np.int64(start))
    wanted = X[:3] if start < 0 else X[2:]
    np.testing.assert_array_equal(clamped.window(X, np.int64(start)), wanted)


def test_the_last_start_that_fits(module: Any) -> None:
    module.put(X, X[:2], np.int32(3))
    with pytest.raises(IndexError, match="update: start 4 "):
        module.put(X, X[:2], np.int32(4))
    with pytest.raises(IndexError, match="only start at 0"):
        module.window(X[:3], np.int64(1))


def test_the_message_knows_the_size_of_this_call(module: Any) -> None:
    function = module.rows.compile(dynamic=("V", "T"))
    for size in (5, 9):
        table = np.zeros((size, 3), np.float32)
        with pytest.raises(IndexError, match=f"index {size} .* of size {size} "):
            function(table, np.array([0, size], np.int32))


def test_a_position_in_a_loop(module: Any) -> None:
    with pytest.raises(IndexError, match=r"index 7 is out of range .*model.tdsl:8:43\)"):
        module.walk(TABLE, np.array([0, 7, -1], np.int32))


def test_a_function_works_after_it_failed(module: Any) -> None:
    good, bad = np.array([1, 2], np.int32), np.array([1, 9], np.int32)
    for _ in range(3):
        with pytest.raises(IndexError):
            module.rows(TABLE, bad)
        np.testing.assert_array_equal(module.rows(TABLE, good), TABLE[good])


def test_calls_at_once_have_errors_of_their_own(module: Any) -> None:
    module.rows(TABLE, np.array([0, 1], np.int32))
    wrong: list[str] = []

    def call(number: int) -> None:
        ids = np.array([number % 5, 1], np.int32)
        far = np.array([1, 100 + number], np.int32)
        for _ in range(50):
            if not np.array_equal(module.rows(TABLE, ids), TABLE[ids]):
                wrong.append("values")
            try:
                module.rows(TABLE, far)
            except IndexError as error:
                if f"index {100 + number} " not in str(error):
                    wrong.append(str(error))
            else:
                wrong.append("no error")

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_memory_around_an_array_is_never_read(clamped: Any, module: Any) -> None:
    band = np.full(4096, np.nan, np.float32)
    inside = band[2048:2053]
    inside[...] = X
    for position in (*FAR, -100, 100):
        assert np.isfinite(clamped.wide(inside, np.array([position, 0]))).all()
        assert np.isfinite(clamped.window(inside, np.int64(position))).all()
        with pytest.raises(IndexError):
            module.wide(inside, np.array([position]))
    assert np.isnan(band[:2048]).all()
    assert np.isnan(band[2053:]).all()


def test_the_choice_is_kept_where_functions_go(clamped: Any) -> None:
    again = pickle.loads(pickle.dumps(clamped.wide))
    np.testing.assert_array_equal(again(X, np.array([9])), [4])
    np.testing.assert_array_equal(clamped.wide.compile(V=5)(X, np.array([9])), [4])


def test_a_choice_that_does_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "model.tdsl"
    path.write_text(TEXT)
    for load in (lambda: tdsl.loads(TEXT, bounds="off"), lambda: tdsl.load(path, bounds="off")):
        with pytest.raises(ValueError, match="no bounds 'off'; there are trap and clamp"):
            load()


def test_isolated_compilation_knows_the_places_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDSL_COMPILE", "isolated")
    module = tdsl.loads(TEXT)
    with pytest.raises(IndexError, match=r"take: index 5 is out of range .*:4:59\)"):
        module.wide(X, np.array([5]))
