"""`--target`: what is emitted for a GPU, and runs on the emulator of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tdsl.lowering.device import TARGETS

Command = Callable[..., Any]
LINEAR = Path(__file__).parents[2] / "programs/linear.tdsl"


def test_ptx_begins_with_how_it_is_launched(tdslc: Command, tmp_path: Path) -> None:
    file = tmp_path / "linear.ptx"
    done = tdslc(LINEAR, "--emit=ptx", "--target=nvptx:sm_90", "-o", file)
    assert done.code == 0, done.err
    lines = file.read_text().splitlines()
    assert lines[0] == "// plan of linear"
    assert "//   b0 = input 0: 60 bytes" in lines
    assert ".target sm_90" in lines
    (launch,) = (line for line in lines if "linear.tdsl:9:5" in line)
    assert launch.startswith("//   linear_matmul_0<")
    assert "(b0, b1, b2, b3)" in launch


def test_nvvm_is_upstream_mlir(tdslc: Command) -> None:
    done = tdslc(LINEAR, "--emit=nvvm", "--target=nvptx:sm_80", "--kernels=none")
    assert done.code == 0, done.err
    assert "gpu.module @kernels" in done.out
    assert "nvvm.read.ptx.sreg.tid.x" in done.out
    assert "tdsl." not in done.out


def test_earlier_stages_are_those_of_every_target(tdslc: Command) -> None:
    plain = tdslc(LINEAR, "--emit=claimed").out
    assert tdslc(LINEAR, "--emit=claimed", "--target=nvptx:sm_80").out == plain


def test_precision_changes_the_kernel(tdslc: Command) -> None:
    how = ("--emit=nvvm", "--target=nvptx:sm_80", "--bind", "M=64,K=64,N=64")
    assert "mma.sync" not in tdslc(LINEAR, *how).out
    assert "tf32" in tdslc(LINEAR, *how, "--precision=tf32").out
    assert tdslc(LINEAR, *how, "--precision=f8").code == 2


def test_a_function_runs_on_the_emulator(tdslc: Command) -> None:
    done = tdslc("run", LINEAR, "--target=gpu-emulator", "--bind=M=3,K=5,N=7")
    assert done.code == 0, done.err
    assert "error against the evaluator" in done.out


@pytest.mark.parametrize("command", ["emit", "run"])
def test_the_help_lists_every_target(tdslc: Command, command: str) -> None:
    shown = tdslc(command, "--help").out
    for name in TARGETS:
        assert name in shown


def test_what_has_no_driver_yet_is_said(tdslc: Command) -> None:
    done = tdslc("run", LINEAR, "--target=nvptx:sm_80", "--bind=M=3,K=5,N=7")
    assert done.code == 2
    assert "gpu-emulator" in done.err
