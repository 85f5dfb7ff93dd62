"""Put results into the memory of inputs that the caller gives up, without a copy where that is safe."""

from __future__ import annotations

from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import memref

from tdsl.lowering.dialects import linalg
from tdsl.lowering.kernels import CALL
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import (
    DYNAMIC,
    ancestor_in,
    as_block,
    before,
    identity,
    index,
    public_function,
)
from tdsl.lowering.sizes import interface_of

_COPIES = frozenset({"linalg.copy", "memref.copy"})
_VIEWS = frozenset(
    {"memref.subview", "memref.cast", "memref.expand_shape", "memref.collapse_shape"}
)


def run(module: Any, options: Options) -> None:
    """Every result has memory of its own so far, and inputs are only read: so the input may always
    be overwritten at the very end. It may be from the start where all that is ever read of it are
    elements that the same operation puts into their place in the result."""
    interface = interface_of(module)
    if not interface.donated:
        return
    block = as_block(public_function(module))
    arguments = list(block.arguments)
    for position, result in interface.donated:
        given, written = arguments[position], arguments[len(interface.inputs) + result]
        begin = _beginning(block, given, written)
        if begin is None:
            _copy_at_end(block, given, written)
            continue
        written.replace_all_uses_with(given)
        if begin.operation.name in _COPIES:
            begin.operation.erase()


class _Place(msgspec.Struct, frozen=True):
    """A value and what it is a view of: the array itself, or in a loop over its first axis the
    part that belongs to the step."""

    value: Any
    view: Any  # the memref.subview, None for the array itself


def _beginning(block: Any, given: Any, written: Any) -> Any:
    """The operation that moves elements of the input to their places in the result, if that is all
    that happens to the input from then on and the first that happens to the result."""
    order = {identity(operation): at for at, operation in enumerate(block.operations)}

    def at(operation: Any) -> int:
        return order[identity(ancestor_in(block, operation))]

    first = min((at(use.owner) for use in written.uses), default=len(order))
    candidates = [
        user
        for place in _places(given, block)
        for user in _users(place.value)
        if at(user) == first and _moves(user, place, written)
    ]
    if len(candidates) != 1:
        return None
    begin = candidates[0]
    for user in _readers(given):
        if at(user) >= first and user != begin:
            return None
    return begin if _is_first(begin, written, block) else None


def _users(value: Any) -> list[Any]:
    return [use.owner.operation for use in value.uses]


def _places(given: Any, block: Any) -> list[_Place]:
    """The input as a whole, and its part in each step of a loop."""
    found = [_Place(given, None)]
    for user in _users(given):
        if user.name == "memref.subview" and _is_part_of_step(user, block):
            found.append(_Place(user.results[0], user))
    return found


def _is_part_of_step(view: Any, block: Any) -> bool:
    """Whether a view is item number `step` of the first axis, in a loop that runs once."""
    loop = view.parent
    if loop is None or loop.name != "scf.for" or loop.operation.block != block:
        return False
    step = as_block(loop).arguments[0]
    offsets = list(ir.DenseI64ArrayAttr(view.attributes["static_offsets"]))
    sizes = list(ir.DenseI64ArrayAttr(view.attributes["static_sizes"]))
    return (
        offsets[0] == DYNAMIC
        and sizes[0] == 1
        and list(view.operands)[1] == step
        and all(offset == 0 for offset in offsets[1:])
    )


def _readers(given: Any) -> list[Any]:
    """Every operation that reads elements of an array or of a view of it."""
    found: list[Any] = []
    waiting = [given]
    while waiting:
        for user in _users(waiting.pop()):
            if user.name in _VIEWS:
                waiting.append(user.results[0])
            elif user.name != "memref.dim":
                found.append(user)
    return found


def _moves(operation: Any, place: _Place, written: Any) -> bool:
    """Whether an operation writes each element of the result's part where it read the input's."""
    operands = list(operation.operands)
    if operation.name in _COPIES:
        return operands[0] == place.value and _is_same_part(operands[1], place, written)
    if operation.name != "linalg.generic" or CALL in operation.attributes:
        return False
    kinds = ir.ArrayAttr(operation.attributes["iterator_types"])
    maps = [
        ir.AffineMapAttr(one).value for one in ir.ArrayAttr(operation.attributes["indexing_maps"])
    ]
    return (
        all("parallel" in str(kind) for kind in kinds)
        and _is_same_part(operands[-1], place, written)
        and len([value for value in operands if value == operands[-1]]) == 1
        and all(
            map_ == maps[-1]
            for value, map_ in zip(operands, maps, strict=True)
            if value == place.value
        )
    )


def _is_same_part(value: Any, place: _Place, written: Any) -> bool:
    if place.view is None:
        return bool(value == written)
    if isinstance(value, ir.BlockArgument) or value.owner.name != "memref.subview":
        return False
    other, view = value.owner.operation, place.view
    return (
        other.operands[0] == written
        and value.type == place.value.type
        and list(other.operands)[1:] == list(view.operands)[1:]
        and all(
            other.attributes[name] == view.attributes[name]
            for name in ("static_offsets", "static_sizes", "static_strides")
        )
    )


def _is_first(begin: Any, written: Any, block: Any) -> bool:
    """Whether nothing happens to the result before; in a loop, to the step's part of it, and to no
    other part."""
    if begin.block == block:
        return all(not user.is_before_in_block(begin) for user in _in_block(written, block))
    part = begin.operands[len(begin.operands) - 1]
    views = [user for user in _users(written) if ancestor_in(block, user) == begin.parent]
    return views == [part.owner.operation] and all(
        not user.is_before_in_block(begin) for user in _in_block(part, begin.block)
    )


def _in_block(value: Any, block: Any) -> list[Any]:
    """What uses a value, as operations of this block."""
    return [ancestor_in(block, user) for user in _users(value)]


def _copy_at_end(block: Any, given: Any, written: Any) -> None:
    type_ = ir.MemRefType(written.type)
    with ir.InsertionPoint.at_block_begin(block), block.owner.location:
        sizes = [
            memref.DimOp(given, index(axis)).result
            for axis, size in enumerate(type_.shape)
            if size == DYNAMIC
        ]
        alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 64)
        own = memref.AllocOp(type_, sizes, [], alignment=alignment).result
    written.replace_all_uses_with(own)
    returned = list(block.operations)[-1]
    with before(returned):
        linalg.copy(own, given)
