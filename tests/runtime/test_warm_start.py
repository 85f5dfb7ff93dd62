"""What a process loads that finds everything it calls in the disk cache: little, and only that.

Counted, not timed: a class made by `dataclass` takes 0.4 ms of a start, a module a quarter of one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """tdsl 0.1
from std.nn import softmax
struct Linear[K, N] { weight: f32[K, N], bias: f32[N] }
pub fn plain[M, K, N](x: f32[M, K], weight: f32[K, N], bias: f32[N]) -> f32[M, N] {
    softmax(x @ weight + bias)
}
pub fn bound[M, K, N](x: f32[M, K], p: Linear[K, N]) -> f32[M, N] { x @ p.weight + p.bias }
"""
START = """
import json, sys
import numpy as np
before = set(sys.modules)
import tdsl
m = tdsl.load(sys.argv[1])
x, weight, bias = np.ones((3, 4), np.float32), np.ones((4, 5), np.float32), np.zeros(5, np.float32)
"""
CALLS = {
    "plain": "m.plain(x, weight, bias)",
    "bound": 'm.bound(x, m.Linear.bind({"weight": weight, "bias": bias}))',
}
REPORT = """
loaded = sorted(set(sys.modules) - before)
made = {
    f"{kind.__module__}.{kind.__qualname__}"
    for name in loaded
    if name.startswith("tdsl")
    for kind in vars(sys.modules[name]).values()
    if isinstance(kind, type) and kind.__module__.startswith("tdsl")
    and "__dataclass_fields__" in vars(kind)
}
print(json.dumps([loaded, sorted(made)]))
"""
# What checks, compiles or explains; and what is slow to import in Python's own library.
NOT_LOADED = (
    "lark",
    "mlir",
    "ml_dtypes",
    "tdsl.check.checker",
    "tdsl.check.modules",
    "tdsl.cli",
    "tdsl.gpu",
    "tdsl.graph",
    "tdsl.lowering.device",
    "tdsl.lowering.pipeline",
    "tdsl.ops.builtins",
    "tdsl.reference",
    "tdsl.runtime.misfits",
    "tdsl.runtime.on_device",
    "tdsl.runtime.profile",
    "tdsl.runtime.stages",
    "tdsl.runtime.weights.gguf_file",
    "tdsl.runtime.weights.misfit",
    "tdsl.runtime.weights.npz_file",
    "tdsl.runtime.weights.safetensors_file",
    "tdsl.syntax.ast",
    "tdsl.syntax.codes",
    "tdsl.syntax.parser",
    "tdsl.syntax.tables",
    "difflib",
    "importlib.resources",
    "numpy.ma",
    "platformdirs",
    "shutil",
    "subprocess",
    "sysconfig",
    "tempfile",
    "zipfile",
)
MOST_MODULES = {"plain": 78, "bound": 88}
"""Of this package. More may be needed one day: see first whether they can be loaded where used."""


def started(call: str, program: Path, cache: Path) -> tuple[list[str], list[str]]:
    code = START + CALLS[call] + REPORT
    given = {**os.environ, "TDSL_CACHE": "1", "TDSL_CACHE_DIR": str(cache)}
    if sys.platform == "linux":  # as most have it
        del given["TDSL_CACHE_DIR"]
        given["XDG_CACHE_HOME"] = str(cache)
    found = subprocess.run(
        [sys.executable, "-c", code, str(program)],
        capture_output=True,
        text=True,
        env=given,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    loaded, made = json.loads(found.stdout)
    return loaded, made


@pytest.mark.parametrize("call", CALLS)
def test_a_warm_start_loads_little(call: str, tmp_path: Path) -> None:
    program = tmp_path / "warm.tdsl"
    program.write_text(PROGRAM)
    cache = tmp_path / "cache"
    cold, _ = started(call, program, cache)
    assert "mlir" in cold, "nothing was compiled, so that nothing can be said of a warm start"
    loaded, made = started(call, program, cache)
    extra = [n for n in loaded if any(n == one or n.startswith(f"{one}.") for one in NOT_LOADED)]
    assert extra == [], f"import these where they are used: {extra}"
    assert made == [], "make these structs of msgspec"
    ours = [name for name in loaded if name.split(".")[0] == "tdsl"]
    assert len(ours) <= MOST_MODULES[call], ours
