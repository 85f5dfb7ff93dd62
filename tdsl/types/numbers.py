"""Statics that are no sizes, as the integers that stand for them in a substitution.

Whatever chooses an instance is a size, a list of sizes or a dtype; a static bool is the size 0 or 1,
and a static number the integer of its 64 bits. So all that carries, compares and caches sizes
carries them too; only who shows or computes with them reads them here.
"""

from __future__ import annotations

import struct
from typing import Literal

Kind = Literal["size", "int", "number", "bool"]


def encode(value: int | float) -> int:
    """The integer that stands for a number; OverflowError where no float of 64 bits is it."""
    code: int = struct.unpack("<q", struct.pack("<d", float(value)))[0]
    return code


def code_of(kind: Kind, value: int | float | bool) -> int:
    """The integer that stands for a static of a kind."""
    return encode(value) if kind == "number" else int(value)


def decode(code: int) -> float:
    """The number that an integer stands for."""
    value: float = struct.unpack("<d", struct.pack("<q", code))[0]
    return value


def read(kind: Kind, code: int) -> int | float | bool:
    """What the value of a static is, by its kind."""
    if kind == "number":
        return decode(code)
    return bool(code) if kind == "bool" else code


def shown(kind: Kind, code: int) -> str:
    """As programs write it."""
    value = read(kind, code)
    return str(value).lower() if kind == "bool" else repr(value)
