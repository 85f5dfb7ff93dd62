"""A file mapped to memory: reading within its bounds only."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path
from typing import Any, Final

import numpy as np

from tdsl.errors import FileError
from tdsl.runtime.arrays import Array
from tdsl.runtime.weights.stored import printable


def file_error(path: Path, kind: str, text: str, *lines: str) -> FileError:
    """What is wrong with a file, as the error to raise."""
    told = "\n  ".join(printable(line) for line in (text, *lines))
    return FileError(
        f"[E0705] cannot read `{path}` as {kind}: {told}", code="E0705", path=str(path)
    )


def check_regular(path: Path, kind: str) -> None:
    """Refuse what is no file before it is opened: a pipe would be waited for."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # Python says itself what a folder is
        raise file_error(path, kind, "it is no regular file")


# What files begin with that are taken for others.
_BEGINNINGS: Final = {
    b"version https://git-lfs": "a pointer of Git LFS: `git lfs pull` gets the file itself",
    b"GGUF": "a GGUF file: `tdsl.gguf(path)` reads it",
    b"PK\x03\x04": "a zip archive: `tdsl.npz(path)` reads NumPy's; what PyTorch saved holds a pickle,"
    " which is not run: `bind(torch.load(path, weights_only=True))`",
    b"\x80\x02": "a pickle, which is not run: `bind(torch.load(path, weights_only=True))`",
    b"\x93NUMPY": "a single array of NumPy: `np.load(path, allow_pickle=False)` reads it",
    b"\x89HDF": "an HDF5 file: read its arrays with h5py, and bind a dict of them",
    b"{": "JSON, perhaps the index of a model in several files: pass those that it names, as in"
    " `tdsl.safetensors(*paths)`",
    b"<": "a web page, perhaps one that asks to log in",
}


def what_it_is(begin: bytes) -> tuple[str, ...]:
    """A line about a file of another kind, by its first bytes."""
    if begin[8:9] == b"{":
        return ("help: it is a safetensors file: `tdsl.safetensors(path)` reads it",)
    found = (text for sign, text in _BEGINNINGS.items() if begin.startswith(sign))
    return tuple(f"help: it is {text}" for text in found)


class MappedFile:
    """The bytes of a file, read when they are touched. Views stay valid after the file is deleted;
    a file that another process makes shorter must not be read on (as with every mapping)."""

    def __init__(self, path: str | os.PathLike[str], kind: str) -> None:
        self.path = Path(path)
        self.kind = kind
        check_regular(self.path, kind)
        with open(self.path, "rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            if self.size == 0:
                raise self.error("it is empty")
            self._map = mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ)

    def error(self, text: str, *lines: str) -> FileError:
        """What is wrong with the file, as the error to raise."""
        return file_error(self.path, self.kind, text, *lines)

    def read(self, begin: int, count: int, what: str) -> bytes:
        """A copy of `count` bytes; `what` is that which should be there."""
        self.check(begin, count, what)
        return self._map[begin : begin + count]

    def check(self, begin: int, count: int, what: str) -> None:
        if begin < 0 or count < 0 or begin + count > self.size:
            raise self.error(
                f"{what} would reach from byte {begin} to {begin + count}, and the file has"
                f" {self.size}",
                "help: is it truncated? compare its size with that of the original",
            )

    def array(self, begin: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        """A read-only view. The caller has checked the place."""
        count = 1
        for length in shape:
            count *= length
        try:
            return np.frombuffer(self._map, dtype, count, begin).reshape(shape)
        except ValueError:
            # Nothing times something huge is nothing; NumPy has no such arrays.
            raise self.error(f"it has an empty array of the shape {list(shape)}") from None

    def release(self, begin: int, end: int) -> None:
        """Let the system take back the pages of these bytes; they are read again when touched."""
        if not hasattr(mmap, "MADV_DONTNEED"):  # pragma: no cover - not on this system
            return
        first = begin // mmap.PAGESIZE * mmap.PAGESIZE
        self._map.madvise(mmap.MADV_DONTNEED, first, min(end, self.size) - first)
