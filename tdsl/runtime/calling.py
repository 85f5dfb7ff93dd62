"""Call native code on arrays: pointers in, results and scratch allocated, nothing shared."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, c_char_p, c_int32
from typing import Any

import numpy as np

from tdsl.errors import InternalError
from tdsl.runtime.arrays import Array

# ctypes gives up the GIL around every call through such a type.
ENTRY = CFUNCTYPE(c_int32, c_char_p, c_char_p)
ALIGNMENT = 64
KEPT_BYTES = 1 << 26  # scratch larger than this goes back to the system after each call

Assemble = Callable[[list[Array]], Any]
Arena = tuple[Array, int, int]  # the memory, the aligned address in it, and bytes from there


class Code:
    """The loaded code of one instance: its entry, and what keeps it in memory."""

    __slots__ = ("arenas", "entry", "owner")

    def __init__(self, address: int, owner: object) -> None:
        self.entry = ENTRY(address)
        self.owner = owner  # unloads the code when it goes
        # Free scratch memory. Taking and giving back are atomic list operations: no lock that a
        # fork could leave held, and as many arenas as there were calls at once.
        self.arenas: list[Arena] = []


class Plan:
    """All that is the same in every call with arrays of the same shapes."""

    __slots__ = ("assemble", "code", "pack", "results", "scratch", "sizes")

    def __init__(
        self,
        code: Code,
        inputs: int,
        results: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
        sizes: Sequence[int],
        scratch: int,
        assemble: Assemble | None,
    ) -> None:
        self.code = code
        self.pack = struct.Struct(f"{inputs + len(results) + 1}P").pack
        self.results = tuple(results)
        self.sizes = struct.pack(f"{len(sizes)}q", *sizes)
        # The code is never given a null pointer, also where it has no use for scratch memory.
        self.scratch = max(scratch, ALIGNMENT)
        self.assemble = assemble  # None: the one array is the result

    def run(self, pointers: list[int]) -> Any:
        """The result for inputs at these addresses, which the caller keeps alive."""
        code = self.code
        empty = np.empty
        outputs = [empty(shape, dtype) for shape, dtype in self.results]
        for output in outputs:
            pointers.append(output.ctypes.data)
        arena = self._arena()
        pointers.append(arena[1])
        status = code.entry(self.pack(*pointers), self.sizes)
        if self.scratch <= KEPT_BYTES:
            code.arenas.append(arena)
        if status:
            raise InternalError(f"the compiled code gave up with status {status}")
        return outputs[0] if self.assemble is None else self.assemble(outputs)

    def _arena(self) -> Arena:
        try:
            arena = self.code.arenas.pop()
            if arena[2] >= self.scratch:
                return arena
        except IndexError:
            pass
        try:
            memory = np.empty(self.scratch + ALIGNMENT, np.uint8)
        except ValueError as problem:  # more than an address can reach
            raise MemoryError(
                f"this call needs {self.scratch} bytes of scratch memory"
            ) from problem
        start: int = memory.ctypes.data
        return memory, start + -start % ALIGNMENT, self.scratch
