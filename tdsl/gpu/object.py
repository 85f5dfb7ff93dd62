"""A function compiled for a GPU, as data: PTX and launch plan; free of MLIR."""

from __future__ import annotations

import struct

import msgspec

from tdsl.engine.framing import decoded, encoded
from tdsl.gpu.plan import Plan
from tdsl.lowering.interface import Interface

_MAGIC = b"TDSLGPU1"


class GpuObject(msgspec.Struct, frozen=True):
    """What a runtime for GPUs of this kind needs: nothing has to be compiled by TDSL any more."""

    chip: str
    ptx: str
    plan: Plan
    interface: Interface

    def to_bytes(self) -> bytes:
        """Self-contained bytes; a checksum over them is the business of whoever stores them."""
        header = {
            "chip": self.chip,
            "plan": self.plan.to_json(),
            "interface": self.interface.to_data(),
        }
        text = encoded(header)
        return _MAGIC + struct.pack("<Q", len(text)) + text + self.ptx.encode()

    @staticmethod
    def from_bytes(data: bytes) -> GpuObject:
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("these bytes are not a GPU function of this version")
        (length,) = struct.unpack_from("<Q", data, len(_MAGIC))
        start = len(_MAGIC) + 8
        header = decoded(data[start : start + length])
        return GpuObject(
            header["chip"],
            data[start + length :].decode(),
            Plan.from_json(header["plan"]),
            Interface.from_data(header["interface"]),
        )
