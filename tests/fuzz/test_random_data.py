"""Random programs with structs, lists, loops and run-time positions: native code agrees."""

from __future__ import annotations

from collections import Counter

import pytest
from agreement import outcome
from random_data import generate_data

pytestmark = pytest.mark.filterwarnings("ignore::tdsl.errors.ProgramWarning")

# In groups, so that a failure names few seeds.
GROUPS, EACH = 4, 5


@pytest.mark.parametrize("group", range(GROUPS))
def test_native_code_agrees_with_the_evaluator(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDSL_COMPILE", "isolated")
    found: Counter[str] = Counter()
    for seed in range(group * EACH, (group + 1) * EACH):
        result = outcome("data", seed)
        found[result.what] += 1
        assert result.said is None, f"seed {seed}: {result.said}\n{result.text}"
    assert found["same"] > EACH // 2, found


def test_the_generator_uses_the_whole_of_data() -> None:
    texts = [generate_data(seed) for seed in range(60)]
    assert generate_data(7) == texts[7]
    for part in (
        "fold ", "scan ", "zip(", "@unroll", "take(", "slice(", "update(", "; L]", "..L ",
        "long[j", "E: dtype", "].part", ".part.", ".pair[", " for j", ".use0()", "use0(",
    ):  # fmt: skip
        assert any(part in text for text in texts), part
