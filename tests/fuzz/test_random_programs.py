"""Random well-typed programs: accepted, and as native code equal to the evaluator."""

from __future__ import annotations

from random import Random

import pytest
from differential import compare, draw
from random_programs import generate

# What a program computes, it does not always use.
pytestmark = pytest.mark.filterwarnings("ignore::tdsl.errors.ProgramWarning")

# In groups, so that a failure names few seeds.
GROUPS, EACH = 5, 6


@pytest.mark.parametrize("group", range(GROUPS))
def test_native_code_agrees_with_the_evaluator(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDSL_COMPILE", "isolated")
    for seed in range(group * EACH, (group + 1) * EACH):
        random = Random(seed)
        program = generate(seed, random.choice((4, 8, 14)))
        how = draw(program, random)
        said = compare(program, how)
        assert said is None, f"seed {seed}, {how}: {said}\n{program.text}"


def test_programs_are_the_same_for_the_same_seed() -> None:
    assert generate(7) == generate(7)
    assert len({generate(seed).text for seed in range(20)}) == 20
