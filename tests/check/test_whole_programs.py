"""Programs that use much of the language at once are accepted without a word, and are right."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_support import HERE

from tdsl.check.modules import check_file
from tdsl.reference.evaluate import run_test

PROGRAMS = sorted((HERE / "programs").glob("*.tdsl"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_is_accepted_and_its_tests_hold(path: Path) -> None:
    result = check_file(path)
    assert result.diagnostics == ()
    program = result.program
    assert program is not None
    assert program.root.tests
    for test in program.root.tests:
        run_test(program, program.root, test)
