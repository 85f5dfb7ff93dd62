"""Let an elementwise operation overwrite an operand that nothing else needs, not a new buffer."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block, collect, functions

# Values that are not this function's own to overwrite, or that cost nothing to leave alone.
_NOT_OWN = frozenset({"bufferization.to_tensor", "arith.constant", "tensor.empty"})


def run(module: Any, options: Options) -> None:
    """The operand takes the place of the fresh destination: a bias is added where the matrix
    product lies, and a chain of operations needs no memory beyond its result."""
    if not options.reuse_scratch:
        return
    for function in functions(module):
        for operation in collect(function, {"linalg.generic"}):
            _reuse(operation)


def _reuse(operation: Any) -> None:
    if len(operation.results) != 1 or not _all_parallel(operation):
        return
    destination = operation.operands[len(operation.operands) - 1]
    if isinstance(destination, ir.BlockArgument) or destination.owner.name != "tensor.empty":
        return
    maps = [ir.AffineMapAttr(one).value for one in ir.ArrayAttr(operation.attributes["indexing_maps"])]
    arguments = list(as_block(operation).arguments)
    for position, value in enumerate(list(operation.operands)[:-1]):
        if value.type != destination.type or maps[position] != maps[-1] or not _is_own(value):
            continue
        operation.operation.operands[len(maps) - 1] = value
        arguments[position].replace_all_uses_with(arguments[-1])
        return


def _all_parallel(operation: Any) -> bool:
    kinds = ir.ArrayAttr(operation.attributes["iterator_types"])
    return all("parallel" in str(kind) for kind in kinds)


def _is_own(value: Any) -> bool:
    """Computed here and read by this one operand only."""
    if isinstance(value, ir.BlockArgument) or value.owner.name in _NOT_OWN:
        return False
    # Views share memory with what they are views of.
    if value.owner.name.startswith("tensor."):
        return False
    return sum(use.owner.name != "tensor.dim" for use in value.uses) == 1
