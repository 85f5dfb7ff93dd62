"""Arrays of other libraries on a GPU: DLPack, __cuda_array_interface__, PyTorch, CuPy and JAX."""

from __future__ import annotations

import ctypes
import gc
import sys
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from driver_support import devices
from stub_driver import StubDriver

import tdsl
from tdsl.gpu.driver import dlpack, opened
from tdsl.gpu.driver.array import DeviceArray, to_device

Array = np.ndarray[Any, Any]

TWICE = "pub fn f[N](x: f32[N], y: f32[N]) -> f32[N] { select(x > y, x, y) }"
PUT = (
    "pub fn f[N, D](cache: f32[N, D], x: f32[1, D], at: i32) -> f32[N, D] {\n"
    "    update(cache, x, at=[at, 0])\n}"
)


def module(text: str, **options: Any) -> tdsl.Module:
    return tdsl.loads(f"tdsl 0.1\n{text}", target="nvptx", **options)


class Theirs:
    """An array of a library that knows DLPack. It lies in memory of the driver's, not of ours."""

    versioned = True
    read_only = False
    device_type = dlpack.CUDA
    stride: int | None = None

    def __init__(self, driver: StubDriver, array: Array, device: int = 0) -> None:
        self.driver = driver
        self.address = driver.new_memory(np.ascontiguousarray(array), device)
        self.dtype, self.shape, self.device = array.dtype, array.shape, device
        self.streams: list[Any] = []
        self.given = 0

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_type, self.device

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> object:
        if options and not self.versioned:
            raise TypeError("no such option")
        self.streams.append(stream)
        made = dlpack.make(self.address, self.device, self.dtype, self.shape, self, bool(options))
        held = list(dlpack._HELD.values())[-1]
        if self.read_only:
            held[2].flags = 1
        if self.stride is not None:
            held[4][0] = self.stride
        return made


class Numba:
    """An array that only has the older interface."""

    def __init__(self, driver: StubDriver, array: Array, **more: Any) -> None:
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (driver.new_memory(array), False),
            "version": 3,
            **more,
        }


def numbers(count: int = 8, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


# --- going in


@pytest.mark.parametrize("versioned", [True, False])
def test_arrays_come_in_by_dlpack(driver: StubDriver, versioned: bool) -> None:
    x, y = numbers(), numbers(seed=1)
    theirs = Theirs(driver, x)
    theirs.versioned = versioned
    mine = driver.new_stream()
    before = driver.calls.count("cuMemcpyHtoDAsync")
    found = module(TWICE).f(theirs, theirs, stream=mine)
    assert isinstance(found, DeviceArray)
    assert driver.calls.count("cuMemcpyHtoDAsync") == before
    np.testing.assert_array_equal(found.numpy(), x)
    assert set(theirs.streams) == {mine}
    np.testing.assert_array_equal(module(TWICE).f(y, theirs).numpy(), np.maximum(x, y))
    assert theirs.streams[-1] == dlpack.LEGACY_STREAM


def test_capsules_are_given_back(driver: StubDriver) -> None:
    dlpack.reclaim()
    before = len(dlpack._HELD)
    f = module(TWICE).f
    theirs = Theirs(driver, numbers())
    found = f(theirs, theirs)
    gc.collect()
    assert len(dlpack._HELD) > before  # until the stream is done with them
    found.numpy()
    with devices()[0].use():
        devices()[0].poll()
    gc.collect()
    assert len(dlpack._HELD) == before


def test_arrays_come_in_by_the_older_interface(driver: StubDriver) -> None:
    x, y = numbers(), numbers(seed=1)
    f = module(TWICE).f
    mine = driver.new_stream()
    for more in ({}, {"strides": None, "stream": 1}, {"strides": (4,), "stream": mine}):
        found = f(Numba(driver, x, **more), Numba(driver, y, **more))
        np.testing.assert_array_equal(found.numpy(), np.maximum(x, y))
    driver.calls.clear()
    f(Numba(driver, x, stream=mine), Numba(driver, y))
    assert "cuStreamWaitEvent" in driver.calls


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int64, np.bool_]
)
def test_dtypes(driver: StubDriver, dtype: Any) -> None:
    x = np.array([0, 1, 1, 0]).astype(dtype)
    text = "pub fn f[E: dtype(any), N](x: E[N]) -> E[N] { flip(x, axis=0) }"
    found = module(text).f(Theirs(driver, x))
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found.numpy(), x[::-1])
    again = dlpack.read(found.__dlpack__(max_version=(1, 0)))
    assert again.dtype == x.dtype


def test_what_cannot_come_in(driver: StubDriver) -> None:
    f = module(TWICE).f
    x = numbers()

    def refused(value: Any, says: str) -> None:
        with pytest.raises(tdsl.DTypeError, match=says) as caught:
            f(value, x)
        assert caught.value.argument == "x"

    scattered = Theirs(driver, x)
    scattered.stride = 2
    refused(scattered, "rows do not lie one after another")
    refused(Numba(driver, x, strides=(8,)), "cupy.ascontiguousarray\\(x\\)")
    refused(Numba(driver, x, typestr="nonsense"), "cannot be shared")
    broken = Theirs(driver, x)
    broken.__dict__["shape"] = None
    refused(broken, "cannot be shared")


def test_other_devices_are_not_taken_for_gpus(driver: StubDriver) -> None:
    theirs = Theirs(driver, numbers())
    theirs.device_type = 1
    with pytest.raises(tdsl.DTypeError):
        module(TWICE).f(np.zeros(8), theirs)
    assert not driver.launches


def test_capsules_that_are_none() -> None:
    with pytest.raises(TypeError, match="no DLPack capsule"):
        dlpack.read(dlpack._new(1, b"other", None))


def test_unknown_elements_and_versions() -> None:
    for kind, bits, lanes in ((5, 64, 1), (0, 4, 1), (2, 32, 4), (2, 24, 1), (9, 8, 1)):
        with pytest.raises(TypeError, match="elements of DLPack's kind"):
            dlpack._dtype(kind, bits, lanes)
    capsule = dlpack.make(64, 0, np.dtype(np.float32), (1,), None, True)
    list(dlpack._HELD.values())[-1][2].major = 2
    with pytest.raises(TypeError, match="version 2"):
        dlpack.read(capsule)


# --- going out


def test_a_capsule_says_what_the_array_is(driver: StubDriver) -> None:
    x = to_device(np.arange(6, dtype=np.int32).reshape(2, 3), opened.device())
    for options in ({}, {"max_version": (1, 0)}, {"max_version": (0, 8)}):
        seen = dlpack.read(x.__dlpack__(**options))
        assert (seen.address, seen.shape, seen.strides) == (x.pointer, (2, 3), (3, 1))
        assert (seen.device_type, seen.device, seen.dtype) == (2, 0, np.int32)
        assert not seen.read_only
    with pytest.raises(BufferError, match=r"copy it with .numpy\(\)"):
        x.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="shares"):
        x.__dlpack__(copy=True)
    known = x.__cuda_array_interface__
    assert known["data"] == (x.pointer, False)
    assert (known["shape"], known["typestr"], known["stream"]) == ((2, 3), "<i4", 1)
    b = to_device(np.zeros(2, ml_dtypes.bfloat16), opened.device())
    assert not hasattr(b, "__cuda_array_interface__")


def test_memory_lives_as_long_as_a_capsule(driver: StubDriver) -> None:
    x = to_device(numbers(), opened.device())
    capsule = x.__dlpack__()
    address = x.pointer
    del x
    gc.collect()
    driver.finish()
    np.testing.assert_array_equal(driver.contents(address, np.float32, 8), numbers())
    del capsule
    dlpack.reclaim()
    driver.finish()
    assert not driver.live


def test_an_exception_on_its_way_is_not_disturbed(driver: StubDriver) -> None:
    x = to_device(numbers(), opened.device())
    for options in ({}, {"max_version": (1, 0)}):
        before = len(dlpack._HELD)
        with pytest.raises(ZeroDivisionError):
            (x.__dlpack__(**options), 1 // (len(x) - 8))
        dlpack.reclaim()
        assert len(dlpack._HELD) == before


def test_a_used_capsule_is_left_to_its_user(driver: StubDriver) -> None:
    x = to_device(numbers(), opened.device())
    capsule = x.__dlpack__(max_version=(1, 0))
    address = dlpack._get_pointer(capsule, b"dltensor_versioned")
    set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
    set_name(("PyCapsule_SetName", ctypes.pythonapi))(capsule, b"used_dltensor_versioned")
    before = len(dlpack._HELD)
    del capsule
    dlpack.reclaim()
    assert len(dlpack._HELD) == before
    deleter = dlpack._ManagedVersioned.from_address(address).deleter
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(address)
    dlpack.reclaim()
    assert len(dlpack._HELD) == before - 1


def test_memory_that_others_gave_back_is_there_again(driver: StubDriver) -> None:
    driver.capacity = 1000
    x = to_device(numbers(200), opened.device())
    capsule = x.__dlpack__()
    del x
    with pytest.raises(tdsl.DeviceMemoryError, match="CUDA_ERROR_OUT_OF_MEMORY: out of memory"):
        to_device(numbers(200), opened.device())
    del capsule
    to_device(numbers(200), opened.device())


def test_others_wait_for_what_is_not_computed(driver: StubDriver) -> None:
    mine, theirs = driver.new_stream(), driver.new_stream()
    x = to_device(numbers(), opened.device())
    found = module(TWICE).f(x, x, stream=mine)
    for stream, waits in ((theirs, True), (mine, False), (-1, False), (None, True)):
        driver.calls.clear()
        found.__dlpack__(stream=stream)
        assert ("cuStreamWaitEvent" in driver.calls) is waits


def test_memory_that_others_had_goes_back_behind_their_work(driver: StubDriver) -> None:
    theirs = driver.new_stream()
    for stream, waits in ((None, "cuEventRecord"), (theirs, "cuCtxSynchronize")):
        x = to_device(numbers(), opened.device())
        capsule = x.__dlpack__(stream=stream)
        del x
        driver.calls.clear()
        del capsule
        dlpack.reclaim()
        assert waits in driver.calls
        assert driver.calls.index(waits) < driver.calls.index("cuMemFreeAsync")


def test_positions_out_of_range_are_told_at_a_later_call(
    driver: StubDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = module(TWICE + "\npub fn g[V, T](w: f32[V], at: i64[T]) -> f32[T] { take(w, at, axis=0) }")
    w = to_device(numbers(), opened.device())
    found = m.g(w, np.array([100]))
    found.__dlpack__()
    m.f(w, w)  # it is not known yet
    driver.finish()
    with pytest.raises(IndexError, match="index 100"):
        m.f(w, w)
    m.f(w, w)  # once is enough
    m.g(w, np.array([100])).__dlpack__()
    with pytest.raises(IndexError, match="index 100"):
        tdsl.synchronize()
    tdsl.synchronize()


# --- PyTorch, CuPy, JAX: by the names of their classes, for none of them has a GPU here


class Tensor(Theirs):
    layout = "strided"
    requires_grad = False

    def detach(self) -> Tensor:
        return self

    def resolve_neg(self) -> Tensor:
        return self


@pytest.fixture
def torch(driver: StubDriver, monkeypatch: pytest.MonkeyPatch) -> Any:
    current = driver.new_stream()
    made = SimpleNamespace(
        Tensor=Tensor,
        strided="strided",
        current=current,
        is_grad_enabled=lambda: True,
        from_dlpack=lambda array: ("torch", array, array.__dlpack__(stream=current)),
        cuda=SimpleNamespace(
            is_available=lambda: True,
            current_stream=lambda device: SimpleNamespace(cuda_stream=current),
        ),
    )
    monkeypatch.setitem(sys.modules, "torch", made)  # type: ignore[arg-type]
    return made


def test_tensors_are_used_on_the_stream_of_pytorch_and_come_back(
    driver: StubDriver, torch: Any
) -> None:
    x = Tensor(driver, numbers())
    library, array, capsule = module(TWICE).f(x, numbers(seed=1))
    assert library == "torch"
    assert [stream for *_, stream in driver.launches] == [torch.current]
    assert set(x.streams) == {torch.current}
    assert not devices()[0]._held  # PyTorch knows of its own stream
    np.testing.assert_array_equal(array.numpy(), np.maximum(numbers(), numbers(seed=1)))
    del array
    driver.calls.clear()
    del capsule
    dlpack.reclaim()
    assert "cuMemFreeAsync" in driver.calls
    assert "cuCtxSynchronize" not in driver.calls


def test_tensors_on_another_stream_are_kept_until_it_is_done(
    driver: StubDriver, torch: Any
) -> None:
    x = Tensor(driver, numbers())
    mine = driver.new_stream()
    module(TWICE).f(x, x, stream=mine)
    assert len(devices()[0]._held) == 2
    driver.finish()
    module(TWICE).f(numbers(), numbers())
    assert not devices()[0]._held


def test_tensors_that_cannot_come_in(driver: StubDriver, torch: Any) -> None:
    f = module(TWICE).f
    x = Tensor(driver, numbers())
    x.layout = "sparse"
    with pytest.raises(tdsl.DTypeError, match=r"with sparse(.|\n)*x.to_dense\(\)"):
        f(x, x)
    x.layout, x.requires_grad = "strided", True
    with pytest.raises(tdsl.DTypeError, match=r"requires gradients(.|\n)*x.detach\(\)"):
        f(x, x)
    x.requires_grad, x.stride = False, 2
    with pytest.raises(tdsl.DTypeError, match="rows do not lie"):
        f(x, x)


def test_a_donated_tensor_is_the_result(driver: StubDriver, torch: Any) -> None:
    f = module(PUT).f.compile(donate="cache")
    cache = np.zeros((3, 4), np.float32)
    x = Tensor(driver, cache)
    assert f(x, np.ones((1, 4), np.float32), 1) is x
    driver.finish()
    cache[1] = 1
    assert driver.contents(x.address, np.float32, 12).tolist() == cache.ravel().tolist()
    x.read_only = True
    with pytest.raises(tdsl.CallError, match="it is read-only"):
        f(x, np.ones((1, 4), np.float32), 1)
    x.read_only = False
    f(x, np.ones((1, 4), np.float32), 7)
    with pytest.raises(IndexError, match="update"):
        tdsl.synchronize()


def test_arrays_of_cupy_and_jax_come_back(
    driver: StubDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = driver.new_stream()
    ndarray = type("ndarray", (Theirs,), {"__module__": "cupy"})
    jax_array = type("ArrayImpl", (Theirs,), {"__module__": "jaxlib._jax"})
    cuda = SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=current))
    cupy = SimpleNamespace(ndarray=ndarray, cuda=cuda, from_dlpack=lambda array: ("cupy", array))
    monkeypatch.setitem(sys.modules, "cupy", cupy)  # type: ignore[arg-type]
    jax = SimpleNamespace(from_dlpack=lambda array: ("jax", array))
    monkeypatch.setitem(sys.modules, "jax.dlpack", jax)  # type: ignore[arg-type]
    for kind, library, stream in ((ndarray, "cupy", current), (jax_array, "jax", 0)):
        x = kind(driver, numbers())
        found, array = module(TWICE).f(x, x)
        assert found == library
        assert driver.launches[-1][-1] == stream
        np.testing.assert_array_equal(array.numpy(), numbers())
