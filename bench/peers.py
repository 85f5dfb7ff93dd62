"""TDSL against the other systems that are installed, and against the figures it is to reach.

    python bench/peers.py [--threads 1,2] [--rounds 11] [--only TEXT] [--without NAME,NAME] [--write]

Peers: PyTorch eager and compiled (max-autotune, frozen weights), JAX, OpenVINO, ONNX Runtime (with
standard operators, and with its fused ones: Attention, FastGelu). For each number of threads there
is a process of its own, in which competitors run in turn; each turn begins with a pause and a call
that is not timed, so that nobody pays for the threads and the caches of the one before. Ratios of
medians are quoted, and every result is checked against float64 in the same run. Beside them stands
what the matrix products alone would take if they did nothing but fused multiply-adds at the rate
that the same process measures: no system can be faster in f32. Then come the
figures without a peer (compile time, memory, dynamic sizes, a call). `--write` writes peers.json
(every time that was taken), peers.md, docs/speed.svg and the table in README.md.
Install all of them with `pip install -e '.[bench]'`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
# Set on some machines for old OpenBLAS builds; they would slow a library down.
THROTTLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TDSL_NUM_THREADS",
)
PAUSE, TIMED = 0.02, 3


def environment(threads: int) -> dict[str, str]:
    flags = f"--xla_cpu_multi_thread_eigen={'false' if threads == 1 else 'true'}"
    kept = {k: v for k, v in os.environ.items() if k not in THROTTLES}
    return kept | {name: str(threads) for name in THREAD_VARIABLES} | {"XLA_FLAGS": flags}


def bind_to(threads: int) -> None:
    """JAX has as many threads as there are cores that the process may use."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, set(cores[-threads:]))


def take_turns(runners: dict[str, Any], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of every timed call."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            time.sleep(PAUSE)
            run()
            for _ in range(TIMED):
                start = time.perf_counter()
                run()
                times[name].append((time.perf_counter() - start) * 1e3)
    return times


def error_of(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def measure(work: Any, threads: int, rounds: int, without: set[str]) -> dict[str, Any]:
    from systems import systems

    from tdsl.engine.peak import measure as peak_of

    arrays = work.arrays()
    expected = work.oracle(*arrays)
    ours = work.ours(arrays)
    runners = {"TDSL": lambda: ours(*arrays)}
    failed = {}
    for name, prepare in systems(work, arrays, threads):
        if name in without:
            continue
        try:
            run = prepare()
            error = error_of(run(), expected)
        except Exception as problem:
            failed[name] = f"{type(problem).__name__}: {str(problem).strip()[:200]}"
            continue
        if not error < work.tolerance:
            failed[name] = f"wrong by {error:.1e}"
            continue
        runners[name] = run
    errors = {name: error_of(run(), expected) for name, run in runners.items()}
    assert errors["TDSL"] < work.tolerance, f"TDSL is wrong in {work.name}: {errors['TDSL']:.1e}"
    times = take_turns(runners, rounds)
    peak = peak_of(threads)
    return {
        "work": work.name,
        "threads": threads,
        "reach": work.reach,
        "at_peak": round(work.operations / peak.flops * 1e3, 4),
        "milliseconds": {name: [round(t, 4) for t in taken] for name, taken in times.items()},
        "errors": errors,
        "failed": failed,
    }


def measure_all(threads: int, rounds: int, only: str, without: set[str], file: Path) -> None:
    """One process for each work: a system that takes much memory, or dies, does so alone."""
    import works
    from tables import row_text

    names = [work.name for work in works.works()]
    from gpt2 import works as models

    for name in [*names, *(work.name for work in models())]:
        if only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "row.json"
            command = [sys.executable, __file__, "--one", name, "--into", str(result)]
            command += ["--threads", str(threads), "--rounds", str(rounds)]
            command += ["--without", ",".join(sorted(without))]
            code = subprocess.run(command, env=environment(threads), check=False).returncode
            if code or not result.exists():
                print(f"{name}, {threads} threads: the process ended with {code}", file=sys.stderr)
                continue
            row = json.loads(result.read_text())
        with file.open("a") as lines:
            lines.write(json.dumps(row) + "\n")
        print(row_text(row), flush=True)
        for system, reason in row["failed"].items():
            print(f"    {system}: {reason}", file=sys.stderr)


def measure_one(name: str, threads: int, rounds: int, without: set[str], into: Path) -> None:
    import gpt2
    import works

    bind_to(threads)
    (work,) = [one for one in (*works.works(), *gpt2.works()) if one.name == name]
    into.write_text(json.dumps(measure(work, threads, rounds, without)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", default="1,2", help="numbers of threads, as 1,2")
    parser.add_argument("--rounds", type=int, default=11, help="turns for each system")
    parser.add_argument("--only", default="", help="only rows whose name holds this text")
    parser.add_argument("--without", default="", help="systems that are left out")
    parser.add_argument("--write", action="store_true", help="write the record, table and plot")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE))
    without = {name for name in arguments.without.split(",") if name}
    if arguments.one:
        measure_one(
            arguments.one, int(arguments.threads), arguments.rounds, without, arguments.into
        )
        return
    if arguments.write and arguments.only:
        parser.error("--write records all rows: leave out --only")
    import figures
    import tables

    print(tables.HEAD)
    counts = [int(count) for count in arguments.threads.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        file.touch()
        for threads in counts:
            measure_all(threads, arguments.rounds, arguments.only, without, file)
        rows = [json.loads(line) for line in file.read_text().splitlines()]
    found = figures.measure(arguments.only, arguments.rounds)
    for figure in found:
        print(tables.figure_text(figure), flush=True)
    if arguments.write:
        tables.write(rows, found, counts)


if __name__ == "__main__":
    main()
