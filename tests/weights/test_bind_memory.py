"""Binding a large file takes hardly more memory than the weights themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from weights_support import safetensors_bytes, write

PROGRAM = """
tdsl 0.1
pub struct Layer[C, F] { up: f32[C, F], down: f32[F, C] }
pub struct Net[V, C, F, L] { table: f32[V, C], layers: [Layer[C, F]; L] }
"""

# The peak of resident memory since the file was opened, against the bytes of the weights.
MEASURE = """
import re, sys
import numpy as np
import tdsl

def kib(what):
    return int(re.search(what + r":\\s+(\\d+) kB", open("/proc/self/status").read())[1])

program, path, options = sys.argv[1:]
module = tdsl.loads(program)
small = {"up": np.ones((2, 3), np.float32), "down": np.ones((3, 2), np.float32)}
module.Net.bind({"table": np.ones((5, 2), np.float32), "layers": [small]})
tdsl.npz, tdsl.safetensors  # all is imported
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = kib("VmRSS")
file = (tdsl.npz if path.endswith("npz") else tdsl.safetensors)(path)
bound = module.Net.bind(file, **eval(options))
float(bound.table.sum())  # mapped weights are in memory when they are used
peak = kib("VmHWM")
print((peak - before) * 1024 / bound.nbytes)
"""

SIZE, HIDDEN, LAYERS = 1024, 2048, 4


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    ones = np.ones((SIZE, HIDDEN), np.float32)
    for name, turned, dtype in (
        ("plain", False, "f4"),
        ("torch", True, "f4"),
        ("f64", False, "f8"),
    ):
        arrays = {"table": np.ones((SIZE, SIZE), dtype)}
        for layer in range(LAYERS):
            up, down = (ones.T, ones) if turned else (ones, ones.T)
            arrays[f"layers.{layer}.up"] = np.ascontiguousarray(up.astype(dtype))
            arrays[f"layers.{layer}.down"] = np.ascontiguousarray(down.astype(dtype))
        write(folder / f"{name}.safetensors", safetensors_bytes(arrays))
        if name == "plain":
            np.savez(folder / "plain.npz", **arrays)
    return folder


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("plain.safetensors", "{}"),
        ("torch.safetensors", "dict(layout='torch', as_is=('table',))"),
        ("f64.safetensors", "dict(cast=True)"),
        ("plain.npz", "{}"),
    ],
)
def test_the_peak_is_at_most_a_fifth_above_the_weights(
    files: Path, name: str, options: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, PROGRAM, str(files / name), options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert 0.8 < float(done.stdout) <= 1.2
