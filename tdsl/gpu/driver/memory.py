"""Blocks of device memory that outlive a call: who used them last, and giving them back after that."""

from __future__ import annotations

from tdsl.gpu.driver.device import Device, Event


class Block:
    """Memory of a device. It is given back when nobody has it any more, and after all that streams
    were told to do with it: those may not exist any more, so it is events that are waited for."""

    __slots__ = ("__weakref__", "address", "bytes", "device", "exported", "uses", "written")

    def __init__(self, device: Device, count: int, stream: int) -> None:
        self.device = device
        self.bytes = count
        self.uses: dict[int, Event] = {}
        """The last use on each stream."""
        self.written: tuple[int, Event] | None = None
        """Where and when it was last written; None while that is not known to anybody else."""
        self.exported: set[int | None] = set()
        """Streams on which others may use it for as long as they hold it: None for one that may not
        exist any more by then."""
        self.address = device.allocate(count, stream)
        device.finalizer(self, _free, device, self.address, self.uses, self.exported)

    def wait_to_read(self, stream: int) -> None:
        if self.written is not None and self.written[0] != stream:
            self.device.api.wait(stream, self.written[1].handle)

    def wait_to_write(self, stream: int) -> None:
        for other, event in self.uses.items():
            if other != stream:
                self.device.api.wait(stream, event.handle)


def _free(device: Device, address: int, uses: dict[int, Event], exported: set[int | None]) -> None:
    if None in exported:
        device.api.synchronize_context()
    else:
        for stream in exported:
            if stream is not None:
                uses[stream] = device.record(stream)
    for event in uses.values():
        device.api.wait(device.side, event.handle)
    device.api.free(address, device.side)
