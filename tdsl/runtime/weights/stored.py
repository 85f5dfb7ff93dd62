"""One array of a source of weights: what it is, known without reading it, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import msgspec
import numpy as np

from tdsl.runtime.arrays import Array

# Of arrays that are converted on the way: how much is worked on at a time.
PIECE_BYTES = 1 << 22


class Stored(msgspec.Struct, frozen=True):
    """`rows(begin, end)` gives these items of the first axis (of an array without axes: itself, for
    0 and 1): a view of the source where it holds the values as they are, else a new array."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    form: str  # as the source calls it: F32, Q4_1
    rows: Callable[[int, int], Array]
    is_view: bool = True
    # Rows one after the other, where some of them cannot be read without those before.
    stream: Callable[[], Iterator[tuple[int, int, Array]]] | None = None
    # Tell the system that these rows are not needed in memory any more.
    release: Callable[[int, int], None] = lambda begin, end: None

    @property
    def count(self) -> int:
        """Of the rows."""
        return self.shape[0] if self.shape else 1

    @property
    def nbytes(self) -> int:
        size = self.dtype.itemsize
        for length in self.shape:
            size *= length
        return size

    def array(self) -> Array:
        return self.rows(0, self.count)

    def pieces(self) -> Iterator[tuple[int, int, Array]]:
        """All rows, a few megabytes at a time."""
        if self.stream is not None:
            yield from self.stream()
            return
        for begin, end in ranges(self.count, self.nbytes):
            yield begin, end, self.rows(begin, end)
            self.release(begin, end)


def ranges(count: int, nbytes: int) -> Iterator[tuple[int, int]]:
    """So many rows cut into ranges of a few megabytes."""
    step = max(1, PIECE_BYTES * count // max(1, nbytes))
    for begin in range(0, count, step):
        yield begin, min(begin + step, count)


class Unreadable(msgspec.Struct, frozen=True):
    """Something that stands in the place of an array and is none."""

    name: str
    what: str  # "a Python str"


def printable(text: str) -> str:
    """Text that comes from a file, safe to show: a name may hold what steers a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class Source(Protocol):
    """Where weights come from: arrays by dotted names."""

    @property
    def title(self) -> str:
        """What messages call it: the name of the file, or `a dict`."""

    @property
    def metadata(self) -> Mapping[str, Any]: ...

    def names(self) -> tuple[str, ...]:
        """All names there are, as far as they can be listed."""

    def find(self, name: str) -> Stored | Unreadable | None: ...
