"""Lists from Python that do not fit: the caller's own path and axes, and one item instead of a list."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tdsl

TEXT = """tdsl 0.1
pub struct Block[C] { key: f32[C, C], bias: f32[C] }
pub struct Model[C, L] { blocks: [Block[C]; L], out: f32[C] }
pub struct Heads[C, H] { w: f32[C, H*C] }
pub struct Pair[...S] { a: f32[...S], b: f32[...S] }
pub fn walk[C, L](p: Model[C, L], x: f32[C]) -> f32[C] {
    fold s = x for b in p.blocks { s @ b.key + b.bias }
}
pub fn blocks[C, L](bs: [Block[C]; L]) -> f32[C] { bs[0].bias }
pub fn arrays[C, L](xs: [f32[C]; L]) -> f32[C] { xs[0] }
pub fn table[L, M](xs: [[Block[3]; L]; M]) -> f32[3] { xs[0][0].bias }
pub fn heads[C, H, L](hs: [Heads[C, H]; L]) -> f32 where 3 <= C { f32(1) }
pub fn divided[C, q, L](hs: [Heads[C, q]; L]) -> f32 where q divides C { f32(1) }
pub fn pairs[L, ...S](ps: [Pair[...S]; L]) -> f32 { f32(1) }
"""


@pytest.fixture(scope="module")
def module() -> Any:
    return tdsl.loads(TEXT, name="items")


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def block(*key: int) -> dict[str, Any]:
    return {"key": zeros(*(key or (3, 3))), "bias": zeros(3)}


def refused(call: Any, *arguments: Any) -> tuple[str, str | None]:
    with pytest.raises(tdsl.CallError) as caught:
        call(*arguments)
    return str(caught.value), caught.value.argument


def test_one_struct_where_a_list_is_wanted(module: Any) -> None:
    for one in (block(), module.Block(**block())):
        text, argument = refused(module.blocks, one)
        assert text.splitlines()[0] == (
            "[E0502] argument `bs` of `blocks` is one `Block[C]` where `[Block[C]; L]` is wanted:"
            " give a list of them, `[bs]`"
        )
        assert len(text.splitlines()) == 2
        assert argument == "bs"
        text, _ = refused(module.walk, {"blocks": one, "out": zeros(3)}, zeros(3))
        assert "`p.blocks` of `walk` is one `Block[C]` where `[Block[C]; L]` is wanted" in text
    # As the help says:
    np.testing.assert_array_equal(module.blocks([block()]), zeros(3))


def test_one_array_and_one_list(module: Any) -> None:
    text, _ = refused(module.arrays, zeros(3))
    assert "`xs` of `arrays` is one `f32[C]` where `[f32[C]; L]` is wanted" in text
    text, _ = refused(module.table, [block(), block()])
    assert (
        "`xs[0]` (and 1 more like it) is one `Block[3]` where `[Block[3]; L]` is wanted: give a"
        " list of them, `[xs[0]]`" in text
    )


def test_a_stack_is_a_list_and_no_item(module: Any) -> None:
    stacked = {"key": zeros(2, 3, 3), "bias": zeros(2, 3)}
    np.testing.assert_array_equal(module.blocks(stacked), zeros(3))
    # Not every array lacks an axis: these have a mistake of another kind.
    text, _ = refused(module.blocks, {"key": zeros(2, 3, 3), "bias": zeros(3)})
    assert "`bs.bias` of `blocks` must have 2 axes, not 1" in text


def test_the_size_that_is_wrong_has_the_path_and_axis_of_the_item(module: Any) -> None:
    model = {"blocks": [block(), block(3, 4)], "out": zeros(3)}
    text, argument = refused(module.walk, model, zeros(3))
    assert "`p.blocks[1].key` of `walk` has the wrong size on axis 1: wants C = 3, found 4" in text
    assert argument == "p.blocks[1].key"


def test_a_size_without_a_value(module: Any) -> None:
    text, argument = refused(module.heads, [{"w": zeros(3, 7)}, {"w": zeros(3, 7)}])
    assert text == (
        "[E0703] argument `hs[0].w` of `heads` has no fitting size on axis 1: no H gives 3*H = 7,"
        " as 3 does not divide 7\n"
        "  declared `hs[0].w: f32[C, C*H]` at <items>:4:26\n"
        "  found f32[3, 7]\n"
        "  C = 3 was fixed by `hs[0].w: f32[C, C*H]`, which is f32[3, 7]"
    )
    assert argument == "hs[0].w"


def test_constraints(module: Any) -> None:
    text, _ = refused(module.heads, [{"w": zeros(2, 4)}])
    assert "C = 2 was fixed by `hs[0].w: f32[C, C*H]`, which is f32[2, 4]" in text
    text, _ = refused(module.divided, [{"w": zeros(3, 6)}])
    assert "declared `hs[0].w: f32[C, C*q]`" in text
    # What is given stacked is spoken of as it was given.
    text, _ = refused(module.heads, {"w": zeros(1, 2, 4)})
    assert "C = 2 was fixed by `hs.w: f32[L, C, C*H]`, which is f32[1, 2, 4]" in text


@pytest.mark.parametrize("shape", [(2,), (2, 4)])
def test_items_that_differ_in_the_axes_of_a_pack(module: Any, shape: tuple[int, ...]) -> None:
    first, second = ({"a": zeros(2, 3), "b": zeros(*s)} for s in ((2, 3), shape))
    text, argument = refused(module.pairs, [first, second])
    found = f"f32[{', '.join(map(str, shape))}]"
    assert text == (
        "[E0703] argument `ps[1].b` of `pairs` has another shape than `ps[0].b`: the items of a"
        " list have one shape\n"
        "  declared `ps[1].b: f32[...S]` at <items>:5:39\n"
        f"  found {found}\n"
        "  `ps[0].b` is f32[2, 3]"
    )
    assert argument == "ps[1].b"


def test_a_pack_that_differs_between_the_fields_of_items(module: Any) -> None:
    text, argument = refused(module.pairs, [{"a": zeros(2, 3), "b": zeros(2, 4)}] * 2)
    assert argument == "ps[0].b"
    assert "`ps[0].b` of `pairs` has the wrong axes for `...S`: wants [2, 3], found [2, 4]" in text
    assert "...S = [2, 3] was fixed by `ps[0].a: f32[...S]`, which is f32[2, 3]" in text
