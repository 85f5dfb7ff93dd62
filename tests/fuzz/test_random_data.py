"""Random programs with structs, lists, loops and run-time positions: native code agrees."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest
from agreement import outcome
from random_calls import draw_call, opened
from random_data import generate_data

import tdsl
from tdsl.types.dtypes import DTYPES

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
    for dtype in DTYPES:
        assert any(f"{dtype}[" in text for text in texts), dtype
    # Floats stay around 1 only where no integer becomes one.
    assert not any(re.search(r"\bf(64|32|16)\(third", text) for text in texts)


def test_some_calls_are_compiled_with_open_sizes() -> None:
    function = tdsl.loads(generate_data(3, 2)).f
    random = Random(0)
    call = draw_call(function, random)
    assert call is not None
    ways = [opened(function, call, random) for _ in range(12)]
    assert any(way is function for way in ways)
    assert any(isinstance(way, tdsl.CompiledFunction) for way in ways)
