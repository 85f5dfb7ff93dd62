"""Kernels that write one element too far are seen: what the other tests rely on."""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence

import chain_support
import kernel_support
import numpy as np
import pytest
import test_attention_kernels as attention
import test_taking as taking
from chain_support import attention_kernel, chain_kernel, given
from kernel_support import Compiled, MakeKernel

import tdsl

_MASKED = re.compile(
    r"vector\.maskedstore (%out\[[^]]*\]), \S+, (\S+) : ([^\n]*), vector<\d+xi1>, "
)


def without_masks(text: str) -> str:
    """Whole vectors where the last columns are fewer."""
    changed, count = _MASKED.subn(r"vector.store \2, \1 : \3, ", text)
    assert count, "the kernel has no masks"
    return changed


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Compiled):
        def __init__(self, text: str, make: MakeKernel, *more: object, **named: object) -> None:
            changed: MakeKernel = lambda *given: without_masks(make(*given))  # noqa: E731
            super().__init__(text, changed, *more, **named)  # type: ignore[arg-type]

    for module in (chain_support, kernel_support, taking):
        monkeypatch.setattr(module, "Compiled", Broken)


def attend() -> None:
    arrays = attention.given(2, 7, 9, 20, 33)
    attention_kernel(attention.text(2, 7, 9, 20, 33))(*arrays)


def attend_one() -> None:
    arrays = attention.given(2, 1, 9, 20, 33)
    attention_kernel(attention.text(2, 1, 9, 20, 33))(*arrays)


def chain() -> None:
    chain_kernel("softmax", (3, 37))(*given("softmax", (3, 37)))


def take() -> None:
    taking.taking_kernel((3, 5, 37))(*taking.given(3, 5, 37, "f32", "i32"))


@pytest.mark.parametrize("run", [attend, attend_one, chain, take])
def test_a_kernel_that_writes_too_far_is_seen(run: Callable[[], None], broken: None) -> None:
    with pytest.raises(AssertionError, match="written behind the result"):
        run()


@pytest.mark.parametrize("run", [attend, attend_one, chain, take])
def test_as_it_is_none_does(run: Callable[[], None]) -> None:
    run()


def fenced(array: np.ndarray) -> np.ndarray:
    """A copy that ends where memory does: behind it lies a page that must not be touched."""
    page = mmap.PAGESIZE
    size = -(-array.nbytes // page) * page
    memory = mmap.mmap(-1, size + page)
    whole = np.frombuffer(memory, np.uint8)
    wall = ctypes.c_void_p(whole.ctypes.data + size)
    assert ctypes.CDLL(None).mprotect(wall, ctypes.c_size_t(page), 0) == 0
    copy = whole[size - array.nbytes : size].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def outcome(kernel: Compiled, arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> int:
    """Of a process of its own that calls the kernel: 0, or the signal that ended it."""
    result = fenced(np.zeros(shape, np.float32))
    call = kernel.caller(*map(fenced, arrays), result=result)
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        call()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


needs_pages = pytest.mark.skipif(sys.platform != "linux", reason="protects pages")


@needs_pages
@pytest.mark.parametrize("mask", ["causal", "array", "flags"])
@pytest.mark.parametrize("queries", [1, 3, 7, 21])
@pytest.mark.parametrize("keys", [9, 33])
def test_attention_reads_nothing_behind_its_operands(queries: int, keys: int, mask: str) -> None:
    kernel = attention_kernel(attention.text(2, queries, keys, 20, 33, mask=mask))
    arrays = attention.given(2, queries, keys, 20, 33)
    if mask == "array":
        arrays.append(np.zeros((queries, keys), np.float32))
    if mask == "flags":
        arrays.append(np.ones((2, queries, keys), np.uint8))
    assert outcome(kernel, arrays, (2, queries, 33)) == 0


@needs_pages
def test_rows_and_tables_are_read_to_their_end() -> None:
    for name in ("softmax", "layer_norm"):
        arrays = given(name, (3, 37))
        assert outcome(chain_kernel(name, (3, 37)), arrays, (3, 37)) == 0
    kernel = taking.taking_kernel((3, 5, 37))
    assert outcome(kernel, taking.given(3, 5, 37, "f32", "i32"), (5, 37)) == 0


@needs_pages
def test_reading_too_far_is_seen() -> None:
    """A kernel for 4 rows more than there are."""
    kernel = attention_kernel(attention.text(1, 7, 13, 20, 33))
    arrays = attention.given(1, 7, 9, 20, 33)
    assert outcome(kernel, arrays, (1, 7, 33)) == -signal.SIGSEGV


def test_writing_an_operand_is_seen() -> None:
    wrong = Compiled(
        attention.text(1, 3, 5, 8, 8, mask="none"),
        lambda function, types, result: (
            "func.func private @k(%q: memref<1x3x8xf32>, %k: memref<1x5x8xf32>, "
            "%v: memref<1x5x8xf32>, %out: memref<1x3x8xf32>) {\n"
            "  %c = arith.constant 0 : index\n  %x = arith.constant 1.0 : f32\n"
            "  memref.store %x, %v[%c, %c, %c] : memref<1x5x8xf32>\n  return\n}\n"
        ),
    )
    with pytest.raises(AssertionError, match="an operand, or what lies around it"):
        wrong(*attention.given(1, 3, 5, 8, 8))


ACTIVATIONS = """tdsl 0.1
from std.nn import gelu, silu
pub fn t[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] { tanh(x @ w) }
pub fn g[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] { gelu(x @ w) }
pub fn s[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] { silu(x @ w) }
"""


@pytest.mark.parametrize("kernels", ["all", "none"])
def test_activations_behind_products_saturate(kernels: str) -> None:
    """tanh, gelu and silu at what overflows carelessly written ones."""
    m = tdsl.loads(ACTIVATIONS, kernels=kernels)
    x = np.float32([45, -45, 52.45, -52.45, 100, -100, 1e4, -1e4, np.inf, -np.inf])
    one = np.ones((1, 1), np.float32)
    np.testing.assert_array_equal(m.t(x[:, None], one)[:, 0], np.sign(x))
    positive = np.where(x > 0, x, 0)
    for name in "gs":
        found = getattr(m, name)(x[:, None], one)[:, 0]
        np.testing.assert_allclose(found[:-1], positive[:-1], atol=1e-17)


HEADS = """tdsl 0.1
from std.nn import attend
pub fn half[T](
    x: f32[T, 64], g: f32[64], b: f32[64], qkv: f32[64, 192], qkv_b: f32[192], out: f32[64, 64],
    out_b: f32[64]
) -> f32[T, 64] {
    attend[heads=4](x, g, b, qkv, qkv_b, out, out_b)
}
"""


@pytest.mark.parametrize("bindings", [{"T": 9}, {}], ids=["fixed", "open"])
def test_heads_are_cut_and_joined_without_copies(bindings: dict[str, int]) -> None:
    """Slices, groupings and transposes on both sides of attention are views of what the products
    write and read: layer_norm, two products and attention are all that computes."""
    text = tdsl.loads(HEADS).half.mlir("bufferized", **bindings)
    main = text[: text.index("func.func private")]
    names = re.findall(r"\b(linalg\.\w+|memref\.copy)\b", main)
    assert [name for name in names if name != "linalg.yield"] == ["linalg.generic"] * 4
    assert main.count("tdsl.call") == 4


def test_attention_is_little_code() -> None:
    """Most of the time that a block takes to compile went into it."""
    for queries in (128, 512):
        found = attention_kernel(attention.text(12, queries, queries, 64, 64)).text
        assert len(found.splitlines()) < 1200
