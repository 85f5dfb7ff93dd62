"""What the emulator finds in wrong kernels, and what it computes for right ones."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tdsl.gpu.emulator import ORDERS, EmulationError, Emulator

Array = np.ndarray[Any, Any]
SHARED = "#gpu.address_space<workgroup>"


def kernel(parameters: str, body: str, *, shared: str = "", threads: int = 64) -> str:
    """A kernel `k` with the thread's number as %t, the block's as %b, and some constants."""
    workgroup = f" workgroup({shared})" if shared else ""
    return f"""
gpu.func @k({parameters}){workgroup} kernel
    attributes {{known_block_size = array<i32: {threads}, 1, 1>}} {{
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  {body}
  gpu.return
}}"""


REVERSED = kernel(
    "%x: memref<64xf32>, %y: memref<64xf32>",
    f"""
  %v = memref.load %x[%t] : memref<64xf32>
  memref.store %v, %s[%t] : memref<64xf32, {SHARED}>
  gpu.barrier
  %c63 = arith.constant 63 : index
  %u = arith.subi %c63, %t : index
  %w = memref.load %s[%u] : memref<64xf32, {SHARED}>
  memref.store %w, %y[%t] : memref<64xf32>""",
    shared=f"%s: memref<64xf32, {SHARED}>",
)


def reversed_by(text: str, order: str) -> tuple[Array, Array]:
    x, y = np.arange(64, dtype=np.float32), np.full(64, np.nan, np.float32)
    Emulator(text).launch("k", (1, 1, 1), (64, 1, 1), [x, y], order)  # type: ignore[arg-type]
    return x, y


@pytest.mark.parametrize("order", ORDERS)
def test_threads_meet_at_a_barrier(order: str) -> None:
    x, y = reversed_by(REVERSED, order)
    assert np.array_equal(y, x[::-1])


def test_without_the_barrier_some_order_is_wrong() -> None:
    broken = REVERSED.replace("gpu.barrier", "")
    results = [reversed_by(broken, order) for order in ORDERS]
    assert not all(np.array_equal(y, x[::-1]) for x, y in results)
    # Shared memory that nobody has written is NaN, not the right number by chance.
    assert any(np.isnan(y).any() for _, y in results)


def test_threads_at_different_barriers_are_reported() -> None:
    text = kernel(
        "%x: memref<64xf32>",
        """
  %low = arith.cmpi ult, %t, %c32 : index
  scf.if %low { gpu.barrier }""",
    )
    with pytest.raises(EmulationError, match=r"`k`.*wait for each other.*barrier") as caught:
        Emulator(text).launch("k", (2, 1, 1), (64, 1, 1), [np.zeros(64, np.float32)])
    assert "threads 0-31 wait at barrier 1" in str(caught.value)
    assert "threads 32-63 have ended" in str(caught.value)


def test_a_barrier_in_each_branch_is_no_meeting() -> None:
    text = kernel(
        "%x: memref<64xf32>",
        """
  %low = arith.cmpi ult, %t, %c32 : index
  %z = arith.constant 0.0 : f32
  scf.if %low {
    gpu.barrier
    memref.store %z, %x[%c0] : memref<64xf32>
  } else {
    memref.store %z, %x[%c1] : memref<64xf32>
    gpu.barrier
  }""",
    )
    with pytest.raises(
        EmulationError, match="threads 0-31 wait at barrier 1; threads 32-63 wait at barrier 2"
    ):
        Emulator(text).launch("k", (1, 1, 1), (64, 1, 1), [np.zeros(64, np.float32)])


@pytest.mark.parametrize(
    ("index", "size", "says"),
    [
        ("%t", 63, "a load of 4 bytes is out of bounds: it begins 0 bytes behind the end"),
        # Indices have 32 bits here: in front of the argument, or far behind all of them.
        ("%before", 64, "a load of 4 bytes is out of bounds"),
    ],
)
def test_a_read_beyond_an_array_is_reported(index: str, size: int, says: str) -> None:
    text = kernel(
        "%x: memref<64xf32>, %y: memref<64xf32>",
        f"""
  %before = arith.subi %t, %c1 : index
  %v = memref.load %x[{index}] : memref<64xf32>
  memref.store %v, %y[%t] : memref<64xf32>""",
    )
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(EmulationError) as caught:
        Emulator(text).launch("k", (1, 1, 1), (64, 1, 1), [x[:size], y])
    thread = 63 if size == 63 else 0
    assert f"`k`: thread ({thread}, 0, 0) of block (0, 0, 0)" in str(caught.value)
    assert says in str(caught.value)


def test_a_write_beyond_shared_memory_is_reported_and_does_not_happen() -> None:
    text = kernel(
        "%x: memref<64xf32>",
        f"""
  %v = memref.load %x[%t] : memref<64xf32>
  memref.store %v, %s[%t] : memref<32xf32, {SHARED}>
  gpu.barrier""",
        shared=f"%s: memref<32xf32, {SHARED}>",
    )
    with pytest.raises(EmulationError, match=r"thread \(32, 0, 0\).*a store of 4 bytes"):
        Emulator(text).launch("k", (1, 1, 1), (64, 1, 1), [np.zeros(64, np.float32)])


def test_an_access_that_is_not_aligned_is_reported() -> None:
    text = kernel(
        "%x: memref<65xf32>, %y: memref<64xf32>",
        """
  %v = vector.load %x[%c1] {alignment = 16 : i64} : memref<65xf32>, vector<4xf32>
  vector.store %v, %y[%c0] : memref<64xf32>, vector<4xf32>""",
        threads=1,
    )
    memory = np.zeros(80, np.float32)
    start = -memory.ctypes.data % 16 // 4
    with pytest.raises(EmulationError, match="is not aligned"):
        Emulator(text).launch(
            "k", (1, 1, 1), (1, 1, 1), [memory[start : start + 65], np.zeros(64, np.float32)]
        )


def test_blocks_see_their_own_numbers() -> None:
    text = kernel(
        "%y: memref<2x3x4x8xi32>",
        """
  %u = gpu.thread_id y
  %bx = gpu.block_id x
  %by = gpu.block_id y
  %lane = gpu.lane_id
  %d = gpu.block_dim x
  %g = gpu.grid_dim x
  %1 = arith.muli %u, %d : index
  %2 = arith.addi %1, %t : index
  %3 = arith.index_cast %lane : index to i32
  %4 = arith.index_cast %2 : index to i32
  %5 = arith.index_cast %g : index to i32
  %6 = arith.addi %4, %5 : i32
  %same = arith.cmpi eq, %3, %4 : i32
  scf.if %same { memref.store %6, %y[%by, %bx, %u, %t] : memref<2x3x4x8xi32> }""",
        threads=8,
    ).replace("array<i32: 8, 1, 1>", "array<i32: 8, 4, 1>")
    y = np.full((2, 3, 4, 8), -1, np.int32)
    Emulator(text).launch("k", (3, 2, 1), (8, 4, 1), [y])
    assert np.array_equal(y, np.broadcast_to(np.arange(32).reshape(4, 8) + 3, y.shape))


def shuffled(mode: str, offset: int, width: int) -> Array:
    text = kernel(
        "%x: memref<32xf32>, %y: memref<32xf32>, %p: memref<32xi8>",
        f"""
  %v = memref.load %x[%t] : memref<32xf32>
  %o = arith.constant {offset} : i32
  %w = arith.constant {width} : i32
  %r, %q = gpu.shuffle {mode} %v, %o, %w : f32
  %i = arith.extui %q : i1 to i8
  memref.store %r, %y[%t] : memref<32xf32>
  memref.store %i, %p[%t] : memref<32xi8>""",
        threads=32,
    )
    x = np.arange(32, dtype=np.float32) + 100
    emulator = Emulator(text)
    results = []
    for order in ORDERS:
        y, p = np.full(32, np.nan, np.float32), np.zeros(32, np.int8)
        emulator.launch("k", (1, 1, 1), (32, 1, 1), [x, y, p], order)
        results.append(np.stack([y - 100, p]))
    assert all(np.array_equal(one, results[0]) for one in results)
    return results[0]


# Upstream lowers `up` for whole warps only.
SHUFFLES = [
    (mode, offset, width)
    for mode in ("xor", "down", "up", "idx")
    for offset, width in ((1, 32), (5, 32), (16, 32), (3, 8))
    if (mode, width) != ("up", 8)
]


@pytest.mark.parametrize(("mode", "offset", "width"), SHUFFLES)
def test_shuffles_are_those_of_the_manual(mode: str, offset: int, width: int) -> None:
    """The PTX manual's text of shfl.sync, for the operands that gpu.shuffle makes of a width: all
    lanes of a warp take part as far as `width` says."""
    found, valid = shuffled(mode, offset, width)
    for lane in range(width):
        top = 0 if mode == "up" else width - 1
        source = {
            "xor": lane ^ offset,
            "down": lane + offset,
            "up": lane - offset,
            "idx": offset,
        }[mode]
        inside = source >= top if mode == "up" else source <= top
        assert found[lane] == (source if inside else lane), lane
        assert valid[lane] == inside, lane


def test_a_lane_that_is_missing_is_reported() -> None:
    text = kernel(
        "%y: memref<32xf32>",
        """
  %v = arith.constant 1.0 : f32
  %o = arith.constant 16 : i32
  %w = arith.constant 32 : i32
  %r, %q = gpu.shuffle xor %v, %o, %w : f32
  memref.store %r, %y[%t] : memref<32xf32>""",
        threads=8,
    )
    with pytest.raises(EmulationError, match="asks lane 16, which its warp does not have"):
        Emulator(text).launch("k", (1, 1, 1), (8, 1, 1), [np.zeros(32, np.float32)])


def copied(wait: int | None) -> Array:
    """Two asynchronous copies in two groups; what the thread reads after waiting for all but some."""
    waiting = "" if wait is None else f"nvvm.cp.async.wait.group {wait}"
    text = kernel(
        "%x: memref<8xf32>, %y: memref<8xf32>",
        f"""
  %c4 = arith.constant 4 : index
  %0 = nvgpu.device_async_copy %x[%c0], %s[%c0], 4
    : memref<8xf32> to memref<8xf32, {SHARED}>
  %1 = nvgpu.device_async_create_group %0
  %2 = nvgpu.device_async_copy %x[%c4], %s[%c4], 4
    : memref<8xf32> to memref<8xf32, {SHARED}>
  %3 = nvgpu.device_async_create_group %2
  {waiting}
  %v = vector.load %s[%c0] : memref<8xf32, {SHARED}>, vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>""",
        shared=f"%s: memref<8xf32, {SHARED}> {{llvm.align = 16 : i64}}",
        threads=1,
    )
    memory = np.zeros(16, np.float32)
    start = -memory.ctypes.data % 16 // 4
    x, y = memory[start : start + 8], np.zeros(8, np.float32)
    x[:] = np.arange(8)
    Emulator(text).launch("k", (1, 1, 1), (1, 1, 1), [x, y])
    return y


def test_asynchronous_copies_arrive_when_they_are_waited_for() -> None:
    assert np.array_equal(copied(0), np.arange(8))
    one = copied(1)
    assert np.array_equal(one[:4], np.arange(4))
    assert np.isnan(one[4:]).all()
    assert np.isnan(copied(None)).all()


@pytest.mark.parametrize("transposed", [False, True])
def test_loads_of_matrices_are_those_of_the_manual(transposed: bool) -> None:
    """ldmatrix: lane 8*j + i gives row i of matrix j; lane l gets elements 2*(l%4) and the next of
    row l/4, of the matrix or of its transpose."""
    flag = str(transposed).lower()
    text = kernel(
        "%x: memref<32x8xf16>, %y: memref<32x4x2xf16>",
        f"""
  %row = vector.load %x[%t, %c0] : memref<32x8xf16>, vector<8xf16>
  vector.store %row, %s[%t, %c0] : memref<32x8xf16, {SHARED}>, vector<8xf16>
  gpu.barrier
  %m = nvgpu.ldmatrix %s[%t, %c0] {{numTiles = 4 : i32, transpose = {flag}}}
    : memref<32x8xf16, {SHARED}> -> vector<4x2xf16>
  scf.for %j = %c0 to %c1 step %c1 {{
    %p0 = vector.extract %m[0] : vector<2xf16> from vector<4x2xf16>
    %p1 = vector.extract %m[1] : vector<2xf16> from vector<4x2xf16>
    %p2 = vector.extract %m[2] : vector<2xf16> from vector<4x2xf16>
    %p3 = vector.extract %m[3] : vector<2xf16> from vector<4x2xf16>
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    vector.store %p0, %y[%t, %c0, %c0] : memref<32x4x2xf16>, vector<2xf16>
    vector.store %p1, %y[%t, %c1, %c0] : memref<32x4x2xf16>, vector<2xf16>
    vector.store %p2, %y[%t, %c2, %c0] : memref<32x4x2xf16>, vector<2xf16>
    vector.store %p3, %y[%t, %c3, %c0] : memref<32x4x2xf16>, vector<2xf16>
  }}""",
        shared=f"%s: memref<32x8xf16, {SHARED}> {{llvm.align = 16 : i64}}",
        threads=32,
    )
    x = np.arange(256, dtype=np.float16).reshape(32, 8)
    emulator = Emulator(text)
    for order in ORDERS:
        y = np.full((32, 4, 2), np.nan, np.float16)
        emulator.launch("k", (1, 1, 1), (32, 1, 1), [x, y], order)
        for lane, j, e in itertools.product(range(32), range(4), range(2)):
            matrix = x[8 * j : 8 * j + 8]
            matrix = matrix.T if transposed else matrix
            assert y[lane, j, e] == matrix[lane // 4, 2 * (lane % 4) + e]


def test_bf16_goes_through_memory_and_arithmetic() -> None:
    text = kernel(
        "%x: memref<32xbf16>, %y: memref<32xbf16>",
        """
  %v = memref.load %x[%t] : memref<32xbf16>
  %w = arith.extf %v : bf16 to f32
  %u = arith.addf %w, %w : f32
  %r = arith.truncf %u : f32 to bf16
  memref.store %r, %y[%t] : memref<32xbf16>""",
        threads=32,
    )
    x = (np.arange(32) / 3).astype(ml_dtypes.bfloat16)
    y = np.zeros_like(x)
    Emulator(text).launch("k", (1, 1, 1), (32, 1, 1), [x, y])
    assert np.array_equal(y, (x.astype(np.float32) * 2).astype(ml_dtypes.bfloat16))


def test_what_is_not_known_is_named() -> None:
    with pytest.raises(EmulationError, match=r"does not know nvvm\.read\.ptx\.sreg\.clock"):
        Emulator(
            kernel(
                "%y: memref<1xi32>",
                "%c = nvvm.read.ptx.sreg.clock : i32\n  memref.store %c, %y[%c0] : memref<1xi32>",
            )
        )


@pytest.mark.parametrize(
    ("symbol", "grid", "block", "count", "says"),
    [
        ("q", (1, 1, 1), (64, 1, 1), 2, "there are k"),
        ("k", (1, 1, 1), (64, 1, 1), 1, "takes 2 arguments, not 1"),
        ("k", (1, 65536, 1), (64, 1, 1), 2, "no GPU has a grid"),
        ("k", (1, 1, 1), (1025, 1, 1), 2, "no GPU has blocks"),
    ],
)
def test_launches_that_no_gpu_takes_are_refused(
    symbol: str, grid: Any, block: Any, count: int, says: str
) -> None:
    with pytest.raises(EmulationError, match=says):
        EMULATOR.launch(symbol, grid, block, [np.zeros(64, np.float32)] * count)


EMULATOR = Emulator(REVERSED)
