"""Open a GGUF file: plain arrays are mapped, quantised ones become f32 when they are read."""

from __future__ import annotations

import os
from functools import partial
from itertools import pairwise
from typing import Any, Final

import ml_dtypes
import numpy as np

from tdsl.runtime.arrays import Array
from tdsl.runtime.weights.gguf_header import Place, read_header
from tdsl.runtime.weights.mapped import MappedFile
from tdsl.runtime.weights.packages import needed
from tdsl.runtime.weights.stored import Stored
from tdsl.runtime.weights.tensor_file import TensorFile

# What a file of each type holds as it is; everything else is quantised.
_PLAIN: Final = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F64": np.dtype("<f8"),
    "I8": np.dtype("i1"),
    "I16": np.dtype("<i2"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}


def gguf(path: str | os.PathLike[str]) -> TensorFile:
    """The arrays of a GGUF file. Quantised ones (Q4_1, Q8_0, …) are read as f32."""
    package = needed("gguf", "reads GGUF files")
    file = MappedFile(path, "GGUF")
    header = read_header(file)
    stored: dict[str, Stored] = {}
    spans: list[tuple[int, int, str]] = []
    for place in header.places:
        begin = header.data + place.offset
        try:
            form = package.GGMLQuantizationType(place.form)
            per_block, block_bytes = package.GGML_QUANT_SIZES[form]
        except (KeyError, ValueError):
            raise file.error(
                f"`{place.name[:80]}` has the unknown type {place.form}",
                "help: a newer version of the package `gguf` may know it",
            ) from None
        row = place.axes[0] if place.axes else 1
        if row % per_block:
            raise file.error(
                f"rows of `{place.name[:80]}` have {row} items, no multiple of the"
                f" {per_block} of a block of {form.name}"
            )
        row_bytes = row // per_block * block_bytes
        rows = 1
        for axis in place.axes[1:]:
            rows *= axis
        file.check(begin, rows * row_bytes, f"`{place.name[:80]}`")
        spans.append((begin, begin + rows * row_bytes, place.name))
        stored[place.name] = _stored(file, package, place, form, begin, row_bytes)
    spans.sort()
    for (_, end, before), (begin, _, name) in pairwise(spans):
        if begin < end:
            raise file.error(f"`{name[:80]}` overlaps `{before[:80]}`")
    return TensorFile(str(file.path), "gguf", stored, header.metadata)


def _stored(
    file: MappedFile, package: Any, place: Place, form: Any, begin: int, row_bytes: int
) -> Stored:
    shape = place.axes[::-1]
    # Bytes of one step along the first axis.
    step = row_bytes
    for axis in shape[1:-1]:
        step *= axis
    plain = _PLAIN.get(form.name)
    if len(shape) < 2 and plain is not None:
        step = plain.itemsize
    release = partial(_release, file, begin, step)
    if plain is not None:
        read = partial(_plain, file, begin, step, plain, shape)
        return Stored(place.name, plain, shape, form.name, read, True, None, release)
    if len(shape) < 2:
        # One row of blocks, read as a whole.
        read = partial(_vector, file, package, begin, row_bytes, form, place.name)
        return Stored(place.name, np.dtype(np.float32), shape, form.name, read, False)
    inner = (*shape[1:-1], row_bytes)
    read = partial(_quantised, file, package, begin, step, inner, form, place.name)
    return Stored(place.name, np.dtype(np.float32), shape, form.name, read, False, None, release)


def _release(file: MappedFile, begin: int, step: int, first: int, last: int) -> None:
    file.release(begin + first * step, begin + last * step)


def _plain(
    file: MappedFile,
    begin: int,
    step: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    first: int,
    last: int,
) -> Array:
    wanted = (last - first, *shape[1:]) if shape else ()
    return file.array(begin + first * step, dtype, wanted)


def _quantised(
    file: MappedFile,
    package: Any,
    begin: int,
    step: int,
    inner: tuple[int, ...],
    form: Any,
    name: str,
    first: int,
    last: int,
) -> Array:
    data = file.array(begin + first * step, np.dtype(np.uint8), (last - first, *inner))
    return _computed(file, package, data, form, name)


def _vector(
    file: MappedFile,
    package: Any,
    begin: int,
    row_bytes: int,
    form: Any,
    name: str,
    first: int,
    last: int,
) -> Array:
    data = file.array(begin, np.dtype(np.uint8), (1, row_bytes))
    return _computed(file, package, data, form, name)[0, first:last]


def _computed(file: MappedFile, package: Any, data: Array, form: Any, name: str) -> Array:
    if not data.size:
        items, item_bytes = package.GGML_QUANT_SIZES[form]
        row = data.shape[-1] // item_bytes * items
        return np.empty((*data.shape[:-1], row), np.float32)
    try:
        with np.errstate(all="ignore"):  # a damaged scale may be an infinity or no number
            # Blocks do not depend on rows, and the package works faster on one long row.
            found = package.dequantize(data.reshape(1, -1), form)
    except NotImplementedError:
        raise file.error(
            f"`{name}` is of the type {form.name}, which cannot be computed",
            "help: a newer version of the package `gguf` may know it",
        ) from None
    return np.asarray(found, np.float32).reshape(*data.shape[:-1], -1)
