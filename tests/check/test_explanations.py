"""Each code is explained, by a program that gives it and the same one mended."""

from __future__ import annotations

import pytest
from check_support import check_text, codes

from tdsl.syntax.codes import CODES, Code

# Codes of files, arrays, loops and targets: no text alone gives them.
WITHOUT_TEXT = {
    *("E0112", "E0116"),
    *(
        "E0701",
        "E0702",
        "E0703",
        "E0705",
        "E0706",
        "E0707",
        "E0805",
        "E0901",
        "E0902",
        "E0903",
        "E0904",
        "E0905",
    ),
}


@pytest.mark.parametrize("code", CODES.values(), ids=lambda code: code.code)
def test_the_wrong_program_is_refused_and_the_right_one_is_not(code: Code) -> None:
    assert len(code.explanation) > 40
    if code.code in WITHOUT_TEXT:
        assert not code.wrong
        return
    if code.code not in ("E0113", "W0002", "W0003", "W0005"):
        assert code.wrong.startswith("tdsl 0.1\n")
    assert codes(_checked(code.wrong)) == [code.code]
    assert codes(_checked(code.right)) == []


def _checked(text: str):  # type: ignore[no-untyped-def]
    from tdsl.check.modules import check_source
    from tdsl.syntax.source import Source

    return check_source(Source("m.tdsl", text), None)


def test_no_code_is_without_use() -> None:
    """Every code of the checker is given by some case or explanation."""
    given = {code.code for code in CODES.values() if code.wrong} | WITHOUT_TEXT
    assert given == set(CODES)
    assert codes(check_text("fn f(x: f32) -> f32 { x }\n")) == []
