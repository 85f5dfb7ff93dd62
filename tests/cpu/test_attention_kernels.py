"""Kernels of attention against NumPy in float64, in guarded memory that was full of NaN."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attention_claims import HIDDEN, I64, causal, expected
from attention_claims import attention_text as text
from attention_claims import operands as given
from chain_support import MACHINES, Making, attention_kernel, softmax
from kernel_support import Compiled

from tdsl.cpu import attention
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Symbol

Array = np.ndarray[Any, Any]
T, N = Symbol("T"), Symbol("N")


def close(found: Array, wanted: Array, tolerance: float = 3e-6) -> None:
    np.testing.assert_allclose(found.astype(np.float64), wanted, tolerance, tolerance)


@pytest.fixture(scope="module")
def open_kernel() -> Compiled:
    """One artifact for any numbers of queries and keys."""
    return attention_kernel(text(2, T, N, 20, 36))


# One, around a vector, around a block of queries, around a chunk of keys.
COUNTS = (1, 3, 15, 16, 17, 47, 48, 49, 64, 129, 255, 256, 257, 300)


@pytest.mark.parametrize("count", COUNTS)
def test_any_number_of_queries_and_keys(open_kernel: Compiled, count: int) -> None:
    for queries, keys in {(count, count), (5, count), (count, 9), (1, count)}:
        arrays = given(2, queries, keys, 20, 36)
        found = open_kernel(*arrays, shape=(2, queries, 36))
        close(found, expected(*arrays, causal(queries, keys)))


@pytest.mark.parametrize("count", [1, 16, 33, 48, 100, 160, 200])
def test_fixed_numbers(count: int) -> None:
    arrays = given(2, count, count, 8, 8)
    close(
        attention_kernel(text(2, count, count, 8, 8))(*arrays),
        expected(*arrays, causal(count, count)),
    )


@pytest.mark.parametrize(
    ("depth", "width"),
    [(1, 1), (4, 7), (15, 17), (16, 16), (31, 65), (64, 64), (128, 128), (80, 96), (3, 200)],
)
def test_any_depth_and_width(depth: int, width: int) -> None:
    arrays = given(2, 21, 21, depth, width)
    close(
        attention_kernel(text(2, 21, 21, depth, width))(*arrays), expected(*arrays, causal(21, 21))
    )


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
def test_dtypes_on_each_machine(dtype: str, machine: str) -> None:
    tolerance = {"f32": 3e-6, "f64": 1e-13, "bf16": 2e-2, "f16": 2e-3}[dtype]
    kernel = attention_kernel(text(2, 61, 61, 20, 12, dtype=dtype), machine)
    arrays = [x.astype(DTYPES[dtype].numpy) for x in given(2, 61, 61, 20, 12)]
    close(kernel(*arrays), expected(*arrays, causal(61, 61)), tolerance)


@pytest.mark.parametrize("mask", ["none", "infinite", "chosen", "array", "flags"])
def test_masks(mask: str) -> None:
    queries, keys = 53, 70
    arrays = given(2, queries, keys, 16, 16)
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
    found = attention_kernel(text(2, queries, keys, 16, 16, mask=mask))(*arrays, *extra)
    close(found, expected(*arrays, meaning))


FEW = [(1, 1), (1, 15), (3, 33), (2, 300), (4, 513)]
"""Queries that are taken one by one, and keys: around a vector, more than one chunk."""


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
def test_few_queries_on_each_machine(dtype: str, machine: str) -> None:
    tolerance = {"f32": 3e-6, "f64": 1e-13, "bf16": 2e-2, "f16": 2e-3}[dtype]
    for queries, keys in FEW[1::2] if dtype == "f64" else FEW[::2]:
        kernel = attention_kernel(text(2, queries, keys, 20, 36, dtype=dtype), machine)
        arrays = [x.astype(DTYPES[dtype].numpy) for x in given(2, queries, keys, 20, 36)]
        close(kernel(*arrays), expected(*arrays, causal(queries, keys)), tolerance)


def test_four_queries_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As lanes of a block, three would take twice as long."""

    def block(*_: object) -> None:
        raise AssertionError("a block")

    monkeypatch.setattr(attention, "Block", block)
    attention_kernel(text(2, 4, 40, 8, 8, mask="none"))
    with pytest.raises(AssertionError, match="a block"):
        attention_kernel(text(2, 5, 40, 8, 8, mask="none"))


@pytest.mark.parametrize(("depth", "width"), [(1, 1), (15, 17), (64, 64), (31, 130), (200, 3)])
def test_few_queries_of_any_depth_and_width(depth: int, width: int) -> None:
    arrays = given(2, 2, 37, depth, width)
    kernel = attention_kernel(text(2, 2, 37, depth, width, mask="none"))
    close(kernel(*arrays), expected(*arrays))


@pytest.mark.parametrize("mask", ["none", "infinite", "chosen", "array", "flags"])
@pytest.mark.parametrize(
    ("queries", "keys", "machine"),
    [
        (1, 300, "avx512"),
        (2, 70, "avx512"),
        (50, 33, "avx512"),
        (96, 300, "avx512"),
        (96, 300, "avx2"),
        (48, 270, "portable"),
    ],
)
def test_masks_over_chunks_and_blocks(queries: int, keys: int, mask: str, machine: str) -> None:
    arrays = given(2, queries, keys, 8, 8)
    random = np.random.default_rng(7)
    extra: list[Array] = []
    meaning = None
    if mask == "array":
        extra = [random.standard_normal((queries, keys)).astype(np.float32)]
        extra[0][random.integers(0, 2, (queries, keys)) == 0] = -np.inf
        extra[0][:, 0] = 0.0
        meaning = extra[0].astype(np.float64)
    elif mask == "flags":
        extra = [random.integers(0, 2, (2, queries, keys)).astype(np.int8)]
        extra[0][:, :, 0] = 1
        meaning = extra[0] == 1
    elif mask != "none":
        meaning = causal(queries, keys, -np.inf)
    kernel = attention_kernel(text(2, queries, keys, 8, 8, mask=mask), machine)
    close(kernel(*arrays, *extra), expected(*arrays, meaning))


@pytest.mark.parametrize("queries", [1, 40])
def test_keys_that_lie_next_to_each_other(queries: int) -> None:
    arrays = given(2, queries, 75, 20, 16)
    kernel = attention_kernel(text(2, queries, 75, 20, 16, mask="none", keys_turned=True))
    q, k, v = arrays
    unused = np.zeros_like(k)
    turned = np.ascontiguousarray(k.swapaxes(1, 2))
    close(kernel(q, unused, v, turned), expected(*arrays))


def test_a_mask_of_queries_is_read_in_vectors() -> None:
    """Not one element for each lane: that took most of the time."""
    queries, keys = 48, 64
    for mask, element in (("array", "f32"), ("flags", "i8")):
        found = attention_kernel(text(2, queries, keys, 16, 16, mask=mask)).text
        lines = [line for line in found.splitlines() if "%in3[" in line]
        assert any(f"vector<16x{element}>" in line for line in lines)
        assert sum("memref.load" in line for line in lines) == 1  # the rest of a chunk


def test_an_open_number_of_queries_has_a_way_for_one() -> None:
    """A step of decoding comes through the artifact of the prompt."""
    assert 'tdsl.for = "line"' in attention_kernel(text(2, T, N, 20, 36)).text
    assert 'tdsl.for = "line"' not in attention_kernel(text(2, 64, 64, 20, 36)).text


@pytest.mark.parametrize("where", ["q", "k", "v"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("mask", ["causal", "infinite", "none"])
def test_what_is_not_finite_spreads_from_one_query_too(where: str, value: float, mask: str) -> None:
    arrays = dict(zip("qkv", given(2, 1, 60, 16, 16), strict=True))
    arrays[where][1, 0 if where == "q" else 50, 3] = value
    found = attention_kernel(text(2, 1, 60, 16, 16, mask=mask))(*arrays.values())
    hidden = {"causal": causal(1, 60), "infinite": causal(1, 60, -np.inf), "none": None}[mask]
    wanted = expected(*arrays.values(), hidden)
    assert (np.isnan(found) == np.isnan(wanted)).all()
    good = np.isfinite(wanted)
    np.testing.assert_allclose(found[good], wanted[good], 3e-6, 3e-6)


def test_a_query_that_sees_nothing_is_nan_without_touching_others() -> None:
    arrays = given(1, 20, 30, 8, 8)
    mask = np.zeros((20, 30), np.float32)
    mask[4] = -np.inf
    mask[:, :25] = -np.inf
    found = attention_kernel(text(1, 20, 30, 8, 8, mask="array"))(*arrays, mask)
    assert np.isnan(found[0, 4]).all()
    rest = np.arange(20) != 4
    close(found[0, rest], expected(*arrays, mask)[0, rest])


def test_keys_that_are_seen_after_many_that_are_not() -> None:
    """More hidden ones than are looked at together."""
    arrays = given(1, 20, 300, 8, 8)
    mask = np.zeros((20, 300), np.float32)
    mask[:, :270] = -np.inf
    found = attention_kernel(text(1, 20, 300, 8, 8, mask="array"))(*arrays, mask)
    close(found, expected(*arrays, mask))


@pytest.mark.parametrize("position", [-3, 0, 4, 100])
def test_a_finite_mask_at_a_run_time_position(position: int) -> None:
    """Before the first key every key is hidden alike, and so none is."""
    m = Making()
    q, k, v = (m.argument(1, count, 8) for count in (7, 70, 70))
    start = m.cast(m.argument(dtype="i32"), I64)
    scores = m.matmul(q, m.transpose(k, (0, 2, 1)))
    shape = scores.type.shape[-2:]
    last = m.elementwise("add", m.iota(shape, 0, I64), start)
    hidden = m.elementwise("greater", m.iota(shape, 1, I64), last)
    mask = m.select(hidden, m.number(HIDDEN), m.number(0.0))
    scores = m.elementwise("add", scores, mask)
    kernel = attention_kernel(m.text(m.matmul(m.softmax(scores), v)))
    arrays = given(1, 7, 70, 8, 8)
    places = np.arange(70)[None] > np.arange(7)[:, None] + position
    written = arrays[0] @ arrays[1].swapaxes(1, 2) + np.where(places, HIDDEN, 0).astype(np.float32)
    wanted = softmax(written.astype(np.float64)) @ arrays[2]
    close(kernel(*arrays, np.asarray(position, np.int32)), wanted, 1e-5)


def test_heads_of_one_array_are_read_and_written_as_they_lie() -> None:
    heads, count, depth = 3, 50, 20
    row = heads * depth
    qkv = np.random.default_rng(1).standard_normal((count, 3 * row)).astype(np.float32)
    parts = [qkv[:, i * row : (i + 1) * row].reshape(count, heads, depth) for i in range(3)]
    layout = f"memref<{count}x{heads}x{depth}xf32, strided<[?, ?, 1], offset: ?>>"
    kernel = attention_kernel(
        text(heads, count, count, depth, depth, merged=True), layouts=(layout,) * 3
    )
    wanted = expected(*(x.transpose(1, 0, 2) for x in parts), causal(count, count))
    close(kernel(*parts), wanted.transpose(1, 0, 2))


@pytest.mark.parametrize("mask", ["causal", "infinite", "chosen"])
def test_a_changed_future_leaves_earlier_outputs_alone(mask: str) -> None:
    """Bit for bit, also where the future is larger by far."""
    count = 130
    kernel = attention_kernel(text(2, count, count, 16, 16, mask=mask))
    q, k, v = given(2, count, count, 16, 16)
    before = kernel(q, k, v)
    for size in (1.0, 1e4):
        other = given(2, count, count, 16, 16, seed=5)
        changed = [x.copy() for x in (q, k, v)]
        for x, y in zip(changed, other, strict=True):
            x[:, 60:] = y[:, 60:] * np.float32(size)
        after = kernel(*changed)
        assert (after[:, :60] == before[:, :60]).all()
        assert (after[:, 60:] != before[:, 60:]).any()


@pytest.mark.parametrize("size", [1e4, 3e9, 3e19])
def test_huge_scores(size: float) -> None:
    """Where -1e10 no longer hides a key, what NumPy computes is computed, too."""
    count = 60
    q, k, v = given(1, count, count, 16, 16)
    q, k = (np.sign(x).astype(np.float32) for x in (q, k))
    q[:, ::7] *= np.float32(size)
    q[:, 3] = np.float32(size) * k[:, 40]  # would see a later key, if anything did
    kernel = attention_kernel(text(1, count, count, 16, 16))
    with np.errstate(all="ignore"):
        scores = (q @ k.swapaxes(1, 2) / np.float32(4)) + causal(count, count).astype(np.float32)
        wanted = softmax(scores.astype(np.float64)) @ v.astype(np.float64)
    found = kernel(q, k, v)
    assert np.isfinite(wanted).all()
    close(found, wanted, 1e-4)


@pytest.mark.parametrize("where", ["q", "k", "v"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_spreads_as_in_numpy(where: str, value: float) -> None:
    """0 times NaN is NaN: a hidden key or value that is not finite cannot be left out."""
    count = 60
    arrays = dict(zip("qkv", given(2, count, count, 16, 16), strict=True))
    arrays[where][1, 50, 3] = value
    kernel = attention_kernel(text(2, count, count, 16, 16))
    found = kernel(*arrays.values())
    wanted = expected(*arrays.values(), causal(count, count))
    assert (np.isnan(found) == np.isnan(wanted)).all()
    assert np.isfinite(found[0]).all()
    good = np.isfinite(wanted)
    np.testing.assert_allclose(found[good], wanted[good], 3e-6, 3e-6)


def test_what_is_read_for_each_query_ends_where_they_do() -> None:
    """A number for each query, and a mask stored the other way round: neither is read behind its
    end, where a vector of queries goes on."""
    m = Making()
    q, k, v = (m.argument(1, count, 8) for count in (5, 9, 9))
    each, mask = m.argument(5), m.argument(9, 5)
    scores = m.elementwise("mul", m.matmul(q, m.transpose(k, (0, 2, 1))), m.transpose(mask, (1, 0)))
    scores = m.elementwise("add", scores, m.broadcast_in_dim(each, scores.type.shape, (1,)))
    kernel = attention_kernel(m.text(m.matmul(m.softmax(scores), v)))
    arrays = given(1, 5, 9, 8, 8)
    more = [np.random.default_rng(2).standard_normal(s).astype(np.float32) for s in (5, (9, 5))]
    wide = [x.astype(np.float64) for x in (*arrays, *more)]
    wanted = softmax(wide[0] @ wide[1].swapaxes(1, 2) * wide[4].T + wide[3][:, None]) @ wide[2]
    close(kernel(*arrays, *more), wanted)
    for place in (3, 4):
        assert f"vector.maskedload %in{place}[" in kernel.text
        assert f"vector.load %in{place}[" not in kernel.text


def test_shares_that_would_be_subnormal_are_zero() -> None:
    q = np.ones((1, 4, 1), np.float32)
    k = np.linspace(0, -100, 40, dtype=np.float32).reshape(1, 40, 1)
    v = np.full((1, 40, 1), 1e30, np.float32)
    found = attention_kernel(text(1, 4, 40, 1, 1, mask="none"))(q, k, v)
    close(found / np.float32(1e30), np.ones((1, 4, 1)))


def test_keys_that_no_query_sees_are_left_out() -> None:
    """48 queries see 48 of 4096 keys: the best of some runs must be far from what all would take."""
    arrays = given(1, 48, 4096, 64, 64)
    result = np.empty((1, 48, 64), np.float32)

    def best(call: Callable[[], None]) -> float:
        call()
        times = []
        for _ in range(30):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times)

    seen, whole = (
        best(attention_kernel(text(1, 48, 4096, 64, 64, mask=mask)).caller(*arrays, result=result))
        for mask in ("chosen", "none")
    )
    assert seen < 0.6 * whole
