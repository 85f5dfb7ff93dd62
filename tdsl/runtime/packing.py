"""Bound arrays in the forms that kernels read: packed once into one arena, originals let go."""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from tdsl.lowering.interface import ALIGNMENT, Packing
from tdsl.runtime.arrays import Array


class Field:
    """One bound array: as it was given, packed, or both. Whoever uses it holds the lock of its
    owner.

    While an array moves from `source` to packed form, matrix after matrix, `moved` of them are
    there and only there; `moving` says where. This is kept here, so that a move that was
    interrupted (by a fork, or because memory ran out) can go on.
    """

    __slots__ = ("dtype", "kept", "moved", "moving", "packed", "shape", "source")

    def __init__(self, source: Array) -> None:
        self.source: Array | None = source
        self.shape, self.dtype = source.shape, source.dtype
        self.packed: dict[Packing, Array] = {}
        self.moving: tuple[Packing, Array] | None = None
        self.moved = 0
        self.kept = False  # whether something reads it as it was given

    @property
    def nbytes(self) -> int:
        return int(math.prod(self.shape) * self.dtype.itemsize)

    def array(self) -> Array:
        """As it was given; read back from the packed form if that is all there is."""
        self._finish()
        if self.source is not None:
            return self.source
        packing, panels = next(iter(self.packed.items()))
        found = np.empty(self.shape, self.dtype)
        for at in _matrices(self.shape):
            _unpack(panels[at], found[at], packing)
        found.flags.writeable = False
        return found

    def keep(self) -> Array:
        """As it was given, from now on to stay so."""
        self.kept = True
        self.source = self.array()
        return self.source

    def pack(self, packing: Packing, panels: Array) -> None:
        """Into this memory; what was given is let go, if nothing else needs it."""
        if self.source is None:
            source = self.array()
            for at in _matrices(self.shape):
                _pack(source[at], panels[at], packing)
            self.packed[packing] = panels
            return
        self.moving, self.moved = (packing, panels), 0
        self._finish()

    def _finish(self) -> None:
        if self.moving is None:
            return
        packing, panels = self.moving
        assert self.source is not None
        ours = not self.kept and _is_ours(self)
        for number, at in enumerate(_matrices(self.shape)):
            if number < self.moved:
                continue
            _pack(self.source[at], panels[at], packing)
            if ours:
                self.moved = number + 1
                release(self.source[at])
        self.packed[packing] = panels
        if not self.kept:
            self.source = None
        self.moving = None


def allocate(wanted: Sequence[tuple[Field, Packing]]) -> list[Array]:
    """Memory for arrays to be packed: all of it in one piece, each part aligned."""
    sizes = [
        math.prod(packing.shape(field.shape)) * field.dtype.itemsize for field, packing in wanted
    ]
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size + -size % ALIGNMENT)
    memory = np.empty(starts[-1] + ALIGNMENT, np.uint8)
    first = -memory.ctypes.data % ALIGNMENT
    return [
        memory[first + start : first + start + size]
        .view(field.dtype)
        .reshape(packing.shape(field.shape))
        for (field, packing), start, size in zip(wanted, starts, sizes, strict=False)
    ]


def _matrices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return np.ndindex(*shape[:-2])


def _pack(matrix: Array, panels: Array, packing: Packing) -> None:
    """[k, n], or transposed [n, k], to [panel, k, column]; the bits are moved, whatever they mean."""
    matrix, panels = _bits(matrix), _bits(panels)
    if packing.transposed:
        matrix = matrix.T
    whole = _cut(matrix, packing.columns)
    count = len(whole)
    if matrix.strides[1] == matrix.itemsize and panels.flags.c_contiguous:
        # Columns of a panel as one element: half again as fast as number after number.
        row = np.dtype((np.void, packing.columns * matrix.itemsize))
        np.copyto(panels[:count].view(row), whole.view(row))
    else:
        np.copyto(panels[:count], whole)
    if count < len(panels):
        rest = matrix[:, count * packing.columns :]
        panels[count, :, : rest.shape[1]] = rest
        panels[count, :, rest.shape[1] :] = 0


def _unpack(panels: Array, matrix: Array, packing: Packing) -> None:
    matrix, panels = _bits(matrix), _bits(panels)
    if packing.transposed:
        matrix = matrix.T
    whole = _cut(matrix, packing.columns)
    count = len(whole)
    np.copyto(whole, panels[:count])
    if count < len(panels):
        rest = matrix[:, count * packing.columns :]
        rest[...] = panels[count, :, : rest.shape[1]]


def _bits(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")


def _cut(matrix: Array, columns: int) -> Array:
    """The whole panels of a matrix [k, n], as a view [panel, k, column]."""
    depth, width = matrix.shape
    count = width // columns
    down, along = matrix.strides
    return np.lib.stride_tricks.as_strided(
        matrix, (count, depth, columns), (along * columns, down, along)
    )


# --- giving memory back before all of an array is done


def _holders(field: Field) -> tuple[int, int] | None:
    """How many refer to an array and to the one whose memory it is; None where nothing tells."""
    base = field.source.base if field.source is not None else None
    if sys.implementation.name != "cpython" or not isinstance(base, np.ndarray):
        return None
    if not base.flags.owndata:
        return None
    return sys.getrefcount(field.source), sys.getrefcount(base)


@cache
def _alone() -> tuple[int, int] | None:
    """What `_holders` is for an array that nothing else can read."""
    field = Field(np.empty(1).view())
    return _holders(field)


def _is_ours(field: Field) -> bool:
    """Whether nobody but the field can read its array any more, or anybody can read it again."""
    found = _holders(field)
    if found is not None:
        return found == _alone()
    return field.source is not None and _is_of_file(field.source)


def _is_of_file(array: Array) -> bool:
    """Whether an array lies in a file that is mapped to be read."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, mmap.mmap):
        with memoryview(owner) as view:
            return view.readonly
    return isinstance(owner, memoryview) and owner.readonly and isinstance(owner.obj, mmap.mmap)


@cache
def _advise() -> Any:
    try:
        return ctypes.CDLL(None).madvise if sys.platform == "linux" else None
    except (OSError, AttributeError):
        return None


def release(array: Array) -> None:
    """Let the system take back the pages of an array that nobody will read, as far as it wants."""
    advise = _advise()
    if advise is None or not array.flags.c_contiguous:
        return
    page = mmap.PAGESIZE
    first = array.ctypes.data + -array.ctypes.data % page
    count = (array.ctypes.data + array.nbytes - first) // page * page
    if count > 0:
        advise(ctypes.c_void_p(first), ctypes.c_size_t(count), mmap.MADV_DONTNEED)
