"""A compiled function as data: what the disk holds and what a call needs to know."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import msgspec
from msgspec.structs import astuple

from tdsl.engine.framing import decoded, encoded
from tdsl.lowering.bounds import Site
from tdsl.lowering.interface import Interface, evaluate, size_from_data, size_to_data
from tdsl.lowering.steps import Step
from tdsl.types.sizes import Size

_MAGIC = b"TDSLOBJ2"


class CompiledObject(msgspec.Struct, frozen=True):
    """Object code with `i32 entry(ptr data, ptr sizes)`.

    data[] is the inputs, the results, then scratch memory of `scratch_bytes` bytes at a multiple
    of 64 (never null: give 64 bytes where 0 are needed); sizes[] the open sizes as i64. `symbols`
    are the functions that the loader must give addresses for.

    Where there are `sites`, data[] has one more pointer: to a status block of STATUS_WORDS words,
    which the code sets. The entry returns its code, 0 where all is well.

    Where there are `steps`, the code exports what it noted of them (lowering/steps.py).
    """

    code: bytes
    entry: str
    interface: Interface
    scratch: Size
    symbols: tuple[str, ...] = ()
    sites: tuple[Site, ...] = ()
    steps: tuple[Step, ...] = ()

    def scratch_bytes(self, sizes: Sequence[int] = ()) -> int:
        """The scratch memory for a call with these open sizes."""
        literal = self.scratch.literal
        if literal is not None:
            return literal
        return evaluate(self.scratch, dict(zip(self.interface.symbols, sizes, strict=True)))

    def to_bytes(self) -> bytes:
        """Self-contained bytes; a checksum over them is the business of whoever stores them."""
        header = {
            "entry": self.entry,
            "interface": self.interface.to_data(),
            "scratch": size_to_data(self.scratch),
            "symbols": list(self.symbols),
            "sites": [astuple(site) for site in self.sites],
            "steps": [astuple(step) for step in self.steps],
        }
        text = encoded(header)
        return _MAGIC + struct.pack("<Q", len(text)) + text + self.code

    @staticmethod
    def from_bytes(data: bytes) -> CompiledObject:
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("these bytes are not a compiled function of this version")
        (length,) = struct.unpack_from("<Q", data, len(_MAGIC))
        start = len(_MAGIC) + 8
        header = decoded(data[start : start + length])
        return CompiledObject(
            data[start + length :],
            header["entry"],
            Interface.from_data(header["interface"]),
            size_from_data(header["scratch"]),
            tuple(header["symbols"]),
            tuple(Site(*site) for site in header["sites"]),
            tuple(Step(*step) for step in header["steps"]),
        )
