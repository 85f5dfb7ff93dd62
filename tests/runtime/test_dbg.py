"""`dbg` in native code: the evaluator's text, in its order, and only the ordinary results back."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.cli.main import main
from tdsl.graph.elaborate import elaborate
from tdsl.graph.printer import print_graph
from tdsl.reference.evaluate import evaluate
from tdsl.runtime.testing import EVALUATOR, NATIVE, run_tests
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution

PROGRAM = """tdsl 0.1

struct Pair[N] { left: f32[N], right: f32[N] }

fn half[N](x: f32[N]) -> f32[N] { dbg(x * 0.5, "half") }

pub fn seen[N](x: f32[N]) -> f32[N] { dbg(x, "an input") }
pub fn unused[N](x: f32[N]) -> f32[N] {
    let _total = dbg(sum(x), "total")
    let _mask = dbg(x > 2, "mask")
    x + 1
}
pub fn twice[N](x: f32[N]) -> (f32[N], f32) {
    let y = dbg(dbg(half(x), "first") + 1, "second")
    (y, dbg(sum(dbg(y, "second again")), "sum"))
}
pub fn scores[M, K](a: f32[M, K], b: f32[K, M]) -> f32[M, M] { relu(dbg(a @ b, "product") + 1) }
pub fn pair[N](x: f32[N]) -> Pair[N] {
    Pair(left=dbg(x + 1, "left"), right=dbg(f32(2), "two") * x)
}
pub fn list[N](x: f32[N]) -> f32 {
    let parts = [dbg(x[i], "item") for i in 0..N]
    sum(stack(parts))
}
pub fn plain[N](x: f32[N]) -> f32[N] { x + 1 }
fn relu[M](x: f32[M, M]) -> f32[M, M] { maximum(x, 0) }
"""

LOOP = """tdsl 0.1
pub fn total[N](x: f32[N]) -> f32 { fold s = f32(0) for i in 0..3 { dbg(s + x[0], "s") } }
"""


def evaluated(module: tdsl.Module, name: str, arrays: list[Any], **sizes: int) -> None:
    function = getattr(module, name)
    signature = function._signature
    values = {
        symbol: Size.of(sizes[parameter.name])
        for parameter in signature.sizes
        for symbol in parameter.value.symbols()
    }
    evaluate(function._program, signature.function, arrays, Substitution(values, {}, {}))


def vector(length: int) -> np.ndarray:
    return np.arange(length, dtype=np.float32)


@pytest.mark.parametrize("kernels", ["all", "none"])
@pytest.mark.parametrize("length", [3, 40])
@pytest.mark.parametrize("name", ["seen", "unused", "twice", "pair", "list"])
def test_the_text_is_the_evaluator_s(
    name: str, length: int, kernels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tdsl.loads(PROGRAM, name="seen", kernels=kernels)
    evaluated(module, name, [vector(length)], N=length)
    wanted = capsys.readouterr()
    assert wanted.err
    for _ in range(3):  # a native entry would take over after the first call
        getattr(module, name)(vector(length))
        found = capsys.readouterr()
        assert found.err == wanted.err
        assert found.out == ""


@pytest.mark.parametrize("kernels", ["all", "none"])
def test_what_a_kernel_computes_inside_is_seen(
    kernels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tdsl.loads(PROGRAM, name="seen", kernels=kernels)
    a, b = np.ones((32, 16), np.float32), np.full((16, 32), -0.5, np.float32)
    evaluated(module, "scores", [a, b], M=32, K=16)
    wanted = capsys.readouterr().err
    result = module.scores(a, b)
    assert capsys.readouterr().err == wanted
    np.testing.assert_array_equal(result, np.zeros((32, 32), np.float32))


def test_only_the_ordinary_results_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    module = tdsl.loads(PROGRAM, name="seen")
    x = vector(3)
    np.testing.assert_array_equal(module.seen(x), x)
    np.testing.assert_array_equal(module.unused(x), x + 1)
    y, total = module.twice(x)
    np.testing.assert_array_equal(y, x / 2 + 1)
    assert total == (x / 2 + 1).sum()
    found = module.pair(x)
    np.testing.assert_array_equal(found.left, x + 1)
    np.testing.assert_array_equal(found.right, x * 2)
    capsys.readouterr()


@pytest.mark.parametrize("kernels", ["all", "none"])
def test_open_sizes(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = tdsl.loads(PROGRAM, name="seen", kernels=kernels)
    compiled = module.twice.compile(dynamic=["N"])
    for length in (3, 20, 5, 3):
        evaluated(module, "twice", [vector(length)], N=length)
        wanted = capsys.readouterr().err
        compiled(vector(length))
        assert capsys.readouterr().err == wanted
    assert compiled.cache_info().currsize == 1


def test_calls_stay_out_of_the_native_entry(capsys: pytest.CaptureFixture[str]) -> None:
    module = tdsl.loads(PROGRAM, name="seen")
    for function in (module.seen, module.plain):
        for _ in range(3):
            function(vector(3))
    capsys.readouterr()
    assert module.seen._native.calls == 0
    assert module.seen.__call__ == module.seen._call
    # So that the line above can fail: without `dbg` the entry takes over.
    from tdsl.runtime.native import entry

    assert (module.plain.__call__ == module.plain._call) == (entry() is None)


def test_the_disk_cache_keeps_the_labels(tmp_path: Path) -> None:
    (tmp_path / "seen.tdsl").write_text(PROGRAM)
    script = (
        "import numpy as np, sys, tdsl\n"
        "m = tdsl.load('seen.tdsl')\n"
        "y, s = m.twice(np.arange(3, dtype=np.float32))\n"
        "print(y.tolist(), float(s), any('mlir' == name.split('.')[0] for name in sys.modules))\n"
    )
    environment = {**os.environ, "TDSL_CACHE_DIR": str(tmp_path / "cache")}
    runs = [
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    ]
    assert runs[0].stdout == "[1.0, 1.5, 2.0] 4.5 True\n"
    assert runs[1].stdout == "[1.0, 1.5, 2.0] 4.5 False\n"
    assert runs[0].stderr == runs[1].stderr
    labels = [line.split(":")[0] for line in runs[1].stderr.splitlines() if line[0] != " "]
    assert labels == ["half", "first", "second", "second again", "sum"]


LOOPS = """tdsl 0.1
fn half[N](x: f32[N]) -> f32[N] { dbg(x * 0.5, "half") }

pub fn steps[N](x: f32[N]) -> f32[N] {
    fold s = dbg(x, "before") for i in 0..3 {
        let h = half(s)
        dbg(h + dbg(f32(i), "i"), "s")
    }
}
pub fn two[N](x: f32[N]) -> f32 {
    let a = fold s = f32(0) for i in 0..2 { dbg(s + x[0], "first") }
    let b = fold s = f32(0) for i in 0..2 { dbg(s + x[0], "second") }
    a + b
}
pub fn nested[N](x: f32[N]) -> (f32, [f32; 3]) {
    scan s = f32(0) for i in 0..3 {
        let _low = dbg(s > 1, "low")
        let inner = fold t = s for j in 0..2 {
            let again = [dbg(t + x[k], "k") for k in 0..N]
            dbg(dbg(t, "t") + max(stack(again)), "next")
        }
        let other = fold t = dbg(inner, "inner") for j in 0..2 { dbg(t * 2, "other") }
        (dbg(other, "state"), inner)
    }
}
pub fn thrown_away[N](x: f32[N]) -> f32 {
    let _unused = fold s = f32(0) for i in 0..N { dbg(s + x[i], "unused") }
    x[0]
}
pub fn same_value[N](x: f32[N]) -> f32[N] {
    fold s = x for i in 0..2 {
        let _around = dbg(x, "around")
        let _state = dbg(s, "s")
        dbg(x, "x again")
    }
}
"""


@pytest.mark.parametrize("kernels", ["all", "none"])
@pytest.mark.parametrize("length", [1, 2, 20])
@pytest.mark.parametrize("dynamic", [(), ("N",)])
@pytest.mark.parametrize("name", ["steps", "two", "nested", "thrown_away", "same_value"])
def test_a_loop_prints_every_step_as_the_evaluator(
    name: str,
    dynamic: tuple[str, ...],
    length: int,
    kernels: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module = tdsl.loads(LOOPS, name="loops", kernels=kernels)
    x = vector(length) / 8
    evaluated(module, name, [x], N=length)
    wanted = capsys.readouterr().err
    assert wanted.count("\n") >= (length if "unused" in wanted else 4)
    compiled = getattr(module, name).compile(dynamic=dynamic)
    for _ in range(2):
        compiled(x)
        assert capsys.readouterr().err == wanted


def test_only_the_results_of_a_loop_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    module = tdsl.loads(LOOPS, name="loops")
    state, items = module.nested(np.ones(2, np.float32))
    plain = tdsl.loads(re.sub(r', "[a-z ]+"\)', ")", LOOPS.replace("dbg(", "(")), name="plain")
    wanted, wanted_items = plain.nested(np.ones(2, np.float32))
    assert state == wanted
    np.testing.assert_array_equal(items, wanted_items)
    assert "state" in capsys.readouterr().err


def test_an_unrolled_loop_prints_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    module = tdsl.loads(LOOP.replace("fold s", "@unroll fold s"), name="loop")
    assert module.total(np.full(3, 2, np.float32)) == 6
    assert capsys.readouterr().err == "s: f32 = 2\ns: f32 = 4\ns: f32 = 6\n"


def test_a_test_prints_once_and_runs_natively(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        'tdsl 0.1\ntest "t" {\n    let x = dbg(f32(2), "x")\n    assert x + dbg(x, "y") == 4\n}\n'
    )
    module = tdsl.loads(text + "fn f(x: f32) -> f32 { x }\npub fn g(x: f32) -> f32 { f(x) }\n")
    (verdict,) = run_tests(module.g._program)
    assert verdict.passed
    assert verdict.ways == (EVALUATOR, NATIVE)
    assert capsys.readouterr().err == "x: f32 = 2\ny: f32 = 2\n"


def test_run_prints_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "seen.tdsl"
    path.write_text(PROGRAM)
    with pytest.raises(SystemExit) as left:
        main(["run", str(path), "--fn", "unused", "--bind", "N=3"])
    assert not left.value.code
    printed = capsys.readouterr()
    assert printed.err.count("total: f32") == 1
    assert printed.err.count("mask: bool[3]") == 1
    assert "total" not in printed.out


def test_the_graph_names_what_is_looked_at() -> None:
    module = tdsl.loads(PROGRAM, name="seen")
    signature = module.unused._signature
    (symbol,) = signature.sizes[0].value.symbols()
    parameters = Substitution({symbol: Size.of(3)}, {}, {})
    graph = elaborate(module.unused._program, signature.function, parameters)
    assert [one.label for one in graph.debugged] == ["total", "mask"]
    assert graph.results[1:] == tuple(one.node for one in graph.debugged)
    assert graph.debugged[0].node.type.dtype == DTYPES["f32"]
    assert [one.span.text for one in graph.debugged if one.span] == [
        'dbg(sum(x), "total")',
        'dbg(x > 2, "mask")',
    ]
    text = print_graph(graph)
    assert "# dbg 'total': %_total, the result 1\n" in text
    assert "# dbg 'mask': %_mask, the result 2\n" in text
