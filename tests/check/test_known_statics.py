"""Statics take whatever is known where a call is checked, and say why something else is not."""

from __future__ import annotations

import pytest
from check_support import check_text, only

HEAD = """tdsl 0.1
const C = 4
const half = 0.5
fn number_[static k: number](x: f32) -> f32 { x * k }
fn int_[static k: int](x: f32) -> f32 { x * k }
fn bool_[static k: bool](x: f32) -> f32 { if k { x } else { -x } }
fn size_[static k](x: f32) -> f32 { x * k }
"""


def program(kind: str, value: str, before: str = "") -> str:
    return (
        f"{HEAD}pub fn g[N, static s: number, static b: bool](x: f32[N]) -> f32 {{\n"
        f"    {before}{kind}_[k={value}](x[0])\n}}\n"
    )


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", "-2.0 * sqrt(half) / C"),
        ("number", "1 / 3"),
        ("number", "s"),
        ("number", "if C == 4 { 1.5 } else { -inf }"),
        ("number", "2.0 * (if half > 1 { 1.5 } else { half })"),
        ("int", "-abs(-C) // 2"),
        ("int", "if true { 7 % 4 } else { 2 }"),
        ("int", "N - 5"),
        ("bool", "not (half > 0.2 and C == 4)"),
        ("bool", "if C > 3 { b } else { true }"),
        ("size", "2 * C + N"),
        ("size", "if half < 1 { C } else { 2 }"),
    ],
)
def test_known(kind: str, value: str) -> None:
    errors = [d for d in check_text(program(kind, value)).diagnostics if d.severity == "error"]
    assert not errors


def test_a_name_for_what_is_known() -> None:
    text = program("number", "y", "let y = 2 * half\n    ")
    assert not [d for d in check_text(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("kind", "value", "sizes"),
    [("number", "1.0 / (N * C)", "`N`"), ("bool", "N == 3", "`N`"), ("number", "N / 2", "`N`")],
)
def test_what_depends_on_a_size(kind: str, value: str, sizes: str) -> None:
    found = only(check_text(program(kind, value)))
    assert found.code == "E0206"
    wanted = "a number" if kind == "number" else "`true` or `false`"
    assert found.message == f"`k` must be {wanted} that is known here"
    assert found.labels[0].text == f"this depends on {sizes}, which every call sets anew"
