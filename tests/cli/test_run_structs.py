"""`tdslc run` on functions with structs and lists: arrays from files by dotted names, or made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Command = Callable[..., Any]

PROGRAM = """tdsl 0.1
pub struct Linear[I, O] { w: f32[I, O], b: f32[O] }
pub struct Net[C, L] { layers: [Linear[C, C]; L], scale: f32 }
pub fn net[M, C, L](x: f32[M, C], p: Net[C, L]) -> (f32[M, C], [Linear[C, C]; L]) {
    let (y, seen) = scan y = x for l in p.layers { (y @ l.w + l.b, Linear(w=l.w * 2, b=l.b)) }
    (y * p.scale, seen)
}
pub fn pick[V, C](table: f32[V, C], at: i32) -> f32[1, C] { slice(table, at=[at, 0], size=[1, C]) }
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "net.tdsl"
    file.write_text(PROGRAM)
    return file


def weights(layers: int, size: int) -> dict[str, Any]:
    random = np.random.default_rng(0)
    found: dict[str, Any] = {"scale": np.float32(2)}
    for layer in range(layers):
        found[f"layers.{layer}.w"] = random.standard_normal((size, size)).astype(np.float32)
        found[f"layers.{layer}.b"] = random.standard_normal(size).astype(np.float32)
    return found


def test_made_up_inputs(tdslc: Command, program: Path) -> None:
    done = tdslc("run", program, "--fn", "net", "--bind", "M=2,C=4,L=3", "--seed", 7)
    assert done.code == 0, done.err
    names = [line.split()[0] for line in done.out.splitlines() if "min" in line]
    assert names[:5] == ["x", "p.layers.w", "p.layers.b", "p.scale", "result[0]"]
    assert names[5:] == ["result[1].w", "result[1].b"]
    assert "f32[3, 4, 4]" in done.out
    assert done.out.count("error against the evaluator: ") == 3
    assert "differs" not in done.err
    again = tdslc("run", program, "--fn", "net", "--bind", "M=2,C=4,L=3", "--seed", 7)
    assert again.out.splitlines()[:8] == done.out.splitlines()[:8]


@pytest.mark.parametrize("named", [True, False])
def test_weights_from_a_file(tdslc: Command, program: Path, tmp_path: Path, named: bool) -> None:
    given = weights(2, 4)
    file, out = tmp_path / "weights.npz", tmp_path / "out.npz"
    if named:
        np.savez(file, **given)
    else:
        np.savez(file, **{f"p.{name}": array for name, array in given.items()})
    x = np.ones((3, 4), np.float32)
    np.save(tmp_path / "x.npy", x)
    weights_argument = f"p={file}" if named else file
    arguments = ("--fn", "net", f"x={tmp_path / 'x.npy'}", weights_argument, "-o", out)
    done = tdslc("run", program, *arguments)
    assert done.code == 0, done.err
    for layer in range(2):
        x = x @ given[f"layers.{layer}.w"] + given[f"layers.{layer}.b"]
    with np.load(out) as kept:
        np.testing.assert_allclose(kept["result_0"], x * 2, rtol=1e-5, atol=1e-5)
        assert kept["result_1.w"].shape == (2, 4, 4)


def test_weights_give_the_sizes_of_what_is_made_up(
    tdslc: Command, program: Path, tmp_path: Path
) -> None:
    np.savez(tmp_path / "weights.npz", **weights(2, 4))
    done = tdslc("run", program, "--fn", "net", f"p={tmp_path / 'weights.npz'}", "--bind", "M=5")
    assert done.code == 0, done.err
    assert "f32[5, 4]" in done.out


def test_weights_that_do_not_fit(tdslc: Command, program: Path, tmp_path: Path) -> None:
    given = weights(2, 4)
    del given["layers.1.b"]
    np.savez(tmp_path / "weights.npz", **given, extra=np.float32(1))
    done = tdslc("run", program, "--fn", "net", f"p={tmp_path / 'weights.npz'}", "--bind", "M=5")
    assert done.code != 0
    assert "missing `p.layers[1].b: f32[C]`" in done.err
    assert "unknown `p.extra`" in done.err
    done = tdslc("run", program, "--fn", "net", f"q={tmp_path / 'weights.npz'}", "--bind", "M=5")
    assert "`net` has no parameter `q`" in done.err


def test_positions_out_of_range(tdslc: Command, program: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "at.npy", np.int32(9))
    at = f"at={tmp_path / 'at.npy'}"
    done = tdslc("run", program, "--fn", "pick", at, "--bind", "V=3,C=2")
    assert done.code != 0
    assert "start 9 is out of range for axis 0 of size 3" in done.err
    assert "Traceback" not in done.err
