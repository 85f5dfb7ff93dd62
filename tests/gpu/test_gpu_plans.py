"""Launch plans: loops, views, checks, copies and memory of whole functions, and how they are stored."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.check.modules import check_source
from tdsl.errors import TargetError
from tdsl.gpu.acting import ORDER_VARIABLE
from tdsl.gpu.compiler import compile_emulated, compile_ptx
from tdsl.gpu.emulator import ORDERS, EmulationError, Emulator
from tdsl.gpu.object import GpuObject
from tdsl.gpu.plan import Buffer, Copy, Launch, Linear, Loop, Number, Plan, Pointer
from tdsl.graph.elaborate import elaborate
from tdsl.lowering.bounds import Site
from tdsl.lowering.device import DEVICES, parse_target
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Bounds, Kernels, Options
from tdsl.runtime.bindings import resolve
from tdsl.runtime.build import module_text
from tdsl.syntax.source import Source

Array = np.ndarray[Any, Any]
SM_80 = DEVICES["sm_80"]


def compiled(text: str, bounds: Bounds = "trap", kernels: str = "none", **sizes: int) -> GpuObject:
    """The function `f` of a program, for sm_80."""
    result = check_source(Source("t.tdsl", f"tdsl 0.1\n{text}"), None)
    program = result.program
    assert program is not None, result.diagnostics
    signature = program.root.functions["f"].signature
    graph = elaborate(program, signature.function, resolve(signature, sizes))
    options = Options(Kernels.parse(kernels), bounds=bounds)
    return compile_ptx(module_text(graph, options), options, Interface.of_graph(graph), SM_80)


def emulated(text: str, *arrays: Array, kernels: str = "none") -> Any:
    return tdsl.loads(f"tdsl 0.1\n{text}", kernels=kernels, target="gpu-emulator").f(*arrays)


def launches(plan: Plan) -> list[Launch]:
    return [step for step, _ in plan.run() if isinstance(step, Launch)]


def test_a_chain_is_one_kernel() -> None:
    plan = compiled("pub fn f[N](x: f32[N]) -> f32[N] { exp(x) * 2 + sin(x) }", N=1000).plan
    (launch,) = launches(plan)
    assert launch.block == (256, 1, 1)
    assert launch.grid == (4, 1, 1)
    assert launch.source == "t.tdsl:2:36"
    assert plan.scratch_bytes == 0


def test_a_fold_over_layers_is_a_loop_whose_arguments_move() -> None:
    text = (
        "pub fn f[L, N](w: f32[L, N], x: f32[N]) -> f32[N] {\n"
        "    fold y = x for i in 0..L { y * w[i] + 1 }\n}"
    )
    plan = compiled(text, L=3, N=5).plan
    (loop,) = (step for step in plan.steps if isinstance(step, Loop))
    assert (loop.start, loop.stop, loop.step) == (0, 3, 1)
    (inner,) = (step for step in loop.body if isinstance(step, Launch))
    moving = [a for a in inner.arguments if isinstance(a, Pointer) and a.offset.factors]
    assert moving == [Pointer(0, Linear(0, ((loop.number, 20),)))]
    w, x = np.arange(15, dtype=np.float32).reshape(3, 5), np.ones(5, np.float32)
    wanted = ((x * w[0] + 1) * w[1] + 1) * w[2] + 1
    assert np.array_equal(emulated(text, w, x), wanted)


TAKE = "pub fn f[V, D, T](w: f32[V, D], at: i64[T]) -> f32[T, D] { take(w, at, axis=0) + 1 }"


def test_rows_are_gathered_without_a_launch_for_each() -> None:
    plan = compiled(TAKE, V=50, D=6, T=40).plan
    assert not any(isinstance(step, Loop) for step in plan.steps)
    assert len(launches(plan)) <= 3


def test_a_position_out_of_range_is_an_index_error_with_its_place() -> None:
    w, at = np.zeros((5, 2), np.float32), np.array([0, 7, 1])
    with pytest.raises(IndexError, match=r"take: index 7 is out of range for axis 0 of size 5"):
        emulated(TAKE, w, at)
    with pytest.raises(IndexError, match="-1"):
        emulated(TAKE, w, np.array([0, -1, 1]))
    module = tdsl.loads(f"tdsl 0.1\n{TAKE}", bounds="clamp", target="gpu-emulator")
    assert np.array_equal(module.f(w, at), np.ones((3, 2)))
    assert compiled(TAKE, V=5, D=2, T=3).plan.sites == (Site("take", "index", 0, "t.tdsl:2:60"),)
    assert compiled(TAKE, "clamp", V=5, D=2, T=3).plan.sites == ()


def test_a_start_that_is_known_only_on_the_device_is_read_there() -> None:
    text = "pub fn f(x: f32[10, 3], at: i32) -> f32[4, 3] { slice(x, at=[at, 0], size=[4, 3]) * 2 }"
    x = np.arange(30, dtype=np.float32).reshape(10, 3)
    assert np.array_equal(emulated(text, x, np.array(5, np.int32)), x[5:9] * 2)
    with pytest.raises(IndexError, match="slice"):
        emulated(text, x, np.array(7, np.int32))


def test_a_number_is_kept_where_its_memory_changes() -> None:
    # The position of each step is what the step before left of it.
    text = (
        "pub fn f[T](x: f32[8], n: i32, y: f32[T]) -> (f32[8], i32) {\n"
        "    fold (a, k) = (x, n) for i in 0..T {\n"
        "        (update(a, y[i:i+1], at=[k]), k + 2)\n    }\n}"
    )
    found, last = emulated(
        text, np.zeros(8, np.float32), np.array(1, np.int32), np.array([5, 6, 7], np.float32)
    )
    assert np.array_equal(found, [0, 5, 0, 6, 0, 7, 0, 0])
    assert last == 7


def test_what_lies_in_order_is_copied_without_a_kernel() -> None:
    plan = compiled("pub fn f[N, M](x: f32[N, M]) -> f32[N, M] { x }", N=3, M=4).plan
    assert plan.steps == (Copy(Pointer(1), Pointer(0), 48),)


def test_buffers_that_are_never_needed_together_share_memory() -> None:
    text = (
        "pub fn f[N](a: f32[N, N], x: f32[N, N]) -> f32[N, N] {\n"
        "    a @ (a @ (a @ (a @ (a @ x))))\n}"
    )
    plan = compiled(text, N=16).plan
    scratch = [buffer for buffer in plan.buffers if buffer.role == "scratch"]
    assert len(scratch) == 4
    assert plan.scratch_bytes == 2 * 16 * 16 * 4
    a, x = np.random.default_rng(0).random((2, 6, 6), np.float32)
    np.testing.assert_allclose(emulated(text, a, x), a @ a @ a @ a @ a @ x, rtol=1e-5)


def test_indices_are_64_bits_wide_where_32_could_overflow() -> None:
    text = "pub fn f[N](x: i8[N]) -> i8[N] { x + x }"
    small = compiled(text, N=2**20).ptx
    large = compiled(text, N=2**31 + 1000)
    # The number of a thread, as it is compared with the number of elements.
    assert re.search(r"setp\.\w+\.[us]64.*2147484647", large.ptx)
    assert not re.search(r"setp\.\w+\.[us]64", small)
    (launch,) = launches(large.plan)
    assert launch.grid[0] * 256 >= 2**31 + 1000


def test_sizes_that_no_gpu_has_are_refused() -> None:
    with pytest.raises(TargetError, match="no GPU has so much memory"):
        compiled("pub fn f[N](x: f32[N]) -> f32[N] { x * 2 }", N=2**39)
    with pytest.raises(TargetError, match="no GPU has so much memory"):
        compiled("pub fn f[N](x: i8[N]) -> i8[N] { x * 2 }", N=2**42)


def test_an_open_size_is_refused_with_the_way_out() -> None:
    program = check_source(
        Source("t.tdsl", "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x }"), None
    ).program
    assert program is not None
    signature = program.root.functions["f"].signature
    from tdsl.runtime.bindings import open_symbols
    from tdsl.types.sizes import Size
    from tdsl.types.types import Substitution

    sizes = {symbol: Size.of(symbol) for symbol in open_symbols(signature, ("N",))}
    graph = elaborate(program, signature.function, Substitution(sizes, {}, {}))
    with pytest.raises(TargetError, match="N is open: fix it by an example, by --bind"):
        compile_ptx(module_text(graph, Options()), Options(), Interface.of_graph(graph), SM_80)


def test_a_plan_survives_being_stored() -> None:
    made = compiled(TAKE, V=5, D=2, T=3)
    again = GpuObject.from_bytes(made.to_bytes())
    assert again == made
    plan = Plan(
        "f",
        (Buffer("input", 0, 64), Buffer("scratch", 256, 8), Buffer("status", 0, 40)),
        (
            Loop(
                1,
                0,
                6,
                2,
                (
                    Launch(
                        "k",
                        (1, 2, 3),
                        (32, 1, 1),
                        (Pointer(0, Linear(4, ((1, 8),))), Number(Linear(0, ((1, 1),)))),
                        "t.tdsl:1:1",
                        1024,
                    ),
                    Copy(Pointer(1), Pointer(0, Linear(8)), 8),
                ),
            ),
        ),
        512,
        (Site("take", "index", 0, "t.tdsl:1:1"),),
    )
    assert Plan.from_json(plan.to_json()) == plan
    offsets = [
        step.arguments[0].offset.at(counters)
        for step, counters in plan.run()
        if isinstance(step, Launch) and isinstance(step.arguments[0], Pointer)
    ]
    assert offsets == [4, 20, 36]
    with pytest.raises(ValueError, match="not a GPU function"):
        GpuObject.from_bytes(b"TDSLOBJ2" + bytes(16))


def test_memory_is_nan_until_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that is left out shows: what it should have written is not 0 by chance."""
    text = "pub fn f[N](x: f32[N]) -> (f32[N], f32[N]) { (x + 1, x * 2) }"
    launch = Emulator.launch
    seen: list[str] = []

    def skipping(self: Emulator, symbol: str, *rest: Any) -> None:
        seen.append(symbol)
        if len(seen) > 1:
            launch(self, symbol, *rest)

    monkeypatch.setattr(Emulator, "launch", skipping)
    first, second = emulated(text, np.ones(3, np.float32))
    assert len(seen) == 2
    assert np.isnan(first).all()
    assert np.array_equal(second, [2, 2, 2])


def test_a_fault_names_the_line_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> None:
        raise EmulationError("`f_0`: what it says")

    monkeypatch.setattr(Emulator, "launch", failing)
    with pytest.raises(EmulationError, match=r"`f_0`: what it says \(<text>:2:36\)"):
        emulated("pub fn f[N](x: f32[N]) -> f32[N] { x + 1 }", np.ones(3, np.float32))


def test_results_do_not_depend_on_how_it_is_compiled() -> None:
    """What fuses, and what shares memory, changes nothing but rounding."""
    text = "tdsl 0.1\npub fn f[N](x: f32[N, N]) -> f32[N, N] { tanh(x @ x + 1) @ x.T }"
    program = check_source(Source("t.tdsl", text), None).program
    assert program is not None
    signature = program.root.functions["f"].signature
    graph = elaborate(program, signature.function, resolve(signature, {"N": 7}))
    x = np.random.default_rng(1).standard_normal((7, 7)).astype(np.float32)
    results = []
    for options in (
        Options(),
        Options(fuse=False),
        Options(reuse_scratch=False),
        Options(Kernels.none(), fuse=False, reuse_scratch=False),
    ):
        made = compile_emulated(
            module_text(graph, options), options, Interface.of_graph(graph), SM_80
        )
        result = np.empty_like(x)
        made.run([x.ctypes.data], [result.ctypes.data])
        results.append(result)
    for result in results:
        np.testing.assert_allclose(result, np.tanh(x @ x + 1) @ x.T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cuda", "there is no target 'cuda'"),
        ("nvptx", "does not say which GPU; write one of nvptx:sm_80"),
        ("nvptx:sm_09", "did you mean sm_90"),
        ("gpu-emulator:", "no GPU is called ''"),
        ("cpu:sm_80", "there is no target"),
        ("cpu:tf32", "precision 'tf32' is for GPUs"),
    ],
)
def test_targets_that_there_are_not(text: str, says: str) -> None:
    with pytest.raises(TargetError, match=says) as caught:
        parse_target(text)
    assert caught.value.code == "E0903"
    with pytest.raises(TargetError):
        tdsl.loads("tdsl 0.1\npub fn f(x: f32) -> f32 { x }", target=text)


def test_targets_are_read_back() -> None:
    for text in ("cpu", "nvptx:sm_90", "gpu-emulator:sm_80", "nvptx:sm_80:tf32"):
        assert str(parse_target(text)) == text
    assert str(parse_target("gpu-emulator")) == "gpu-emulator:sm_80"


def test_one_function_is_compiled_for_the_emulator() -> None:
    module = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x * 3 }")
    fast = module.f.compile(target="gpu-emulator")
    x = np.arange(4, dtype=np.float32)
    assert np.array_equal(fast(x), x * 3)
    # Sizes are never left open: each has an instance.
    assert np.array_equal(fast(x[:2]), x[:2] * 3)
    assert [one.split(",")[0] for one in fast.cache_info().instances] == ["N=4", "N=2"]
    assert ".entry f_0(" in fast.mlir("ptx", N=4)
    with pytest.raises(TargetError, match="has no stage asm"):
        fast.mlir("asm", N=4)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", [(64,), (5, 37, 41), (1, 300), (3, 63)])
def test_reductions_with_few_results_are_shared_by_blocks(
    shape: tuple[int, ...], order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ORDER_VARIABLE, order)
    sizes = ", ".join("NMK"[: len(shape)])
    text = (
        f"pub fn f[{sizes}](x: f32[{sizes}], n: i32[{sizes}]) -> (f32, f32, i64, i32, bool) {{\n"
        "    (sum(x), max(x), sum(n), min(n), all(n >= 0))\n}"
    )
    x = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    n = np.random.default_rng(6).integers(0, 99, shape).astype(np.int32)
    total, largest, number, least, everywhere = emulated(text, x, n)
    np.testing.assert_allclose(total, x.sum(dtype=np.float64), rtol=1e-4, atol=1e-5)
    assert largest == x.max()
    assert number == n.sum()
    assert least == n.min()
    assert everywhere


def test_a_shared_reduction_keeps_nan_and_what_it_began_with() -> None:
    text = "pub fn f[N](x: f32[N]) -> (f32, f32) { (max(x), sum(x)) }"
    x = np.ones(500, np.float32)
    x[123] = np.nan
    assert all(np.isnan(value) for value in emulated(text, x))
    made = compiled(text, N=500)
    assert ".shared" in made.ptx
    assert made.ptx.count("bar.sync") >= 8
    # Where there are many results, each is a thread's own.
    columns = "pub fn f[N, M](x: f32[N, M]) -> f32[M] { sum(x, axis=0) }"
    assert ".shared" not in compiled(columns, N=64, M=2**16).ptx
    assert ".shared" in compiled(columns, N=64, M=8).ptx


@pytest.mark.parametrize("precision", ["tf32", "bf16", "f16"])
def test_products_round_where_that_is_allowed(precision: str) -> None:
    module = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N, N], y: f32[N, N]) -> f32[N, N] { x @ y }")
    x, y = np.random.default_rng(4).standard_normal((2, 64, 64)).astype(np.float32)
    exact = x.astype(np.float64) @ y
    plain = module.f.compile(target="gpu-emulator")(x, y)
    rounded = module.f.compile(target="gpu-emulator", precision=precision)(x, y)
    assert np.abs(plain - exact).max() < 2e-5
    assert 1e-4 < np.abs(rounded - exact).max() < 0.2
    with pytest.raises(TargetError, match="is for GPUs"):
        module.f.compile(precision=precision)
    with pytest.raises(TargetError, match="there is no precision 'f8'"):
        module.f.compile(target="gpu-emulator", precision="f8")


def test_memory_of_arguments_is_not_given_up() -> None:
    module = tdsl.loads(
        "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x * 3 }", target="gpu-emulator"
    )
    with pytest.raises(TargetError, match="has no `donate`"):
        module.f.compile(N=4, donate="x")(np.ones(4, np.float32))
