"""Turn structured operations on memory into loop nests that LLVM vectorises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import Any, Final

import msgspec
from mlir import ir
from mlir.dialects import affine, arith, memref, scf

from tdsl.lowering.options import Options
from tdsl.lowering.passes import share_loops
from tdsl.lowering.passes.rows import Group, contract_buffers, find_groups
from tdsl.lowering.passes.structured import Access, Structured, element_bytes
from tdsl.lowering.rewriting import DYNAMIC, as_block, before, collect, functions, index
from tdsl.lowering.sizes import Sizes

# Elements of a block along the innermost loop and across it, where an operand is contiguous across.
# It is copied line by line, and read from the copy, which lies in the nearest cache whatever the
# distance of the lines is: at a power of two they would displace each other.
_ALONG: Final = 64
_ACROSS: Final = 64
_LARGE: Final = 1 << 18  # bytes of an operand; less stays in a cache near enough


def run(module: Any, options: Options) -> None:
    """The innermost loop is the one along which memory is contiguous. What it does not change is
    read before it, and what it reduces is kept in registers, so that no analysis of overlapping
    memory is needed for either."""
    sizes = Sizes(module)
    for function in functions(module):
        for block in _blocks(function):
            for group in find_groups(block, sizes, merge=options.fuse):
                _lower(group, blocked=options.vectorize)


def _blocks(function: Any) -> list[Any]:
    """The blocks that hold structured operations."""
    found: list[Any] = []
    for operation in collect(function, {"linalg.generic"}):
        block = operation.operation.block
        if block not in found:
            found.append(block)
    return found


def _size(value: Any, axis: int) -> Any:
    size = ir.MemRefType(value.type).shape[axis]
    return memref.DimOp(value, index(axis)).result if size == DYNAMIC else index(size)


@contextmanager
def _loop(stop: Any, each: int = 0, first: Any = None) -> Iterator[Any]:
    """Build into the body of a new loop from 0, or from `first`; gives its counter."""
    loop = scf.ForOp(index(0) if first is None else first, stop, index(1))
    if each:
        share_loops.mark(loop, each)
    with ir.InsertionPoint(loop.body):
        yield loop.induction_variable
        scf.YieldOp([])


@contextmanager
def _blocked(extent: Any, size: int, each: int = 0) -> Iterator[tuple[Any, Any]]:
    """Build into the body of a loop over blocks of a loop; gives the ends of a block."""
    count = arith.CeilDivUIOp(extent, index(size)).result
    with _loop(count, each) as block:
        first = arith.MulIOp(block, index(size)).result
        stop = arith.AddIOp(first, index(size)).result
        yield first, arith.MinUIOp(stop, extent).result


@contextmanager
def _own_memory() -> Iterator[None]:
    """Build into a scope that gives back the memory that it takes from the stack."""
    scope = memref.AllocaScopeOp([])
    with ir.InsertionPoint(scope.bodyRegion.blocks.append()):
        yield
        memref.AllocaScopeReturnOp([])


class _Block(msgspec.Struct, frozen=True):
    """A block of two loops: which loops, and the ends of each."""

    loops: tuple[int, int]
    ends: tuple[tuple[Any, Any], tuple[Any, Any]]

    def read(self, access: Access, counters: list[Any]) -> Callable[[], Any]:
        """Copy an operand's elements of this block; gives what reads the one that counters say."""
        element = ir.MemRefType(access.value.type).element_type
        copy = memref.AllocaOp(ir.MemRefType.get([_ALONG, _ACROSS], element), [], []).result
        own = list(counters)
        with ExitStack() as stack:
            for dimension, (first, stop) in zip(self.loops, self.ends, strict=True):
                own[dimension] = stack.enter_context(_loop(stop, first=first))
            memref.StoreOp(_load(access, own), copy, self._place(own))
        return lambda: memref.LoadOp(copy, self._place(counters)).result

    def _place(self, counters: Sequence[Any]) -> list[Any]:
        return [
            arith.SubIOp(counters[dimension], first).result
            for dimension, (first, _) in zip(self.loops, self.ends, strict=True)
        ]


def _lower(group: Group, blocked: bool) -> None:
    last = group.members[-1].operation
    with before(last), ExitStack() as stack:
        # Sizes are read before buffers shrink to rows.
        extents = [_size(value, axis) for value, axis in group.extents]
        # Rows that buffers shrink to are used by one step at a time.
        each = 0 if group.shared else share_loops.cost(group.members)
        if group.shared:
            group = contract_buffers(group)
        outer = [stack.enter_context(_loop(extent)) for extent in extents]
        for member in group.members:
            with member.operation.location:
                _nest(member, outer, each, blocked)
    for member in group.members:
        member.operation.operation.erase()


def _nest(item: Structured, outer: Sequence[Any], each: int, blocked: bool) -> None:
    """The loops of one operation inside the shared ones. Where `each` is not 0, the steps of the
    outermost may run at once. With `blocked`, what is large and read across goes block by block."""
    counters: list[Any] = [*outer, *[None] * (item.rank - len(outer))]
    order = [dimension for dimension in item.order() if dimension >= len(outer)]
    extents: dict[int, Any] = {}
    for dimension in order:
        found = item.extent(dimension)
        if found is None:
            raise ValueError(f"no operand gives the extent of loop {dimension}")
        extents[dimension] = _size(*found)
    whole = bool(order) and not outer
    across = item.across(order[-1]) if blocked and whole and _is_large(item) else None
    with ExitStack() as stack:
        for dimension in order[:-1]:
            if dimension != across:
                counters[dimension] = stack.enter_context(_loop(extents[dimension], each))
                each = 0
        if across is not None:
            along = order[-1]
            rows = stack.enter_context(_blocked(extents[across], _ACROSS, each * _ACROSS * _ALONG))
            columns = stack.enter_context(_blocked(extents[along], _ALONG))
            stack.enter_context(_own_memory())
            block = _Block((along, across), (columns, rows))
            copies = {
                at: block.read(access, counters)
                for at, access in enumerate(item.inputs)
                if access.steps_far(along) and access.steps_by_one(across) and _is_read(item, at)
            }
            counters[across] = stack.enter_context(_loop(rows[1], first=rows[0]))
            _inner(item, along, columns, counters, 0, copies)
            return
        if order:
            _inner(item, order[-1], (index(0), extents[order[-1]]), counters, each)
        else:
            values = [
                _load(access, counters) if _is_read(item, at) else None
                for at, access in enumerate(item.accesses)
            ]
            _store(item.outputs, _body(item.operation, values, counters), counters)


def _is_large(item: Structured) -> bool:
    """Whether an operand may be too large for the nearer caches."""
    types = [ir.MemRefType(one.value.type) for one in item.accesses if not one.is_scalar]
    return any(
        not type_.has_static_shape
        or math.prod(type_.shape) * element_bytes(type_.element_type) > _LARGE
        for type_ in types
    )


def _is_read(item: Structured, position: int) -> bool:
    argument = as_block(item.operation).arguments[position]
    return any(True for _ in argument.uses)


def _indices(access: Access, counters: Sequence[Any]) -> list[Any]:
    result = []
    for expression in access.map.results:
        if isinstance(expression, ir.AffineDimExpr):
            result.append(counters[expression.position])
        elif isinstance(expression, ir.AffineConstantExpr):
            result.append(index(expression.value))
        else:
            # Loops that are not open yet are not mentioned, but the map counts them.
            known = [index(0) if counter is None else counter for counter in counters]
            map_ = ir.AffineMap.get(len(known), 0, [expression])
            result.append(affine.AffineApplyOp(map_, known).result)
    return result


def _load(access: Access, counters: Sequence[Any]) -> Any:
    if access.is_scalar:
        return access.value
    return memref.LoadOp(access.value, _indices(access, counters)).result


def _inner(
    item: Structured,
    dimension: int,
    ends: tuple[Any, Any],
    counters: list[Any],
    each: int,
    read: Mapping[int, Callable[[], Any]] = MappingProxyType({}),
) -> None:
    """The innermost loop: reads outside what it does not change, carries what it reduces. Some
    operands are read in ways of their own."""
    first_output = len(item.inputs)
    kept = [not access.uses(dimension) for access in item.accesses]
    values: list[Any] = [None] * len(kept)
    for position, access in enumerate(item.accesses):
        if kept[position] and (_is_read(item, position) or position >= first_output):
            values[position] = _load(access, counters)
    carried = [position for position in range(first_output, len(kept)) if kept[position]]
    moving = [at for at, access in enumerate(item.outputs) if access.uses(dimension)]
    loop = scf.ForOp(*ends, index(1), [values[position] for position in carried])
    if each:
        share_loops.mark(loop, each)
    counters[dimension] = loop.induction_variable
    with ir.InsertionPoint(loop.body):
        for position, argument in zip(carried, loop.inner_iter_args, strict=True):
            values[position] = argument
        for position, access in enumerate(item.accesses):
            if not kept[position] and _is_read(item, position):
                own = read.get(position)
                values[position] = own() if own else _load(access, counters)
        results = _body(item.operation, values, counters)
        _store([item.outputs[at] for at in moving], [results[at] for at in moving], counters)
        scf.YieldOp([results[position - first_output] for position in carried])
    _store([item.accesses[position] for position in carried], list(loop.results), counters)


def _store(outputs: Sequence[Access], values: Sequence[Any], counters: Sequence[Any]) -> None:
    for access, value in zip(outputs, values, strict=True):
        memref.StoreOp(value, access.value, _indices(access, counters))


def _body(operation: Any, values: Sequence[Any], counters: Sequence[Any]) -> list[Any]:
    """Move the operation's body to here, with these values as its arguments."""
    block = as_block(operation)
    for argument, value in zip(list(block.arguments), values, strict=True):
        if value is not None:
            argument.replace_all_uses_with(value)
    for inner in collect(operation, {"linalg.index"}):
        dimension = ir.IntegerAttr(inner.attributes["dim"]).value
        inner.results[0].replace_all_uses_with(counters[dimension])
    here = ir.InsertionPoint.current
    for inner in list(block.operations):
        if inner.operation.name == "linalg.yield":
            return list(inner.operation.operands)
        if inner.operation.name != "linalg.index":
            inner.operation.detach_from_parent()
            here.insert(inner)
    raise ValueError("a structured operation without linalg.yield")
