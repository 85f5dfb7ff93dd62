"""Random programs near what kernels are put in place of: as native code equal to the evaluator."""

from __future__ import annotations

from random import Random

import pytest
from agreement import outcome
from random_calls import draw_call
from random_claims import generate_claims

import tdsl
from tdsl.graph.claims import find_claims
from tdsl.graph.elaborate import elaborate
from tdsl.graph.narrow import narrow

# What a program computes, it does not always use.
pytestmark = pytest.mark.filterwarnings("ignore::tdsl.errors.ProgramWarning")

GROUPS, EACH = 5, 8


@pytest.mark.parametrize("group", range(GROUPS))
def test_native_code_agrees_with_the_evaluator(group: int) -> None:
    for seed in range(group * EACH, (group + 1) * EACH):
        found = outcome("claims", seed)
        assert found.said is None, f"seed {seed}: {found.said}\n{found.text}"


def test_programs_have_what_kernels_are_put_in_place_of() -> None:
    """Else the others would say nothing of kernels."""
    kinds: list[str] = []
    for seed in range(40):
        function = tdsl.loads(generate_claims(seed)).f
        call = draw_call(function, Random(seed))
        if call is None:
            continue
        graph = elaborate(function._program, function._signature.function, call.parameters)
        kinds += {claim.kind for claim in find_claims(narrow(graph))[0]}
    assert kinds.count("attention") >= 10
    assert kinds.count("rows") >= 15
    assert kinds.count("matmul") >= 20
