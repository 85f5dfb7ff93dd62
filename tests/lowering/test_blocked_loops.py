"""Loops that read across the order of memory: block by block, whatever the sizes and dtypes are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from native_support import Native

import tdsl
from tdsl.cpu.backend import CPU
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import lower_text

ROUND = ((1, 1), (1, 65), (65, 1), (63, 64), (64, 65), (128, 64), (129, 200), (300, 7))


def loaded(text: str) -> Any:
    return tdsl.loads(f"tdsl 0.1\n{text}", name="blocked").f


def numbers(*shape: int, dtype: str = "float32") -> np.ndarray:
    values = np.random.default_rng(shape).integers(-100, 100, shape)
    return values % 2 == 0 if dtype == "bool" else values.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64", "bool"])
def test_transpositions_of_any_size(dtype: str) -> None:
    short = dtype.replace("float", "f").replace("int", "i")
    body = "select(x.T, false, true)" if dtype == "bool" else "x.T + 1"
    f = loaded(f"pub fn f[M, N](x: {short}[M, N]) -> {short}[N, M] {{ {body} }}")
    opened = f.compile(dynamic=("M", "N"))
    for shape in ROUND:
        x = numbers(*shape, dtype=dtype)
        expected = ~x.T if dtype == "bool" else x.T + x.dtype.type(1)
        np.testing.assert_array_equal(opened(x), expected)


@pytest.mark.parametrize("permutation", [(0, 2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_permutations_of_three_axes(permutation: tuple[int, ...]) -> None:
    sizes = [("A", "B", "C")[axis] for axis in permutation]
    f = loaded(
        f"pub fn f[A, B, C](x: f32[A, B, C]) -> f32[{', '.join(sizes)}] {{\n"
        f"    transpose(x, {list(permutation)}) * 2.0\n}}"
    )
    opened = f.compile(dynamic=("A", "B", "C"))
    for shape in ((1, 2, 3), (5, 66, 67), (65, 3, 70), (70, 129, 2)):
        x = numbers(*shape)
        np.testing.assert_array_equal(opened(x), 2 * x.transpose(permutation))


def test_operands_in_both_orders() -> None:
    """One is copied, one is read where it lies, one has a single number for a row."""
    f = loaded(
        "pub fn f[M, N](x: f32[M, N], y: f32[N, M], z: f32[N, 1]) -> f32[N, M] {\n"
        "    x.T * y + broadcast(z, [N, M])\n}"
    )
    opened = f.compile(dynamic=("M", "N"))
    for m, n in ROUND:
        x, y, z = numbers(m, n), numbers(n, m), numbers(n, 1)
        np.testing.assert_array_equal(opened(x, y, z), x.T * y + z)


def test_positions_count_from_the_beginning() -> None:
    """`iota` in what is computed block by block."""
    f = loaded(
        "pub fn f[M, N](x: f32[M, N]) -> f32[N, M] {\n"
        "    x.T + f32(reshape(iota(N * M), [N, M]))\n}"
    )
    opened = f.compile(dynamic=("M", "N"))
    for m, n in ROUND:
        x = numbers(m, n)
        np.testing.assert_array_equal(opened(x), x.T + np.arange(n * m).reshape(n, m))


BIG = "pub fn f[M, N](x: f32[M, N]) -> f32[N, M] { x.T + 1.0 }"


@pytest.mark.parametrize("sizes", [(512, 512), (257, 300)])
def test_fixed_sizes(sizes: tuple[int, int]) -> None:
    x = numbers(*sizes)
    f = loaded(BIG)
    np.testing.assert_array_equal(f.compile(M=sizes[0], N=sizes[1])(x), x.T + 1)


def lowered(size: int, options: Options) -> str:
    return lower_text(loaded(BIG).mlir(M=size, N=size), "llvm", options, CPU)


def test_what_is_small_is_read_where_it_lies() -> None:
    assert "stacksave" in lowered(1024, Options(threads=1))
    assert "stacksave" not in lowered(64, Options(threads=1))


def test_without_vectorize_there_are_no_blocks() -> None:
    plain = Options(threads=1, vectorize=False)
    assert "stacksave" not in lowered(1024, plain)
    x = numbers(300, 257)
    text = loaded(BIG).mlir(M=300, N=257)
    (fast,), (slow,) = Native(text)(x), Native(text, plain)(x)
    np.testing.assert_array_equal(fast, slow)


def test_sums_are_not_cut() -> None:
    """Their order is the one of the loop, and they stay in registers."""
    f = loaded("pub fn f[N](x: f32[N, N], y: f32[N, N]) -> f32[N] { sum(x.T * y, axis=1) }")
    text = lower_text(f.mlir(N=1024), "llvm", Options(threads=1), CPU)
    assert "stacksave" not in text


def test_threads_share_the_blocks() -> None:
    text = lowered(1024, Options(threads=2))
    part = text[text.index("llvm.func @loop_0.part(") :]
    assert "stacksave" in part[: part.index("llvm.return")]
