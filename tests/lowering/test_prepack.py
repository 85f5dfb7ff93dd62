"""Which constants kernels take in a form of their own, and which results need no copy to be put into
the memory of an input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import tdsl
from tdsl.cpu.backend import CPU
from tdsl.graph.elaborate import elaborate
from tdsl.lowering.interface import Interface, Packing
from tdsl.lowering.options import Kernels, Options
from tdsl.lowering.pipeline import count_buffers, lower
from tdsl.runtime.bindings import instance_to_show
from tdsl.runtime.build import module_text

ISA = "avx2"  # the same columns on every machine
COLUMNS = {"f32": 16, "f64": 8}


def lowered(
    body: str, until: str = "llvm", options: Options | None = None, **passing: Any
) -> tuple[Any, Interface]:
    """The module, and its interface, of a function `f` with an example."""
    from mlir import ir

    from tdsl.lowering.pipeline import context
    from tdsl.lowering.sizes import interface_of

    options = options or Options(isa=ISA)
    program = tdsl.loads(f"tdsl 0.1\n{body}\n").__program__
    assert program is not None
    signature = program.root.functions["f"].signature
    parameters = instance_to_show(program, signature, {})
    graph = elaborate(program, signature.function, parameters)
    interface = replace(Interface.of_graph(graph), **passing)
    with context():
        module = ir.Module.parse(module_text(graph, options))
        lower(module, until, options, CPU, interface)
        if until == "bufferized":
            return count_buffers(module), interface
        return str(module), interface_of(module)


def packed(body: str, *constants: int, options: Options | None = None) -> dict[int, Packing]:
    _, interface = lowered(body, options=options, constants=frozenset(constants))
    return dict(interface.packed)


PRODUCT = """pub fn f[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] { x @ w }
example f[M=3, K=5, N=20] -> f32[3, 20]"""
TURNED = """pub fn f[M, K, N](x: f32[M, K], w: f32[N, K]) -> f32[M, N] { x @ w.T }
example f[M=3, K=5, N=20] -> f32[3, 20]"""
LAYERS = """pub fn f[L, M, K](x: f32[M, K], w: [f32[K, K]; L]) -> f32[M, K] {
    fold y = x for v in w { y @ v }
}
example f[L=4, M=3, K=20] -> f32[3, 20]"""


def test_the_right_operand_of_a_product() -> None:
    how = Packing(COLUMNS["f32"])
    assert packed(PRODUCT, 1) == {1: how}
    assert packed(PRODUCT) == {}
    assert packed(PRODUCT, 0) == {}
    assert packed(PRODUCT, 0, 1) == {1: how}
    assert packed(TURNED, 1) == {1: Packing(COLUMNS["f32"], transposed=True)}
    assert packed(LAYERS, 1) == {1: how}
    wide = PRODUCT.replace("f32", "f64")
    assert packed(wide, 1) == {1: Packing(COLUMNS["f64"])}


@pytest.mark.parametrize("stored", ["f16", "bf16"])
def test_the_dtype_it_is_computed_in_decides_the_columns(stored: str) -> None:
    text = f"""pub fn f[M, K, N](x: f32[M, K], w: {stored}[K, N]) -> f32[M, N] {{ x @ f32(w) }}
example f[M=3, K=5, N=20] -> f32[3, 20]"""
    assert packed(text, 1) == {1: Packing(COLUMNS["f32"])}


def test_options_switch_it_off() -> None:
    assert packed(PRODUCT, 1, options=Options(isa=ISA, prepack=False)) == {}
    assert packed(PRODUCT, 1, options=Options(Kernels.none(), isa=ISA)) == {}
    assert packed(PRODUCT, 1, options=Options(Kernels.parse("matmul:loops"), isa=ISA)) == {}


@pytest.mark.parametrize(
    "body",
    [
        "(x @ w) + sum(w)",  # another reads it
        "x @ w[:, 0:K]",  # whose columns are a part of it
        "(x @ w[:, 0:K]) @ w[0:K, 0:K]",
        "(x @ w[:, 0:K]) @ w[:, 0:K].T",  # in two forms
        "w[:, 0:K] @ x.T",  # on the left
        "x @ (w[:, 0:K] * 2.0)",  # computed
    ],
)
def test_what_is_read_in_another_way_stays(body: str) -> None:
    text = f"""pub fn f[K, N](x: f32[K, K], w: f32[K, N]) -> f32[K, {"N" if "sum" in body else "K"}]
    where N == K + 3 {{ {body} }}
example f[K=20, N=23] -> f32[20, {23 if "sum" in body else 20}]"""
    assert packed(text, 1) == {}


def test_parts_of_a_stack() -> None:
    text = """pub fn f[L, M, K](x: f32[M, K], w: f32[L, K, K]) -> f32[M, K]
    where L >= 3 { (x @ w[0]) @ w[2] }
example f[L=4, M=3, K=20] -> f32[3, 20]"""
    assert packed(text, 1) == {1: Packing(COLUMNS["f32"])}
    batched = """pub fn f[L, M, K](x: f32[L, M, K], w: f32[L, K, K]) -> f32[L, M, K] { x @ w }
example f[L=4, M=3, K=20] -> f32[4, 3, 20]"""
    assert packed(batched, 1) == {1: Packing(COLUMNS["f32"])}


@pytest.mark.parametrize("turned", [False, True])
def test_whole_panels_of_columns(turned: bool) -> None:
    def text(start: int, stop: int) -> str:
        w, part = ("f32[K, N]", f"w[:, {start}:{stop}]")
        if turned:
            w, part = ("f32[N, K]", f"w[{start}:{stop}].T")
        return f"""pub fn f[M, K, N](x: f32[M, K], w: {w}) -> f32[M, {stop - start}]
    where N == 40 {{ x @ {part} }}
example f[M=3, K=5, N=40] -> f32[3, {stop - start}]"""

    how = Packing(COLUMNS["f32"], transposed=turned)
    assert packed(text(0, 16), 1) == {1: how}
    assert packed(text(16, 32), 1) == {1: how}
    assert packed(text(16, 40), 1) == {1: how}  # with a panel that is filled up
    assert packed(text(8, 24), 1) == {}
    assert packed(text(16, 36), 1) == {}


def test_columns_of_packed_weights() -> None:
    text = """tdsl 0.1
pub struct W[K, N] { one: f32[K, N], turned: f32[N, K], all: f32[3, K, N] }
pub fn f[M, K, N](x: f32[M, K], p: W[K, N]) -> (f32[M, 96], f32[M, 100], f32[M, 48], f32[M, 4])
    where N == 148
{
    (x @ p.one[:, 0:96], x @ p.one[:, 48:148], x @ p.turned[48:96].T, x @ p.all[1][:, 144:148])
}
"""
    m = tdsl.loads(text)
    random = np.random.default_rng(0)
    one, turned = random.standard_normal((7, 148)), random.standard_normal((148, 7))
    whole = random.standard_normal((3, 7, 148))
    w = m.W.bind({"one": one.astype("f"), "turned": turned.astype("f"), "all": whole.astype("f")})
    for rows in (1, 5, 21):
        x = random.standard_normal((rows, 7))
        expected = (x @ one[:, :96], x @ one[:, 48:], x @ turned[48:96].T, x @ whole[1, :, 144:])
        for found, wanted in zip(m.f(x.astype("f"), w), expected, strict=True):
            np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)


def test_open_sizes_of_the_weights_stay_as_they_are() -> None:
    text = "pub fn f[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] { x @ w }"
    assert packed(text, 1) == {}
    text = "pub fn f[M](x: f32[M, 5], w: f32[5, 20]) -> f32[M, 20] { x @ w }"
    assert packed(text, 1) == {1: Packing(COLUMNS["f32"])}


def test_the_interface_survives_as_data() -> None:
    _, interface = lowered(LAYERS, constants=frozenset({1}), donated=((0, 0),))
    assert interface.packed
    assert Interface.from_data(interface.to_data()) == interface


@pytest.mark.parametrize("rows", [1, 3, 20])
def test_a_table_that_is_also_an_output_is_read_where_it_lies(rows: int) -> None:
    """No copy of it is made, whole or transposed."""
    from tdsl.cpu.compiler import compile_text

    text = f"""pub fn f[T, V, C](ids: i32[T], w: f32[V, C]) -> f32[T, V] {{
    take(w, ids, axis=0) @ w.T
}}
example f[T={rows}, V=4000, C=64] -> f32[{rows}, 4000]"""
    program = tdsl.loads(f"tdsl 0.1\n{text}\n").__program__
    assert program is not None
    signature = program.root.functions["f"].signature
    graph = elaborate(program, signature.function, instance_to_show(program, signature, {}))
    interface = replace(Interface.of_graph(graph), constants=frozenset({1}))
    compiled = compile_text(module_text(graph, Options()), Options(), interface)
    assert not compiled.interface.packed
    assert compiled.scratch.literal is not None
    assert compiled.scratch.literal < 4000 * 64 * 4 / 4


# --- donation

UPDATE = """pub fn f[N](x: f32[N], y: f32[1], at: i32) -> f32[N] { update(x, y, at=[at]) }
example f[N=8] -> f32[8]"""
SCAN = """pub fn f[L, N](x: [f32[N]; L], y: f32[1], at: i32) -> [f32[N]; L] {
    let (_, found) = scan s = y for row in x { (s + 1.0, update(row, s, at=[at])) }
    found
}
example f[L=4, N=8] -> [f32[8]; 4]"""
READ_LATER = """pub fn f[N](x: f32[N], y: f32[1], at: i32) -> (f32[N], f32) {
    (update(x, y, at=[at]), sum(x * x))
}
example f[N=8] -> (f32[8], f32)"""
NEIGHBOURS = """pub fn f[N](x: f32[N]) -> f32[N] where N >= 2 { x + flip(x, axis=0) }
example f[N=8] -> f32[8]"""


def copies(body: str, *donated: tuple[int, int]) -> int:
    (_, found), _ = lowered(body, "bufferized", donated=donated)
    return int(found)


def test_an_update_of_a_donated_array_copies_nothing_of_it() -> None:
    for body in (UPDATE, SCAN):
        assert copies(body, (0, 0)) == copies(body) - 1


def test_where_the_old_elements_are_needed_there_is_a_copy_at_the_end() -> None:
    assert copies(NEIGHBOURS, (0, 0)) == copies(NEIGHBOURS) + 1
    assert copies(READ_LATER, (0, 0)) in (copies(READ_LATER) - 1, copies(READ_LATER) + 1)
