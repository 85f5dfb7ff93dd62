"""The example of every builtin is a program that holds; the doc page shows nothing untried."""

from __future__ import annotations

import pytest

from tdsl.check.modules import check_source
from tdsl.ops.builtins import BUILTINS, STRUCTURAL
from tdsl.reference.evaluate import run_test
from tdsl.syntax.source import Source


@pytest.mark.parametrize("name", [*BUILTINS, *STRUCTURAL])
def test_example_holds(name: str) -> None:
    example = (BUILTINS.get(name) or STRUCTURAL[name]).example
    text = f'tdsl 0.1\ntest "example" {{\n    assert {example}\n}}\n'
    found = check_source(Source("example.tdsl", text), None)
    assert found.diagnostics == ()
    assert found.program is not None
    module = found.program.root
    assert run_test(found.program, module, module.tests[0]) is None
