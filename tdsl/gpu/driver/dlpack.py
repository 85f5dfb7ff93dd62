"""DLPack capsules: reading those of other libraries, and making them for memory of ours."""

from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass
from typing import Any, Final

import ml_dtypes
import numpy as np

from tdsl.gpu.driver.release import PLAIN, VERSIONED, release

CUDA: Final = 2  # kDLCUDA
CUDA_MANAGED: Final = 13
_READ_ONLY: Final = 1
_KINDS: Final = {"i": 0, "u": 1, "f": 2, "b": 6}
_BFLOAT: Final = 4
LEGACY_STREAM: Final = 1
"""What DLPack calls the stream that the driver calls 0."""


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class _ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_api = ctypes.pythonapi
_get_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", _api))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api)
)


@dataclass(frozen=True)
class Seen:
    """Memory as a capsule describes it; `strides` in elements, None where rows lie in order."""

    address: int
    device_type: int
    device: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    read_only: bool
    capsule: object
    """Keeps the memory: dropped unconsumed, it calls its deleter."""


def read(capsule: object) -> Seen:
    """TypeError for elements that NumPy has no name for."""
    name = _get_name(capsule)
    read_only = False
    if name == VERSIONED:
        managed = _ManagedVersioned.from_address(_get_pointer(capsule, name))
        if managed.major != 1:
            raise TypeError(f"DLPack of version {managed.major} is not known")
        read_only = bool(managed.flags & _READ_ONLY)
        tensor = managed.tensor
    elif name == PLAIN:
        tensor = _Managed.from_address(_get_pointer(capsule, name)).tensor
    else:
        raise TypeError("the object gave no DLPack capsule, or one that is used up")
    count = tensor.ndim
    return Seen(
        (tensor.data or 0) + tensor.offset,
        tensor.device_type,
        tensor.device,
        _dtype(tensor.kind, tensor.bits, tensor.lanes),
        tuple(tensor.shape[:count]),
        tuple(tensor.strides[:count]) if tensor.strides else None,
        read_only,
        capsule,
    )


def _dtype(kind: int, bits: int, lanes: int) -> np.dtype[Any]:
    if lanes == 1:
        if kind == _BFLOAT and bits == 16:
            found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
            return found
        for letter, number in _KINDS.items():
            if number == kind and bits % 8 == 0:
                try:
                    return np.dtype(f"{letter}{bits // 8}")
                except TypeError:
                    break
    raise TypeError(f"elements of DLPack's kind {kind} with {bits} bits and {lanes} lanes")


# --- capsules of ours

# What is kept for those who hold a capsule, until they say that they need it no longer: C knows no
# other owner. They leave a mark, see release.py, and `reclaim` looks for marks.
_HELD: dict[int, tuple[Any, ...]] = {}
_NUMBERS = itertools.count(1)


def reclaim() -> None:
    """Let go of what nobody holds any more."""
    for number, (_, mark, *_) in [*_HELD.items()]:
        if mark.value:
            _HELD.pop(number, None)


def make(
    address: int,
    device: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    owner: object,
    versioned: bool,
) -> object:
    """A capsule for contiguous memory that `owner` keeps."""
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    strides = (ctypes.c_int64 * max(len(shape), 1))(
        *(int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape)))
    )
    pointer = ctypes.POINTER(ctypes.c_int64)
    kind = _BFLOAT if dtype == ml_dtypes.bfloat16 else _KINDS[dtype.kind]
    tensor = _Tensor(
        address, CUDA, device, len(shape), kind, 8 * dtype.itemsize, 1,
        ctypes.cast(sizes, pointer), ctypes.cast(strides, pointer), 0,
    )  # fmt: skip
    number, mark = next(_NUMBERS), ctypes.c_int64(0)
    context = ctypes.addressof(mark)
    code = release(_Managed.context.offset, _ManagedVersioned.context.offset)
    managed: Any
    if versioned:
        managed = _ManagedVersioned(1, 0, context, code.versioned, 0, tensor)
    else:
        managed = _Managed(tensor, context, code.plain)
    _HELD[number] = (owner, mark, managed, sizes, strides)
    name = VERSIONED if versioned else PLAIN
    return _new(ctypes.addressof(managed), name, code.destroy)
