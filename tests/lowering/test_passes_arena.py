"""Placing buffers in scratch memory: no overlap of what lives together, and sharing otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlir import ir
from native_support import open_interface, softmax

from tdsl.cpu.backend import CPU
from tdsl.lowering.interface import Interface, evaluate, size_from_data, size_to_data
from tdsl.lowering.options import Options
from tdsl.lowering.passes import arena
from tdsl.lowering.passes.arena import Buffer, aligned, place, scratch_size
from tdsl.lowering.pipeline import context, lower
from tdsl.lowering.sizes import attach_interface
from tdsl.types.sizes import Size, Symbol, opaque

_N, _M = Symbol("N"), Symbol("M")
_n, _m = Size.of(_N), Size.of(_M)


@st.composite
def _buffers(draw: st.DrawFn, sizes: st.SearchStrategy[Size]) -> list[Buffer]:
    found = []
    for _ in range(draw(st.integers(1, 8))):
        first = draw(st.integers(0, 10))
        found.append(Buffer(aligned(draw(sizes)), first, first + draw(st.integers(0, 5))))
    return found


def _check(buffers: list[Buffer], values: dict[Symbol, int]) -> None:
    offsets, total = place(buffers)
    spans = []
    for buffer, offset in zip(buffers, offsets, strict=True):
        start, size = evaluate(offset, values), evaluate(buffer.size, values)
        assert start % 64 == 0
        assert start + size <= evaluate(total, values)
        spans.append((start, start + size))
    for at, one in enumerate(buffers):
        for other in range(at):
            if one.meets(buffers[other]):
                (a, b), (c, d) = spans[at], spans[other]
                assert b <= c or d <= a, "two buffers that live together overlap"


@given(_buffers(st.integers(1, 1000).map(Size.of)))
@settings(deadline=None, max_examples=60)
def test_fixed_buffers_never_overlap(buffers: list[Buffer]) -> None:
    _check(buffers, {})


_OPEN = st.sampled_from(
    [_n, _n * _n * 4, _m * 8, _n * _m * 4, Size.of(100), _n * 4 + 3, opaque("//", _n, Size.of(2))]
)


@given(_buffers(_OPEN), st.integers(1, 70), st.integers(1, 70))
@settings(deadline=None, max_examples=60)
def test_open_buffers_never_overlap(buffers: list[Buffer], n: int, m: int) -> None:
    _check(buffers, {_N: n, _M: m})


def test_memory_is_shared_by_what_lives_one_after_the_other() -> None:
    size = Size.of(640)
    _, total = place([Buffer(size, 0, 1), Buffer(size, 2, 3), Buffer(size, 4, 5)])
    assert total == size
    _, total = place([Buffer(size, 0, 2), Buffer(size, 2, 3)])
    assert total == size * 2


def test_open_memory_is_shared_where_one_is_provably_larger() -> None:
    small, large = aligned(_n * 4), aligned(_n * _m * 4)
    _, total = place([Buffer(small, 0, 1), Buffer(large, 2, 3)])
    assert total == large
    _, total = place([Buffer(aligned(_n * 4), 0, 1), Buffer(aligned(_m * 4), 2, 3)])
    assert total == aligned(_n * 4) + aligned(_m * 4), "neither is known to be larger"


def test_sizes_survive_as_data() -> None:
    for size in [Size.of(0), Size.of(7), _n * _m * 3 + 5, aligned(_n * 4 + 1), -_n]:
        assert size_from_data(size_to_data(size)) == size


@pytest.mark.parametrize("options", [Options(threads=1), Options(fuse=False, threads=1)])
def test_no_code_allocates(options: Options) -> None:
    interface = open_interface([("A", 64)], [("A", 64)])
    with context():
        module = ir.Module.parse(softmax("A", 64))
        lower(module, "llvm", options, CPU, interface)
        text = str(module)
        assert "malloc" not in text
        assert "llvm.alloca" not in text
        scratch = scratch_size(module)
    if options.fuse:
        assert evaluate(scratch, {interface.symbols[0]: 1000}) <= 64 * 4 + 2 * 64, "one row"
    else:
        assert evaluate(scratch, {interface.symbols[0]: 1000}) <= 1000 * 64 * 4 + 2 * 4096


def test_rows_of_a_softmax_need_scratch_for_one_row_only() -> None:
    with context():
        module = ir.Module.parse(softmax(1000, 64))
        lower(module, "llvm", Options(), CPU)
        assert evaluate(scratch_size(module), {}) <= 64 * 4 + 2 * 64


def test_memory_is_used_until_the_call_that_got_its_address() -> None:
    """A kernel's operand has no use as a memref after its address was taken."""
    text = """
func.func private @use(!llvm.ptr)
func.func @f(%x: memref<16xf32>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.copy ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = arith.index_cast %p : index to i64
  %r = llvm.inttoptr %q : i64 to !llvm.ptr
  %b = memref.alloc() : memref<16xf32>
  linalg.copy ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  func.call @use(%r) : (!llvm.ptr) -> ()
  linalg.copy ins(%b : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}"""
    with context():
        module = ir.Module.parse(text)
        attach_interface(module, Interface.of_shapes([[16]], [[16]]))
        arena.run(module, Options())
        assert evaluate(scratch_size(module), {}) == 128, "the second buffer overwrites the first"
