"""Instances for a GPU as bytes for the disk cache, and back."""

from __future__ import annotations

import struct
from collections.abc import Callable

import msgspec
from msgspec.structs import astuple, replace

from tdsl.check import typed
from tdsl.engine.framing import decoded, encoded
from tdsl.gpu.object import GpuObject
from tdsl.ops.looking import Looked
from tdsl.types.dtypes import DTYPES, DType


class StoredForDevice(msgspec.Struct, frozen=True):
    """All that is to be known about an instance without compiling it."""

    made: GpuObject
    dtypes: tuple[DType, ...]
    debugged: tuple[Looked, ...] = ()

    def to_bytes(self, program: typed.Program) -> bytes:
        modules = {module.source.name: name for name, module in program.modules.items()}
        made = replace(self.made, plan=self.made.plan.placed(_in_files(modules)))
        known = {
            "dtypes": [dtype.name for dtype in self.dtypes],
            "debugged": [astuple(one) for one in self.debugged],
        }
        header = encoded(known)
        return struct.pack("<Q", len(header)) + header + made.to_bytes()

    @staticmethod
    def from_bytes(data: bytes, program: typed.Program) -> StoredForDevice:
        (length,) = struct.unpack_from("<Q", data)
        known = decoded(data[8 : 8 + length])
        made = GpuObject.from_bytes(data[8 + length :])
        sources = {name: module.source.name for name, module in program.modules.items()}
        return StoredForDevice(
            replace(made, plan=made.plan.placed(_in_files(sources))),
            tuple(DTYPES[name] for name in known["dtypes"]),
            tuple(Looked(label, tuple(loops)) for label, loops in known["debugged"]),
        )


def _in_files(names: dict[str, str]) -> Callable[[str], str]:
    """What gives places like `file:3:5` other names for the files."""

    def at(place: str) -> str:
        file, *position = place.rsplit(":", 2)
        return ":".join([names.get(file, file), *position]) if place else ""

    return at
