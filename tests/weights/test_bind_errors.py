"""What does not fit is told at once, in the user's names, with a change that was tried."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from weights_support import C, F, L, V, flat, nested, program, turned

import tdsl
from tdsl.runtime.weights.renaming import Names, names_of


@pytest.fixture(scope="module")
def module() -> Any:
    return program()


@pytest.fixture
def arrays() -> dict[str, np.ndarray]:
    return flat(nested())


def refused(bind: Any, *arguments: Any, **named: Any) -> tdsl.BindError:
    with pytest.raises(tdsl.BindError) as caught:
        bind(*arguments, **named)
    assert caught.value.code == "E0701"
    assert caught.value.spans
    return caught.value


def test_everything_is_told_at_once(module: Any, arrays: dict[str, np.ndarray]) -> None:
    del arrays["table"], arrays["layers.1.gain"]
    arrays["tabel"] = np.ones((V, C), np.float32)
    arrays["layers.0.extra"] = np.ones(3, np.float32)
    arrays["layers.0.up.weight"] = arrays["layers.0.up.weight"].astype(np.float64)
    arrays["layers.2.up.bias"] = np.ones(F + 1, np.float32)
    arrays["layers.2.gain"] = np.ones((1, C), np.float32)
    arrays["layers.1.down.bias"] = "text"  # type: ignore[assignment]
    error = refused(module.Net.bind, arrays)
    assert error.missing == ("table", "layers[1].gain")
    assert set(error.unknown) == {"tabel", "layers.0.extra"}
    assert set(error.wrong) == {
        "layers[0].up.weight",
        "layers[1].down.bias",
        "layers[2].gain",
        "layers[2].up.bias",
    }
    text = str(error)
    assert text.startswith(
        "[E0701] the dict does not fit `Net[V, C, F, L]`: 2 fields are missing, 2 names are"
        " unknown, 1 array has another dtype, 2 fields cannot be filled, 1 array has another shape"
    )
    assert "missing `table: f32[V, C]` (is it `tabel`?)" in text
    assert "unknown `layers.0.extra` f32[3]" in text
    assert "`layers[0].up.weight` is f64[4, 6]: wants f32" in text
    assert "`layers[1].down.bias` is a Python str" in text
    assert "`layers[2].gain` is f32[1, 4]: wants 1 axis" in text
    assert "`layers[2].up.bias` is f32[7]: wants f32[F] = [6]" in text
    assert "F = 6 was fixed by `layers[0].up.weight` (and 7 more)" in text


def test_what_is_transposed_is_told_and_a_layout_is_offered(
    module: Any, arrays: dict[str, np.ndarray]
) -> None:
    lying = {**turned(arrays), "table": arrays["table"]}
    error = refused(module.Net.bind, lying, rename={})
    assert "is f32[6, 4]: wants f32[C, F] = [4, 6]; matches if transposed" in str(error)
    assert "(and 2 more like it)" in str(error)
    # The table is a matrix as well, and no linear map.
    assert "help: it fits with layout=\"torch\", as_is=('table',)" in str(error)
    error = refused(module.Net.bind, {**lying, "extra": lying["table"]}, rename={})
    assert 'or give layout="torch" if all linear maps lie so' in str(error)
    assert module.Net.bind(lying, layout="torch", as_is=("table",)).table.shape == (V, C)
    error = refused(module.Net.bind, lying, layout="torch")
    assert "help: it fits with as_is=('table',)" in str(error)
    assert "`table` is f32[7, 4], taken as f32[4, 7]: wants" in str(error)


def test_what_is_no_linear_map_is_offered_before_another_layout() -> None:
    """In another layout the square matrix would lie the wrong way, which no shape can tell."""
    module = tdsl.loads(
        "tdsl 0.1\npub struct Item[V, C] { rows: f32[V, C] }\n"
        "pub struct Net[V, C, L] { table: f32[V, C], square: f32[C, C], items: [Item[V, C]; L] }\n"
    )
    rows = np.ones((5, 3), np.float32)
    arrays = {"table": rows, "square": np.ones((3, 3), np.float32), "items": [{"rows": rows}] * 2}
    text = str(refused(module.Net.bind, arrays, layout="torch", as_is=("items",)))
    assert "help: it fits with as_is=('items', 'table')" in text
    assert "conv1d" not in text
    lying = {**arrays, "wide": np.ones((5, 3), np.float32)}
    wide = tdsl.loads(
        "tdsl 0.1\npub struct Net[V, C] { table: f32[V, C], square: f32[C, C], wide: f32[C, V] }\n"
    )
    del lying["items"]
    text = str(refused(wide.Net.bind, lying))
    assert "help: it fits with layout=\"torch\", as_is=('table',)" in text


def test_a_masked_array_is_called_one() -> None:
    module = tdsl.loads("tdsl 0.1\npub struct A[N] { w: f32[N] }\n")
    masked = np.ma.masked_array(np.ones(3, np.float32))
    assert "`w` is a masked array: pass `.filled(0)`" in str(refused(module.A.bind, {"w": masked}))


def test_a_layout_that_was_tried_is_offered(module: Any) -> None:
    linear = tdsl.loads("tdsl 0.1\npub struct P[C, F] { up: f32[C, F], b: f32[F], a: f32[C] }\n")
    source = {"up": np.ones((F, C), np.float32), "b": np.ones(F, np.float32)}
    source["a"] = np.ones(C, np.float32)
    error = refused(linear.P.bind, source)
    assert 'help: it fits with layout="torch"' in str(error)
    assert linear.P.bind(source, layout="torch").up.shape == (C, F)
    error = refused(linear.P.bind, {**source, "up": np.ones((C, F), np.float32)}, layout="torch")
    assert 'help: it fits with layout="conv1d"' in str(error)


def test_a_table_that_was_tried_is_offered() -> None:
    root = Path(__file__).parents[2]
    gpt2 = tdsl.load(root / "programs/gpt2.tdsl")

    def ones(*shape: int) -> np.ndarray:
        return np.ones(shape, np.float32)

    names = {"wte.weight": ones(11, 4), "wpe.weight": ones(8, 4)}
    for norm in ("h.0.ln_1", "h.0.ln_2", "ln_f"):
        names |= {f"{norm}.weight": ones(4), f"{norm}.bias": ones(4)}
    for name, (inner, outer) in {
        "attn.c_attn": (4, 12),
        "attn.c_proj": (4, 4),
        "mlp.c_fc": (4, 16),
        "mlp.c_proj": (16, 4),
    }.items():
        names |= {f"h.0.{name}.weight": ones(inner, outer), f"h.0.{name}.bias": ones(outer)}
    names["h.0.attn.bias"] = ones(1, 1, 8, 8)
    error = refused(gpt2.GPT2.bind, names)
    assert str(error).endswith("help: it fits with rename=tdsl.names.gpt2_hf")
    assert gpt2.GPT2.bind(names, rename=tdsl.names.gpt2_hf).wpe.shape == (8, 4)
    prefixed = {f"transformer.{name}": array for name, array in names.items()}
    assert gpt2.GPT2.bind(prefixed, rename=tdsl.names.gpt2_hf).wte.shape == (11, 4)


def test_casts_are_offered_and_no_more_than_asked_for(
    module: Any, arrays: dict[str, np.ndarray]
) -> None:
    double = {name: array.astype(np.float64) for name, array in arrays.items()}
    error = refused(module.Net.bind, double)
    assert "nothing is cast silently: it fits with cast=True" in str(error)
    assert "`layers[0].up.weight` (and 2 more like it) is f64[4, 6]: wants f32" in str(error)
    assert module.Net.bind(double, cast=True).table.dtype == np.float32
    whole = {**arrays, "table": arrays["table"].astype(np.int64)}
    assert "of which not every value is one of f32" in str(
        refused(module.Net.bind, whole, cast=True)
    )
    complex_ = {**arrays, "table": arrays["table"].astype(np.complex64)}
    assert "NumPy's complex64, which TDSL lacks" in str(refused(module.Net.bind, complex_))


def test_dtype_parameters_need_one_dtype(module: Any) -> None:
    x, y = np.ones(3, np.float16), np.ones(3, np.float32)
    error = refused(module.Open.bind, {"scale": y[0], "x": y, "steps": [x, y]})
    assert error.wrong == ("steps[0]",)
    assert "cast=True" in str(error)
    numbers = np.ones(3, np.int32)
    error = refused(module.Open.bind, {"scale": numbers[0], "x": numbers, "steps": [numbers]})
    assert "`E` stands for a float dtype" in str(error)


def test_extra_names_can_be_left_out(module: Any, arrays: dict[str, np.ndarray]) -> None:
    arrays["head.weight"] = arrays["head.bias"] = np.ones(3, np.float32)
    error = refused(module.Net.bind, arrays)
    assert "help: leave them out with ignore=('head.weight', …)" in str(error)
    module.Net.bind(arrays, ignore=("head.*",))
    with pytest.raises(TypeError, match=r"write ignore=\('head',\)"):
        module.Net.bind(arrays, ignore="head")


def test_gaps_and_empty_lists(module: Any, arrays: dict[str, np.ndarray]) -> None:
    gap = {name.replace("layers.1", "layers.900000"): a for name, a in arrays.items()}
    error = refused(module.Net.bind, gap)
    assert "missing `layers[1].up.weight: f32[C, F]` (and 3 more like it)" in str(error)
    error = refused(module.Net.bind, {"table": arrays["table"], "layers": []})
    assert "missing `layers[*].gain: f32[C]`" in str(error)
    empty = {**arrays, "table": np.ones((0, C), np.float32)}
    assert "every size is 1 or more" in str(refused(module.Net.bind, empty))


def test_lists_of_different_lengths() -> None:
    module = tdsl.loads("tdsl 0.1\npub struct P[N, L] { a: [f32[N]; L], b: [f32[N]; L] }\n")
    one = np.ones(3, np.float32)
    error = refused(module.P.bind, {"a": [one] * 3, "b": [one] * 2})
    assert "`b` has 2 items: wants L = 3" in str(error) or "`a` has 3 items: wants L = 2" in str(
        error
    )


def test_long_lists_of_faults_are_cut(module: Any, arrays: dict[str, np.ndarray]) -> None:
    many = {f"{'abcdefghijklmnopqrstuvwxyz'[n]}": np.ones(1, np.float32) for n in range(26)}
    text = str(refused(module.Net.bind, {**arrays, **many}))
    assert "26 names are unknown" in text
    assert "… and 18 more lines like these" in text
    assert len(text.splitlines()) < 16


def test_wrong_options_are_told(module: Any, arrays: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match='layout is "conv1d"'):
        module.Net.bind(arrays, layout="keras")
    with pytest.raises(TypeError, match="rename takes a table"):
        module.Net.bind(arrays, rename=["table"])
    with pytest.raises(TypeError, match="rename takes names for names"):
        module.Net.bind(arrays, rename={"table": 3})


def test_keys_of_rename_that_are_no_fields_are_told(module: Any, arrays: Any) -> None:
    names = {"layer.*.up": "h.*.up", "table": "wte", "layers.*.gain": "g.*", "x": "y"}
    text = str(refused(module.Net.bind, arrays, rename=names))
    assert "`layer.*.up` of rename is no field (is it `layers.*.up`?)" in text
    assert "`x` of rename is no field\n" in text
    assert "`table` of rename" not in text
    assert "`layers.*.gain` of rename" not in text


def test_what_dataclasses_and_tuples_hold_besides_is_told() -> None:
    module = tdsl.loads("tdsl 0.1\npub struct A[N] { w: f32[N] }\n")
    one = np.ones(2, np.float32)
    with_bias = dataclasses.make_dataclass("Linear", ["w", "bias"])(one, one)
    named = namedtuple("Linear", ["w", "bias"])(one, one)
    for value in (with_bias, named, SimpleNamespace(w=one, bias=one)):
        assert refused(module.A.bind, value).unknown == ("bias",)


def test_names_that_are_right_as_they_are(module: Any) -> None:
    plain = tdsl.loads("tdsl 0.1\npub struct L[I, O] { weight: f32[I, O], bias: f32[O] }\n")
    arrays = {"weight": np.ones((2, 3), np.float32), "bias": np.ones(3, np.float32)}
    with pytest.raises(tdsl.BindError, match="it fits with the names as they are, without rename"):
        plain.L.bind(arrays, rename={"weight": "w"})
    with pytest.raises(tdsl.BindError, match=r"`wieght` of rename is no field \(is it `weight`"):
        plain.L.bind({"w": arrays["weight"], "bias": arrays["bias"]}, rename={"wieght": "w"})


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("net.safetensors", r"the path 'net.safetensors': open it: `tdsl.safetensors\('net"),
        (Path("some/net.GGUF"), r"`tdsl.gguf\('some/net.GGUF'\)`"),
        (b"net.npz", r"`tdsl.npz\('net.npz'\)`"),
        ("net.pt", r"weights_only=True"),
        (None, "not None"),
        (np.ones(3, np.float32), r"not f32\[3\]"),
        (3, "not a Python int"),
        (dict, "not a Python type"),
    ],
)
def test_what_holds_no_weights_is_told(module: Any, source: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        module.Net.bind(source)


def test_a_name_that_is_there_twice(module: Any) -> None:
    one = np.ones(2, np.float32)
    with pytest.raises(ValueError, match=r"the dict holds `a\.b` twice"):
        module.Net.bind({"a.b": one, "a": {"b": one}})


def test_errors_are_called_in_tracebacks_what_users_write() -> None:
    from tdsl import errors

    kinds = [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, tdsl.Error)]
    assert {tdsl.BindError, tdsl.FileError, tdsl.PackageError} <= {*kinds}
    for kind in kinds:
        assert f"{kind.__module__}.{kind.__qualname__}" == f"tdsl.{kind.__name__}"
        assert getattr(tdsl, kind.__name__) is kind
    error = pickle.loads(pickle.dumps(tdsl.BindError("x", missing=["a"])))
    assert type(error) is tdsl.BindError
    assert error.missing == ("a",)


def test_tables_are_looked_up_from_special_to_general() -> None:
    names = names_of({"a": "x", "a.*.b": "y.*.z", "c": ("d", "e")})
    assert names.candidates("a.3.b.weight") == ("y.3.z.weight",)
    assert names.candidates("a.*.b.weight") == ("y.*.z.weight",)
    assert names.candidates("a.3.other") == ("x.3.other",)
    assert names.candidates("ab") == ("ab",)
    assert names.candidates("c.f") == ("d.f", "e.f")
    assert Names({"a": "x"}, prefixes=("", "m.")).candidates("a") == ("x", "m.x")
    ignoring = Names({}, prefixes=("", "m."), ignore=("h.*.bias",))
    assert ignoring.is_ignored("h.0.bias")
    assert ignoring.is_ignored("m.h.12.bias")
    assert not ignoring.is_ignored("h.0.bias.x")
    assert not ignoring.is_ignored("h.0.other")


@pytest.mark.parametrize(
    ("table", "program", "struct"),
    [
        ("gpt2_hf", "gpt2", "GPT2"),
        ("bert_hf", "bert", "Bert"),
        ("bert_classifier_hf", "bert", "Classifier"),
        ("llama_hf", "llama", "Llama"),
        ("llama_gguf", "llama", "Llama"),
    ],
)
def test_a_table_names_every_field_of_its_struct(table: str, program: str, struct: str) -> None:
    names = getattr(tdsl.names, table)
    module = tdsl.load(Path(__file__).parents[2] / f"programs/{program}.tdsl")
    error = refused(getattr(module, struct).bind, {}, rename=names)
    lines = [line for line in str(error).splitlines() if line.startswith("  missing")]
    assert lines
    for line in lines:
        assert "sought as" in line, line
    assert f"programs/{program}.tdsl" in names.about


def test_a_missing_package_is_told_with_the_line_that_installs_it(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["gguf"] = None
import tdsl
try:
    tdsl.gguf("x.gguf")
except ImportError as error:
    assert isinstance(error, tdsl.PackageError) and error.code == "E0706"
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "help: pip install gguf" in done.stdout


def test_weights_that_fit_are_checked_by_calls_too(module: Any) -> None:
    """A bound struct of another size than the call needs is refused as any argument is."""
    bound = module.Net.bind(nested())
    with pytest.raises(tdsl.CallError):
        module.net(np.zeros((2, 2), np.int32), bound)
    assert len(bound.layers) == L
