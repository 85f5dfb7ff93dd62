"""`tdslc fmt`: in place, checked only, as a diff, from stdin to stdout."""

from __future__ import annotations

import io
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

UGLY = "tdsl 0.1\n\nconst A=1+2 # why\n"
NICE = "tdsl 0.1\n\nconst A = 1 + 2  # why\n"
WRONG = "tdsl 0.1\nconst A = \n"


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Fmt = Callable[..., Done]


@pytest.fixture
def fmt(tdslc: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Fmt:
    def run(*arguments: object, text: str = "") -> Done:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        result = tdslc("fmt", *arguments)
        return Done(result.code, result.out, result.err)

    return run


@pytest.fixture
def ugly(tmp_path: Path) -> Path:
    path = tmp_path / "ugly.tdsl"
    path.write_text(UGLY)
    return path


@pytest.fixture
def nice(tmp_path: Path) -> Path:
    path = tmp_path / "nice.tdsl"
    path.write_text(NICE)
    return path


def test_in_place(fmt: Fmt, ugly: Path, nice: Path) -> None:
    ugly.chmod(0o640)
    link = ugly.with_name("link.tdsl")
    link.symlink_to(ugly)
    untouched = nice.stat()
    done = fmt(link, nice)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "note: 1 file formatted, 1 file is in form already\n"
    assert ugly.read_text() == NICE
    assert stat.S_IMODE(ugly.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert nice.stat().st_mtime_ns == untouched.st_mtime_ns
    assert sorted(p.name for p in ugly.parent.iterdir()) == ["link.tdsl", "nice.tdsl", "ugly.tdsl"]


def test_line_ends_and_the_byte_order_mark_are_normalised(fmt: Fmt, ugly: Path) -> None:
    ugly.write_bytes(b"\xef\xbb\xbf" + NICE.replace("\n", "\r\n").encode())
    assert fmt("--check", ugly).returncode == 1
    assert fmt(ugly).returncode == 0
    assert ugly.read_bytes() == NICE.encode()


def test_check_lists_and_changes_nothing(fmt: Fmt, ugly: Path, nice: Path) -> None:
    done = fmt("--check", ugly, nice)
    assert (done.returncode, done.stdout) == (1, f"{ugly}\n")
    assert ugly.read_text() == UGLY
    assert fmt("--check", nice).returncode == 0


def test_diff(fmt: Fmt, ugly: Path, nice: Path) -> None:
    done = fmt("--diff", ugly, nice)
    assert done.returncode == 1
    assert "-const A=1+2 # why\n+const A = 1 + 2  # why\n" in done.stdout
    assert "nice" not in done.stdout
    assert ugly.read_text() == UGLY


def test_stdin_to_stdout(fmt: Fmt) -> None:
    done = fmt("-", text=UGLY)
    assert (done.returncode, done.stdout, done.stderr) == (0, NICE, "")
    wrong = fmt("-", text=WRONG)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "<stdin>:2:10" in wrong.stderr


def test_a_wrong_program_is_left_as_it_is(fmt: Fmt, ugly: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.tdsl"
    wrong.write_text(WRONG)
    done = fmt(wrong, ugly)
    assert done.returncode == 1
    assert "error[E0102]" in done.stderr
    assert wrong.read_text() == WRONG
    assert ugly.read_text() == NICE


def test_a_wrong_command_line_changes_nothing(fmt: Fmt, ugly: Path) -> None:
    done = fmt(ugly, ugly.with_name("none.tdsl"))
    assert done.returncode == 2
    assert "there is no file" in done.stderr
    assert ugly.read_text() == UGLY
