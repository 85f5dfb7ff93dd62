"""Calls through the driver runtime, on a driver that checks everything: numbers, streams, lifetimes."""

from __future__ import annotations

import copy
import gc
import importlib
import os
import pickle
from typing import Any

import numpy as np
import pytest
from driver_support import check_clean, devices, stub
from stub_driver import StubDriver

import tdsl
from tdsl.gpu.driver import binding, opened
from tdsl.gpu.driver.array import DeviceArray, to_device

Array = np.ndarray[Any, Any]

CHAIN = "pub fn f[N](x: f32[N], y: f32[N]) -> f32[N] { exp(x) * 2 + y }"
TAKE = "pub fn f[V, D, T](w: f32[V, D], at: i64[T]) -> f32[T, D] { take(w, at, axis=0) + 1 }"
PUT = (
    "pub fn f[N, D](cache: f32[N, D], x: f32[1, D], at: i32) -> (f32[N, D], f32[D]) {\n"
    "    let c = update(cache, x, at=[at, 0])\n    (c, sum(c, axis=0))\n}"
)


def module(text: str, **options: Any) -> tdsl.Module:
    return tdsl.loads(f"tdsl 0.1\n{text}", target="nvptx", **options)


def on_gpu(array: Array, device: int = 0) -> DeviceArray:
    return to_device(array, opened.device(device))


def rows(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# --- where arrays come from, and go


def test_numpy_arrays_come_back_as_such(driver: StubDriver) -> None:
    x, y = rows(1000), rows(1000, seed=1)
    found = module(CHAIN).f(x, y)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, np.exp(x) * 2 + y, rtol=1e-5)
    assert len(driver.launches) == 1


def test_arrays_on_the_device_stay_there(driver: StubDriver) -> None:
    x, y = rows(100), rows(100, seed=1)
    f = module(CHAIN).f
    first = on_gpu(x)
    before = len(driver.calls)
    found = f(first, f(first, on_gpu(y)))
    made = driver.calls[before:]
    assert "cuMemcpyDtoHAsync" not in made
    assert "cuStreamSynchronize" not in made
    assert "cuEventSynchronize" not in made
    assert isinstance(found, DeviceArray)
    assert (found.shape, found.dtype, found.device) == ((100,), np.float32, "cuda:0")
    np.testing.assert_allclose(found.numpy(), np.exp(x) * 2 + np.exp(x) * 2 + y, rtol=1e-5)
    np.testing.assert_array_equal(np.asarray(first), x)


def test_an_array_may_be_changed_as_soon_as_the_call_returns(driver: StubDriver) -> None:
    x, y = rows(100), rows(100, seed=1)
    wanted = np.exp(x) * 2 + y
    found = module(CHAIN).f(x, on_gpu(y))
    x[:] = 7
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)


def test_large_arrays_are_not_staged(driver: StubDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    from tdsl.gpu.driver import work

    monkeypatch.setattr(work, "STAGED_BYTES", 100)
    x, y = rows(100), rows(100, seed=1)
    wanted = np.exp(x) * 2 + y
    found = module(CHAIN).f(x, on_gpu(y))
    assert "cuMemAllocHost" not in driver.calls
    x[:] = 7
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)


def test_strided_arrays_are_copied_in_order(driver: StubDriver) -> None:
    x, y = rows(20, 3)[:, 1], rows(40)[::-2]
    np.testing.assert_allclose(module(CHAIN).f(x, y), np.exp(x) * 2 + y, rtol=1e-5)


def test_numbers_and_statics(driver: StubDriver) -> None:
    f = module("pub fn f[N, static k](x: f32[N], y: f32) -> f32[N] { x * y + k }").f
    x = rows(10)
    np.testing.assert_allclose(f(x, 2.5, k=3), x * 2.5 + 3, rtol=1e-5)
    np.testing.assert_allclose(f(on_gpu(x), 2, k=4).numpy(), x * 2 + 4, rtol=1e-5)


def test_misfits_are_told_as_for_numpy_arrays(driver: StubDriver) -> None:
    f = module(CHAIN).f
    x = on_gpu(rows(10))
    with pytest.raises(tdsl.ShapeError, match="N"):
        f(x, on_gpu(rows(11)))
    with pytest.raises(tdsl.DTypeError, match="must be f32"):
        f(x, on_gpu(np.zeros(10)))
    with pytest.raises(tdsl.CallError, match="takes 2 arguments"):
        f(x)
    with pytest.raises(tdsl.DTypeError, match="must be f32"):
        f(x, "text")


def test_a_function_of_this_processor_takes_no_array_of_a_gpu(driver: StubDriver) -> None:
    f = tdsl.loads(f"tdsl 0.1\n{CHAIN}").f
    with pytest.raises(tdsl.DTypeError, match="an array on cuda:0") as caught:
        f(on_gpu(rows(10)), rows(10))
    assert "copy the array to main memory" in str(caught.value)


def test_structs_and_lists_on_the_device(driver: StubDriver) -> None:
    m = module(
        "pub struct P[A, B] { w: f32[A, B], s: f32[B] }\n"
        "pub fn f[A, B, L](x: f32[A], ps: [P[A, B]; L]) -> P[L, B] {\n"
        "    let s = fold s = zeros([B], f32) for p in ps { s + x @ p.w + p.s }\n"
        "    P(broadcast(s, [L, B]), s)\n}"
    )
    w, s, x = rows(3, 4, 5), rows(3, 5, seed=1), rows(4, seed=2)
    total = sum(x @ w[i] + s[i] for i in range(3))
    items = [{"w": on_gpu(w[0]), "s": on_gpu(s[0])}, {"w": w[1], "s": s[1]}]
    items.append({"w": on_gpu(w[2]), "s": s[2]})
    for given in (items, tdsl.stack([{"w": w[i], "s": s[i]} for i in range(3)])):
        found = m.f(on_gpu(x), given)
        assert isinstance(found.s, DeviceArray)
        np.testing.assert_allclose(found.s.numpy(), total, rtol=1e-5)
        np.testing.assert_allclose(found.w.numpy()[2], total, rtol=1e-5)
    assert isinstance(m.f(x, given).s, np.ndarray)


# --- arrays on the device


def test_what_an_array_says(driver: StubDriver) -> None:
    x = on_gpu(rows(2, 3))
    assert repr(x) == "<tdsl.DeviceArray float32[2, 3] on cuda:0>"
    assert (len(x), x.ndim, x.size, x.nbytes) == (2, 2, 6, 24)
    assert on_gpu(np.float32(2.5).reshape(())).item() == 2.5
    with pytest.raises(TypeError, match="without axes"):
        len(on_gpu(np.zeros((), np.int32)))
    with pytest.raises(ValueError, match="only be had as a copy"):
        np.asarray(x, copy=False)
    assert np.asarray(x, np.float64).dtype == np.float64


@pytest.mark.parametrize(
    "index", [0, -1, (1, 2), slice(1, 3), (2, slice(0, 2)), ..., (slice(None), 1)[0], (1, ...)]
)
def test_parts_that_lie_together(driver: StubDriver, index: Any) -> None:
    x = rows(3, 4, 2)
    np.testing.assert_array_equal(on_gpu(x)[index].numpy(), x[index])


@pytest.mark.parametrize("index", [(slice(None), 1), slice(0, 3, 2), slice(2, 1), 3, (0, 0, 0, 0)])
def test_other_parts_are_refused(driver: StubDriver, index: Any) -> None:
    with pytest.raises(IndexError):
        on_gpu(rows(3, 4, 2))[index]


def test_a_part_keeps_the_whole(driver: StubDriver) -> None:
    x = rows(3, 4)
    part = on_gpu(x)[1]
    gc.collect()
    driver.finish()
    np.testing.assert_array_equal(part.numpy(), x[1])


def test_a_part_at_an_odd_address_is_copied(driver: StubDriver) -> None:
    x, y = rows(3, 5), rows(5)
    found = module(CHAIN).f(on_gpu(x)[1], y)
    assert "cuMemcpyDtoDAsync" in driver.calls
    np.testing.assert_allclose(found.numpy(), np.exp(x[1]) * 2 + y, rtol=1e-5)


# --- streams


def test_the_stream_is_the_callers(driver: StubDriver) -> None:
    class Theirs:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, mine

    mine = driver.new_stream()
    f = module(CHAIN).f
    x = on_gpu(rows(10))
    found = f(x, x, stream=mine)
    f(x, x, stream=Theirs())
    f(x, x)
    assert [stream for *_, stream in driver.launches] == [mine, mine, 0]
    np.testing.assert_allclose(found.numpy(), np.exp(rows(10)) * 2 + rows(10), rtol=1e-5)


def test_streams_wait_for_each_other(driver: StubDriver) -> None:
    one, two = driver.new_stream(), driver.new_stream()
    f = module(CHAIN).f
    x, y = rows(10), rows(10, seed=1)
    first = f(on_gpu(x), on_gpu(y), stream=one)
    second = f(first, first, stream=two)
    del first  # given back behind its use on the other stream
    gc.collect()
    driver._run(two)
    a = np.exp(x) * 2 + y
    np.testing.assert_allclose(second.numpy(), np.exp(a) * 2 + a, rtol=1e-5)


def test_memory_is_given_back_behind_its_last_use(driver: StubDriver) -> None:
    f = module(CHAIN).f
    x = on_gpu(rows(10))
    found = f(x, x, stream=driver.new_stream())
    del x
    gc.collect()
    driver._run(devices()[0].side)  # the free comes first, if nothing holds it back
    np.testing.assert_allclose(found.numpy(), np.exp(rows(10)) * 2 + rows(10), rtol=1e-5)


@pytest.mark.parametrize("wrong", ["s", 2.5, True, -3, object()])
def test_what_is_no_stream(driver: StubDriver, wrong: Any) -> None:
    with pytest.raises(TypeError, match="stream"):
        module(CHAIN).f(rows(3), rows(3), stream=wrong)


def test_a_parameter_called_stream_is_a_parameter(driver: StubDriver) -> None:
    f = module("pub fn f[N](stream: f32[N]) -> f32[N] { stream + 1 }").f
    np.testing.assert_array_equal(f(stream=np.zeros(3, np.float32)), np.ones(3, np.float32))


# --- positions out of range


def test_a_position_out_of_range_is_told_with_its_line(driver: StubDriver) -> None:
    w = rows(5, 3)
    with pytest.raises(IndexError, match=r"<text>:2:\d+"):
        module(TAKE).f(w, np.array([0, 9]))


def test_it_is_told_when_somebody_looks(driver: StubDriver) -> None:
    f = module(TAKE).f
    w, at = on_gpu(rows(5, 3)), np.array([0, 9])
    found = f(w, at)
    for look in (found.numpy, found.synchronize, lambda: np.asarray(found), found.numpy):
        with pytest.raises(IndexError, match="index 9 is out of range"):
            look()
    again = f(w, np.array([0, 4]))
    np.testing.assert_array_equal(again.numpy(), rows(5, 3)[[0, 4]] + 1)
    assert again.pending == ()


def test_it_is_told_of_what_was_computed_from_it(driver: StubDriver) -> None:
    m = module(TAKE + "\npub fn g[N](x: f32[N]) -> f32[N] { x * 2 }")
    found = m.g(m.f(on_gpu(rows(5, 3)), np.array([9]))[0])
    with pytest.raises(IndexError, match="index 9 is out of range"):
        found.numpy()


def test_with_clamped_bounds_there_is_no_status(driver: StubDriver) -> None:
    w = rows(5, 3)
    found = module(TAKE, bounds="clamp").f(on_gpu(w), np.array([9]))
    np.testing.assert_array_equal(found.numpy(), w[[4]] + 1)
    assert "cuMemsetD8Async" not in driver.calls


# --- donating


def put(cache: Array, x: Array, at: int) -> tuple[Array, Array]:
    made = cache.copy()
    made[at] = x
    return made, made.sum(0)


def test_a_donated_cache_is_changed_in_place(driver: StubDriver) -> None:
    f = module(PUT).f.compile(donate="cache")
    cache, x = rows(4, 6), rows(1, 6, seed=1)
    given = on_gpu(cache)
    address = given.pointer
    for step in range(3):
        wanted, total = put(cache, x, step)
        kept, found = f(given, x, step)
        assert kept.pointer == address
        np.testing.assert_allclose(found.numpy(), total, rtol=1e-5)
        np.testing.assert_array_equal(kept.numpy(), wanted)
        with pytest.raises(tdsl.CallError, match="donated to `f`"):
            f(given, x, step)
        with pytest.raises(tdsl.CallError, match="donated to `f`"):
            given.numpy()
        assert "donated to f" in repr(given)
        given, cache = kept, wanted


def test_a_donated_cache_waits_for_those_who_read_it(driver: StubDriver) -> None:
    m = module(PUT + "\npub fn g[N, D](x: f32[N, D]) -> f32[N, D] { x * 2 }")
    one, two = driver.new_stream(), driver.new_stream()
    cache = rows(4, 6)
    given = on_gpu(cache)
    doubled = m.g(given, stream=one)
    kept, _ = m.f(given, rows(1, 6), 0, donate=("cache",), stream=two)
    driver._run(two)
    np.testing.assert_allclose(doubled.numpy(), cache * 2)
    assert isinstance(kept, DeviceArray)


def test_what_cannot_be_donated(driver: StubDriver) -> None:
    f = module(PUT).f.compile(donate="cache")
    x = rows(1, 6)
    with pytest.raises(tdsl.CallError, match="not on the GPU"):
        f(rows(4, 6), x, 0)
    with pytest.raises(tdsl.CallError, match="is a view"):
        f(on_gpu(rows(8, 6))[0:4], x, 0)
    cache = on_gpu(rows(1, 6))
    with pytest.raises(tdsl.CallError, match="shares memory with `x`"):
        f(cache, cache, 0)
    cache.numpy()


# --- weights


GPT = (
    "pub struct L[N] { w: f32[N, N] }\npub struct P[N, K] { a: L[N], ls: [L[N]; K], s: f32[N] }\n"
    "pub fn f[N, K](x: f32[N], p: P[N, K]) -> f32[N] {\n"
    "    fold y = x @ p.a.w + p.s for l in p.ls { y @ l.w }\n}"
)


def test_weights_stay_on_the_device(driver: StubDriver) -> None:
    m = module(GPT)
    w, ls, s = rows(4, 4), rows(2, 4, 4, seed=1), rows(4, seed=2)
    source = {"a": {"w": w}, "ls": [{"w": ls[0]}, {"w": ls[1]}], "s": s}
    p = m.P.bind(source, device="cuda:0")
    assert p.device == "cuda:0"
    assert p.nbytes == w.nbytes + ls.nbytes + s.nbytes
    assert repr(p).startswith("<bound P(a=")
    assert repr(p).endswith("208 B on cuda:0>")
    np.testing.assert_array_equal(p.a.w.numpy(), w)
    np.testing.assert_array_equal(p.ls[1].w.numpy(), ls[1])
    x = rows(4, seed=3)
    before = len(driver.calls)
    found = m.f(x, p)
    copies = driver.calls[before:].count("cuMemcpyHtoDAsync")
    assert copies == 1
    np.testing.assert_allclose(found, (x @ w + s) @ ls[0] @ ls[1], rtol=1e-5)
    assert isinstance(m.f(on_gpu(x), p), DeviceArray)
    for change in (lambda: setattr(p, "s", s), lambda: delattr(p, "s")):
        with pytest.raises(AttributeError, match="cannot change"):
            change()
    assert copy.deepcopy(p) is p
    with pytest.raises(TypeError, match="bind them anew"):
        pickle.dumps(p)
    with pytest.raises(AttributeError):
        p.nothing  # noqa: B018


def test_weights_in_main_memory_are_refused(driver: StubDriver) -> None:
    m = module(GPT)
    p = m.P.bind({"a": {"w": rows(4, 4)}, "ls": {"w": rows(2, 4, 4)}, "s": rows(4)})
    with pytest.raises(tdsl.CallError, match=r"bind\(…, device=") as caught:
        m.f(rows(4), p)
    assert caught.value.argument == "p"


def test_tied_weights_are_there_once(driver: StubDriver) -> None:
    m = module(
        "pub struct P[N] { a: f32[N], b: f32[N] }\npub fn f[N](p: P[N]) -> f32[N] { p.a + p.b }"
    )
    w = rows(100)
    p = m.P.bind({"a": w, "b": w}, device=0)
    assert p.nbytes == 400
    np.testing.assert_array_equal(m.f(p), w + w)


# --- targets and devices


def test_the_target_is_the_device_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for capability, chip in (((8, 0), "80"), ((8, 7), "86"), ((9, 0), "90"), ((12, 0), "90")):
        with stub(monkeypatch, capabilities=(capability,)) as driver:
            f = module(CHAIN).f
            np.testing.assert_allclose(f(np.zeros(3, np.float32), np.ones(3, np.float32)), 3)
            (loaded,) = driver._modules.values()
            assert f".target sm_{chip}" in loaded.ptx
            assert f"nvptx:sm_{chip}" in module(CHAIN, precision="tf32").__target__


def test_devices_that_are_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        stub(monkeypatch, capabilities=((7, 5),)),
        pytest.raises(tdsl.TargetError, match=r"7\.5, and TDSL makes code for 8\.0 and newer"),
    ):
        module(CHAIN)
    with stub(monkeypatch) as driver:
        driver.pools = False
        with pytest.raises(tdsl.TargetError, match="no memory pools"):
            module(CHAIN)


def test_code_for_newer_devices_is_refused(driver: StubDriver) -> None:
    for chip in ("sm_90", "sm_90a"):
        f = tdsl.loads(f"tdsl 0.1\n{CHAIN}", target=f"nvptx:{chip}").f
        with pytest.raises(tdsl.TargetError, match=f'for {chip}.*8.0.*target="nvptx:sm_80"'):
            f(rows(3), rows(3))


def test_devices_by_their_names(driver: StubDriver) -> None:
    assert opened.device_named("cuda") is opened.device_named("cuda:0") is opened.device_named(0)
    for name in ("cpu", "cuda:x", "cuda:-1", "gpu:0", None):
        with pytest.raises(tdsl.TargetError, match="no device"):
            opened.device_named(name)
    with pytest.raises(tdsl.TargetError, match="there is only cuda:0"):
        opened.device(1)


def test_several_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    with stub(monkeypatch, capabilities=((8, 0), (9, 0))) as driver:
        f = module(CHAIN).f
        x, y = on_gpu(rows(5), 1), on_gpu(rows(5), 0)
        found = f(x, rows(5))
        assert found.device == "cuda:1"
        np.testing.assert_allclose(found.numpy(), np.exp(rows(5)) * 2 + rows(5), rtol=1e-5)
        with pytest.raises(tdsl.DTypeError, match=r"an array on cuda:0, where .* is on cuda:1"):
            f(x, y)
        with pytest.raises(tdsl.TargetError, match="there are cuda:0 to cuda:1"):
            opened.device(2)
        del x, y, found
        check_clean(driver)


def test_without_a_driver_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "_OPENED", opened.Opened())

    def importing(problem: Exception | Any) -> None:
        def load(name: str) -> Any:
            if isinstance(problem, Exception):
                raise problem
            return problem

        monkeypatch.setattr(importlib, "import_module", load)

    class NoDevice(StubDriver):
        def cuInit(self, flags: int) -> tuple[Any, ...]:
            return (100,)

    class NoLibrary(StubDriver):
        def cuInit(self, flags: int) -> tuple[Any, ...]:
            raise RuntimeError("libcuda.so.1 was not found\nmore")

    for problem, says in (
        (ImportError("No module named 'cuda'"), 'pip install "tdsl\\[gpu\\]"'),
        (NoLibrary(None), r"there is no NVIDIA driver \(libcuda.so.1 was not found\)"),  # type: ignore[arg-type]
        (NoDevice(None), "does not start .CUDA_ERROR_NO_DEVICE"),  # type: ignore[arg-type]
    ):
        importing(problem)
        for target in ("nvptx", "nvptx:sm_80"):
            with pytest.raises(tdsl.TargetError, match=says) as caught:
                tdsl.loads(f"tdsl 0.1\n{CHAIN}", target=target)
            assert caught.value.code == "E0905"
            assert 'target="gpu-emulator"' in str(caught.value)
    assert binding.load_binding is not None


def test_a_fork_cannot_use_the_device(driver: StubDriver) -> None:
    f = module(CHAIN).f
    x = on_gpu(rows(3))
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        said = b"nothing"
        try:
            f(x, x)
        except tdsl.TargetError as error:
            said = str(error).encode()
        finally:
            before = len(driver.calls)
            del x
            gc.collect()
            if len(driver.calls) != before:
                said = b"calls the driver"
            os.write(writing, said)
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading, "rb") as answer:
        assert b'"spawn"' in answer.read()


def test_code_is_loaded_once(driver: StubDriver) -> None:
    for _ in range(2):
        f = module(CHAIN).f
        f(rows(3), rows(3))
        f(rows(3), rows(3))
    assert driver.calls.count("cuModuleLoadDataEx") == 1
    f(rows(4), rows(4))
    assert driver.live_modules == 2
    assert f.cache_info()[:3] == (1, 2, 2)


def test_functions_can_be_pickled(driver: StubDriver) -> None:
    f = pickle.loads(pickle.dumps(module(CHAIN).f))
    np.testing.assert_allclose(f(rows(3), rows(3)), np.exp(rows(3)) * 2 + rows(3), rtol=1e-5)


def test_dbg_prints_what_is_on_the_device(
    driver: StubDriver, capsys: pytest.CaptureFixture[str]
) -> None:
    f = module('pub fn f[N](x: f32[N]) -> f32[N] { dbg(x + 1, "here") * 2 }').f
    assert f(on_gpu(np.float32([1, 2]))).numpy().tolist() == [4, 6]
    said = capsys.readouterr()
    assert "2" in said.out + said.err
    assert "3" in said.out + said.err


def test_a_position_from_a_donated_array_is_the_one_before(driver: StubDriver) -> None:
    text = (
        "pub fn f[N](at: i32[1], x: i32[N]) -> (i32[1], i32[1]) {\n"
        "    let p = at[0]\n    let first = slice(x, at=[p], size=[1])\n    let new = at + first\n"
        "    (new, slice(x, at=[p], size=[1]) * new + p)\n}"
    )
    at, x = np.int32([2]), np.int32([5, 6, 3, 4, 1, 9, 7])
    f = module(text).f.compile(donate="at")
    given = on_gpu(at)
    new, found = f(given, x)
    assert new.pointer == given._block.address
    assert (new.numpy().tolist(), found.numpy().tolist()) == ([5], [17])
