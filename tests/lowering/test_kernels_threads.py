"""Kernels whose ranges are shared out to threads: the same bits with any number of threads, in
memory that is guarded, and nothing of a pool in code for one thread."""

from __future__ import annotations

import re
import threading
from functools import cache

import numpy as np
import pytest
from mlir import ir
from msgspec.structs import replace
from native_support import Native
from program_support import Instance
from rows_programs import HEAD

from tdsl.cpu import attention, gemm, rows
from tdsl.cpu.backend import CPU
from tdsl.cpu.compiler import compile_text
from tdsl.engine.pool import Pool
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import context, pass_list, run_pass
from tdsl.lowering.sizes import attach_interface
from tdsl.runtime.packing import Field

POOL = "tdsl_pool_run"
PROGRAMS = {
    "product": "pub fn f[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] { x @ w }",
    "product in f64": "pub fn f[M, K, N](x: f64[M, K], w: f64[K, N]) -> f64[M, N] { x @ w }",
    "with what follows": """pub fn f[M, K, N](x: f32[M, K], w: f32[K, N], b: f32[N]) -> f32[M, N] {
        tanh(x @ w + b)
    }""",
    "turned": """pub fn f[M, K, N](x: f32[M, K], w: f32[N, K]) -> f32[M, N] {
        x @ transpose(w, [1, 0])
    }""",
    "one column": "pub fn f[M, K](x: f32[M, K], w: f32[K]) -> f32[M] { x @ w }",
    "few columns": "pub fn f[B, M, K](x: f32[B, M, K], w: f32[B, K, 3]) -> f32[B, M, 3] { x @ w }",
    "batched": "pub fn f[B, M, K, N](x: f32[B, M, K], w: f32[B, K, N]) -> f32[B, M, N] { x @ w }",
    "softmax": "pub fn f[M, N](x: f32[M, N]) -> f32[M, N] { softmax(x) }",
    "layer_norm": """pub fn f[M, N](x: f32[M, N], g: f32[N], b: f32[N]) -> f32[M, N] {
        layer_norm(x, g, b)
    }""",
    "a number for each row": "pub fn f[M, N](x: f32[M, N]) -> f32[M] { mean(x * x, axis=-1) }",
    "attention": """pub fn f[H, T](q: f32[H, T, 24], k: f32[H, T, 24], v: f32[H, T, 24])
        -> f32[H, T, 24] { softmax(q @ transpose(k, [0, 2, 1]) / 2.0) @ v }""",
    "one query": """pub fn f[H, T](q: f32[H, 1, 24], k: f32[H, T, 24], v: f32[H, T, 24])
        -> f32[H, 1, 24] { softmax(q @ transpose(k, [0, 2, 1]) / 2.0) @ v }""",
    "causal": """pub fn f[H, T](q: f32[H, T, 24], k: f32[H, T, 24], v: f32[H, T, 24])
        -> f32[H, T, 24] {
        masked_attention(q, k, v, broadcast(causal[Q=T, N=T](0), [H, T, T]))
    }""",
}
SIZES: dict[str, list[dict[str, int]]] = {
    "product": [
        {"M": m, "K": k, "N": n}
        for m, k, n in ((1, 9, 900), (3, 33, 130), (33, 65, 200), (70, 300, 1000))
    ],
    "batched": [{"B": 3, "M": 9, "K": 5, "N": 101}, {"B": 5, "M": 2, "K": 40, "N": 7}],
    "columns": [{"B": 2, "M": m, "K": k} for m, k in ((1, 9), (500, 70), (3000, 200))],
    "rows": [{"M": 1, "N": 40}, {"M": 37, "N": 70}],
    "attention": [{"H": 3, "T": 7}, {"H": 2, "T": 200}],
}
KINDS = {
    "product in f64": "product", "with what follows": "product", "turned": "product",
    "one column": "columns", "few columns": "columns",
    "softmax": "rows", "layer_norm": "rows", "a number for each row": "rows",
    "one query": "attention", "causal": "attention",
}  # fmt: skip


@cache
def pool_of_four() -> Pool:
    return Pool(4)


@pytest.fixture
def _shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even the smallest work is worth a thread, and there are four."""
    for module, name in (
        (gemm, "FLOPS"), (gemm, "BYTES"),
        (rows, "ELEMENTS"), (attention, "FLOPS"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(gemm, "_NARROWEST", 48)
    monkeypatch.setattr("tdsl.engine.pool.pool", lambda make=None: pool_of_four())
    # The worker process that tests compile in knows nothing of this.
    monkeypatch.setattr("native_support.compile_isolated", compile_text)


def instance(name: str, **sizes: int) -> Instance:
    head = HEAD.removeprefix("tdsl 0.1\n") + "from std.nn import masked_attention, causal\n"
    return Instance.of_text(head + PROGRAMS[name], **sizes)


def native(made: Instance, threads: int, isa: str = "host") -> Native:
    assert made.claims
    return Native(made.text, Options(threads=threads, isa=isa), Interface.of_graph(made.graph))


def check(name: str, isa: str, is_open: bool) -> None:
    for known in SIZES[KINDS.get(name, name)]:
        made = instance(name, **({} if is_open else known))
        if not is_open or known is SIZES[KINDS.get(name, name)][0]:
            one, four = native(made, 1, isa), native(made, 4, isa)
            assert POOL not in one.compiled.symbols
        values = {symbol: known[symbol.name] for symbol in made.graph.open_sizes}
        arrays = made.arrays(values)
        wanted = [result.copy() for result in one(*arrays, sizes=list(values.values()))]
        assert all(np.isfinite(result).all() for result in wanted)
        assert four.compiled.symbols == (POOL,)
        for _ in range(10):
            found = four(*arrays, sizes=list(values.values()), offset=4)
            for a, b in zip(found, wanted, strict=True):
                np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8))


@pytest.mark.usefixtures("_shared")
@pytest.mark.parametrize(
    ("name", "is_open"),
    [*((name, True) for name in PROGRAMS), ("with what follows", False), ("causal", False)],
)
def test_the_same_bits(name: str, is_open: bool) -> None:
    check(name, "host", is_open)


@pytest.mark.usefixtures("_shared")
@pytest.mark.parametrize("isa", ["avx2", "portable"])
@pytest.mark.parametrize("name", ["product", "softmax", "causal"])
def test_the_same_bits_on_other_processors(name: str, isa: str) -> None:
    check(name, isa, True)


@pytest.mark.usefixtures("_shared")
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(("rows", "flops"), [(1, 1), (8, 1), (9, 1), (70, 1), (70, 300_000)])
def test_the_same_bits_with_panels_that_are_packed_before(
    rows: int, flops: int, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of a panel are shared out too, here a tile to each piece, or some."""
    monkeypatch.setattr(gemm, "FLOPS", flops)
    made = instance("with what follows", K=300, N=130, **({} if is_open else {"M": rows}))
    interface = replace(Interface.of_graph(made.graph), constants=frozenset({1}))
    one, four = (Native(made.text, Options(threads=t), interface) for t in (1, 4))
    (packing,) = dict(four.compiled.interface.packed).values()
    x, w, bias = made.arrays(dict.fromkeys(made.graph.open_sizes, rows))
    panels = np.empty(packing.shape(w.shape), w.dtype)
    Field(w).pack(packing, panels)
    sizes = [rows] * len(made.graph.open_sizes)
    (wanted,) = one(x, panels, bias, sizes=sizes)
    np.testing.assert_allclose(wanted, np.tanh(x @ w + bias), rtol=2e-4, atol=2e-5)
    for _ in range(10):
        (found,) = four(x, panels, bias, sizes=sizes)
        np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


def test_small_work_stays_with_the_caller() -> None:
    small = [instance("product", M=16, K=16, N=16), instance("softmax", M=8, N=64)]
    small.append(instance("causal", H=2, T=16))
    # What one core does in less than twice the time in which the worker's share pays.
    small += [instance("product", M=64, K=128, N=256), instance("softmax", M=128, N=512)]
    small.append(instance("product", M=1, K=768, N=640))
    small.append(instance("one query", H=12, T=800))
    large = [instance("product", M=256, K=256, N=256), instance("softmax", M=800, N=640)]
    large.append(instance("causal", H=12, T=128))
    large.append(instance("product", M=1, K=768, N=768))
    large.append(instance("one query", H=12, T=1024))  # 2.4 MB
    for made in small:
        assert native(made, 4).compiled.symbols == ()
    for made in large:
        assert native(made, 4).compiled.symbols == (POOL,)


@pytest.mark.parametrize(
    ("threads", "columns", "piece"),
    [(1, 2304, 4096), (2, 2304, 1152), (2, 3072, 768), (2, 50000, 4096), (4, 2304, 576)],
)
def test_few_rows_are_shared_in_pieces_that_are_read_fast(
    threads: int, columns: int, piece: int
) -> None:
    """As many for each thread, and none much narrower than memory is fast at."""
    made = instance("product", M=1, K=768, N=columns)
    with context():
        module = ir.Module.parse(made.text)
        attach_interface(module, Interface.of_graph(made.graph))
        for step in (*pass_list("bufferized", CPU), *pass_list("llvm", CPU)[:2]):
            if step.wanted(Options()):
                run_pass(step, module, Options(threads=threads, isa="avx512"))
        (found,) = re.findall(r"memref.alloca\(\).*memref<1x(\d+)xf32>", str(module))
    assert int(found) == piece


def test_an_open_size_decides_at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are counted in place of the pool."""
    import ctypes

    from tdsl.engine.load import load

    bodies: list[int] = []
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)

    @prototype
    def run(function: int, context: int, chunks: int) -> None:
        bodies.append(chunks)
        for chunk in range(chunks):
            body(function)(context, chunk)

    address = ctypes.cast(run, ctypes.c_void_p).value
    assert address is not None
    made = instance("softmax")
    compiled = compile_text(made.text, Options(threads=3), Interface.of_graph(made.graph))
    loaded = load(compiled.code, {POOL: address})
    entry = loaded.entry(compiled.entry)
    for rows_, asked in ((1, 0), (700, 0), (1000, 2), (2000, 3)):
        x = np.random.default_rng(0).standard_normal((rows_, 256), dtype=np.float32)
        y = np.full_like(x, np.nan)
        scratch = np.zeros(64, np.uint8)
        data = (ctypes.c_void_p * 3)(*[array.ctypes.data for array in (x, y, scratch)])
        bodies.clear()
        assert entry(data, (ctypes.c_int64 * 2)(rows_, 256)) == 0
        assert bodies == ([asked] if asked else [])
        np.testing.assert_allclose(y.sum(-1), 1, rtol=1e-5)


@pytest.mark.usefixtures("_shared")
def test_every_range_has_scratch_memory_of_its_own() -> None:
    """Many calls at once, each with four ranges at once, all in guarded memory."""
    made = instance("product", M=40, K=130, N=700)
    one, four = native(made, 1), native(made, 4)
    assert four.compiled.scratch_bytes() >= 4 * one.compiled.scratch_bytes() > 0
    wrong: list[int] = []

    def calls(seed: int) -> None:
        arrays = made.arrays({}, seed)
        (wanted,) = one(*arrays)
        for _ in range(40):
            (found,) = four(*arrays)
            if not np.array_equal(found, wanted):
                wrong.append(seed)

    threads = [threading.Thread(target=calls, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
