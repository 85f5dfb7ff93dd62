"""One GPU as this process uses it: its primary context, loaded code, events and page-locked memory."""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from tdsl.errors import DeviceMemoryError, DriverError, TargetError
from tdsl.gpu.driver import dlpack
from tdsl.gpu.driver.api import Api
from tdsl.lowering.device import DEVICES

if TYPE_CHECKING:
    from tdsl.gpu.driver.status import Pending

_SMALLEST: Final = 4096  # of page-locked blocks: a page
_LARGEST_KEPT: Final = 1 << 20
_MOST_KEPT: Final = 64


class Device:
    """A GPU. Its context is the one that PyTorch, CuPy and JAX use, too: addresses and streams of
    theirs are good here."""

    def __init__(self, api: Api, ordinal: int) -> None:
        self.api = api
        self.ordinal = ordinal
        handle = api.device(ordinal)
        self.name = api.device_name(handle)
        self.capability = (
            api.attribute("COMPUTE_CAPABILITY_MAJOR", handle),
            api.attribute("COMPUTE_CAPABILITY_MINOR", handle),
        )
        if not api.attribute("MEMORY_POOLS_SUPPORTED", handle):
            raise TargetError(
                f"[E0905] {self} ({self.name}) has no memory pools, which TDSL needs: its driver is"
                " too old, or is set to a mode without them",
                code="E0905",
            )
        self._process = os.getpid()
        self._context = api.retain_context(handle)
        self._modules: dict[str, Module] = {}
        self._free_pinned: list[tuple[Event | None, Pinned]] = []
        self._held: list[tuple[Event, object]] = []
        self.unchecked: list[Pending] = []
        """Of calls whose results went to others, who do not ask whether all was well."""
        try:
            with self.use():
                api.keep_freed_memory(handle)
                self.side = api.create_stream()
                """A stream of our own, for what comes after all uses of some memory."""
        except DriverError:
            api.release_context(handle)
            raise

    def __str__(self) -> str:
        return f"cuda:{self.ordinal}"

    @property
    def chip(self) -> str:
        """The target whose code suits this device best."""
        return chip_for(self.capability, self)

    @property
    def is_ours(self) -> bool:
        """Whether this is the process that opened the device: contexts do not survive a fork."""
        return os.getpid() == self._process

    @contextmanager
    def use(self) -> Iterator[None]:
        """Have the context current; what was current comes back afterwards."""
        if not self.is_ours:
            raise TargetError(
                f"[E0905] {self} was used before this process was forked, and drivers do not survive"
                ' that: start processes with the method "spawn"',
                code="E0905",
            )
        self.api.push_context(self._context)
        try:
            yield
        finally:
            self.api.pop_context()

    def module(self, ptx: str, chip: str) -> Module:
        """Loaded code, once for each text."""
        key = hashlib.sha256(ptx.encode()).hexdigest()
        found = self._modules.get(key)
        if found is None:
            self._check(chip)
            made = Module(self, ptx)
            found = self._modules.setdefault(key, made)
            if found is not made:
                made.unload()
        return found

    def _check(self, chip: str) -> None:
        major, minor = self.capability
        number = chip.removeprefix("sm_")
        wanted = int(number.rstrip("a"))
        exact = number.endswith("a")
        have = 10 * major + minor
        if have < wanted or (exact and have != wanted):
            raise TargetError(
                f"[E0903] the code is for {chip}, and {self} ({self.name}) has compute capability"
                f' {major}.{minor}: compile for target="nvptx:{self.chip}", or "nvptx"',
                code="E0903",
            )

    def allocate(self, count: int, stream: int) -> int:
        """Memory. Where there is none, that of arrays which other libraries gave back since the last
        call is looked for."""
        try:
            return self.api.allocate(count, stream)
        except DeviceMemoryError:
            dlpack.reclaim()
            self.api.synchronize_context()
            return self.api.allocate(count, stream)

    # --- events

    def record(self, stream: int) -> Event:
        """An event for all that was put on a stream so far."""
        event = Event(self)
        self.api.record(event.handle, stream)
        return event

    # --- page-locked memory

    def pinned(self, count: int) -> Pinned:
        """Memory of the processor that copies can be made from and to at any time."""
        for place, (event, block) in enumerate(self._free_pinned):
            if block.bytes >= count and (event is None or event.is_done()):
                del self._free_pinned[place]
                return block
        size = max(_SMALLEST, 1 << (count - 1).bit_length())
        return Pinned(self, size)

    def give_back(self, block: Pinned, event: Event | None) -> None:
        """Page-locked memory that is free after the event."""
        if block.bytes <= _LARGEST_KEPT and len(self._free_pinned) < _MOST_KEPT:
            self._free_pinned.append((event, block))
        elif event is not None:
            # Its finalizer may run at once, and copies may still be under way.
            event.synchronize()

    def poll(self) -> None:
        """The IndexError of an earlier call that nobody has asked for, if there is one by now."""
        self._held = [(event, value) for event, value in self._held if not event.is_done()]
        dlpack.reclaim()
        waiting = self.unchecked[:]
        for pending in waiting:
            if pending.is_done():
                self._forget(pending)
                pending.check()

    def hold(self, value: object, event: Event) -> None:
        """Keep what somebody else gave until the event: they do not know our streams."""
        self._held.append((event, value))

    def watch(self, pending: Pending) -> None:
        if pending not in self.unchecked:
            self.unchecked.append(pending)

    def _forget(self, pending: Pending) -> None:
        if pending in self.unchecked:
            self.unchecked.remove(pending)

    def synchronize(self) -> None:
        """Wait for all calls whose results went to other libraries, and raise what went wrong."""
        with self.use():
            for pending in self.unchecked[:]:
                self._forget(pending)
                pending.check()

    # --- giving back

    def finalizer(self, owner: Any, free: Callable[..., None], *arguments: Any) -> Any:
        """Call `free` when the owner is gone: in this process only, and not when Python ends, for
        the driver then takes everything back itself."""
        made = weakref.finalize(owner, _freed, self, free, arguments)
        made.atexit = False
        return made


def _freed(device: Device, free: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    if not device.is_ours:
        return
    try:
        with device.use():
            free(*arguments)
    except DriverError:
        # After an error that ends the context, nothing in it can be freed, and all of it is.
        return


def chip_for(capability: tuple[int, int], device: object) -> str:
    """The newest of the known targets whose PTX such a device takes."""
    major, minor = capability
    have = 10 * major + minor
    fitting = [chip for chip in DEVICES if chip[3:].isdecimal() and int(chip[3:]) <= have]
    if not fitting:
        oldest = next(iter(DEVICES))[3:]
        raise TargetError(
            f"[E0903] {device} has compute capability {major}.{minor}, and TDSL makes code for"
            f" {oldest[0]}.{oldest[1]} and newer",
            code="E0903",
        )
    return max(fitting, key=lambda chip: int(chip[3:]))


class Event:
    """A point on a stream, to be waited for."""

    __slots__ = ("__weakref__", "_device", "handle")

    def __init__(self, device: Device) -> None:
        self._device = device
        self.handle = device.api.create_event()
        device.finalizer(self, device.api.destroy_event, self.handle)

    def is_done(self) -> bool:
        return self._device.api.is_done(self.handle)

    def synchronize(self) -> None:
        self._device.api.synchronize_event(self.handle)


class Pinned:
    """A block of page-locked memory of the processor."""

    __slots__ = ("__weakref__", "address", "bytes")

    def __init__(self, device: Device, count: int) -> None:
        self.address = device.api.allocate_host(count)
        self.bytes = count
        device.finalizer(self, device.api.free_host, self.address)


class Module:
    """Loaded code and its kernels by name."""

    def __init__(self, device: Device, ptx: str) -> None:
        self._api = device.api
        self._handle = device.api.load_module(ptx)
        self._functions: dict[str, int] = {}

    def function(self, name: str) -> int:
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = self._api.function(self._handle, name)
        return found

    def unload(self) -> None:
        self._api.unload_module(self._handle)
