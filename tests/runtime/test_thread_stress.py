"""Calls that use several threads, under stress: right results whatever else happens."""

from __future__ import annotations

import os
import statistics
import threading
import time

import numpy as np
import pytest
from thread_programs import Calls, at_once, in_a_process, repeat

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
needs_tasks = pytest.mark.skipif(
    not os.path.isdir("/proc/self/task"), reason="threads cannot be counted here"
)


@pytest.fixture(scope="module")
def calls() -> Calls:
    made = Calls()
    for name in made.names:
        assert made.is_right(name)
    return made


# --- how many threads

REPORT = """
from thread_programs import Calls, workers
calls = Calls()
before = workers()
print(calls.digest(), workers() - before)
"""


@needs_tasks
def test_the_same_bits_with_any_number_of_threads(calls: Calls) -> None:
    digests = {calls.digest()}
    for count in (1, 4):
        digest, started = in_a_process(REPORT, TDSL_NUM_THREADS=str(count))[0].split()
        digests.add(digest)
        assert (count > 1) <= int(started) < count, "none is started that has no work"
    assert len(digests) == 1


@needs_tasks
@pytest.mark.parametrize("text", ["0", "many"])
def test_a_value_that_is_no_number_is_said_to_be_ignored(text: str) -> None:
    out, err = in_a_process(REPORT, TDSL_NUM_THREADS=text)
    allowed = len(os.sched_getaffinity(0))
    assert int(out.split()[1]) == allowed - 1
    assert f"TDSL_NUM_THREADS={text!r} is no number of threads" in err
    assert f"this process uses {allowed}, as many as there are cores" in err
    assert err.count("RuntimeWarning") == 1
    assert "thread_programs.py:" in err.splitlines()[0], "the line that called"


@needs_tasks
def test_a_process_bound_to_one_core_starts_no_worker() -> None:
    bind = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    one, _ = in_a_process(bind + REPORT, TDSL_NUM_THREADS="")
    same, _ = in_a_process(REPORT, TDSL_NUM_THREADS="1")
    assert one == same
    assert one.split()[1] == "0"


def test_through_ctypes_as_through_the_native_entry() -> None:
    code = f"{REPORT}\nfrom tdsl.runtime.native import entry\nprint(entry() is None)\n"
    plain, _ = in_a_process(code, TDSL_NUM_THREADS="4")
    slow, _ = in_a_process(code, TDSL_NUM_THREADS="4", TDSL_CALLS="ctypes")
    assert slow.split() == [*plain.split()[:2], "True"]


# --- at once


def test_many_python_threads_call_different_functions(calls: Calls) -> None:
    threads, wrong = at_once(calls, 0.8, 6)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not wrong


def test_calls_in_many_threads_have_the_same_bits(calls: Calls) -> None:
    wanted = calls.digest()
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(calls.digest()), daemon=True)
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [wanted] * 12


@needs_fork
def test_a_fork_while_threads_call(calls: Calls) -> None:
    """A child has the one thread that forked, and none of the workers."""
    threads, wrong = at_once(calls, 1.0, 3)
    forks = 0
    while any(thread.is_alive() for thread in threads):
        child = os.fork()
        if child == 0:
            mine: list[object] = []
            for name in calls.names:
                if not calls.is_right(name):
                    mine.append(name)
            os._exit(1 if mine else 0)
        end = time.monotonic() + 30
        while not (ended := os.waitpid(child, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.kill(child, 9)
                os.waitpid(child, 0)
                pytest.fail("a child hangs")
            time.sleep(0.005)
        assert ended[1] == 0
        forks += 1
    assert not wrong
    assert forks >= 2


def test_an_exception_in_one_call_is_nobody_elses(calls: Calls) -> None:
    """The positions of each thread are out of range in a place of its own."""
    table, _, w = calls.given["pick"]
    caught: dict[int, list[str]] = {}

    def fail(place: int) -> None:
        ids = np.zeros(96, np.int32)
        ids[place] = 1000 + place
        caught[place] = []
        for _ in range(25):
            with pytest.raises(IndexError) as found:
                calls.module.pick(table, ids, w)
            caught[place].append(str(found.value))

    threads = [threading.Thread(target=fail, args=(place,), daemon=True) for place in range(6)]
    good, wrong = at_once(calls, 0.5, 2)
    for thread in threads:
        thread.start()
    for thread in [*threads, *good]:
        thread.join(60)
        assert not thread.is_alive()
    assert not wrong
    for place, texts in caught.items():
        assert len(texts) == 25
        assert all(str(1000 + place) in text for text in texts)


# --- others in the process and on the machine


def test_calls_go_on_while_a_core_is_busy(
    calls: Calls, busy_core: int, record_property: pytest.RecordProperty
) -> None:
    times = []
    for _ in range(300):
        start = time.perf_counter()
        calls.call("mix")
        times.append((time.perf_counter() - start) * 1e3)
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    record_property("p50 and p95 in ms", (round(p50, 3), round(p95, 3)))
    print(f"with core {busy_core} busy: median {p50:.2f} ms, p95 {p95:.2f} ms")
    # A lost core holds up one range, for a time slice of the system at worst.
    assert p50 < 50
    assert p95 < 200


def test_with_numpy_products_between(calls: Calls) -> None:
    a = np.ones((300, 300), np.float32)
    threads, wrong = at_once(calls, 0.5, 2)
    while any(thread.is_alive() for thread in threads):
        assert (a @ a)[0, 0] == 300
    assert not wrong


def test_with_torch_in_the_process() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    theirs = "import torch\ntorch.set_num_threads(2)\na = torch.ones(300, 300)\nb = a @ a\n"
    ours = "from thread_programs import Calls, at_once\ncalls = Calls()\nd = calls.digest()\n"
    code = (
        f"{theirs}{ours}"
        "threads, wrong = at_once(calls, 0.4, 2)\n"
        "while any(thread.is_alive() for thread in threads):\n"
        "    assert float((a @ a)[0, 0]) == 300\n"
        "assert not wrong and calls.digest() == d\n"
        "print('fine')\n"
    )
    assert in_a_process(code, TDSL_NUM_THREADS="2")[0] == "fine\n"


def test_a_process_ends_while_workers_work() -> None:
    code = (
        "import time\n"
        "from thread_programs import Calls, at_once\n"
        "at_once(Calls(), 60, 3)\n"
        "time.sleep(0.3)\n"
        "print('ended')\n"
    )
    for _ in range(2):
        out, err = in_a_process(code, TDSL_NUM_THREADS="4")
        assert out == "ended\n"
        assert "Error" not in err


def test_a_module_goes_while_workers_are_awake() -> None:
    """Code is unloaded as soon as nobody refers to it: no worker may be left inside."""
    for seed in range(3):
        made = Calls(seed)
        wrong: list[object] = []
        repeat(made, 0.05, wrong)
        assert not wrong
        del made


def test_in_a_subinterpreter_numpy_decides() -> None:
    """It refuses to be there twice: an exception, and the main interpreter goes on."""
    code = (
        "try:\n    import _interpreters as inner\n"
        "except ImportError:\n    import _xxsubinterpreters as inner\n"
        "from thread_programs import Calls\n"
        "calls = Calls()\n"
        "wanted = calls.digest()\n"
        "text = 'import sys; sys.path[:0] = [\"\"]; from thread_programs import Calls; Calls().digest()'\n"
        "other = inner.create()\n"
        "try:\n"
        "    failed = inner.run_string(other, text)\n"
        "except Exception as problem:\n"
        "    failed = problem\n"
        "assert failed is None or 'ImportError' in str(failed) or 'loaded' in str(failed), failed\n"
        "assert calls.digest() == wanted\n"
        "print('fine')\n"
    )
    assert in_a_process(code)[0].split()[-1:] == ["fine"]
