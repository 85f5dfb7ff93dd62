"""GPU kernels of attention in the emulator, against NumPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_claims import HIDDEN, attention_text, causal, expected, operands
from claim_kernels import ALL, Emulated, barriers, made, without_barrier
from claim_programs import Making

from tdsl.gpu.kernels import attention
from tdsl.gpu.kernels.tiles import AttentionTile, TensorAttentionTile
from tdsl.lowering.kernels import Refused
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size

Array = np.ndarray[Any, Any]
# Small, so that it compiles fast: several tiles, slices of the depth and of the columns.
MINI = AttentionTile(32, 16, 8, 16)


def emulated(
    text: str,
    *,
    tile: AttentionTile | TensorAttentionTile | None = None,
    aligned: bool = True,
    precision: str = "f32",
    edit: Any = lambda x: x,
) -> Emulated:
    return Emulated(
        text,
        lambda function, given, result: attention.kernel(
            "k",
            function,
            given,
            result,
            precision=precision,
            aligned=ALL if aligned else frozenset(),
            tile=tile,
        ),
        edit=edit,
    )


def close(found: Array, wanted: Array, tolerance: float = 4e-6) -> None:
    np.testing.assert_allclose(found.astype(np.float64), wanted, tolerance, tolerance)


@pytest.mark.parametrize(
    ("queries", "keys", "aligned"),
    [
        (1, 1, True), (1, 40, False), (5, 9, True), (31, 15, False), (32, 16, True),
        (32, 16, False), (33, 17, True), (40, 40, False), (70, 33, True),
    ],
)  # fmt: skip
def test_any_number_of_queries_and_keys(queries: int, keys: int, aligned: bool) -> None:
    arrays = operands(2, queries, keys, 8, 8)
    kernel = emulated(attention_text(2, queries, keys, 8, 8), tile=MINI, aligned=aligned)
    close(kernel.in_every_order(*arrays), expected(*arrays, causal(queries, keys)))


@pytest.mark.parametrize(
    ("depth", "width"),
    [(1, 1), (15, 17), (31, 65), (64, 64), (128, 128), (256, 256), (300, 520)],
)
def test_any_depth_and_width(depth: int, width: int) -> None:
    """With the tiles that are used."""
    arrays = operands(1, 33, 33, depth, width)
    kernel = emulated(attention_text(1, 33, 33, depth, width))
    close(kernel.in_every_order(*arrays), expected(*arrays, causal(33, 33)))


@pytest.mark.parametrize("queries", [1, 3, 16])
def test_few_queries(queries: int) -> None:
    """As when a text is continued: their tile is lower."""
    arrays = operands(2, queries, 70, 16, 20)
    kernel = emulated(attention_text(2, queries, 70, 16, 20, mask="none"))
    assert f"memref<16x{16 + 4}xf32" in kernel.kernel.text
    close(kernel.in_every_order(*arrays), expected(*arrays))


@pytest.mark.parametrize("size", [64, 65])
def test_around_a_tile(size: int) -> None:
    arrays = operands(2, size, size, 16, 16)
    kernel = emulated(attention_text(2, size, size, 16, 16))
    close(kernel.in_every_order(*arrays), expected(*arrays, causal(size, size)))


@pytest.mark.parametrize("dtype", ["f64", "bf16", "f16"])
def test_dtypes_without_tensor_cores(dtype: str) -> None:
    tolerance = {"f64": 1e-13, "bf16": 2e-2, "f16": 2e-3}[dtype]
    arrays = [x.astype(DTYPES[dtype].numpy) for x in operands(2, 40, 40, 20, 12)]
    kernel = emulated(attention_text(2, 40, 40, 20, 12, dtype=dtype), tile=MINI)
    assert "mma.sync" not in kernel.kernel.text
    close(kernel.in_every_order(*arrays), expected(*arrays, causal(40, 40)), tolerance)


# --- tensor cores

MINI_TENSOR = TensorAttentionTile(32, 16)
# How much a share may be rounded.
ROUNDING = {"tf32": 2e-3, "bf16": 2e-2, "f16": 2e-3}


@pytest.mark.parametrize(("dtype", "aligned"), [("bf16", True), ("f16", False)])
@pytest.mark.parametrize(
    ("queries", "keys", "depth", "width"),
    [(1, 1, 1, 1), (5, 40, 16, 8), (31, 15, 17, 9), (33, 33, 20, 24), (40, 50, 48, 40)],
)
def test_16_bits_on_tensor_cores(
    queries: int, keys: int, depth: int, width: int, aligned: bool, dtype: str
) -> None:
    arrays = [x.astype(DTYPES[dtype].numpy) for x in operands(2, queries, keys, depth, width)]
    kernel = emulated(
        attention_text(2, queries, keys, depth, width, dtype=dtype),
        tile=MINI_TENSOR,
        aligned=aligned,
    )
    assert "mma.sync" in kernel.kernel.text
    wanted = expected(*arrays, causal(queries, keys))
    close(kernel.in_every_order(*arrays), wanted, ROUNDING[dtype])


@pytest.mark.parametrize(
    ("precision", "mask"),
    [("tf32", "causal"), ("tf32", "flags"), ("bf16", "chosen"), ("f16", "none")],
)
def test_f32_rounded_for_tensor_cores(precision: str, mask: str) -> None:
    arrays = operands(2, 37, 50, 20, 12)
    extra: list[Array] = []
    meaning: Array | None = None
    if mask == "flags":
        extra = [np.random.default_rng(7).integers(0, 2, (2, 37, 50)).astype(np.int8)]
        meaning = extra[0] == 1
    elif mask != "none":
        meaning = causal(37, 50, -np.inf if mask == "chosen" else HIDDEN)
    text = attention_text(2, 37, 50, 20, 12, mask=mask)
    kernel = emulated(text, tile=MINI_TENSOR, precision=precision)
    assert "mma.sync" in kernel.kernel.text
    found = kernel.in_every_order(*arrays, *extra)
    # Scores of some size: what is rounded of an operand shows in them, too.
    close(found, expected(*arrays, meaning), 2 * ROUNDING[precision])
    exact = emulated(text, tile=MINI)(*arrays, *extra)
    assert not np.allclose(found, exact, 1e-6, 1e-6), "nothing was rounded"


@pytest.mark.parametrize(("precision", "depth"), [("bf16", 64), ("bf16", 128), ("tf32", 128)])
def test_tiles_of_tensor_cores(precision: str, depth: int) -> None:
    """Those that are used, with operands that a tensor core multiplies exactly, so that only the
    shares are rounded."""
    arrays = [np.round(x * 4) / np.float32(4) for x in operands(1, 65, 65, depth, depth)]
    kernel = emulated(attention_text(1, 65, 65, depth, depth), precision=precision)
    found = kernel.in_every_order(*arrays)
    close(found, expected(*arrays, causal(65, 65)), ROUNDING[precision])


def test_what_is_multiplied_by_tensor_cores() -> None:
    """Not f32 if it is not asked for, and not what would lose precision."""

    def uses(text: str, precision: str = "f32") -> bool:
        made_ = made(text, lambda *x: attention.kernel("k", *x, precision=precision))
        return "mma.sync" in made_.text

    assert not uses(attention_text(1, 16, 16, 8, 8))
    assert uses(attention_text(1, 16, 16, 8, 8), "tf32")
    assert uses(attention_text(1, 16, 16, 8, 8, dtype="bf16"))
    assert not uses(attention_text(1, 16, 16, 8, 8, dtype="f64"), "tf32")
    assert not uses(attention_text(1, 16, 16, 8, 160, dtype="bf16"))


@pytest.mark.parametrize("mask", ["none", "infinite", "chosen", "array", "flags"])
def test_masks(mask: str) -> None:
    queries, keys = 37, 50
    arrays = operands(2, queries, keys, 16, 16)
    random = np.random.default_rng(7)
    extra: list[Array] = []
    meaning = None
    if mask == "array":
        extra = [random.standard_normal((queries, keys)).astype(np.float32)]
        extra[0][random.integers(0, 2, (queries, keys)) == 0] = -np.inf
        meaning = extra[0].astype(np.float64)
    elif mask == "flags":
        extra = [random.integers(0, 2, (2, queries, keys)).astype(np.int8)]
        meaning = extra[0] == 1
    elif mask != "none":
        meaning = causal(queries, keys, -np.inf)
    kernel = emulated(attention_text(2, queries, keys, 16, 16, mask=mask), tile=MINI)
    close(kernel.in_every_order(*arrays, *extra), expected(*arrays, meaning))


def test_operands_and_result_by_rows_of_all_heads() -> None:
    arrays = operands(3, 40, 24, 8, 12)
    kernel = emulated(attention_text(3, 40, 24, 8, 12, merged=True), tile=MINI)
    turned = [np.ascontiguousarray(x.transpose(1, 0, 2)) for x in arrays]
    found = kernel.in_every_order(*turned)
    close(found.transpose(1, 0, 2), expected(*arrays, causal(40, 24)))


def _scores(m: Making, q: Any, k: Any) -> Any:
    return m.elementwise("mul", m.matmul(q, m.transpose(k, (0, 2, 1))), m.number(0.25))


@pytest.mark.parametrize("position", [-3, 0, 5, 29, 1 << 40])
def test_more_keys_than_queries(position: int) -> None:
    """With a cache: query i sees the keys up to position + i, which is known when it is called."""
    m = Making()
    q, k, v = m.argument(2, 5, 8), m.argument(2, 34, 8), m.argument(2, 34, 8)
    at = m.argument(dtype="i64")
    rows, columns = (m.iota((Size.of(5), Size.of(34)), axis, DTYPES["i64"]) for axis in (0, 1))
    hidden = m.elementwise("greater", columns, m.elementwise("add", rows, at))
    scores = m.select(hidden, m.number(-np.inf), _scores(m, q, k))
    kernel = emulated(m.text(m.matmul(m.softmax(scores), v)), tile=MINI)
    assert "arith.minsi" in kernel.kernel.text, "no keys are skipped"
    arrays = operands(2, 5, 34, 8, 8)
    found = kernel.in_every_order(*arrays, np.array(position, np.int64))
    seen = np.arange(34)[None, :] <= np.arange(5)[:, None] + position
    with np.errstate(all="ignore"):
        scaled = arrays[0].astype(np.float64) * 0.25 * 8**0.5
    close(found, expected(scaled, *arrays[1:], np.where(seen, 0, -np.inf)))


def test_fewer_heads_of_keys_than_of_queries() -> None:
    m = Making()
    q, k, v = m.argument(6, 20, 8), m.argument(2, 20, 8), m.argument(2, 20, 8)

    def repeated(x: Any) -> Any:
        sizes = tuple(map(Size.of, (2, 3, 20, 8)))
        return m.reshape(m.broadcast_in_dim(x, sizes, (0, 2, 3)), tuple(map(Size.of, (6, 20, 8))))

    text = m.text(m.matmul(m.softmax(_scores(m, q, repeated(k))), repeated(v)))
    x, y, z = operands(6, 20, 20, 8, 8)
    found = emulated(text, tile=MINI).in_every_order(x, y[:2].copy(), z[:2].copy())
    whole = [np.repeat(one[:2], 3, axis=0) for one in (y, z)]
    close(found, expected(x * np.float32(0.25 * 8**0.5), *whole))


# --- what a causal mask saves


def test_keys_that_no_query_of_a_block_sees_are_not_read() -> None:
    """What they hold shows in nothing: they may be NaN."""
    arrays = operands(1, 64, 64, 8, 8)
    kernel = emulated(attention_text(1, 64, 64, 8, 8, mask="infinite"), tile=MINI)
    wanted = expected(*arrays, causal(64, 64, -np.inf))
    arrays[1][:, 48:], arrays[2][:, 48:] = np.nan, np.nan
    found = kernel.in_every_order(*arrays)
    close(found[:, :32], wanted[:, :32])
    assert np.isnan(found[:, 48:]).all()


def test_nothing_is_skipped_where_a_query_sees_nothing() -> None:
    """All keys are hidden by the same number, which then counts for nothing."""
    m = Making()
    q, k, v = m.argument(1, 40, 8), m.argument(1, 40, 8), m.argument(1, 40, 8)
    rows, columns = (m.iota((Size.of(40), Size.of(40)), axis, DTYPES["i64"]) for axis in (0, 1))
    hidden = m.elementwise("greater_equal", columns, rows)  # not even itself
    scores = m.elementwise("mul", _scores(m, q, k), m.number(0.0))
    scores = m.elementwise("add", scores, m.select(hidden, m.number(HIDDEN), m.number(0.0)))
    arrays = operands(1, 40, 40, 8, 8)
    found = emulated(m.text(m.matmul(m.softmax(scores), v)), tile=MINI).in_every_order(*arrays)
    close(found[:, :1], arrays[2].astype(np.float64).mean(1, keepdims=True))


@pytest.mark.parametrize(("number", "skips"), [(-1e9, True), (-5.0, False)])
def test_a_number_that_hides_little_skips_nothing(number: float, skips: bool) -> None:
    arrays = operands(1, 40, 40, 8, 8)
    kernel = emulated(attention_text(1, 40, 40, 8, 8, hidden_by=number), tile=MINI)
    assert ("arith.minsi" in kernel.kernel.text) == skips
    close(kernel.in_every_order(*arrays), expected(*arrays, causal(40, 40, number)))


# --- barriers, memory and refusals


@pytest.mark.parametrize("slices", [1, 2])
def test_every_barrier_is_needed(slices: int) -> None:
    """Of kernels that take all of the depth and the columns at once, or in slices."""
    depth, width = (8, 16) if slices == 1 else (16, 48)
    text = attention_text(1, 64, 64, depth, width, mask="none")
    arrays = operands(1, 64, 64, depth, width)
    wanted = expected(*arrays)
    whole = made(text, lambda *x: attention.kernel("k", *x, tile=MINI))
    count = barriers(whole.text)
    assert count == {1: 3, 2: 9}[slices]
    for barrier in range(count):
        kernel = emulated(text, tile=MINI, edit=without_barrier(barrier))
        assert kernel.shows_a_fault(wanted, 1e-4, *arrays), f"barrier {barrier}"


@pytest.mark.parametrize("precision", ["bf16", "tf32"])
@pytest.mark.parametrize("barrier", [0, 1])
def test_every_barrier_of_tensor_cores_is_needed(precision: str, barrier: int) -> None:
    text = attention_text(1, 64, 64, 16, 16, mask="none")
    arrays = operands(1, 64, 64, 16, 16)

    def broken(text: str) -> str:
        assert barriers(text) == 2
        return without_barrier(barrier)(text)

    kernel = emulated(text, tile=MINI_TENSOR, precision=precision, edit=broken)
    assert kernel.shows_a_fault(expected(*arrays), 5e-2, *arrays)


def test_memory_does_not_grow_with_the_keys() -> None:
    kernel = made(attention_text(12, 4096, 4096, 64, 64), lambda *x: attention.kernel("k", *x))
    assert kernel.scratch is None
    assert kernel.launches[0].grid == (12 * 64, 1, 1)
    assert "alloc" not in kernel.text


def test_deep_heads_are_refused() -> None:
    with pytest.raises(Refused, match="heads of depth 1025: sums for at most 1024"):
        made(attention_text(1, 8, 8, 1025, 8), lambda *x: attention.kernel("k", *x))
