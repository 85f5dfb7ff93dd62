"""The calls of the driver that TDSL makes: integers in and out, an exception for every error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tdsl.errors import DeviceMemoryError, DriverError
from tdsl.gpu.driver.binding import status_name, status_text

NOT_READY: Final = 600
_OUT_OF_MEMORY: Final = 2
_NO_TIMING: Final = 2  # CU_EVENT_DISABLE_TIMING
_NON_BLOCKING: Final = 1  # CU_STREAM_NON_BLOCKING
_LOG_BYTES: Final = 1 << 14
_KEEP_ALL: Final = 2**64 - 1


class Api:
    """One method a function of the driver. Handles and addresses are plain integers."""

    def __init__(self, binding: Any) -> None:
        self._binding = binding

    def _call(self, function: str, *arguments: Any) -> tuple[Any, ...]:
        status, *values = getattr(self._binding, function)(*arguments)
        if int(status):
            raise self._error(function, status)
        return tuple(values)

    def _error(self, function: str, status: Any, more: str = "") -> DriverError:
        name, text = status_name(self._binding, status), status_text(self._binding, status)
        kind = DeviceMemoryError if int(status) == _OUT_OF_MEMORY else DriverError
        said = f"{name}: {text}" if text else name
        return kind(f"[E0905] {function} failed: {said}{more}", function=function, status=name)

    # --- devices and contexts

    def device_count(self) -> int:
        return int(self._call("cuDeviceGetCount")[0])

    def device(self, ordinal: int) -> int:
        return int(self._call("cuDeviceGet", ordinal)[0])

    def device_name(self, device: int) -> str:
        name = self._call("cuDeviceGetName", 256, device)[0]
        text = name.decode(errors="replace") if isinstance(name, bytes) else str(name)
        return text.rstrip("\0 ")

    def attribute(self, name: str, device: int) -> int:
        which = getattr(self._binding.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self._call("cuDeviceGetAttribute", which, device)[0])

    def retain_context(self, device: int) -> int:
        return int(self._call("cuDevicePrimaryCtxRetain", device)[0])

    def release_context(self, device: int) -> None:
        self._call("cuDevicePrimaryCtxRelease", device)

    def push_context(self, context: int) -> None:
        self._call("cuCtxPushCurrent", context)

    def pop_context(self) -> None:
        self._call("cuCtxPopCurrent")

    def synchronize_context(self) -> None:
        self._call("cuCtxSynchronize")

    # --- code

    def load_module(self, ptx: str) -> int:
        """Compile PTX for the device of the context. An error holds what the compiler says."""
        options = self._binding.CUjit_option
        log = bytearray(_LOG_BYTES)
        status, module = self._binding.cuModuleLoadDataEx(
            ptx.encode() + b"\0",
            2,
            [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES],
            [log, _LOG_BYTES],
        )
        if int(status):
            said = bytes(log).split(b"\0", 1)[0].decode(errors="replace").strip()
            raise self._error("cuModuleLoadDataEx", status, f"\n{said}" if said else "")
        return int(module)

    def unload_module(self, module: int) -> None:
        self._call("cuModuleUnload", module)

    def function(self, module: int, name: str) -> int:
        return int(self._call("cuModuleGetFunction", module, name.encode())[0])

    def launch(
        self,
        function: int,
        grid: Sequence[int],
        block: Sequence[int],
        shared: int,
        stream: int,
        parameters: int,
    ) -> None:
        """`parameters` is the address of an array of pointers to the arguments."""
        self._call("cuLaunchKernel", function, *grid, *block, shared, stream, parameters, 0)

    # --- memory

    def keep_freed_memory(self, device: int) -> None:
        """Let the device's pool not give memory back to the system at every synchronisation."""
        (pool,) = self._call("cuDeviceGetDefaultMemPool", device)
        which = self._binding.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        (kept,) = self._call("cuMemPoolGetAttribute", pool, which)
        if not int(kept):  # else somebody has decided already
            value = self._binding.cuuint64_t(_KEEP_ALL)
            self._call("cuMemPoolSetAttribute", pool, which, value)

    def allocate(self, count: int, stream: int) -> int:
        return int(self._call("cuMemAllocAsync", count, stream)[0])

    def free(self, address: int, stream: int) -> None:
        self._call("cuMemFreeAsync", address, stream)

    def fill(self, address: int, byte: int, count: int, stream: int) -> None:
        self._call("cuMemsetD8Async", address, byte, count, stream)

    def copy_in(self, address: int, host: int, count: int, stream: int) -> None:
        self._call("cuMemcpyHtoDAsync", address, host, count, stream)

    def copy_out(self, host: int, address: int, count: int, stream: int) -> None:
        self._call("cuMemcpyDtoHAsync", host, address, count, stream)

    def copy(self, target: int, source: int, count: int, stream: int) -> None:
        self._call("cuMemcpyDtoDAsync", target, source, count, stream)

    def allocate_host(self, count: int) -> int:
        return int(self._call("cuMemAllocHost", count)[0])

    def free_host(self, address: int) -> None:
        self._call("cuMemFreeHost", address)

    def ordinal_of(self, address: int) -> int:
        """The number of the device that memory is on."""
        which = self._binding.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self._call("cuPointerGetAttribute", which, address)[0])

    # --- streams and events

    def create_stream(self) -> int:
        return int(self._call("cuStreamCreate", _NON_BLOCKING)[0])

    def synchronize_stream(self, stream: int) -> None:
        self._call("cuStreamSynchronize", stream)

    def wait(self, stream: int, event: int) -> None:
        """Let what comes on the stream start only after the event."""
        self._call("cuStreamWaitEvent", stream, event, 0)

    def create_event(self) -> int:
        return int(self._call("cuEventCreate", _NO_TIMING)[0])

    def destroy_event(self, event: int) -> None:
        self._call("cuEventDestroy", event)

    def record(self, event: int, stream: int) -> None:
        self._call("cuEventRecord", event, stream)

    def is_done(self, event: int) -> bool:
        (status,) = self._binding.cuEventQuery(event)
        if int(status) == NOT_READY:
            return False
        if int(status):
            raise self._error("cuEventQuery", status)
        return True

    def synchronize_event(self, event: int) -> None:
        self._call("cuEventSynchronize", event)
