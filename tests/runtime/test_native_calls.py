"""Calls through the native entry: what it takes, what it leaves to Python, and that both agree."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from ctypes import c_int64
from pathlib import Path
from typing import Any

import ml_dtypes
import msgspec
import numpy as np
import pytest

import tdsl
from tdsl.engine import entry as engine
from tdsl.runtime import native
from tdsl.types.sizes import Size, Symbol, opaque

PROGRAM = """tdsl 0.1
pub fn total[N](x: f32[N], y: f32[N]) -> f32[N] { x + y }
pub fn heads[T, C, static H, D](x: f32[T, C]) -> f32[H, T, D] where C == H * D {
    transpose(reshape(x, [T, H, D]), [1, 0, 2])
}
pub fn both[N, M](x: f32[N, M], y: f32[M]) -> (f32[N, M], f32[M]) { (x + y, y * y) }
pub fn nested[N](x: f32[N], y: f32[N]) -> (f32[N], (f32, f32[N])) { (x + y, (sum(x), x * y)) }
pub fn positions[T, N](x: f32[T], table: f32[N]) -> f32[T] where T <= N { x + table[0:T] }
pub fn pick[N, M](x: f32[N], i: i32[M]) -> f32[M] { take(x, i) }
pub fn joined[N, M](x: f32[N], y: f32[M]) -> f32[N + M] { concat([x, y], 0) }
pub fn next[N](x: f32[N], y: f32[N + 1]) -> f32[N] { x + y[1:] }
pub fn scaled[E: dtype(float), ...S](x: E[...S], by: E) -> E[...S] { x * by }
pub fn times[N, static by: number](x: f32[N]) -> f32[N] { x * by }
pub fn spread[T, static H = 4](x: f32[T]) -> f32[T, H] { broadcast(x[:, newaxis], [T, H]) }
pub fn soft[T](x: f32[T, 64]) -> f32[T, 64] {
    let e = exp(x - max(x, axis=1, keepdims=true))
    e / sum(e, axis=1, keepdims=true)
}
"""

needs_entry = pytest.mark.skipif(
    engine.decline() is not None, reason=f"no native calls here: {engine.decline()}"
)


@pytest.fixture
def m() -> tdsl.Module:
    return tdsl.loads(PROGRAM, name="native")


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def went_natively(function: tdsl.Function, call: Callable[[], object]) -> bool:
    before = function._native.calls
    call()
    return function._native.calls == before + 1


def natively(function: tdsl.Function, *arguments: object) -> Any:
    """The result of a call that must be native."""
    before = function._native.calls
    result = function(*arguments)
    assert function._native.calls == before + 1
    return result


@needs_entry
def test_the_second_call_is_native_and_counted(m: tdsl.Module) -> None:
    x = ones(4)
    first = m.total(x, x)
    assert not isinstance(m.total.__call__, type(m.total._call))
    assert went_natively(m.total, lambda: m.total(x, x))
    np.testing.assert_array_equal(m.total(x, x), first)
    info = m.total.cache_info()
    assert (info.hits, info.misses) == (2, 1)


@needs_entry
@pytest.mark.parametrize(
    "argument",
    [
        lambda x: x.tolist(),
        lambda x: x.astype(np.float64),
        lambda x: x.astype(">f4"),
        lambda x: np.repeat(x, 2)[::2],
        lambda x: x[:3],
        lambda x: x.reshape(1, 4),
        lambda x: x.view(type("Sub", (np.ndarray,), {})),
        lambda x: np.ma.array(x),
        lambda x: x[:0],
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32),
        lambda x: None,
    ],
)
def test_what_is_not_plain_is_converted_or_refused_in_python(
    m: tdsl.Module, argument: Callable[[np.ndarray], object]
) -> None:
    x = np.arange(4, dtype=np.float32)
    m.total(x, x)
    odd = argument(x)

    def call() -> object:
        try:
            return m.total(x, odd)
        except TypeError as error:
            return error

    found: list[object] = []
    assert not went_natively(m.total, lambda: found.append(call()))
    if not isinstance(found[0], TypeError):
        np.testing.assert_array_equal(found[0], x + x)


@needs_entry
def test_wrong_counts_and_names_are_refused_as_ever(m: tdsl.Module) -> None:
    x = ones(4)
    m.total(x, x)
    for call in (
        lambda: m.total(x),
        lambda: m.total(x, x, x),
        lambda: m.total(),
        lambda: m.total(x, x, z=1),
        lambda: m.total(x, x, x=x),
    ):
        with pytest.raises(tdsl.CallError):
            call()
    np.testing.assert_array_equal(m.total(x, y=x), x + x)
    np.testing.assert_array_equal(m.total(y=x, x=x), x + x)


@needs_entry
def test_open_sizes_are_bound_and_compared(m: tdsl.Module) -> None:
    for n in (4, 5):
        m.both(ones(n, 3), ones(3))
    for n in (6, 1, 129):
        x = np.arange(n * 3, dtype=np.float32).reshape(n, 3)
        found = natively(m.both, x, ones(3))
        assert isinstance(found, tuple)
        np.testing.assert_array_equal(found[0], x + 1)
    for n in (4, 5):
        m.total(ones(n), ones(n))
    assert went_natively(m.total, lambda: m.total(ones(6), ones(6)))
    with pytest.raises(tdsl.ShapeError):
        m.total(ones(6), ones(7))
    with pytest.raises(tdsl.ShapeError):
        m.both(ones(6, 3), ones(4))
    with pytest.raises(tdsl.SizeError):
        m.both(ones(0, 3), ones(3))


@needs_entry
def test_sizes_of_results_and_of_inputs_are_computed(m: tdsl.Module) -> None:
    for n in (4, 5):
        m.joined(ones(2), ones(n))
        m.next(ones(n), ones(n + 1))
    assert went_natively(m.joined, lambda: m.joined(ones(2), ones(9)))
    assert m.joined(ones(2), ones(9)).shape == (11,)
    assert went_natively(m.next, lambda: m.next(ones(9), ones(10)))
    with pytest.raises(tdsl.ShapeError, match="wrong size"):
        m.next(ones(9), ones(9))


@needs_entry
def test_constraints_on_open_sizes_hold_in_native_calls(m: tdsl.Module) -> None:
    for n in (4, 5):
        m.positions(ones(n), ones(7))
    assert went_natively(m.positions, lambda: m.positions(ones(7), ones(7)))
    with pytest.raises(tdsl.ShapeError, match="T <= N"):
        m.positions(ones(8), ones(7))


@needs_entry
def test_fixed_sizes_hold_in_native_calls(m: tdsl.Module) -> None:
    fixed = m.both.compile(M=3).compile(dynamic=("N", "M"))
    fixed(ones(2, 3), ones(3))
    assert went_natively(fixed, lambda: fixed(ones(5, 3), ones(3)))
    with pytest.raises(tdsl.ShapeError):
        fixed(ones(2, 4), ones(4))


@needs_entry
def test_statics_choose_by_value_and_type(m: tdsl.Module) -> None:
    x = np.arange(24, dtype=np.float32).reshape(1, 24)
    for heads in (2, 3, 1000 // 250):
        m.heads(x, H=heads)
    for heads in (2, 3, 4):
        assert went_natively(m.heads, lambda heads=heads: m.heads(x, H=heads))
        assert m.heads(x, H=heads).shape == (heads, 1, 24 // heads)
    assert m.heads(x, H=np.int64(3)).shape == (3, 1, 8)
    for wrong in (True, 3.0, 5, "3", None):
        with pytest.raises(TypeError):
            m.heads(x, H=wrong)
    with pytest.raises(tdsl.CallError):
        m.heads(x)


@needs_entry
def test_numbers_choose_by_type_and_sign(m: tdsl.Module) -> None:
    x = ones(2)
    for _ in range(3):
        for factor in (0.0, -0.0, 2, 2.0, -1.5, np.float64(-0.0)):
            found = m.times(x, by=factor)
            assert found[0] == factor
            assert np.signbit(found[0]) == np.signbit(factor)
    assert went_natively(m.times, lambda: m.times(x, by=2.0))
    assert went_natively(m.times, lambda: m.times(x, by=3.0 - 1.0))


@needs_entry
def test_defaults_of_statics_are_not_mixed_up_with_what_is_given(m: tdsl.Module) -> None:
    x, y = ones(3), ones(5)
    for _ in range(2):
        for argument in (x, y):
            assert m.spread(argument).shape == (len(argument), 4)
            assert m.spread(argument, H=5).shape == (len(argument), 5)
            assert m.spread(argument, H=4).shape == (len(argument), 4)
    assert went_natively(m.spread, lambda: m.spread(ones(9)))
    assert went_natively(m.spread, lambda: m.spread(ones(9), H=5))


@needs_entry
def test_the_first_sizes_keep_their_own_instance(m: tdsl.Module) -> None:
    """As in calls through Python: else the same call could give other last bits later."""
    first = ones(2, 3)
    for x in (first, ones(4, 3), ones(5, 3)):
        m.both(x, ones(3))
    closed, opened = m.both._instances
    assert not closed.built.open_sizes
    chosen = [variant.kernel for variant in m.both._native._chosen()]
    assert chosen == [closed.built.code.address, opened.built.code.address]


@needs_entry
def test_statics_that_are_no_small_numbers(m: tdsl.Module) -> None:
    x = np.arange(6000, dtype=np.float32).reshape(1, 6000)
    m.heads(x, H=int("3000"))
    assert went_natively(m.heads, lambda: m.heads(x, H=int("3000")))


@needs_entry
def test_many_instances_are_forgotten_natively_and_still_right(m: tdsl.Module) -> None:
    x = np.arange(5040, dtype=np.float32).reshape(1, 5040)
    divisors = [n for n in range(1, 13) if 5040 % n == 0]
    for _ in range(2):
        for heads in divisors:
            assert m.heads(x, H=heads).shape == (heads, 1, 5040 // heads)
    assert len(m.heads._native._variants) == native.MOST_VARIANTS
    info = m.heads.cache_info()
    assert (info.hits, info.misses) == (len(divisors), len(divisors))


@needs_entry
def test_positions_out_of_range_are_reported_with_their_place(m: tdsl.Module) -> None:
    x, good = ones(4), np.array([0, 3], np.int32)
    m.pick(x, good)
    assert went_natively(m.pick, lambda: m.pick(x, good))
    errors: list[str] = []
    for wrong in ([0, 4], [-5, 0], [0, 4]):
        with pytest.raises(IndexError, match=r"<native>:\d+:\d+") as caught:
            m.pick(x, np.array(wrong, np.int32))
        errors.append(str(caught.value))
    assert errors[0] == errors[2] != errors[1]
    np.testing.assert_array_equal(m.pick(x, good), [1, 1])


@needs_entry
def test_every_dtype_and_scalars(m: tdsl.Module) -> None:
    for dtype in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16):
        x, by = np.arange(6).astype(dtype), np.array(2, dtype)
        expected = m.scaled(x, by)
        found = natively(m.scaled, x, by)
        assert found.dtype == expected.dtype == x.dtype
        np.testing.assert_array_equal(found, expected)
    assert not went_natively(m.scaled, lambda: m.scaled(ones(2), 3.0))


@needs_entry
def test_unpickled_arrays_are_plain(m: tdsl.Module) -> None:
    x = pickle.loads(pickle.dumps(np.arange(4, dtype=np.float32)))
    m.total(x, x)
    assert went_natively(m.total, lambda: m.total(x, x))


@needs_entry
def test_nested_results(m: tdsl.Module) -> None:
    x = ones(4)
    expected = m.nested(x, x)
    found: list[tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]] = []
    assert went_natively(m.nested, lambda: found.append(m.nested(x, x)))
    assert type(found[0]) is type(found[0][1]) is tuple
    np.testing.assert_array_equal(found[0][0], expected[0])
    np.testing.assert_array_equal(found[0][1][1], expected[1][1])


@needs_entry
def test_large_scratch_memory_is_kept_and_never_shared_between_threads(m: tdsl.Module) -> None:
    x = np.random.default_rng(0).standard_normal((700, 64)).astype(np.float32)
    expected = m.soft(x)
    wrong: list[int] = []

    def work(seed: int) -> None:
        mine = np.roll(x, seed, axis=0)
        for _ in range(50):
            if not np.array_equal(m.soft(mine), np.roll(expected, seed, axis=0)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    arenas = next(iter(m.soft._instances)).built.code.arenas
    assert 1 <= len(arenas) <= 6


@needs_entry
def test_nothing_leaks(m: tdsl.Module) -> None:
    x, wrong = ones(4), np.array([0, 9], np.int32)
    m.both(ones(2, 4), x)
    m.pick(x, np.array([1], np.int32))
    shape = ones(2, 4)
    m.pick(x, np.array([0, 1], np.int32))
    before = [sys.getrefcount(o) for o in (x, wrong, x.dtype, np.float32)]
    for _ in range(500):
        m.both(shape, x)
        with pytest.raises(IndexError):
            m.pick(x, wrong)
    after = [sys.getrefcount(o) for o in (x, wrong, x.dtype, np.float32)]
    m.nested(x, x)
    blocks = sys.getallocatedblocks()
    for _ in range(500):
        m.nested(x, x)
    assert sys.getallocatedblocks() - blocks < 250
    assert all(abs(a - b) < 20 for a, b in zip(after, before, strict=True)), (before, after)


@needs_entry
def test_results_outlive_the_function() -> None:
    module = tdsl.loads(PROGRAM)
    x = ones(4)
    module.total(x, x)
    call = module.total.__call__
    y = call(x, x)
    del module
    gc.collect()
    np.testing.assert_array_equal(call(x, x), y)
    del call
    gc.collect()
    np.testing.assert_array_equal(y, [2, 2, 2, 2])


@needs_entry
def test_other_threads_run_during_a_call(m: tdsl.Module) -> None:
    x = ones(1 << 22)
    m.total(x, x)
    counted = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)  # gives up the GIL

    thread = threading.Thread(target=count)
    switching = sys.getswitchinterval()
    sys.setswitchinterval(10)  # from here on others run only when the GIL is given up
    try:
        thread.start()
        before = counted[0]
        for _ in range(5):
            m.total(x, x)
        during = counted[0] - before
    finally:
        sys.setswitchinterval(switching)
        stop.set()
        thread.join()
    assert during > 0


@needs_entry
def test_a_fork_goes_on_calling(m: tdsl.Module) -> None:
    x = ones(4)
    m.total(x, x)
    pid = os.fork()
    if pid == 0:
        good = np.array_equal(m.total(x, x), x + x) and m.total._native.calls >= 1
        os._exit(0 if good else 1)
    assert os.waitpid(pid, 0)[1] == 0


# --- where the entry cannot be used


def test_ctypes_does_the_same(m: tdsl.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """The self-test declines: every call goes through Python, with the same outcome."""
    monkeypatch.setattr(engine, "decline", lambda: "not here")
    native.entry.cache_clear()
    try:
        assert native.entry() is None
        x = ones(4)
        for _ in range(2):
            np.testing.assert_array_equal(m.total(x, x), x + x)
        assert m.total._native.calls == 0
        assert m.total.cache_info()[:2] == (1, 1)
        with pytest.raises(IndexError, match="out of range"):
            m.pick(x, np.array([9], np.int32))
        y = np.arange(24, dtype=np.float32).reshape(2, 12)
        assert m.heads(y, H=3).shape == m.heads(y, H=3).shape == (3, 2, 4)
    finally:
        native.entry.cache_clear()


def test_ctypes_can_be_asked_for(tmp_path: Path) -> None:
    code = """
import numpy as np, tdsl
from tdsl.runtime import native
m = tdsl.loads("tdsl 0.1\\npub fn f[N](x: f32[N]) -> f32[N] { x + 1.0 }\\n")
x = np.ones(3, np.float32)
m.f(x); m.f(x)
assert native.entry() is None and m.f._native.calls == 0
"""
    environment = {**os.environ, "TDSL_CALLS": "ctypes"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("sys.implementation", type("I", (), {"name": "pypy"}), "not CPython"),
        ("sys.version_info", (3, 99, 0), "never tried"),
        ("sys.getobjects", print, "header"),
    ],
)
def test_the_self_test_declines(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object, reason: str
) -> None:
    monkeypatch.setattr(name, value, raising=False)
    assert reason in (engine.decline() or "")
    with pytest.raises(engine.CannotCall, match=reason):
        engine.Entry(b"")


def test_the_self_test_declines_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "s390x")
    assert "s390x" in (engine.decline() or "")


def test_the_self_test_declines_pythons_without_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.version_info", (3, 14, 0))
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: 1)
    assert "lock" in (engine.decline() or "")


@needs_entry
def test_the_self_test_declines_other_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_array_fits", lambda array: False)
    assert "laid out" in (engine.decline() or "")
    monkeypatch.undo()
    monkeypatch.setattr(engine, "_NUMPY_2", 0x03000000)
    assert "binary interface" in (engine.decline() or "")


# --- sizes in tables

N, K = Symbol("N"), Symbol("K")


def evaluated(
    size: Size,
    n: int,
    k: int,
    checks: tuple[engine.Check, ...] = (),
    keywords: tuple[tuple[str, int], ...] = (),
    **given: int,
) -> int | None:
    """The size of a result that the entry makes for an input of shape [n, k]; None where it leaves
    the call to others."""
    found = native.entry()
    wide = np.dtype(np.int8)
    variant = engine.Variant(
        found._loaded.address("tdsl_nothing"),
        keywords,
        (engine.ArraySpec(wide, (Size.of(N), Size.of(K))),),
        (engine.ArraySpec(wide, (size,)),),
        (N, K),
        checks,
        Size.of(0),
        [],
        print,
    )
    call = found.function("sized", [variant], lambda *_, **__: None, c_int64())
    result = call(np.zeros((n, k), np.int8), **given)
    return None if result is None else result.shape[0]


@needs_entry
def test_sizes_are_computed_as_in_python() -> None:
    n, k = Size.of(N), Size.of(K)
    sizes = {
        n * k + 3: lambda n, k: n * k + 3,
        n * n * 2 - k: lambda n, k: n * n * 2 - k,
        opaque("//", n + 7, k): lambda n, k: (n + 7) // k,
        opaque("%", n + 7, k): lambda n, k: (n + 7) % k,
        opaque("min", n, k) * 2: lambda n, k: min(n, k) * 2,
        opaque("max", n * 3, k + 1) + 1: lambda n, k: max(n * 3, k + 1) + 1,
        opaque("//", n - k + 50, Size.of(4)): lambda n, k: (n - k + 50) // 4,
        opaque("//", n - 50, k) + 100: lambda n, k: (n - 50) // k + 100,
        opaque("%", n - 50, k) + 100: lambda n, k: (n - 50) % k + 100,
    }
    for size, expected in sizes.items():
        for a, b in ((5, 3), (1, 1), (7, 9), (20, 33)):
            if expected(a, b) >= 0:
                assert evaluated(size, a, b) == expected(a, b), size


@needs_entry
def test_what_sizes_must_fulfil_is_checked() -> None:
    n, k = Size.of(N), Size.of(K)
    relations: dict[engine.Relation, Callable[[int, int], bool]] = {
        "==": lambda n, k: n == k,
        "<=": lambda n, k: n <= k,
        "<": lambda n, k: n < k,
        "divides": lambda n, k: k % n == 0,
    }
    for relation, expected in relations.items():
        for a, b in ((3, 3), (3, 6), (3, 7), (6, 3), (7, 3)):
            found = evaluated(n, a, b, (engine.Check(relation, n, k),))
            assert (found is not None) == expected(a, b), (relation, a, b)
    # A size of 0 divides nothing, and one that fails is enough.
    assert evaluated(n, 3, 6, (engine.Check("divides", n - 3, k),)) is None
    both = (engine.Check("<", n, k), engine.Check("<", k, n))
    assert evaluated(n, 3, 6, both) is None


@needs_entry
@pytest.mark.parametrize(("relation", "least"), [(">", 4), (">=", 3), ("<", 2), ("<=", 3)])
def test_constraints_hold_in_native_calls(relation: str, least: int) -> None:
    """With sizes left open, a call at the edge is taken, and one beyond it is refused."""
    text = f"pub fn f[N, M](x: f32[N], y: f32[M]) -> f32[N] where N {relation} M {{ x + sum(y) }}"
    f = tdsl.loads("tdsl 0.1\n" + text).f.compile(dynamic=("N", "M"))
    edge, beyond = ones(least), ones(least + (1 if relation in ("<", "<=") else -1))
    f(edge, ones(3))
    assert f(edge, ones(3)).tolist() == [4.0] * least
    with pytest.raises(tdsl.ShapeError, match=f"requires `N {relation} M`"):
        f(beyond, ones(3))
    assert f(edge, ones(3)).tolist() == [4.0] * least


@needs_entry
def test_all_keywords_choose_an_instance() -> None:
    wanted = (("a", 1), ("b", 2))
    n = Size.of(N)
    assert evaluated(n, 3, 6, (), wanted, a=1, b=2) == 3
    assert evaluated(n, 3, 6, (), wanted, b=2, a=1) == 3
    for other in ({}, {"a": 1}, {"a": 1, "b": 3}, {"a": 1, "c": 2}, {"a": 1, "b": 2, "c": 3}):
        assert evaluated(n, 3, 6, (), wanted, **other) is None


@needs_entry
def test_a_wrong_answer_of_the_self_test_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine.compile_entry()
    monkeypatch.setattr(
        engine.Entry, "function", lambda *_: lambda *_, **__: np.zeros(15, np.int64)
    )
    with pytest.raises(engine.CannotCall, match="a call of the self-test went wrong"):
        engine.Entry(made)


@needs_entry
def test_scratch_memory_is_as_large_as_the_call_needs() -> None:
    found = native.entry()
    wide = np.dtype(np.int8)
    arenas: list[np.ndarray] = []
    variant = engine.Variant(
        found._loaded.address("tdsl_nothing"),
        (),
        (engine.ArraySpec(wide, (Size.of(N),)),),
        (engine.ArraySpec(wide, ()),),
        (N,),
        (),
        Size.of(N) * 1000,
        arenas,
        print,
    )
    call = found.function("f", [variant], print, c_int64(), 30_000)

    def kept(n: int) -> list[int]:
        call(np.zeros(n, np.int8))
        return [arena.nbytes - engine.ARENA_EXTRA for arena in arenas]

    assert kept(4) == []  # so little that it is on the stack
    assert kept(10) == [10_000]
    assert kept(20) == [20_000]  # too large for what there was
    assert kept(10) == [20_000]
    assert kept(40) == []  # too large to be kept
    large = msgspec.structs.replace(variant, scratch=Size.of(N) * (1 << 58))
    greedy = found.function("g", [large], print, c_int64())
    with pytest.raises(MemoryError):
        greedy(np.zeros(9, np.int8))


@needs_entry
def test_sizes_beyond_64_bits_are_left_to_python() -> None:
    large = Size.of(N)
    for _ in range(6):
        large = large * large
    assert evaluated(large, 1, 1) == 1
    assert evaluated(large, 3, 1) is None
    with pytest.raises(engine.CannotCall):
        evaluated(Size.of(N) * (1 << 63), 1, 1)
    with pytest.raises(engine.CannotCall):
        evaluated(Size.of(Symbol("M")), 1, 1)
