"""What the driver refuses: each of its errors at each call is told, and nothing is left behind."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from driver_support import check_clean, stub
from stub_driver import NAMES, SHIFT, Memory, Misuse, StubDriver

import tdsl
from tdsl.gpu.driver import opened
from tdsl.gpu.driver.api import NOT_READY
from tdsl.gpu.driver.array import to_device

Array = np.ndarray[Any, Any]

TEXT = (
    "tdsl 0.1\npub fn f[V, D, T](w: f32[V, D], at: i64[T], c: f32[T, D]) -> f32[T, D] {\n"
    "    let g = take(w, at, axis=0)\n    let s = sum(g @ g.T, axis=0)\n"
    "    c + g * 2 + s[:, newaxis]\n}"
)
TEXT = TEXT.replace(" + s[:, newaxis]", " + sum(s)")
CODES = (1, 2, 3, 201, 400, 700, 716, 719, 999)


def arrays() -> tuple[Array, Array, Array]:
    random = np.random.default_rng(0)
    w = random.standard_normal((5, 6)).astype(np.float32)
    return w, np.array([0, 3, 1]), np.ones((3, 6), np.float32)


def session(f: Any) -> Array:
    """A call with arrays here and there, whose result is copied back."""
    w, at, c = arrays()
    given = to_device(c, opened.device(0))
    found: Array = f(to_device(w, opened.device(0)), at, given).numpy()
    return found


def wanted() -> Array:
    w, at, c = arrays()
    g = w[at]
    return c + g * 2 + (g @ g.T).sum()


@pytest.fixture
def few_objects() -> Iterator[None]:
    """Many collections, each of them quick."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("few_objects")
@pytest.mark.parametrize("donate", [False, True], ids=["first", "later"])
def test_every_call_may_fail(monkeypatch: pytest.MonkeyPatch, donate: bool) -> None:
    failures: set[str] = set()
    with stub(monkeypatch) as driver:
        f = tdsl.loads(TEXT, target="nvptx:sm_80").f
        f = f.compile(donate="c") if donate else f
        before = len(driver.calls)
        np.testing.assert_allclose(session(f), wanted(), rtol=1e-4)
        count = len(driver.calls) - before
        check_clean(driver)
        for place in range(count):
            if not donate:  # from the first call on, with a device that nobody has used
                vars(opened._OPENED).update(vars(opened.Opened()))
                for instance in f._instances:
                    instance.built.code._loaded.clear()
            driver.fail_at = len(driver.calls) + place
            driver.fail_with = CODES[place % len(CODES)]
            driver.failed = ""
            try:
                session(f)
            except tdsl.DriverError as error:
                check_error(driver, error.with_traceback(None))
            failures.add(driver.failed)
            driver.fail_at = None
            check_clean_but(driver, driver.failed)
        # And all is well afterwards.
        np.testing.assert_allclose(session(f), wanted(), rtol=1e-4)
    expected = {"cuLaunchKernel", "cuMemAllocAsync", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync"}
    expected |= {"cuMemFreeAsync", "cuEventCreate", "cuEventRecord", "cuCtxPushCurrent"}
    assert expected <= failures


def check_error(driver: StubDriver, error: tdsl.DriverError) -> None:
    """It says what failed, and where in the program."""
    assert error.function == driver.failed != ""
    assert error.code == "E0905"
    assert isinstance(error, MemoryError) is (driver.fail_with == 2)
    assert error.status.startswith("CUDA_ERROR_")
    if driver.failed == "cuLaunchKernel":
        assert error.at.startswith("<text>:")
        assert f"({error.at})" in str(error)


LOST = {"cuMemFreeAsync", "cuEventDestroy", "cuMemFreeHost", "cuCtxPushCurrent", "cuCtxPopCurrent"}
LOST |= {"cuStreamWaitEvent", "cuEventRecord"}


def check_clean_but(driver: StubDriver, failed: str) -> None:
    """Clean, but for the one thing that the driver would not take back."""
    if failed == "cuCtxPopCurrent":
        driver._stack.clear()
    try:
        check_clean(driver)
    except AssertionError as problem:
        if isinstance(problem, Misuse) or failed not in LOST:
            raise
        lost = len(driver.live) + driver.live_events + driver.live_pinned
        assert lost == 1, f"after {failed} more is left than it"
        for memory in driver.live:
            memory.freed = True
        driver._events.clear()
        driver._pinned.clear()


@pytest.mark.parametrize("code", range(1, 1000, 37))
def test_every_code_is_an_error(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    with stub(monkeypatch) as driver:
        m = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 1 }", target="nvptx:sm_80")
        x = np.zeros(3, np.float32)
        m.f(x)
        driver.fail_at, driver.fail_with = len(driver.calls) + 6, code
        with pytest.raises(tdsl.DriverError) as caught:
            m.f(x)
        assert driver.failed in str(caught.value)
        np.testing.assert_array_equal(m.f(x), x + 1)


def test_what_a_kernel_does_wrong_is_told_by_whoever_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with stub(monkeypatch) as driver:
        m = tdsl.loads(TEXT, target="nvptx:sm_80")
        session(m.f)
        driver.kernel_fault = 700
        w, at, c = arrays()
        found = m.f(to_device(w, opened.device(0)), at, c)
        with pytest.raises(tdsl.DriverError, match="ILLEGAL_ADDRESS: an illegal memory access"):
            found.numpy()


def test_with_waiting_it_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDSL_GPU_SYNC", "1")
    with stub(monkeypatch) as driver:
        m = tdsl.loads(TEXT, target="nvptx:sm_80")
        session(m.f)
        driver.kernel_fault = 700
        w, at, c = arrays()
        with pytest.raises(tdsl.DriverError, match=r"at the kernel `f\w+` \(<text>:[3-5]:\d+\)"):
            m.f(to_device(w, opened.device(0)), at, c)


def test_what_the_compiler_of_the_driver_says_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with stub(monkeypatch) as driver:
        m = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x - 3 }", target="nvptx")
        monkeypatch.setattr(driver.programs, "of", lambda ptx: None)
        with pytest.raises(
            tdsl.DriverError, match=r"INVALID_PTX(.|\n)*\nptxas fatal : unknown PTX"
        ):
            m.f(np.zeros(3, np.float32))


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    with stub(monkeypatch, memory=1000) as driver:
        m = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 1 }", target="nvptx")
        with pytest.raises(MemoryError, match="cuMemAllocAsync failed"):
            m.f(np.zeros(200, np.float32))
        check_clean(driver)
        m.f(np.zeros(100, np.float32))


# --- the stub itself: what it must not let pass


def test_the_stub_sees_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(action: Any, says: str) -> None:
        with pytest.raises(Misuse, match=says):
            action()

    with stub(monkeypatch) as driver:
        refused(lambda: driver.cuMemAllocAsync(8, 0), "without a context")
        refused(driver.cuCtxPopCurrent, "without a context")
        refused(lambda: driver.cuCtxPushCurrent(1), "no such context")
        device = opened.device(0)
        with device.use():
            api = device.api
            memory = api.allocate(64, 0)
            host = np.zeros(64, np.uint8).ctypes.data
            refused(lambda: api.copy_in(memory, host, 65, 0), "beyond an allocation of 64")
            refused(lambda: api.copy_in(memory, memory, 8, 0), "where one of the processor")
            refused(lambda: api.copy_in(host, host, 8, 0), "is no device memory")
            refused(lambda: api.fill(memory, 0, 8, 77), "no stream 77")
            api.fill(memory, 0, 8, 2)  # not behind the allocation, which is on another stream
            refused(lambda: driver._run(2), "before the memory is allocated")
            driver._streams[2].work.clear()
            api.free(memory, 0)
            refused(lambda: api.free(memory, 0), "freed twice")
            refused(lambda: api.free(memory + 8, 0), "is no allocation")
            refused(lambda: api.fill(memory, 0, 8, 0), "was freed")
            late = api.allocate(64, 0)
            driver._run(0)
            api.fill(late, 0, 8, 2)
            api.free(late, 0)
            driver._run(0)
            refused(lambda: driver._run(2), "after the memory is freed")
            driver._streams[2].work.clear()
            pinned = api.allocate_host(16)
            target = api.allocate(16, 0)
            refused(lambda: api.copy_in(target, pinned, 17, 0), "beyond")
            api.copy_in(target, pinned, 16, 0)
            api.free_host(pinned)
            refused(lambda: driver._run(0), "page-locked memory was freed")
            assert isinstance(driver.live[0], Memory)
            assert driver.live[0].start >= SHIFT


def test_the_stub_sees_wrong_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    with stub(monkeypatch) as driver:
        m = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 1 }", target="nvptx")
        m.f(np.zeros(3, np.float32))
        device = opened.device(0)
        (function,) = driver._functions
        grid = (1, 1, 1)
        with device.use():
            for values, says in (([0, 0], "is no device memory"), ([], "lies at 0x0")):
                numbers = np.array(values, np.uint64)
                table = np.zeros(2, np.uint64)
                table[: len(values)] = numbers.ctypes.data + 8 * np.arange(len(values))
                with pytest.raises(Misuse, match=says):
                    device.api.launch(function, grid, (32, 1, 1), 0, 0, table.ctypes.data)


def test_the_stub_is_called_as_the_driver_is() -> None:
    real = pytest.importorskip("cuda.bindings.driver")
    names = [name for name in vars(StubDriver) if name.startswith("cu") and name != "cuuint64_t"]
    assert len(names) > 35
    for name in names:
        own = inspect.signature(vars(StubDriver)[name]).parameters
        if name != "cuLaunchKernel":  # which takes the same, not named one by one
            assert len(own) - 1 == len(inspect.signature(getattr(real, name)).parameters), name
    for kind in (
        "CUdevice_attribute",
        "CUjit_option",
        "CUmemPool_attribute",
        "CUpointer_attribute",
    ):
        for item in getattr(StubDriver, kind):
            assert int(getattr(getattr(real, kind), item.name)) == int(item)
    for code, (name, _) in NAMES.items():
        assert int(getattr(real.CUresult, name)) == code
    assert int(real.CUresult.CUDA_ERROR_NOT_READY) == NOT_READY
    flags = real.CUevent_flags.CU_EVENT_DISABLE_TIMING, real.CUstream_flags.CU_STREAM_NON_BLOCKING
    assert tuple(map(int, flags)) == (2, 1)


def test_a_device_that_does_not_open_leaves_no_context(monkeypatch: pytest.MonkeyPatch) -> None:
    with stub(monkeypatch) as driver:
        driver.fail_at, driver.fail_with = 8, 999  # the pool's
        with pytest.raises(tdsl.DriverError, match="MemPool"):
            opened.device(0)
        assert driver.live_contexts == 0
        assert opened.device(0).chip == "sm_80"
        assert driver.live_contexts == 1
