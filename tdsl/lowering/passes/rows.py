"""Find structured operations that can share their outer loops, so that a row stays in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import memref

from tdsl.lowering.passes.structured import Structured
from tdsl.lowering.rewriting import DYNAMIC, before, identity, replace, root, touches_elements
from tdsl.lowering.sizes import Sizes
from tdsl.types.sizes import Size


class Group(msgspec.Struct, frozen=True):
    """Operations in order that run one after another inside `shared` common loops."""

    members: tuple[Structured, ...]
    shared: int

    @property
    def extents(self) -> list[tuple[Any, int]]:
        """Operand and axis with the size of each shared loop."""
        found = [self._extent(dimension) for dimension in range(self.shared)]
        return [one for one in found if one is not None]

    def _extent(self, dimension: int) -> tuple[Any, int] | None:
        found = [one for member in self.members if (one := member.extent(dimension)) is not None]
        # What reads the size of a buffer would keep it from shrinking to a row.
        lasting = [one for one in found if isinstance(one[0], ir.BlockArgument)]
        return next(iter((*lasting, *found)), None)


def find_groups(block: Any, sizes: Sizes, *, merge: bool) -> list[Group]:
    """The structured operations of a block in order, alone or in groups.

    A softmax is a maximum, an exponential, a sum and a division of the same rows: in one loop over
    the rows, each row is read from memory once.
    """
    groups: list[Group] = []
    current: list[Structured] = []

    def close() -> None:
        if current:
            shared = _shared(current, sizes)
            groups.append(Group(tuple(current), shared if shared and len(current) > 1 else 0))
            current.clear()

    for operation in block.operations:
        if operation.operation.name == "linalg.generic":
            item = Structured.of(operation)
            if not (merge and current and _shared([*current, item], sizes)):
                close()
            current.append(item)
        elif touches_elements(operation):
            close()
    close()
    return groups


def _shared(members: Sequence[Structured], sizes: Sizes) -> int:
    """How many outer loops these may share; 0: none."""
    if len(members) < 2:
        return 0
    count = max(member.rank for member in members) - 1
    if count < 1 or any(not _allows(member, count) for member in members):
        return 0
    extents = [_extents(member, count, sizes) for member in members]
    if any(None in one or one != extents[0] for one in extents):
        return 0
    newest = members[-1]
    if any(_conflict(earlier, newest, count) for earlier in members[:-1]):
        return 0
    # A smaller count than before may hide nothing: what held for fewer members is checked again
    # only if the count changed.
    if count != max(member.rank for member in members[:-1]) - 1:
        pairs = [
            (first, second) for at, second in enumerate(members[:-1]) for first in members[:at]
        ]
        if any(_conflict(first, second, count) for first, second in pairs):
            return 0
    return count


def _allows(member: Structured, count: int) -> bool:
    """Whether the loops to share are outer loops of this operation anyway."""
    if member.rank < count or any(member.reductions[:count]):
        return False
    return member.rank == count or member.order()[-1] >= count


def _extents(member: Structured, count: int, sizes: Sizes) -> list[Size | None]:
    found = [member.extent(dimension) for dimension in range(count)]
    return [sizes.dimension(*one) if one is not None else None for one in found]


def _conflict(earlier: Structured, later: Structured, count: int) -> bool:
    """Whether an iteration of `later` may depend on another iteration of `earlier`."""
    if _looks_up(later, earlier) or _looks_up(earlier, later):
        return True
    for one in earlier.accesses:
        for other in later.accesses:
            if one.is_scalar or other.is_scalar or root(one.value) != root(other.value):
                continue
            written = one in earlier.outputs or other in later.outputs
            same = one.value == other.value
            aligned = same and one.leads_with(count) and other.leads_with(count)
            if written and not aligned:
                return True
    return False


def _looks_up(reader: Structured, writer: Structured) -> bool:
    """Whether one reads, at places that it computes, what the other writes."""
    written = [root(access.value) for access in writer.outputs]
    return any(root(value) in written for value in reader.looked_up)


def contract_buffers(group: Group) -> Group:
    """A buffer that only this group uses needs no more than one row."""
    members = list(group.members)
    operations = {identity(member.operation): at for at, member in enumerate(members)}
    buffers: list[Any] = []
    for member in members:
        for access in member.accesses:
            if not access.is_scalar and access.value not in buffers:
                buffers.append(access.value)
    for value in buffers:
        if isinstance(value, ir.BlockArgument) or value.owner.name != "memref.alloc":
            continue
        if value.owner.operation.block != members[0].operation.operation.block:
            continue  # allocated outside of a loop: it may carry values from turn to turn
        users = [use.owner.operation for use in value.uses]
        if any(identity(user) not in operations for user in users):
            continue
        accesses = [
            access
            for member in members
            for access in member.accesses
            if not access.is_scalar and access.value == value
        ]
        if all(access.leads_with(group.shared) for access in accesses):
            _contract(value, group.shared, members)
            members = [Structured.of(member.operation) for member in members]
    return Group(tuple(members), group.shared)


def _contract(value: Any, count: int, members: Sequence[Structured]) -> None:
    for member in members:
        operation = member.operation
        maps = []
        for access in member.accesses:
            map_ = access.map
            if not access.is_scalar and access.value == value:
                map_ = ir.AffineMap.get(map_.n_dims, 0, list(map_.results)[count:])
            maps.append(ir.AffineMapAttr.get(map_))
        operation.operation.attributes["indexing_maps"] = ir.ArrayAttr.get(maps)
    allocation = value.owner.operation
    type = ir.MemRefType(value.type)
    dropped = sum(size == DYNAMIC for size in type.shape[:count])
    with before(allocation):
        smaller = ir.MemRefType.get(type.shape[count:], type.element_type)
        row = memref.AllocOp(smaller, list(allocation.operands)[dropped:], [])
    replace(allocation, [row.result])
