"""Modules in another process: imported ones by name, others with the text that they have."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl

PARTS = "tdsl 0.1\npub fn twice(x: f32) -> f32 { x * 2 }\n"
MAIN = """tdsl 0.1
from parts import twice
pub struct Pair { a: f32, b: f32 }
pub fn f(p: Pair) -> Pair { Pair(a=twice(p.b), b=p.a) }
pub fn window[N](x: f32[N], at: i64) -> f32[1] { slice(x, at=[at], size=[1]) }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts.tdsl").write_text(PARTS)
    (tmp_path / "pairs.tdsl").write_text(MAIN)
    return tmp_path


def again(module: Any) -> Any:
    return pickle.loads(pickle.dumps(module))


def test_a_module_from_a_file(folder: Path) -> None:
    module = tdsl.load(folder / "pairs.tdsl", bounds="clamp", kernels="none")
    found = again(module)
    assert found is not module
    assert (found.__name__, found.__file__, found.__all__) == (
        "pairs",
        module.__file__,
        module.__all__,
    )
    result = found.f(found.Pair(a=1.0, b=2.0))
    assert (result.a, result.b) == (4, 1)
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(found.window(x, np.int64(9)), [2])
    assert found.__kernels__ == "none"
    assert copy.deepcopy(module).f(module.Pair(a=1.0, b=2.0)).a == 4


def test_it_is_what_it_was_when_it_was_pickled(folder: Path) -> None:
    data = pickle.dumps(tdsl.load(folder / "pairs.tdsl"))
    (folder / "pairs.tdsl").write_text("tdsl 0.1\npub fn other(x: f32) -> f32 { x }\n")
    found = pickle.loads(data)
    assert found.f({"a": 1.0, "b": 2.0}).a == 4
    assert not hasattr(found, "other")


def test_in_another_process(folder: Path) -> None:
    (folder / "module.pickle").write_bytes(pickle.dumps(tdsl.load(folder / "pairs.tdsl")))
    (folder / "text.pickle").write_bytes(pickle.dumps(tdsl.loads(PARTS, name="text")))
    script = (
        "import pickle\n"
        "module = pickle.load(open('module.pickle', 'rb'))\n"
        "text = pickle.load(open('text.pickle', 'rb'))\n"
        "print(module.f({'a': 1.0, 'b': 2.0}).a, text.twice(3.0), module, text)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"4.0 6.0 {tdsl.load(folder / 'pairs.tdsl')} <tdsl module 'text'>\n"


def test_an_imported_module_is_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    import tdsl.importer  # noqa: F401

    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module("pairs")
    monkeypatch.setitem(sys.modules, "pairs", module)
    assert again(module) is module


def test_what_cannot_be_found_again_says_so(folder: Path) -> None:
    data = pickle.dumps(tdsl.load(folder / "pairs.tdsl"))
    (folder / "parts.tdsl").unlink()
    with pytest.raises(tdsl.CompileError, match=r"E08.*parts"):
        pickle.loads(data)
    with pytest.raises(TypeError, match="has no program"):
        pickle.dumps(tdsl.Module("empty"))
