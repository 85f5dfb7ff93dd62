"""Compiled instances as bytes for the disk cache, and back."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from tdsl.check import typed
from tdsl.engine.object import CompiledObject
from tdsl.gpu.object import GpuObject
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
        known = {"dtypes": [dtype.name for dtype in self.dtypes], "debugged": self.debugged}
        header = json.dumps(known).encode()
        return struct.pack("<Q", len(header)) + header + compiled.to_bytes()

    @staticmethod
    def from_bytes(data: bytes, program: typed.Program) -> Stored:
        (length,) = struct.unpack_from("<Q", data)
        known = json.loads(data[8 : 8 + length])
        compiled = CompiledObject.from_bytes(data[8 + length :])
        sources = {name: module.source.name for name, module in program.modules.items()}
        return Stored(
            _renamed(compiled, sources),
            tuple(DTYPES[name] for name in known["dtypes"]),
            tuple(Looked(label, tuple(loops)) for label, loops in known["debugged"]),
        )


class StoredForDevice(msgspec.Struct, frozen=True):
    """The same of an instance for a GPU."""

    made: GpuObject
    dtypes: tuple[DType, ...]
    debugged: tuple[Looked, ...] = ()

    def to_bytes(self, program: typed.Program) -> bytes:
        modules = {module.source.name: name for name, module in program.modules.items()}
        made = replace(self.made, plan=self.made.plan.placed(_in_files(modules)))
        known = {"dtypes": [dtype.name for dtype in self.dtypes], "debugged": self.debugged}
        header = json.dumps(known).encode()
        return struct.pack("<Q", len(header)) + header + made.to_bytes()

    @staticmethod
    def from_bytes(data: bytes, program: typed.Program) -> StoredForDevice:
        (length,) = struct.unpack_from("<Q", data)
        known = json.loads(data[8 : 8 + length])
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


def _renamed(compiled: CompiledObject, names: dict[str, str]) -> CompiledObject:
    """The same with other names for the files in places like `file:3:5`."""

    def at(place: str) -> str:
        file, *position = place.rsplit(":", 2)
        return ":".join([names[file], *position]) if place else ""

    sites = tuple(site._replace(at=at(site.at)) for site in compiled.sites)
    return replace(compiled, sites=sites)
