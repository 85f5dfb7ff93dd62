"""Carry out a launch plan on this processor, with the emulator in place of a GPU."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tdsl.gpu.emulator import ORDERS, EmulationError, Emulator, Order, Span
from tdsl.gpu.plan import ALIGNMENT, Copy, Launch, Number, Plan, Pointer
from tdsl.lowering.bounds import STATUS_WORDS
from tdsl.lowering.interface import Interface

_GUARD: Final = 256
_GUARD_BYTE: Final = 0xA5
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


class DeviceMemory:
    """Memory in place of a GPU's: a block for each buffer of a plan, zones that nothing may touch
    between them, and what was not written full of NaN. Scratch buffers share one block, as on a GPU."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._starts: list[int] = []
        self._taken: list[tuple[int, int]] = []
        end = _GUARD
        scratch = end
        if plan.scratch_bytes:
            end = self._take(end, plan.scratch_bytes)
        for buffer in plan.buffers:
            if buffer.role == "scratch":
                self._starts.append(scratch + buffer.place)
            else:
                self._starts.append(end)
                end = self._take(end, buffer.bytes)
        self._memory = np.full(end + ALIGNMENT, _GUARD_BYTE, np.uint8)
        self._base = -self._memory.ctypes.data % ALIGNMENT
        for first, last in self._taken:
            self._memory[self._base + first : self._base + last] = _UNSET

    def _take(self, start: int, count: int) -> int:
        """The start of what comes after so many bytes."""
        self._taken.append((start, start + count))
        return start + -(-count // ALIGNMENT) * ALIGNMENT + _GUARD

    def of(self, buffer: int) -> Any:
        """The bytes of a buffer."""
        start = self._base + self._starts[buffer]
        return self._memory[start : start + self._plan.buffers[buffer].bytes]

    def span(self, pointer: Pointer, counters: Mapping[int, int]) -> Span:
        low = self._memory.ctypes.data + self._base + self._starts[pointer.buffer]
        high = low + self._plan.buffers[pointer.buffer].bytes
        return Span(low + pointer.offset.at(counters), low, high)

    def is_intact(self) -> bool:
        """Whether nothing was written between the buffers."""
        end = self._base
        for first, last in sorted(self._taken):
            if (self._memory[end : self._base + first] != _GUARD_BYTE).any():
                return False
            end = self._base + last
        return not (self._memory[end:] != _GUARD_BYTE).any()


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
        self, inputs: Sequence[int], results: Sequence[int], order: Order = "forward"
    ) -> list[int]:
        """Run on arrays at these addresses; gives the status block."""
        plan, memory = self.plan, DeviceMemory(self.plan)
        for number, buffer in enumerate(plan.buffers):
            if buffer.role == "input":
                block = memory.of(number)
                ctypes.memmove(block.ctypes.data, inputs[buffer.place], buffer.bytes)
            elif buffer.role == "status":
                memory.of(number)[:] = 0
        for step, counters in plan.run():
            if isinstance(step, Copy):
                _copy(memory.span(step.target, counters), memory.span(step.source, counters), step)
            else:
                self._launch(step, counters, memory, order)
        if not memory.is_intact():
            raise EmulationError(f"`{plan.function}` writes outside of its buffers")
        status = [0] * STATUS_WORDS
        for number, buffer in enumerate(plan.buffers):
            block = memory.of(number)
            if buffer.role == "result":
                ctypes.memmove(results[buffer.place], block.ctypes.data, buffer.bytes)
            elif buffer.role == "status":
                status = [int(word) for word in block.view(np.int64)]
            elif buffer.role == "input" and block.tobytes() != ctypes.string_at(
                inputs[buffer.place], buffer.bytes
            ):
                raise EmulationError(
                    f"`{plan.function}` changes its input {buffer.place}, which is not its own"
                )
        return status

    def _launch(
        self, launch: Launch, counters: Mapping[int, int], memory: DeviceMemory, order: Order
    ) -> None:
        arguments = [
            one.value.at(counters) if isinstance(one, Number) else memory.span(one, counters)
            for one in launch.arguments
        ]
        try:
            self.emulator.launch(launch.kernel, launch.grid, launch.block, arguments, order)
        except EmulationError as problem:
            at = f" ({launch.source})" if launch.source else ""
            raise EmulationError(f"{problem}{at}") from None


def _copy(target: Span, source: Span, step: Copy) -> None:
    for end in (target, source):
        if end.address < end.low or end.address + step.bytes > end.high:
            raise EmulationError(f"a copy of {step.bytes} bytes goes beyond its buffer")
    ctypes.memmove(target.address, source.address, step.bytes)
