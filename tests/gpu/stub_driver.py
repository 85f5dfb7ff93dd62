"""A driver without a GPU, in place of `cuda.bindings.driver`: it records and checks every call.

Work is put on streams and done only when somebody waits, so that what is not waited for is not done;
memory is full of a pattern before it is written and after it is freed. Kernels run in the emulator.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from tdsl.gpu.emulator import Emulator, Span

SHIFT = 1 << 60
"""Device addresses are those of arrays here with this added: nothing here can read them by mistake."""
_ALIGNMENT = 512
FRESH, FREED = 0xFF, 0xA5


class Status(IntEnum):
    """Some of the driver's codes; others are plain numbers."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    INVALID_DEVICE = 101
    INVALID_PTX = 218
    ILLEGAL_ADDRESS = 700


NAMES = {
    1: ("CUDA_ERROR_INVALID_VALUE", "invalid argument"),
    2: ("CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
    100: ("CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"),
    218: ("CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"),
    700: ("CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
}


_GIVING = frozenset(
    [
        "cuDeviceGetCount",
        "cuDeviceGet",
        "cuDeviceGetName",
        "cuDeviceGetAttribute",
        "cuDevicePrimaryCtxRetain",
        "cuCtxPopCurrent",
        "cuModuleLoadDataEx",
        "cuModuleGetFunction",
        "cuDeviceGetDefaultMemPool",
        "cuMemPoolGetAttribute",
        "cuMemAllocAsync",
        "cuMemAllocHost",
        "cuPointerGetAttribute",
        "cuStreamCreate",
        "cuEventCreate",
    ]
)
"""What gives a value besides the status."""


class Misuse(AssertionError):
    """A call that no driver should be given."""


class _Attribute(IntEnum):
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115


class _JitOption(IntEnum):
    CU_JIT_ERROR_LOG_BUFFER = 5
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6


class _PoolAttribute(IntEnum):
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4


class _PointerAttribute(IntEnum):
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9


@dataclass(eq=False)
class Memory:
    """An allocation. What streams have done with it is known when they did it."""

    start: int  # of the device's addresses
    bytes: int
    array: Any
    device: int
    born: bool = False
    dead: bool = False
    freed: bool = False  # the call was made; the stream may not be there yet
    foreign: bool = False


@dataclass(eq=False)
class Event:
    recorded: list[Callable[[], None]] | None = None
    stream: int = 0
    place: int = -1  # on that stream


@dataclass(eq=False)
class Stream:
    blocking: bool
    work: list[Callable[[], None]] = field(default_factory=list)
    done: int = 0


@dataclass(eq=False)
class _Module:
    ptx: str
    emulator: Emulator
    parameters: dict[str, list[bool]]  # for each kernel: which are pointers


class Programs:
    """What the emulator runs for a text of PTX."""

    def __init__(self) -> None:
        self._known: dict[str, Emulator] = {}

    def add(self, ptx: str, emulator: Emulator) -> None:
        self._known[self._key(ptx)] = emulator

    def of(self, ptx: str) -> Emulator | None:
        return self._known.get(self._key(ptx))

    @staticmethod
    def _key(ptx: str) -> str:
        return hashlib.sha256(ptx.encode()).hexdigest()


class StubDriver:
    """Functions of the driver API as cuda-bindings has them: each gives a tuple, the status first."""

    CUdevice_attribute = _Attribute
    CUjit_option = _JitOption
    CUmemPool_attribute = _PoolAttribute
    CUpointer_attribute = _PointerAttribute
    cuuint64_t = int

    def __init__(
        self,
        programs: Programs,
        capabilities: tuple[tuple[int, int], ...] = ((8, 0),),
        memory: int = 1 << 30,
    ) -> None:
        self.programs = programs
        self.capabilities = capabilities
        self.capacity = memory
        self.pools = True
        self.calls: list[str] = []
        self.launches: list[tuple[str, tuple[int, ...], tuple[int, ...], int]] = []
        self.fail_at: int | None = None
        self.fail_with = 0
        self.failed = ""
        self.kernel_fault = 0
        """A status that the next launch makes every later wait give."""
        self.order: str = "forward"
        self._sticky = 0
        self._contexts: dict[int, int] = {}  # handle: device
        self._current = threading.local()
        self._memory: dict[int, Memory] = {}
        self._pinned: dict[int, Any] = {}
        self._streams: dict[int, Stream] = {0: Stream(True), 2: Stream(True)}
        self._events: dict[int, Event] = {}
        self._modules: dict[int, _Module] = {}
        self._functions: dict[int, tuple[_Module, str]] = {}
        self._threshold = 0
        self._next = 1000
        self._seen: dict[str, int] = {}

    # --- for tests

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        if not name.startswith("cu") or name == "cuuint64_t" or name.startswith("cuGetError"):
            return found

        def call(*arguments: Any) -> tuple[Any, ...]:
            number = len(self.calls)
            self.calls.append(name)
            if self.fail_at == number:
                self.failed = name
                return (self.fail_with, None) if name in _GIVING else (self.fail_with,)
            return found(*arguments)

        return call

    @property
    def live(self) -> list[Memory]:
        """Device memory that nobody freed."""
        return [one for one in self._memory.values() if not one.freed and not one.foreign]

    @property
    def live_events(self) -> int:
        return len(self._events)

    @property
    def live_pinned(self) -> int:
        return len(self._pinned)

    @property
    def live_modules(self) -> int:
        return len(self._modules)

    @property
    def live_contexts(self) -> int:
        return len(self._contexts)

    @property
    def depth(self) -> int:
        """Of contexts that were made current and not given back, on this thread."""
        return len(self._stack)

    def finish(self) -> None:
        """Do everything that is on any stream."""
        for number in [*self._streams]:
            self._run(number)

    def new_stream(self) -> int:
        """A stream of somebody else."""
        number = self._handle()
        self._streams[number] = Stream(False)
        return number

    def new_memory(self, array: Any, device: int = 0) -> int:
        """Device memory of somebody else, with this in it."""
        made = self._new(array.nbytes, device)
        made.born = made.foreign = True
        ctypes.memmove(made.start - SHIFT, array.ctypes.data, array.nbytes)
        return made.start

    def contents(self, address: int, dtype: Any, count: int) -> Any:
        """What is in device memory now, without waiting for anything."""
        memory = self._containing(address)
        assert memory is not None
        raw = (ctypes.c_uint8 * (count * np.dtype(dtype).itemsize)).from_address(address - SHIFT)
        return np.frombuffer(raw, dtype).copy()

    # --- parts

    @property
    def _stack(self) -> list[int]:
        if not hasattr(self._current, "stack"):
            self._current.stack = []
        stack: list[int] = self._current.stack
        return stack

    def _handle(self) -> int:
        self._next += 8
        return self._next

    def _device(self) -> int:
        """Of the current context."""
        if not self._stack:
            raise Misuse(f"{self.calls[-1]} without a context")
        return self._contexts[self._stack[-1]]

    def _new(self, count: int, device: int) -> Memory:
        array = np.full(count + _ALIGNMENT, FRESH, np.uint8)
        start = array.ctypes.data + -array.ctypes.data % _ALIGNMENT + SHIFT
        made = Memory(start, count, array, device)
        self._memory[start] = made
        return made

    def _containing(self, address: int) -> Memory | None:
        for memory in self._memory.values():
            if memory.start <= address < memory.start + max(memory.bytes, 1):
                return memory
        return None

    def _range(self, address: int, count: int, what: str) -> Memory:
        """Device memory, as far as can be told when a call is made."""
        if not isinstance(address, int):
            raise Misuse(f"{what}: the address is a {type(address).__name__}")
        memory = self._containing(address)
        if memory is None:
            raise Misuse(f"{what}: {address:#x} is no device memory")
        if address + count > memory.start + memory.bytes:
            raise Misuse(f"{what}: {count} bytes go beyond an allocation of {memory.bytes}")
        if memory.freed:
            raise Misuse(f"{what}: the memory was freed")
        if memory.device != self._device():
            raise Misuse(f"{what}: memory of cuda:{memory.device} in a context of another device")
        return memory

    @staticmethod
    def _alive(memory: Memory, what: str) -> None:
        if not memory.born:
            raise Misuse(f"{what} before the memory is allocated, in the order of streams")
        if memory.dead:
            raise Misuse(f"{what} after the memory is freed, in the order of streams")

    def _put(self, stream: Any, work: Callable[[], None]) -> None:
        if stream not in self._streams:
            raise Misuse(f"{self.calls[-1]}: there is no stream {stream}")
        self._streams[stream].work.append(work)

    def _run(self, number: int, until: int | None = None) -> None:
        stream = self._streams[number]
        last = len(stream.work) if until is None else until
        while stream.done < last:
            work = stream.work[stream.done]
            work()
            stream.done += 1
            stream.work[stream.done - 1] = _nothing

    def _wait_for(self, event: Event) -> None:
        if event.place >= 0:
            self._run(event.stream, event.place)

    def _result(self) -> tuple[Any, ...]:
        return (self._sticky,)

    # --- the driver: start, devices, contexts

    def cuInit(self, flags: int) -> tuple[Any, ...]:
        assert flags == 0
        return (0,)

    def cuGetErrorName(self, status: int) -> tuple[Any, ...]:
        return (0, NAMES.get(int(status), (f"CUDA_ERROR_{int(status)}", ""))[0].encode())

    def cuGetErrorString(self, status: int) -> tuple[Any, ...]:
        return (0, NAMES.get(int(status), ("", "some error"))[1].encode())

    def cuDeviceGetCount(self) -> tuple[Any, ...]:
        return (0, len(self.capabilities))

    def cuDeviceGet(self, ordinal: int) -> tuple[Any, ...]:
        return (0, ordinal) if ordinal < len(self.capabilities) else (101, None)

    def cuDeviceGetName(self, length: int, device: int) -> tuple[Any, ...]:
        return (0, f"Stub {device}".encode().ljust(length, b"\0"))

    def cuDeviceGetAttribute(self, attribute: int, device: int) -> tuple[Any, ...]:
        major, minor = self.capabilities[device]
        values = {75: major, 76: minor, 115: int(self.pools)}
        return (0, values[int(attribute)])

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[Any, ...]:
        handle = self._handle()
        self._contexts[handle] = device
        return (0, handle)

    def cuDevicePrimaryCtxRelease(self, device: int) -> tuple[Any, ...]:
        handle = next(one for one, known in self._contexts.items() if known == device)
        del self._contexts[handle]
        return (0,)

    def cuCtxPushCurrent(self, context: int) -> tuple[Any, ...]:
        if context not in self._contexts:
            raise Misuse("cuCtxPushCurrent: no such context")
        self._stack.append(context)
        return (0,)

    def cuCtxPopCurrent(self) -> tuple[Any, ...]:
        if not self._stack:
            raise Misuse("cuCtxPopCurrent without a context")
        return (0, self._stack.pop())

    def cuCtxSynchronize(self) -> tuple[Any, ...]:
        self._device()
        self.finish()
        return self._result()

    # --- code

    def cuModuleLoadDataEx(
        self, image: bytes, count: int, options: list[Any], values: list[Any]
    ) -> tuple[Any, ...]:
        device = self._device()
        assert image.endswith(b"\0")
        assert count == len(options) == len(values)
        ptx = image[:-1].decode()
        target = re.search(r"\.target sm_(\d+)", ptx)
        emulator = self.programs.of(ptx)
        major, minor = self.capabilities[device]
        if target is None or int(target[1]) > 10 * major + minor or emulator is None:
            log = values[options.index(_JitOption.CU_JIT_ERROR_LOG_BUFFER)]
            said = b"ptxas fatal : unknown PTX"
            log[: len(said)] = said
            return (218, None)
        parameters = {
            name: [".ptr" in one for one in given.split(",")] if given.strip() else []
            for name, given in re.findall(r"\.entry (\w+)\(([^)]*)\)", ptx)
        }
        handle = self._handle()
        self._modules[handle] = _Module(ptx, emulator, parameters)
        return (0, handle)

    def cuModuleUnload(self, module: int) -> tuple[Any, ...]:
        del self._modules[module]
        return (0,)

    def cuModuleGetFunction(self, module: int, name: bytes) -> tuple[Any, ...]:
        found = self._modules[module]
        if name.decode() not in found.parameters:
            return (500, None)
        handle = self._handle()
        self._functions[handle] = (found, name.decode())
        return (0, handle)

    def cuLaunchKernel(self, function: int, *rest: Any) -> tuple[Any, ...]:
        gx, gy, gz, bx, by, bz, _shared, stream, parameters, extra = rest
        self._device()
        if extra:
            raise Misuse("cuLaunchKernel: both ways of giving arguments")
        module, name = self._functions[function]
        if not any(module is one for one in self._modules.values()):
            raise Misuse(f"`{name}`: its module is unloaded")
        arguments: list[Any] = []
        for place, is_pointer in enumerate(module.parameters[name]):
            at = ctypes.c_uint64.from_address(parameters + 8 * place).value
            if not at or at % 8:
                raise Misuse(f"`{name}`: argument {place} lies at {at:#x}")
            value = ctypes.c_int64.from_address(at).value
            if is_pointer:
                memory = self._range(value, 1, f"`{name}`, argument {place}")
                arguments.append((memory, value))
            else:
                arguments.append(value)
        grid, block = (gx, gy, gz), (bx, by, bz)
        self.launches.append((name, grid, block, stream))

        def work() -> None:
            given: list[Any] = []
            for one in arguments:
                if isinstance(one, int):
                    given.append(one)
                    continue
                memory, address = one
                self._alive(memory, f"`{name}` runs")
                low = memory.start - SHIFT
                given.append(Span(address - SHIFT, low, low + memory.bytes))
            module.emulator.launch(name, grid, block, given, self.order)  # type: ignore[arg-type]

        if self.kernel_fault:
            fault, self.kernel_fault = self.kernel_fault, 0
            self._put(stream, lambda: setattr(self, "_sticky", fault))
        else:
            self._put(stream, work)
        return self._result()

    # --- memory

    def cuDeviceGetDefaultMemPool(self, device: int) -> tuple[Any, ...]:
        return (0, 7000 + device)

    def cuMemPoolGetAttribute(self, pool: int, attribute: int) -> tuple[Any, ...]:
        return (0, self._threshold)

    def cuMemPoolSetAttribute(self, pool: int, attribute: int, value: int) -> tuple[Any, ...]:
        self._threshold = value
        return (0,)

    def cuMemAllocAsync(self, count: int, stream: int) -> tuple[Any, ...]:
        device = self._device()
        if count <= 0:
            return (1, None)
        if sum(one.bytes for one in self.live) + count > self.capacity:
            return (2, None)
        made = self._new(count, device)
        self._put(stream, lambda: setattr(made, "born", True))
        return (0, made.start)

    def cuMemFreeAsync(self, address: int, stream: int) -> tuple[Any, ...]:
        memory = self._memory.get(address)
        if memory is None:
            raise Misuse(f"cuMemFreeAsync: {address:#x} is no allocation")
        if memory.freed:
            raise Misuse("cuMemFreeAsync: freed twice")
        if memory.device != self._device():
            raise Misuse("cuMemFreeAsync in a context of another device")
        memory.freed = True

        def work() -> None:
            self._alive(memory, "a free comes")
            memory.dead = True
            memory.array[:] = FREED

        self._put(stream, work)
        return (0,)

    def cuMemsetD8Async(self, address: int, byte: int, count: int, stream: int) -> tuple[Any, ...]:
        memory = self._range(address, count, "cuMemsetD8Async")

        def work() -> None:
            self._alive(memory, "a fill comes")
            ctypes.memset(address - SHIFT, byte, count)

        self._put(stream, work)
        return self._result()

    def cuMemcpyHtoDAsync(
        self, address: int, host: int, count: int, stream: int
    ) -> tuple[Any, ...]:
        memory = self._range(address, count, "cuMemcpyHtoDAsync")
        keeper = self._host(host, count)

        def work() -> None:
            self._alive(memory, "a copy comes")
            self._still(keeper, host)
            ctypes.memmove(address - SHIFT, host, count)

        self._put(stream, work)
        return self._result()

    def cuMemcpyDtoHAsync(
        self, host: int, address: int, count: int, stream: int
    ) -> tuple[Any, ...]:
        memory = self._range(address, count, "cuMemcpyDtoHAsync")
        keeper = self._host(host, count)

        def work() -> None:
            self._alive(memory, "a copy comes")
            self._still(keeper, host)
            ctypes.memmove(host, address - SHIFT, count)

        self._put(stream, work)
        return self._result()

    def cuMemcpyDtoDAsync(
        self, target: int, source: int, count: int, stream: int
    ) -> tuple[Any, ...]:
        ends = [self._range(one, count, "cuMemcpyDtoDAsync") for one in (target, source)]

        def work() -> None:
            for one in ends:
                self._alive(one, "a copy comes")
            ctypes.memmove(target - SHIFT, source - SHIFT, count)

        self._put(stream, work)
        return self._result()

    def _host(self, host: int, count: int) -> int | None:
        """The page-locked block that an address is in, if it is in one."""
        if host >= SHIFT:
            raise Misuse("a device address where one of the processor is wanted")
        for start, array in self._pinned.items():
            if start <= host < start + array.nbytes:
                if host + count > start + array.nbytes:
                    raise Misuse("a copy goes beyond page-locked memory")
                return start
        return None

    def _still(self, keeper: int | None, host: int) -> None:
        if keeper is not None and keeper not in self._pinned:
            raise Misuse("page-locked memory was freed before a copy that uses it")

    def cuMemAllocHost(self, count: int) -> tuple[Any, ...]:
        self._device()
        array = np.full(count, FRESH, np.uint8)
        self._pinned[array.ctypes.data] = array
        return (0, array.ctypes.data)

    def cuMemFreeHost(self, address: int) -> tuple[Any, ...]:
        self._device()
        del self._pinned[address]
        return (0,)

    def cuPointerGetAttribute(self, attribute: int, address: int) -> tuple[Any, ...]:
        memory = self._containing(address)
        return (1, None) if memory is None else (0, memory.device)

    # --- streams and events

    def cuStreamCreate(self, flags: int) -> tuple[Any, ...]:
        self._device()
        assert flags == 1
        return (0, self.new_stream())

    def cuStreamSynchronize(self, stream: int) -> tuple[Any, ...]:
        self._device()
        if stream not in self._streams:
            raise Misuse(f"there is no stream {stream}")
        self._run(stream)
        return self._result()

    def cuStreamWaitEvent(self, stream: int, event: int, flags: int) -> tuple[Any, ...]:
        known = self._events[event]
        # What the event is now counts, whatever is recorded later.
        now = Event(None, known.stream, known.place)
        self._put(stream, lambda: self._wait_for(now))
        return (0,)

    def cuEventCreate(self, flags: int) -> tuple[Any, ...]:
        self._device()
        assert flags == 2
        handle = self._handle()
        self._events[handle] = Event()
        return (0, handle)

    def cuEventDestroy(self, event: int) -> tuple[Any, ...]:
        self._device()
        del self._events[event]
        return (0,)

    def cuEventRecord(self, event: int, stream: int) -> tuple[Any, ...]:
        self._device()
        if stream not in self._streams:
            raise Misuse(f"cuEventRecord: there is no stream {stream}")
        known = self._events[event]
        known.stream, known.place = stream, len(self._streams[stream].work)
        return (0,)

    def cuEventQuery(self, event: int) -> tuple[Any, ...]:
        known = self._events[event]
        done = known.place < 0 or self._streams[known.stream].done >= known.place
        return (self._sticky,) if done else (600,)

    def cuEventSynchronize(self, event: int) -> tuple[Any, ...]:
        self._device()
        self._wait_for(self._events[event])
        return self._result()


def _nothing() -> None:
    return
