"""Put every intermediate buffer into one scratch argument, buffers of disjoint lifetimes sharing it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import arith, memref

from tdsl.lowering.interface import ALIGNMENT, size_from_data, size_to_data
from tdsl.lowering.options import Options
from tdsl.lowering.passes.structured import element_bytes
from tdsl.lowering.rewriting import (
    DYNAMIC,
    ancestor_in,
    as_block,
    before,
    collect,
    identity,
    index,
    public_function,
    replace,
    size_value,
)
from tdsl.lowering.sizes import Sizes, interface_of
from tdsl.types.sizes import Opaque, Size, Symbol, divide_exactly, opaque

SCRATCH = "tdsl.scratch"

# What a call of a kernel makes its pointers with: memory is used where the call is.
_ADDRESSES = frozenset(
    {
        "memref.extract_aligned_pointer_as_index",
        "arith.index_cast",
        "arith.addi",
        "llvm.inttoptr",
    }
)


class Buffer(msgspec.Struct, frozen=True):
    """A buffer's size in bytes, and the first and last operation that need it. Operations are
    numbered as they stand in the text, those of a loop's body between its start and its end: a
    buffer of the body lives there, one from around it through all of the loop."""

    size: Size
    first: int
    last: int

    def meets(self, other: Buffer) -> bool:
        return self.first <= other.last and other.first <= self.last


def scratch_size(module: Any) -> Size:
    """The bytes of scratch memory that a call needs."""
    text = ir.StringAttr(module.operation.attributes[SCRATCH]).value
    return size_from_data(json.loads(text.replace("'", '"')))


def run(module: Any, options: Options) -> None:
    """No code that we make allocates memory: the caller provides it, so that running out of it is
    an exception there and not a crash here."""
    function = public_function(module)
    block = as_block(function)
    sizes = Sizes(module)
    allocations = collect(function, {"memref.alloc", "memref.alloca"})
    for operation in collect(function, {"memref.dealloc"}):
        operation.operation.erase()
    order = _numbered(block)
    buffers = [_buffer(operation, order, sizes) for operation in allocations]
    if not options.reuse_scratch:
        buffers = [Buffer(buffer.size, 0, 1) for buffer in buffers]
    offsets, total = place(buffers)
    arena = block.add_argument(
        ir.MemRefType.get([DYNAMIC], ir.IntegerType.get_signless(8)), function.operation.location
    )
    _extend_type(function, block)
    symbols = _symbols(module, function, block, sizes, offsets)
    for operation, offset in zip(allocations, offsets, strict=True):
        with before(operation):
            start = size_value(offset, symbols, ir.IndexType.get())
            view = memref.ViewOp(operation.results[0].type, arena, start, operation.operands)
        replace(operation, [view.result])
    text = json.dumps(size_to_data(total)).replace('"', "'")
    module.operation.attributes[SCRATCH] = ir.StringAttr.get(text)


def _extend_type(function: Any, block: Any) -> None:
    arguments = [argument.type for argument in block.arguments]
    attributes = function.operation.attributes
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(arguments, []))
    if "arg_attrs" in attributes:
        kept = [*ir.ArrayAttr(attributes["arg_attrs"]), ir.DictAttr.get({})]
        attributes["arg_attrs"] = ir.ArrayAttr.get(kept)


def _symbols(
    module: Any, function: Any, block: Any, sizes: Sizes, offsets: Sequence[Size]
) -> dict[Symbol, Any]:
    """The open sizes that offsets need, read at the start of the function."""
    needed = frozenset[Symbol]().union(*(offset.symbols() for offset in offsets))
    values: dict[Symbol, Any] = {}
    with ir.InsertionPoint.at_block_begin(block), function.operation.location:
        interface = interface_of(module)
        for known in interface.open_sizes:
            if known.symbol in needed:
                size = memref.DimOp(block.arguments[known.input], index(known.axis)).result
                shown = interface.inputs[known.input][known.axis]
                values[known.symbol] = _solved(size, shown, known.symbol)
    return values


def _solved(size: Any, shown: Size, symbol: Symbol) -> Any:
    """The symbol's value, from the size of an axis that is `factor*symbol + rest`."""
    terms = dict(shown.terms)
    factor, rest = terms.get(((symbol, 1),), 0), terms.get((), 0)
    if shown != Size.of(symbol) * factor + rest or factor <= 0:
        raise ValueError(f"{symbol.name} cannot be read from an axis of {shown}")
    if rest:
        size = arith.SubIOp(size, index(rest)).result
    return size if factor == 1 else arith.DivSIOp(size, index(factor)).result


Order = dict[int, tuple[int, int]]


def _numbered(block: Any) -> Order:
    """For each operation its own number, and the last one inside it."""
    order: Order = {}

    def visit(inner: Any, number: int) -> int:
        for operation in inner.operations:
            first = number
            for region in operation.regions:
                for nested in region.blocks:
                    number = visit(nested, number + 1)
            order[identity(operation)] = (first, number)
            number += 1
        return number

    visit(block, 0)
    return order


def _buffer(operation: Any, order: Order, sizes: Sizes) -> Buffer:
    type = ir.MemRefType(operation.results[0].type)
    count = Size.of(1)
    for axis in range(type.rank):
        size = sizes.dimension(operation.results[0], axis)
        if size is None:
            raise ValueError(f"the size of axis {axis} of a buffer is not known: {operation}")
        count = count * size
    count = sizes.at_most(count)
    block = operation.operation.block
    first = last = order[identity(operation)][0]
    # Everything that the buffer's memory can be reached through: views, and operations with
    # regions that take it and may hand it on.
    waiting = list(operation.results)
    seen: set[Any] = set()
    while waiting:
        value = waiting.pop()
        for use in value.uses:
            user = use.owner.operation
            while not _holds(block, user):  # a loop hands it on: it lives around the loop
                around = block.owner.operation
                block, first = around.block, min(first, order[identity(around)][0])
                last = max(last, order[identity(around)][1])
            last = max(last, order[identity(ancestor_in(block, user))][1])
            for result in user.results:
                reaches = isinstance(result.type, ir.MemRefType) or user.name in _ADDRESSES
                if reaches and hash(result) not in seen:
                    seen.add(hash(result))
                    waiting.append(result)
            if user.name == "scf.yield":
                waiting.extend(user.parent.results)
            for region in user.regions:
                for inner in region.blocks:
                    waiting.extend(
                        argument
                        for argument in inner.arguments
                        if isinstance(argument.type, ir.MemRefType)
                    )
    return Buffer(aligned(count * element_bytes(type.element_type)), first, last)


def _holds(block: Any, operation: Any) -> bool:
    current = operation
    while current.block != block:
        current = current.parent
        if current is None or current.operation.name == "func.func":
            return False
        current = current.operation
    return True


def aligned(size: Size) -> Size:
    """The next multiple of the alignment."""
    if divide_exactly(size, Size.of(ALIGNMENT)) is not None:
        return size
    return opaque("//", size + (ALIGNMENT - 1), Size.of(ALIGNMENT)) * ALIGNMENT


def place(buffers: Sequence[Buffer]) -> tuple[list[Size], Size]:
    """An offset for each buffer such that buffers that meet do not overlap, and the bytes needed."""
    literal = [buffer.size.literal for buffer in buffers]
    fixed = [number for number in literal if number is not None]
    if len(fixed) == len(buffers):
        return _place_fixed(buffers, fixed)
    return _place_open(buffers)


def _place_fixed(buffers: Sequence[Buffer], sizes: Sequence[int]) -> tuple[list[Size], Size]:
    """Largest first, each at the lowest offset where it fits."""
    offsets: dict[int, int] = {}
    for at in sorted(range(len(buffers)), key=lambda at: (-sizes[at], buffers[at].first)):
        taken = sorted(
            (offsets[other], sizes[other]) for other in offsets if buffers[at].meets(buffers[other])
        )
        offset = 0
        for start, size in taken:
            if offset + sizes[at] <= start:
                break
            offset = max(offset, start + size)
        offsets[at] = offset
    total = max((offsets[at] + sizes[at] for at in offsets), default=0)
    return [Size.of(offsets[at]) for at in range(len(buffers))], Size.of(total)


def _place_open(buffers: Sequence[Buffer]) -> tuple[list[Size], Size]:
    """Slots: a buffer takes a slot that is free for its lifetime and provably large enough."""
    slots: list[tuple[Size, list[Buffer]]] = []
    chosen: list[int] = []
    for buffer in buffers:
        free = [
            at
            for at, (size, users) in enumerate(slots)
            if not any(buffer.meets(user) for user in users)
            and (_at_least(size, buffer.size) or _at_least(buffer.size, size))
        ]
        if free:
            at = free[0]
            size, users = slots[at]
            larger = size if _at_least(size, buffer.size) else buffer.size
            slots[at] = (larger, [*users, buffer])
        else:
            at = len(slots)
            slots.append((buffer.size, [buffer]))
        chosen.append(at)
    starts = [Size.of(0)]
    for size, _ in slots:
        starts.append(starts[-1] + size)
    return [starts[at] for at in chosen], starts[-1]


def _at_least(left: Size, right: Size) -> bool:
    """Whether left >= right for all values; may say no where the answer is yes."""
    larger, smaller = _rounded(left), _rounded(right)
    if larger is None or smaller is None:
        return False
    # Every size is 1 or more: with s = 1 + s', s' >= 0, a sum without negative terms is >= 0.
    difference = larger - smaller
    symbols = difference.symbols()
    moved = difference.substitute({s: Size.of(s) + s.least for s in symbols})
    return all(factor >= 0 and not _has_opaque(monomial) for monomial, factor in moved.terms)


def _rounded(size: Size) -> Size | None:
    """What an aligned size is the rounding of: rounding up keeps the order."""
    if len(size.terms) == 1:
        monomial, factor = size.terms[0]
        if factor == ALIGNMENT and len(monomial) == 1 and isinstance(monomial[0][0], Opaque):
            atom = monomial[0][0]
            return atom.left - (ALIGNMENT - 1) if monomial[0][1] == 1 else None
    return size


def _has_opaque(monomial: Any) -> bool:
    return any(isinstance(atom, Opaque) for atom, _ in monomial)
