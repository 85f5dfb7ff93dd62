"""The same through cuda-bindings itself, with a library of ours in place of the driver's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from library_stub import SOURCE


def test_the_binding_makes_the_calls_that_the_stub_expects(tmp_path: Path) -> None:
    pytest.importorskip("cuda.bindings.driver")
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("there is no C compiler to make the library with")
    (tmp_path / "stub.c").write_text(SOURCE)
    library = tmp_path / "libcuda.so.1"
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(tmp_path / "stub.c")]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "library_stub.py")],
        env=os.environ | {"LD_LIBRARY_PATH": str(tmp_path), "TDSL_CACHE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > 28, done.stdout
