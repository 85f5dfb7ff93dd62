"""Open an `.npz` file of NumPy: arrays by name, without anything that has to be unpickled."""

from __future__ import annotations

import os
import zipfile
import zlib
from functools import partial
from pathlib import Path
from typing import Any, Final

import ml_dtypes
import numpy as np

from tdsl.errors import FileError
from tdsl.runtime.arrays import Array
from tdsl.runtime.weights.stored import Stored
from tdsl.runtime.weights.tensor_file import TensorFile

_MOST_HEADER: Final = 1 << 16
_PIECE: Final = 1 << 20


def npz(path: str | os.PathLike[str]) -> TensorFile:
    """The arrays of an `.npz` file; each is read when it is asked for."""
    place = Path(path)
    try:
        with zipfile.ZipFile(place) as archive:
            members = archive.infolist()
            stored: dict[str, Stored] = {}
            for member in members:
                found = _stored(place, archive, member)
                if found.name in stored:
                    raise _error(place, f"the name `{found.name[:80]}` stands twice in it")
                stored[found.name] = found
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OverflowError) as problem:
        # RuntimeError: encrypted members; NotImplementedError, which is one: unknown compression.
        raise _error(place, f"it is no sound zip archive ({problem})") from None
    return TensorFile(str(place), "npz", stored, {})


def _error(place: Path, text: str, *lines: str) -> FileError:
    head = f"[E0705] cannot read `{place}` as npz: {text}"
    return FileError("\n  ".join((head, *lines)), code="E0705", path=str(place))


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
    read = partial(_rows, place, member, dtype, shape, order)
    return Stored(name, dtype, shape, f"NumPy's {dtype}", read, False, False)


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
    if any(axis < 0 for axis in shape):
        raise _error(place, f"`{name[:80]}` has the shape {shape}")
    if dtype.kind == "V" and dtype.names is None and dtype.itemsize == 2:
        # NumPy writes bfloat16 as two bytes without a meaning; nothing else comes out so.
        dtype = np.dtype(ml_dtypes.bfloat16)
    return shape, order, dtype


def _rows(
    place: Path,
    member: zipfile.ZipInfo,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    fortran: bool,
    first: int,
    last: int,
) -> Array:
    whole = np.empty(shape[::-1] if fortran else shape, dtype)
    try:
        with zipfile.ZipFile(place) as archive, archive.open(member) as file:
            _described(place, member.filename, file)
            target = whole.reshape(-1).view(np.uint8)
            while len(target):
                data = file.read(min(len(target), _PIECE))
                if not data:
                    raise EOFError("it ends too early")
                target[: len(data)] = np.frombuffer(data, np.uint8)
                target = target[len(data) :]
            file.read(1)  # at the end the checksum is compared
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as problem:
        raise _error(place, f"`{member.filename[:80]}` is damaged ({problem})") from None
    array = whole.T if fortran else whole
    return array[first:last] if shape else array
