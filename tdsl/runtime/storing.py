"""Compiled instances as bytes for the disk cache, and back."""

from __future__ import annotations

import struct

import msgspec
from msgspec.structs import astuple, replace

from tdsl.check import typed
from tdsl.engine.framing import decoded, encoded
from tdsl.engine.object import CompiledObject
from tdsl.ops.looking import Looked
from tdsl.types.dtypes import DTYPES, DType


class Stored(msgspec.Struct, frozen=True):
    """All that is to be known about an instance without compiling it."""

    compiled: CompiledObject
    dtypes: tuple[DType, ...]  # of the results
    debugged: tuple[Looked, ...] = ()  # of the last results, which `dbg` looks at

    def to_bytes(self, program: typed.Program) -> bytes:
        """Without a path: the same program in another place has the same bytes."""
        modules = {module.source.name: name for name, module in program.modules.items()}
        compiled = _renamed(self.compiled, modules)
        known = {
            "dtypes": [dtype.name for dtype in self.dtypes],
            "debugged": [astuple(one) for one in self.debugged],
        }
        header = encoded(known)
        return struct.pack("<Q", len(header)) + header + compiled.to_bytes()

    @staticmethod
    def from_bytes(data: bytes, program: typed.Program) -> Stored:
        (length,) = struct.unpack_from("<Q", data)
        known = decoded(data[8 : 8 + length])
        compiled = CompiledObject.from_bytes(data[8 + length :])
        sources = {name: module.source.name for name, module in program.modules.items()}
        return Stored(
            _renamed(compiled, sources),
            tuple(DTYPES[name] for name in known["dtypes"]),
            tuple(Looked(label, tuple(loops)) for label, loops in known["debugged"]),
        )


def _renamed(compiled: CompiledObject, names: dict[str, str]) -> CompiledObject:
    """The same with other names for the files in places like `file:3:5`."""

    def at(place: str) -> str:
        file, *position = place.rsplit(":", 2)
        return ":".join([names[file], *position]) if place else ""

    sites = tuple(replace(site, at=at(site.at)) for site in compiled.sites)
    return replace(compiled, sites=sites)
