"""How `tdslc` ends: its exit codes, and what it writes where."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tdsl.cli import main as command_line

Command = Callable[..., Any]

GOOD = """tdsl 0.1
pub fn linear[M, K, N](x: f32[M, K], w: f32[K, N], b: f32[N]) -> f32[M, N] { x @ w + b }
example linear[M=2, K=3, N=4] -> f32[2, 4]
"""
WRONG = "tdsl 0.1\npub fn f[M, K, N](x: f32[M, K], w: f32[N, K]) -> f32[M, N] { x @ w }\n"


def in_a_process(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(
        [sys.executable, "-m", "tdsl.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment | {"COLUMNS": "100"} | options.pop("env", {}),  # type: ignore[operator]
        **options,  # type: ignore[call-overload]
    )


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.tdsl"
    file.write_text(GOOD)
    return file


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    file = tmp_path / "wrong.tdsl"
    file.write_text(WRONG)
    return file


def test_a_good_program_is_0_and_stdout_holds_only_the_result(tdslc: Command, good: Path) -> None:
    done = in_a_process(good, "--emit=mlir")
    assert done.returncode == 0, done.stderr
    assert "func.func @linear" in done.stdout
    assert done.stderr == ""
    checked = tdslc("check", good)
    assert (checked.code, checked.out) == (0, "")
    assert "no errors" in checked.err


@pytest.mark.parametrize("command", [("check",), (), ("run",), ("test",)])
def test_a_wrong_program_is_1(tdslc: Command, wrong: Path, command: tuple[str, ...]) -> None:
    done = tdslc(*command, wrong)
    assert done.code == 1
    assert done.out == ""
    assert "error[E0302]" in done.err
    assert "wrong.tdsl:2:" in done.err
    assert "\x1b[" not in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{folder}/god.tdsl"], "did you mean"),
        (["chek", "{good}"], "did you mean `tdslc check`"),
        (["{folder}"], "is a folder"),
        (["check"], "error: FILE… is missing\nhelp: `tdslc check --help`"),
        (["run", "{good}", "--seed"], "error: --seed takes a value"),
        (["run", "{good}", "--repeat", "x"], "error: --repeat: an integer is needed"),
        (["{good}", "--bounds=x"], "error: --bounds: 'x' is not one of 'trap', 'clamp'"),
        (["cache", "--foo"], "help: did you mean --color or --colour?"),
        (["explain", "E0101", "E0102"], "there is no place for E0102"),
        (["check", "{folder}/none.tdsl"], "there is no file"),
        (["{good}", "--emit=mlri"], "did you mean `mlir`"),
        (["{good}", "--no-such-option"], "error: there is no option --no-such-option"),
        (["{good}", "--emit=ptx"], "error[E0903]"),
        (["{good}", "--emit=nvvm"], "nvptx:sm_80"),
        (["{good}", "--emit=asm", "--target=nvptx:sm_80"], "has no stage asm"),
        (["{good}", "--emit=ptx", "--target=nvptx:sm_91"], "did you mean sm_90"),
        (["{good}", "--emit=ptx", "--target=cuda"], "there is no target"),
        (["{good}", "--fn", "liner"], "did you mean `linear`"),
        (["{good}", "--bind", "M"], "write NAME=VALUE"),
        (["{good}", "--bind", "Q=1"], "which function"),
        (["{good}", "--fn", "linear", "--bind", "Q=1"], "error[E0501]"),
        (["{good}", "--fn", "linear", "--bind", "M=0"], "1 or more"),
        (["{good}", "--kernels", "matmull"], "did you mean `matmul`"),
        (["{good}", "-o", "{folder}/no/such/folder"], "cannot write"),
        (["run", "{good}", "x={folder}/none.npy"], "there is no file"),
        (["run", "{good}", "q={good}"], "cannot read arrays"),
        (["run", "{good}", "--repeat", "0"], "--repeat"),
        (["explain", "E9999"], "there is no code"),
        (["ops", "softmx"], "there is no builtin"),
    ],
)
def test_a_wrong_command_line_is_2(
    tdslc: Command, good: Path, tmp_path: Path, arguments: list[str], says: str
) -> None:
    given = [a.format(good=good, folder=tmp_path) for a in arguments]
    done = tdslc(*given)
    assert done.code == 2, done.err
    assert says in done.err
    assert "Traceback" not in done.err


def test_an_internal_fault_is_3_with_what_to_report(good: Path, tmp_path: Path) -> None:
    broken = (
        "import sys; import tdsl.cli.emit as emit\n"
        "def fail(*_): raise ZeroDivisionError('for this test')\n"
        "emit.stage_text = fail\n"
        "from tdsl.cli.main import main; main(sys.argv[1:])\n"
    )

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", broken, str(good)],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"TMPDIR": str(tmp_path), "COLUMNS": "300"} | environment,
        )

    done = run()
    assert done.returncode == 3
    assert "internal fault: ZeroDivisionError: for this test" in done.stderr
    assert "Traceback" not in done.stderr
    (report,) = tmp_path.glob("tdsl-fault-*.txt")
    assert str(report) in done.stderr
    assert "Traceback" in report.read_text()
    assert "Traceback" in run(TDSL_DEBUG="1").stderr


def test_a_fault_outside_of_every_command_is_3_too(
    tdslc: Command, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError("for this test")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(command_line, "app", fail)
    done = tdslc("check", good)
    assert done.code == 3
    assert "internal fault: ZeroDivisionError: for this test" in done.err


def test_json_is_one_object(tdslc: Command, good: Path, wrong: Path, tmp_path: Path) -> None:
    done = tdslc("check", wrong, wrong, "--error-format=json")
    assert done.code == 1
    data = json.loads(done.err)
    assert data["version"] == 1
    (diagnostic,) = data["diagnostics"]
    assert diagnostic["code"] == "E0302"
    assert diagnostic["severity"] == "error"
    label = diagnostic["labels"][0]
    assert label["primary"]
    assert label["file"].endswith("wrong.tdsl")
    assert label["start"]["line"] == 2
    assert json.loads(tdslc("check", good, "--error-format=json").err)["diagnostics"] == []
    missing = tdslc(tmp_path / "none.tdsl", "--error-format=json")
    assert missing.code == 2
    assert "there is no file" in json.loads(missing.err)["failures"][0]["message"]
    later = tdslc(good, "--emit=ptx", "--error-format=json")
    assert json.loads(later.err)["diagnostics"][0]["code"] == "E0903"
    unbound = tdslc(good, "--fn=linear", "--bind=Q=1", "--error-format=json")
    assert json.loads(unbound.err)["diagnostics"][0]["code"] == "E0501"


def test_colour_only_where_it_is_wanted(tdslc: Command, wrong: Path) -> None:
    assert "\x1b[" in tdslc("check", wrong, "--colour=always").err
    assert "\x1b[" not in tdslc("check", wrong, "--colour=never").err
    assert "\x1b[" not in tdslc("check", wrong).err


def test_a_reader_that_goes_away_is_no_fault(good: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tdsl.cli.main", "explain"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(60) in (0, 141)
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that cannot be written")
@pytest.mark.parametrize("asked", ["ops", "--version"])
def test_output_that_cannot_be_written_is_no_fault(asked: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tdsl.cli.main", asked],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write the output: No space left")


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_an_interrupt_ends_quietly(good: Path) -> None:
    code = (
        "import sys, time; import tdsl.cli.check as check\n"
        "def wait(*_): print('ready', flush=True); time.sleep(60)\n"
        "check.check_readable = wait\n"
        "from tdsl.cli.main import main; main(['check', sys.argv[1]])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(good)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize("data", [b"", b"\x00" * 64, bytes(range(256)), b"\xff\xfe", b"((((" * 900])
def test_no_file_gives_a_traceback(tdslc: Command, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "odd.tdsl"
    file.write_bytes(data)
    for arguments in (("check", file), (file, "--emit=ast"), (file,), ("test", file)):
        done = tdslc(*arguments)
        assert done.code in (0, 1, 2)
        assert "Traceback" not in done.err


def test_an_ascii_terminal_gets_everything(tmp_path: Path) -> None:
    file = tmp_path / "letters.tdsl"
    file.write_text("tdsl 0.1\nfn f(x: f32) -> f32 { größe }\n", encoding="utf-8")
    done = in_a_process("check", file, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 1
    assert "gr\\xf6\\xdfe" in done.stderr
    file.write_text('tdsl 0.1\ntest "größe" { assert true }\n', encoding="utf-8")
    done = in_a_process("test", file, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0, done.stderr
    assert "gr\\xf6\\xdfe" in done.stdout
