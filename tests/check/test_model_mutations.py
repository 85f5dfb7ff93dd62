"""Mistakes of many kinds in whole models: the code that each gives, and those that no shape sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_support import DESIGN
from mutations import MUTATIONS, Mutation

from tdsl.check.checked import CheckResult
from tdsl.check.modules import check_source
from tdsl.syntax.source import Source

ROOT = DESIGN.parent.parent
PAGE = (ROOT / "docs" / "what-shapes-cannot-see.md").read_text()


def path_of(program: str) -> Path:
    if program.startswith("std/"):
        return ROOT / "tdsl" / f"{program}.tdsl"
    return DESIGN / "programs" / f"{program}.tdsl"


def check(mutation: Mutation) -> CheckResult:
    path = path_of(mutation.program)
    text = path.read_text()
    assert mutation.right in text
    assert mutation.right != mutation.wrong
    return check_source(
        Source(path.name, text.replace(mutation.right, mutation.wrong, 1)), path.parent
    )


@pytest.mark.parametrize(
    "mutation",
    [mutation for mutation in MUTATIONS if mutation.code],
    ids=lambda mutation: f"{mutation.program}: {mutation.wrong[:40]}",
)
def test_it_is_refused_with_its_code(mutation: Mutation) -> None:
    found = check(mutation).diagnostics
    assert found
    assert found[0].code == mutation.code
    # The same mistake may show in several places, but every message is about it.
    assert {diagnostic.code for diagnostic in found} <= {mutation.code, "E0401"}


@pytest.mark.parametrize(
    "mutation",
    [mutation for mutation in MUTATIONS if not mutation.code],
    ids=lambda mutation: f"{mutation.program}: {mutation.wrong[:40]}",
)
def test_what_no_shape_can_see_is_accepted_and_documented(mutation: Mutation) -> None:
    assert check(mutation).program is not None
    right, wrong = (text.split("\n")[0] for text in (mutation.right, mutation.wrong))
    assert f"| `{right}` | `{wrong}` |" in PAGE


def test_there_are_forty_of_ten_kinds() -> None:
    refused = [mutation for mutation in MUTATIONS if mutation.code]
    assert len(refused) >= 40
    assert len({mutation.kind for mutation in refused}) >= 10
    assert len({(m.program, m.right, m.wrong) for m in MUTATIONS}) == len(MUTATIONS)


def test_the_page_lists_nothing_else() -> None:
    rows = [line for line in PAGE.split("\n") if line.startswith("| `")]
    assert len(rows) == sum(mutation.code is None for mutation in MUTATIONS)


@pytest.mark.parametrize("program", sorted({mutation.program for mutation in MUTATIONS}))
def test_the_programs_are_right_before(program: str) -> None:
    path = path_of(program)
    result = check_source(Source(path.name, path.read_text()), path.parent)
    assert result.program is not None
    assert result.diagnostics == ()
