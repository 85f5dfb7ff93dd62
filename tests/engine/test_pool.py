"""The worker pool: every chunk runs exactly once, whatever else happens in the process."""

from __future__ import annotations

import os
import re
import signal
import statistics
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from pool_support import Jobs, in_a_process, stress, stress_threads

from tdsl.engine import pool as pools
from tdsl.engine.pool import Pool, Way, best_way, thread_count

WAYS: tuple[Way, ...] = tuple(
    way
    for way in ("futex", "condition", "alone")
    if not (way == "futex" and best_way() != "futex")
    and not (way == "condition" and os.name != "posix")
)
THREADED = tuple(way for way in WAYS if way != "alone")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@pytest.fixture(scope="module", params=WAYS)
def jobs(request: pytest.FixtureRequest) -> Jobs:
    return Jobs(3, request.param)


@pytest.fixture(scope="module", params=THREADED)
def threaded(request: pytest.FixtureRequest) -> Jobs:
    return Jobs(2, request.param)


@pytest.mark.parametrize("chunks", [0, 1, 2, 3, 4, 17, 1000, 100_000])
def test_every_chunk_runs_once(jobs: Jobs, chunks: int) -> None:
    for _ in range(20 if chunks < 1000 else 2):
        assert jobs.counted(chunks)


def test_a_job_within_a_chunk(jobs: Jobs) -> None:
    for _ in range(50):
        assert jobs.counted(9, nest=True)


def test_several_threads_take_part(threaded: Jobs) -> None:
    x = np.ones(64 * 4096, np.float32)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        threaded.work(x.ctypes.data, 64)  # type: ignore[attr-defined]
        if threaded.threads_used(20_000) == 2:
            return
    pytest.fail("the worker never took a chunk")


def test_idle_workers_sleep(threaded: Jobs) -> None:
    assert threaded.counted(100)
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.1


def test_sleeping_workers_wake_up(threaded: Jobs) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        time.sleep(0.01)  # long enough to fall asleep
        # Long enough to be given a core, also where others want it.
        if threaded.threads_used(2_000_000) == 2:
            return
    pytest.fail("the worker never woke up")


def worker_of(jobs: Jobs) -> int:
    """The thread that works for a pool of two."""
    before = set(os.listdir("/proc/self/task"))
    assert jobs.counted(100)
    (worker,) = set(os.listdir("/proc/self/task")) - before
    sleeps_on(int(worker))
    return int(worker)


def sleeps_on(worker: int) -> int:
    """The core where a worker ran last, once it sleeps."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        time.sleep(0.01)
        with open(f"/proc/self/task/{worker}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        if fields[0] == "S":
            return int(fields[36])
    return pytest.fail("the worker never slept")


@pytest.fixture
def two_cores() -> Iterator[tuple[int, int]]:
    """Two cores for this process, which goes back to all of its own in the end."""
    allowed = os.sched_getaffinity(0) if best_way() == "futex" else set()
    if len(allowed) < 2:
        pytest.skip("needs Linux and two cores")
    yield min(allowed), max(allowed)
    os.sched_setaffinity(0, allowed)


def test_a_worker_does_not_wait_behind_its_caller(two_cores: tuple[int, int]) -> None:
    here, there = two_cores
    jobs = Jobs(2, "futex")
    worker = worker_of(jobs)
    for core, other in ((here, there), (there, here)):
        os.sched_setaffinity(worker, {core})
        os.sched_setaffinity(0, {other})
        for _ in range(50):  # until it has slept on this core, and told so
            assert jobs.counted(100)
            time.sleep(0.002)
        assert sleeps_on(worker) == core
        os.sched_setaffinity(worker, two_cores)
        os.sched_setaffinity(0, {core})
        assert jobs.counted(100)
        assert sleeps_on(worker) == other
        assert os.sched_getaffinity(worker) == set(two_cores)


def test_a_worker_stays_where_it_was_bound_to(two_cores: tuple[int, int]) -> None:
    core, other = two_cores
    jobs = Jobs(2, "futex")
    worker = worker_of(jobs)
    os.sched_setaffinity(worker, {core})
    for caller in (other, core):
        os.sched_setaffinity(0, {caller})
        for _ in range(20):
            assert jobs.counted(100)
            time.sleep(0.002)
        assert sleeps_on(worker) == core
        assert os.sched_getaffinity(worker) == {core}


@pytest.mark.parametrize("way", THREADED)
def test_one_thread_starts_no_worker(way: Way) -> None:
    jobs = Jobs(1, way)
    assert jobs.counted(1000)
    assert jobs.threads_used(1000) == 1


def test_without_threads_the_caller_does_all() -> None:
    jobs = Jobs(4, "alone")
    assert jobs.pool.threads == 1
    assert jobs.threads_used(5000) == 1


def test_no_more_workers_than_chunks_have_use_for() -> None:
    code = """
import os, sys
from pool_support import Jobs
jobs = Jobs(8)
before = len(os.listdir("/proc/self/task"))
for chunks in (0, 1, 3, 100):
    assert jobs.counted(chunks)
    print(len(os.listdir("/proc/self/task")) - before)
"""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("threads cannot be counted here")
    assert in_a_process(code).split() == ["0", "0", "2", "7"]


# --- under stress


def test_random_jobs(jobs: Jobs) -> None:
    wrong: list[object] = []
    assert stress(jobs, 0.5, 0, wrong) > 100
    assert not wrong


def test_many_threads_at_once(jobs: Jobs) -> None:
    wrong, _ = stress_threads(jobs, 0.7, 8, fork=False)
    assert not wrong


@needs_fork
def test_many_threads_and_forks(threaded: Jobs) -> None:
    wrong, forks = stress_threads(threaded, 1.0, 4, fork=True)
    assert not wrong
    assert forks >= 3


@needs_fork
def test_a_child_has_workers_of_its_own(threaded: Jobs) -> None:
    assert threaded.counted(100)
    child = os.fork()
    if child == 0:
        end, used = time.monotonic() + 15, 1
        while used < 2 and time.monotonic() < end:
            used = threaded.threads_used(50_000)
        os._exit(0 if used == 2 and threaded.counted(100) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert threaded.counted(100)


@needs_fork
def test_a_child_gets_the_pool_that_its_parent_had_taken(threaded: Jobs) -> None:
    stop, taken = threading.Event(), np.ones(4000 * 4096, np.float32)

    def hold() -> None:
        while not stop.is_set():
            threaded.work(taken.ctypes.data, 4000)  # type: ignore[attr-defined]

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        for _ in range(5):
            time.sleep(0.01)
            child = os.fork()
            if child == 0:
                end, used = time.monotonic() + 15, 1
                while used < 2 and time.monotonic() < end:
                    used = threaded.threads_used(50_000)
                os._exit(0 if used == 2 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


def test_a_busy_core_costs_a_chunk_not_a_share(threaded: Jobs, busy_core: int) -> None:
    x = np.ones(64 * 4096, np.float32)
    times = []
    for _ in range(150):
        start = time.perf_counter()
        threaded.work(x.ctypes.data, 64)  # type: ignore[attr-defined]
        times.append(time.perf_counter() - start)
    # A worker inside that lost its core holds up its last chunk; never a whole time slice each time.
    assert statistics.median(times) < 0.05
    assert threaded.counted(1000)


def test_signals_reach_python_and_no_worker(threaded: Jobs) -> None:
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timers here")
    caught: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: caught.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            assert threaded.counted(64)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(caught) > 3


def test_a_process_ends_while_workers_work() -> None:
    code = """
import sys, threading, time
import numpy as np
from pool_support import Jobs
jobs = Jobs(3)
x = np.ones(256 * 4096, np.float32)
def loop():
    while True:
        jobs.work(x.ctypes.data, 256)
for _ in range(2):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(0.2)
print("ended")
"""
    for _ in range(3):
        assert in_a_process(code) == "ended\n"


@pytest.mark.parametrize("first", ["ours", "torch"])
def test_with_torch_in_the_process(first: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    code = f"""
import sys
import numpy as np
from pool_support import Jobs
if {first == "ours"}:
    jobs = Jobs(2); assert jobs.counted(100)
import torch
torch.set_num_threads(2)
a = torch.ones(300, 300)
jobs = Jobs(2)
for _ in range(200):
    b = a @ a
    assert jobs.counted(64)
assert float(b[0, 0]) == 300
print("fine")
"""
    assert in_a_process(code) == "fine\n"


def test_with_numpy_products_between(threaded: Jobs) -> None:
    a = np.ones((200, 200), np.float32)
    wrong: list[object] = []

    def products() -> None:
        for _ in range(100):
            if (a @ a)[0, 0] != 200:
                wrong.append("product")

    threads = [threading.Thread(target=products) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert threaded.counted(64)
    assert not wrong


# --- how many


def test_the_environment_says_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    most = pools.MOST_THREADS
    for text, expected in (("1", 1), (" 3 ", 3), ("007", 7), ("100000", most), ("9" * 5000, most)):
        monkeypatch.setenv("TDSL_NUM_THREADS", text)
        assert thread_count() == expected


def test_otherwise_the_cores_that_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 5, 7}, raising=False)
    monkeypatch.setenv("TDSL_NUM_THREADS", " ")
    assert thread_count() == 3
    pools._warn.cache_clear()
    for text in ("0", "-2", "all", "2.5", "²", "1 000"):
        monkeypatch.setenv("TDSL_NUM_THREADS", text)
        with pytest.warns(RuntimeWarning, match=re.escape(f"TDSL_NUM_THREADS={text!r} is no")):
            assert thread_count() == 3
    monkeypatch.delenv("TDSL_NUM_THREADS")
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count() == 1


def test_the_system_decides_how_workers_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert best_way() == "futex"
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert best_way() == "condition"
    monkeypatch.setattr(os, "name", "nt")
    assert best_way() == "alone"


def test_there_is_one_pool_for_the_process() -> None:
    assert pools.pool() is pools.pool()
    assert set(pools.pool().addresses) == set(pools.SYMBOLS)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_code_can_ask_for_the_number_of_threads(threads: int) -> None:
    import ctypes

    pool = Pool(threads)
    ask = ctypes.CFUNCTYPE(ctypes.c_int64)(pool.addresses["tdsl_pool_threads"])
    assert ask() == pool.threads
