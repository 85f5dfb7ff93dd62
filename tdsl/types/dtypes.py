"""The dtypes, their NumPy counterparts, and NumPy's promotion among them."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import msgspec
import numpy as np

DTypeKind = Literal["float", "int", "uint", "bool"]
WeakKind = Literal["int", "float", "bool"]
Bound = Literal["float", "int", "number", "any"]


class DType(msgspec.Struct, frozen=True):
    """An element type. `bits` counts its value bits as computed with; bool is stored as a byte."""

    name: str
    kind: DTypeKind
    bits: int

    @property
    def numpy(self) -> np.dtype[Any]:
        return bfloat16() if self.name == "bf16" else _NUMPY[self.name]

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def accumulator(self) -> DType:
        """What products and float sums of this dtype add up in."""
        if self.name in ("f16", "bf16"):
            return DTYPES["f32"]
        if self.name in ("i8", "u8"):
            return DTYPES["i32"]
        return self

    def __str__(self) -> str:
        return self.name


class DTypeVariable(msgspec.Struct, frozen=True):
    """A dtype parameter of a function: opaque in its body."""

    name: str
    bound: Bound
    owner: str = ""

    @property
    def is_float(self) -> bool:
        return self.bound == "float"

    @property
    def is_integer(self) -> bool:
        return self.bound == "int"

    def __str__(self) -> str:
        return self.name


AnyDType = DType | DTypeVariable

DTYPES: dict[str, DType] = {
    d.name: d
    for d in (
        DType("f64", "float", 64),
        DType("f32", "float", 32),
        DType("f16", "float", 16),
        DType("bf16", "float", 16),
        DType("i64", "int", 64),
        DType("i32", "int", 32),
        DType("i16", "int", 16),
        DType("i8", "int", 8),
        DType("u32", "uint", 32),
        DType("u8", "uint", 8),
        DType("bool", "bool", 1),
    )
}

_NUMPY: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "u32": np.dtype(np.uint32),
    "u8": np.dtype(np.uint8),
    "bool": np.dtype(np.bool_),
}


@cache
def bfloat16() -> np.dtype[Any]:
    """The dtype of ml_dtypes, which is imported when it is first met."""
    import ml_dtypes

    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found


BOUNDS: dict[Bound, frozenset[DTypeKind]] = {
    "float": frozenset({"float"}),
    "int": frozenset({"int", "uint"}),
    "number": frozenset({"float", "int", "uint"}),
    "any": frozenset({"float", "int", "uint", "bool"}),
}


def of_numpy(dtype: np.dtype[Any]) -> DType | None:
    """The dtype that a native-endian NumPy dtype stands for, or None."""
    for name, known in _NUMPY.items():
        if known == dtype:
            return DTYPES[name]
    return DTYPES["bf16"] if dtype.name == "bfloat16" and dtype == bfloat16() else None


@cache
def promote(left: DType, right: DType) -> DType:
    """NumPy's lattice; bf16 joins it as a second half-precision float (see promotion.txt)."""
    if left == right:
        return left
    for one, other in ((left, right), (right, left)):
        if one.name == "bf16":
            if other.name in ("bool", "i8", "u8"):
                return one
            if other.name in ("f16", "f32", "i16"):
                return DTYPES["f32"]
            return DTYPES["f64"]
    found = of_numpy(np.promote_types(left.numpy, right.numpy))
    assert found is not None
    return found


def promote_weak(dtype: DType, weak: WeakKind) -> DType:
    """The dtype of an operation between an array of `dtype` and a compile-time number."""
    if weak == "bool" or dtype.is_float:
        return dtype
    if weak == "float":
        return DTYPES["f64"]
    return DTYPES["i64"] if dtype.kind == "bool" else dtype
