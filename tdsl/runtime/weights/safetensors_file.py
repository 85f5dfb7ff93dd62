"""Open a safetensors file: its header is checked completely, its arrays are mapped, not copied.

The format is small, and the package `safetensors` copies each array on its way to NumPy; so the
header is read here. What that package refuses is refused here too (tests compare the two).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import ml_dtypes
import numpy as np

from tdsl.runtime.weights.mapped import MappedFile, what_it_is
from tdsl.runtime.weights.stored import Stored
from tdsl.runtime.weights.tensor_file import TensorFile

_KIND: Final = "safetensors"
_MOST_HEADER: Final = 100_000_000  # as in the reference implementation

_DTYPES: Final[Mapping[str, np.dtype[Any]]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
    "F8_E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "F8_E8M0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype(np.bool_),
    "C64": np.dtype("<c8"),
}


def safetensors(path: str | os.PathLike[str], *more: str | os.PathLike[str]) -> TensorFile:
    """The arrays of a safetensors file, as views of the mapped file. A large model may lie in
    several files: their arrays together are those of one."""
    stored: dict[str, Stored] = {}
    metadata: dict[str, str] = {}
    for one in (path, *more):
        file = MappedFile(one, _KIND)
        arrays, notes = _opened(file)
        for name in arrays:
            if name in stored:
                raise file.error(f"it holds `{_short(name)}`, and so does a file before it")
        stored |= arrays
        metadata |= notes
    return TensorFile(os.fspath(path), _KIND, stored, metadata)


def _opened(file: MappedFile) -> tuple[dict[str, Stored], dict[str, str]]:
    if file.size < 8:
        raise file.error(f"it has {file.size} bytes; the length of the header alone takes 8")
    length = int.from_bytes(file.read(0, 8, "the length of the header"), "little")
    if length > _MOST_HEADER:
        other = what_it_is(file.read(0, min(file.size, 32), "its beginning"))
        raise file.error(
            f"its header would take {length} bytes; the most are {_MOST_HEADER}",
            *(other or ("help: the file begins with something else than the length of a header",)),
        )
    header = _header(file, file.read(8, length, "the header"))
    begin = 8 + length
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise file.error("`__metadata__` must hold texts by name")
    entries = [_entry(file, name, value) for name, value in header.items()]
    _check_places(file, entries, file.size - begin)
    return {entry.name: _stored(file, entry, begin) for entry in entries}, metadata


class _Entry:
    __slots__ = ("begin", "end", "form", "name", "shape")

    def __init__(self, name: str, form: str, shape: tuple[int, ...], begin: int, end: int) -> None:
        self.name = name
        self.form = form
        self.shape = shape
        self.begin = begin
        self.end = end


def _header(file: MappedFile, data: bytes) -> dict[str, Any]:
    if not data.startswith(b"{"):
        raise file.error("its header does not begin with `{`")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise file.error(f"the name `{_short(twice)}` stands twice in its header")
        return found

    try:
        found = json.loads(data.decode("utf-8"), object_pairs_hook=unique)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as problem:
        raise file.error(f"its header is not valid JSON ({problem})") from None
    except ValueError as problem:
        if problem.__class__ is not ValueError:
            raise
        # Python refuses numbers of thousands of digits.
        raise file.error(f"its header holds a number that is none ({problem})") from None
    if not isinstance(found, dict):
        raise file.error("its header is not an object of names")
    return found


def _entry(file: MappedFile, name: str, value: Any) -> _Entry:
    who = f"`{_short(name)}`"
    if not isinstance(value, dict) or not {"dtype", "shape", "data_offsets"} <= value.keys():
        raise file.error(f"{who} needs `dtype`, `shape` and `data_offsets`")
    form, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not isinstance(form, str) or form not in _DTYPES:
        known = ", ".join(_DTYPES)
        raise file.error(f"{who} has the unknown dtype `{_short(form)}`", f"known are {known}")
    if not isinstance(shape, list) or not all(_is_count(axis) for axis in shape):
        raise file.error(f"{who} has the shape {_short(shape)}, which is no list of sizes")
    if len(shape) > 32:
        raise file.error(f"{who} has {len(shape)} axes")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_count, offsets)):
        raise file.error(f"{who} has the offsets {_short(offsets)}, which are no two positions")
    begin, end = offsets
    size = _DTYPES[form].itemsize
    for axis in shape:
        size *= axis
    if end - begin != size:
        raise file.error(
            f"{who} takes {size} bytes as {form} of the shape {_short(shape)},"
            f" and its offsets hold {end - begin}"
        )
    return _Entry(name, form, tuple(shape), begin, end)


def _check_places(file: MappedFile, entries: list[_Entry], size: int) -> None:
    """The arrays lie one after the other and fill the file: no byte is in two, none is hidden."""
    place = 0
    before = ""
    for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        who = f"`{_short(entry.name)}`"
        if entry.begin < place:
            raise file.error(f"{who} overlaps `{_short(before)}`")
        if entry.begin > place:
            raise file.error(f"{entry.begin - place} bytes before {who} belong to no array")
        if entry.end > size:
            raise file.error(
                f"{who} ends at byte {entry.end} of the data, and the file has {size} of them",
                "help: is it truncated? compare its size with that of the original",
            )
        place, before = entry.end, entry.name
    if place != size:
        raise file.error(f"{size - place} bytes at its end belong to no array")


def _stored(file: MappedFile, entry: _Entry, data: int) -> Stored:
    dtype = _DTYPES[entry.form]
    count = entry.shape[0] if entry.shape else 1
    row = (entry.end - entry.begin) // max(1, count)
    begin = data + entry.begin
    return Stored(
        entry.name,
        dtype,
        entry.shape,
        entry.form,
        partial(_rows, file, begin, row, dtype, entry.shape),
        True,
        None,
        lambda first, last: file.release(begin + first * row, begin + last * row),
    )


def _rows(
    file: MappedFile,
    begin: int,
    row: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    first: int,
    last: int,
) -> np.ndarray[Any, Any]:
    wanted = (last - first, *shape[1:]) if shape else ()
    return file.array(begin + first * row, dtype, wanted)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
