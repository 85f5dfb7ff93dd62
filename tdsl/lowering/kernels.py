"""What a backend is asked for when it computes a claim by a kernel of its own, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec
from mlir import ir

from tdsl.lowering.interface import Packing
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.types.sizes import Size, Symbol

CLAIM, KERNEL, CALL, CLAIMS = "tdsl.claim", "tdsl.kernel", "tdsl.call", "tdsl.claims"
"""Attributes: kind of an outlined claim; the implementation that will compute it; on what stands
for a call of a kernel, the claim's function; on the module, the bodies of claims set aside."""


class Refused(Exception):
    """A claim that a generator has no kernel for; the message says why."""


def operand_size(position: int, axis: int) -> Symbol:
    """In sizes of scratch memory: the size of one axis of an operand."""
    return Symbol(f"operand{position}_axis{axis}", "kernel")


class KernelRequest(msgspec.Struct, frozen=True):
    """One kernel to generate: what it computes, and how its operands lie in memory."""

    kind: str
    symbol: str
    """The name of the function to define."""
    function: Any
    """The claim as it was outlined: a func.func on tensors with a plain body."""
    operands: tuple[Any, ...]
    """The memref type of each operand."""
    result: Any
    """The memref type of the destination, which no operand overlaps."""
    machine: Machine
    options: Options
    prepacked: frozenset[int] = frozenset()
    """Operands that are given as the kernel packs them."""
    aligned: frozenset[int] = frozenset()
    """Operands (their number is the destination) that are known to begin at a multiple of 16
    bytes."""


class GridLaunch(msgspec.Struct, frozen=True):
    """One start of a GPU function on a grid of blocks of threads. `arguments` are positions: of
    the operands, of the destination after them, and of the scratch memory after that."""

    symbol: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[int, ...]


class Kernel(msgspec.Struct, frozen=True):
    """A generated kernel: `text` defines `symbol`, which takes the operands, the destination, and
    scratch memory (a memref<?xi8>) if it needs any.

    For a GPU, `text` defines gpu.func operations, which `launches` start in this order; scratch
    memory has its size in its type there.
    """

    symbol: str
    text: str
    scratch: Size | None = None
    """Bytes, over `operand_size` symbols."""
    launches: tuple[GridLaunch, ...] = ()


class Generator(Protocol):
    """Makes kernels of one implementation of one kind of claim."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        """Refused where there will be no kernel. What is accepted must be generated later, for
        any layout of the operands."""

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        """For each operand and the destination, whether neighbours along the last axis must be
        neighbours in memory; where they are not, the kernel gets a copy."""

    def generate(self, request: KernelRequest) -> Kernel: ...


@runtime_checkable
class Packs(Protocol):
    """A generator whose kernels can take some operands in a form that is made only once."""

    def packings(self, function: Any, machine: Machine) -> Mapping[int, Packing]:
        """For each of these operands the form."""


@runtime_checkable
class Splits(Protocol):
    """A generator whose kernels can write the last axis of a matrix cut into groups, which are
    one more axis of the destination."""

    def splits(self, function: Any, machine: Machine, columns: int) -> bool:
        """Whether groups of so many columns can be written."""


Generators = Mapping[str, Mapping[str, Generator]]
"""Kind of claim -> implementation -> generator."""


def canonical_layout(type_: Any) -> Any:
    """The layout as kernels are told it: plain, or with open strides and offset."""
    type_ = ir.MemRefType(type_)
    plain = ir.MemRefType.get(type_.shape, type_.element_type)
    if type_ == plain:
        return plain
    strides, _ = type_.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    # A scalar may lie inside of an array, too: its offset counts.
    kept = [dynamic] * (type_.rank - 1) + [1 if one == 1 else dynamic for one in strides[-1:]]
    layout = ir.StridedLayoutAttr.get(dynamic, kept)
    return ir.MemRefType.get(type_.shape, type_.element_type, layout)


def has_unit_last(type_: Any) -> bool:
    type_ = ir.MemRefType(type_)
    return type_.rank == 0 or bool(type_.get_strides_and_offset()[0][-1] == 1)
