"""The tables that bench/peers.py writes: ratios of medians, and only its own part of the README."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

TIMES = {"TDSL": [4.0, 1.0, 2.0], "torch eager": [8.0, 4.0, 5.0], "JAX": [3.0, 4.0, 100.0]}


@pytest.fixture
def tables(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(root / "bench"))
    return importlib.import_module("tables")


def row(work: str, threads: int, at_peak: float = 0.0, **times: list[float]) -> dict[str, Any]:
    return {
        "work": work,
        "threads": threads,
        "reach": 0.85,
        "at_peak": at_peak,
        "milliseconds": {**TIMES, **times},
        "errors": {},
        "failed": {},
    }


def test_the_best_peer_is_the_one_with_the_lowest_median(tables: Any) -> None:
    one = row("a", 1)
    assert tables.best_peer(one) == ("JAX", 4.0)
    assert tables.ratio(one) == 0.5
    shown = "| a | 1 | 2.00 | 4.00 (JAX) | 0.50 | 0.85 |  | torch eager 5.00, JAX 4.00 |"
    assert tables.row_text(one) == shown
    assert "| 0.85 | 1.60 | torch" in tables.row_text(row("a", 1, at_peak=1.6))


def test_a_row_for_each_work_and_a_column_for_each_count(tables: Any) -> None:
    rows = [row("a", 1, at_peak=1.6), row("b", 1), row("a", 2, TDSL=[1.0, 1.0, 1.0])]
    lines = tables.compared(rows, [1, 2]).splitlines()
    assert lines[2:] == ["| a | 0.50 | 0.25 | 0.85 | 0.40 |", "| b | 0.50 |  | 0.85 |  |"]
    assert tables.scaling(rows, [1, 2]).splitlines()[2:] == ["| a | 2.00 | 2.00× |"]


def test_the_rest_of_the_readme_stays(
    tables: Any, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rest = (root / "README.md").read_text().split(tables.BEGIN)
    after = rest.split(tables.END)[1]
    (tmp_path / "README.md").write_text(f"{before}{tables.BEGIN}\nold\n{tables.END}{after}")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "HERE", tmp_path)
    monkeypatch.setattr(tables, "versions", lambda: {"numpy": "9.9"})
    drawn: list[Path] = []
    monkeypatch.setattr(tables, "plot", lambda rows, counts, file: drawn.append(file))
    figure = {"figure": "a call", "value": 0.25, "unit": "us", "limit": 1.0, "peer": ""}
    for _ in range(2):  # what it wrote can be written again
        tables.write([row("a", 1)], [figure], [1])
    text = (tmp_path / "README.md").read_text()
    assert text.startswith(before + tables.BEGIN)
    assert text.endswith(tables.END + after)
    assert "| a | 0.50 | 0.85 |  |" in text
    assert "| a call | 0.25 us | 1 us |" in text
    assert "old" not in text.split(tables.BEGIN)[1].split(tables.END)[0]
    assert json.loads((tmp_path / "peers.json").read_text())["rows"] == [row("a", 1)]
