"""Carry out a launch plan on this processor, with the emulator in place of a GPU."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tdsl.gpu.emulator import ORDERS, EmulationError, Emulator, Order, Span
from tdsl.gpu.plan import Copy, Launch, Number, Plan, Pointer
from tdsl.lowering.bounds import STATUS_WORDS
from tdsl.lowering.interface import Interface

_GUARD: Final = 256
_GUARD_BYTE: Final = 0xA5
_ALIGNMENT: Final = 256
_UNSET: Final = 0xFF  # NaN in every float


ORDER_VARIABLE: Final = "TDSL_EMULATOR_ORDER"


def _order_wanted() -> Order:
    """What the environment says of the order of threads."""
    wanted = os.environ.get(ORDER_VARIABLE, ORDERS[0])
    for known in ORDERS:
        if wanted == known:
            return known
    raise EmulationError(
        f"{ORDER_VARIABLE}={wanted}: there is no such order; there are {', '.join(ORDERS)}"
    )


@dataclass(frozen=True)
class EmulatedProgram:
    """A compiled function that is run by the emulator."""

    emulator: Emulator
    plan: Plan
    interface: Interface

    def entry(self, data: bytes, sizes: bytes) -> int:
        """As the native entry of a function: data[] is the addresses of the inputs, the results,
        scratch memory (which this has no use for) and the status block."""
        addresses = struct.unpack(f"{len(data) // 8}P", data)
        inputs, results = len(self.interface.inputs), len(self.interface.results)
        order = _order_wanted()
        status = self.run(addresses[:inputs], addresses[inputs : inputs + results], order)
        if status[0]:
            block = (ctypes.c_int64 * STATUS_WORDS).from_address(addresses[inputs + results + 1])
            for place, word in enumerate(status):
                block[place] = word
        return status[0]

    def run(
        self,
        inputs: Sequence[int],
        results: Sequence[int],
        order: Order = "forward",
    ) -> list[int]:
        """Run on memory at these addresses; gives the status block."""
        status = np.zeros(STATUS_WORDS, np.int64)
        arena = np.full(self.plan.scratch_bytes + 2 * _GUARD + _ALIGNMENT, _UNSET, np.uint8)
        start = arena.ctypes.data + _GUARD
        skipped = -start % _ALIGNMENT
        first = _GUARD + skipped
        last = first + self.plan.scratch_bytes
        arena[:first] = arena[last:] = _GUARD_BYTE
        spans = []
        for buffer in self.plan.buffers:
            if buffer.role == "input":
                address = inputs[buffer.place]
            elif buffer.role == "result":
                address = results[buffer.place]
            elif buffer.role == "scratch":
                address = start + skipped + buffer.place
            else:
                address = status.ctypes.data
            spans.append((address, address + buffer.bytes))
            if buffer.role == "result":
                ctypes.memset(address, _UNSET, buffer.bytes)
        for step, counters in self.plan.run():

            def place(pointer: Pointer, counters: Any = counters) -> Span:
                low, high = spans[pointer.buffer]
                return Span(low + pointer.offset.at(counters), low, high)

            if isinstance(step, Copy):
                target, source = place(step.target), place(step.source)
                if target.address + step.bytes > target.high or target.address < target.low:
                    raise EmulationError("a copy goes beyond the buffer that it writes")
                ctypes.memmove(target.address, source.address, step.bytes)
            else:
                self._launch(step, counters, place, order)
        if (arena[:first] != _GUARD_BYTE).any() or (arena[last:] != _GUARD_BYTE).any():
            raise EmulationError(f"`{self.plan.function}` writes outside of its scratch memory")
        return [int(word) for word in status]

    def _launch(self, launch: Launch, counters: Any, place: Any, order: Order) -> None:
        arguments = [
            one.value.at(counters) if isinstance(one, Number) else place(one)
            for one in launch.arguments
        ]
        try:
            self.emulator.launch(launch.kernel, launch.grid, launch.block, arguments, order)
        except EmulationError as problem:
            at = f" ({launch.source})" if launch.source else ""
            raise EmulationError(f"{problem}{at}") from None
