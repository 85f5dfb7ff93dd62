"""What a call costs, and a warm start: with the native entry and through ctypes, each checked.

    python bench/calls.py            prints the table
    python bench/calls.py --write    also writes bench/calls.json and bench/calls.md

One thread. Each figure is the best of several rounds: what disturbs a call only makes it slower.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from basics import PROGRAMS, table, with_clean_environment

HERE = Path(__file__).parent
PROGRAM = """tdsl 0.1
pub fn total[N](x: f32[N], y: f32[N]) -> f32[N] { x + y }
pub fn heads[T, C, static H, D](x: f32[T, C], y: f32[T, C]) -> f32[H, T, D] where C == H * D {
    transpose(reshape(x + y, [T, H, D]), [1, 0, 2])
}
pub fn both[N, M](x: f32[N, M], y: f32[M]) -> (f32[N, M], f32[M]) { (x + y, y * y) }
"""
MANY = (
    "pub fn many[N]("
    + ", ".join(f"x{i}: f32[N]" for i in range(16))
    + ") -> f32[N] { "
    + " + ".join(f"x{i}" for i in range(16))
    + " }\n"
)

WARM = """
import time
import numpy as np
start = time.perf_counter()
import tdsl
program = tdsl.load({path!r})
loaded = time.perf_counter()
size, tokens = 768, 512
draw = np.random.default_rng(0).standard_normal
shapes = ((tokens, size), (size,), (size,), (size, 3 * size), (3 * size,), (size, size), (size,))
arrays = [draw(shape, dtype=np.float32) * np.float32(0.02) for shape in shapes]
before = time.perf_counter()
program.attend(*arrays, heads=12)
first = time.perf_counter()
program.attend(*arrays, heads=12)
second = time.perf_counter()
import sys
print((loaded - start) * 1e3, (2 * first - before - second) * 1e3, int("mlir" in sys.modules))
"""


def per_call(call: Callable[[], object], rounds: int = 9, calls: int = 20000) -> float:
    """Seconds of one call, less the loop around it."""

    def loop(body: Callable[[], object]) -> float:
        best = float("inf")
        for _ in range(rounds):
            start = time.perf_counter()
            for _ in range(calls):
                body()
            best = min(best, time.perf_counter() - start)
        return best / calls

    return loop(call) - loop(lambda: None)


def measure_calls() -> list[tuple[str, float, float | None, str]]:
    import tdsl
    from tdsl.runtime import native

    m = tdsl.loads(PROGRAM + MANY)
    x, wide, row = (np.ones(shape, np.float32) for shape in (4, (3, 24), 24))
    cases: list[tuple[str, Callable[[], object], float | None]] = [
        ("two inputs", lambda: m.total(x, x), 1.0),
        ("two inputs and a static by name", lambda: m.heads(wide, wide, H=12), 1.5),
        ("two inputs, two results", lambda: m.both(wide, row), None),
        ("two inputs, an open size", lambda: opened(wide, row), None),
        ("sixteen inputs", lambda: m.many(*[x] * 16), None),
    ]
    opened = m.both.compile(dynamic=("N",))
    np.testing.assert_array_equal(m.total(x, x), x + x)
    np.testing.assert_array_equal(m.many(*[x] * 16), 16 * x)
    rows: list[tuple[str, float, float | None, str]] = []
    for what, call, limit in cases:
        for _ in range(3):
            call()
        rows.append((what, per_call(call) * 1e6, limit, "us"))
    if native.entry() is not None:
        through_python = m.total._call
        rows.append(
            ("two inputs, through ctypes", per_call(lambda: through_python(x, x)) * 1e6, None, "us")
        )
    rows.append(("numpy: x + x", per_call(lambda: x + x) * 1e6, None, "us"))
    return rows


def measure_steps() -> list[tuple[str, float, float | None, str]]:
    """Steps of a GPT-2 so small that hardly anything is computed: four arrays, and 16 of weights."""
    import tdsl

    m = tdsl.load(PROGRAMS / "gpt2.tdsl")
    layers, channels, hidden = 1, 4, 4

    def linear(inputs: int, outputs: int) -> object:
        weight, bias = np.ones((layers, inputs, outputs)), np.ones((layers, outputs))
        return m.Linear(weight.astype(np.float32), bias.astype(np.float32))

    def norm(*leading: int) -> object:
        return m.Norm(*(np.ones((*leading, channels), np.float32) for _ in range(2)))

    block = m.Block(
        norm(layers), linear(channels, 3 * channels), linear(channels, channels), norm(layers),
        linear(channels, hidden), linear(hidden, channels),
    )  # fmt: skip
    words = np.ones((5, channels), np.float32)
    weights = m.GPT2(words, words.copy(), tdsl.StackedList(block), norm())
    bound = m.GPT2.bind(weights)
    ids, at = np.zeros(1, np.int32), np.zeros((), np.int32)
    donating = m.step.compile(donate=("cache",))

    def cache() -> object:
        keys, values = (np.zeros((layers, 1, 5, channels), np.float32) for _ in range(2))
        return tdsl.StackedList(m.Cache(keys, values))

    held = [cache()]
    plain = cache()

    def step() -> None:
        _, held[0] = donating(ids, at, held[0], bound)

    cases: list[tuple[str, Callable[[], object], float | None]] = [
        ("a step with structs", lambda: m.step(ids, at, plain, weights), 10.0),
        ("a step with bound weights", lambda: m.step(ids, at, plain, bound), 10.0),
        ("a step with bound weights, its cache donated", step, 12.0),
    ]
    rows: list[tuple[str, float, float | None, str]] = []
    for what, call, limit in cases:
        for _ in range(3):
            call()
        rows.append((what, per_call(call, rounds=60, calls=300) * 1e6, limit, "us"))
    return rows


def measure_start(rounds: int) -> list[tuple[str, float, float | None, str]]:
    """A process that finds everything in the cache, after NumPy is imported."""
    code = WARM.format(path=str(PROGRAMS / "blocks.tdsl"))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TDSL_CACHE_DIR": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run() -> list[float]:
            done = subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env=environment,
            )
            return [float(word) for word in done.stdout.split()]

        cold = run()
        warm = [run() for _ in range(rounds)]
    assert cold[2] == 1
    assert all(one[2] == 0 for one in warm), "MLIR was imported on a warm start"
    load, call = (statistics.median(one[i] for one in warm) for i in (0, 1))
    return [
        ("attention block, cold: import, check", cold[0], None, "ms"),
        ("attention block, cold: compile and call", cold[1], None, "ms"),
        ("attention block, warm: import, check", load, None, "ms"),
        ("attention block, warm: find, load and call", call, 50, "ms"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write calls.json and calls.md")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    with_clean_environment()
    rows = [*measure_calls(), *measure_steps(), *measure_start(arguments.rounds)]
    text = table(rows)
    print(text)
    if arguments.write:
        record = {
            "machine": platform.processor() or platform.machine(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "rows": rows,
        }
        (HERE / "calls.json").write_text(json.dumps(record, indent=1) + "\n")
        (HERE / "calls.md").write_text(text)


if __name__ == "__main__":
    main()
