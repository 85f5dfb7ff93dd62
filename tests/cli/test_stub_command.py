"""`tdslc --emit=pyi`: where the stub goes, and what marks a package as typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]

PROGRAM = "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x }\n"


def test_the_stub_is_printed_or_written(tdslc: Command, tmp_path: Path) -> None:
    (tmp_path / "model.tdsl").write_text(PROGRAM)
    printed = tdslc(tmp_path / "model.tdsl", "--emit=pyi")
    assert printed.code == 0
    assert "def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:" in printed.out
    assert tdslc(tmp_path / "model.tdsl", "--emit=pyi", "-o", tmp_path / "model.pyi").code == 0
    assert (tmp_path / "model.pyi").read_text() == printed.out
    assert not (tmp_path / "py.typed").exists(), "not a package"


def test_a_package_is_marked_as_typed(tdslc: Command, tmp_path: Path) -> None:
    (tmp_path / "model.tdsl").write_text(PROGRAM)
    (tmp_path / "__init__.py").touch()
    tdslc(tmp_path / "model.tdsl", "--emit=pyi", "-o", tmp_path / "model.pyi")
    assert (tmp_path / "py.typed").exists()


def test_a_wrong_program_has_no_stub(tdslc: Command, tmp_path: Path) -> None:
    (tmp_path / "model.tdsl").write_text(PROGRAM.replace("{ x }", "{ y }"))
    assert tdslc(tmp_path / "model.tdsl", "--emit=pyi", "-o", tmp_path / "model.pyi").code == 1
    assert not (tmp_path / "model.pyi").exists()
