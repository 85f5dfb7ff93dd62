"""A compiled GPU function without its code: which kernels are launched, in what order, on what memory.

A plan is all that a runtime has to carry out: the emulator on this processor's memory, the driver on a
GPU's. It holds no addresses; free of MLIR.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import astuple, replace

from tdsl.lowering.bounds import Site

Extent = tuple[int, int, int]
Role = Literal["input", "result", "scratch", "status"]
STATUS: Final = "status"
ALIGNMENT: Final = 256
"""What a runtime aligns inputs, results and the scratch allocation to: kernels read 16 bytes at a time
where they can. An array that lies elsewhere must be copied."""


class Buffer(msgspec.Struct, frozen=True):
    """A block of device memory.

    `place` is the number of the input or result; of scratch memory, the byte in the one allocation
    that all of it shares (buffers that do not live at the same time overlap there).
    """

    role: Role
    place: int
    bytes: int


class Linear(msgspec.Struct, frozen=True):
    """A number that the steps of loops change: `constant + sum(factor * counter)`."""

    constant: int
    factors: tuple[tuple[int, int], ...] = ()
    """(number of a loop, factor), by the number of the loop."""

    def at(self, counters: Mapping[int, int]) -> int:
        return self.constant + sum(factor * counters[loop] for loop, factor in self.factors)

    def __add__(self, other: Linear) -> Linear:
        factors = dict(self.factors)
        for loop, factor in other.factors:
            factors[loop] = factors.get(loop, 0) + factor
        kept = tuple(sorted((loop, factor) for loop, factor in factors.items() if factor))
        return Linear(self.constant + other.constant, kept)

    def times(self, factor: int) -> Linear:
        if not factor:
            return Linear(0)
        return Linear(self.constant * factor, tuple((a, b * factor) for a, b in self.factors))


class Pointer(msgspec.Struct, frozen=True):
    """An address in a buffer, `offset` bytes from its start."""

    buffer: int
    offset: Linear = Linear(0)


class Number(msgspec.Struct, frozen=True):
    """A 64-bit integer given by value."""

    value: Linear


Argument = Pointer | Number


class Launch(msgspec.Struct, frozen=True):
    """Start a kernel on a grid of blocks of threads; `shared` bytes of dynamic shared memory."""

    kernel: str
    grid: Extent
    block: Extent
    arguments: tuple[Argument, ...]
    source: str = ""  # file:line:column of what it computes, "" where not known
    shared: int = 0


class Copy(msgspec.Struct, frozen=True):
    """Copy bytes that lie one after another, from device memory to device memory."""

    target: Pointer
    source: Pointer
    bytes: int


class Loop(msgspec.Struct, frozen=True):
    """Carry out `body` for counter = start, start + step, … below stop."""

    number: int
    start: int
    stop: int
    step: int
    body: tuple[Step, ...]


Step = Launch | Copy | Loop


class Plan(msgspec.Struct, frozen=True):
    """Inputs and results are contiguous; a kernel reads results only where it has written them.

    Where there are `sites`, one buffer has the role "status": STATUS_WORDS i64 words, to be zeroed
    before and read after a call. The code in word 0 is 0 where all is well; else the other words say
    which position was out of range, see lowering/bounds.py.
    """

    function: str
    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    scratch_bytes: int = 0
    sites: tuple[Site, ...] = msgspec.field(default=())

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of all kernels, in the order of their first launch."""
        return tuple(dict.fromkeys(launch.kernel for launch in _launches(self.steps)))

    def run(self) -> Iterator[tuple[Launch | Copy, Mapping[int, int]]]:
        """Every launch and copy in order, with the counters of the loops around it."""
        return _run(self.steps, {})

    def placed(self, at: Callable[[str], str]) -> Plan:
        """The same with other names for places in the source."""
        return replace(
            self,
            steps=tuple(_placed(step, at) for step in self.steps),
            sites=tuple(replace(site, at=at(site.at)) for site in self.sites),
        )

    def to_json(self) -> str:
        return json.dumps(
            {
                "function": self.function,
                "buffers": [[one.role, one.place, one.bytes] for one in self.buffers],
                "steps": [_step_to_data(step) for step in self.steps],
                "scratch": self.scratch_bytes,
                "sites": [astuple(site) for site in self.sites],
            }
        )

    @staticmethod
    def from_json(text: str) -> Plan:
        data = json.loads(text)
        return Plan(
            data["function"],
            tuple(Buffer(*one) for one in data["buffers"]),
            tuple(_step_from_data(step) for step in data["steps"]),
            data["scratch"],
            tuple(Site(*site) for site in data["sites"]),
        )

    def __str__(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield f"plan of {self.function}"
        for number, buffer in enumerate(self.buffers):
            where = "" if buffer.role == STATUS else f" {buffer.place}"
            if buffer.role == "scratch":
                where = f" from byte {buffer.place}"
            yield f"  b{number} = {buffer.role}{where}: {buffer.bytes} bytes"
        if self.scratch_bytes:
            yield f"  scratch: {self.scratch_bytes} bytes"
        for step in self.steps:
            yield from _shown(step, "  ")


def _launches(steps: Sequence[Step]) -> Iterator[Launch]:
    for step in steps:
        if isinstance(step, Launch):
            yield step
        elif isinstance(step, Loop):
            yield from _launches(step.body)


def _placed(step: Step, at: Callable[[str], str]) -> Step:
    if isinstance(step, Loop):
        return replace(step, body=tuple(_placed(inner, at) for inner in step.body))
    return replace(step, source=at(step.source)) if isinstance(step, Launch) else step


def _run(
    steps: Sequence[Step], counters: Mapping[int, int]
) -> Iterator[tuple[Launch | Copy, Mapping[int, int]]]:
    for step in steps:
        if isinstance(step, Loop):
            for counter in range(step.start, step.stop, step.step):
                yield from _run(step.body, {**counters, step.number: counter})
        else:
            yield step, counters


def _shown(step: Step, indent: str) -> Iterator[str]:
    if isinstance(step, Loop):
        yield f"{indent}for i{step.number} in {step.start}..{step.stop} by {step.step}:"
        for inner in step.body:
            yield from _shown(inner, indent + "  ")
    elif isinstance(step, Copy):
        target, source = _argument(step.target), _argument(step.source)
        yield f"{indent}copy {step.bytes} bytes from {source} to {target}"
    else:
        arguments = ", ".join(_argument(argument) for argument in step.arguments)
        grid, block = (" x ".join(map(str, extent)) for extent in (step.grid, step.block))
        at = f"  ({step.source})" if step.source else ""
        yield f"{indent}{step.kernel}<{grid}, {block}>({arguments}){at}"


def _argument(argument: Argument) -> str:
    if isinstance(argument, Number):
        return _linear(argument.value)
    offset = _linear(argument.offset)
    return f"b{argument.buffer}" if offset == "0" else f"b{argument.buffer} + {offset}"


def _linear(value: Linear) -> str:
    parts = [f"i{loop}" if factor == 1 else f"{factor}*i{loop}" for loop, factor in value.factors]
    if value.constant or not parts:
        parts.append(str(value.constant))
    return " + ".join(parts)


def _linear_to_data(value: Linear) -> Any:
    return value.constant if not value.factors else [value.constant, value.factors]


def _linear_from_data(data: Any) -> Linear:
    if isinstance(data, int):
        return Linear(data)
    constant, factors = data
    return Linear(constant, tuple((loop, factor) for loop, factor in factors))


def _argument_to_data(argument: Argument) -> Any:
    if isinstance(argument, Number):
        return {"number": _linear_to_data(argument.value)}
    return {"buffer": argument.buffer, "offset": _linear_to_data(argument.offset)}


def _argument_from_data(data: Any) -> Argument:
    if "number" in data:
        return Number(_linear_from_data(data["number"]))
    return _pointer_from_data(data)


def _pointer_from_data(data: Any) -> Pointer:
    return Pointer(data["buffer"], _linear_from_data(data["offset"]))


def _step_to_data(step: Step) -> Any:
    if isinstance(step, Loop):
        body = [_step_to_data(inner) for inner in step.body]
        return {"loop": step.number, "range": [step.start, step.stop, step.step], "body": body}
    if isinstance(step, Copy):
        ends = [_argument_to_data(step.target), _argument_to_data(step.source)]
        return {"copy": step.bytes, "ends": ends}
    return {
        "launch": step.kernel,
        "grid": step.grid,
        "block": step.block,
        "arguments": [_argument_to_data(argument) for argument in step.arguments],
        "source": step.source,
        "shared": step.shared,
    }


def _step_from_data(data: Any) -> Step:
    if "loop" in data:
        start, stop, step = data["range"]
        body = tuple(_step_from_data(inner) for inner in data["body"])
        return Loop(data["loop"], start, stop, step, body)
    if "copy" in data:
        target, source = (_pointer_from_data(end) for end in data["ends"])
        return Copy(target, source, data["copy"])
    return Launch(
        data["launch"],
        _extent(data["grid"]),
        _extent(data["block"]),
        tuple(_argument_from_data(argument) for argument in data["arguments"]),
        data["source"],
        data["shared"],
    )


def _extent(data: Any) -> Extent:
    x, y, z = data
    return x, y, z
