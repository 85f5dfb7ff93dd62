"""Start-up, checking, compiling, calling, and the first speed comparisons with NumPy and OpenBLAS.

    python bench/basics.py            prints the table
    python bench/basics.py --write    also writes bench/basics.json and bench/basics.md

One thread. Competitors run in turn, A B A B ..., and the ratio of medians is quoted.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PROGRAMS = HERE.parent / "programs"
ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "TDSL_NUM_THREADS": "1",
}
# Set on some machines for old OpenBLAS builds; they would slow NumPy down.
THROTTLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def with_clean_environment() -> None:
    """Start this script again where the environment would distort the comparison."""
    wanted = {k: v for k, v in os.environ.items() if k not in THROTTLES} | ONE_THREAD
    if wanted != dict(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.argv], wanted)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def interleaved(
    a: Callable[[], object], b: Callable[[], object], rounds: int
) -> tuple[float, float, float]:
    """Medians of a and b in seconds, and the median of the ratio a/b pair by pair."""
    a()
    b()
    pairs = [(timed(a), timed(b)) for _ in range(rounds)]
    return (
        statistics.median(x for x, _ in pairs),
        statistics.median(y for _, y in pairs),
        statistics.median(x / y for x, y in pairs),
    )


def in_a_process(code: str, rounds: int = 7) -> float:
    """Median of what `code` prints (seconds), each in a fresh process."""
    return statistics.median(
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(rounds)
    )


IMPORT = """
import time; start = time.perf_counter()
import tdsl
print(time.perf_counter() - start)
import sys; assert not any(name.split(".")[0] == "mlir" for name in sys.modules)
"""
CHECK = """
import time
from tdsl.check.modules import check_file
check_file({path!r})
start = time.perf_counter()
check_file({path!r})
print(time.perf_counter() - start)
"""
COMPILE = """
import os
os.environ["TDSL_CACHE"] = "0"
import time, tdsl
program = tdsl.load({path!r})
import mlir.ir
start = time.perf_counter()
program.attend.compile(T={tokens}, C=768, E="f32", heads=12, dynamic=())
print(time.perf_counter() - start)
"""


def direct_sgemm() -> Callable[[np.ndarray, np.ndarray, np.ndarray], None]:
    """`cblas_sgemm` of the library that TDSL links, called with as little as ctypes needs."""
    from tdsl.cpu.blas import find_blas

    found = find_blas()
    assert found is not None
    integer, number, pointer = ctypes.c_int, ctypes.c_float, ctypes.c_void_p
    sgemm = ctypes.CFUNCTYPE(
        None, *[integer] * 6, number, pointer, integer, pointer, integer, number, pointer, integer
    )(found.addresses["cblas_sgemm"])

    def call(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
        (m, k), n = a.shape, b.shape[1]
        row_major, as_is = 101, 111
        sgemm(
            row_major,
            as_is,
            as_is,
            m,
            n,
            k,
            1.0,
            a.ctypes.data,
            k,
            b.ctypes.data,
            n,
            0.0,
            c.ctypes.data,
            n,
        )

    return call


def measure(rounds: int) -> list[tuple[str, float, float | None, str]]:
    """(what, figure, limit, unit) for every line of the table."""
    import tdsl

    rows: list[tuple[str, float, float | None, str]] = []
    rows.append(("import tdsl", in_a_process(IMPORT), 0.25, "s"))
    attention = str(PROGRAMS / "attention.tdsl")
    rows.append(
        (
            "check attention.tdsl, warm tables",
            in_a_process(CHECK.format(path=attention)) * 1e3,
            50,
            "ms",
        )
    )
    blocks = str(PROGRAMS / "blocks.tdsl")
    rows.append(
        (
            "compile the attention block, C=768",
            in_a_process(COMPILE.format(path=blocks, tokens=512), 3),
            1.0,
            "s",
        )
    )

    random = np.random.default_rng(0)

    def normal(*shape: int, scale: float = 1.0) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32) * np.float32(scale)

    x, weight, bias = normal(512, 768), normal(768, 2304, scale=768**-0.5), normal(2304)
    linear = tdsl.load(PROGRAMS / "linear.tdsl").linear
    gemm = direct_sgemm()
    out = np.empty((512, 2304), np.float32)
    ours, theirs, ratio = interleaved(
        lambda: linear(x, weight, bias), lambda: gemm(x, weight, out), rounds
    )
    np.testing.assert_allclose(
        linear(x, weight, bias), x.astype(np.float64) @ weight + bias, atol=1e-3
    )
    rows.append(
        (
            f"linear 512x768x2304 ({ours * 1e3:.1f} ms) / sgemm alone ({theirs * 1e3:.1f} ms)",
            ratio,
            1.05,
            "x",
        )
    )

    program = tdsl.load(blocks)
    attend_arguments = (
        x,
        normal(768),
        normal(768),
        weight,
        bias,
        normal(768, 768, scale=768**-0.5),
        normal(768),
    )

    def numpy_layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred * centred).mean(-1, keepdims=True)
        return centred / np.sqrt(variance + np.float32(1e-5)) * gain + bias

    def numpy_attend(x, gain, shift, qkv_weight, qkv_bias, out_weight, out_bias):  # type: ignore[no-untyped-def]
        qkv = numpy_layer_norm(x, gain, shift) @ qkv_weight + qkv_bias
        q, k, v = (
            part.reshape(512, 12, 64).transpose(1, 0, 2) for part in np.split(qkv, 3, axis=1)
        )
        scores = q @ k.transpose(0, 2, 1) * np.float32(0.125)
        scores += np.triu(np.full((512, 512), -1e10, np.float32), k=1)
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        return x + (scores @ v).transpose(1, 0, 2).reshape(512, 768) @ out_weight + out_bias

    np.testing.assert_allclose(
        program.attend(*attend_arguments, heads=12), numpy_attend(*attend_arguments), atol=2e-3
    )
    ours, theirs, ratio = interleaved(
        lambda: program.attend(*attend_arguments, heads=12),
        lambda: numpy_attend(*attend_arguments),
        rounds,
    )
    rows.append(
        (
            f"attention block T=512 ({ours * 1e3:.1f} ms) / NumPy ({theirs * 1e3:.1f} ms)",
            ratio,
            1.0,
            "x",
        )
    )

    up, down = normal(768, 3072, scale=768**-0.5), normal(3072, 768, scale=3072**-0.5)
    mlp_arguments = (x, up, normal(3072), down, normal(768))

    def numpy_mlp(cube):  # type: ignore[no-untyped-def]
        def run(x, up, up_bias, down, down_bias):  # type: ignore[no-untyped-def]
            h = x @ up + up_bias
            inner = np.float32(0.7978845608) * (h + np.float32(0.044715) * cube(h))
            return np.float32(0.5) * h * (1 + np.tanh(inner)) @ down + down_bias

        return run

    mlp = tdsl.load(PROGRAMS / "mlp.tdsl").mlp
    # The program's own `x**3`; and, without a limit, the form that a careful NumPy user writes.
    forms = (("x**3", lambda h: h**3, 1 / 1.3), ("x*x*x", lambda h: h * h * h, None))
    for form, cube, limit in forms:
        theirs_run = numpy_mlp(cube)
        np.testing.assert_allclose(mlp(*mlp_arguments), theirs_run(*mlp_arguments), atol=2e-3)
        ours, theirs, ratio = interleaved(
            lambda: mlp(*mlp_arguments), lambda run=theirs_run: run(*mlp_arguments), rounds
        )
        what = f"mlp T=512 ({ours * 1e3:.1f} ms) / NumPy with {form} ({theirs * 1e3:.1f} ms)"
        rows.append((what, ratio, limit, "x"))

    add = tdsl.loads("tdsl 0.1\nfn total[N](x: f32[N], y: f32[N]) -> f32[N] { x + y }\n").total
    small = normal(4)
    add(small, small)
    calls = 2000
    overhead = statistics.median(
        timed(lambda: [add(small, small) for _ in range(calls)]) / calls for _ in range(9)
    )
    rows.append(("one call, two inputs of 4 numbers", overhead * 1e6, 10, "us"))
    return rows


def table(rows: list[tuple[str, float, float | None, str]]) -> str:
    lines = ["| what | measured | to reach |", "|---|---|---|"]
    for what, figure, limit, unit in rows:
        reach = "" if limit is None else f"<= {limit:.3g} {unit}"
        lines.append(f"| {what} | {figure:.3g} {unit} | {reach} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write basics.json and basics.md")
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    with_clean_environment()
    rows = measure(arguments.rounds)
    text = table(rows)
    print(text)
    if arguments.write:
        record = {
            "machine": platform.processor() or platform.machine(),
            "python": platform.python_version(),
            "rows": rows,
        }
        (HERE / "basics.json").write_text(json.dumps(record, indent=1) + "\n")
        (HERE / "basics.md").write_text(text)


if __name__ == "__main__":
    main()
