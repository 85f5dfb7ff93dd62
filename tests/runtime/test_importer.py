"""`import model` finds `model.tdsl`, checks it, and says what is wrong with it."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tdsl
import tdsl.importer

ONE = "## A model.\ntdsl 0.1\n\npub fn f[N](x: f32[N]) -> f32[N] { x + 1.0 }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    tdsl.importer.install()
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("imported_")]:
        del sys.modules[name]


def test_a_module_is_found_and_called(folder: Path) -> None:
    (folder / "imported_one.tdsl").write_text(ONE)
    module = importlib.import_module("imported_one")
    assert module.f(np.zeros(2, np.float32)).tolist() == [1, 1]
    assert module.__file__ == str(folder / "imported_one.tdsl")
    assert module.__spec__.origin == module.__file__
    assert module.__doc__ == "A model."
    assert module.__all__ == ["f"]
    assert linecache.getline(module.__file__, 4).startswith("pub fn f")
    from imported_one import f

    assert f is module.f
    assert not (folder / "__pycache__").exists()


def test_dotted_names_and_imports_among_programs(folder: Path) -> None:
    package = folder / "imported_package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inner" / "two.tdsl").write_text(
        "tdsl 0.1\nfrom imported_package.base import g\npub fn f[N](x: f32[N]) -> f32[N] { g(x) }\n"
    )
    (package / "base.tdsl").write_text("tdsl 0.1\npub fn g[N](x: f32[N]) -> f32[N] { x * 3.0 }\n")
    module = importlib.import_module("imported_package.inner.two")
    assert module.__name__ == "imported_package.inner.two"
    assert module.f(np.ones(2, np.float32)).tolist() == [3, 3]


def test_python_files_win(folder: Path) -> None:
    (folder / "imported_both.tdsl").write_text(ONE)
    (folder / "imported_both.py").write_text("f = 'python'\n")
    assert importlib.import_module("imported_both").f == "python"


def test_a_wrong_module_is_an_import_error_with_a_place(folder: Path) -> None:
    file = folder / "imported_wrong.tdsl"
    file.write_text("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] {\n    y\n}\n")
    with pytest.raises(ImportError) as caught:
        importlib.import_module("imported_wrong")
    error = caught.value
    assert isinstance(error, tdsl.CompileError)
    assert error.name == "imported_wrong"
    assert error.path == error.filename == str(file)
    assert error.lineno == 3
    assert "error[E0801]" in str(error)
    assert "imported_wrong" not in sys.modules
    file.write_text(ONE)
    importlib.invalidate_caches()
    assert importlib.import_module("imported_wrong").f


def test_a_file_that_is_no_text(folder: Path) -> None:
    (folder / "imported_bytes.tdsl").write_bytes(b"tdsl 0.1\n\xff\xfe")
    with pytest.raises(ImportError, match="E0116"):
        importlib.import_module("imported_bytes")


def test_reload_reads_again_and_old_functions_stay_valid(folder: Path) -> None:
    file = folder / "imported_again.tdsl"
    file.write_text(ONE + "pub fn gone(x: f32) -> f32 { x }\n")
    module = importlib.import_module("imported_again")
    old, x = module.f, np.zeros(1, np.float32)
    assert old(x) == 1
    assert module.gone
    file.write_text(ONE.replace("1.0", "2.0"))
    linecache.checkcache()
    assert "1.0" in linecache.getline(module.__file__, 4), (
        "what was imported, not what is there now"
    )
    assert importlib.reload(module) is module
    assert module.f(x) == 2
    assert old(x) == 1
    assert not hasattr(module, "gone")
    assert "2.0" in linecache.getline(module.__file__, 4)


def test_install_once_and_uninstall(folder: Path) -> None:
    (folder / "imported_not.tdsl").write_text(ONE)
    tdsl.importer.install()
    finders = [f for f in sys.meta_path if type(f).__module__ == "tdsl.importer"]
    assert len(finders) == 1
    assert sys.meta_path[-1] is finders[0]
    tdsl.importer.uninstall()
    try:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("imported_not")
    finally:
        tdsl.importer.install()
    assert importlib.import_module("imported_not").f
