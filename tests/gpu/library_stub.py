"""The stub as a `libcuda.so.1`, so that cuda-bindings itself makes the calls. Run as a program by
test_gpu_binding.py, in a folder that holds the library: the binding loads it once a process."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = r"""
#include <string.h>
#include <stddef.h>
#define MOST 128
static const char *names[MOST];
static void *functions[MOST];
static int count;
void stub_define(const char *name, void *function) {
  names[count] = strdup(name); functions[count++] = function;
}
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long long flags, int *status) {
  for (int i = 0; i < count; i++)
    if (!strcmp(names[i], name)) { *found = functions[i]; if (status) *status = 0; return 0; }
  if (!strcmp(name, "cuGetProcAddress") || !strcmp(name, "cuGetProcAddress_v2")) {
    *found = cuGetProcAddress_v2; if (status) *status = 0; return 0;
  }
  *found = NULL; if (status) *status = 1;
  return 500;
}
int cuGetProcAddress(const char *name, void **found, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, found, version, flags, NULL);
}
"""

P, I, L = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64  # noqa: E741
S = ctypes.c_char_p

# Types of arguments in C. With "out", the first points to where the value that is given goes.
PLAIN: dict[str, tuple[Any, ...]] = {
    "cuInit": (I,),
    "cuDevicePrimaryCtxRelease": (I,),
    "cuCtxPushCurrent": (L,),
    "cuCtxSynchronize": (),
    "cuModuleUnload": (L,),
    "cuMemFreeAsync": (L, L),
    "cuMemsetD8Async": (L, ctypes.c_uint8, L, L),
    "cuMemcpyHtoDAsync": (L, L, L, L),
    "cuMemcpyDtoHAsync": (L, L, L, L),
    "cuMemcpyDtoDAsync": (L, L, L, L),
    "cuMemFreeHost": (L,),
    "cuStreamSynchronize": (L,),
    "cuStreamWaitEvent": (L, L, I),
    "cuEventDestroy": (L,),
    "cuEventRecord": (L, L),
    "cuEventQuery": (L,),
    "cuEventSynchronize": (L,),
    "cuLaunchKernel": (L, I, I, I, I, I, I, I, L, L, L),
}
OUT: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "cuDeviceGetCount": (ctypes.c_int32, ()),
    "cuDeviceGet": (ctypes.c_int32, (I,)),
    "cuDeviceGetAttribute": (ctypes.c_int32, (I, I)),
    "cuDevicePrimaryCtxRetain": (L, (I,)),
    "cuCtxPopCurrent": (L, ()),
    "cuDeviceGetDefaultMemPool": (L, (I,)),
    "cuMemAllocAsync": (L, (L, L)),
    "cuMemAllocHost": (L, (L,)),
    "cuStreamCreate": (L, (I,)),
    "cuEventCreate": (L, (I,)),
    "cuModuleGetFunction": (L, (L, S)),
}


def define(library: Any, driver: Any) -> list[Any]:
    """Let the library's functions be the stub's. What comes back must be kept."""
    kept: list[Any] = []

    def put(name: str, types: tuple[Any, ...], function: Callable[..., int]) -> None:
        made = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(function)
        kept.append(made)
        library.stub_define(name.encode(), ctypes.cast(made, ctypes.c_void_p))

    def plain(name: str) -> Callable[..., int]:
        return lambda *values: int(getattr(driver, name)(*(v or 0 for v in values))[0])

    def out(name: str, type_: Any) -> Callable[..., int]:
        def call(place: int, *values: Any) -> int:
            status, value = getattr(driver, name)(*values)
            if not status:
                type_.from_address(place).value = value
            return int(status)

        return call

    def load(place: int, image: bytes, count: int, options: int, values: int) -> int:
        names = [
            driver.CUjit_option((ctypes.c_uint32 * count).from_address(options)[n])
            for n in range(count)
        ]
        given: list[Any] = list((ctypes.c_uint64 * count).from_address(values))
        buffer = names.index(driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER)
        size = given[1 - buffer]
        log = (ctypes.c_char * size).from_address(given[buffer])
        said = bytearray(size)
        given[buffer] = said
        status, module = driver.cuModuleLoadDataEx(image + b"\0", count, names, given)
        log[:] = bytes(said)
        if not status:
            L.from_address(place).value = module
        return int(status)

    def device_name(place: int, length: int, device: int) -> int:
        _, name = driver.cuDeviceGetName(length, device)
        ctypes.memmove(place, name, length)
        return 0

    def text(name: str) -> Callable[..., int]:
        def call(status: int, place: int) -> int:
            _, said = getattr(driver, name)(status)
            kept.append(ctypes.create_string_buffer(said))
            P.from_address(place).value = ctypes.addressof(kept[-1])
            return 0

        return call

    def get_pool(pool: int, attribute: int, place: int) -> int:
        L.from_address(place).value = driver.cuMemPoolGetAttribute(pool, attribute)[1]
        return 0

    def set_pool(pool: int, attribute: int, place: int) -> int:
        driver.cuMemPoolSetAttribute(pool, attribute, L.from_address(place).value)
        return 0

    def pointer(place: int, attribute: int, address: int) -> int:
        status, value = driver.cuPointerGetAttribute(attribute, address)
        if not status:
            ctypes.c_int32.from_address(place).value = value
        return int(status)

    for name, types in PLAIN.items():
        put(name, types, plain(name))
    for name, (type_, types) in OUT.items():
        put(name, (P, *types), out(name, type_))
    put("cuModuleLoadDataEx", (P, S, I, P, P), load)
    put("cuDeviceGetName", (P, I, I), device_name)
    put("cuGetErrorName", (I, P), text("cuGetErrorName"))
    put("cuGetErrorString", (I, P), text("cuGetErrorString"))
    put("cuMemPoolGetAttribute", (L, I, P), get_pool)
    put("cuMemPoolSetAttribute", (L, I, P), set_pool)
    put("cuPointerGetAttribute", (P, I, L), pointer)
    return kept


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    library = ctypes.CDLL("libcuda.so.1")
    library.stub_define.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    import numpy as np
    import pytest
    from driver_support import PROGRAMS, check_clean, to_ptx
    from stub_driver import StubDriver

    import tdsl
    import tdsl.gpu.compiler as compiler
    from tdsl.gpu.driver import opened
    from tdsl.gpu.driver.array import to_device

    driver = StubDriver(PROGRAMS)
    kept = define(library, driver)
    original = compiler.to_ptx
    compiler.to_ptx = lambda module, device: to_ptx(module, device, original)

    text = "tdsl 0.1\npub fn f[V, T](w: f32[V], at: i64[T]) -> f32[T] { exp(take(w, at, axis=0)) }"
    m = tdsl.loads(text, target="nvptx")
    w, at = np.linspace(0, 1, 6, dtype=np.float32), np.array([5, 0, 3])
    np.testing.assert_allclose(m.f(w, at), np.exp(w[at]), rtol=1e-5)
    found = m.f(to_device(w, opened.device()), at, stream=driver.new_stream())
    np.testing.assert_allclose(found.numpy(), np.exp(w[at]), rtol=1e-5)
    found.__dlpack__()
    driver.finish()
    with pytest.raises(IndexError, match="index 9"):
        m.f(w, at + 4)
    assert opened.device().name == "Stub 0"
    assert opened.device().api.ordinal_of(found.pointer) == 0
    assert driver._threshold == 2**64 - 1
    driver.capacity = 10
    with pytest.raises(tdsl.DeviceMemoryError, match="CUDA_ERROR_OUT_OF_MEMORY: out of memory"):
        m.f(w, at)
    driver.capacity = 1 << 20
    PROGRAMS._known.clear()
    m = tdsl.loads(text.replace("exp", "sin"), target="nvptx")
    compiler.to_ptx = original
    with pytest.raises(tdsl.DriverError, match=r"PTX JIT compilation failed\nptxas fatal"):
        m.f(w, at)
    del found
    check_clean(driver)
    assert kept
    print(f"{len(set(driver.calls))} functions, {len(driver.calls)} calls")


if __name__ == "__main__":
    main()
