"""Random programs on the emulator of a GPU: equal to the evaluator."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

import agreement
import pytest
from differential import Draw, draw
from random_programs import Program

import tdsl

pytestmark = pytest.mark.filterwarnings("ignore::tdsl.errors.ProgramWarning")

EACH = 4


def drawn(program: Program, random: Random) -> Draw:
    """Code for a GPU is made for fixed sizes."""
    return replace(draw(program, random), dynamic=())


@pytest.mark.parametrize("kind", ["arrays", "data"])
@pytest.mark.parametrize("group", range(2))
def test_the_emulator_agrees_with_the_evaluator(
    kind: str, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tdsl, "loads", partial(tdsl.loads, target="gpu-emulator"))
    monkeypatch.setattr(agreement, "draw", drawn)
    monkeypatch.setattr(agreement, "opened", lambda *_: ())
    for seed in range(group * EACH, (group + 1) * EACH):
        found = agreement.outcome(kind, seed)
        assert found.said is None, f"{kind} {seed}: {found.said}\n{found.text}"
        assert found.what in ("same", "raises")
