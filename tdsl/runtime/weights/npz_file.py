"""Open an `.npz` file of NumPy: arrays by name, without anything that has to be unpickled."""

from __future__ import annotations

import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import ml_dtypes
import msgspec
import numpy as np

from tdsl.errors import FileError
from tdsl.runtime.arrays import Array
from tdsl.runtime.weights.mapped import check_regular, file_error, what_it_is
from tdsl.runtime.weights.stored import Stored, ranges
from tdsl.runtime.weights.tensor_file import TensorFile

_MOST_HEADER: Final = 1 << 16
_MOST_AXES: Final = 32
_PIECE: Final = 1 << 20
# No stream of deflate grows more than that, and by no more than a few bytes besides.
_MOST_GROWTH: Final = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
_FEW: Final = 64


def npz(path: str | os.PathLike[str]) -> TensorFile:
    """The arrays of an `.npz` file; each is read when it is asked for."""
    place = Path(path)
    stored: dict[str, Stored] = {}
    check_regular(place, "npz")
    with (
        open(place, "rb") as opened,
        _told(place, "it is no sound zip archive", *what_it_is(opened.read(32))),
        zipfile.ZipFile(opened) as archive,
    ):
        size = os.fstat(opened.fileno()).st_size
        for member in archive.infolist():
            _check_length(place, member, size)
            found = _stored(place, archive, member)
            if found.name in stored:
                raise _error(place, f"the name `{found.name[:80]}` stands twice in it")
            stored[found.name] = found
    return TensorFile(str(place), "npz", stored, {})


@contextmanager
def _told(place: Path, what: str, *lines: str) -> Iterator[None]:
    """Whatever `zipfile` and the decompressors raise about a damaged file as one kind of error."""
    try:
        yield
    except FileError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        EOFError,
        MemoryError,  # of a length that may even be true
        OSError,
        OverflowError,
        RuntimeError,  # encrypted, or of an unknown compression
        ValueError,
    ) as problem:
        raise _error(place, f"{what} ({problem})", *lines) from None


def _error(place: Path, text: str, *lines: str) -> FileError:
    return file_error(place, "npz", text, *lines)


def _check_length(place: Path, member: zipfile.ZipInfo, size: int) -> None:
    """Refuse a length that the bytes of the file cannot hold, before memory is asked for."""
    growth = _MOST_GROWTH.get(member.compress_type)
    packed = member.compress_size
    if packed > size or (growth is not None and member.file_size > packed * growth + _FEW):
        raise _error(
            place,
            f"`{member.filename[:80]}` in it would have {member.file_size} bytes, made of {packed},"
            f" and the file has {size}",
        )


def _stored(place: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Stored:
    name = member.filename.removesuffix(".npy")
    if name == member.filename:
        raise _error(place, f"`{name[:80]}` in it is no array (`.npy`)")
    with archive.open(member) as file:
        shape, order, dtype = _described(place, name, file)
        size = dtype.itemsize
        for axis in shape:
            size *= axis
        if file.tell() + size != member.file_size:
            raise _error(
                place,
                f"`{name[:80]}` takes {size} bytes as NumPy's {dtype} of the shape {shape},"
                f" and {member.file_size - file.tell()} are there",
            )
    entry = _Entry(place, member, dtype, shape, order)
    form = f"NumPy's {dtype}"
    return Stored(name, dtype, shape, form, entry.rows, False, entry.pieces)


def _described(place: Path, name: str, file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(file)
        reader = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if reader is None:
            raise ValueError(f"version {version} of the format")
        shape, order, dtype = reader(file, max_header_size=_MOST_HEADER)
    except (ValueError, TypeError, SyntaxError, MemoryError) as problem:
        text = str(problem).partition("\n")[0][:200]
        raise _error(place, f"the header of `{name[:80]}` is wrong ({text})") from None
    if dtype.hasobject:
        raise _error(
            place,
            f"`{name[:80]}` holds Python objects, which would have to be unpickled",
            "help: a pickle can run anything: save numbers, as with `np.savez(path, w=w)`",
        )
    if any(type(axis) is not int or axis < 0 for axis in shape) or len(shape) > _MOST_AXES:
        raise _error(place, f"`{name[:80]}` has the shape {shape}")
    if 0 in shape and any(axis > 1 << 48 for axis in shape):
        # Nothing times something huge is nothing; NumPy has no such arrays.
        raise _error(place, f"`{name[:80]}` is an empty array of the shape {shape}")
    if dtype.kind == "V" and dtype.names is None and dtype.itemsize == 2:
        # NumPy writes bfloat16 as two bytes without a meaning; nothing else comes out so.
        dtype = np.dtype(ml_dtypes.bfloat16)
    return shape, order, dtype


class _Entry(msgspec.Struct, frozen=True):
    """An array in the archive, read anew each time, and checked by its checksum."""

    place: Path
    member: zipfile.ZipInfo
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool

    def rows(self, first: int, last: int) -> Array:
        shape = self.shape[::-1] if self.is_fortran else self.shape
        with self.opened() as file:
            whole = np.empty(shape, self.dtype)
            _fill(file, whole.reshape(-1).view(np.uint8))
        array = whole.T if self.is_fortran else whole
        return array[first:last] if self.shape else array

    def pieces(self) -> Iterator[tuple[int, int, Array]]:
        count = self.shape[0] if self.shape else 1
        if self.is_fortran or not self.shape:
            yield 0, count, self.rows(0, count)
            return
        row = self.dtype.itemsize
        for axis in self.shape[1:]:
            row *= axis
        with self.opened() as file:
            for begin, end in ranges(count, count * row):
                piece = np.empty((end - begin, *self.shape[1:]), self.dtype)
                _fill(file, piece.reshape(-1).view(np.uint8))
                yield begin, end, piece

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The data of the array; at the end it is compared with its checksum."""
        name = self.member.filename
        with (
            _told(self.place, f"`{name[:80]}` is damaged"),
            zipfile.ZipFile(self.place) as archive,
            archive.open(self.member) as file,
        ):
            _described(self.place, name, file)
            yield file
            file.read(1)


def _fill(file: IO[bytes], target: Array) -> None:
    while len(target):
        data = file.read(min(len(target), _PIECE))
        if not data:
            raise EOFError("it ends too early")
        target[: len(data)] = np.frombuffer(data, np.uint8)
        target = target[len(data) :]
