"""Rows of a table with something added: the kernel in guarded memory, and whole programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chain_support import MACHINES, Making
from kernel_support import Compiled

import tdsl
from tdsl.cpu.taking import Taking
from tdsl.graph.claims import find_claims
from tdsl.graph.graph import Graph
from tdsl.lowering import machine as machines
from tdsl.lowering.emit import emit_module
from tdsl.lowering.kernels import KernelRequest
from tdsl.lowering.options import Options
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Symbol

Array = np.ndarray[Any, Any]
T, V, C = Symbol("T"), Symbol("V"), Symbol("C")


def taking_kernel(
    shape: tuple[Any, Any, Any], dtype: str = "f32", ids: str = "i32", machine: str = "avx512"
) -> Compiled:
    """take(table, ids) + more, then doubled."""
    count, rows, columns = shape
    m = Making(dtype)
    table, positions = m.argument(rows, columns), m.argument(count, dtype=ids)
    more = m.argument(count, columns)
    total = m.elementwise("add", m.gather(table, positions, 0), more)
    graph = Graph("f", tuple(m.arguments), (m.elementwise("mul", total, m.number(2.0)),))
    (claim,), _ = find_claims(graph)
    text = emit_module(graph, (claim,), locations=False)
    # The claim's function alone, as generators are given it.
    text = text[: text.index("func.func @f(")] + text[text.index("func.func private @f.take_0") :]
    kind = machines.MACHINES[machine]

    def make(function: Any, types: Any, result: Any) -> str:
        generator = Taking()
        generator.accept(function, kind, Options())
        request = KernelRequest(
            "take", "k", function, tuple(types), result, kind, Options(threads=1)
        )
        return generator.generate(request).text

    return Compiled(text, make, features=MACHINES[machine])


def given(count: int, rows: int, columns: int, dtype: str, ids: str) -> list[Array]:
    random = np.random.default_rng(count + columns)
    table = random.standard_normal((rows, columns)).astype(DTYPES[dtype].numpy)
    more = random.standard_normal((count, columns)).astype(DTYPES[dtype].numpy)
    return [table, random.integers(0, rows, count).astype(DTYPES[ids].numpy), more]


SHAPES = [(1, 1, 1), (3, 5, 7), (15, 2, 15), (16, 9, 16), (17, 129, 17), (5, 3, 129), (129, 4, 33)]


@pytest.mark.parametrize("machine", MACHINES)
def test_shapes_on_each_machine(machine: str) -> None:
    kernel = taking_kernel((T, V, C), machine=machine)
    for count, rows, columns in SHAPES:
        table, ids, more = given(count, rows, columns, "f32", "i32")
        found = kernel(table, ids, more, shape=(count, columns))
        np.testing.assert_array_equal(found, (table[ids] + more) * 2)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
def test_dtypes_on_each_machine(dtype: str, machine: str) -> None:
    table, ids, more = given(5, 9, 37, dtype, "i64")
    found = taking_kernel((5, 9, 37), dtype, "i64", machine)(table, ids, more)
    total = (table[ids].astype(np.float64) + more.astype(np.float64)) * 2
    eps = {"f32": 1e-6, "f64": 1e-15, "bf16": 1e-2, "f16": 2e-3}[dtype]
    np.testing.assert_allclose(found.astype(np.float64), total, eps, eps)


@pytest.mark.parametrize("ids", ["i8", "u8", "i16", "i32", "u32", "i64"])
def test_positions_of_each_dtype(ids: str) -> None:
    """200 is a position of u8, and negative as an i8."""
    rows = 250 if ids != "i8" else 120
    table, positions, more = given(6, rows, 20, "f32", ids)
    positions[0] = rows - 1
    kernel = taking_kernel((6, rows, 20), ids=ids)
    np.testing.assert_array_equal(kernel(table, positions, more), (table[positions] + more) * 2)


def test_a_position_out_of_range_reads_nothing_outside() -> None:
    """The caller records it; the kernel takes the nearest row."""
    table, ids, more = given(4, 5, 20, "f32", "i32")
    ids[:] = [-1, 5, 2**31 - 1, -(2**31)]
    found = taking_kernel((4, 5, 20))(table, ids, more)
    np.testing.assert_array_equal(found, (table[[0, 4, 4, 0]] + more) * 2)


PROGRAM = """tdsl 0.1
pub fn embed[I: dtype(int), T, V, N, C](ids: I[T], wte: f32[V, C], wpe: f32[N, C]) -> f32[T, C] where T <= N {
    take(wte, ids, axis=0) + wpe[0:T]
}
"""


@pytest.mark.parametrize("kernels", ["all", "take", "take:loops", "none"])
def test_programs_are_right_and_trap(kernels: str) -> None:
    m = tdsl.loads(PROGRAM, kernels=kernels)
    random = np.random.default_rng(0)
    wte, wpe = (random.standard_normal((n, 24)).astype(np.float32) for n in (11, 9))
    for count in (1, 7, 9):
        ids = random.integers(0, 11, count).astype(np.int32)
        np.testing.assert_array_equal(m.embed(ids, wte, wpe), wte[ids] + wpe[:count])
    for bad in (-1, 11, -(2**63)):
        with pytest.raises(IndexError, match=f"take: index {bad} is out of range for axis 0"):
            m.embed(np.array([0, bad], np.int64), wte, wpe)


def test_clamped_positions() -> None:
    m = tdsl.loads(PROGRAM, bounds="clamp")
    wte, wpe = np.eye(4, dtype=np.float32), np.zeros((5, 4), np.float32)
    found = m.embed(np.array([-3, 1, 9], np.int32), wte, wpe)
    np.testing.assert_array_equal(found, wte[[0, 1, 3]])
