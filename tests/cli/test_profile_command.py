"""`tdslc run --profile`: the table, and the trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]

PROGRAM = "tdsl 0.1\npub fn f[M, N](x: f32[M, N]) -> f32[M] { x @ sum(x, axis=0) }\nexample f[M=3, N=4] -> f32[3]\n"


def test_a_table_and_a_trace(tdslc: Command, tmp_path: Path) -> None:
    (tmp_path / "p.tdsl").write_text(PROGRAM)
    plain = tdslc("run", tmp_path / "p.tdsl")
    assert "between the steps" not in plain.out
    result = tdslc("run", tmp_path / "p.tdsl", "--profile", "--trace", tmp_path / "t.json")
    assert result.code == 0
    assert "p.tdsl:2  pub fn f[M, N]" in result.out
    assert "between the steps" in result.out
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]


def test_a_trace_that_cannot_be_written(tdslc: Command, tmp_path: Path) -> None:
    (tmp_path / "p.tdsl").write_text(PROGRAM)
    result = tdslc("run", tmp_path / "p.tdsl", "--trace", tmp_path / "absent" / "t.json")
    assert result.code == 2
    assert "cannot write" in result.err
