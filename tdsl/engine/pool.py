"""The worker pool that generated code calls: how many threads, and which way of sleeping."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from tdsl.engine.llvm import Target, compile_ir
from tdsl.engine.load import Loaded, load
from tdsl.syntax.callers import caller_level
from tdsl.syntax.resources import resource

SYMBOLS: Final = ("tdsl_pool_run", "tdsl_pool_threads")
"""What generated code may call: `void tdsl_pool_run(void (*fn)(void *, int64_t), void *context,
int64_t chunks)` and `int64_t tdsl_pool_threads(void)`."""

Way = Literal["futex", "condition", "alone"]
MOST_THREADS: Final = 1024
VARIABLE: Final = "TDSL_NUM_THREADS"
_START = threading.Lock()
# By machine: the numbers of Linux's system calls, and the instruction to wait a little.
_SYSTEM_CALLS: Final = {
    "x86_64": {
        "FUTEX": 202,
        "SCHED_YIELD": 24,
        "GETTID": 186,
        "SCHED_SETAFFINITY": 203,
        "SCHED_GETAFFINITY": 204,
    }
}
_PAUSES: Final = {"x86_64": "pause", "amd64": "pause", "aarch64": "yield", "arm64": "yield"}


def thread_count() -> int:
    """TDSL_NUM_THREADS, else the cores that this process may run on. A value that is no number of
    threads counts as none, with a warning."""
    allowed = _allowed_cores()
    asked = os.environ.get(VARIABLE, "").strip()
    if not asked:
        return allowed
    if asked.isascii() and asked.isdigit() and asked.strip("0"):
        digits = asked.lstrip("0")
        return min(int(digits[:9]), MOST_THREADS)
    _warn(asked, allowed)
    return allowed


@cache
def _warn(asked: str, allowed: int) -> None:
    """Once, however many functions are compiled."""
    warnings.warn(
        f"{VARIABLE}={asked!r} is no number of threads from 1 to {MOST_THREADS}; this process uses "
        f"{allowed}, as many as there are cores that it may run on",
        RuntimeWarning,
        stacklevel=caller_level(),
    )


def _allowed_cores() -> int:
    has_mask = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_mask else os.cpu_count() or 1
    return min(max(cores, 1), MOST_THREADS)


def best_way() -> Way:
    """How workers sleep here: by Linux's futex where its numbers are known, else by a condition of
    the thread library, else there are none."""
    if sys.platform == "linux" and platform.machine() in _SYSTEM_CALLS:
        return "futex"
    return "condition" if os.name == "posix" else "alone"


def source(way: Way, threads: int) -> str:
    """The LLVM IR of the pool."""

    def text(name: str) -> str:
        return resource(f"engine/{name}.ll").read_text(encoding="utf-8")

    if way == "alone" or threads == 1:
        return text("pool_alone")
    import signal

    numbers = {"THREADS": threads, "SIG_SETMASK": int(signal.SIG_SETMASK)}
    whole = text("pool") + text(f"pool_{way}") + text("pool_threads") + _pause()
    if way == "futex":
        numbers |= _SYSTEM_CALLS[platform.machine()]
    for name, number in numbers.items():
        whole = whole.replace(f"%{name}", str(number))
    return whole


def _pause() -> str:
    instruction = _PAUSES.get(platform.machine().lower())
    body = f'  call void asm sideeffect "{instruction}", ""()\n' if instruction else ""
    return f"\ndefine internal void @pause() alwaysinline {{\n{body}  ret void\n}}\n"


Compile = Callable[[str], bytes]


def compile_pool(text: str) -> bytes:
    """Object code of the pool's text."""
    return compile_ir(text, Target.host(), frozenset(SYMBOLS))


class Pool:
    """A loaded pool. Its workers start with the first job that has use for them."""

    def __init__(self, threads: int, way: Way | None = None, make: Compile = compile_pool) -> None:
        chosen = way or best_way()
        self.threads = 1 if chosen == "alone" else threads
        self._loaded: Loaded = load(make(source(chosen, threads)))
        # Workers run its code until the process ends: it is never unloaded.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._loaded))
        self.addresses: Mapping[str, int] = MappingProxyType(
            {name: self._loaded.address(name) for name in SYMBOLS}
        )


@cache
def _started() -> list[Pool]:
    return []


def pool(make: Compile = compile_pool) -> Pool:
    """The pool of this process, made at the first call."""
    kept = _started()
    if not kept:
        with _START:
            if not kept:
                kept.append(Pool(thread_count(), make=make))
    return kept[0]
