"""Turn structured operations on memory into loop nests that LLVM vectorises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import affine, memref, scf

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, as_block, before, collect, index


@dataclass(frozen=True)
class Access:
    """One operand of a structured operation: which element each iteration touches."""

    value: Any
    map: Any

    @property
    def is_scalar(self) -> bool:
        """A plain number, which linalg.fill takes."""
        return not isinstance(self.value.type, ir.MemRefType)

    def uses(self, dimension: int) -> bool:
        return any(_mentions(expression, dimension) for expression in self.map.results)

    def steps_by_one(self, dimension: int) -> bool:
        """Whether stepping this loop walks through neighbouring elements."""
        results = list(self.map.results)
        if not results or any(_mentions(expression, dimension) for expression in results[:-1]):
            return False
        last = results[-1]
        return isinstance(last, ir.AffineDimExpr) and last.position == dimension

    def steps_far(self, dimension: int) -> bool:
        return self.uses(dimension) and not self.steps_by_one(dimension)


def run(module: Any, options: Options) -> None:
    """The innermost loop is the one along which memory is contiguous. What it does not change is
    read before it, and what it reduces is kept in registers, so that no analysis of overlapping
    memory is needed for either."""
    for operation in collect(module, {"linalg.generic"}):
        _lower(operation)


def _mentions(expression: Any, dimension: int) -> bool:
    if isinstance(expression, ir.AffineDimExpr):
        return bool(expression.position == dimension)
    if isinstance(expression, ir.AffineBinaryExpr):
        return _mentions(expression.lhs, dimension) or _mentions(expression.rhs, dimension)
    return False


def _accesses(operation: Any) -> tuple[list[Access], list[Access]]:
    segments = ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"])
    maps = [ir.AffineMapAttr(one).value for one in ir.ArrayAttr(operation.attributes["indexing_maps"])]
    operands = [
        Access(value, map_) for value, map_ in zip(operation.operands, maps, strict=True)
    ]
    return operands[: segments[0]], operands[segments[0] :]


def loop_order(accesses: Sequence[Access], reductions: Sequence[bool]) -> list[int]:
    """The loops from the outermost to the innermost. Reductions keep their order among each
    other, so that every result is added up as written."""
    rank = len(reductions)
    order = list(range(rank))
    if rank < 2:
        return order
    last_reduction = max((d for d in range(rank) if reductions[d]), default=-1)

    def cost(dimension: int) -> tuple[int, int, int]:
        far = sum(access.steps_far(dimension) for access in accesses)
        # Results are the last accesses: writing far apart costs more than reading so.
        far += accesses[-1].steps_far(dimension)
        near = sum(access.steps_by_one(dimension) for access in accesses)
        return far, -near, -dimension

    candidates = [d for d in range(rank) if not reductions[d] or d == last_reduction]
    inner = min(candidates, key=cost)
    order.remove(inner)
    return [*order, inner]


def _extent(accesses: Sequence[Access], dimension: int) -> Any:
    """How often a loop runs: the size of an axis that it alone indexes."""
    found = [
        (access, axis)
        for access in accesses
        if not access.is_scalar
        for axis, expression in enumerate(access.map.results)
        if isinstance(expression, ir.AffineDimExpr) and expression.position == dimension
    ]
    for access, axis in found:
        size = ir.MemRefType(access.value.type).shape[axis]
        if size != DYNAMIC:
            return index(size)
    if not found:
        raise ValueError(f"no operand gives the extent of loop {dimension}")
    access, axis = found[0]
    return memref.DimOp(access.value, index(axis)).result


def _indices(access: Access, counters: Sequence[Any]) -> list[Any]:
    result = []
    for expression in access.map.results:
        if isinstance(expression, ir.AffineDimExpr):
            result.append(counters[expression.position])
        elif isinstance(expression, ir.AffineConstantExpr):
            result.append(index(expression.value))
        else:
            map_ = ir.AffineMap.get(len(counters), 0, [expression])
            result.append(affine.AffineApplyOp(map_, list(counters)).result)
    return result


def _load(access: Access, counters: Sequence[Any]) -> Any:
    if access.is_scalar:
        return access.value
    return memref.LoadOp(access.value, _indices(access, counters)).result


def _lower(operation: Any) -> None:
    inputs, outputs = _accesses(operation)
    accesses = [*inputs, *outputs]
    kinds = [str(kind) for kind in ir.ArrayAttr(operation.attributes["iterator_types"])]
    reductions = ["reduction" in kind for kind in kinds]
    order = loop_order(accesses, reductions)
    with before(operation):
        zero, one = index(0), index(1)
        extents = [_extent(accesses, dimension) for dimension in range(len(kinds))]
        counters: list[Any] = [None] * len(kinds)
        points: list[Any] = []
        for dimension in order[:-1]:
            loop = scf.ForOp(zero, extents[dimension], one)
            counters[dimension] = loop.induction_variable
            with ir.InsertionPoint(loop.body):
                scf.YieldOp([])
            point = ir.InsertionPoint.at_block_terminator(loop.body)
            point.__enter__()
            points.append(point)
        try:
            if order:
                _inner(operation, inputs, outputs, order[-1], extents[order[-1]], counters)
            else:
                values = [_load(access, ()) for access in accesses]
                _store(outputs, _body(operation, values, ()), ())
        finally:
            for point in reversed(points):
                point.__exit__(None, None, None)
    operation.operation.erase()


def _inner(
    operation: Any,
    inputs: Sequence[Access],
    outputs: Sequence[Access],
    dimension: int,
    extent: Any,
    counters: list[Any],
) -> None:
    """The innermost loop: reads outside what it does not change, carries what it reduces."""
    body = as_block(operation)
    arguments = list(body.arguments)

    def used(position: int) -> bool:
        return any(True for _ in arguments[position].uses)

    accesses = [*inputs, *outputs]
    kept = [not access.uses(dimension) for access in accesses]
    values: list[Any] = [None] * len(accesses)
    for position, access in enumerate(accesses):
        if kept[position] and (used(position) or position >= len(inputs)):
            values[position] = _load(access, counters)
    carried = [position for position in range(len(inputs), len(accesses)) if kept[position]]
    loop = scf.ForOp(index(0), extent, index(1), [values[position] for position in carried])
    counters[dimension] = loop.induction_variable
    with ir.InsertionPoint(loop.body):
        for position, argument in zip(carried, loop.inner_iter_args, strict=True):
            values[position] = argument
        for position, access in enumerate(accesses):
            if not kept[position] and used(position):
                values[position] = _load(access, counters)
        results = _body(operation, values, counters)
        _store(
            [access for access in outputs if access.uses(dimension)],
            [
                result
                for result, access in zip(results, outputs, strict=True)
                if access.uses(dimension)
            ],
            counters,
        )
        scf.YieldOp([results[position - len(inputs)] for position in carried])
    _store([accesses[position] for position in carried], list(loop.results), counters)


def _store(outputs: Sequence[Access], values: Sequence[Any], counters: Sequence[Any]) -> None:
    for access, value in zip(outputs, values, strict=True):
        memref.StoreOp(value, access.value, _indices(access, counters))


def _body(operation: Any, values: Sequence[Any], counters: Sequence[Any]) -> list[Any]:
    """Move the operation's body to here, with these values as its arguments."""
    block = as_block(operation)
    for argument, value in zip(list(block.arguments), values, strict=True):
        if value is not None:
            argument.replace_all_uses_with(value)
    here = ir.InsertionPoint.current
    for inner in list(block.operations):
        if inner.operation.name == "linalg.yield":
            return list(inner.operation.operands)
        if inner.operation.name == "linalg.index":
            dimension = ir.IntegerAttr(inner.operation.attributes["dim"]).value
            inner.operation.results[0].replace_all_uses_with(counters[dimension])
            continue
        inner.operation.detach_from_parent()
        here.insert(inner)
    raise ValueError("a structured operation without linalg.yield")
