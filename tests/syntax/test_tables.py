"""The grammar is LALR without conflicts; its tables are cached as plain data and checked."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import lark
import platformdirs
import pytest
from lark.parsers.lalr_analysis import LALR_Analyzer

from tdsl.syntax.build import Builder
from tdsl.syntax.own_files import cache_folder
from tdsl.syntax.resources import grammar_text, resource
from tdsl.syntax.tables import build, load_tables


def strict_analysis(grammar: str) -> None:
    parser = lark.Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=True)
    LALR_Analyzer(parser.parser.parser_conf, debug=False, strict=True).compute_lalr()


def test_the_grammar_has_no_conflict() -> None:
    strict_analysis(grammar_text())


def test_a_conflict_would_be_noticed() -> None:
    with pytest.raises(lark.exceptions.GrammarError, match="conflict"):
        strict_analysis(grammar_text().replace("?sum: product\n", "?sum: product | sum sum\n"))


def test_every_rule_has_its_method() -> None:
    names = {rule.callback for rule in load_tables().rules} - {"", "*"}
    methods = {name for name in dir(Builder) if not name.startswith("_")}
    methods.remove("abandon_item")
    assert names == methods


def test_words_and_signs_come_from_the_grammar() -> None:
    tables = load_tables()
    assert {"fn", "where", "newaxis", "divides", "_"} <= tables.words
    assert {"->", "...", "..", "**"} <= set(tables.signs)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TDSL_CACHE_DIR", str(tmp_path))
    load_tables.cache_clear()
    return tmp_path


def test_tables_are_stored_and_read_again(empty_cache: Path) -> None:
    assert cache_folder() == empty_cache
    built = load_tables()
    (path,) = empty_cache.iterdir()
    body = path.read_bytes().partition(b"\n")[2]
    assert json.loads(body) == build(grammar_text())
    load_tables.cache_clear()
    assert load_tables() == built


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"0" * 64 + b"\n{}"])
def test_a_damaged_cache_is_built_anew(empty_cache: Path, damage: bytes) -> None:
    built = load_tables()
    (path,) = empty_cache.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage or whole.replace(b"1", b"2", 1))
    load_tables.cache_clear()
    assert load_tables() == built
    assert path.read_bytes() == whole


def forged(path: Path) -> bytes:
    """Tables in which plus is minus, with all that shows that they are whole."""
    body = path.read_bytes().partition(b"\n")[2].replace(b'"+"', b'"#"').replace(b'"-"', b'"+"')
    grammar = hashlib.sha256(f"2\n{grammar_text()}".encode()).hexdigest()
    return hashlib.sha256(grammar.encode() + body).hexdigest().encode() + b"\n" + body


@pytest.mark.skipif(os.name != "posix", reason="needs owners and modes of files")
def test_tables_that_others_may_have_written_are_not_used(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = load_tables()
    (path,) = empty_cache.iterdir()
    whole, bad = path.read_bytes(), forged(path)

    def used() -> bool:
        load_tables.cache_clear()
        return load_tables() != built

    path.write_bytes(bad)
    assert used(), "they are forged well"
    path.chmod(0o666)
    assert not used()
    elsewhere = empty_cache / "elsewhere"
    elsewhere.write_bytes(bad)
    path.unlink()
    path.symlink_to(elsewhere)
    assert not used()
    path.write_bytes(bad)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert not used()
    monkeypatch.undo()
    monkeypatch.setenv("TDSL_CACHE_DIR", str(empty_cache))
    path.unlink()
    os.mkfifo(path)
    assert not used()
    path.write_bytes(whole)


def test_tables_of_another_grammar_under_the_name_of_this(empty_cache: Path) -> None:
    """Who can write to the folder can rename what we stored for another version."""
    built = load_tables()
    (path,) = empty_cache.iterdir()
    body = path.read_bytes().partition(b"\n")[2].replace(b'"+"', b'"#"')
    other = hashlib.sha256(b"another grammar").hexdigest().encode()
    path.write_bytes(hashlib.sha256(other + body).hexdigest().encode() + b"\n" + body)
    load_tables.cache_clear()
    assert load_tables() == built


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TDSL_CACHE_DIR", str(tmp_path / "file" / "below"))
    load_tables.cache_clear()
    assert load_tables().actions
    load_tables.cache_clear()


def test_a_warm_start_needs_no_lark(empty_cache: Path) -> None:
    load_tables()
    code = """
import sys
from tdsl.syntax.parser import parse
from tdsl.syntax.source import Source
parse(Source("t", "const A = 1"))
loaded = {"lark", "rich", "pickle", "mlir", "numpy"} & set(sys.modules)
assert not loaded, loaded
"""
    subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['tdsl.x'] = sys\n" + code], check=True
    )


def test_parsing_is_fast() -> None:
    """A generous bound, against a quadratic slip; the measured time is 3 ms."""
    from tdsl.syntax.parser import parse
    from tdsl.syntax.source import Source

    lines = "".join(f"let y{i + 1} = y{i} + f(x[0:N], a=1.0)\n" for i in range(4000))
    started = time.process_time()
    parse(Source("t", f"fn f(x: f32) -> f32 {{\n{lines}y4000 }}"))
    assert time.process_time() - started < 5.0


def test_resources_are_found() -> None:
    assert resource("grammar/tdsl.lark").is_file()
    with pytest.raises(FileNotFoundError, match="nothing"):
        resource("nothing/there")


@pytest.mark.parametrize(
    "given",
    [
        {"HOME": "/home/ada"},
        {"HOME": "/home/ada/", "XDG_CACHE_HOME": "/scratch/caches/"},
        {"HOME": "/home/ada", "XDG_CACHE_HOME": ""},
        {"HOME": "/home/ada", "XDG_CACHE_HOME": "caches"},
        {"HOME": "relative"},
        {},
    ],
    ids=str,
)
def test_files_lie_where_platformdirs_says(
    given: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "TDSL_CACHE_DIR", "ANDROID_DATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == platformdirs.user_cache_path("tdsl", appauthor=False)
