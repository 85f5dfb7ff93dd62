"""Generated matrix products against OpenBLAS and the processor's own limits, on one thread.

    python bench/matmul.py            prints the table
    python bench/matmul.py --write    also writes bench/matmul.json and bench/matmul.md

Both run in turn, A B A B ..., and the median of the ratios is quoted. What counts is the time that
the thread had a processor, so that other work on the machine disturbs less. The peak is what a loop of
nothing but fused multiply-adds reaches between the runs; the bandwidth, what a sum over a large
array does.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from basics import direct_sgemm, with_clean_environment

HERE = Path(__file__).parent
SHAPES = (
    (512, 768, 2304),
    (512, 768, 768),
    (512, 768, 3072),
    (512, 3072, 768),
    (128, 768, 2304),
    (509, 767, 2301),
    (31, 768, 768),
    (8, 768, 2304),
    (1024, 1024, 1024),
    (128, 128, 128),
    (64, 64, 64),
)
ROWS = ((1, 768, 2304), (1, 3072, 768), (1, 768, 50257), (4, 768, 3072))


@dataclass(frozen=True)
class Row:
    """One product. `ratio` is our time over OpenBLAS's, below 1 where we are faster."""

    name: str
    ours_ms: float
    blas_ms: float
    ratio: float
    gigaflops: float
    share_of_peak: float
    gigabytes: float
    compile_s: float


def timed(work: Callable[[], object], repeat: int = 1) -> float:
    """Seconds of one run."""
    start = time.thread_time()
    for _ in range(repeat):
        work()
    return (time.thread_time() - start) / repeat


def peak(rounds: int = 2_000_000) -> Callable[[], float]:
    """A function that measures the GFLOP/s of this moment, from 12 independent chains."""
    from tdsl.engine.llvm import Target, compile_ir
    from tdsl.engine.load import load

    target = Target.host()
    lanes = target.vector_bits // 32
    vector = f"<{lanes} x float>"
    chains = range(12)
    phis = "\n".join(
        f"  %p{i} = phi {vector} [ zeroinitializer, %entry ], [ %n{i}, %loop ]" for i in chains
    )
    steps = "\n".join(
        f"  %n{i} = call {vector} @llvm.fma.v{lanes}f32({vector} %x, {vector} %y, {vector} %p{i})"
        for i in chains
    )
    sums = f"  %s0 = fadd {vector} %n0, %n1\n" + "\n".join(
        f"  %s{i - 1} = fadd {vector} %s{i - 2}, %n{i}" for i in range(2, 12)
    )
    text = f"""
declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})
define i32 @peak(ptr %data, ptr %sizes) {{
entry:
  %x = load {vector}, ptr %data, align 4
  %q = getelementptr i8, ptr %data, i64 {lanes * 4}
  %y = load {vector}, ptr %q, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
{phis}
{steps}
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, {rounds}
  br i1 %more, label %loop, label %done
done:
{sums}
  store {vector} %s10, ptr %data, align 4
  ret i32 0
}}"""
    loaded = load(compile_ir(text, target, frozenset({"peak"})), {})
    entry = loaded.entry("peak")
    data = (ctypes.c_float * (2 * lanes))(*([0.5] * 2 * lanes))
    sizes = (ctypes.c_int64 * 1)()
    operations = 2 * lanes * 12 * rounds

    def measure(kept: object = loaded) -> float:
        return operations / timed(lambda: entry(ctypes.cast(data, ctypes.c_void_p), sizes)) / 1e9

    return measure


def measure(rounds: int) -> tuple[list[Row], float, float]:
    """The rows, the peak in GFLOP/s, and the bandwidth in GB/s."""
    import tdsl

    text = "tdsl 0.1\npub fn product[M, K, N](a: f32[M, K], b: f32[K, N]) -> f32[M, N] { a @ b }\n"
    program = tdsl.loads(text, kernels="matmul:native")
    gemm = direct_sgemm()
    random = np.random.default_rng(0)
    large = random.standard_normal(1 << 26, dtype=np.float32)
    peaks: list[float] = []
    bandwidths: list[float] = []
    flops = peak()
    rows = []
    for m, k, n in (*SHAPES, *ROWS):
        a = random.standard_normal((m, k), dtype=np.float32)
        b = random.standard_normal((k, n), dtype=np.float32)
        out = np.empty((m, n), np.float32)
        start = time.process_time()
        product = program.product.compile(M=m, K=k, N=n, dynamic=())
        spent = time.process_time() - start
        np.testing.assert_allclose(product(a, b), a.astype(np.float64) @ b, atol=k * 2e-6)
        work, rival = partial(product, a, b), partial(gemm, a, b, out)
        repeat = max(1, int(2e-3 / timed(work)))
        pairs = []
        for _ in range(rounds):
            pairs.append((timed(work, repeat), timed(rival, repeat)))
            peaks.append(flops())
        bandwidths.append(large.nbytes / timed(lambda: large.max()) / 1e9)
        ours, theirs = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
        rate = 2e-9 * m * k * n / ours
        rows.append(
            Row(
                f"{m}x{k}x{n}",
                ours * 1e3,
                theirs * 1e3,
                statistics.median(x / y for x, y in pairs),
                rate,
                rate / statistics.median(peaks[-rounds:]),
                4e-9 * (k * n + m * k + m * n) / ours,
                spent,
            )
        )
    return rows, statistics.median(peaks), statistics.median(bandwidths)


def table(rows: list[Row], top: float, bandwidth: float) -> str:
    lines = [
        f"Peak {top:.0f} GFLOP/s, bandwidth {bandwidth:.1f} GB/s, one thread.",
        "",
        "| product | ours, ms | OpenBLAS, ms | ratio | GFLOP/s | of peak | GB/s | compile, s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.name} | {row.ours_ms:.3f} | {row.blas_ms:.3f} | {row.ratio:.2f} | "
        f"{row.gigaflops:.0f} | {row.share_of_peak:.0%} | {row.gigabytes:.1f} | "
        f"{row.compile_s:.2f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write matmul.json and matmul.md")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    with_clean_environment()
    rows, top, bandwidth = measure(arguments.rounds)
    text = table(rows, top, bandwidth)
    print(text)
    if arguments.write:
        record = {"peak": top, "bandwidth": bandwidth, "rows": [asdict(row) for row in rows]}
        (HERE / "matmul.json").write_text(json.dumps(record, indent=1) + "\n")
        (HERE / "matmul.md").write_text(text)


if __name__ == "__main__":
    main()
