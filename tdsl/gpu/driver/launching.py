"""Carry out a launch plan on a GPU: all arguments of all launches are computed at once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tdsl.errors import DriverError
from tdsl.gpu.driver.device import Device, Module
from tdsl.gpu.driver.status import STATUS_BYTES, Pending
from tdsl.gpu.driver.work import Work
from tdsl.gpu.object import GpuObject
from tdsl.gpu.plan import Copy, Extent, Launch, Number, Pointer

SYNC_VARIABLE: Final = "TDSL_GPU_SYNC"
"""Set to 1, each kernel is waited for: what it does wrong is then told with its line."""


@dataclass(frozen=True)
class _Start:
    """One launch; `first` is the place of its arguments among those of all."""

    function: int
    grid: Extent
    block: Extent
    shared: int
    first: int
    kernel: str
    at: str


@dataclass(frozen=True)
class _Move:
    """One copy from the address at place `first + 1` to the one at `first`."""

    first: int
    bytes: int


class Loaded:
    """The code of a function on one device."""

    def __init__(self, device: Device, made: GpuObject) -> None:
        self.device = device
        self.plan = made.plan
        with device.use():
            self._module: Module = device.module(made.ptx, made.chip)
            self._prepare()

    def _prepare(self) -> None:
        plan = self.plan
        self._steps: list[_Start | _Move] = []
        none = len(plan.buffers)  # the base of plain numbers, which is 0
        buffers: list[int] = []
        offsets: list[int] = []
        for step, counters in plan.run():
            first = len(buffers)
            arguments: tuple[Pointer | Number, ...]
            if isinstance(step, Copy):
                arguments = (step.target, step.source)
                self._steps.append(_Move(first, step.bytes))
            else:
                arguments = step.arguments
                self._steps.append(self._start(step, first))
            for one in arguments:
                if isinstance(one, Number):
                    buffers.append(none)
                    offsets.append(one.value.at(counters))
                else:
                    buffers.append(one.buffer)
                    offsets.append(one.offset.at(counters))
        self._buffers = np.array(buffers, np.intp)
        self._offsets = np.array(offsets, np.int64).view(np.uint64)
        self._places = 8 * np.arange(len(buffers), dtype=np.uint64)

    def _start(self, launch: Launch, first: int) -> _Start:
        function = self._module.function(launch.kernel)
        return _Start(
            function, launch.grid, launch.block, launch.shared, first, launch.kernel, launch.source
        )

    def run(self, work: Work, inputs: list[int], results: list[int]) -> Pending | None:
        """Put everything on the stream. `inputs` and `results` are addresses on the device."""
        plan, api = self.plan, self.device.api
        scratch = work.temporary(plan.scratch_bytes) if plan.scratch_bytes else 0
        status = 0
        bases = np.zeros(len(plan.buffers) + 1, np.uint64)
        for number, buffer in enumerate(plan.buffers):
            if buffer.role == "input":
                bases[number] = inputs[buffer.place]
            elif buffer.role == "result":
                bases[number] = results[buffer.place]
            elif buffer.role == "scratch":
                bases[number] = scratch + buffer.place
            else:
                status = work.temporary(STATUS_BYTES)
                bases[number] = status
                api.fill(status, 0, STATUS_BYTES, work.stream)
        self._launch(work.stream, bases)
        return self._status(work, status) if status else None

    def _launch(self, stream: int, bases: np.ndarray[Any, Any]) -> None:
        api = self.device.api
        values = bases[self._buffers] + self._offsets
        pointers = self._places + np.uint64(values.ctypes.data)
        table = pointers.ctypes.data
        waits = os.environ.get(SYNC_VARIABLE) == "1"
        for step in self._steps:
            if isinstance(step, _Move):
                target, source = values[step.first : step.first + 2].tolist()
                api.copy(target, source, step.bytes, stream)
                continue
            try:
                parameters = table + 8 * step.first
                api.launch(step.function, step.grid, step.block, step.shared, stream, parameters)
                if waits:
                    api.synchronize_stream(stream)
            except DriverError as problem:
                raise _located(problem, step) from problem

    def _status(self, work: Work, status: int) -> Pending:
        block = work.staged(STATUS_BYTES)
        self.device.api.copy_out(block.address, status, STATUS_BYTES, work.stream)
        made = Pending(self.device, self.plan.sites, block, work.record())
        work.hand_over(block)
        return made


def _located(problem: DriverError, step: _Start) -> DriverError:
    at = f" ({step.at})" if step.at else ""
    return type(problem)(
        f"{problem}\n  at the kernel `{step.kernel}`{at}",
        function=problem.function,
        status=problem.status,
        at=step.at,
    )
