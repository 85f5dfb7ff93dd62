"""What keys a query does not see is read off a claim's operations, or left unknown."""

from __future__ import annotations

import pytest
from attention_programs import CLAIMED, HEAD
from mlir import ir
from program_support import Instance

from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.causal import Causal
from tdsl.lowering.pipeline import context

_TYPES = "(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> f32[2, 7, 4]"
PROGRAMS = {
    **CLAIMED,
    "causal, as a mask": f"""pub fn f{_TYPES} {{
        masked_attention(q, k, v, broadcast(causal[Q=7, N=7](0), [2, 7, 7]))
    }}""",
    "causal, two back": f"""pub fn f{_TYPES} {{
        masked_attention(q, k, v, broadcast(causal[Q=7, N=7](-2), [2, 7, 7]))
    }}""",
}


def _causal(name: str) -> Causal | None:
    text = Instance.of_text(HEAD.removeprefix("tdsl 0.1\n") + PROGRAMS[name]).text
    with context():
        module = ir.Module.parse(text)
        (function,) = [
            one
            for one in module.body.operations
            if "tdsl.claim" in one.operation.attributes
            and ir.StringAttr(one.operation.attributes["tdsl.claim"]).value == "attention"
        ]
        return Attention.of(function.operation).causal


@pytest.mark.parametrize(
    ("name", "offset", "hidden", "replaced"),
    [
        ("scale, then mask", 0, -1e10, False),
        ("mask, then scale", 0, -1e10, False),
        ("a mask of minus infinity", 0, -float("inf"), False),
        ("a select, the other way round", 0, -float("inf"), True),
        ("not seen", 0, -float("inf"), True),
        ("causal, as a mask", 0, -float("inf"), True),
        ("causal, two back", -2, -float("inf"), True),
    ],
)
def test_a_causal_mask_is_read(name: str, offset: int, hidden: float, replaced: bool) -> None:
    found = _causal(name)
    assert found is not None
    assert (found.offset.number, found.offset.scalars) == (offset, ())
    assert found.hidden == pytest.approx(hidden)
    assert found.replaced == replaced


def test_an_offset_may_come_from_an_argument() -> None:
    found = _causal("with a cache")
    assert found is not None
    assert len(found.offset.scalars) == 1


@pytest.mark.parametrize("name", ["plain", "an arbitrary mask added", "a mask by select"])
def test_any_other_mask_is_no_causal_one(name: str) -> None:
    assert _causal(name) is None
