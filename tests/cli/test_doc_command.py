"""`tdslc doc`, and the pages that `ops` and `explain` print for docs/."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

PROGRAM = """## What it is for.
tdsl 0.1

## Twice.
pub fn twice[N](x: f32[N]) -> f32[N] { x * 2.0 }
fn hidden[N](x: f32[N]) -> f32[N] { x }
example twice[N=3] -> f32[3]
test "twice is twice" { assert allclose(twice(zeros([2], f32)), zeros([2], f32)) }
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.tdsl"
    file.write_text(PROGRAM)
    return file


def test_doc_prints_a_page(tdslc: Command, program: Path) -> None:
    result = tdslc("doc", program)
    assert result.code == 0
    assert result.out.startswith("# `program`\n\nWhat it is for.\n")
    assert "twice[N=3](x: f32[3]) -> f32[3]" in result.out
    assert "“twice is twice”" in result.out
    assert "hidden" not in result.out


def test_doc_shows_what_is_private_where_asked(tdslc: Command, program: Path) -> None:
    assert "### `hidden`" in tdslc("doc", program, "--private").out


def test_doc_of_a_module_without_anything_public_says_so(tdslc: Command, tmp_path: Path) -> None:
    file = tmp_path / "private.tdsl"
    file.write_text("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x }\n")
    result = tdslc("doc", file)
    assert result.code == 0
    assert "is `pub`; --private shows all of it" in result.err
    assert "`pub`" not in tdslc("doc", file, "--private").err


def test_ops_knows_names_of_other_libraries(tdslc: Command) -> None:
    result = tdslc("ops", "where")
    assert result.code == 2
    assert "`select(condition, a, b)`" in result.err


def test_doc_writes_a_file(tdslc: Command, program: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    result = tdslc("doc", program, "-o", page)
    assert (result.code, result.out) == (0, "")
    assert page.read_text() == tdslc("doc", program).out
    refused = tdslc("doc", program, "-o", tmp_path / "none" / "page.md")
    assert refused.code == 2
    assert "cannot write" in refused.err


def test_doc_of_a_wrong_program_shows_its_errors(tdslc: Command, tmp_path: Path) -> None:
    file = tmp_path / "wrong.tdsl"
    file.write_text("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { y }\n")
    result = tdslc("doc", file)
    assert (result.code, result.out) == (1, "")
    assert "E0801" in result.err


@pytest.mark.parametrize(
    ("command", "page"),
    [
        (("ops", "--markdown"), "builtins.md"),
        (("explain", "--markdown"), "errors.md"),
        (("doc", "tdsl/std/nn.tdsl"), "std.md"),
    ],
)
def test_the_pages_in_docs_are_printed(
    tdslc: Command, root: Path, command: tuple[str, ...], page: str
) -> None:
    arguments = [root / word if word.endswith(".tdsl") else word for word in command]
    result = tdslc(*arguments)
    assert result.code == 0
    assert result.out == (root / "docs" / page).read_text()
