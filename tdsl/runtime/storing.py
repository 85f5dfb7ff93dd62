"""Compiled instances as bytes for the disk cache, and back."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tdsl.check import typed
from tdsl.engine.object import CompiledObject
from tdsl.lowering.bounds import Site
from tdsl.ops.looking import Looked
from tdsl.types.dtypes import DTYPES, DType


@dataclass(frozen=True)
class Stored:
    """All that is to be known about an instance without compiling it."""

    compiled: CompiledObject
    dtypes: tuple[DType, ...]  # of the results
    debugged: tuple[Looked, ...] = ()  # of the last results, which `dbg` looks at

    def to_bytes(self, program: typed.Program) -> bytes:
        """Without a path: the same program in another place has the same bytes."""
        modules = {module.source.name: name for name, module in program.modules.items()}
        compiled = replace(self.compiled, sites=_renamed(self.compiled.sites, modules))
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
            replace(compiled, sites=_renamed(compiled.sites, sources)),
            tuple(DTYPES[name] for name in known["dtypes"]),
            tuple(Looked(label, tuple(loops)) for label, loops in known["debugged"]),
        )


def _renamed(sites: Iterable[Site], names: dict[str, str]) -> tuple[Site, ...]:
    """Places like `file:3:5` with other names for the files."""
    found: list[Site] = []
    for site in sites:
        file, *position = site.at.rsplit(":", 2)
        at = ":".join([names[file], *position]) if site.at else ""
        found.append(site._replace(at=at))
    return tuple(found)
