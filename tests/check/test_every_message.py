"""Every message as a reader sees it: each mistake in cases/, alone, as rendered.

`--update-golden` rewrites the snapshots; read the change as the one who made the mistake would.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from check_support import CASES, HERE, check_text, expectations
from test_cases import without_other_errors

from tdsl.check.error_page import error_page
from tdsl.syntax.codes import CODES
from tdsl.syntax.render import render_text

FILES = sorted(CASES.glob("*.tdsl"))
SNAPSHOTS = HERE / "snapshots" / "cases"


def messages(path: Path) -> str:
    """The messages of a file, each from a file with no other item in error, so that its edits are
    tried as they are for one mistake."""
    text = path.read_text()
    lines = text.split("\n")
    bad = {line for line, _ in expectations(text)}
    shown: dict[str, None] = {}
    for number in sorted(bad):
        alone = "\n".join(without_other_errors(lines, number, bad))
        for found in check_text(alone, path.name).diagnostics:
            shown[render_text(found)] = None
    return "\n\n".join(shown).replace("  # E: ", "  # ") + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_messages_of_a_file(path: Path, golden: Callable[[Path, str], None]) -> None:
    golden(SNAPSHOTS / f"{path.stem}.txt", messages(path))


def test_no_snapshot_is_left_over() -> None:
    assert {path.stem for path in SNAPSHOTS.glob("*.txt")} == {path.stem for path in FILES}


def test_every_code_has_a_rendered_message() -> None:
    """In the error index, which is a golden file itself, or in a snapshot."""
    texts = [error_page(), *(path.read_text() for path in HERE.rglob("snapshots/**/*.txt"))]
    texts += [path.read_text() for path in (HERE.parent / "syntax").rglob("snapshots/*.txt")]
    for code in CODES.values():
        if code.wrong:
            assert any(f"[{code.code}]: " in text for text in texts), code.code


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_messages_keep_one_voice(path: Path) -> None:
    """They begin small, end without a full stop, and use no word of the compiler's insides."""
    for found in check_text(path.read_text(), path.name).diagnostics:
        texts = [found.message, *found.notes, *(help_.text for help_ in found.helps)]
        texts += [label.text for label in found.labels]
        for text in texts:
            assert not text.endswith("."), text
            words = {word.strip("`.,:;()") for word in text.split()}
            assert not words & INSIDE, text
        first = found.message[0]
        assert not first.isupper() or found.message[:2].isupper() or found.message[1:2] in " `", (
            found.message
        )


INSIDE = {"node", "AST", "token", "poison", "Poison", "symbol", "opaque", "polynomial", "monomial"}
