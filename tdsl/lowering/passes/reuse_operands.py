"""Let an elementwise operation overwrite an operand that nothing else needs, not a new buffer."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.kernels import CALL
from tdsl.lowering.options import Options
from tdsl.lowering.passes.states import becomes_itself
from tdsl.lowering.rewriting import as_block, collect, functions

# Values that are not this function's own to overwrite, or that cost nothing to leave alone.
_LEFT_ALONE = frozenset({"bufferization.to_tensor", "arith.constant", "tensor.empty"})
# Users that read no elements.
_SHAPE_ONLY = frozenset({"tensor.dim"})


def run(module: Any, options: Options) -> None:
    """The operand takes the place of the fresh destination: a bias is added where the matrix
    product lies, and a chain of operations needs no memory beyond its result."""
    if not options.reuse_scratch:
        return
    for function in functions(module):
        for operation in collect(function, {"linalg.generic"}):
            if CALL not in operation.attributes:  # a kernel reads operands after it has written
                _reuse(operation)


def _reuse(operation: Any) -> None:
    if len(operation.results) != 1 or not _all_parallel(operation):
        return
    destination = operation.operands[len(operation.operands) - 1]
    if isinstance(destination, ir.BlockArgument) or destination.owner.name != "tensor.empty":
        return
    maps = [
        ir.AffineMapAttr(one).value for one in ir.ArrayAttr(operation.attributes["indexing_maps"])
    ]
    arguments = list(as_block(operation).arguments)
    for position, value in enumerate(list(operation.operands)[:-1]):
        if (
            value.type != destination.type
            or maps[position] != maps[-1]
            or not _is_free(value, operation)
        ):
            continue
        operation.operation.operands[len(maps) - 1] = value
        arguments[position].replace_all_uses_with(arguments[-1])
        return


def _all_parallel(operation: Any) -> bool:
    kinds = ir.ArrayAttr(operation.attributes["iterator_types"])
    return all("parallel" in str(kind) for kind in kinds)


def _is_free(value: Any, operation: Any) -> bool:
    """Computed here, or carried by the loop around; and read by nothing after this operation,
    which reads it once."""
    here = operation.operation
    if isinstance(value, ir.BlockArgument):
        if not becomes_itself(operation, value):
            return False
    elif (
        value.owner.name in _LEFT_ALONE
        or value.owner.operation.block != here.block
        or value.owner.name.startswith("tensor.")
    ):
        return False
    reads = 0
    for use in value.uses:
        user = use.owner.operation
        if user.name in _SHAPE_ONLY:
            continue
        if user == here:
            reads += 1
        elif not user.name.startswith("linalg.") or user.block != here.block:
            return False  # a view may be read later; a loop may read it again
        elif not user.is_before_in_block(here):
            return False
    return reads == 1
