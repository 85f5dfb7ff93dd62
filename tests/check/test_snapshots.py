"""The messages of the design, as rendered. `--update-golden` rewrites them; review the change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from check_support import DESIGN, HERE, check_text, only

from tdsl.check.dump import dump_program
from tdsl.syntax.render import render_text

# The file name that each message of the design has.
NAMES = {"e1": "model", "e2": "attn", "e3": "qkv", "e4": "attn", "e5": "embed"}


@pytest.mark.parametrize("name", NAMES)
def test_message(name: str, golden: Callable[[Path, str], None]) -> None:
    text = (DESIGN / "rejected" / f"{name}.tdsl").read_text()
    found = only(check_text(text, f"{NAMES[name]}.tdsl"))
    golden(HERE / "snapshots" / f"{name}.txt", render_text(found) + "\n")


WRONG = {
    "unimported": "fn f[N](x: f32[N]) -> f32[N] { softmax(x) }\n",
    "opaque_dtype": "fn f[E: dtype(float), N](x: E[N], y: f32[N]) -> E[N] { x + y }\n",
    "broadcast": "fn f[N, M](x: f32[N], y: f32[M]) -> f32[N] { x + y }\n",
    "divisibility": "fn f[static H, C](x: f32[C]) -> f32[H, C//H] { reshape(x, [H, C//H]) }\n",
    "promotion_by_let": (
        "fn f[N](x: f16[N], y: f32[N]) -> f16[N] {\n"
        "    let z = x * y\n"
        "    let w = z + 1.0\n"
        "    exp(w)\n"
        "}\n"
    ),
    "heads_that_do_not_divide": (
        "fn split_heads[T, C, static heads](x: f32[T, C]) -> f32[T, heads, C//heads]\n"
        "    where heads divides C\n"
        "{\n"
        "    reshape(x, [T, heads, C//heads])\n"
        "}\n\n"
        "fn f[T](x: f32[T, 24]) -> f32[T, 5, 4] { split_heads[heads=5](x) }\n"
    ),
    "axis_that_was_not_kept": (
        "fn softmax[N, M](x: f32[N, M]) -> f32[N, M] {\n"
        "    let e = exp(x - max(x, axis=-1))\n"
        "    e / sum(e, axis=-1)\n"
        "}\n"
    ),
    "eliminated_names": (
        "fn f[T, C, static H, D](x: f32[T, C], y: f32[T, 3*C]) -> f32[T, C] where C == H*D {\n"
        "    x + y\n"
        "}\n"
    ),
    "equal_names_of_two_functions": (
        "fn inner[H, D](x: f32[H*D], y: f32[D]) -> f32[H*D] { x * sum(y) }\n"
        "fn outer[H, D](x: f32[D], y: f32[H]) -> f32[D] { inner[H=H](x, y) }\n"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_message(name: str, golden: Callable[[Path, str], None]) -> None:
    found = only(check_text(WRONG[name]))
    golden(HERE / "snapshots" / f"{name}.txt", render_text(found) + "\n")


def test_the_typed_program_is_printed_in_the_users_names(
    golden: Callable[[Path, str], None],
) -> None:
    text = (
        "struct P[C] { w: f32[C, C], b: f32[C] }\n"
        "fn inner[N](x: f64[N]) -> f64[N] { x }\n"
        "fn f[T, C, L, static H, D](x: f32[T, C], ps: [P[C]; L], s: f64) -> f64[T] where C == H*D {\n"
        "    let y = fold y = x for p in ps { y @ p.w + p.b }\n"
        "    let (a, b) = (sum(y, axis=-1), s)\n"
        "    inner(a * b)\n"
        "}\n"
        "example inner[N=3] -> f64[3]\n"
    )
    program = check_text(text).program
    assert program is not None
    golden(HERE / "snapshots" / "typed.txt", dump_program(program))


def test_no_snapshot_is_left_over() -> None:
    files = {path.stem for path in (HERE / "snapshots").glob("*.txt")}
    assert files == {*NAMES, *WRONG, "typed"}
