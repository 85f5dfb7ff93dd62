"""Structs, lists and tuples as classes, arguments and results."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from struct_programs import SMALL, arrays

import tdsl
from tdsl.check.modules import check_source
from tdsl.runtime.module import Module, fill
from tdsl.syntax.source import Source


@pytest.fixture(scope="module")
def m() -> tdsl.Module:
    return tdsl.loads(SMALL, name="small")


# --- classes


def test_classes_are_frozen_dataclasses(m: tdsl.Module) -> None:
    assert m.Linear is m.Linear
    assert issubclass(m.Linear, tdsl.Struct)
    p = m.Linear(w=arrays(4, 5), b=arrays(5))
    assert repr(p) == "Linear(w=f32[4, 5], b=f32[5])"
    assert dataclasses.is_dataclass(p)
    with pytest.raises(dataclasses.FrozenInstanceError):
        p.w = 1
    match p:
        case m.Linear(w, b):
            assert w is p.w
            assert b is p.b
    assert p == p
    assert p != m.Linear(p.w, p.b)  # arrays have no one answer to ==
    assert dataclasses.replace(p, b=None).w is p.w


def test_classes_tell_what_the_definition_says(m: tdsl.Module) -> None:
    documentation = inspect.getdoc(m.Linear) or ""
    assert documentation.startswith("An affine map.\n\nstruct Linear[I, O]\n")
    assert "w: f32[I, O]  stored [in, out]" in documentation
    fields = {field.name: field for field in dataclasses.fields(m.Linear)}
    assert fields["w"].type == "f32[I, O]"
    assert fields["w"].metadata["doc"] == "stored [in, out]"
    assert str(inspect.signature(m.Net)).startswith("(layers: '[Linear[C, C]; L]', head")
    assert m.Linear.__module__ == "small"
    assert "Linear" in m.__all__
    with pytest.raises(AttributeError, match="no function or struct `Linaer`; did you mean `Lin"):
        _ = m.Linaer


def test_functions_show_their_structs(m: tdsl.Module) -> None:
    assert str(inspect.signature(m.linear)) == "(x: 'f32[M, I]', p: 'Linear[I, O]') -> 'f32[M, O]'"
    assert repr(m.sums) == "<tdsl function sums(xs: [f32[N]; L]) -> [f32[N]; L]>"


def test_a_name_that_python_keeps_for_itself(m: tdsl.Module) -> None:
    p = m.Pair(a=arrays(3), lambda_=arrays(3, seed=1))
    assert m.Pair.__match_args__ == ("a", "lambda_")
    for given in (p, {"a": p.a, "lambda": p.lambda_}, {"a": p.a, "lambda_": p.lambda_}):
        swapped = m.swap(given)
        np.testing.assert_array_equal(swapped.a, p.lambda_)
        np.testing.assert_array_equal(swapped.lambda_, p.a)


def test_pickles_and_copies(m: tdsl.Module) -> None:
    p = m.Linear(w=arrays(4, 5), b=arrays(5))
    for other in (copy.copy(p), copy.deepcopy(p)):
        assert type(other) is m.Linear
    both = pickle.loads(pickle.dumps([p, p, m.twice(p)]))
    assert both[0] is both[1]
    assert type(both[0]) is type(both[2])
    assert isinstance(both[0], tdsl.Struct)
    np.testing.assert_array_equal(m.linear(arrays(2, 4), both[0]), m.linear(arrays(2, 4), p))
    function = pickle.loads(pickle.dumps(m.twice))
    np.testing.assert_array_equal(function(both[0]).b, p.b * 2)


def test_pickles_in_another_process(m: tdsl.Module, tmp_path: Path) -> None:
    stacked = m.doubled([m.Layer(heads=[m.Head(arrays(3))], bias=arrays(3))])
    (tmp_path / "data").write_bytes(pickle.dumps((stacked, m.doubled)))
    code = "import pickle, sys; x, f = pickle.load(open(sys.argv[1], 'rb')); print(f(x)[0])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "data")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Layer(heads=<tdsl.StackedList of 1: Head(w=f32[1, 3])>")


def test_imported_modules_share_their_classes_with_pickles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tdsl.importer

    (tmp_path / "structs_here.tdsl").write_text(SMALL)
    (tmp_path / "structs_user.tdsl").write_text(
        "tdsl 0.1\nfrom structs_here import Linear, linear\n"
        "pub fn f[M, N](x: f32[M, N], p: Linear[N, N]) -> Linear[N, N] {\n"
        "    Linear(w=p.w, b=sum(linear(x, p), axis=0))\n}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    tdsl.importer.install()
    import structs_here
    import structs_user

    p = structs_here.Linear(w=arrays(3, 3), b=arrays(3))
    assert type(pickle.loads(pickle.dumps(p))) is structs_here.Linear
    result = structs_user.f(arrays(2, 3), p)
    assert type(result) is structs_user.Linear
    np.testing.assert_array_equal(structs_here.twice(result).w, p.w * 2)


def test_one_class_for_many_threads() -> None:
    fresh = tdsl.loads(SMALL, name="small")
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(fresh.Net)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*found}) == 1


def test_programs_warn_once() -> None:
    text = "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] {\n    let y = x\n    x\n}\n"
    with pytest.warns(tdsl.ProgramWarning, match=r"^\[W0004\] .*`y`") as caught:
        tdsl.loads(text, name="warned")
    assert len(caught) == 1
    assert (caught[0].filename, caught[0].lineno) == ("<warned>", 3)


def test_a_program_that_is_loaded_again_does_not_warn_again() -> None:
    text = "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] {\n    let y = x\n    x\n}\n"
    module = Module("warned")
    result = check_source(Source("<warned>", text), None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(2):
            fill(module, result, None, "all")
    assert len(caught) == 1


def test_a_module_that_is_loaded_again_has_new_classes() -> None:
    module = Module("again")
    fill(module, check_source(Source("<again>", SMALL), None), None, "all")
    old = module.Linear
    fill(module, check_source(Source("<again>", SMALL), None), None, "all")
    assert module.Linear is not old
    np.testing.assert_array_equal(module.twice(old(arrays(2, 2), arrays(2))).b, arrays(2) * 2)


# --- arguments


def test_lists_of_lists_and_tuples(m: tdsl.Module) -> None:
    rows = [[arrays(4, seed=7 * i + j) for j in range(2)] for i in range(3)]
    pairs = [(arrays(4, seed=i), float(i)) for i in range(3)]
    expected = sum(map(sum, rows)) + sum(v * s for v, s in pairs)
    for given_rows in (rows, np.array(rows), tdsl.stack(rows), [tdsl.stack(row) for row in rows]):
        for given_pairs in (pairs, tdsl.stack([(v, np.float32(s)) for v, s in pairs])):
            got = m.total({"rows": given_rows, "pairs": given_pairs})
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_lists_of_structs_of_lists(m: tdsl.Module, length: int) -> None:
    heads = arrays(length, 2, 3)
    layers = [
        m.Layer(heads=[m.Head(heads[i, 0]), m.Head(heads[i, 1])], bias=arrays(3, seed=i))
        for i in range(length)
    ]
    bias = np.array([layer.bias for layer in layers])
    stacked = tdsl.stack(layers)
    forms = [
        layers,
        stacked,
        stacked.stacked,
        {"heads": [m.Head(heads[:, 0]), {"w": heads[:, 1]}], "bias": bias},
        [dataclasses.replace(layer, heads=tdsl.stack(layer.heads)) for layer in layers],
    ]
    for given in forms:
        result = m.doubled(given)
        assert len(result) == length
        np.testing.assert_array_equal(result.stacked.heads.stacked.w, heads)
        np.testing.assert_array_equal(result.stacked.bias, bias * 2)
        np.testing.assert_array_equal(result[0].heads[1].w, heads[0, 1])
        np.testing.assert_array_equal(m.doubled(result).stacked.bias, bias * 4)


def test_a_list_of_another_axis_is_not_mistaken_for_a_right_one(m: tdsl.Module) -> None:
    right = tdsl.stack([m.Layer(heads=[m.Head(arrays(3))] * 2, bias=arrays(3))] * 2)
    heads = right.stacked.heads
    assert (heads.axis, len(heads)) == (1, 2)
    m.doubled(right)
    turned = tdsl.StackedList(heads.stacked, 0)
    wrong = tdsl.StackedList(m.Layer(heads=turned, bias=right.stacked.bias))
    for _ in range(2):
        m.doubled(right)
        with pytest.raises(tdsl.CallError, match="lists around it"):
            m.doubled(wrong)


def test_lists_of_arrays_and_of_numbers(m: tdsl.Module) -> None:
    xs = arrays(3, 4)
    expected = np.cumsum(xs, axis=0)
    for given in (xs, list(xs), tuple(xs), tdsl.stack(list(xs)), xs[::-1][::-1], xs.astype(">f4")):
        result = m.sums(given)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)
        np.testing.assert_allclose(result[-1], expected[-1], rtol=1e-6)
    for numbers in ([1, 2.5, np.float32(3)], np.array([1, 2.5, 3], np.float32)):
        assert m.mean_of(numbers) == pytest.approx(6.5 / 3)
    assert m.mean_of([4.0]) == 4.0


def test_dtypes_of_structs_are_parameters(m: tdsl.Module) -> None:
    for dtype in (np.float32, np.float64, np.float16):
        p = m.Pair(a=np.arange(3, dtype=dtype), lambda_=np.ones(3, dtype))
        assert m.swap(p).a.dtype == dtype
    with pytest.raises(tdsl.DTypeError, match=r"E = f32 was fixed by argument `p\.a`") as caught:
        m.swap(m.Pair(arrays(3), np.ones(3)))
    assert caught.value.argument == "p.lambda"


def test_arrays_in_structs_in_any_layout(m: tdsl.Module) -> None:
    x, w, b = arrays(3, 4), arrays(4, 5), arrays(5)
    expected = x @ w + b
    prepared = m.Linear(w, b)
    np.testing.assert_allclose(m.linear(x, prepared), expected, rtol=1e-5)
    swapped = m.Linear(w.astype(">f4"), b)
    read_only = w.copy()
    read_only.flags.writeable = False
    for given in (
        m.Linear(w.T.copy().T, b),
        swapped,
        swapped,
        m.Linear(np.repeat(w, 2, axis=1)[:, ::2], b),
        m.Linear(read_only, b),
    ):
        np.testing.assert_allclose(m.linear(x, given), expected, rtol=1e-5)
        np.testing.assert_allclose(m.linear(x=x, p=given), expected, rtol=1e-5)


def test_defaults_with_structs(m: tdsl.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    p = m.Head(arrays(3))
    calls = {
        (1.5, 2): lambda: m.moved(p),
        (1.5, 3): lambda: m.moved(p, k=3),
        (0.5, 2): lambda: m.moved(p, 0.5),
        (4, 1): lambda: m.moved(k=1, by=4, p=p),
    }
    for times in range(2):
        for (by, k), call in calls.items():
            np.testing.assert_allclose(call(), p.w * np.float32(by) + k, rtol=1e-6)
        if not times:
            monkeypatch.setattr(m.moved, "_call_slowly", None)


def test_arrays_of_other_libraries_in_structs(m: tdsl.Module) -> None:
    class Foreign:
        def __init__(self, array: Any) -> None:
            self.array = array

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    x, w, b = arrays(3, 4), arrays(4, 5), arrays(5)
    expected = m.linear(x, m.Linear(w, b))
    np.testing.assert_array_equal(m.linear(x, m.Linear(Foreign(w), Foreign(b))), expected)
    np.testing.assert_array_equal(m.sums([Foreign(b), b]).stacked, m.sums([b, b]).stacked)


def test_many_threads_call_at_once(m: tdsl.Module) -> None:
    items = [m.Layer(heads=[m.Head(arrays(3, seed=i))], bias=arrays(3, seed=i)) for i in range(4)]
    stacked = tdsl.stack(items)
    failures: list[str] = []

    def work() -> None:
        for _ in range(50):
            for given in (stacked, items):
                if not np.array_equal(m.doubled(given).stacked.bias, stacked.stacked.bias * 2):
                    failures.append("wrong")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_results_share_nothing_with_arguments(m: tdsl.Module) -> None:
    ls = tdsl.stack([m.Layer(heads=[m.Head(arrays(3))], bias=arrays(3))])
    before = ls.stacked.heads.stacked.w.copy()
    result = m.doubled(ls)
    ls.stacked.heads.stacked.w[:] = 0
    np.testing.assert_array_equal(result.stacked.heads.stacked.w, before)


def test_nested_results(m: tdsl.Module) -> None:
    x = arrays(4)
    head, (total, parts) = m.several(x)
    assert isinstance(head, m.Head)
    np.testing.assert_allclose(head.w, x + 1)
    np.testing.assert_allclose(total, x.sum(), rtol=1e-5)
    assert isinstance(parts, tdsl.StackedList)
    np.testing.assert_allclose(np.asarray(parts), [x * 2, x * 3])


# --- stacked lists


def test_stacked_lists_are_sequences_of_views(m: tdsl.Module) -> None:
    items = [m.Linear(arrays(2, 3, seed=i), arrays(3, seed=i)) for i in range(4)]
    stacked = tdsl.stack(items)
    assert tdsl.stack(stacked) is stacked
    assert repr(stacked) == "<tdsl.StackedList of 4: Linear(w=f32[4, 2, 3], b=f32[4, 3])>"
    assert len(stacked) == len(list(stacked)) == 4
    for item, other in zip(items, stacked, strict=True):
        assert type(other) is m.Linear
        np.testing.assert_array_equal(item.w, other.w)
    assert stacked[-1].w.base is stacked.stacked.w
    assert len(stacked[1:3]) == 2
    np.testing.assert_array_equal(stacked[1:3][1].b, items[2].b)
    for outside in (4, -5):
        with pytest.raises(IndexError, match=f"item {outside} of a list of 4"):
            _ = stacked[outside]
    with pytest.raises(AttributeError, match="cannot change"):
        stacked.stacked = None  # type: ignore[misc]
    with pytest.raises(TypeError, match="only a list of arrays is an array"):
        np.asarray(stacked)
    again = pickle.loads(pickle.dumps(stacked))
    np.testing.assert_array_equal(again[2].w, items[2].w)


def test_lists_in_lists_in_lists() -> None:
    cube = arrays(2, 3, 4, 5)
    stacked = tdsl.stack([[list(row) for row in plane] for plane in cube])
    assert [stacked.axis, stacked.stacked.axis, stacked.stacked.stacked.axis] == [0, 1, 2]
    assert [len(stacked), len(stacked[0]), len(stacked[0][0])] == [2, 3, 4]
    np.testing.assert_array_equal(stacked[1][2][3], cube[1, 2, 3])
    np.testing.assert_array_equal(stacked[1:][0][2][1:][0], cube[1, 2, 1])
    np.testing.assert_array_equal(stacked.stacked[2][3], cube[:, 2, 3])


def test_a_scalar_item_is_a_view_too() -> None:
    stacked = tdsl.stack([np.float32(1), np.float32(2)])
    stacked[1][...] = 5
    assert stacked[1] == 5


def test_what_cannot_be_stacked(m: tdsl.Module) -> None:
    endless: list[Any] = []
    endless.append(endless)
    around: dict[str, Any] = {}
    around["a"] = around
    for items, says in (
        ([arrays(3), arrays(4)], r"item 0 is f32\[3\], item 1 is f32\[4\]"),
        ([arrays(3), np.zeros(3)], r"item 0 is f32\[3\], item 1 is f64\[3\]"),
        ([], "nothing to stack"),
        ([m.Head(arrays(3)), m.Linear(1, 2)], "not of one form"),
        ([m.Head(None)], "is None, and no array"),
        ([[arrays(3)], arrays(3)], "and other items are lists"),
        (endless, "does it contain itself"),
        ([around], "does it contain itself"),
        (3, "takes a sequence of items, not a Python int"),
        ({"a": 1}, "takes a sequence of items, not a Python dict"),
    ):
        with pytest.raises((ValueError, TypeError), match=says):
            tdsl.stack(items)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"`w` has 3, `b` has 2"):
        tdsl.StackedList(m.Linear(arrays(3, 3), arrays(2)))
    with pytest.raises(ValueError, match="`w` has none"):
        tdsl.StackedList(m.Head(3.0))
