"""`bind` takes weights from everything that holds them, and they mean the same."""

from __future__ import annotations

import io
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from weights_support import (
    C,
    F,
    L,
    V,
    check,
    flat,
    gguf_file,
    nested,
    program,
    safetensors_bytes,
    turned,
    write,
)

import tdsl
from tdsl.runtime.weights import progress
from tdsl.runtime.weights.progress import shown


@pytest.fixture(scope="module")
def module() -> Any:
    return program()


@pytest.fixture(scope="module")
def weights() -> dict[str, Any]:
    return nested()


@dataclass
class Linear:
    weight: np.ndarray
    bias: np.ndarray


@dataclass
class Layer:
    up: Linear
    down: Linear
    gain: np.ndarray


class Tuple(NamedTuple):
    table: Any
    layers: Any


class Module:
    """An object that does not list what it holds; it has other things too."""

    training = True

    def __init__(self, **parts: Any) -> None:
        self.__dict__["parts"] = parts

    def __getattr__(self, name: str) -> Any:
        try:
            return self.parts[name]
        except KeyError:
            raise AttributeError(name) from None


def test_nested_dicts_and_lists(module: Any, weights: dict[str, Any]) -> None:
    bound = module.Net.bind(weights)
    check(module, bound, weights)
    assert bound.layers.stacked.up.weight.shape == (L, C, F)
    assert bound.nbytes == sum(array.nbytes for array in flat(weights).values())
    assert bound.table is not weights["table"]
    assert np.shares_memory(bound.table, weights["table"])


def test_dataclasses_and_tuples(module: Any, weights: dict[str, Any]) -> None:
    layers = [
        Layer(Linear(**one["up"]), Linear(**one["down"]), one["gain"]) for one in weights["layers"]
    ]
    check(module, module.Net.bind(Tuple(weights["table"], tuple(layers))), weights)
    check(module, module.Net.bind(SimpleNamespace(table=weights["table"], layers=layers)), weights)


def test_structs_of_the_program(module: Any, weights: dict[str, Any]) -> None:
    layers = [
        module.Layer(module.Linear(**one["up"]), module.Linear(**one["down"]), one["gain"])
        for one in weights["layers"]
    ]
    check(module, module.Net.bind(module.Net(weights["table"], layers)), weights)
    stacked = module.Net(weights["table"], tdsl.stack(layers))
    check(module, module.Net.bind(stacked), weights)
    check(module, module.Net.bind({"table": weights["table"], "layers": stacked.layers}), weights)


def test_objects_with_attributes(module: Any, weights: dict[str, Any]) -> None:
    layers = [
        Module(up=Module(**one["up"]), down=Module(**one["down"]), gain=one["gain"])
        for one in weights["layers"]
    ]
    check(module, module.Net.bind(Module(table=weights["table"], layers=layers)), weights)
    renamed = Module(wte=weights["table"], body=Module(h=layers))
    bound = module.Net.bind(renamed, rename={"table": "wte", "layers": "body.h"})
    check(module, bound, weights)


def test_flat_names(module: Any, weights: dict[str, Any]) -> None:
    check(module, module.Net.bind(flat(weights)), weights)
    renamed = {
        name.replace("layers", "model.h").replace("up", "mlp.fc"): array
        for name, array in flat(weights).items()
    }
    table = {"layers": "model.h", "layers.*.up": "model.h.*.mlp.fc"}
    check(module, module.Net.bind(renamed, rename=table), weights)


def test_of_several_names_the_first_that_is_there(module: Any, weights: dict[str, Any]) -> None:
    arrays = flat(weights)
    arrays["wte"] = arrays.pop("table")
    bound = module.Net.bind(arrays, rename={"table": ("embeddings", "wte")})
    check(module, bound, weights)


def test_safetensors_are_mapped(module: Any, weights: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path / "w.safetensors", safetensors_bytes(flat(weights), {"by": "tests"}))
    file = tdsl.safetensors(path)
    assert file.metadata == {"by": "tests"}
    assert set(file) == set(flat(weights))
    bound = module.Net.bind(file)
    check(module, bound, weights)
    assert np.shares_memory(bound.table, file["table"])
    assert not file["table"].flags.writeable
    path.unlink()
    check(module, bound, weights)
    check(module, pickle.loads(pickle.dumps(bound)), weights)


def test_safetensors_of_the_reference_library(
    module: Any, weights: dict[str, Any], tmp_path: Path
) -> None:
    numpy_files = pytest.importorskip("safetensors.numpy", reason="needs `pip install safetensors`")
    path = tmp_path / "w.safetensors"
    numpy_files.save_file(flat(weights), path)
    check(module, module.Net.bind(tdsl.safetensors(path)), weights)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(module: Any, weights: dict[str, Any], tmp_path: Path, save: Any) -> None:
    arrays = flat(weights)
    arrays["table"] = np.asfortranarray(arrays["table"])
    save(tmp_path / "w.npz", **arrays)
    file = tdsl.npz(tmp_path / "w.npz")
    for name, array in arrays.items():
        np.testing.assert_array_equal(file[name], array)
    check(module, module.Net.bind(file), weights)


def test_npz_holds_bf16_as_two_bytes(module: Any, tmp_path: Path) -> None:
    x = np.arange(3, dtype=np.float32).astype(ml_dtypes.bfloat16)
    np.savez(tmp_path / "w.npz", x=x, scale=np.float32(2), steps=np.zeros((2, 3), np.float32))
    bound = module.Open.bind(tdsl.npz(tmp_path / "w.npz"), cast=True)
    np.testing.assert_array_equal(bound.x, [0, 1, 2])


def test_gguf(module: Any, weights: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="needs `pip install gguf`")
    file = tdsl.gguf(gguf_file(tmp_path / "w.gguf", turned(flat(weights)), test__count=3))
    assert file.metadata["test.count"] == 3
    check(module, module.Net.bind(file, layout="torch", as_is=("table",)), weights)


def test_quantised_gguf(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf", reason="needs `pip install gguf`")
    random = np.random.default_rng(1)
    x = random.standard_normal((5, 64), dtype=np.float32)
    types = gguf.GGMLQuantizationType
    writer = gguf.GGUFWriter(tmp_path / "w.gguf", "tdsl")
    for kind in (types.Q4_1, types.Q8_0, types.Q4_0, types.BF16):
        packed = gguf.quants.quantize(x, kind)
        writer.add_tensor(f"{kind.name}", packed, raw_dtype=kind)
        writer.add_tensor(f"{kind.name}.row", packed[0], raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    file = tdsl.gguf(tmp_path / "w.gguf")
    for name, error in {"Q4_1": 0.2, "Q8_0": 0.02, "Q4_0": 0.3, "BF16": 0.02}.items():
        found = file[name]
        assert found.dtype == (ml_dtypes.bfloat16 if name == "BF16" else np.float32)
        assert np.abs(found.astype(np.float32) - x).max() < error
        np.testing.assert_array_equal(file[f"{name}.row"], found[0])
    assert "from Q4_1" in str(file)
    assert "8 arrays" in repr(file)


def test_rows_that_lie_interleaved(tmp_path: Path) -> None:
    """As llama.cpp writes queries and keys: pairs of rows that are turned are neighbours."""
    pytest.importorskip("gguf", reason="needs `pip install gguf`")
    module = tdsl.loads("tdsl 0.1\npub struct Q[C, D] { q: f32[C, D] }\n")
    halves = np.arange(12 * 2, dtype=np.float32).reshape(12, 2)  # 3 heads of 4 rows
    lying = halves.reshape(3, 2, 2, 2).swapaxes(1, 2).reshape(12, 2)
    path = gguf_file(tmp_path / "w.gguf", {"q": lying}, a__heads=3)
    table = tdsl.names.Names({}, layout="torch", interleaved={"q": "a.heads"})
    np.testing.assert_array_equal(module.Q.bind(tdsl.gguf(path), rename=table).q, halves.T)
    wrong = tdsl.names.Names({}, layout="torch", interleaved={"q": "a.missing"})
    with pytest.raises(tdsl.BindError, match=r"no pairs for None heads"):
        module.Q.bind(tdsl.gguf(path), rename=wrong)


def test_state_dicts_and_modules_of_torch(module: Any, weights: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch", reason="needs `pip install torch`")
    state = {name: torch.from_numpy(array) for name, array in turned(flat(weights)).items()}
    check(module, module.Net.bind(state, layout="torch", as_is=("table",)), weights)

    class Block(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.up = torch.nn.Linear(C, F)
            self.down = torch.nn.Linear(F, C)
            self.gain = torch.nn.Parameter(torch.ones(C))

    class Net(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(V, C)
            self.layers = torch.nn.ModuleList([Block() for _ in range(L)])

    net = Net()
    net.load_state_dict({name.replace("table", "table.weight"): t for name, t in state.items()})
    table = {"table": "table.weight"}
    bound = module.Net.bind(net, rename=table, layout="torch", as_is=("table",))
    check(module, bound, weights)
    half = net.to(torch.bfloat16)
    short = module.Net.bind(half, rename=table, layout="torch", as_is=("table",), cast=True)
    np.testing.assert_allclose(short.table, weights["table"], rtol=0.01)


def test_arrays_of_jax(module: Any, weights: dict[str, Any]) -> None:
    numpy = pytest.importorskip("jax.numpy", reason="needs `pip install jax`")
    arrays = {name: numpy.asarray(array) for name, array in flat(weights).items()}
    check(module, module.Net.bind(arrays), weights)


def test_lists_that_are_stacked_already(module: Any, weights: dict[str, Any]) -> None:
    arrays = {"table": weights["table"]}
    for name in ("up.weight", "up.bias", "down.weight", "down.bias", "gain"):
        items = [flat(layer)[name] for layer in weights["layers"]]
        arrays[f"layers.{name}"] = np.stack(items)
    check(module, module.Net.bind(arrays), weights)


def test_python_numbers_are_scalars(module: Any) -> None:
    x = np.ones(3, np.float16)
    bound = module.Open.bind({"scale": 0.5, "x": x, "steps": [x, x]})
    assert bound.scale.dtype == np.float16
    assert bound.scale == 0.5


def test_floats_are_cast_on_request(module: Any) -> None:
    x = np.array([1.0, 2.0, 1 / 3])
    source = {"scale": np.float32(2), "x": x, "steps": [x, x]}
    bound = module.Open.bind(source, cast="bf16")
    assert bound.x.dtype == bound.steps.stacked.dtype == bound.scale.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(bound.x, x.astype(ml_dtypes.bfloat16))
    assert module.Open.bind(source, cast=np.float16).x.dtype == np.float16
    assert module.Open.bind(source, cast=True).scale.dtype == np.float64  # as most of them
    with pytest.raises(TypeError, match="cast is True, False or a dtype"):
        module.Open.bind(source, cast="float7")


def test_arrays_in_any_order_and_byte_order(module: Any, weights: dict[str, Any]) -> None:
    arrays = flat(weights)
    arrays["table"] = np.asfortranarray(arrays["table"]).astype(">f4")
    arrays["layers.1.gain"] = np.repeat(arrays["layers.1.gain"], 2)[::2]
    check(module, module.Net.bind(arrays), weights)


def test_a_tied_head_is_read_once(tmp_path: Path) -> None:
    module = tdsl.loads("tdsl 0.1\npub struct Tied[V, C] { table: f32[V, C], head: f32[V, C] }\n")
    path = write(tmp_path / "w", safetensors_bytes({"e": np.ones((3, 2), np.float64)}))
    bound = module.Tied.bind(tdsl.safetensors(path), rename={"table": "e", "head": "e"}, cast=True)
    assert np.shares_memory(bound.table, bound.head)


def test_what_progress_is_told(module: Any, weights: dict[str, Any]) -> None:
    seen: list[tuple[int, int]] = []
    bound = module.Net.bind(weights, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (bound.nbytes, bound.nbytes)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("progress", "size", "terminal", "is_shown"),
    [
        (None, progress.LARGE, True, True),
        (None, progress.LARGE - 1, True, False),
        (None, progress.LARGE, False, False),
        (False, progress.LARGE, True, False),
        (True, 1000, True, True),
    ],
)
def test_a_bar_is_for_large_files_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
    progress: bool | None,
    size: int,
    terminal: bool,
    is_shown: bool,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    written = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with shown(progress, size, "`w.safetensors`") as report:
        report(size // 2, size)
        report(size, size)
    assert ("w.safetensors" in written.getvalue()) == is_shown


def test_a_bar_is_shown_on_request_only(
    module: Any, weights: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    module.Net.bind(weights)
    assert capsys.readouterr() == ("", "")
    module.Net.bind(weights, progress=True)
    out, _ = capsys.readouterr()
    assert out == ""


def test_copies_begin_at_multiples_of_64_bytes(module: Any, weights: dict[str, Any]) -> None:
    bound = module.Net.bind(weights)
    assert bound.layers.stacked.up.weight.ctypes.data % 64 == 0


def test_a_class_without_its_program_says_so(module: Any) -> None:
    code = pickle.dumps(module.Linear(1, 2))
    other = type(pickle.loads(code))
    assert other is not module.Linear
    with pytest.raises(TypeError, match="without its program"):
        other.bind({})
