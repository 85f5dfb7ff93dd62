"""Types of an imported module by its name, `m.Block[C]`: checked, formatted, documented, run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.check.modules import check_file, load_program
from tdsl.cli.main import main
from tdsl.syntax.format import format_source
from tdsl.syntax.parser import parse
from tdsl.syntax.source import Source

PARTS = """tdsl 0.1
pub struct Block[C] { w: f32[C, C] }
struct Hidden[C] { w: f32[C] }
pub type Row[C] = f32[C]
pub const ten = 10
pub fn unit[C](x: f32[C]) -> Block[C] { Block(w=x[:, newaxis] * x[newaxis, :]) }
"""
MAIN = """tdsl 0.1

import lib.parts as m
import lib.parts

pub struct Two[C] { a: m.Block[C], b: [m.Block[C]; 2] }

pub fn f[C](p: m.Block[C], x: m.Row[C]) -> lib.parts.Row[C] { x @ p.w }

pub fn g[C](p: Two[C], x: f32[C]) -> (m.Block[C], f32[C]) {
    let b: m.Block[C] = p.a
    (b, f(p.b[1], x))
}

pub fn h[C](x: f32[C]) -> lib.parts.Block[C] { m.unit(x) }

example f[C=2] -> m.Row[2]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "parts.tdsl").write_text(PARTS)
    (tmp_path / "main.tdsl").write_text(MAIN)
    return tmp_path


def test_it_is_the_type_itself(folder: Path) -> None:
    program = load_program(folder / "main.tdsl")
    block = program.root.functions["f"].signature.parameters[0][1]
    assert (block.module, block.name) == ("lib.parts", "Block")
    module: Any = tdsl.load(folder / "main.tdsl")
    x = np.arange(2, dtype=np.float32)
    eye, twice = np.eye(2, dtype=np.float32), 2 * np.eye(2, dtype=np.float32)
    first, second = module.g({"a": {"w": eye}, "b": [{"w": eye}, {"w": twice}]}, x)
    np.testing.assert_array_equal(first.w, eye)
    np.testing.assert_array_equal(second, 2 * x)
    np.testing.assert_array_equal(module.h(x).w, np.outer(x, x))


def test_format_and_documentation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert format_source(Source("main.tdsl", MAIN)) == MAIN
    spread = MAIN.replace("m.Block[C]; 2", "m . Block [C];2")
    assert format_source(Source("main.tdsl", spread)) == MAIN
    with pytest.raises(SystemExit) as left:
        main(["doc", str(folder / "main.tdsl")])
    assert not left.value.code
    page = capsys.readouterr().out
    assert "fn f[C](p: m.Block[C], x: m.Row[C]) -> lib.parts.Row[C]" in page


def test_the_tree() -> None:
    (item,) = parse(Source("t", "tdsl 0.1\ntype A = a.b.Block[3]\n")).items
    type_ = item.type
    assert [name.text for name in type_.modules] == ["a", "b"]
    assert type_.name.text == "Block"
    assert type_.span.text == "a.b.Block[3]"


@pytest.mark.parametrize(
    ("written", "code", "message", "help_"),
    [
        ("m.Hidden[C]", "E0804", "`Hidden` of `lib.parts` is not public", "write `pub`"),
        ("m.Bloc[C]", "E0804", "`lib.parts` has no public `Bloc`", "did you mean `Block`?"),
        ("m.f32[C]", "E0804", "`lib.parts` has no public `f32`", ""),
        ("m.unit", "E0806", "`m.unit` is a function; a type is needed here", ""),
        ("m.ten", "E0806", "`m.ten` is a constant; a type is needed here", ""),
        ("m", "E0806", "`m` is a module; a type is needed here", ""),
        ("mm.Row[C]", "E0806", "`mm` is no module, so `mm.Row` is no type", "did you mean `m`?"),
        ("C.Row[C]", "E0806", "`C` is no module, so `C.Row` is no type", ""),
        ("lib.Row[C]", "E0804", "`lib` has no module `Row`", ""),
        ("lib.part.Row[C]", "E0804", "`lib` has no module `part`", ""),
        ("m.Block", "E0808", "`Block` is written with its sizes and dtypes: `Block[C]`", ""),
    ],
)
def test_what_is_no_type(folder: Path, written: str, code: str, message: str, help_: str) -> None:
    text = f"fn f[C](x: f32[C], p: {written}) -> f32[C] {{ x }}\n"
    (folder / "main.tdsl").write_text(MAIN[: MAIN.index("\npub struct")] + text)
    (found,) = check_file(folder / "main.tdsl").diagnostics
    assert (found.code, found.message) == (code, message)
    assert [one.text for one in found.helps if one.text.startswith(help_)] or not help_
