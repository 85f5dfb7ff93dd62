"""Random programs of updates, moves and loops: the same results with arguments donated as without."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import tdsl

PROGRAMS = 12
_STEPS = (
    "update({v}, {w}[0:1], at=[at, 0])",
    "update({v}, {w}[1:3, 0:2], at=[at, 1])",
    "0.5*{v} + {w}",
    "{v} - {w}",
    "flip({v}, axis=0)",
    "concat([{w}[1:M], {v}[0:1]], axis=0)",
    "{v} + sum({w}, axis=0)",
    "{v} @ transpose({w}, [1, 0])[0:M, 0:N]",
    "each({v}, {w}, at)",
    "running({v})",
    "shifting({v}, {w})",
)
_HEAD = """tdsl 0.1

fn each[M, N](x: f32[M, N], y: f32[M, N], at: i32) -> f32[M, N] {
    fold s = x for i in 0..M { update(s, y[i:i + 1] + s[i:i + 1], at=[at, 0]) }
}
fn running[M, N](x: f32[M, N]) -> f32[M, N] {
    let (_, rows) = scan s = x[0] for i in 0..M { (s + x[i], s + x[i]) }
    stack(rows, axis=0)
}
fn shifting[M, N](x: f32[M, N], y: f32[M, N]) -> f32[M, N] {
    let (_, rows) = scan s = x[0] for i in 0..M { (y[i], s + x[i]) }
    stack(rows, axis=0)
}
"""


def generate(random: Random) -> str:
    names = ["x", "y"]
    lines = []
    for number in range(random.randint(1, 4)):
        step = random.choice(_STEPS)
        lines.append(
            f"    let t{number} = {step.format(v=random.choice(names), w=random.choice(names))}"
        )
        names.append(f"t{number}")
    results = [random.choice(names[-2:]), random.choice(names), f"sum({random.choice(names)})"]
    random.shuffle(results)
    types = ", ".join("f32" if one.startswith("sum") else "f32[M, N]" for one in results)
    lines.append(f"    ({', '.join(results)})")
    return (
        f"{_HEAD}pub fn f[M, N](x: f32[M, N], y: f32[M, N], at: i32) -> ({types})\n"
        f"    where M >= 4, N >= 4, M == N {{\n" + "\n".join(lines) + "\n}\n"
    )


@pytest.mark.filterwarnings("ignore::tdsl.ProgramWarning")
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_donated_as_not_donated(seed: int) -> None:
    random = Random(seed)
    text = generate(random)
    try:
        f: Any = tdsl.loads(text, kernels=random.choice(("all", "none"))).f
    except tdsl.CompileError as error:
        pytest.fail(f"{error}\n{text}")
    values = np.random.default_rng(seed)
    x, y = (values.standard_normal((5, 5)).astype(np.float32) for _ in range(2))
    at = np.int32(values.integers(0, 3))
    wanted = f(x, y, at)
    for names in (("x",), ("y",), ("x", "y")):
        given = {"x": x.copy(), "y": y.copy()}
        found = f(given["x"], given["y"], at, donate=names)
        for one, expected in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, expected, err_msg=f"{names} of\n{text}")
        places = {one.ctypes.data for one in found}
        assert {given[name].ctypes.data for name in names} <= places, text
