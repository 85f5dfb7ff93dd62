"""Every program: its script runs against an independent oracle, and its golden MLIR is current."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tdsl

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.tdsl"))


def test_there_are_programs_with_all_three_files() -> None:
    assert {p.stem for p in PROGRAMS} >= {
        "linear",
        "mlp",
        "attention",
        "attention_reference",
        "blocks",
    }
    for program in PROGRAMS:
        assert program.with_suffix(".py").exists()
        assert program.with_suffix(".mlir").exists()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_the_script_agrees_with_its_oracle(program: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(program.with_suffix(".py"))],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_the_golden_mlir_is_current(
    program: Path, golden: Callable[[Path, str], None], root: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tdsl.cli.main", f"programs/{program.name}", "--emit=mlir"],
        capture_output=True,
        text=True,
        cwd=root,
        check=True,
    )
    golden(program.with_suffix(".mlir"), done.stdout)


def test_programs_and_library_are_formatted(root: Path) -> None:
    files = [*PROGRAMS, *(root / "tdsl/std").glob("*.tdsl")]
    done = subprocess.run(
        [sys.executable, "-m", "tdsl.cli.main", "fmt", "--check", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kernels", ["all", "none"])
@pytest.mark.parametrize("name", ["attention", "attention_reference"])
def test_a_changed_future_leaves_the_first_three_of_five_outputs(
    root: Path, name: str, kernels: str
) -> None:
    """Bit for bit."""
    attention = getattr(tdsl.load(root / f"programs/{name}.tdsl", kernels=kernels), name)
    random = np.random.default_rng(7)
    x, *weights = (
        random.standard_normal(shape).astype(np.float32)
        for shape in ((5, 12), (12, 36), (36,), (12, 12), (12,))
    )
    before = attention(x, *weights, heads=2)
    for size in (1.0, 1e4):
        changed = x.copy()
        changed[3:] = random.standard_normal((2, 12)) * size
        after = attention(changed, *weights, heads=2)
        assert (after[:3] == before[:3]).all()
        assert (after[3:] != before[3:]).any()
