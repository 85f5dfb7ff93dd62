"""One random edit of a program is refused by a diagnostic, or native code still agrees."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from agreement import outcome
from random_data import generate_data
from random_edits import edited

pytestmark = pytest.mark.filterwarnings("ignore::tdsl.errors.ProgramWarning")

# In groups, so that a failure names few seeds.
GROUPS, EACH = 4, 15


@pytest.mark.parametrize("group", range(GROUPS))
def test_an_edit_is_refused_or_agrees(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDSL_COMPILE", "isolated")
    found: Counter[str] = Counter()
    for seed in range(group * EACH, (group + 1) * EACH):
        result = outcome("edits", seed)
        found[result.what] += 1
        assert result.said is None, f"seed {seed}: {result.said}\n{result.text}"
    assert found["refused"] > EACH // 3, found
    assert found["no call"] < EACH // 2, found


def test_an_edit_changes_the_text_in_one_place() -> None:
    text = generate_data(3)
    start = text.index("pub fn f")
    for seed in range(50):
        changed = edited(text, Random(seed), start)
        assert changed != text
        assert changed.startswith(text[:start])
        assert changed == edited(text, Random(seed), start)
        assert abs(len(changed) - len(text)) < 80
