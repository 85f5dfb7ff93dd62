"""`mma.sync` as the emulator does it, against the layouts of fragments in the PTX manual.

The formulas are those of the sections "Matrix Fragments for mma.m16n8k8" and "mma.m16n8k16" of the
manual, with its names: groupID = %laneid >> 2, threadID_in_group = %laneid % 4. Nothing here is
taken from the kernels or from the emulator."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tdsl.gpu.emulator import Emulator

Array = np.ndarray[Any, Any]
WARP = range(32)


def a_place(kind: str, lane: int, i: int) -> tuple[int, int]:
    """Row and column of the element a_i that a lane holds."""
    group, thread = lane >> 2, lane % 4
    if kind == "tf32":
        row = group if i in (0, 2) else group + 8
        column = thread if i in (0, 1) else thread + 4
        return row, column
    row = group if i < 2 or 4 <= i < 6 else group + 8
    column = thread * 2 + (i & 1) + (8 if i >= 4 else 0)
    return row, column


def b_place(kind: str, lane: int, i: int) -> tuple[int, int]:
    group, thread = lane >> 2, lane % 4
    if kind == "tf32":
        return (thread if i == 0 else thread + 4), group
    return thread * 2 + (i & 1) + (8 if i >= 2 else 0), group


def c_place(lane: int, i: int) -> tuple[int, int]:
    """Of the accumulators, which have one layout in both sections."""
    group, thread = lane >> 2, lane % 4
    return (group if i < 2 else group + 8), thread * 2 + (i & 1)


def kernel(kind: str) -> str:
    """Each lane's registers from memory, the instruction, and its result back."""
    depth = 8 if kind == "tf32" else 16
    word = "vector<2xf16>" if kind == "f16" else "i32"

    def load(memory: str, at: int, name: str) -> list[str]:
        count = 4 if memory == "a" else 2
        if kind != "f16":
            return [f"%{name} = memref.load %{memory}[%lane, %c{at}] : memref<32x{count}xi32>"]
        return [
            (
                f"%{name}w = vector.load %{memory}[%lane, %c{at}] : "
                f"memref<32x{count}xi32>, vector<1xi32>"
            ),
            f"%{name} = vector.bitcast %{name}w : vector<1xi32> to vector<2xf16>",
        ]

    lines = ["%lane = gpu.thread_id x"]
    lines += [f"%c{at} = arith.constant {at} : index" for at in range(4)]
    for at in range(4):
        lines += load("a", at, f"a{at}")
        lines.append(f"%s{at} = memref.load %c[%lane, %c{at}] : memref<32x4xf32>")
    for at in range(2):
        lines += load("b", at, f"b{at}")
    struct = "!llvm.struct<(f32, f32, f32, f32)>"
    lines.append(
        "%d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%s0, %s1, %s2, %s3] "
        "{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
        f"multiplicandAPtxType = #nvvm.mma_type<{kind}>, "
        f"multiplicandBPtxType = #nvvm.mma_type<{kind}>, "
        f"shape = #nvvm.shape<m = 16, n = 8, k = {depth}>}} : ({word}, {word}, f32) -> {struct}"
    )
    for at in range(4):
        lines.append(f"%d{at} = llvm.extractvalue %d[{at}] : {struct}")
        lines.append(f"memref.store %d{at}, %c[%lane, %c{at}] : memref<32x4xf32>")
    body = "\n  ".join(lines)
    return (
        "gpu.func @k(%a: memref<32x4xi32>, %b: memref<32x2xi32>, %c: memref<32x4xf32>) kernel "
        "attributes {known_block_size = array<i32: 32, 1, 1>, "
        f"known_grid_size = array<i32: 1, 1, 1>}} {{\n  {body}\n  gpu.return\n}}\n"
    )


TYPES: dict[str, Any] = {"tf32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}


def packed(matrix: Array, kind: str, place: Any, count: int) -> Array:
    """What the lanes hold, as registers of 32 bits."""
    elements = np.empty((32, count), matrix.dtype)
    for lane in WARP:
        for i in range(count):
            elements[lane, i] = matrix[place(kind, lane, i)]
    return np.ascontiguousarray(elements).view(np.int32)


@pytest.mark.parametrize("kind", ["tf32", "bf16", "f16"])
def test_fragments_are_those_of_the_manual(kind: str) -> None:
    random = np.random.default_rng(3)
    pack, depth = (1, 8) if kind == "tf32" else (2, 16)
    a = random.standard_normal((16, depth)).astype(TYPES[kind])
    b = random.standard_normal((depth, 8)).astype(TYPES[kind])
    if kind == "tf32":  # numbers that are such: the last 13 bits do not count
        a, b = ((x.view(np.int32) & -(1 << 13)).view(np.float32) for x in (a, b))
    c = random.standard_normal((16, 8)).astype(np.float32)
    left, right = packed(a, kind, a_place, 4 * pack), packed(b, kind, b_place, 2 * pack)
    sums = np.empty((32, 4), np.float32)
    for lane in WARP:
        for i in range(4):
            sums[lane, i] = c[c_place(lane, i)]
    Emulator(kernel(kind)).launch("k", (1, 1, 1), (32, 1, 1), [left, right, sums])
    found = np.full((16, 8), np.nan)
    for lane in WARP:
        for i in range(4):
            found[c_place(lane, i)] = sums[lane, i]
    wanted = a.astype(np.float64) @ b.astype(np.float64) + c
    np.testing.assert_allclose(found, wanted, 2e-6, 2e-6)


@pytest.mark.parametrize("kind", ["tf32", "bf16"])
def test_every_element_has_one_place(kind: str) -> None:
    """The formulas, checked against themselves: they number each matrix completely."""
    pack, depth = (1, 8) if kind == "tf32" else (2, 16)
    for place, count, size in ((a_place, 4 * pack, 16 * depth), (b_place, 2 * pack, 8 * depth)):
        assert len({place(kind, lane, i) for lane in WARP for i in range(count)}) == size
    assert len({c_place(lane, i) for lane in WARP for i in range(4)}) == 128


def test_the_last_bits_of_tf32_do_not_count() -> None:
    one = np.zeros((32, 4), np.int32)
    one[0, 0] = np.array([1 + 2**-12], np.float32).view(np.int32)[0]
    other = np.zeros((32, 2), np.int32)
    other[0, 0] = np.array([1.0], np.float32).view(np.int32)[0]
    sums = np.zeros((32, 4), np.float32)
    Emulator(kernel("tf32")).launch("k", (1, 1, 1), (32, 1, 1), [one, other, sums])
    assert sums[0, 0] == 1.0
