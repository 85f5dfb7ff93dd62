"""`tdslc cache`: listing and deleting compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.cli.cache import size
from tdsl.runtime.cache import Cache

Command = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TDSL_CACHE_DIR", str(tmp_path))
    return tmp_path / "code"


def test_path_is_where_the_environment_says(tdslc: Command, folder: Path) -> None:
    assert tdslc("cache", "path").out == f"{folder}\n"


def test_compiled_functions_are_listed_and_deleted(tdslc: Command, folder: Path) -> None:
    m = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 1 }\n", name="listed")
    m.f(np.zeros(3, np.float32))
    for arguments in (("cache",), ("cache", "ls")):
        result = tdslc(*arguments)
        assert result.code == 0
        assert "listed.f[N=3]" in result.out
        assert str(folder) in result.err
    result = tdslc("cache", "clear")
    assert result.err.startswith("note: deleted ")
    assert [*folder.iterdir()] == []
    result = tdslc("cache", "ls")
    assert result.out == ""
    assert "0 entries, 0 B of 1.0 GB" in result.err


def test_sizes_are_listed_as_they_are_declared(tdslc: Command, folder: Path) -> None:
    head = "pub fn f[static H, C](x: f32[C]) -> f32[H, C//H] where H divides C"
    m = tdsl.loads(f"tdsl 0.1\n{head} {{ reshape(x, [H, C//H]) }}\n", name="listed")
    m.f(np.zeros(6, np.float32), H=2)
    assert "listed.f[H=2, C=6]" in tdslc("cache").out


def test_an_empty_cache_is_no_error(tdslc: Command, folder: Path) -> None:
    assert tdslc("cache").code == 0
    assert tdslc("cache", "clear").err == "note: deleted 0 entries\n"
    assert not folder.exists()


def test_one_entry_is_singular(tdslc: Command, folder: Path) -> None:
    Cache(folder).put("a" * 64, b"x" * 2000, "one thing")
    assert "1 entry, " in tdslc("cache").err
    assert tdslc("cache", "clear").err == "note: deleted 1 entry\n"


def test_where_nothing_is_kept(
    tdslc: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TDSL_CACHE", "0")
    assert "TDSL_CACHE is 0" in tdslc("cache").err


def test_another_word_is_refused(tdslc: Command, folder: Path) -> None:
    assert tdslc("cache", "delete").code == 2


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (1 << 20, "1.0 MB"), (5 << 40, "5.0 TB")],
)
def test_sizes_for_people(count: int, shown: str) -> None:
    assert size(count) == shown
