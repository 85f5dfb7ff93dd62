"""The reference pages in docs/ are what the tables and the library say. `--update-golden` rewrites
them; every example in them is run by test_explanations.py, test_examples.py and `tdslc test`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from check_support import HERE, check_text

from tdsl.check.error_page import error_page
from tdsl.check.module_page import module_page
from tdsl.check.modules import check_file
from tdsl.ops.builtins import BUILTINS, STRUCTURAL
from tdsl.ops.page import builtins_page, written
from tdsl.syntax.codes import CODES

Golden = Callable[[Path, str], None]

MODULE = """\
## A module with one of each thing.
tdsl 0.1

## The number of heads.
pub const HEADS = 4

const HIDDEN = 2

## A row of something.
pub type Row[N] = f32[1, N]

## An affine map.
pub struct Linear[I, O, E: dtype(float)] {
    w: E[I, O]  ## stored [in, out] | not transposed
    b: E[O]
}

## Apply it.
##
## Twice as documented.
pub fn linear[M, I, O, E: dtype(float)](
    x: E[M, I], p: Linear[I, O, E]
) -> E[M, O] where M <= 1024 {
    x @ p.w + p.b
}

example linear[M=2, I=3, O=4, E=f32] -> f32[2, 4]

test "zeros give the bias" {
    let p = Linear(w=zeros([3, 2], f32), b=f32(iota(2)))
    assert allclose(linear(zeros([1, 3], f32), p)[0], p.b)
}

fn helper[N, static wide: bool](x: Row[N]) -> f32[N] { if wide { x[0] } else { x[0] * HIDDEN } }

example helper[N=2, wide=true] -> f32[2]

test "of nothing above it" {
    assert HEADS == 4
}
"""


def test_the_error_index_is_up_to_date(root: Path, golden: Golden) -> None:
    page = error_page()
    golden(root / "docs" / "errors.md", page)
    for code in CODES:
        assert f"### {code}: " in page
        assert page.count(f'<a id="{code.lower()}"></a>') == 1
    targets = re.findall(r"\]\(#([^)]+)\)", page)
    assert {*targets} == {code.lower() for code in CODES}


def test_the_page_of_builtins_is_up_to_date(root: Path, golden: Golden) -> None:
    page = builtins_page()
    golden(root / "docs" / "builtins.md", page)
    for row in (*BUILTINS.values(), *STRUCTURAL.values()):
        assert f"\n### `{written(row)}`\n" in page
    _links_lead_to_anchors(page)


def test_the_page_of_the_library_is_up_to_date(root: Path, golden: Golden) -> None:
    program = check_file(root / "tdsl" / "std" / "nn.tdsl").program
    assert program is not None
    page = module_page(program, title="std.nn")
    golden(root / "docs" / "std.md", page)
    for name, function in program.root.functions.items():
        assert (f"\n### `{name}`\n" in page) == function.public
    _links_lead_to_anchors(page)


def _links_lead_to_anchors(page: str) -> None:
    anchors = re.findall(r'<a id="([^"]+)">', page)
    assert len(anchors) == len({*anchors})
    assert {*re.findall(r"\]\(#([^)]+)\)", page)} <= {*anchors}


def test_a_page_shows_every_kind_of_item(golden: Golden) -> None:
    program = check_text(MODULE, "parts.tdsl").program
    assert program is not None
    golden(HERE / "snapshots" / "pages" / "public.md", module_page(program))
    golden(HERE / "snapshots" / "pages" / "private.md", module_page(program, private=True))


def test_what_is_not_public_is_left_out() -> None:
    program = check_text(MODULE).program
    assert program is not None
    page = module_page(program)
    assert "helper" not in page
    assert "HIDDEN" not in page
