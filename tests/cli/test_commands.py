"""What the subcommands of `tdslc` do, in this process."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tdsl.cli import main as command_line
from tdsl.cli.options import parse_bindings
from tdsl.cli.output import CommandError, ErrorFormat, Output
from tdsl.cli.run import difference
from tdsl.engine import pool
from tdsl.runtime import testing
from tdsl.syntax.codes import CODES

Command = Callable[..., Any]

PROGRAM = """tdsl 0.1
from std.nn import softmax

## Affine map.
pub fn linear[M, K, N](x: f32[M, K], w: f32[K, N], b: f32[N]) -> f32[M, N] { x @ w + b }
pub fn rows[...S, N](x: f32[...S, N]) -> f32[...S, N] { softmax(x) }
pub fn generic[E: dtype(float), N](x: E[N]) -> E[N] { x * 2 }
pub fn heads[T, C, static H, D](x: f32[T, C]) -> f32[H, T, D] where C == H * D {
    transpose(reshape(x, [T, H, D]), [1, 0, 2])
}
pub fn pair[N](x: f32[N]) -> (f32[N], f32) { (x, sum(x)) }

example linear[M=2, K=3, N=4] -> f32[2, 4]
example rows[S=[2], N=3] -> f32[2, 3]
example rows[S=[2, 2], N=3] -> f32[2, 2, 3]

test "sums" {
    assert allclose(sum(linear(zeros([2, 3], f32), zeros([3, 4], f32), full([4], 1.0, f32))), 8.0)
}
test "softmax adds up to one" {
    let x = f32(iota(6))
    assert allclose(sum(rows(reshape(x, [2, 3])), axis=-1), full([2], 1.0, f32))
    assert allclose(sum(rows(x)), 1.0)
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.tdsl"
    file.write_text(PROGRAM)
    return file


def test_python_s_warnings_are_said_without_their_place(
    tdslc: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.tdsl"
    file.write_text(PROGRAM)
    pool._warn.cache_clear()  # it is said once
    monkeypatch.setenv("TDSL_NUM_THREADS", "many")
    result = tdslc("run", file, "--fn", "linear")
    assert result.err.startswith("warning: TDSL_NUM_THREADS='many' is no number of threads")
    assert result.code == 0
    assert "RuntimeWarning" not in result.err


def test_emit_takes_examples_and_open_sizes_and_notes_the_rest(
    tdslc: Command, program: Path
) -> None:
    done = tdslc(program, "--emit=mlir")
    assert done.code == 0, done.err
    functions = re.findall(r"func\.func @(\w+)", done.out)
    assert functions == ["linear", "rows", "rows_1", "pair"]
    assert "tensor<2x4xf32>" in done.out
    assert "tensor<?xf32>" in done.out
    assert "`generic` is left out: add `--fn generic --bind E=…`" in done.err
    assert "`heads` is left out: add `--fn heads --bind H=…`" in done.err


def test_emit_is_silent_about_helpers(tdslc: Command, tmp_path: Path) -> None:
    file = tmp_path / "helpers.tdsl"
    head = "tdsl 0.1\nfn half[N, static H](x: f32[N]) -> f32[H] where N == 2 * H { x[:H] }\n"
    file.write_text(head + "pub fn f[M](x: f32[2 * M]) -> f32[M] { half[H=M](x) }\n")
    done = tdslc(file, "--emit=mlir")
    assert (done.code, done.err) == (0, "")
    file.write_text(head + "fn f(x: f32[4]) -> f32[2] { half[H=2](x) }\n")
    done = tdslc(file, "--emit=mlir")
    assert "`half` is left out" in done.err


def test_emit_one_function_with_bindings(tdslc: Command, program: Path) -> None:
    done = tdslc("emit", program, "--fn", "heads", "--bind", "T=5,C=8,H=2")
    assert done.code == 0, done.err
    assert "tensor<2x5x4xf32>" in done.out
    done = tdslc(program, "--fn", "heads", "--bind", "H=2")
    assert "tensor<2x?x?xf32>" in done.out
    done = tdslc(program, "--fn", "rows", "--bind", "S=[7,2],N=3")
    assert "tensor<7x2x3xf32>" in done.out
    done = tdslc(program, "--bind", "E=f64,N=3")
    assert "tensor<3xf64>" in done.out, "the only function with these parameters"
    done = tdslc(program, "--fn", "generic")
    assert done.code == 2
    assert "error[E0901]" in done.err
    assert "example generic[E=…]" in done.err


def test_what_is_not_bound_has_its_default(tdslc: Command, tmp_path: Path) -> None:
    file = tmp_path / "counted.tdsl"
    file.write_text(
        "tdsl 0.1\npub fn counted[static N, E: dtype(float) = f64]() -> E[N] { E(iota(N)) }\n"
    )
    assert "-> tensor<3xf64>" in tdslc(file, "--bind=N=3").out
    assert "-> tensor<3xf16>" in tdslc(file, "--bind=N=3,E=f16").out


@pytest.mark.parametrize(
    ("stage", "shows"),
    [
        ("ast", "Module"),
        ("typed", "fn linear[M, K, N](x: f32[M, K]"),
        ("graph", "graph linear(%x: f32[2, 3]"),
        ("claims", "claim matmul"),
        ("mlir", "linalg.matmul"),
        ("claimed", 'tdsl.claim = "matmul"'),
        ("bufferized", "memref<"),
        ("llvm", "llvm.func"),
        ("asm", "tdsl_entry"),
    ],
)
def test_every_stage_can_be_shown(tdslc: Command, program: Path, stage: str, shows: str) -> None:
    done = tdslc(program, f"--emit={stage}", "--fn=linear")
    assert done.code == 0, done.err
    assert shows in done.out


def test_an_object_file(tdslc: Command, program: Path, tmp_path: Path) -> None:
    file = tmp_path / "linear.o"
    assert tdslc(program, "--emit=obj", "--fn=linear", "-o", file).code == 0
    assert b"tdsl_entry" in file.read_bytes()
    assert tdslc(program, "--emit=obj", "-o", file).code == 2


def test_output_goes_to_a_file(tdslc: Command, program: Path, tmp_path: Path) -> None:
    done = tdslc(program, "--fn=linear", "-o", tmp_path / "linear.mlir")
    assert (done.code, done.out) == (0, "")
    assert "linalg.matmul" in (tmp_path / "linear.mlir").read_text()


def test_kernels_and_remarks(tdslc: Command, program: Path) -> None:
    done = tdslc(program, "--fn=linear", "--emit=claimed", "--remarks")
    assert "matmul claimed" in done.err
    assert "program.tdsl:5:" in done.err
    done = tdslc(program, "--fn=linear", "--emit=claimed", "--kernels=none", "--remarks")
    assert "tdsl.claim" not in done.out


def test_remarks_say_why_a_kernel_refuses(tdslc: Command, tmp_path: Path) -> None:
    file = tmp_path / "powers.tdsl"
    file.write_text(
        "tdsl 0.1\npub fn powers(x: f32[4, 5], w: f32[5, 6], n: i32[4, 6]) -> i32[4, 6] {\n"
        "    i32(x @ w) ** n\n}\n"
    )
    done = tdslc(file, "--emit=graph", "--remarks")
    assert "powers.tdsl:3:" in done.err
    assert "matmul not claimed: no kernel takes what was claimed: scf.for has no form" in done.err
    done = tdslc(file, "--emit=graph", "--remarks", "--kernels=matmul:loops")
    assert "no kernel takes" not in done.err


def test_tests_run_in_both_ways(tdslc: Command, program: Path) -> None:
    done = tdslc("test", program)
    assert done.code == 0, done.err
    assert "sums  (evaluator, native)" in done.out
    assert "softmax adds up to one  (evaluator, native)" in done.out
    assert "2 passed" in done.out
    assert "1 passed" in tdslc("test", program, "--only=sums").out


def test_a_failing_test_is_1_and_shows_both_sides(tdslc: Command, tmp_path: Path) -> None:
    file = tmp_path / "failing.tdsl"
    file.write_text(
        'tdsl 0.1\ntest "two" {\n    assert allclose(zeros([2], f32), full([2], 2.0, f32)), "no"\n}\n'
        'test "one" {\n    assert 1 == 1\n}\n'
    )
    done = tdslc("test", file)
    assert done.code == 1
    assert "FAILED  two" in done.out
    assert done.out.splitlines()[-1] == "1 passed, 1 failed"
    assert "error[E0904]" in done.err
    assert "failing.tdsl:3:" in done.err
    assert "left:" in done.err
    assert "right: 2" in done.err


def test_a_test_that_fails_only_as_native_code(
    tdslc: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "native.tdsl"
    file.write_text('tdsl 0.1\ntest "two" {\n    assert sum(zeros([2], f32)) == 2.0\n}\n')
    monkeypatch.setattr(testing, "run_test", lambda *_: None)
    done = tdslc("test", file)
    assert done.code == 1
    assert "FAILED  two  (evaluator, native)" in done.out
    assert "it holds in the evaluator, and not as native code" in done.err


def test_run_on_made_up_inputs(tdslc: Command, program: Path) -> None:
    done = tdslc("run", program, "--fn=linear", "--seed=3")
    assert done.code == 0, done.err
    assert re.search(r"x\s+f32\[2, 3\]  min \S+  mean \S+  max \S+", done.out)
    assert "result    f32[2, 4]" in done.out
    assert "error against the evaluator" in done.out
    assert re.search(r"^time      \S+ \S+ \(median of 5\), \S+ \S+ for the first", done.out, re.M)
    assert done.err == ""
    one, two = (tdslc("run", program, "--fn=linear", "--seed=3").out for _ in range(2))
    assert one.splitlines()[:4] == two.splitlines()[:4]


def test_run_on_arrays_from_files(tdslc: Command, program: Path, tmp_path: Path) -> None:
    x, w = np.ones((3, 5), np.float32), np.ones((5, 7), np.float32)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "rest.npz", w=w, b=np.zeros(7, np.float32))
    out = tmp_path / "out.npz"
    done = tdslc(
        "run", program, "--fn=linear", f"x={tmp_path}/x.npy", f"{tmp_path}/rest.npz", "-o", out
    )
    assert done.code == 0, done.err
    assert "min 5  mean 5  max 5" in done.out
    np.testing.assert_array_equal(np.load(out)["result"], x @ w)
    done = tdslc("run", program, "--fn=linear", "--bind=N=2", f"x={tmp_path}/x.npy")
    assert "result    f32[3, 2]" in done.out, "sizes that the files fix hold for the others"
    done = tdslc("run", program, "--fn=linear", f"q={tmp_path}/x.npy")
    assert done.code == 2
    assert "no parameter `q`" in done.err
    np.save(tmp_path / "x.npy", x.astype(np.float64))
    done = tdslc("run", program, "--fn=linear", f"x={tmp_path}/x.npy", "--bind=N=2")
    assert done.code == 2
    assert "error[E0702]" in done.err


@pytest.mark.parametrize("broken", ["cut", "changed"])
def test_run_refuses_archives_that_are_broken(
    tdslc: Command, program: Path, tmp_path: Path, broken: str
) -> None:
    file = tmp_path / "x.npz"
    np.savez(file, x=np.ones((30, 5), np.float32))
    data = bytearray(file.read_bytes())
    data[300] ^= 0xFF  # among the numbers
    file.write_bytes(data[:200] if broken == "cut" else data)
    done = tdslc("run", program, "--fn=linear", file, "--bind=N=2")
    assert done.code == 2
    assert f"cannot read arrays from {file}" in done.err


def test_run_asks_for_the_sizes_that_it_cannot_know(tdslc: Command, program: Path) -> None:
    done = tdslc("run", program, "--fn=pair")
    assert done.code == 2
    assert "add --bind N=…" in done.err
    done = tdslc("run", program, "--fn=pair", "--bind=N=4")
    assert done.code == 0, done.err
    assert "result[1] f32 " in done.out
    done = tdslc("run", program, "--fn=heads", "--bind=T=3,C=8,H=2")
    assert "result    f32[2, 3, 4]" in done.out
    assert tdslc("run", program).code == 2


def test_run_asks_for_a_static_in_the_words_of_the_command_line(
    tdslc: Command, tmp_path: Path
) -> None:
    text = "tdsl 0.1\npub fn f[N, static by: int](x: f32[N]) -> f32[N] { x * by }\n"
    (tmp_path / "m.tdsl").write_text(text)
    np.save(tmp_path / "x.npy", np.ones(3, np.float32))
    done = tdslc("run", tmp_path / "m.tdsl", f"x={tmp_path / 'x.npy'}")
    assert done.code == 2
    assert "nothing says what `by` of `f` is" in done.err
    assert "help: add --bind by=…\n" in done.err
    assert tdslc("run", tmp_path / "m.tdsl", f"x={tmp_path / 'x.npy'}", "--bind=by=2").code == 0


def test_ops_and_explain(tdslc: Command) -> None:
    listed = tdslc("ops")
    assert listed.code == 0
    assert "  @ " in listed.out
    assert "matmul" not in listed.out
    assert "  zip " in listed.out
    one = tdslc("ops", "@")
    assert "Example:" in one.out
    assert "from std.nn import softmax" in tdslc("ops", "softmax").out
    codes = tdslc("explain")
    assert "E0302" in codes.out
    for code in CODES.values():
        explained = tdslc("explain", code.code.lower())
        assert explained.code == 0
        shown = [line.strip() for line in explained.out.splitlines()]
        assert f"{code.code}: {code.title}" in shown
        for part in (code.explanation, code.wrong, code.right):
            assert {line.strip() for line in part.splitlines()} <= {*shown}, code.code
        assert ("Wrong:" in shown) == bool(code.wrong)


def test_version_and_help(tdslc: Command) -> None:
    assert re.match(r"tdslc \d", tdslc("--version").out)
    text = tdslc("--help").out
    for command in command_line.COMMANDS:
        assert command in text
    assert "--bind" in tdslc("emit", "--help").out


def test_progress_shows_only_on_a_terminal_and_only_what_takes_long() -> None:
    def shown(terminal: bool, *after: float) -> str:
        file = io.StringIO()
        console = Console(file=file, force_terminal=terminal)
        with Output(console, console, ErrorFormat.text).progress("compiling", *after):
            time.sleep(0.1)
        return file.getvalue()

    assert "compiling" in shown(True, 0.01)
    assert shown(True) == "", "a second has not gone by"
    assert shown(False, 0.01) == ""


def test_bindings_are_read() -> None:
    assert parse_bindings(["M=2, K=3,E=f32", "S=[2,3],flag=true,r=0.5"]) == {
        "M": 2,
        "K": 3,
        "E": "f32",
        "S": (2, 3),
        "flag": True,
        "r": 0.5,
    }
    assert parse_bindings(["S=[]"]) == {"S": ()}
    for wrong in ("M", "M=", "=2", "S=[2,x]", "M=2,,K=3", "M=2,M=3"):
        with pytest.raises(CommandError):
            parse_bindings([wrong])


def test_the_error_is_judged_with_nan_and_infinities() -> None:
    x = np.array([1.0, np.nan, np.inf])
    assert difference(x, x) == (0.0, 0.0)
    assert difference(x, np.array([1.0, np.nan, -np.inf]))[0] == np.inf
    assert difference(x, np.array([1.0, 2.0, np.inf]))[0] == np.inf
    assert difference(np.array([2.0]), np.array([1.0])) == (1.0, 1.0)


@given(st.text("M=2,[]() x.eE-+tru", max_size=30))
def test_any_bindings_are_read_or_refused(text: str) -> None:
    try:
        found = parse_bindings([text])
    except CommandError:
        return
    assert all(name.isidentifier() or name.isalnum() for name in found)
