"""Compiled functions out of the disk cache: when they are used, and that they are the right ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tdsl
from tdsl.check.modules import check_source
from tdsl.lowering.options import Kernels, Options
from tdsl.runtime import build as building
from tdsl.runtime import keys
from tdsl.runtime.cache import open_cache
from tdsl.runtime.keys import instance_key
from tdsl.runtime.storing import Stored
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import Substitution

PROGRAM = """tdsl 0.1
from std.nn import softmax
pub fn soft[N](x: f32[N]) -> f32[N] { softmax(x) }
pub fn pick[N, M](x: f32[N], i: i32[M]) -> f32[M] { take(x, i) }
pub fn both[N](x: f32[N], y: f64[N]) -> (f32[N], f64[N]) { (x * x, y + 1.0) }
"""

RUN = """
import sys
import numpy as np
import tdsl
m = tdsl.load(sys.argv[1])
x = np.arange(5, dtype=np.float32)
a, b = m.both(x, x.astype(np.float64))
np.testing.assert_array_equal(a, x * x)
np.testing.assert_array_equal(b, x + 1.0)
e = np.exp(x - 4)
np.testing.assert_allclose(m.soft(x), e / e.sum(), rtol=1e-6)
for n in (2, 3, 4):
    assert m.pick(x, np.ones(n, np.int32)).shape == (n,)
try:
    m.pick(x, np.array([7], np.int32))
except IndexError as error:
    print(error)
print("mlir" in sys.modules)
"""


def run(program: Path, folder: Path, **environment: str) -> list[str]:
    """What RUN prints in a fresh process: the text of an error, and whether MLIR was imported."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(program)],
        capture_output=True,
        text=True,
        env={**os.environ, "TDSL_CACHE_DIR": str(folder), **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "one" / "model.tdsl"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    return path


def test_a_second_process_does_not_import_mlir(program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    first = run(program, folder)
    assert first[1] == "True"
    assert first[0].endswith(f"({program}:4:53)")
    assert run(program, folder, PYTHONHASHSEED="7") == [first[0], "False"]


def test_the_same_program_elsewhere_has_the_same_code_and_its_own_lines(
    program: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "cache"
    first = run(program, folder)
    other = tmp_path / "two" / "model.tdsl"
    other.parent.mkdir()
    other.write_text(PROGRAM)
    expected = first[0].replace(str(program), str(other))
    assert run(other, folder) == [expected, "False"]
    shifted = tmp_path / "three" / "model.tdsl"
    shifted.parent.mkdir()
    shifted.write_text(PROGRAM.replace("pub fn soft", "\n\npub fn soft"))
    found = run(shifted, folder)
    assert found[0].endswith(f"({shifted}:6:53)")
    assert found[1] == "True"


@pytest.mark.parametrize("wrong", ["flip", "cut", "gone", "stranger"])
def test_spoilt_code_is_compiled_again(program: Path, tmp_path: Path, wrong: str) -> None:
    folder = tmp_path / "cache"
    first = run(program, folder)
    for payload in (folder / "code").glob("*/payload"):
        data = bytearray(payload.read_bytes())
        if wrong == "flip":
            data[len(data) // 2] ^= 4
            payload.write_bytes(data)
        elif wrong == "cut":
            payload.write_bytes(data[: len(data) // 2])
        elif wrong == "gone":
            payload.unlink()
        else:
            payload.write_bytes(b"\x7fELF" + bytes(len(data) - 4))
    assert run(program, folder) == first
    assert run(program, folder) == [first[0], "False"]


def test_the_cache_can_be_switched_off(program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    for _ in range(2):
        assert run(program, folder, TDSL_CACHE="0")[1] == "True"
    assert not (folder / "code").exists()


def test_a_folder_that_cannot_be_written(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    for _ in range(2):
        assert run(program, tmp_path / "cache")[1] == "True"


def test_many_processes_at_once(program: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "TDSL_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", RUN, str(program)]
    processes = [subprocess.Popen(command, env=environment, stdout=-3) for _ in range(3)]
    assert [process.wait(120) for process in processes] == [0] * 3
    assert run(program, tmp_path / "cache")[1] == "False"


# --- in this process


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache."""
    monkeypatch.setenv("TDSL_CACHE_DIR", str(tmp_path / "fresh"))
    return tmp_path / "fresh"


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the functions that are compiled from here on."""
    names: list[str] = []
    original = building._compile

    def spy(*arguments: object) -> Stored:
        names.append(arguments[1].function.name)  # type: ignore[attr-defined]
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(building, "_compile", spy)
    return names


def test_one_process_compiles_once(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = compiled(monkeypatch)
    x = np.arange(5, dtype=np.float32)
    results = [tdsl.loads(PROGRAM).soft(x) for _ in range(3)]
    assert names == ["soft"]
    assert all(np.array_equal(result, results[0]) for result in results)


def test_code_that_does_not_link_is_compiled_again(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = compiled(monkeypatch)
    x = np.arange(5, dtype=np.float32)
    tdsl.loads(PROGRAM).soft(x)
    cache = open_cache()
    assert cache is not None
    (entry,) = [e for e in cache.entries() if "soft" in e.label]
    data = cache.get(entry.key)
    assert data is not None
    # Whole, as its checksum says, and yet of no use: as where a library is gone.
    before, _, after = data.rpartition(b"tdsl_entry")  # the symbol of the object file
    cache.remove(entry.key)
    assert cache.put(entry.key, before + b"tdsl_other" + after, entry.label)
    np.testing.assert_allclose(tdsl.loads(PROGRAM).soft(x).sum(), 1, rtol=1e-6)
    assert names == ["soft", "soft"]
    tdsl.loads(PROGRAM).soft(x)
    assert names == ["soft", "soft"]


def test_imports_are_part_of_the_key(fresh: Path, tmp_path: Path) -> None:
    (tmp_path / "part.tdsl").write_text("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 1.0 }\n")
    main = tmp_path / "main.tdsl"
    main.write_text("tdsl 0.1\nfrom part import f\npub fn g[N](x: f32[N]) -> f32[N] { f(x) }\n")
    x = np.zeros(3, np.float32)
    assert tdsl.load(main).g(x)[0] == 1
    (tmp_path / "part.tdsl").write_text("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 2.0 }\n")
    assert tdsl.load(main).g(x)[0] == 2


def test_the_list_says_what_an_entry_is(fresh: Path) -> None:
    m = tdsl.loads(PROGRAM, name="shown")
    for n in (3, 4):
        m.pick(np.ones(n, np.float32), np.zeros(2, np.int32))
    cache = open_cache()
    assert cache is not None
    labels = {entry.label for entry in cache.entries()}
    assert {"shown.pick[N=3, M=2]", "shown.pick[N=?, M=2]"} <= labels


# --- keys


def key(
    text: str = PROGRAM,
    name: str = "model",
    function: str = "soft",
    size: int | Size = 5,
    options: Options | None = None,
    source: str = "/some/where/model.tdsl",
) -> str:
    result = check_source(Source(source, text), None)
    assert result.program is not None, result.diagnostics
    program = result.program
    signature = program.root.functions[function].signature
    symbols = [s for p in signature.sizes for s in p.value.symbols()]
    sizes = {symbol: Size.of(size) for symbol in symbols}
    return instance_key(program, signature, Substitution(sizes, {}, {}), options or Options())


@pytest.mark.parametrize(
    "other",
    [
        lambda: key(text=PROGRAM + "\n"),
        lambda: key(function="pick"),
        lambda: key(size=6),
        lambda: key(size=Size.of(Symbol("N"))),
        lambda: key(options=Options(fuse=False)),
        lambda: key(options=Options(bounds="clamp")),
        lambda: key(options=Options(Kernels.none())),
    ],
)
def test_what_changes_the_code_changes_the_key(other: Callable[[], str]) -> None:
    assert other() != key()


def test_paths_do_not_change_the_key() -> None:
    assert key(source="/else/where/model.tdsl") == key()


def test_dtypes_change_the_key() -> None:
    text = "tdsl 0.1\npub fn f[E: dtype(float)](x: E) -> E { x }\n"
    program = check_source(Source("f", text), None).program
    assert program is not None
    signature = program.root.functions["f"].signature
    (variable,) = signature.dtypes
    found = {
        instance_key(program, signature, Substitution({}, {}, {variable: DTYPES[d]}), Options())
        for d in ("f32", "f64", "bf16")
    }
    assert len(found) == 3


@pytest.mark.parametrize("what", ["_compiler", "_target"])
def test_another_compiler_or_machine_has_other_keys(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = key()
    monkeypatch.setattr(keys, what, lambda: ["another"])
    assert key() != before


def test_a_change_of_the_compiler_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    file = tmp_path / "a" / "b.py"
    file.write_text("x = 1\n")
    first = [*keys._sources(tmp_path)]
    assert [name for name, *_ in first] == ["a/b.py"]
    file.write_text("x = 12\n")
    assert [*keys._sources(tmp_path)] != first
