"""Jobs for the worker pool, in machine code, and what a fresh process needs to run them."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from tdsl.engine.llvm import Target, compile_ir
from tdsl.engine.load import Loaded, load
from tdsl.engine.pool import Pool, Way

# count: adds 1 to the counter of its chunk. nested: a job of 16 chunks within each chunk. work: the
# square roots of 4096 numbers. who: the thread that runs the chunk.
_JOBS = """
declare void @tdsl_pool_run(ptr, ptr, i64)
declare i64 @pthread_self()
declare float @llvm.sqrt.f32(float)
define internal void @count(ptr %c, i64 %i) {
  %p = getelementptr i32, ptr %c, i64 %i
  %o = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
define internal void @nested(ptr %c, i64 %i) {
  %b = mul i64 %i, 16
  %p = getelementptr i32, ptr %c, i64 %b
  call void @tdsl_pool_run(ptr @count, ptr %p, i64 16)
  ret void
}
define internal void @work(ptr %c, i64 %i) {
entry:
  %b = mul i64 %i, 4096
  %p = getelementptr float, ptr %c, i64 %b
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %q = getelementptr float, ptr %p, i64 %k
  %x = load float, ptr %q
  %y = call float @llvm.sqrt.f32(float %x)
  store float %y, ptr %q
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 4096
  br i1 %more, label %next, label %done
done:
  ret void
}
define internal void @who(ptr %c, i64 %i) {
  %t = call i64 @pthread_self()
  %p = getelementptr i64, ptr %c, i64 %i
  store i64 %t, ptr %p
  ret void
}
"""
NAMES = ("count", "nested", "work", "who")
_RUN = """
define void @run_{0}(ptr %c, i64 %n) {{
  call void @tdsl_pool_run(ptr @{0}, ptr %c, i64 %n)
  ret void
}}
"""


class Jobs:
    """A pool of its own, and jobs for it. Calls give up the GIL."""

    def __init__(self, threads: int, way: Way | None = None) -> None:
        self.pool = Pool(threads, way)
        text = _JOBS + "".join(_RUN.format(name) for name in NAMES)
        code = compile_ir(text, Target.host(), frozenset(f"run_{name}" for name in NAMES))
        self._loaded: Loaded = load(code, self.pool.addresses)
        # Workers may be inside of a job's code for a moment longer than a test lasts.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._loaded))
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
        for name in NAMES:
            setattr(self, name, prototype(self._loaded.address(f"run_{name}")))

    def counted(self, chunks: int, nest: bool = False) -> bool:
        """Whether a job ran every chunk exactly once."""
        counters = np.zeros(max(chunks, 1) * (16 if nest else 1) + 8, np.int32)
        job = self.nested if nest else self.count  # type: ignore[attr-defined]
        job(counters.ctypes.data, chunks)
        used = chunks * (16 if nest else 1)
        return bool((counters[:used] == 1).all() and (counters[used:] == 0).all())

    def threads_used(self, chunks: int) -> int:
        found = np.zeros(chunks, np.int64)
        self.who(found.ctypes.data, chunks)  # type: ignore[attr-defined]
        return len(set(found.tolist()))


def stress(jobs: Jobs, seconds: float, seed: int, wrong: list[object]) -> int:
    """Random jobs, with pauses in which the workers fall asleep; how many."""
    choose, end, done = random.Random(seed), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        chunks, nest = choose.choice((0, 1, 2, 3, 7, 64, 500)), choose.random() < 0.2
        if not jobs.counted(chunks, nest):
            wrong.append((seed, chunks, nest))
        if choose.random() < 0.02:
            time.sleep(choose.random() * 0.003)
        done += 1
    return done


def stress_threads(jobs: Jobs, seconds: float, count: int, fork: bool) -> tuple[list[object], int]:
    """Many threads at once, and forks meanwhile: what went wrong, and how many forks there were."""
    wrong: list[object] = []
    threads = [
        threading.Thread(target=stress, args=(jobs, seconds, seed, wrong)) for seed in range(count)
    ]
    for thread in threads:
        thread.start()
    forks = 0
    while fork and any(thread.is_alive() for thread in threads):
        child = os.fork()
        if child == 0:
            mine: list[object] = []
            stress(jobs, 0.03, 99, mine)
            os._exit(1 if mine else 0)
        end = time.monotonic() + 20
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            if time.monotonic() > end:
                os.kill(child, 9)
                os.waitpid(child, 0)
                wrong.append("a child hangs")
                break
            time.sleep(0.005)
        if ended and status:
            wrong.append(("child", status))
        forks += 1
    for thread in threads:
        thread.join()
    return wrong, forks


def in_a_process(code: str, **environment: str) -> str:
    """What code prints in a fresh process that can import this module."""
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=here,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
