"""docs/weights.md: its program and its Python run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tdsl
from tdsl.runtime.weights.renaming import Names

PAGE = Path(__file__).parents[2] / "docs" / "weights.md"


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert [kind for kind, _ in blocks] == ["tdsl", "python", "python"]
    (tmp_path / "net.tdsl").write_text(blocks[0][1])
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for number, (_, code) in enumerate(blocks[1:]):
        exec(compile(code, f"<block {number} of {PAGE.name}>", "exec"), names)


def test_the_page_lists_every_table() -> None:
    text = PAGE.read_text()
    for name, value in vars(tdsl.names).items():
        if isinstance(value, Names):
            assert f"`{name}`" in text, name
