"""What generated kernels must know of the processor; free of MLIR."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec

FINISHED: Final = "tdsl-finished"
"""The attribute of functions that are written as they should run: LLVM only tidies them up."""

Isa = Literal["avx512", "avx2", "portable"]


class Machine(msgspec.Struct, frozen=True):
    """A class of processors: its vector unit."""

    isa: Isa
    vector_bytes: int
    registers: int
    fma: bool
    """Whether a product and a sum are one instruction; else `fma` would call a function."""
    threads: int = 1
    """How many threads a call may use."""

    def lanes(self, element_bytes: int) -> int:
        return max(self.vector_bytes // element_bytes, 1)


MACHINES: Final[Mapping[str, Machine]] = MappingProxyType(
    {
        "avx512": Machine("avx512", 64, 32, True),
        "avx2": Machine("avx2", 32, 16, True),
        "portable": Machine("portable", 16, 16, False),
    }
)


def machine_of(features: str) -> Machine:
    """The widest that a processor with these features (as LLVM lists them) has."""
    known = set(features.split(","))
    if "+avx512f" in known and "+avx512vl" in known and "+avx512bw" in known:
        return MACHINES["avx512"]
    if "+avx2" in known and "+fma" in known:
        return MACHINES["avx2"]
    return MACHINES["portable"]
