"""Loops of a host function that a grid can stand for: their steps do not depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from mlir import ir

from tdsl.gpu.checks import is_check
from tdsl.gpu.places import key, root_of
from tdsl.lowering.kernels import CALL
from tdsl.lowering.rewriting import DYNAMIC, as_block, identity

ALLOCATIONS: Final = frozenset({"memref.alloc", "memref.alloca"})


@dataclass(frozen=True)
class Nest:
    """Loops whose steps do not depend on each other: around one structured operation, or none and
    some checks of positions."""

    loops: tuple[tuple[Any, int], ...]
    operation: Any
    checks: tuple[Any, ...]


def grid_loops(loop: Any) -> Nest | None:
    """Loops that a grid can stand for: each step writes a slice of its own, of memory that no step
    reads."""
    loops: list[tuple[Any, int]] = []
    checks: list[Any] = []
    block = as_block(loop)
    current = loop
    while True:
        extent = _extent(current)
        if extent is None or len(current.results):
            return None
        loops.append((as_block(current).arguments[0], extent))
        block = as_block(current)
        inner = [one.operation for one in block.operations]
        deeper = [one for one in inner if one.name == "scf.for"]
        work = [one for one in inner if one.name in ("linalg.generic", "memref.store")]
        checks += [one for one in inner if is_check(one)]
        if any(one.name in ALLOCATIONS for one in inner) or len(deeper) + len(work) > 1:
            return None
        if not deeper:
            break
        current = deeper[0]
    if not work:
        return Nest(tuple(loops), None, tuple(checks)) if checks else None
    operation = work[0]
    if operation.name != "linalg.generic" or CALL in operation.attributes:
        return None
    count = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))[1]
    if count != 1:
        return None
    target = list(operation.operands)[-1]
    if not _is_own_slice(target, loops) or _reads(loop, root_of(target), target):
        return None
    return Nest(tuple(loops), operation, tuple(checks))


def _extent(loop: Any) -> int | None:
    """How many steps a loop from 0 by 1 has."""
    literal = []
    for operand in list(loop.operands)[:3]:
        if (
            isinstance(operand, ir.BlockArgument)
            or operand.owner.operation.name != "arith.constant"
        ):
            return None
        literal.append(ir.IntegerAttr(operand.owner.attributes["value"]).value)
    start, stop, step = literal
    return stop if start == 0 and step == 1 else None


def _is_own_slice(target: Any, loops: Sequence[tuple[Any, int]]) -> bool:
    """Whether each step has a slice of its own: every counter is a position along another axis."""
    if isinstance(target, ir.BlockArgument) or target.owner.operation.name != "memref.subview":
        return False
    operation = target.owner
    dynamic = iter(list(operation.operands)[1:])
    starts = ir.DenseI64ArrayAttr(operation.attributes["static_offsets"])
    sizes = list(ir.DenseI64ArrayAttr(operation.attributes["static_sizes"]))
    found = set()
    for axis, static in enumerate(starts):
        if static == DYNAMIC:
            start = next(dynamic)
            if sizes[axis] == 1 and isinstance(start, ir.BlockArgument):
                found.add(key(start))
    return all(key(counter) in found for counter, _ in loops)


def _reads(loop: Any, root: Any, target: Any) -> bool:
    """Whether anything in a loop reaches memory other than through the slice that it writes."""
    wanted = key(root)
    own = identity(target.owner)
    found: list[Any] = []

    def visit(operation: Any) -> Any:
        if identity(operation) == own:
            return ir.WalkResult.ADVANCE
        for operand in operation.operands:
            if not isinstance(operand.type, ir.MemRefType) or key(root_of(operand)) != wanted:
                continue
            writes = operation.name == "linalg.generic" and operand == list(operation.operands)[-1]
            if not writes:
                found.append(operation)
        return ir.WalkResult.ADVANCE

    loop.operation.walk(visit)
    return bool(found)
