"""What one call puts on a stream: temporary memory, copies to the device, and when all of it is done."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import Any, Final

import numpy as np

from tdsl.errors import DriverError
from tdsl.gpu.driver.device import Device, Event, Pinned
from tdsl.gpu.driver.memory import Block

STAGED_BYTES: Final = 1 << 26
"""What is larger is copied where it lies, and waited for."""


class Work:
    """Use as a context manager, with the device's context current. Temporary memory goes back in the
    order of the stream, also if something fails on the way."""

    def __init__(self, device: Device, stream: int) -> None:
        self.device = device
        self.stream = stream
        self.done: Event | None = None
        self._temporary: list[int] = []
        self._staged: list[Pinned] = []
        self._read: dict[int, Block] = {}
        self._written: dict[int, Block] = {}

    def __enter__(self) -> Work:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._finish()
        else:
            self._abandon()

    def temporary(self, count: int) -> int:
        address = self.device.allocate(count, self.stream)
        self._temporary.append(address)
        return address

    def block(self, count: int) -> Block:
        """Memory for a result."""
        made = Block(self.device, count, self.stream)
        self._written[id(made)] = made
        return made

    def reads(self, block: Block) -> None:
        block.wait_to_read(self.stream)
        self._read[id(block)] = block

    def writes(self, block: Block) -> None:
        block.wait_to_write(self.stream)
        self._written[id(block)] = block

    def put(self, address: int, array: np.ndarray[Any, Any]) -> None:
        """Copy a contiguous array; the caller may change it as soon as this returns."""
        api, count = self.device.api, array.nbytes
        if count > STAGED_BYTES:
            api.copy_in(address, array.ctypes.data, count, self.stream)
            api.synchronize_stream(self.stream)
            return
        staged = self.staged(count)
        _move(staged.address, array)
        api.copy_in(address, staged.address, count, self.stream)

    def staged(self, count: int) -> Pinned:
        """Page-locked memory that stays as long as anything here uses it."""
        made = self.device.pinned(count)
        self._staged.append(made)
        return made

    def hand_over(self, block: Pinned) -> None:
        """Leave a page-locked block to somebody else."""
        self._staged.remove(block)

    def upload(self, array: np.ndarray[Any, Any]) -> int:
        address = self.temporary(array.nbytes)
        self.put(address, array)
        return address

    def record(self) -> Event:
        """All until here."""
        return self.device.record(self.stream)

    def _finish(self) -> None:
        try:
            self.done = self.record()
            self._mark(self.done)
        except BaseException:
            self._abandon()
            raise
        problems: list[DriverError] = []
        for address in self._temporary:
            try:
                self.device.api.free(address, self.stream)
            except DriverError as problem:
                problems.append(problem)
        self._temporary.clear()
        if problems:
            raise problems[0]

    def _mark(self, event: Event) -> None:
        for block in (*self._read.values(), *self._written.values()):
            block.uses[self.stream] = event
        for block in self._written.values():
            block.written = (self.stream, event)
        while self._staged:
            self.device.give_back(self._staged.pop(), event)

    def _abandon(self) -> None:
        """After an error: what is on the stream may still run, so memory goes back only behind it."""
        api = self.device.api
        try:
            self._mark(self.record())
        except DriverError:
            _try(api.synchronize_stream, self.stream)
            self._staged.clear()
        for address in self._temporary:
            _try(api.free, address, self.stream)
        self._temporary.clear()


def _try(action: Any, *arguments: Any) -> None:
    try:
        action(*arguments)
    except DriverError:
        return  # there is an error to be told already


def _move(address: int, array: np.ndarray[Any, Any]) -> None:
    ctypes.memmove(address, array.ctypes.data, array.nbytes)
