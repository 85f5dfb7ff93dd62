"""Products that are read head by head: each head is written on its own, and nothing else changes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from emission_support import run
from msgspec.structs import replace
from program_support import Instance

import tdsl
from tdsl.cpu.backend import CPU
from tdsl.gpu.backend import GPU
from tdsl.lowering.interface import Interface
from tdsl.lowering.kernels import Splits
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import context, pass_list, run_pass
from tdsl.lowering.sizes import attach_interface
from tdsl.runtime.bound import bound, struct_layout

OFF = Options(isa="avx2", threads=1, head_major=False)
ON = replace(OFF, head_major=True)
SELF = """
pub fn f[T](x: f32[T, 12], w: f32[12, 96], b: f32[96]) -> f32[T, 32] {
    let qkv = x @ w + b
    let [q, k, v] = [transpose(reshape(qkv[:, i*32 : (i+1)*32], [T, 2, 16]), [1, 0, 2]) for i in 0..3]
    let p = softmax(q @ transpose(k, [0, 2, 1]) / 4.0)
    reshape(transpose(p @ v, [1, 0, 2]), [T, 32])
}
"""
# Read without a slice, by what is no kernel.
SUMS = """
pub fn f[T](x: f32[T, 12], w: f32[12, 48]) -> f32[3, T] {
    transpose(sum(reshape(x @ w, [T, 3, 16]) * 2.0, axis=2), [1, 0])
}
"""
NOT_SPLIT = {
    "read whole, too": SELF.replace("-> f32[T, 32] {", "-> (f32[T, 32], f32[]) {")
    .replace("    reshape(transpose(p", "    (reshape(transpose(p")
    .replace("[T, 32])\n}", "[T, 32]), sum(qkv))\n}"),
    "a result": """
pub fn f[T](x: f32[T, 12], w: f32[12, 48]) -> f32[T, 3, 16] { reshape(x @ w, [T, 3, 16]) }""",
    "heads narrower than a vector": re.sub(
        r"\b(32|16|96)\b", lambda found: str(int(found[0]) // 4), SELF
    ),
    "one head": SUMS.replace("[3, T]", "[1, T]").replace("T, 3,", "T, 1,").replace("48", "16"),
    "heads of two sizes": """
pub fn f[T](x: f32[T, 12], w: f32[12, 96]) -> (f32[3, T], f32[6, T]) {
    let both = x @ w
    (
        transpose(sum(reshape(both[:, 0:48], [T, 3, 16]) * 2.0, axis=2), [1, 0]),
        transpose(sum(reshape(both[:, 48:96], [T, 6, 8]) * 2.0, axis=2), [1, 0]),
    )
}""",
    "heads that begin between heads": """
pub fn f[T](x: f32[T, 12], w: f32[12, 48]) -> f32[2, T] {
    transpose(sum(reshape((x @ w)[:, 8:40], [T, 2, 16]) * 2.0, axis=2), [1, 0])
}""",
}
HEAD = "from std.nn import softmax\n"


def instance(text: str, **sizes: int) -> Instance:
    return Instance.of_text(HEAD + text, **sizes)


def destinations(made: Instance, options: Options = ON) -> list[str]:
    """The types of the results of all kernels of products."""
    from mlir import ir

    with context():
        module = ir.Module.parse(made.text)
        attach_interface(module, Interface.of_graph(made.graph))
        for step in (*pass_list("bufferized", CPU), *pass_list("llvm", CPU)[:2]):
            if step.wanted(options):
                run_pass(step, module, options)
        calls = re.findall(r"call @f\.matmul_\d+\.kernel_\d+\(.*\) : \((.*)\) -> \(\)", str(module))
    types = [re.findall(r"memref<[^<>]*(?:<[^<>]*>[^<>]*)*>", one) for one in calls]
    return [[one for one in found if "i8" not in one][-1] for found in types]


@pytest.mark.parametrize("sizes", [{}, {"T": 7}])
def test_heads_are_written_on_their_own(sizes: dict[str, int]) -> None:
    rows = sizes.get("T", "?")
    layout = "strided<[?, ?, 1], offset: ?>"
    made = instance(SELF, **sizes)
    assert destinations(made) == [f"memref<{rows}x6x16xf32, {layout}>"]
    assert destinations(made, OFF) == [f"memref<{rows}x96xf32>"]
    assert destinations(instance(SUMS, **sizes)) == [f"memref<{rows}x3x16xf32, {layout}>"]


@pytest.mark.parametrize("name", NOT_SPLIT)
def test_near_misses(name: str) -> None:
    made = instance(NOT_SPLIT[name])
    assert not [one for one in destinations(made) if "strided" in one]
    made.compare({"T": 5}, ON, tolerance=1e-5)


def test_one_row_is_as_it_is() -> None:
    assert destinations(instance(SELF, T=1)) == ["memref<1x96xf32>"]


@pytest.mark.parametrize("isa", ["host", "avx2", "portable"])
@pytest.mark.parametrize(("text", "rows"), [(SELF, (1, 13)), (SUMS, (3,))])
def test_on_is_off(text: str, rows: tuple[int, ...], isa: str) -> None:
    """Bit for bit, with whole tiles and without, and with rows that are computed twice."""
    made = instance(text)
    for count in rows:
        values = dict.fromkeys(made.graph.open_sizes, count)
        arrays = made.arrays(values)
        results = [
            run(made.graph, arrays, made.claims, values, text=made.text, options=options)
            for options in (replace(ON, isa=isa), replace(OFF, isa=isa))
        ]
        for one, other in zip(*results, strict=True):
            assert one.tobytes() == other.tobytes()
    made.compare({"T": rows[-1]}, replace(ON, isa=isa), tolerance=1e-5)


def test_two_threads() -> None:
    made = instance(SELF, T=129)
    made.compare({}, replace(ON, threads=2), tolerance=1e-5)


def test_packed_weights() -> None:
    """Whose last panel is filled up: how many columns there are is read off the destination."""
    struct = "pub struct P { w: f32[12, 96], b: f32[96] }\n"
    text = SELF.replace("w: f32[12, 96], b: f32[96]", "own: P").replace("w + b", "own.w + own.b")
    module = tdsl.loads(f"tdsl 0.1\n{HEAD}{struct}{text}")
    assert module.__program__ is not None
    random = np.random.default_rng(0)
    w, b, x = (random.standard_normal(s).astype(np.float32) for s in [(12, 96), (96,), (9, 12)])
    weights = module.P(w=w, b=b)
    layout = struct_layout(module.__program__, module.__program__.root.structs["P"])
    packed = bound(weights, layout, module.__structs__)
    found = module.f(x, packed)
    assert [field for field in packed._fields if field.packed]
    np.testing.assert_allclose(found, module.f(x, weights), rtol=1e-6)


def test_only_kernels_that_can() -> None:
    """On GPUs products write their results in one piece."""
    assert isinstance(CPU.generators["matmul"]["native"], Splits)
    assert not any(
        isinstance(generator, Splits)
        for generators in GPU.generators.values()
        for generator in generators.values()
    )
