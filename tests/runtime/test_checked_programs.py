"""Checked programs in the disk cache: what they give is what checking gives, for the same texts."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import tdsl
from tdsl.runtime.cache import Cache, open_cache
from tdsl.runtime.programs import open_program
from tdsl.runtime.testing import run_tests
from tdsl.syntax.source import Source

HELPER = "tdsl 0.1\n## Twice.\npub fn twice[N](x: f32[N]) -> f32[N] { x + x }\n"
MAIN = """tdsl 0.1
from parts import twice
from std.nn import softmax
pub struct Pair[N] { left: f32[N], right: f32[N] }
pub fn f[N](p: Pair[N], x: f32[N]) -> f32[N] { softmax(twice(p.left) + p.right * x) }
example f[N=3] -> f32[3]
fn hidden[N](x: f32[N]) -> f32[N] { x }
test "f is a distribution" {
    let x = f32(iota(3))
    assert allclose(sum(f(Pair(left=x, right=x), x)), 1.0)
}
"""
FILE = "main.tdsl"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TDSL_CACHE", "1")
    monkeypatch.setenv("TDSL_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "parts.tdsl").write_text(HELPER)
    (tmp_path / FILE).write_text(MAIN)
    return tmp_path


def checked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether loading the program asks the checker."""
    import tdsl.check.modules as modules

    asked = []
    real = modules.check_source
    monkeypatch.setattr(modules, "check_source", lambda *a: asked.append(a) or real(*a))
    tdsl.load(folder / FILE)
    return bool(asked)


def run(m: tdsl.Module) -> np.ndarray:
    one = np.ones(3, np.float32)
    x = np.arange(3, dtype=np.float32)
    return m.f({"left": x, "right": one}, x)


def test_a_program_that_is_known_is_not_checked_and_is_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tdsl.load(folder / FILE)
    assert not checked_again(folder, monkeypatch)
    second = tdsl.load(folder / FILE)
    assert second.__all__ == first.__all__ == ["Pair", "f"]
    assert str(second.f.__signature__) == str(first.f.__signature__)
    assert repr(second.f) == repr(first.f)
    assert second.Pair.__doc__ == first.Pair.__doc__
    assert second.f.mlir() == first.f.mlir(), "the example is known, and the bodies are found"
    np.testing.assert_array_equal(run(second), run(first))
    with pytest.raises(tdsl.CallError, match=r"main\.tdsl:5:13"):
        second.f({"left": np.ones(2, np.float32), "right": np.ones(3, np.float32)}, np.ones(3))


def test_tests_and_functions_are_there(folder: Path) -> None:
    open_program(Source(FILE, MAIN), folder)
    program = open_program(Source(FILE, MAIN), folder).program
    assert program is not None
    assert len(program.root.tests) == 1
    assert all(verdict.passed for verdict in run_tests(program))
    assert [*program.root.functions] == ["f", "hidden"]
    assert program.root.functions["hidden"].locals[0].name == "x"
    with pytest.raises(KeyError):
        program.root.functions["absent"]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("parts.tdsl", "x + x", "x + x + x"), (FILE, "p.right * x", "p.right")],
)
def test_another_text_is_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, before: str, after: str
) -> None:
    old = run(tdsl.load(folder / FILE))
    text = (folder / name).read_text()
    (folder / name).write_text(text.replace(before, after))
    assert checked_again(folder, monkeypatch)
    new = run(tdsl.load(folder / FILE))
    assert not np.array_equal(old, new)
    (folder / name).write_text(text)
    np.testing.assert_array_equal(run(tdsl.load(folder / FILE)), old)


def test_what_runs_is_what_was_loaded(folder: Path) -> None:
    tdsl.load(folder / FILE)
    m = tdsl.load(folder / FILE)
    (folder / "parts.tdsl").write_text(HELPER.replace("x + x", "x * 100.0"))
    (folder / FILE).write_text("not a program")
    assert run(m).sum() == pytest.approx(1)
    assert run(m)[2] / run(m)[1] == pytest.approx(np.exp(3), rel=1e-5)


def test_the_same_text_under_another_name_is_another_module(folder: Path) -> None:
    tdsl.load(folder / FILE)
    (folder / "other.tdsl").write_text(MAIN)
    assert tdsl.load(folder / "other.tdsl").Pair.__module__ == "other"
    assert open_program(Source("other.tdsl", MAIN), folder).program.root.name == "other"


def test_an_import_that_is_gone_is_an_error(folder: Path) -> None:
    tdsl.load(folder / FILE)
    (folder / "parts.tdsl").unlink()
    with pytest.raises(tdsl.CompileError, match="E0803"):
        tdsl.load(folder / FILE)


def test_warnings_are_given_again_and_a_wrong_program_is_never_kept(folder: Path) -> None:
    (folder / "w.tdsl").write_text("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { let y = x\n x }\n")
    for _ in range(2):
        with pytest.warns(tdsl.ProgramWarning, match="W0004"):
            tdsl.load(folder / "w.tdsl")
    (folder / "e.tdsl").write_text("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { y }\n")
    for _ in range(2):
        with pytest.raises(tdsl.CompileError, match="E0801"):
            tdsl.load(folder / "e.tdsl")


def test_the_same_program_elsewhere_shares_the_entry(folder: Path, tmp_path: Path) -> None:
    tdsl.load(folder / FILE)
    store = open_cache()
    assert store is not None
    before = {entry.key for entry in store.entries()}
    other = tmp_path / "elsewhere"
    other.mkdir()
    for name in ("parts.tdsl", FILE):
        (other / name).write_text((folder / name).read_text())
    m = tdsl.load(other / FILE)
    assert {entry.key for entry in store.entries()} == before
    with pytest.raises(tdsl.CallError, match="elsewhere"):
        m.f({"left": 1}, 2)


def test_an_entry_makes_nothing_but_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return (exec, ("raise SystemExit('executed')",))

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "get", lambda self, key: pickle.dumps(Evil()))
        m = tdsl.load(folder / FILE)
    assert run(m).shape == (3,)


def test_a_known_program_imports_no_checker(folder: Path) -> None:
    code = f"""
import sys, warnings, numpy as np, tdsl
m = tdsl.load({str(folder / FILE)!r})
one = np.ones(3, np.float32)
m.f({{"left": one, "right": one}}, one)
print(sorted(m for m in sys.modules if m in ("tdsl.check.checker", "tdsl.syntax.parser", "mlir")))
"""
    for wanted in ("['mlir', 'tdsl.check.checker', 'tdsl.syntax.parser']", "[]"):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == wanted, done.stderr


def test_without_a_cache_programs_are_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TDSL_CACHE", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tdsl.load(folder / FILE)
    assert checked_again(folder, monkeypatch)
