"""Each `# E: E0302` in cases/ is an error on that line, and there are no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_support import CASES, check_text, codes, expectations, found_in

from tdsl.check.helps import apply_edits

FILES = sorted(CASES.glob("*.tdsl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_errors_are_those_expected(path: Path) -> None:
    text = path.read_text()
    expected = expectations(text)
    assert expected
    assert found_in(check_text(text, path.name)) == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_edits_that_are_offered_mend_the_error(path: Path) -> None:
    """Edits are tried only below ten errors, so look at few items with errors at a time."""
    text = path.read_text()
    lines = text.split("\n")
    bad = {line for line, _ in expectations(text)}
    offered = 0
    for number in sorted(bad):
        alone = "\n".join(without_other_errors(lines, number, bad))
        result = check_text(alone, path.name)
        before = codes(result)
        for found in result.diagnostics:
            for help_ in found.helps:
                if not help_.edits or found.span.line != number:
                    continue
                offered += 1
                changed = apply_edits(found.span.source, help_.edits)
                after = codes(check_text(changed.text, path.name))
                left = list(before)
                left.remove(found.code)
                for code in after:
                    if code[0] == "E":
                        assert code in left, (number, help_.text, after)
                        left.remove(code)
    assert offered >= OFFERED[path.stem]


# At least so many errors in each file come with an edit that mends them.
OFFERED = {
    "calls": 5,
    "data_and_loops": 3,
    "examples": 2,
    "kinds": 3,
    "loops": 3,
    "names": 6,
    "operands": 5,
    "positions": 7,
    "rare_shapes": 2,
    "recursion": 0,
    "shapes": 6,
    "sizes": 7,
    "structs": 2,
    "types": 3,
    "values": 6,
    "warnings": 0,
}


def without_other_errors(lines: list[str], number: int, bad: set[int]) -> list[str]:
    """The lines without other items that have errors (they stay empty, so numbers stay)."""
    items: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        if line and line[0].isalpha() and not line.startswith("tdsl"):
            items.append((index, index))
        elif items and line:
            items[-1] = (items[-1][0], index)
    kept = list(lines)
    for start, end in items:
        inside = set(range(start + 1, end + 2))
        if inside & bad and number not in inside:
            kept[start : end + 1] = [""] * (end + 1 - start)
    return kept
