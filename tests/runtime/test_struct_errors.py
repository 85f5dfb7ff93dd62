"""Arguments with parts that do not fit: one error tells of all that is wrong, and of what is right."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from struct_programs import GPT2, SMALL, arrays, flat, ids_and_logits, nested_weights

import tdsl

IDS, _ = ids_and_logits()


@pytest.fixture(scope="module")
def m() -> tdsl.Module:
    return tdsl.loads(SMALL, name="small")


@pytest.fixture(scope="module")
def gpt2() -> tdsl.Function:
    return tdsl.load(GPT2).gpt2  # type: ignore[no-any-return]


def changed(**changes: Any) -> dict[str, Any]:
    """The weights under flat names, with `a__b=…` instead of `a.b`; None takes a weight out."""
    weights = flat(nested_weights())
    for key, change in changes.items():
        name = key.replace("__", ".")
        if change is None:
            del weights[name]
        else:
            weights[name] = change(weights[name]) if callable(change) else change
    return weights


def error_of(function: Any, *arguments: Any, **statics: Any) -> tdsl.CallError:
    with pytest.raises(tdsl.CallError) as caught:
        function(*arguments, **statics)
    assert type(pickle.loads(pickle.dumps(caught.value))) is type(caught.value)
    return caught.value


def lines(error: tdsl.CallError) -> list[str]:
    return [line.strip() for line in str(error).splitlines()]


# --- the model


def test_one_wrong_item_is_named_by_its_path(gpt2: tdsl.Function) -> None:
    error = error_of(gpt2, IDS, changed(blocks__1__ln_1__g=lambda a: a[:31]), H=2)
    assert isinstance(error, tdsl.ShapeError)
    assert (error.code, error.argument) == ("E0703", "p.blocks[1].ln_1.g")
    assert (error.expected, error.found) == ("f32[C]", "f32[31]")
    assert error.fixed["C"][0] == "32"
    assert lines(error)[0] == (
        "[E0703] argument `p.blocks[1].ln_1.g` of `gpt2` has the wrong size on axis 0:"
        " wants C = 32, found 31"
    )
    assert "C = 32 was fixed by `p.wte: f32[V, C]`, which is f32[97, 32] (and 22 more)" in lines(
        error
    )
    assert error.spans[0].text == "g: f32[C]"


def test_the_majority_says_what_a_size_is(gpt2: tdsl.Function) -> None:
    """The first array with C is the wrong one."""
    error = error_of(gpt2, IDS, changed(wte=lambda a: a[:, :31]), H=2)
    assert error.argument == "p.wte"
    assert "wants C = 32, found 31" in str(error)


def test_all_weights_of_torch_are_transposed(gpt2: tdsl.Function) -> None:
    weights = {
        name: array.T if name.startswith("blocks") and array.ndim == 2 else array
        for name, array in flat(nested_weights()).items()
    }
    error = error_of(gpt2, IDS, weights, H=2)
    assert isinstance(error, tdsl.ShapeError)
    assert (error.code, error.argument) == ("E0703", "p")
    said = lines(error)
    assert said[0].endswith("does not fit: 6 arrays have another shape")
    assert said[2:5] == [
        (
            "`p.blocks[0].attn.c_attn.w` (and 1 more like it) is f32[96, 32]:"
            " wants f32[C, 3*C] = f32[32, 96]; matches if transposed"
        ),
        (
            "`p.blocks[0].mlp.c_fc.w` (and 1 more like it) is f32[128, 32]:"
            " wants f32[C, F] = f32[32, 128]; matches if transposed"
        ),
        (
            "`p.blocks[0].mlp.c_proj.w` (and 1 more like it) is f32[32, 128]:"
            " wants f32[F, C] = f32[128, 32]; matches if transposed"
        ),
    ]
    assert said[5].startswith("C = 32 was fixed by `p.wte: f32[V, C]`")
    assert said[6].startswith("F = 128 was fixed by `p.blocks[0].mlp.c_fc.b: f32[F]`")


def test_everything_at_once(gpt2: tdsl.Function) -> None:
    weights = changed(
        ln_f__b=None,
        ln_f__bias=1,
        wpe=lambda a: a[None],
        blocks__0__mlp__c_fc__w=lambda a: a.T,
        blocks__1__attn__c_attn__b=lambda a: a.astype(np.float64),
        blocks__0__ln_1__g="text",
    )
    error = error_of(gpt2, IDS, weights, H=2)
    assert type(error) is tdsl.CallError
    assert (error.code, error.argument) == ("E0701", "p")
    assert lines(error)[0] == (
        "[E0701] argument `p: GPT2[V, N, C, F, L]` of `gpt2` does not fit: 1 part is missing,"
        " 1 part is unknown, 2 arrays have another dtype, 1 array has another rank,"
        " 1 array has another shape"
    )
    for line in (
        "missing `p.ln_f.b: f32[C]` (is it `p.ln_f.bias`?)",
        "unknown `p.ln_f.bias`",
        "`p.wpe` is f32[1, 32, 32]: wants f32[N, C]",
        "`p.blocks[1].attn.c_attn.b` is f64[96]: wants f32[3*C]",
        "`p.blocks[0].ln_1.g` is a Python str: wants f32[C]",
        (
            "`p.blocks[0].mlp.c_fc.w` is f32[128, 32]: wants f32[C, F] = f32[32, 128];"
            " matches if transposed"
        ),
    ):
        assert line in lines(error)
    assert error.diagnostics[0].notes[0].startswith("missing `p.ln_f.b: f32[C]` (is")


def test_many_lines_are_cut(gpt2: tdsl.Function) -> None:
    weights = {**flat(nested_weights()), **{f"name{n}": 0 for n in range(40)}}
    said = lines(error_of(gpt2, IDS, weights, H=2))
    assert len(said) < 24
    assert said[-1] == "… and 24 more"


def test_all_of_another_dtype(gpt2: tdsl.Function) -> None:
    weights = {name: array.astype(np.float64) for name, array in flat(nested_weights()).items()}
    error = error_of(gpt2, IDS, weights, H=2)
    assert isinstance(error, tdsl.DTypeError)
    assert error.code == "E0702"
    assert "28 arrays have another dtype" in str(error)
    assert lines(error)[-1].startswith("help: nothing is cast silently")


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (
            None,
            "argument `p` of `gpt2` must be `GPT2[V, N, C, F, L]`, not None: give a GPT2, a dict",
        ),
        (3, "not a Python int"),
        (np.zeros(3), r"not f64[3]: give a GPT2, a dict or an object with wte, wpe, blocks, ln_f"),
        ({}, "4 parts are missing"),
        (changed(ln_f__b=None), "argument `p` of `gpt2` lacks `p.ln_f.b: f32[C]`"),
        (changed(extra=1), "argument `p` of `gpt2` has an unknown part `p.extra`"),
        (
            {**changed(wte=None), "wt": 1},
            "unknown `p.wt` (did you mean `wte`?)",
        ),
        (changed(wte__x=1), "`p.wte`, which is given both whole and by its parts"),
        (
            {k.replace("blocks.0", "blocks.7"): v for k, v in changed().items()},
            "lacks `p.blocks[0]` and 5 more, where the last is `p.blocks[7]`",
        ),
        ({**nested_weights(), "blocks": []}, "argument `p.blocks` of `gpt2` is empty"),
        (
            {**nested_weights(), "blocks": None},
            "`p.blocks` of `gpt2` must be `[Block[C, F]; L]`, not",
        ),
        ({**nested_weights(), "blocks": iter([1])}, "give a list of its items"),
        (
            {**nested_weights(), "blocks": [nested_weights()["blocks"][0], None]},
            "argument `p.blocks[1]` of `gpt2` must be `Block[C, F]`, not None: give a Block",
        ),
        ({**nested_weights(), "ln_f": None}, "argument `p.ln_f` of `gpt2` must be `LayerNorm[C]`"),
        (
            {**nested_weights(), "wte": None},
            "argument `p.wte` of `gpt2` must be f32[V, C], not None",
        ),
        ({**nested_weights(), "wte": {}}, "must be f32[V, C], not a Python dict"),
    ],
)
def test_parts_that_are_missing_or_of_another_kind(
    gpt2: tdsl.Function, weights: Any, says: str
) -> None:
    for _ in range(2):
        assert says in str(error_of(gpt2, IDS, weights, H=2))


def test_a_value_that_contains_itself_ends(gpt2: tdsl.Function) -> None:
    weights = nested_weights()
    weights["blocks"] = [weights, weights]
    error = error_of(gpt2, IDS, weights, H=2)
    assert "missing `p.blocks[0].ln_1: LayerNorm[C]` (and 1 more like it)" in lines(error)


def test_clauses_name_only_their_own_sizes(gpt2: tdsl.Function) -> None:
    error = error_of(gpt2, IDS, nested_weights(), H=3)
    assert "3 does not divide 32" in str(error)
    assert [line.partition(" ")[0] for line in lines(error) if "was fixed by" in line] == ["C", "H"]
    error = error_of(gpt2, np.zeros(33, np.int32), nested_weights(), H=2)
    assert error.code == "E0507"
    assert [line.partition(" ")[0] for line in lines(error) if "was fixed by" in line] == ["T", "N"]


# --- small ones


def test_lists_of_different_lengths(m: tdsl.Module) -> None:
    row, pair = [arrays(4), arrays(4)], (arrays(4), 1.0)
    error = error_of(m.total, {"rows": [row, row, row], "pairs": [pair, pair]})
    assert "argument `d.pairs` of `total` has the wrong length: wants L = 3, found 2" in str(error)
    assert "L = 3 was fixed by the length of `d.rows`" in lines(error)
    error = error_of(m.total, {"rows": [row, row[:1], row], "pairs": [pair] * 3})
    assert error.argument == "d.rows[1]"
    assert "wants M = 2, found 1" in str(error)
    error = error_of(m.total, {"rows": tdsl.stack([row, row]), "pairs": [pair] * 3})
    assert "wants L = 3, found 2" in str(error) or "wants L = 2, found 3" in str(error)


def test_tuples_in_lists(m: tdsl.Module) -> None:
    row = [arrays(4)]
    for wrong in ((arrays(4),), arrays(4), None, (1, 2, 3)):
        error = error_of(m.total, {"rows": [row], "pairs": [wrong]})
        assert (
            "argument `d.pairs[0]` of `total` must be a tuple of 2 items, `(f32[N], f32)`"
            in str(error)
        )
        assert error.code == "E0502"


def test_what_compile_fixed(m: tdsl.Module) -> None:
    ls = [m.Layer(heads=[m.Head(arrays(3))], bias=arrays(3))] * 2
    error = error_of(m.doubled.compile(D=4), ls)
    assert "4 arrays have another shape" in str(error)
    assert "D = 4 was fixed by `compile(D=4)`" in lines(error)


def test_a_list_from_within_a_stacked_one(m: tdsl.Module) -> None:
    ls = tdsl.stack([m.Layer(heads=[m.Head(arrays(3))], bias=arrays(3))] * 2)
    error = error_of(m.doubled, [{"heads": ls.stacked.heads, "bias": arrays(3)}])
    assert "`ls[0].heads` of `doubled` is the list of one field over all items" in str(error)


def test_items_that_are_no_numbers(m: tdsl.Module) -> None:
    assert "`xs[1]` of `mean_of` must be f32, not a Python str" in str(
        error_of(m.mean_of, [1.0, "a"])
    )
    assert "must be `[f32; L]`, not a Python float" in str(error_of(m.mean_of, 1.0))
    assert "is empty" in str(error_of(m.mean_of, []))
    error = error_of(m.sums, [arrays(3), arrays(0), arrays(3)])
    assert isinstance(error, tdsl.SizeError)
    assert "`xs[1]` of `sums` is empty" in str(error)


def test_numbered_names(m: tdsl.Module) -> None:
    numbered = {"0": arrays(3), "00": arrays(3)}
    assert "a number is written in two ways" in str(error_of(m.sums, numbered))
    error = error_of(m.sums, {"999999999": arrays(3)})
    assert "lacks `xs[0]` and 999999998 more" in str(error)


def test_positional_arrays_in_the_place_of_a_struct(m: tdsl.Module) -> None:
    error = error_of(m.linear, arrays(2, 3), arrays(3, 4), arrays(4))
    assert "`linear` takes 2 arguments, not 3" in str(error)
    error = error_of(m.linear, arrays(2, 3))
    assert "`p: Linear[I, O]` is missing" in str(error)


def test_a_part_under_a_name_of_its_own(m: tdsl.Module) -> None:
    error = error_of(m.linear, arrays(2, 3), {"w": arrays(3, 4), "offset": arrays(4)})
    assert "missing `p.b: f32[O]` (is it `p.offset`?)" in lines(error)
    # An unknown part that says itself what it is meant to be is not asked for twice.
    error = error_of(m.linear, arrays(2, 3), {"w": arrays(3, 4), "bb": arrays(4)})
    assert "missing `p.b: f32[O]`" in lines(error)
    assert "unknown `p.bb` (did you mean `b`?)" in lines(error)


def test_several_lists_and_empty_arrays() -> None:
    program = "tdsl 0.1\nstruct S { w: i32 }\n"
    f = tdsl.loads(program + "fn f[N](x: i32[N], y: i32[N], s: S) -> i32[N] { x + y + s.w }\n").f
    s = {"w": np.int32(1)}
    error = error_of(f, [1, 2], [3, 4], s)
    help_ = "help: nothing is cast silently: convert, as with `np.asarray(x, np.int32)`"
    assert help_ in lines(error)
    error = error_of(f, np.ones(0, np.int32), np.ones(0, np.int32), s)
    assert lines(error)[0].endswith("do not fit: 2 arrays are empty")
    assert "`x` is empty: axis 0 has size 0" in lines(error)


def test_the_class_that_is_wanted_has_its_article() -> None:
    program = "tdsl 0.1\nstruct Encoder[C] { w: f32[C] }\n"
    function = tdsl.loads(program + "fn f[C](p: Encoder[C]) -> f32[C] { p.w }").f
    assert "give an Encoder, a dict" in str(error_of(function, None))
