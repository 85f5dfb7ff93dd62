"""Products with few columns: every layout, dtype and processor, what follows, and threads."""

from __future__ import annotations

from itertools import product as combinations

import ml_dtypes
import numpy as np
import pytest
from native_support import Native
from program_support import Instance

from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options

SYMBOLS = ".columns_{}"
TOLERANCE = {"f32": 2e-4, "f64": 1e-12}


def native(text: str, options: Options | None = None, **sizes: int) -> tuple[Instance, Native]:
    made = Instance.of_text(text, **sizes)
    interface = Interface.of_graph(made.graph)
    return made, Native(made.text, options or Options(threads=1), interface)


def random(*shape: int, dtype: str = "f32") -> np.ndarray:
    kind = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(kind[dtype])


def kernels(text: str, isa: str = "avx512", **sizes: int) -> str:
    """The names of the functions that are made."""
    from mlir import ir

    from tdsl.cpu.backend import CPU
    from tdsl.lowering.pipeline import context, pass_list, run_pass
    from tdsl.lowering.sizes import attach_interface

    made = Instance.of_text(text, **sizes)
    options = Options(isa=isa, threads=1)
    with context():
        module = ir.Module.parse(made.text)
        attach_interface(module, Interface.of_graph(made.graph))
        for step in (*pass_list("bufferized", CPU), *pass_list("llvm", CPU)[:2]):
            if step.wanted(options):
                run_pass(step, module, options)
        names = [str(one.operation.attributes["sym_name"]) for one in module.body.operations]
    return " ".join(names)


PLAIN = "pub fn f[M, K](w: {e}[{left}], x: {e}[{right}]) -> {e}[M, {n}] {{ {w} @ {x} }}"


def plain(n: int, turned: str, dtype: str = "f32") -> str:
    left, w = ("K, M", "w.T") if "left" in turned else ("M, K", "w")
    right, x = (f"{n}, K", "x.T") if "right" in turned else (f"K, {n}", "x")
    return PLAIN.format(e=dtype, n=n, left=left, w=w, right=right, x=x)


SHAPES = [(1, 1), (1, 40), (5, 7), (17, 16), (129, 65), (70, 3000)]
CASES = [
    *[("host", "f32", *one) for one in combinations((1, 2, 3, 7), ("", "left", "right"))],
    ("host", "f32", 5, "left right"),
    *[("host", "f64", n, "") for n in (1, 7)],
    *[("avx2", "f32", n, "") for n in (3, 7)],
    ("avx2", "f64", 3, "left"),
    *[("portable", "f32", n, "") for n in (1, 3)],
]


@pytest.mark.parametrize(("isa", "dtype", "columns", "turned"), CASES)
def test_any_sizes(isa: str, dtype: str, columns: int, turned: str) -> None:
    """Between guards, with results that were NaN."""
    made, run = native(plain(columns, turned, dtype), Options(isa=isa, threads=1))
    for m, k in SHAPES:
        values = {"M": m, "K": k}
        w = random(*((k, m) if "left" in turned else (m, k)), dtype=dtype)
        x = random(*((columns, k) if "right" in turned else (k, columns)), dtype=dtype)
        sizes = [values[symbol.name] for symbol in made.graph.open_sizes]
        (found,) = run(w, x, sizes=sizes, offset=8)
        wanted = (w.T if "left" in turned else w) @ (x.T if "right" in turned else x)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE[dtype] * max(1, k / 100))


@pytest.mark.parametrize("columns", [3, 7])
@pytest.mark.parametrize("isa", ["avx512", "avx2"])
def test_rows_too_long_for_the_nearest_cache(columns: int, isa: str) -> None:
    """Which are read once for some columns: also where these do not come out even."""
    if isa == "avx512" and "avx512f" not in _features():
        pytest.skip("the code would not run here")
    _, run = native(plain(columns, ""), Options(isa=isa, threads=1), M=13, K=3001)
    w, x = random(13, 3001), random(3001, columns)
    np.testing.assert_allclose(run(w, x)[0], w @ x, rtol=0, atol=5e-3)


def _features() -> str:
    from tdsl.engine.llvm import Target

    return Target.host().features


VECTOR = "pub fn f[M, K](x: f32[K], w: {e}[M, K]) -> f32[M] {{ {w} @ x }}"


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_matrix_times_vector(dtype: str) -> None:
    text = VECTOR.format(e=dtype, w="w" if dtype == "f32" else "f32(w)")
    _, run = native(text, M=200, K=100)
    w, x = random(200, 100, dtype=dtype), random(100)
    np.testing.assert_allclose(run(x, w)[0], w.astype(np.float32) @ x, rtol=0, atol=2e-4)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_batch_and_what_follows(columns: int) -> None:
    text = f"""pub fn f[B, M, K](w: f32[B, M, K], x: f32[B, K, {columns}], b: f32[M, {columns}])
    -> f32[B, M, {columns}] {{ exp(w @ x * 0.1) + b }}"""
    for sizes in ({"B": 3, "M": 150, "K": 20}, {}):
        made, run = native(text, **sizes)
        w, x, b = random(3, 150, 20), random(3, 20, columns), random(150, columns)
        values = {"B": 3, "M": 150, "K": 20}
        given = [values[symbol.name] for symbol in made.graph.open_sizes]
        (found,) = run(w, x, b, sizes=given)
        np.testing.assert_allclose(found, np.exp(w @ x * 0.1) + b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(("turned", "columns"), [("", 1), ("left", 3), ("", 3)])
def test_bits_do_not_depend_on_threads(turned: str, columns: int) -> None:
    m, k = 1501, 1100
    w = random(*((k, m) if turned else (m, k)))
    x = random(k, columns)
    results = []
    for threads in (1, 2):
        _, run = native(plain(columns, turned), Options(threads=threads), M=m, K=k)
        assert ("tdsl_pool_run" in run.compiled.symbols) == (threads == 2)
        results.append(run(w, x)[0].tobytes())
    assert results[0] == results[1]


def test_which_products_go_this_way() -> None:
    assert "columns_1" in kernels(VECTOR.format(e="f32", w="w"))
    assert "columns_7" in kernels(plain(7, ""))
    assert "columns_2" in kernels(plain(2, ""), "portable")
    assert "columns" not in kernels(plain(4, ""), "portable")  # a whole vector
    assert "columns" not in kernels(plain(8, ""))
