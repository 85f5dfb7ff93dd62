"""TDSL against the other systems that are installed, on the same inputs and threads.

    python bench/peers.py [--threads 1] [--rounds 11] [--only TEXT] [--write]

Peers: PyTorch eager, PyTorch compiled (max-autotune, frozen weights), JAX, OpenVINO. Competitors
run in turn in one process; the ratio of medians is quoted, and every result is checked against
float64 in the same run. Install them with `pip install -e '.[bench]'`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
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


def restart_with(threads: int) -> None:
    """Start again where the environment would give another number of threads."""
    flags = f"--xla_cpu_multi_thread_eigen={'false' if threads == 1 else 'true'}"
    wanted = {k: v for k, v in os.environ.items() if k not in THROTTLES}
    wanted |= {name: str(threads) for name in THREAD_VARIABLES} | {"XLA_FLAGS": flags}
    if wanted != dict(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.argv], wanted)


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


Runner = Callable[[], np.ndarray]


def peers(work: Any, threads: int) -> Iterator[tuple[str, Runner]]:
    """Each installed system's way to do the work, ready to run."""
    if installed("torch"):
        import torch

        torch.set_num_threads(threads)
        tensors = [torch.from_numpy(array) for array in work.arrays]
        function = work.torch(torch)
        yield "torch eager", lambda: function(*tensors).numpy()

        class Frozen(torch.nn.Module):
            """The first array is the input, the others are weights, which freezing may pack."""

            def __init__(self) -> None:
                super().__init__()
                for index, tensor in enumerate(tensors[1:]):
                    self.register_buffer(f"w{index}", tensor)
                self.count = len(tensors) - 1

            def forward(self, x: Any) -> Any:
                return function(x, *(getattr(self, f"w{index}") for index in range(self.count)))

        import torch._inductor.config as inductor

        inductor.freezing = True
        compiled = torch.compile(Frozen().eval(), mode="max-autotune")

        def run_compiled() -> np.ndarray:
            with torch.no_grad():
                return compiled(tensors[0]).numpy()

        yield "torch compiled", run_compiled
        if installed("openvino"):
            import openvino

            core = openvino.Core()
            core.set_property("CPU", {"INFERENCE_NUM_THREADS": threads})
            with torch.no_grad():
                model = openvino.convert_model(Frozen().eval(), example_input=tensors[0])
            model.reshape(list(work.arrays[0].shape))
            network = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
            yield "OpenVINO", lambda: network(work.arrays[0])[0]
    if installed("jax"):
        import jax

        weights = [jax.numpy.asarray(array) for array in work.arrays[1:]]
        base = work.jax(jax)
        jitted = jax.jit(lambda x: base(x, *weights))
        yield "JAX", lambda: np.asarray(jitted(work.arrays[0]))


def median_times(runners: dict[str, Runner], rounds: int) -> dict[str, float]:
    """Medians in seconds; the systems run in turn so that a drift of the machine hits all."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def measure(threads: int, rounds: int, only: str) -> list[dict[str, Any]]:
    from works import works

    rows = []
    for work in works():
        if only not in work.name:
            continue
        expected = work.oracle(*work.arrays)
        runners: dict[str, Runner] = {"TDSL": lambda work=work: work.ours(*work.arrays)}
        for name, run in peers(work, threads):
            try:
                run()
            except Exception as error:
                print(f"{work.name}: {name} failed: {type(error).__name__}", file=sys.stderr)
                continue
            runners[name] = run
        for name, run in runners.items():
            error = float(np.abs(run() - expected).max() / np.abs(expected).max())
            assert error < work.tolerance, f"{name} is wrong in {work.name}: {error}"
        times = median_times(runners, rounds)
        rows.append({"work": work.name, "milliseconds": {k: v * 1e3 for k, v in times.items()}})
        print(row_text(rows[-1]), flush=True)
    return rows


def best_peer(row: dict[str, Any]) -> tuple[str, float]:
    times = {name: value for name, value in row["milliseconds"].items() if name != "TDSL"}
    if not times:
        return "none", float("nan")
    name = min(times, key=lambda key: times[key])
    return name, times[name]


def row_text(row: dict[str, Any]) -> str:
    ours = row["milliseconds"]["TDSL"]
    name, theirs = best_peer(row)
    others = ", ".join(f"{k} {v:.2f}" for k, v in row["milliseconds"].items() if k != "TDSL")
    return (
        f"| {row['work']} | {ours:.2f} | {theirs:.2f} ({name}) | {ours / theirs:.2f} | {others} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--only", default="", help="only rows whose name holds this text")
    parser.add_argument("--write", action="store_true", help="write peers.json and peers.md")
    arguments = parser.parse_args()
    restart_with(arguments.threads)
    sys.path.insert(0, str(HERE))
    head = "| work | TDSL, ms | best peer, ms | ratio | all |\n|---|---|---|---|---|"
    print(head)
    rows = measure(arguments.threads, arguments.rounds, arguments.only)
    if arguments.write:
        versions = {}
        for name in ("torch", "jax", "openvino", "numpy"):
            if installed(name):
                versions[name] = importlib.import_module(name).__version__
        record = {
            "machine": platform.machine(),
            "threads": arguments.threads,
            "versions": versions,
            "rows": rows,
        }
        (HERE / "peers.json").write_text(json.dumps(record, indent=1) + "\n")
        (HERE / "peers.md").write_text("\n".join([head, *map(row_text, rows)]) + "\n")


if __name__ == "__main__":
    main()
