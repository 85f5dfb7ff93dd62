"""GPU kernels of products in the emulator, against NumPy in float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from claim_kernels import ALL, Emulated, barriers, made, without_barrier
from claim_programs import Making

from tdsl.gpu.kernels import matmul
from tdsl.gpu.kernels.tiles import SIMT_F32, SIMT_F64, TENSOR, SimtTile, TensorTile, chosen
from tdsl.lowering.kernels import Refused
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size

Array = np.ndarray[Any, Any]
Tile = SimtTile | TensorTile


def text(
    m: int,
    n: int,
    k: int,
    *,
    dtypes: tuple[str, str] = ("f32", "f32"),
    batch: int = 0,
    turned: str = "nn",
    after: str = "",
) -> str:
    """`turned`: whether the left and the right operand are given transposed (t). `after`: bias
    and tanh, a residual in bf16, or rows cut into two axes."""
    making = Making("f64" if "f64" in dtypes else "f32")
    lead = (batch,) if batch else ()
    swap = (0, 2, 1) if batch else (1, 0)
    sides = []
    for dtype, way, (rows, columns) in zip(dtypes, turned, ((m, k), (k, n)), strict=True):
        shape = (*lead, columns, rows) if way == "t" else (*lead, rows, columns)
        side = making.argument(*shape, dtype=dtype)
        if way == "t":
            side = making.transpose(side, swap)
        sides.append(side if side.type.dtype == making.dtype else making.cast(side, making.dtype))
    result = making.matmul(*sides)
    if after == "bias":
        bias = making.argument(n)
        result = making.elementwise("tanh", making.elementwise("add", result, bias))
    elif after == "residual":
        rest = making.argument(*lead, m, n, dtype="bf16")
        result = making.elementwise("add", result, making.cast(rest, making.dtype))
        result = making.cast(result, DTYPES["bf16"])
    elif after == "cut":
        result = making.reshape(result, tuple(map(Size.of, (*lead, 2, m // 2, n))))
        result = making.elementwise("add", result, making.argument(n))
    return making.text(result)


def emulated(
    text_: str,
    *,
    tile: Tile | None = None,
    precision: str = "f32",
    aligned: bool = True,
    layouts: tuple[str | None, ...] = (),
    edit: Any = lambda x: x,
) -> Emulated:
    return Emulated(
        text_,
        lambda function, operands, result: matmul.kernel(
            "k",
            function,
            operands,
            result,
            precision=precision,
            aligned=ALL if aligned else frozenset(),
            tile=tile,
        ),
        layouts,
        edit,
    )


def given(shape: tuple[int, ...], dtype: str = "f32", seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(DTYPES[dtype].numpy)


def wide(array: Array) -> Array:
    return array.astype(np.float64)


def close(found: Array, wanted: Array, tolerance: float = 2e-5) -> None:
    np.testing.assert_allclose(wide(found), wanted, tolerance, tolerance)


def rounded(array: Array, precision: str) -> Array:
    """As tensor cores see numbers of f32: the nearest, ties away from zero for tf32."""
    if precision == "tf32":
        bits = np.ascontiguousarray(array).view(np.int32)
        return wide(((bits + (1 << 12)) & -(1 << 13)).view(np.float32))
    return wide(array.astype(ml_dtypes.bfloat16 if precision == "bf16" else np.float16))


# Small, so that they compile fast; all that depends on the tile is the number of steps.
MINI = SimtTile(32, 32, 8, 4, 4)
MINI_TENSOR = TensorTile(32, 32, 8, 1, 2)


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(1, 1, 1), (3, 5, 7), (31, 33, 7), (32, 32, 8), (33, 31, 9), (64, 36, 24), (70, 34, 19)],
)
def test_any_size(m: int, n: int, k: int, aligned: bool) -> None:
    x, y, bias = given((m, k)), given((k, n), seed=1), given((n,), seed=2)
    kernel = emulated(text(m, n, k, after="bias"), tile=MINI, aligned=aligned)
    close(kernel.in_every_order(x, y, bias), np.tanh(wide(x) @ wide(y) + bias))


@pytest.mark.parametrize("tile", SIMT_F32, ids=lambda tile: str(tile.rows))
@pytest.mark.parametrize("more", [0, 1])
def test_each_tile(tile: SimtTile, more: int) -> None:
    m, n, k = tile.rows + more, tile.columns + more, tile.depth + more
    x, y = given((m, k)), given((k, n), seed=1)
    close(emulated(text(m, n, k), tile=tile).in_every_order(x, y), wide(x) @ wide(y))


@pytest.mark.parametrize("turned", ["tn", "nt", "tt"])
@pytest.mark.parametrize("size", [(68, 36, 20), (67, 35, 21)])
def test_operands_given_transposed(turned: str, size: tuple[int, int, int]) -> None:
    m, n, k = size
    x = given((k, m) if turned[0] == "t" else (m, k))
    y = given((n, k) if turned[1] == "t" else (k, n), seed=1)
    left, right = x.T if turned[0] == "t" else x, y.T if turned[1] == "t" else y
    close(
        emulated(text(m, n, k, turned=turned), tile=MINI).in_every_order(x, y),
        wide(left) @ wide(right),
    )


@pytest.mark.parametrize("after", ["", "cut", "residual"])
def test_batches(after: str) -> None:
    x, y = given((3, 18, 20)), given((3, 20, 36), seed=1)
    wanted = wide(x) @ wide(y)
    more = []
    if after == "cut":
        more = [given((36,), seed=2)]
        wanted = wanted.reshape(3, 2, 9, 36) + more[0]
    elif after == "residual":
        more = [given((3, 18, 36), "bf16", 3)]
        wanted = wanted + wide(more[0])
    kernel = emulated(text(18, 36, 20, batch=3, after=after), tile=MINI)
    close(kernel.in_every_order(x, y, *more), wanted, 1e-2 if after == "residual" else 2e-5)


def test_strided_operands() -> None:
    """Views of other arrays: rows with a gap, and columns that are not neighbours."""
    x, y = given((20, 64))[:, :24], given((24, 40), seed=1)[:, ::2]
    layouts = (
        "memref<20x24xf32, strided<[64, 1]>>",
        "memref<24x20xf32, strided<[40, 2]>>",
    )
    kernel = emulated(text(20, 20, 24), layouts=layouts, tile=MINI)
    close(kernel.in_every_order(x, y), wide(x) @ wide(y))


@pytest.mark.parametrize(
    "dtypes", [("f64", "f64"), ("bf16", "f32"), ("f32", "f16"), ("f32", "f64")], ids="-".join
)
def test_dtypes_without_tensor_cores(dtypes: tuple[str, str]) -> None:
    x, y = given((35, 19), dtypes[0]), given((19, 34), dtypes[1], 1)
    tolerance = 1e-12 if "f64" in dtypes else 2e-5
    kernel = emulated(text(35, 34, 19, dtypes=dtypes), tile=MINI)
    assert "mma.sync" not in kernel.kernel.text
    close(kernel.in_every_order(x, y), wide(x) @ wide(y), tolerance)


@pytest.mark.parametrize("tile", SIMT_F64, ids=lambda tile: str(tile.rows))
def test_f64_tiles(tile: SimtTile) -> None:
    x, y = given((17, 20), "f64"), given((20, 68), "f64", 1)
    kernel = emulated(text(17, 68, 20, dtypes=("f64", "f64")), tile=tile)
    close(kernel.in_every_order(x, y), wide(x) @ wide(y), 1e-12)


# --- few rows


@pytest.mark.parametrize("m", [1, 4])
@pytest.mark.parametrize("way", ["n", "t"])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (7, 33), (33, 31), (64, 128), (130, 260)])
def test_few_rows(m: int, way: str, n: int, k: int) -> None:
    """Columns that are neighbours in memory, and such that are not."""
    x, bias = given((m, k)), given((n,), seed=2)
    y = given((n, k) if way == "t" else (k, n), seed=1)
    kernel = emulated(text(m, n, k, turned=f"n{way}", after="bias"))
    assert barriers(kernel.kernel.text) == (1 if way == "n" or n == k == 1 else 0)
    wanted = np.tanh(wide(x) @ wide(y.T if way == "t" else y) + bias)
    close(kernel.in_every_order(x, y, bias), wanted)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("way", ["n", "t"])
@pytest.mark.parametrize(("m", "k"), [(7, 33), (130, 64)])
def test_few_columns(n: int, way: str, m: int, k: int) -> None:
    """As a matrix times a vector."""
    x = given((k, m) if way == "t" else (m, k))
    y, bias = given((k, n), seed=1), given((n,), seed=2)
    kernel = emulated(text(m, n, k, turned=f"{way}n", after="bias"))
    assert barriers(kernel.kernel.text) == (1 if way == "t" else 0)
    wanted = np.tanh(wide(x.T if way == "t" else x) @ wide(y) + bias)
    close(kernel.in_every_order(x, y, bias), wanted)


@pytest.mark.parametrize("way", ["n", "t"])
@pytest.mark.parametrize("dtype", ["f64", "bf16", "f16"])
def test_few_rows_of_other_dtypes(way: str, dtype: str) -> None:
    x = given((3, 2, 40), dtype)
    y = given((3, 24, 40) if way == "t" else (3, 40, 24), dtype, 1)
    kernel = emulated(text(2, 24, 40, batch=3, dtypes=(dtype, dtype), turned=f"n{way}"))
    assert "mma.sync" not in kernel.kernel.text
    wanted = wide(x) @ wide(y.swapaxes(1, 2) if way == "t" else y)
    close(kernel.in_every_order(x, y), wanted, 1e-12 if dtype == "f64" else 2e-5)


def test_many_columns_are_read_four_at_a_time() -> None:
    x, y = given((1, 8)), given((8, 128 * 128), seed=1)
    kernel = emulated(text(1, 128 * 128, 8))
    assert "vector.load %in1" in kernel.kernel.text
    close(kernel(x, y), wide(x) @ wide(y))


def test_the_barrier_of_few_rows_is_needed() -> None:
    x, y = given((2, 100)), given((100, 40), seed=1)
    kernel = emulated(text(2, 40, 100), edit=without_barrier(0))
    assert kernel.shows_a_fault(wide(x) @ wide(y), 1e-3, x, y)


# --- tensor cores


@pytest.mark.parametrize("precision", ["tf32", "bf16", "f16"])
@pytest.mark.parametrize("turned", ["nn", "tt"])
@pytest.mark.parametrize("size", [(1, 1, 1), (31, 33, 17), (40, 72, 40)], ids=str)
def test_f32_rounded_for_tensor_cores(
    precision: str, turned: str, size: tuple[int, int, int]
) -> None:
    m, n, k = size
    x, y = given((m, k)), given((k, n), seed=1)
    wanted = rounded(x, precision) @ rounded(y, precision)
    arrays = (x, y) if turned == "nn" else (x.T.copy(), y.T.copy())
    kernel = emulated(text(m, n, k, turned=turned), precision=precision, tile=MINI_TENSOR)
    assert "mma.sync" in kernel.kernel.text
    close(kernel.in_every_order(*arrays), wanted)


@pytest.mark.parametrize("tile", TENSOR, ids=lambda tile: str(tile.rows))
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_16_bits_on_tensor_cores(dtype: str, tile: TensorTile) -> None:
    """Products of such numbers are exact in f32: nothing has to be asked for."""
    m, n, k = tile.rows + 1, tile.columns + 1, 2 * tile.words + 1
    x, y = given((m, k), dtype), given((k, n), dtype, 1)
    kernel = emulated(text(m, n, k, dtypes=(dtype, dtype)), tile=tile)
    assert "mma.sync" in kernel.kernel.text
    close(kernel.in_every_order(x, y), wide(x) @ wide(y))


@pytest.mark.parametrize("turned", ["nn", "nt", "tn", "tt"])
def test_16_bits_read_eight_at_a_time(turned: str) -> None:
    m, n, k = 40, 72, 40
    x, y = given((m, k), "bf16"), given((k, n), "bf16", 1)
    left = x.T.copy() if turned[0] == "t" else x
    right = y.T.copy() if turned[1] == "t" else y
    kernel = emulated(text(m, n, k, dtypes=("bf16", "bf16"), turned=turned), tile=MINI_TENSOR)
    assert "vector<8xbf16>" in kernel.kernel.text
    close(kernel.in_every_order(left, right), wide(x) @ wide(y))


def test_a_tf32_nan_stays_one() -> None:
    """Rounding by adding to the bits makes -0 of a NaN whose bits are all set."""
    x, y = given((16, 8)), given((8, 8), seed=1)
    x.view(np.uint32)[3, 2] = 0x7FFFFFFF
    x[5, 1] = np.inf
    found = emulated(text(16, 8, 8), precision="tf32", tile=MINI_TENSOR)(x, y)
    assert np.isnan(found[3]).all()
    assert np.isinf(found[5]).all()
    assert np.isfinite(np.delete(found, [3, 5], 0)).all()


# --- barriers, and choices

KINDS: dict[str, tuple[str, Tile]] = {
    "f32": ("f32", MINI),
    "f64": ("f64", MINI),
    "tf32": ("f32", MINI_TENSOR),
    "bf16": ("bf16", MINI_TENSOR),
    "f16": ("f16", MINI_TENSOR),
}


@pytest.mark.parametrize("barrier", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_every_barrier_is_needed(kind: str, barrier: int) -> None:
    dtype, tile = KINDS[kind]
    m, n, k = 20, 40, 3 * 16 + 4
    text_ = text(m, n, k, dtypes=(dtype, dtype))
    x, y = given((m, k), dtype), given((k, n), dtype, 1)
    precision = "tf32" if kind == "tf32" else "f32"

    def broken(text: str) -> str:
        assert barriers(text) == 2
        return without_barrier(barrier)(text)

    kernel = emulated(text_, tile=tile, precision=precision, edit=broken)
    assert kernel.shows_a_fault(wide(x) @ wide(y), 2e-2, x, y)


def test_the_tile_suits_the_size() -> None:
    assert chosen(SIMT_F32, 1, 4096, 4096) is SIMT_F32[0]
    assert chosen(SIMT_F32, 1, 512, 768) is SIMT_F32[1]
    assert chosen(SIMT_F32, 12, 1024, 1024) is SIMT_F32[0]
    assert chosen(SIMT_F32, 1, 1, 50257) is SIMT_F32[2]
    assert chosen(TENSOR, 1, 16, 4096) is TENSOR[2]


def test_blocks_are_numbered_so_that_neighbours_share_operands() -> None:
    """More rows of tiles than a group has: each tile is computed by one block."""
    m, n = 32 * 11, 32 * 3
    x, y = given((m, 4)), given((4, n), seed=1)
    close(emulated(text(m, n, 4), tile=MINI)(x, y), wide(x) @ wide(y))


@pytest.mark.parametrize(
    ("shape", "dtype", "reason"),
    [
        ((2**18, 2**18, 1), "f32", None),
        ((1, 2**40, 1), "f32", "a grid has at most"),
        ((16, 2**40, 1), "f32", "a grid at most"),
        ((4, 4, 4), "i32", "products of i32 have no kernel"),
    ],
)
def test_refusals(shape: tuple[int, int, int], dtype: str, reason: str | None) -> None:
    making = Making(dtype)
    m, n, k = shape
    text_ = making.text(making.matmul(making.argument(m, k), making.argument(k, n)))

    def make(function: Any, operands: Any, result: Any) -> Any:
        return matmul.kernel("k", function, operands, result)

    if reason is None:
        assert made(text_, make).launches[0].grid == ((2**18 // 128) ** 2, 1, 1)
        return
    with pytest.raises(Refused, match=reason):
        made(text_, make)
