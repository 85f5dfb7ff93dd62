"""Where the time of a call goes: `fn.profile(…)`, a table by source line, and a trace of one call."""

from __future__ import annotations

import ctypes
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tdsl.engine.peak import Peak
from tdsl.engine.pool import thread_count
from tdsl.lowering.steps import EVENTS, MOST_EVENTS, Step
from tdsl.runtime.build import Built

Array = np.ndarray[Any, Any]
_WIDEST = 48  # of a source line in the table


class Timed(msgspec.Struct, frozen=True):
    """One step of the function, over all runs of it in one call: the median call."""

    step: Step
    source: str
    """The line of the source that it comes from."""
    runs: int
    seconds: float

    @property
    def gflops(self) -> float:
        """10⁹ floating-point operations a second, as if a kernel skipped nothing."""
        return self.step.operations * self.runs / self.seconds / 1e9 if self.seconds else 0.0

    @property
    def gbytes(self) -> float:
        """10⁹ bytes a second, every array counted once a run."""
        return self.step.bytes * self.runs / self.seconds / 1e9 if self.seconds else 0.0


class Event(msgspec.Struct, frozen=True):
    """One run of a step in the call that the trace shows; times in nanoseconds from its start."""

    step: int
    start: int
    end: int


class Profile(msgspec.Struct, frozen=True):
    """The steps of one instance, in its order; printed, a table with the slowest first. Times are
    medians over calls.

    `seconds` is the whole call as Python sees it, `peak` what this machine can do at most with as
    many threads. Operations are counted from sizes: what a causal kernel skips counts as done.
    """

    function: str
    seconds: float
    calls: int
    steps: tuple[Timed, ...]
    events: tuple[Event, ...]
    lost: int
    """Events of the last call that were more than could be kept."""
    peak: Peak

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        peak = self.peak
        threads = "1 thread" if peak.threads == 1 else f"{peak.threads} threads"
        yield (
            f"{self.function}: {_time(self.seconds)} a call, median of {self.calls}; {threads}, at"
            f" most {peak.flops / 1e9:.0f} GFLOP/s in f32 and {peak.bandwidth / 1e9:.1f} GB/s"
        )
        head = ("time", "share", "runs", "GFLOP/s", "peak", "GB/s", "peak", "step", "source")
        slowest = sorted(self.steps, key=lambda timed: -timed.seconds)
        rows = [self._row(timed) for timed in slowest]
        rest = self.seconds - sum(timed.seconds for timed in self.steps)
        share = f"{rest / self.seconds:.1%}" if self.seconds else ""
        rows.append((_time(max(rest, 0.0)), share, "", "", "", "", "", "between the steps", ""))
        widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
        left = {7, 8}
        for row in (head, *rows):
            cells = (
                cell.ljust(width) if at in left else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            yield "  ".join(cells).rstrip()
        if self.lost:
            yield f"{self.lost} runs of steps came after the first {MOST_EVENTS} and are not counted"

    def _row(self, timed: Timed) -> tuple[str, ...]:
        file, line, _ = timed.step.at.rsplit(":", 2) if timed.step.at else ("", "", "")
        place = f"{os.path.basename(file)}:{line}  {_cut(timed.source)}" if line else ""
        operations = timed.step.operations > 0
        return (
            _time(timed.seconds),
            f"{timed.seconds / self.seconds:.1%}",
            str(timed.runs),
            f"{timed.gflops:.1f}" if operations else "",
            f"{timed.gflops * 1e9 / self.peak.flops:.0%}" if operations else "",
            f"{timed.gbytes:.1f}",
            f"{timed.gbytes * 1e9 / self.peak.bandwidth:.0%}",
            timed.step.what,
            place,
        )

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write the last call as a trace that Perfetto and chrome://tracing show.

        Raises OSError where the file cannot be written.
        """
        whole = {"displayTimeUnit": "ns", "traceEvents": [*map(self._traced, self.events)]}
        Path(path).write_text(json.dumps(whole), encoding="utf-8")

    def _traced(self, event: Event) -> dict[str, Any]:
        timed = self.steps[event.step]
        return {
            "name": timed.step.what,
            "cat": "step",
            "ph": "X",  # begins and ends
            "pid": 0,
            "tid": 0,
            "ts": event.start / 1e3,  # microseconds
            "dur": (event.end - event.start) / 1e3,
            "args": {**msgspec.structs.asdict(timed.step), "source": timed.source},
        }


def profile(
    name: str,
    ready: Callable[[], Callable[[], Any]],
    built: Callable[[], Built],
    texts: Mapping[str, str],
    repeat: int,
) -> Profile:
    """Call `repeat` times, after one call that is not counted. `ready` makes a call ready, which is
    not timed; `built` gives the instance that the calls use, compiled to note its steps; `texts` are
    the sources by the names of their files."""
    from tdsl.engine.peak import measure

    if repeat < 1:
        raise ValueError(f"a profile repeats the call once or more, not {repeat} times")
    ready()()
    instance = built()
    noted = _Events(instance)
    walls, sums, runs = [], [], []
    for _ in range(repeat):
        call = ready()
        noted.clear()
        start = time.perf_counter()
        call()
        walls.append(time.perf_counter() - start)
        kept = noted.kept()
        numbers = kept[:, 0]
        count = len(instance.steps)
        sums.append(np.bincount(numbers, kept[:, 2] - kept[:, 1], count))
        runs.append(np.bincount(numbers, minlength=count))
    begin = int(kept[0, 1]) if len(kept) else 0
    events = tuple(Event(int(n), int(a) - begin, int(b) - begin) for n, a, b in kept)
    middle = np.median(np.array(sums), axis=0) / 1e9
    steps = [
        Timed(step, _line(step, texts), int(runs[-1][number]), float(middle[number]))
        for number, step in enumerate(instance.steps)
    ]
    return Profile(
        name,
        statistics.median(walls),
        repeat,
        tuple(steps),
        events,
        noted.lost(),
        measure(thread_count()),
    )


class _Events:
    """What loaded code noted, where it keeps that."""

    def __init__(self, built: Built) -> None:
        size = 1 + 3 * MOST_EVENTS
        address = built.code.owner.address(EVENTS)  # type: ignore[attr-defined]
        self._all = np.ctypeslib.as_array((ctypes.c_int64 * size).from_address(address))
        self._built = built  # the memory is the code's

    def clear(self) -> None:
        self._all[0] = 0

    def kept(self) -> Array:
        """Step, begin and end of each event, in the order of their ends."""
        count = min(int(self._all[0]), MOST_EVENTS)
        return self._all[1 : 1 + 3 * count].reshape(count, 3).copy()

    def lost(self) -> int:
        return max(int(self._all[0]) - MOST_EVENTS, 0)


def _line(step: Step, texts: Mapping[str, str]) -> str:
    file, line, _ = step.at.rsplit(":", 2) if step.at else ("", "0", "")
    lines = texts.get(file, "").splitlines()
    number = int(line)
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
