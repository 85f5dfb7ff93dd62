"""Programs with attention through every stage: with kernels for each kind of processor, or none,
the results are the evaluator's."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from attention_programs import CLAIMED, HEAD, NOT_CLAIMED
from program_support import Instance

from tdsl.lowering.options import Kernels, Options

PROGRAMS = {**CLAIMED, **{name: text for name, (text, _) in NOT_CLAIMED.items()}}
TOLERANCES = {"bf16 with a softmax in f32": 3e-2}
# Without a kernel, the kind of processor changes nothing.
RUNS = [
    (name, isa)
    for name in PROGRAMS
    for isa in ("host", "avx2", "portable")
    if isa == "host" or name in CLAIMED
]


@cache
def instance(name: str) -> Instance:
    return Instance.of_text(HEAD.removeprefix("tdsl 0.1\n") + PROGRAMS[name])


@pytest.mark.parametrize(("name", "isa"), RUNS)
def test_as_evaluated(name: str, isa: str) -> None:
    tolerance = TOLERANCES.get(name, 2e-6)
    instance(name).compare({"D": 5}, Options(isa=isa), tolerance=tolerance)


def test_without_kernels() -> None:
    for name in ("with a cache", "grouped heads"):
        instance(name).compare({}, Options(Kernels.none()), tolerance=2e-6)


CACHED = """
pub fn f[T](q: f32[2, T, 4], k: f32[2, 40, 4], v: f32[2, 40, 4], pos: i32) -> f32[2, T, 4] {
    masked_attention(q, k, v, broadcast(causal[Q=T, N=40](pos), [2, T, 40]))
}
"""


def test_any_number_of_queries_at_any_position() -> None:
    made = Instance.of_text(HEAD.removeprefix("tdsl 0.1\n") + CACHED)
    random = np.random.default_rng(1)
    k, v = (random.standard_normal((2, 40, 4)).astype(np.float32) for _ in range(2))
    # From before the first key, where queries see nothing, to beyond the last.
    for queries, position in [(1, 0), (1, 17), (5, -3), (7, 33), (19, 40), (65, -70), (49, -10)]:
        q = random.standard_normal((2, queries, 4)).astype(np.float32)
        made.compare({"T": queries}, None, [q, k, v, np.int32(position)], tolerance=2e-6)


SEEN = "let seen = iota(40)[:, newaxis] >= iota(40)[newaxis, :]"
SQUARE = "pub fn f(q: f32[2, 40, 4], k: f32[2, 40, 4], v: f32[2, 40, 4]) -> f32[2, 40, 4]"
# What leaving out hidden keys must take into account, and how large queries and keys are.
CAREFUL = {
    "a number in place of scores that are lower": (
        f"{SQUARE} {{\n{SEEN}\nsoftmax(select(seen, q @ transpose(k, [0, 2, 1]), -1.0e4)) @ v }}",
        300.0,
    ),
    "a number added that large scores outweigh": (
        f"""{SQUARE} {{\n{SEEN}
            softmax(q @ transpose(k, [0, 2, 1]) + select(seen, f32(0), -1.0e3)) @ v
        }}""",
        30.0,
    ),
    "a number added that hides no more than it must": (
        f"""{SQUARE} {{\n{SEEN}
            softmax(q @ transpose(k, [0, 2, 1]) + select(seen, f32(0), -3.0)) @ v
        }}""",
        0.05,
    ),
    "before a position": (
        """pub fn f(q: f32[2, 40, 4], k: f32[2, 90, 4], v: f32[2, 90, 4], p: i32)
            -> f32[2, 40, 4] {
            let seen = iota(40)[:, newaxis] + 50 - i64(p) >= iota(90)[newaxis, :]
            softmax(select(seen, q @ transpose(k, [0, 2, 1]), -inf)) @ v
        }""",
        1.0,
    ),
    "twice a position": (
        """pub fn f(q: f32[2, 40, 4], k: f32[2, 90, 4], v: f32[2, 90, 4], p: i32)
            -> f32[2, 40, 4] {
            let seen = iota(40)[:, newaxis] + 2 * i64(p) >= iota(90)[newaxis, :]
            softmax(select(seen, q @ transpose(k, [0, 2, 1]), -inf)) @ v
        }""",
        1.0,
    ),
}


@pytest.mark.parametrize("name", CAREFUL)
def test_keys_are_left_out_with_care(name: str) -> None:
    text, scale = CAREFUL[name]
    made = Instance.of_text(HEAD.removeprefix("tdsl 0.1\n") + text)
    assert [claim.kind for claim in made.claims] == ["attention"]
    random = np.random.default_rng(2)
    keys = 90 if "90" in text else 40
    shapes = ((2, 40, 4), (2, keys, 4), (2, keys, 4))
    q, k, v = (random.standard_normal(shape).astype(np.float32) for shape in shapes)
    position = [np.int32(15)] if keys == 90 else []
    made.compare({}, None, [q * scale, k * scale, v, *position], tolerance=1e-5)
