"""`import model` finds `model.tdsl`, checks it, and says what is wrong with it."""

from __future__ import annotations

import importlib
import linecache
import os
import runpy
import subprocess
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
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
    assert module.__spec__.cached is None
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
    with pytest.warns(UserWarning, match=r"imported_both\.py, and not .*imported_both\.tdsl"):
        assert importlib.import_module("imported_both").f == "python"


def test_a_folder_of_the_same_name_is_named(folder: Path) -> None:
    """Every folder is a package to Python, also one that holds the weights of the model."""
    (folder / "imported_model.tdsl").write_text(ONE)
    (folder / "imported_model").mkdir()
    with pytest.warns(UserWarning, match=r"finds the folder .*imported_model, and not .*tdsl"):
        assert not hasattr(importlib.import_module("imported_model"), "f")


def test_a_module_is_no_script(folder: Path) -> None:
    (folder / "imported_script.tdsl").write_text(ONE)
    with pytest.raises(ImportError, match="No code object"):
        runpy.run_module("imported_script")


def test_nothing_is_warned_of_where_nothing_clashes(folder: Path) -> None:
    (folder / "imported_plain.py").write_text("f = 'python'\n")
    (folder / "imported_alone.tdsl").write_text(ONE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.import_module("imported_plain")
        assert importlib.import_module("imported_alone").f


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
    assert [type(finder).__name__ for finder in finders] == ["Watcher", "Finder"]
    assert sys.meta_path[-1] is finders[1]
    tdsl.importer.uninstall()
    try:
        assert not [f for f in sys.meta_path if type(f).__module__ == "tdsl.importer"]
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("imported_not")
    finally:
        tdsl.importer.install()
    assert importlib.import_module("imported_not").f


def test_reload_reads_what_is_imported_again(folder: Path) -> None:
    base = folder / "imported_base.tdsl"
    base.write_text("tdsl 0.1\npub fn g[N](x: f32[N]) -> f32[N] { x * 3.0 }\n")
    (folder / "imported_user.tdsl").write_text(
        "tdsl 0.1\nfrom imported_base import g\npub fn f[N](x: f32[N]) -> f32[N] { g(x) }\n"
    )
    module = importlib.import_module("imported_user")
    old, x = module.f, np.ones(1, np.float32)
    assert old(x) == 3
    base.write_text(base.read_text().replace("3.0", "4.0"))
    importlib.reload(module)
    assert module.f(x) == 4
    assert old(x) == 3, "what it was compiled from"
    base.write_text("tdsl 0.1\npub fn g[N](x: f32[N]) -> f32[N] { y }\n")
    with pytest.raises(ImportError, match=r"imported_base\.tdsl:2:36"):
        importlib.reload(module)
    assert module.f(x) == 4, "the module is as it was"


def test_nothing_is_written_beside_the_sources(folder: Path) -> None:
    (folder / "imported_closed.tdsl").write_text(ONE)
    folder.chmod(0o555)
    try:
        module = importlib.import_module("imported_closed")
        assert module.f(np.zeros(1, np.float32)) == 1
    finally:
        folder.chmod(0o755)
    assert [path.name for path in folder.iterdir()] == ["imported_closed.tdsl"]


def test_pytest_shows_the_line_of_a_wrong_module(folder: Path) -> None:
    (folder / "imported_wrong.tdsl").write_text(
        "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] {\n    missing + x\n}\n"
    )
    (folder / "test_user.py").write_text("import tdsl.importer\nimport imported_wrong\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_user.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert "imported_wrong.tdsl:3:5" in done.stdout
    assert "3 |     missing + x" in done.stdout


@pytest.mark.skipif(find_spec("IPython") is None, reason="needs `pip install ipython`")
def test_ipython_shows_the_line_of_a_wrong_module_and_the_sizes_of_a_right_one(
    folder: Path,
) -> None:
    (folder / "imported_wrong.tdsl").write_text(
        "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] {\n    missing + x\n}\n"
    )
    (folder / "imported_right.tdsl").write_text(ONE.replace("pub fn", "## One more.\npub fn"))
    (folder / "cells.ipy").write_text(
        "import tdsl.importer, imported_right\nimported_right.f?\nimport imported_wrong\n"
    )
    options = ("--no-banner", "--simple-prompt", "--colors=NoColor")
    done = subprocess.run(
        [sys.executable, "-m", "IPython", *options, "cells.ipy"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "IPYTHONDIR": str(folder / "ipython")},
        capture_output=True,
        text=True,
    )
    assert "imported_wrong.tdsl:3:5" in done.stdout
    assert "3 |     missing + x" in done.stdout
    assert "f(x: 'f32[N]') -> 'f32[N]'" in done.stdout
    assert "One more." in done.stdout
