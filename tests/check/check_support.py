"""Check texts in tests, and read the expectations written in them."""

from __future__ import annotations

import re
from pathlib import Path

from tdsl.check.checked import CheckResult
from tdsl.check.modules import check_source
from tdsl.syntax.diagnostics import Diagnostic
from tdsl.syntax.source import Source

HERE = Path(__file__).parent
CASES = HERE / "cases"
DESIGN = HERE.parent / "design"

_EXPECTED = re.compile(r"([EW]\d{4})")


def check_text(text: str, name: str = "m.tdsl", root: Path | None = None) -> CheckResult:
    """The result for a text; the edition line is put in where it is missing."""
    if "tdsl 0.1" not in text:
        text = "tdsl 0.1\n" + text
    return check_source(Source(name, text), root)


def codes(result: CheckResult) -> list[str]:
    return [found.code for found in result.diagnostics]


def only(result: CheckResult) -> Diagnostic:
    """The one diagnostic of a text with one mistake."""
    assert len(result.diagnostics) == 1, codes(result)
    return result.diagnostics[0]


def expectations(text: str) -> list[tuple[int, str]]:
    """(line, code) for each `# E: E0302` at the end of a line."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        _, mark, after = line.partition("# E:")
        if mark:
            found += [(number, code) for code in _EXPECTED.findall(after)]
    return sorted(found)


def found_in(result: CheckResult) -> list[tuple[int, str]]:
    return sorted((found.span.line, found.code) for found in result.diagnostics)
