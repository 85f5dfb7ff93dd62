"""`fn.profile`: every step is found, counted and timed, and nothing is computed otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import tdsl
from tdsl.engine.peak import Peak, measure
from tdsl.lowering.steps import MOST_EVENTS, Step
from tdsl.runtime.function import Function
from tdsl.runtime.profile import Event, Profile, Timed

PROGRAM = """tdsl 0.1
pub fn f[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] {
    let y = x @ w
    exp(y) * 2.0
}
pub fn put[N](cache: [f32[N]; 2], x: f32[1], at: i32) -> [f32[N]; 2] {
    let (_, grown) = scan n = i32(0) for c in cache { (n, update(c, x, at=[at])) }
    grown
}
pub fn stacked[L, N](ws: [f32[N, N]; L], x: f32[N]) -> f32[N] {
    fold s = x for w in ws { w @ s }
}
"""


@pytest.fixture(scope="module")
def m() -> tdsl.Module:
    return tdsl.loads(PROGRAM, name="profiled")


def array(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32) * 0.1


@pytest.fixture(scope="module")
def found(m: tdsl.Module) -> Profile:
    return m.f.profile(array(5, 7), array(7, 3), repeat=3)


def test_a_claim_is_one_step_at_its_line(found: Profile) -> None:
    (product,) = found.steps
    assert product.step.what == "matmul 5x7x3"
    assert product.step.at == "<profiled>:4:5"
    assert product.source == "exp(y) * 2.0"
    assert product.runs == 1
    assert product.step.operations == 2 * 5 * 7 * 3 + 2 * 5 * 3
    assert product.step.bytes == 4 * (5 * 7 + 7 * 3 + 5 * 3)
    assert 0 < product.seconds < found.seconds
    assert product.gflops == pytest.approx(product.step.operations / product.seconds / 1e9)
    assert product.gbytes == pytest.approx(product.step.bytes / product.seconds / 1e9)


def test_no_calls_at_all_are_refused(m: tdsl.Module) -> None:
    with pytest.raises(ValueError, match="once or more, not 0 times"):
        m.f.profile(array(5, 7), array(7, 3), repeat=0)


@pytest.mark.parametrize("by_call", [True, False])
def test_each_call_gives_up_copies_of_its_own(m: tdsl.Module, by_call: bool) -> None:
    cache = tdsl.stack([array(2000), array(2000)])
    kept = [np.array(one) for one in cache]
    if by_call:
        profile = m.put.profile(cache, array(1), 3, repeat=2, donate="cache")
    else:
        profile = m.put.compile(donate=("cache",)).profile(cache=cache, x=array(1), at=3, repeat=2)
    copied = m.put.profile(cache, array(1), 3, repeat=2)
    assert sum(one.step.bytes for one in profile.steps) < 200
    assert sum(one.step.bytes for one in copied.steps) > 2 * 4 * 2000
    np.testing.assert_array_equal([np.array(one) for one in cache], kept)
    m.put(cache, array(1), 3, donate="cache")  # it is still the caller's to give


def test_without_kernels_each_nest_of_loops_is_a_step() -> None:
    plain = tdsl.loads(PROGRAM, name="profiled", kernels="none")
    steps = plain.f.profile(array(5, 7), array(7, 3), repeat=1).steps
    assert [one.step.what for one in steps] == ["fill 5x3", "matmul 5x7x3", "elementwise 5x3"]
    assert [one.source for one in steps[1:]] == ["let y = x @ w", "exp(y) * 2.0"]
    assert [one.step.operations for one in steps] == [0, 2 * 5 * 7 * 3, 2 * 5 * 3]


def test_the_steps_of_a_loop_run_once_an_item(m: tdsl.Module) -> None:
    steps = m.stacked.profile(array(6, 4, 4), array(4), repeat=2).steps
    assert 6 in [one.runs for one in steps]


def test_results_are_the_same(m: tdsl.Module) -> None:
    x, w = array(33, 65), array(65, 17)
    origin = replace(m.f._origin, profile=True)
    timed = Function(m.f._program, m.f._function, origin, classes=m.f._classes)
    np.testing.assert_array_equal(timed(x, w), m.f(x, w))


def test_a_table_with_the_slowest_first(found: Profile) -> None:
    head, columns, *rows = str(found).splitlines()
    assert head.startswith("f: ")
    assert "median of 3" in head
    assert columns.split()[:3] == ["time", "share", "runs"]
    assert "matmul 5x7x3" in rows[0]
    assert "<profiled>:4  exp(y) * 2.0" in rows[0]
    assert "between the steps" in rows[-1]
    shares = [float(part.rstrip("%")) for row in rows for part in row.split() if part.endswith("%")]
    assert shares


def test_a_trace_that_viewers_read(m: tdsl.Module, tmp_path: Path) -> None:
    profile = m.stacked.profile(array(6, 4, 4), array(4), repeat=1)
    profile.trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert len(events) == sum(one.runs for one in profile.steps)
    assert all(event["ph"] == "X" and event["dur"] >= 0 for event in events)
    assert events[0]["ts"] == 0
    starts = [event["ts"] for event in events]
    assert starts == sorted(starts)
    assert {event["args"]["source"] for event in events} >= {"fold s = x for w in ws { w @ s }"}


def test_what_is_too_much_is_said(m: tdsl.Module) -> None:
    length = MOST_EVENTS + 5
    profile = m.stacked.profile(np.ones((length, 1, 1), np.float32), array(1), repeat=1)
    assert profile.lost > 0
    assert "came after the first 65536" in str(profile)
    assert sum(one.runs for one in profile.steps) == MOST_EVENTS


def test_wrong_arguments_are_refused_as_in_a_call(m: tdsl.Module) -> None:
    with pytest.raises(tdsl.ShapeError, match="`w`"):
        m.f.profile(array(5, 7), array(8, 3))


def test_the_peak_is_measured_once() -> None:
    peak = measure(1)
    assert peak.flops > peak.bandwidth / 4 > 0
    assert measure(1) is peak


BY_HAND = Profile(
    "f",
    4e-3,
    5,
    (
        Timed(Step("/here/a.tdsl:3:5", "fill 5x3", 0, 1_000_000), "let y = x @ w", 1, 0.5e-3),
        Timed(Step("/here/a.tdsl:4:5", "matmul 5x7x3", 3_000_000, 2_000_000), "y", 4, 2e-3),
    ),
    (Event(0, 0, 500_000), Event(1, 700_000, 2_700_000)),
    0,
    Peak(2, 60e9, 8e9),
)


def test_every_figure_of_the_table() -> None:
    """By hand: 4 runs of 3e6 operations in 2 ms are 6 GFLOP/s, a tenth of 60; 8e6 bytes are 4 GB/s,
    half of 8. What is left of the 4 ms lies between the steps."""
    head, _, *rows = repr(BY_HAND).splitlines()
    assert head == (
        "f: 4 ms a call, median of 5; 2 threads, at most 60 GFLOP/s in f32 and 8.0 GB/s"
    )
    assert [" ".join(row.split()) for row in rows] == [
        "2 ms 50.0% 4 6.0 10% 4.0 50% matmul 5x7x3 a.tdsl:4 y",
        "500 µs 12.5% 1 2.0 25% fill 5x3 a.tdsl:3 let y = x @ w",
        "1.5 ms 37.5% between the steps",
    ]


def test_every_figure_of_the_trace(tmp_path: Path) -> None:
    """In microseconds from the start of the call."""
    BY_HAND.trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    shown = [(one["name"], one["ph"], one["ts"], one["dur"]) for one in events]
    assert shown == [("fill 5x3", "X", 0.0, 500.0), ("matmul 5x7x3", "X", 700.0, 2000.0)]
    assert events[1]["args"]["bytes"] == 2_000_000
