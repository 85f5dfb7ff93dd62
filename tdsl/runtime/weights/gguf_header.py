"""Read the header of a GGUF file: metadata and places of arrays, within the bounds of the file.

The reader of the package `gguf` takes lengths on trust and is slow on long lists of tokens; it is
used for what it does well, the formats of quantised numbers (gguf_file.py).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import numpy as np

from tdsl.runtime.weights.mapped import MappedFile, what_it_is

_MAGIC: Final = b"GGUF"
_MOST_NAME: Final = 1 << 16
_MOST_AXES: Final = 4  # GGML_MAX_DIMS
_MOST_NESTED: Final = 4
_STRING, _ARRAY, _BOOL = 8, 9, 7
_SCALARS: Final[Mapping[int, np.dtype[Any]]] = {
    0: np.dtype("u1"),
    1: np.dtype("i1"),
    2: np.dtype("<u2"),
    3: np.dtype("<i2"),
    4: np.dtype("<u4"),
    5: np.dtype("<i4"),
    6: np.dtype("<f4"),
    _BOOL: np.dtype(np.bool_),
    10: np.dtype("<u8"),
    11: np.dtype("<i8"),
    12: np.dtype("<f8"),
}


class Place(msgspec.Struct, frozen=True):
    """An array as the header describes it; `axes` are innermost first, as GGUF counts them."""

    name: str
    form: int  # a number of GGML's types
    axes: tuple[int, ...]
    offset: int  # from the beginning of the data


class Header(msgspec.Struct, frozen=True):
    metadata: dict[str, Any]
    places: tuple[Place, ...]
    data: int  # where the data begins


def read_header(file: MappedFile) -> Header:
    return _Reader(file).header()


class _Reader:
    def __init__(self, file: MappedFile) -> None:
        self.file = file
        self.at = 0

    def header(self) -> Header:
        file = self.file
        magic = file.read(0, 4, "the four letters that it begins with")
        if magic != _MAGIC:
            other = what_it_is(file.read(0, min(file.size, 32), "its beginning"))
            raise file.error(f"it begins with {magic!r}, not with {_MAGIC!r}", *other)
        self.at = 4
        version = self.number("<I", "the version")
        if version not in (2, 3):
            big = int.from_bytes(version.to_bytes(4, "little"), "big")
            if big in (2, 3):
                raise file.error("its numbers are big-endian, which no supported machine is")
            raise file.error(f"it has version {version}; 2 and 3 are known")
        tensors = self.number("<Q", "the number of arrays")
        entries = self.number("<Q", "the number of entries")
        # The least that an entry takes: a name, a type, a value.
        self.fits(entries, 13, "entries of metadata")
        self.fits(tensors, 24, "arrays")
        metadata: dict[str, Any] = {}
        for number in range(entries):
            name = self.name(f"the name of entry {number}")
            if name in metadata:
                raise file.error(f"the entry `{name[:80]}` stands twice in its metadata")
            metadata[name] = self.value(self.number("<I", f"the type of `{name}`"), name, 0)
        places = tuple(self.place(number) for number in range(tensors))
        names = [place.name for place in places]
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise file.error(f"the array `{twice[:80]}` stands twice in its header")
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20 or alignment % 8:
            raise file.error(f"its arrays cannot lie at multiples of {str(alignment)[:40]}")
        for place in places:
            if place.offset % alignment:
                raise file.error(
                    f"`{place.name[:80]}` lies at {place.offset}, no multiple of {alignment}"
                )
        return Header(metadata, places, -(-self.at // alignment) * alignment)

    def fits(self, count: int, least: int, what: str) -> None:
        left = self.file.size - self.at
        if count * least > left:
            raise self.file.error(
                f"it says that {count} {what} follow, and {left} bytes are left",
                "help: is it truncated? compare its size with that of the original",
            )

    def number(self, form: str, what: str) -> int:
        size = struct.calcsize(form)
        (value,) = struct.unpack(form, self.take(size, what))
        return int(value)

    def take(self, size: int, what: str) -> bytes:
        data = self.file.read(self.at, size, what)
        self.at += size
        return data

    def name(self, what: str) -> str:
        size = self.number("<Q", what)
        if not 0 < size <= _MOST_NAME:
            raise self.file.error(f"{what} has {size} bytes; the most are {_MOST_NAME}")
        try:
            return self.take(size, what).decode("utf-8")
        except UnicodeDecodeError:
            raise self.file.error(f"{what} is no valid UTF-8") from None

    def text(self, what: str) -> str:
        size = self.number("<Q", what)
        # Tokens of some models are pieces of characters: no byte of them may be lost.
        return self.take(size, what).decode("utf-8", "surrogateescape")

    def value(self, form: int, name: str, depth: int) -> Any:
        what = f"`{name[:80]}`"
        dtype = _SCALARS.get(form)
        if dtype is not None:
            return np.frombuffer(self.take(dtype.itemsize, what), dtype)[0].item()
        if form == _STRING:
            return self.text(what)
        if form != _ARRAY:
            raise self.file.error(f"{what} has the unknown type {form}")
        if depth == _MOST_NESTED:
            raise self.file.error(f"{what} is nested more than {_MOST_NESTED} deep")
        inner = self.number("<I", what)
        count = self.number("<Q", what)
        dtype = _SCALARS.get(inner)
        self.fits(count, dtype.itemsize if dtype is not None else 8, f"items of {what}")
        if dtype is not None:
            return np.frombuffer(self.take(count * dtype.itemsize, what), dtype).tolist()
        item: Callable[[], Any] = (
            (lambda: self.text(what))
            if inner == _STRING
            else lambda: self.value(inner, name, depth + 1)
        )
        return [item() for _ in range(count)]

    def place(self, number: int) -> Place:
        name = self.name(f"the name of array {number}")
        what = f"the header of `{name[:80]}`"
        count = self.number("<I", what)
        if count > _MOST_AXES:
            raise self.file.error(f"`{name[:80]}` has {count} axes; the most are {_MOST_AXES}")
        axes = struct.unpack(f"<{count}Q", self.take(8 * count, what))
        if any(axis >= 1 << 48 for axis in axes):
            raise self.file.error(f"`{name[:80]}` has the sizes {list(axes)}")
        form = self.number("<I", what)
        return Place(name, form, axes, self.number("<Q", what))
