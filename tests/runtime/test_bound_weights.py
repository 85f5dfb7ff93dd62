"""Weights that are bound: the same results, one copy of them, and no way to misuse them."""

from __future__ import annotations

import copy
import functools
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bound_support import bind, half, module, net, other, random

import tdsl
from tdsl.lowering.interface import ALIGNMENT, Packing
from tdsl.lowering.options import Options
from tdsl.runtime import build, packing
from tdsl.runtime.bound import Bound
from tdsl.runtime.packing import Field, allocate


@pytest.fixture(scope="module")
def m() -> Any:
    return module()


IDS = np.arange(9, dtype=np.int32)


def fields(p: Bound) -> dict[str, Field]:
    names = [array.path.partition(".")[2] for array in p._layout.arrays]
    return dict(zip(names, p._fields, strict=True))


# --- results


@pytest.mark.parametrize("count", [1, 2, 9, 17])
def test_results_are_those_of_unbound_weights(m: Any, count: int) -> None:
    weights = net(m)
    p = bind(m, weights)
    ids = np.arange(count, dtype=np.int32)
    wanted = m.net(ids, weights)
    for _ in range(3):  # the slow way, then the native one
        np.testing.assert_array_equal(m.net(ids, p), wanted)
    np.testing.assert_array_equal(m.net(ids, p=p), wanted)


def test_on_against_off(m: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = net(m)
    on, p = m.net(IDS, bind(m, weights)), bind(m, weights)
    monkeypatch.setattr(build, "Options", functools.partial(Options, prepack=False))
    off = module()
    np.testing.assert_array_equal(off.net(IDS, p), on)
    assert all(not field.packed for field in p._fields)


def test_weights_stored_in_16_bits_stay_so(m: Any) -> None:
    weights = half(m)
    p, x = bind(m, weights), random(5, 20)
    np.testing.assert_array_equal(m.half(x, p), m.half(x, weights))
    known = fields(p)
    for name in ("w", "v"):
        (panels,) = known[name].packed.values()
        assert panels.dtype == known[name].dtype
        assert panels.dtype.itemsize == 2
        assert getattr(p, name).tobytes() == getattr(weights, name).tobytes()


def test_a_matrix_that_is_only_read_transposed_is_packed_so(m: Any) -> None:
    weights = other(m, 50)
    p, x = bind(m, weights), random(3, 50)
    np.testing.assert_allclose(m.turned(x, p), x @ weights.w.T + weights.b, rtol=1e-4, atol=1e-5)
    ((how, _),) = fields(p)["w"].packed.items()
    assert how.transposed
    np.testing.assert_array_equal(m.other(x, p), m.other(x, weights))  # from the other form
    np.testing.assert_array_equal(p.w, weights.w)


def test_nan_and_infinity_stay_in_their_columns(m: Any) -> None:
    w = random(50, 50)
    w[3, 7], w[4, 49] = np.nan, np.inf
    p = bind(m, m.Other(w=w, b=random(50)))
    with np.errstate(invalid="ignore"):
        found, wanted = m.other(random(20, 50), p), random(20, 50) @ w
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wanted))
    assert not np.isfinite(found[:, [7, 49]]).all()
    assert np.isfinite(np.delete(found, [7, 49], 1)).all()


# --- one copy


def test_packed_weights_lie_in_one_aligned_piece_of_memory(m: Any) -> None:
    p = bind(m, net(m))
    m.net(IDS, p)
    panels = [one for field in p._fields for one in field.packed.values()]
    assert len(panels) == 2
    assert len({id(one.base) for one in panels}) == 1
    assert all(one.ctypes.data % ALIGNMENT == 0 for one in panels)


def test_what_was_packed_is_not_kept(m: Any) -> None:
    weights = net(m)
    died = weakref.ref(weights.layers.stacked.up)
    p = bind(m, weights)
    wanted = weights.layers.stacked.up.copy()
    del weights
    m.net(IDS, p)
    gc.collect()
    assert died() is None
    known = fields(p)
    assert known["layers.up"].source is None
    assert known["layers.down"].source is None
    np.testing.assert_array_equal(p.layers.stacked.up, wanted)
    np.testing.assert_array_equal(p.layers[1].up, wanted[1])
    assert not p.layers.stacked.up.flags.writeable
    assert known["layers.up"].source is None  # asking for it does not bring it back


def test_what_is_read_in_two_ways_stays_as_it_is(m: Any) -> None:
    weights = net(m)
    p = bind(m, weights)
    m.net(IDS, p)
    words = fields(p)["words"]
    assert not words.packed
    assert np.shares_memory(p.words, weights.words)


def test_another_function_gets_back_what_was_let_go(m: Any) -> None:
    weights = net(m)
    p = bind(m, weights)
    wanted = m.net(IDS, p)
    np.testing.assert_allclose(m.total(p), m.total(weights), rtol=1e-6)
    assert fields(p)["layers.up"].source is not None
    np.testing.assert_array_equal(m.net(IDS, p), wanted)
    plain = module("none")
    np.testing.assert_allclose(plain.net(IDS, p), wanted, rtol=1e-4, atol=1e-4)


def test_what_is_in_use_as_it_was_given_stays_when_it_is_packed(m: Any) -> None:
    weights = net(m)
    p = bind(m, weights)
    m.total(p)
    wanted = m.net(IDS, weights)
    np.testing.assert_array_equal(m.net(IDS, p), wanted)
    up = fields(p)["layers.up"]
    assert up.packed
    assert up.source is not None
    np.testing.assert_allclose(m.total(p), m.total(weights), rtol=1e-6)


def test_equal_needs_share_one_packed_form(m: Any) -> None:
    p = bind(m, net(m))
    m.net(IDS, p)
    before = [dict(field.packed) for field in p._fields]
    m.net(IDS[:1], p)
    assert [dict(field.packed) for field in p._fields] == before
    assert len(p._pointers) == 1


PEAK = """
import gc, sys
import numpy as np
from tdsl.lowering.interface import Packing
from tdsl.runtime.packing import Field, allocate

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))

np.einsum("ij->i", np.ones((2, 2)))
base = status("VmRSS:")
fields = [Field(np.full((8, 512, 2048), 1, np.float32).view()) for _ in range(4)]
if sys.argv[1] == "held":
    held = [field.source for field in fields]
total = sum(field.nbytes for field in fields)
how = Packing(48)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
for field, panels in zip(fields, allocate([(field, how) for field in fields])):
    field.pack(how, panels)
peak = status("VmHWM:")
assert (fields[3].array() == 1).all()
print((peak - base) / total, (status("VmRSS:") - base) / total)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_peak_memory_of_packing() -> None:
    def measured(how: str) -> list[float]:
        command = [sys.executable, "-c", PEAK, how]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [float(word) for word in done.stdout.split()]

    peak, after = measured("ours")
    assert peak < 1.1
    assert after < 1.1
    peak, _ = measured("held")  # by somebody else, who may still read them
    assert peak > 1.9


# --- moving


def test_a_move_that_was_interrupted_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a child of fork finds, too: some matrices are in the new place only."""
    wanted = random(4, 30, 70)
    field = Field(wanted.copy().view())
    released: list[int] = []

    def release(array: np.ndarray) -> None:
        array.flags.writeable = True
        array[...] = np.nan  # what the system may do at once
        released.append(len(released))
        if len(released) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(packing, "release", release)
    how = Packing(48)
    (panels,) = allocate([(field, how)])
    with pytest.raises(KeyboardInterrupt):
        field.pack(how, panels)
    np.testing.assert_array_equal(field.array(), wanted)
    assert field.source is None
    assert len(released) == 4


def test_nothing_is_released_that_somebody_can_see(monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[object] = []
    monkeypatch.setattr(packing, "release", released.append)
    how = Packing(48)

    def pack(field: Field) -> None:
        (panels,) = allocate([(field, how)])
        field.pack(how, panels)

    array = random(2, 30, 70)
    pack(Field(array.view()))
    assert not released
    field = Field(random(2, 30, 70).view())
    seen = field.array()[0]
    pack(field)
    assert not released
    assert seen.shape == (30, 70)
    pack(Field(random(2, 30, 70).view()))
    assert len(released) == 2


@pytest.mark.parametrize("shape", [(1, 1), (5, 48), (7, 49), (3, 2, 96), (2, 2, 3, 47), (4, 130)])
@pytest.mark.parametrize("transposed", [False, True])
def test_packing_and_back(shape: tuple[int, ...], transposed: bool) -> None:
    array = random(*shape)
    field, how = Field(array.view()), Packing(48, transposed)
    (panels,) = allocate([(field, how)])
    panels.view(np.uint8)[...] = 0xFF
    field.pack(how, panels)
    matrix = array.swapaxes(-1, -2) if transposed else array
    depth, width = matrix.shape[-2:]
    padded = np.zeros((*shape[:-2], depth, -(-width // 48) * 48), np.float32)
    padded[..., :width] = matrix
    cut = padded.reshape(*shape[:-2], depth, -1, 48)
    np.testing.assert_array_equal(panels, np.moveaxis(cut, -2, -3))
    np.testing.assert_array_equal(field.array(), array)


# --- the object


def test_it_is_frozen_and_shows_what_it_is(m: Any) -> None:
    p = bind(m, net(m))
    assert repr(p).startswith("<bound Net(words=f32[31, 20], layers=<tdsl.StackedList of 3: Layer(")
    assert repr(p).endswith("scale=f32[20]), 50.5 KiB>")
    assert p.nbytes == 4 * (31 * 20 + 3 * (2 * 20 * 100 + 100) + 20)
    assert {"words", "layers", "scale", "nbytes"} <= {*dir(p)}
    with pytest.raises(AttributeError, match="cannot change; bind again"):
        p.words = 1
    with pytest.raises(AttributeError, match="cannot change"):
        del p.words
    with pytest.raises(
        AttributeError, match="bound Net has no field `wordz`; it has words, layers"
    ):
        p.wordz  # noqa: B018
    with pytest.raises(ValueError, match="read-only"):
        p.words[0] = 1


def test_copies_are_itself_and_pickles_are_whole(m: Any) -> None:
    p = bind(m, net(m))
    wanted = m.net(IDS, p)
    assert copy.copy(p) is p
    assert copy.deepcopy({"p": p})["p"] is p
    again = pickle.loads(pickle.dumps(p))
    assert type(again) is Bound
    np.testing.assert_array_equal(again.layers.stacked.up, p.layers.stacked.up)
    np.testing.assert_array_equal(m.net(IDS, again), wanted)


def test_a_call_keeps_it_alive(m: Any) -> None:
    weights = net(m)
    wanted = m.net(IDS, weights)
    known: list[weakref.ref[Bound]] = []

    def temporary() -> Bound:
        found = bind(m, weights)
        known.append(weakref.ref(found))
        return found

    stop = threading.Event()

    def collect() -> None:
        while not stop.is_set():
            gc.collect()

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        for _ in range(10):
            np.testing.assert_array_equal(m.net(IDS, temporary()), wanted)
    finally:
        stop.set()
        collector.join()
    gc.collect()
    assert all(reference() is None for reference in known)


def test_two_threads_at_first_use(m: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = net(m)
    wanted = m.net(IDS, bind(m, weights))
    allocated: list[int] = []

    def counted(what: Any) -> Any:
        allocated.append(len(what))
        return allocate(what)

    monkeypatch.setattr("tdsl.runtime.packing.allocate", counted)
    p = bind(m, weights)
    barrier = threading.Barrier(4)
    found: list[Any] = [None] * 4

    def work(number: int) -> None:
        barrier.wait()
        found[number] = m.net(IDS, p)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert allocated == [2]
    for one in found:
        np.testing.assert_array_equal(one, wanted)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("used_before", [False, True])
def test_fork(m: Any, used_before: bool) -> None:
    weights = net(m)
    wanted = m.net(IDS, bind(m, weights))
    p = bind(m, weights)
    if used_before:
        m.net(IDS, p)
    lock = p._lock
    lock.acquire()  # as another thread may have, whose like there is none in the child
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a lock that nobody gives back would be waited for for ever
        good = False
        try:
            good = bool((m.net(IDS, p) == wanted).all())
        finally:
            os._exit(0 if good else 1)
    lock.release()
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(m.net(IDS, p), wanted)


def test_a_mapped_file_is_read_where_it_lies(m: Any, tmp_path: Path) -> None:
    weights = other(m, 64)
    path = tmp_path / "w.bin"
    path.write_bytes(weights.w.tobytes())
    mapped = np.memmap(path, np.float32, "r", shape=(64, 64))
    p, x = bind(m, m.Other(w=mapped, b=weights.b)), random(3, 64)
    assert np.shares_memory(p.w, mapped)
    np.testing.assert_array_equal(m.other(x, p), m.other(x, weights))
    np.testing.assert_array_equal(mapped, weights.w)


# --- what does not fit


def test_another_struct_is_refused(m: Any) -> None:
    p = bind(m, other(m))
    with pytest.raises(tdsl.CallError) as caught:
        m.net(IDS, p)
    assert caught.value.code == "E0502"
    assert "argument `p` of `net` must be Net[V, C, F, L], not a bound Other" in str(caught.value)
    assert m.other(random(2, 20), p).shape == (2, 20)
    with pytest.raises(tdsl.CallError):  # also after a call that fitted
        m.net(IDS, p)


def test_other_sizes_are_refused(m: Any) -> None:
    p = bind(m, other(m, 20))
    m.other(random(2, 20), p)
    with pytest.raises(tdsl.ShapeError, match=r"found f32\[2, 21\]"):
        m.other(random(2, 21), p)
    with pytest.raises(tdsl.DTypeError):
        m.other(random(2, 20).astype(np.float64), p)


def test_binding_checks(m: Any) -> None:
    with pytest.raises(tdsl.ShapeError, match="axis 1"):
        bind(m, m.Other(w=random(4, 5), b=random(4)))
    with pytest.raises(tdsl.DTypeError, match=r"`Other\.b`"):
        bind(m, m.Other(w=random(4, 4), b=random(4).astype(np.float64)))
    with pytest.raises(tdsl.CallError, match="3 parts are missing"):
        bind(m, m.Net(words=random(3, 4), layers={}, scale=random(4)))


def test_another_model_does_not_make_sizes_open(m: Any) -> None:
    fresh = module()
    small, large = bind(fresh, other(fresh, 20)), bind(fresh, other(fresh, 60))
    for p, size in ((small, 20), (large, 60), (small, 20)):
        for count in (1, 5, 6):
            x = random(count, size)
            np.testing.assert_allclose(fresh.other(x, p), x @ p.w + p.b, rtol=1e-4, atol=1e-5)
    instances = fresh.other.cache_info().instances
    assert sorted(instances) == ["T=1, C=20", "T=1, C=60", "T=?, C=20", "T=?, C=60"]
    assert "weights are bound" not in str(fresh.other.cache_info())


def test_why_an_instance_was_compiled(m: Any) -> None:
    fresh = module()
    weights = other(fresh)
    fresh.other(random(2, 20), weights)
    fresh.other(random(2, 20), bind(fresh, weights))
    told = [str(one.reason) for one in tdsl.explain_recompiles() if one.function == "other"]
    assert "weights are bound now, which always chooses an instance" in told


def test_calls_go_the_native_way(m: Any) -> None:
    fresh = module()
    p, x = bind(fresh, other(fresh)), random(2, 20)
    for _ in range(4):
        fresh.other(x, p)
    if fresh.other._quick.calls == 0:
        pytest.skip("no native calls here")
    assert fresh.other._quick.calls == 3
    assert fresh.other.cache_info().hits == 3
    again = bind(fresh, other(fresh))
    fresh.other(x, again)  # packs
    fresh.other(x, again)
    assert fresh.other._quick.calls == 4
