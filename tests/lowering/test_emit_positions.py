"""Gathers, slices and updates at run-time positions: values, and what positions outside do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from emission_support import Making, mlir_opt, reference, run, shape

from tdsl.cpu.backend import CPU as CPU_BACKEND
from tdsl.graph.graph import Graph
from tdsl.lowering.emit import emit_module
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Bounds, Options
from tdsl.lowering.pipeline import lower_text
from tdsl.types.sizes import Size, Symbol

FAR = [-1, 5, np.iinfo(np.int64).min, np.iinfo(np.int64).max]


def check(graph: Graph, *arrays: Any, sizes: dict[Symbol, int] | None = None) -> None:
    found = run(graph, arrays, sizes=sizes or {})
    for one, wanted in zip(found, reference(graph, arrays, sizes or {}), strict=True):
        np.testing.assert_array_equal(one, wanted)


def options(bounds: Bounds) -> Options:
    return Options(bounds=bounds)


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "i32", "u8", "bool"])
@pytest.mark.parametrize("index", ["i64", "i32", "i8", "u32", "u8"])
def test_rows_are_taken(dtype: str, index: str) -> None:
    making = Making()
    x, ids = making.input("x", dtype, 5, 3), making.input("ids", index, 2, 4)
    graph = making.graph(making.build.gather(x, ids, 0))
    places = np.array([[4, 0, 2, 2], [1, 1, 3, 0]])
    data = np.arange(15).reshape(5, 3) % 2 if dtype == "bool" else np.arange(15).reshape(5, 3)
    check(graph, data.astype(x.type.dtype.numpy), places.astype(ids.type.dtype.numpy))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("ids", [(), (4,), (2, 3)])
def test_any_axis_can_be_taken_from(axis: int, ids: tuple[int, ...]) -> None:
    making = Making()
    x, at = making.input("x", "f32", 3, 4, 5), making.input("ids", "i64", *ids)
    graph = making.graph(making.build.gather(x, at, axis))
    random = np.random.default_rng(0)
    array = random.standard_normal((3, 4, 5)).astype(np.float32)
    check(graph, array, random.integers(0, 3, ids))


def test_sizes_may_be_open() -> None:
    n, c, t = (Symbol(name) for name in "NCT")
    making = Making()
    x, ids = making.input("x", "f32", n, c), making.input("ids", "i32", t)
    taken = making.build.gather(x, ids, 0)
    at = making.input("at", "i64")
    box = making.build.dynamic_slice(taken, [at, 0], (Size.of(2), Size.of(c)))
    graph = making.graph(taken, making.build.dynamic_update(x, box, [at, 0]))
    array = np.random.default_rng(1).standard_normal((6, 7)).astype(np.float32)
    known = {n: 6, c: 7, t: 5}
    check(graph, array, np.array([5, 0, 0, 3, 2], np.int32), np.int64(3), sizes=known)
    with pytest.raises(IndexError, match=r"take: index 6 is out of range for axis 0 of size 6$"):
        run(graph, [array, np.array([0, 6, -1, 0, 0], np.int32), np.int64(4)], sizes=known)
    with pytest.raises(IndexError, match=r"slice: start 4 .* axis 0 of size 5: 2 .* at 0 to 3"):
        run(graph, [array, np.zeros(5, np.int32), np.int64(4)], sizes=known)


def boxes() -> Graph:
    making = Making()
    x, part = making.input("x", "f32", 5, 4), making.input("part", "f32", 2, 3)
    row, column = making.input("row", "i64"), making.input("column", "i32")
    build = making.build
    return making.graph(
        build.dynamic_slice(x, [row, column], shape(3, 2)),
        build.dynamic_update(x, part, [row, column]),
    )


X = np.arange(20, dtype=np.float32).reshape(5, 4)
PART = np.full((2, 3), 100, np.float32)


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("column", [0, 1])
def test_boxes_are_cut_and_replaced(row: int, column: int) -> None:
    check(boxes(), X, PART, np.int64(row), np.int32(column))


@pytest.mark.parametrize("row", FAR)
def test_the_first_start_outside_is_reported(row: int) -> None:
    with pytest.raises(IndexError) as wanted:
        reference(boxes(), [X, PART, np.int64(row), np.int32(-9)])
    with pytest.raises(IndexError) as found:
        run(boxes(), [X, PART, np.int64(row), np.int32(-9)])
    assert str(found.value) == str(wanted.value)
    assert f"slice: start {row} is out of range for axis 0 of size 5" in str(found.value)


@pytest.mark.parametrize("index", FAR)
def test_the_first_index_outside_is_reported(index: int) -> None:
    making = Making()
    x, ids = making.input("x", "f32", 5), making.input("ids", "i64", 3)
    graph = making.graph(making.build.gather(x, ids, 0))
    arrays = [np.arange(5, dtype=np.float32), np.array([2, index, 9])]
    with pytest.raises(IndexError) as found:
        run(graph, arrays)
    assert str(found.value) == f"take: index {index} is out of range for axis 0 of size 5"
    (clamped,) = run(graph, arrays, options=options("clamp"))
    np.testing.assert_array_equal(clamped, [2, 0 if index < 0 else 4, 4])


def test_clamped_starts_are_the_nearest_inside() -> None:
    for row, nearest in ((-(2**63), 0), (-1, 0), (3, 2), (2**63 - 1, 2)):
        cut, _ = run(boxes(), [X, PART, np.int64(row), np.int32(1)], options=options("clamp"))
        np.testing.assert_array_equal(cut, X[nearest : nearest + 3, 1:3])
    for row, nearest in ((-1, 0), (4, 3), (2**63 - 1, 3)):
        _, put = run(boxes(), [X, PART, np.int64(row), np.int32(9)], options=options("clamp"))
        wanted = X.copy()
        wanted[nearest : nearest + 2, 1:4] = PART
        np.testing.assert_array_equal(put, wanted)


def guarded(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The array in the middle of NaNs, and all of it."""
    count = array.size
    band = np.full(count + 2048, np.nan, np.float32)
    inside = band[1024 : 1024 + count].reshape(array.shape)
    inside[...] = array
    return inside, band


@pytest.mark.parametrize("bounds", ["trap", "clamp"])
@pytest.mark.parametrize("position", [*FAR, -300, 300])
def test_memory_outside_is_never_touched(bounds: Bounds, position: int) -> None:
    making = Making()
    x, ids = making.input("x", "f32", 5, 4), making.input("ids", "i64", 2)
    at = making.input("at", "i64")
    part = making.input("part", "f32", 2, 3)
    build = making.build
    graph = making.graph(
        build.gather(x, ids, 0),
        build.dynamic_slice(x, [at, at], shape(2, 2)),
        build.dynamic_update(x, part, [at, at]),
    )
    inside, band = guarded(X)
    small, _ = guarded(PART)
    arrays = [inside, np.array([position, 1]), np.int64(position), small]
    results: Sequence[Any]
    if bounds == "trap":
        with pytest.raises(IndexError, match=f"take: index {position} "):
            run(graph, arrays)
    else:
        results = run(graph, arrays, options=options("clamp"))
        assert all(np.isfinite(one).all() for one in results)
    assert np.isnan(band[:1024]).all()
    assert np.isnan(band[-1024:]).all()


def test_one_text_serves_both_ways_and_upstream_reads_it() -> None:
    text = emit_module(boxes())
    assert "tdsl.check_position" in mlir_opt(text, "--verify-each")
    lowered = {
        bounds: lower_text(text, "llvm", options(bounds), CPU_BACKEND, Interface.of_graph(boxes()))
        for bounds in ("trap", "clamp")
    }
    assert "tdsl.sites" in lowered["trap"]
    assert "tdsl.sites" not in lowered["clamp"]
    assert not any("check_position" in one for one in lowered.values())


def test_a_start_that_is_known_to_fit_is_not_checked() -> None:
    making = Making()
    x = making.input("x", "f32", 5, 4)
    build = making.build
    graph = making.graph(build.dynamic_slice(x, [3, 0], shape(2, 4)))
    assert "check_position" not in emit_module(graph)
    check(graph, X)


def test_a_program_without_positions_takes_no_status_block() -> None:
    making = Making()
    x = making.input("x", "f32", 4)
    graph = making.graph(making.build.elementwise("neg", x))
    text = lower_text(emit_module(graph), "llvm", Options(), CPU_BACKEND, Interface.of_graph(graph))
    assert "tdsl.sites" not in text
