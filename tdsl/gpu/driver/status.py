"""What a call says of positions out of range, to be read when somebody wants to know."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Final

from tdsl.gpu.driver.device import Device, Event, Pinned
from tdsl.lowering.bounds import STATUS_WORDS, Site, violation

STATUS_BYTES: Final = 8 * STATUS_WORDS


class Pending:
    """A status block under way to this processor. Calls that use a result share its fate."""

    __slots__ = ("__weakref__", "_block", "_device", "_event", "_finalizer", "_problem", "_sites")

    def __init__(self, device: Device, sites: Sequence[Site], block: Pinned, event: Event) -> None:
        self._device = device
        self._sites = tuple(sites)
        self._block: Pinned | None = block
        self._event = event
        self._problem: str | None = None
        # If nobody asks, the words still come, and must find the block there.
        self._finalizer = device.finalizer(self, device.give_back, block, event)

    def is_done(self) -> bool:
        return self._block is None or self._event.is_done()

    @property
    def is_well(self) -> bool:
        """Whether it is known that nothing was out of range."""
        return self._block is None and self._problem is None

    def check(self) -> None:
        """Wait for the call, and raise an IndexError if a position was out of range."""
        block = self._block
        if block is not None:
            self._event.synchronize()
            words = list((ctypes.c_int64 * STATUS_WORDS).from_address(block.address))
            if words[0]:
                self._problem = violation(self._sites, words)
            self._block = None
            self._finalizer.detach()
            self._device.give_back(block, None)
        if self._problem is not None:
            raise IndexError(self._problem)
