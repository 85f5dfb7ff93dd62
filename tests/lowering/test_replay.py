"""A pass that fails leaves a module and lines that show the failure again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from emission_support import MLIR_OPT
from mlir import ir
from native_support import product, softmax, unary
from replay_backends import INVALID, LATE, OURS, UPSTREAM

from tdsl.cpu.backend import CPU
from tdsl.lowering import replay
from tdsl.lowering.backend import Backend
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import (
    LOWERED_STAGES,
    LoweringError,
    context,
    lower,
    lower_text,
    pass_list,
)

# Well formed, and yet not what the first pass takes.
_TWO_PUBLIC = unary("math.exp", 4) + unary("math.exp", 4).replace("@f", "@g")


def _failing(text: str, options: Options, backend: Backend) -> LoweringError:
    vector = Interface.of_shapes([[4]], [[4]])
    with pytest.raises(LoweringError) as caught:
        lower_text(text, "llvm", options, backend, vector)
    return caught.value


def _run(line: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """A printed line, as it would be pasted into a shell in another folder."""
    path = os.pathsep.join(
        [str(Path(sys.executable).parent), str(MLIR_OPT.parent), os.environ["PATH"]]
    )
    environment = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        line, shell=True, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
    )


def test_a_pass_of_ours_fails_again_by_the_printed_line(tmp_path: Path) -> None:
    error = _failing(unary("math.exp", 4), Options(fuse=False), OURS)
    assert error.name == "refuse"
    assert "linalg.generic" in error.module.read_text()
    (line,) = error.reproduce.splitlines()
    assert str(error).endswith(line)
    again = _run(line, tmp_path)
    assert again.returncode != 0
    assert "ValueError: no luck with math.exp" in again.stderr
    # The failure is of this module and these options, not of the line.
    assert _run(line.replace("false", "true"), tmp_path).returncode == 0
    error.module.write_text(error.module.read_text().replace("math.exp ", "math.sqrt "))
    assert _run(line, tmp_path).returncode == 0


def test_a_pass_of_upstream_fails_again_by_both_printed_lines(tmp_path: Path) -> None:
    error = _failing(unary("math.exp", 4), Options(), UPSTREAM)
    assert error.name == "broken"
    assert "memref<4xf32>" in error.module.read_text()
    ours, upstream = error.reproduce.splitlines()
    assert upstream == (
        f"mlir-opt --pass-pipeline='builtin.module(convert-func-to-llvm{{no-such-option=1}})' {error.module}"
    )
    for line in (ours, upstream):
        again = _run(line, tmp_path)
        assert again.returncode != 0
        assert "no such option no-such-option" in again.stderr


def test_a_module_that_a_real_pass_of_ours_refuses_fails_again(tmp_path: Path) -> None:
    error = _failing(_TWO_PUBLIC, Options(), CPU)
    (line,) = error.reproduce.splitlines()
    again = _run(line, tmp_path)
    assert again.returncode != 0
    assert error.reason in again.stderr


@pytest.mark.parametrize("text", [softmax(3, 40), product(4, 5, 6)], ids=["softmax", "product"])
def test_pass_by_pass_gives_what_the_pipeline_gives(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "module.mlir"
    with context():
        module = ir.Module.parse(text)
        lower(module, "bufferized", Options(), CPU)
        file.write_text(str(module))
    names = [step.name for step in pass_list("llvm", CPU) if step.wanted(Options())]
    for name in names:
        replay.main([str(file), f"--pass={name}"])
        file.write_text(capsys.readouterr().out)
    with context():
        found = str(ir.Module.parse(file.read_text()))
        wanted = str(ir.Module.parse(lower_text(text, "llvm", Options(), CPU)))
    assert found == wanted


def test_every_pass_has_a_name_of_its_own() -> None:
    names = [step.name for stage in LOWERED_STAGES for step in pass_list(stage, CPU)]
    assert len(set(names)) == len(names)
    assert list(replay.passes_of(replay.find_backend(CPU.found_at))) == names


def test_an_unknown_pass_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.mlir").write_text("")
    with pytest.raises(SystemExit):
        replay.main([str(tmp_path / "m.mlir"), "--pass=loop"])
    assert "no pass is called `loop`; there are destinations, " in capsys.readouterr().err


def test_the_module_left_behind_is_what_every_pass_before_made_of_it() -> None:
    with pytest.raises(LoweringError) as caught:
        lower_text(softmax(3, 40), "llvm", Options(), LATE)
    text = caught.value.module.read_text()
    assert "linalg.fill" not in text, "the pass `generalise` has run"
    assert "fastmath<reassoc,contract>" in text, "and the last one before the failure"


def test_a_pass_that_leaves_what_is_not_valid_is_found() -> None:
    """What it leaves is verified later: the pass is found by running all of them again."""
    error = _failing(unary("math.exp", 4), Options(), INVALID)
    assert error.name == "misuse"
    assert "@declared" not in error.module.read_text()
    assert "public visibility" in error.reason
