"""Run GPU kernels on this processor, one thread of a block at a time, and find what a GPU would not say."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np

from tdsl.engine.llvm import Target, Tuning, compile_module
from tdsl.engine.load import load
from tdsl.gpu.emulation import record as r
from tdsl.gpu.emulation.library import SETTINGS
from tdsl.gpu.emulation.rewrite import Rewritten, Site, Unknown, rewrite
from tdsl.gpu.nvvm import parse_kernels, to_nvvm
from tdsl.lowering.device import MOST_BLOCKS, MOST_THREADS
from tdsl.lowering.pipeline import context

Order = Literal["forward", "reverse", "first-warp", "last-warp"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
"""In which threads get their turn: all in order, all in the opposite order, or one warp, the first or
the last that can, as far ahead of the others as it gets. A barrier that is missing shows in at least
one of them."""

_GREEDY: Final = {"forward": 0, "reverse": 0, "first-warp": 1, "last-warp": 2}
# What takes longest is to compile: no more is done than it needs to become coroutines.
_TIDY = "function(sroa,early-cse,simplifycfg)"
_TUNING = Tuning(
    f"always-inline,coro-early,{_TIDY},cgscc(coro-split),coro-cleanup,globaldce,{_TIDY}",
    0,
    vectorize=False,
)
_SHOWN_GROUPS = 4

Extent = tuple[int, int, int]


class EmulationError(RuntimeError):
    """A kernel does what a GPU would not survive, or what the emulator does not know."""


@dataclass(frozen=True)
class Span:
    """An address to give to a kernel, and the memory that it may reach from there."""

    address: int
    low: int
    high: int

    @staticmethod
    def of(array: Any) -> Span:
        low, high = np.lib.array_utils.byte_bounds(array)
        return Span(array.ctypes.data, low, high)


class Emulator:
    """The kernels of one program as code for this processor."""

    def __init__(
        self,
        text: str | Sequence[str],
        chip: str = "sm_80",
        index_bits: int = 32,
    ) -> None:
        """From GPU functions as text."""
        with context():
            module = parse_kernels(text)
            to_nvvm(module, index_bits)
            self._code, self._rewritten = compile_kernels(module)
        self._start()

    @staticmethod
    def of_code(code: bytes, rewritten: Rewritten) -> Emulator:
        """From what `compile_kernels` gave."""
        made = Emulator.__new__(Emulator)
        made._code, made._rewritten = code, rewritten
        made._start()
        return made

    def _start(self) -> None:
        self._loaded = load(self._code)
        entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
        self._run = entry(self._loaded.address("emu_run"))
        # Shared memory is that of the code: one launch at a time.
        self._lock = threading.Lock()

    @property
    def kernels(self) -> tuple[str, ...]:
        return tuple(self._rewritten.kernels)

    def launch(
        self,
        symbol: str,
        grid: Extent,
        block: Extent,
        arguments: Sequence[Any],
        order: Order = "forward",
    ) -> None:
        """Run a kernel on a grid; arrays are read and changed where they lie. An argument is an
        array, a Span, or a number."""
        self._check(symbol, grid, block, len(arguments))
        threads = block[0] * block[1] * block[2]
        table = np.zeros((max(len(arguments), 1), 3), np.int64)
        for place, argument in enumerate(arguments):
            if isinstance(argument, int | np.integer):
                table[place, 0] = argument
            else:
                span = argument if isinstance(argument, Span) else Span.of(argument)
                table[place] = span.address, span.low, span.high
        # Aligned, as the records hold addresses.
        records = np.empty(threads * r.RECORD // 8, np.int64)
        handles = np.zeros(threads, np.int64)
        turns = np.arange(threads, dtype=np.int64)
        if order == "reverse":
            turns = turns[::-1].copy()
        report = np.zeros(r.REPORT_WORDS, np.int64)
        values: dict[str, int] = {
            "records": records.ctypes.data,
            "handles": handles.ctypes.data,
            "order": turns.ctypes.data,
            "arguments": table.ctypes.data,
            "count64": len(arguments),
            "start": self._loaded.address(f"{symbol}.start"),
            "reset": self._loaded.address(f"{symbol}.reset"),
            "n64": threads,
            "nx64": block[0],
            "ny64": block[1],
            "gx64": grid[0],
            "gy64": grid[1],
            "gz64": grid[2],
            "greedy": _GREEDY[order],
            "report": report.ctypes.data,
        }
        settings = np.array([values[name] for name in SETTINGS], np.int64)
        with self._lock:
            code = self._run(settings.ctypes.data)
        if code != r.OK:
            at = (int(report[0]), int(report[1]), int(report[2]))
            seen = _Threads(records.view(np.int32).reshape(threads, -1), self._rewritten.sites)
            if code == r.STUCK:
                raise EmulationError(_stuck(symbol, at, seen))
            raise EmulationError(_fault(symbol, at, int(report[3]), block, seen, table))

    def _check(self, symbol: str, grid: Extent, block: Extent, given: int) -> None:
        known = self._rewritten.kernels
        if symbol not in known:
            raise EmulationError(f"no kernel is called `{symbol}`; there are {', '.join(known)}")
        if given != known[symbol]:
            raise EmulationError(f"`{symbol}` takes {known[symbol]} arguments, not {given}")
        if not all(1 <= size <= most for size, most in zip(grid, MOST_BLOCKS, strict=True)):
            raise EmulationError(f"`{symbol}`: no GPU has a grid of {grid} blocks")
        if min(block) < 1 or block[0] * block[1] * block[2] > MOST_THREADS or block[2] > 64:
            raise EmulationError(f"`{symbol}`: no GPU has blocks of {block} threads")


def compile_kernels(module: Any) -> tuple[bytes, Rewritten]:
    """Code for this processor from a module of the NVVM dialect, which this consumes."""
    try:
        rewritten, known = rewrite(module)
    except Unknown as problem:
        raise EmulationError(f"the emulator does not know {problem}") from None
    return compile_module(rewritten, Target.host(), known.exported, _TUNING), known


class _Threads:
    """The records of a block, to be reported on."""

    def __init__(self, words: Any, sites: tuple[Site, ...]) -> None:
        self._words, self._sites = words, sites

    def state(self, thread: int) -> str:
        """What a thread is doing."""
        words = self._words[thread]
        state = int(words[r.STATE // 4])
        if state == r.DONE:
            return "has ended"
        if state == r.RUNNABLE:
            return "has not come to it"
        return f"waits at {self._named(int(words[r.SITE // 4]))}"

    def groups(self) -> list[tuple[str, list[int]]]:
        """Threads in the same situation."""
        found: dict[str, list[int]] = {}
        for thread in range(len(self._words)):
            found.setdefault(self.state(thread), []).append(thread)
        return list(found.items())

    def _named(self, site: int) -> str:
        known = self._sites[site]
        return f"{known.what} at {known.at}" if known.at else known.what

    def fault(self, thread: int) -> tuple[int, str, int]:
        """Kind, the operation, and an address or lane."""
        words = self._words[thread]
        address = int(words[r.FAULT_ADDRESS // 4 : r.FAULT_ADDRESS // 4 + 2].view(np.int64)[0])
        return int(words[r.FAULT // 4]), self._named(int(words[r.FAULT_SITE // 4])), address


def _stuck(symbol: str, at: Extent, seen: _Threads) -> str:
    groups = seen.groups()
    shown = "; ".join(
        f"{_numbers(threads)} {state if len(threads) == 1 else _plural(state)}"
        for state, threads in groups[:_SHOWN_GROUPS]
    )
    more = f"; and {len(groups) - _SHOWN_GROUPS} more groups" if len(groups) > _SHOWN_GROUPS else ""
    return (
        f"`{symbol}`: the threads of block {at} wait for each other for ever, for not all come to"
        f" the same barrier: {shown}{more}"
    )


def _plural(state: str) -> str:
    for one, many in (("has ", "have "), ("waits ", "wait ")):
        if state.startswith(one):
            return many + state[len(one) :]
    return state


def _numbers(threads: Sequence[int]) -> str:
    """`threads 0-31, 64`"""
    runs: list[list[int]] = []
    for thread in threads:
        if runs and thread == runs[-1][1] + 1:
            runs[-1][1] = thread
        else:
            runs.append([thread, thread])
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in runs[:_SHOWN_GROUPS]]
    more = ", …" if len(runs) > _SHOWN_GROUPS else ""
    return f"{'thread' if len(threads) == 1 else 'threads'} {', '.join(shown)}{more}"


def _fault(symbol: str, at: Extent, thread: int, block: Extent, seen: _Threads, table: Any) -> str:
    kind, what, address = seen.fault(thread)
    x, rest = thread % block[0], thread // block[0]
    who = f"thread {(x, rest % block[1], rest // block[1])} of block {at}"
    if kind == r.MISALIGNED:
        why = f"is not aligned: its address is {address:#x}"
    elif kind == r.TOO_MANY_COPIES:
        why = "is one too many to be under way"
    elif kind == r.MISSING_LANES:
        why = f"asks lane {address}, which its warp does not have"
    else:
        why = _outside(address, table)
    return f"`{symbol}`: {who}: {what} {why}"


def _outside(address: int, table: Any) -> str:
    """Where an address lies, as seen from the nearest argument."""
    best: tuple[int, str] | None = None
    for place, (_, low, high) in enumerate(table.tolist()):
        if low == high:
            continue
        if address >= high:
            distance = address - high
            text = f"begins {distance} bytes behind the end of argument {place}"
        elif address < low:
            distance = low - address
            text = f"begins {distance} bytes in front of argument {place}"
        else:
            distance, text = 0, f"runs over the end of argument {place}"
        if best is None or distance < best[0]:
            best = distance, text
    if best is None or best[0] > 1 << 40:
        return "is out of bounds"
    return f"is out of bounds: it {best[1]}, or it is meant for shared memory"
