"""Loops that no kernel computes, shared out to threads: the same bits as with one, in guarded memory."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from mlir import ir
from native_support import Native
from program_support import Instance

from tdsl.cpu.backend import CPU
from tdsl.cpu.compiler import compile_text
from tdsl.engine.pool import Pool
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Kernels, Options
from tdsl.lowering.passes import share_loops
from tdsl.lowering.passes.structured import Structured
from tdsl.lowering.pipeline import context, lower_text
from tdsl.lowering.rewriting import collect

POOL = "tdsl_pool_run"
SIZES = {"M": 37, "N": 53}
SHARED = {
    "one axis": "pub fn f[N](x: f32[N], y: f32[N]) -> f32[N] { exp(x) * y + 1.5 }",
    "broadcast": "pub fn f[M, N](x: f32[M, N], y: f32[N]) -> f32[M, N] { tanh(x) / 3 + y }",
    "a number": "pub fn f[M, N](x: f32[M, N], s: f32) -> f32[M, N] { x * s + s }",
    "turned": "pub fn f[M, N](x: f32[M, N]) -> f32[N, M] { transpose(sin(x), [1, 0]) }",
    "parts": """pub fn f[M, N](x: f32[M, N]) -> f32[M, N] where N > 1 {
        concat([x[:, 1:] * 2, x[:, :1]], axis=1)
    }""",
    "positions": "pub fn f[M, N](x: f32[M, N]) -> f32[M, N] { x * f32(iota(N)) }",
    "doubles": "pub fn f[M, N](x: f64[M, N]) -> f64[M, N] { log(x * x + 1) }",
    "a choice": "pub fn f[M, N](x: f32[M, N]) -> f32[M, N] { select(x > 0, x, exp(x) - 1) }",
    "in a loop": """pub fn f[M, N](x: f32[M, N]) -> f32[M, N] {
        fold y = x for i in 0..4 { y * 0.5 + sin(y + f32(i)) }
    }""",
    "one after another": """pub fn f[M, N](x: f32[M, N]) -> (f32[M, N], f32[N, M]) {
        let a = exp(x)
        (a * 2, transpose(a, [1, 0]))
    }""",
}


@cache
def pool_of_four() -> Pool:
    return Pool(4)


@pytest.fixture
def _shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even the smallest loop is worth a thread, and there are four."""
    monkeypatch.setattr(share_loops, "_WORK", 1)
    monkeypatch.setattr("tdsl.engine.pool.pool", lambda make=None: pool_of_four())
    # The worker process that tests compile in knows nothing of this.
    monkeypatch.setattr("native_support.compile_isolated", compile_text)


def native(made: Instance, threads: int) -> Native:
    return Native(made.text, Options(threads=threads), Interface.of_graph(made.graph))


@pytest.mark.usefixtures("_shared")
@pytest.mark.parametrize(
    ("name", "is_open"),
    [*((name, True) for name in SHARED), ("broadcast", False), ("in a loop", False)],
)
def test_the_same_bits(name: str, is_open: bool) -> None:
    made = Instance.of_text(SHARED[name], **({} if is_open else SIZES))
    one, four = native(made, 1), native(made, 4)
    assert one.compiled.symbols == ()
    assert four.compiled.symbols == (POOL,)
    values = {symbol: SIZES[symbol.name] for symbol in made.graph.open_sizes}
    arrays = made.arrays(values)
    numbers = list(values.values())
    wanted = [result.copy() for result in one(*arrays, sizes=numbers)]
    for result in wanted:
        assert np.isfinite(result).all()
    for _ in range(15):
        for a, b in zip(four(*arrays, sizes=numbers, offset=4), wanted, strict=True):
            np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8))


GENERIC = """
func.func private @check(f32)
func.func @f(%x: memref<8x9xf32>, %y: memref<8x9xf32>, %z: memref<9xf32>) {{
  linalg.generic {{
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ({out})>],
    iterator_types = ["{first}", "parallel"]
  }} ins(%x : memref<8x9xf32>) outs({to}) {{
  ^bb0(%a: f32, %b: f32):
    {body}
    linalg.yield %c : f32
  }}
  return
}}
"""


@pytest.mark.parametrize(
    ("first", "out", "body", "is_shared"),
    [
        ("parallel", "i, j", "%c = arith.negf %a : f32", True),
        ("reduction", "j", "%c = arith.addf %a, %b : f32", False),
        ("parallel", "j", "%c = arith.addf %a, %a : f32", False),
        ("parallel", "i, j", "func.call @check(%a) : (f32) -> ()\n%c = arith.negf %a : f32", False),
    ],
    ids=["elementwise", "a sum", "written again and again", "checked"],
)
def test_what_may_be_shared(first: str, out: str, body: str, is_shared: bool) -> None:
    """A sum in another order would have other bits; the first wrong position is to be reported."""
    to = "%y : memref<8x9xf32>" if out == "i, j" else "%z : memref<9xf32>"
    with context():
        module = ir.Module.parse(GENERIC.format(first=first, out=out, body=body, to=to))
        (operation,) = collect(module, {"linalg.generic"})
        assert (share_loops.cost((Structured.of(operation),)) > 0) == is_shared


@pytest.mark.usefixtures("_shared")
def test_sums_stay_with_one_thread() -> None:
    made = Instance.of_text("pub fn f[M, N](x: f32[M, N]) -> f32[M] { sum(x, axis=1) }")
    options = Options(Kernels.none(), fuse=False, threads=4)
    text = lower_text(made.text, "llvm", options, CPU, Interface.of_graph(made.graph))
    # The zeros that they begin with are written by a loop of its own.
    assert len(re.findall(r"llvm.func internal @\S*\.spread\(", text)) == 1


def test_small_loops_stay_with_the_caller() -> None:
    text = SHARED["one axis"]
    assert native(Instance.of_text(text, N=20_000), 4).compiled.symbols == ()
    assert native(Instance.of_text(text, N=2_000_000), 4).compiled.symbols == (POOL,)
