"""Call native code on arrays: pointers in, results and scratch allocated, nothing shared."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from ctypes import CFUNCTYPE, c_char_p, c_int32, c_int64, c_void_p
from typing import Any, NoReturn

import numpy as np

from tdsl.lowering.bounds import STATUS_WORDS, Site, violation
from tdsl.lowering.interface import ALIGNMENT
from tdsl.ops.looking import Looked, show_all
from tdsl.runtime.arrays import Array
from tdsl.runtime.passing import Wants
from tdsl.types.dtypes import DType

# ctypes gives up the GIL around every call through such a type.
ENTRY = CFUNCTYPE(c_int32, c_char_p, c_char_p)
KEPT_BYTES = 1 << 26  # scratch larger than this goes back to the system after each call

Assemble = Callable[[list[Array]], Any]
# The status block is as long as the alignment, so that the scratch memory is aligned, too.
_Status = c_int64 * STATUS_WORDS


def _read_address(array: Array) -> int:
    found: int = array.ctypes.data
    return found


def _peek_address(array: Array) -> int:
    # What NumPy keeps first in an array, after the header that every object has: six times faster
    # than array.ctypes.
    return c_void_p.from_address(id(array) + _HEADER).value or 0


_HEADER = object.__basicsize__


def _can_peek() -> bool:
    """Whether arrays are laid out as they are in all known versions of CPython and NumPy."""
    if sys.implementation.name != "cpython":
        return False
    whole = np.empty((3, 4), np.float32)
    arrays: list[Array] = [
        whole,
        whole[1:],
        whole.T,
        np.empty((), np.int8),
        np.empty(1 << 16, np.int64),
    ]
    return all(_peek_address(array) == _read_address(array) for array in arrays)


def _peek_addresses(arrays: Sequence[Array]) -> list[int]:
    at, header = c_void_p.from_address, _HEADER
    return [at(id(array) + header).value or 0 for array in arrays]


def _read_addresses(arrays: Sequence[Array]) -> list[int]:
    return [array.ctypes.data for array in arrays]


_PEEK = _can_peek()
address_of: Callable[[Array], int] = _peek_address if _PEEK else _read_address
addresses_of: Callable[[Sequence[Array]], list[int]] = _peek_addresses if _PEEK else _read_addresses


class Code:
    """The loaded code of one instance: its entry, and what keeps it in memory."""

    __slots__ = ("address", "arenas", "entry", "owner")

    def __init__(self, address: int, owner: object) -> None:
        self.address = address
        self.entry: Callable[[bytes, bytes], int] = ENTRY(address)
        self.owner = owner  # unloads the code when it goes
        # Free scratch memory. Taking and giving back are atomic list operations: no lock that a
        # fork could leave held, and as many arenas as there were calls at once.
        # Each is an array of bytes in which a status block and then the scratch memory lie, from
        # the first multiple of ALIGNMENT on.
        self.arenas: list[Array] = []


class ActedCode(Code):
    """Code that is no machine code: a function of Python in place of the entry, no address."""

    __slots__ = ()

    def __init__(self, entry: Callable[[bytes, bytes], int]) -> None:
        self.address = 0
        self.entry = entry
        self.owner = None
        self.arenas: list[Array] = []


class Plan:
    """All that is the same in every call with arrays of the same shapes."""

    __slots__ = (
        "__weakref__",
        "assemble",
        "code",
        "debugged",
        "dtypes",
        "pack",
        "results",
        "scratch",
        "sites",
        "sizes",
        "wants",
    )

    def __init__(
        self,
        code: Code,
        dtypes: Sequence[DType],
        results: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
        sizes: Sequence[int],
        scratch: int,
        assemble: Assemble | None,
        sites: Sequence[Site] = (),
        debugged: Sequence[Looked] = (),
        wants: Mapping[int, Wants] | None = None,
    ) -> None:
        self.code = code
        self.dtypes = tuple(dtypes)  # of the inputs
        self.pack = struct.Struct(f"{len(dtypes) + len(results) + 2}P").pack
        self.results = tuple(results)
        self.sizes = struct.pack(f"{len(sizes)}q", *sizes)
        # The code is never given a null pointer, also where it has no use for scratch memory.
        self.scratch = max(scratch, ALIGNMENT)
        self.assemble = assemble  # None: the one array is the result
        self.sites = tuple(sites)
        self.debugged = tuple(debugged)  # of the last results, which are printed
        self.wants = wants or {}  # of the bound parameters

    def run(self, pointers: list[int], given: Mapping[int, Array] | None = None) -> Any:
        """The result for inputs at these addresses, which the caller keeps alive. Arrays for some
        results may be given."""
        code = self.code
        empty = np.empty
        if given:
            outputs = [
                given[result] if result in given else empty(shape, dtype)
                for result, (shape, dtype) in enumerate(self.results)
            ]
        else:
            outputs = [empty(shape, dtype) for shape, dtype in self.results]
        for output in outputs:
            pointers.append(address_of(output))
        arena = self._arena()
        start = address_of(arena)
        start += -start % ALIGNMENT
        pointers.append(start + ALIGNMENT)
        pointers.append(start)
        if code.entry(self.pack(*pointers), self.sizes):
            refuse(self.sites, start)
        if self.scratch <= KEPT_BYTES:
            code.arenas.append(arena)
        if self.debugged:
            first = len(outputs) - len(self.debugged)
            show_all(self.debugged, outputs[first:])
            del outputs[first:]
        return outputs[0] if self.assemble is None else self.assemble(outputs)

    def _arena(self) -> Array:
        wanted = self.scratch + 2 * ALIGNMENT
        try:
            arena = self.code.arenas.pop()
            if arena.nbytes >= wanted:
                return arena
        except IndexError:
            pass
        try:
            return np.empty(wanted, np.uint8)
        except ValueError as problem:  # more than an address can reach
            raise MemoryError(
                f"this call needs {self.scratch} bytes of scratch memory"
            ) from problem


def refuse(sites: Sequence[Site], status: int) -> NoReturn:
    """The exception that a status block at this address stands for."""
    raise IndexError(violation(sites, list(_Status.from_address(status))))
