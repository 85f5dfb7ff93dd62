"""`--bounds` of the commands that compile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = """tdsl 0.1

pub fn pick[V, T](table: f32[V], ids: i64[T]) -> f32[T] { take(table, ids) }

example pick[V=5, T=3] -> f32[3]
"""


@pytest.fixture
def given(tmp_path: Path) -> tuple[Path, ...]:
    (tmp_path / "model.tdsl").write_text(PROGRAM)
    np.savez(tmp_path / "inputs.npz", table=np.arange(5, dtype=np.float32), ids=[1, 9, 0])
    return tmp_path / "model.tdsl", tmp_path / "inputs.npz"


def test_run_says_which_position_is_wrong(
    given: tuple[Path, ...], tdslc: Callable[..., Any]
) -> None:
    result = tdslc("run", *given)
    assert result.code == 2
    wanted = "take: index 9 is out of range for axis 0 of size 5"
    assert wanted in result.err
    assert "model.tdsl:3:59)" in result.err


def test_run_clamps_on_demand(
    given: tuple[Path, ...], tdslc: Callable[..., Any], tmp_path: Path
) -> None:
    result = tdslc("run", *given, "--bounds=clamp", "-o", tmp_path / "out.npz")
    assert result.code == 0
    assert "the evaluator does not clamp: take: index 9 is out of range" in result.err
    with np.load(tmp_path / "out.npz") as kept:
        np.testing.assert_array_equal(kept["result"], [1, 4, 0])


def test_emitted_code_follows_the_choice(
    given: tuple[Path, ...], tdslc: Callable[..., Any]
) -> None:
    program = given[0]
    plain = tdslc(program, "--emit=mlir")
    assert "tdsl.check_position" in plain.out
    assert 'tdsl.site = "take"' in plain.out
    trap, clamp = (
        tdslc(program, "--emit=llvm", f"--bounds={choice}").out for choice in ("trap", "clamp")
    )
    assert "tdsl.sites" in trap
    assert "tdsl.sites" not in clamp
    assert len(clamp) < len(trap)


def test_other_choices_are_refused(given: tuple[Path, ...], tdslc: Callable[..., Any]) -> None:
    result = tdslc("run", *given, "--bounds=off")
    assert result.code == 2
    assert "--bounds" in result.err
