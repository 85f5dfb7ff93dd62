"""Keep costly values that are read many times from being fused, and so computed, at each reading."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import tensor

from tdsl.lowering.dialects import linalg
from tdsl.lowering.options import Options
from tdsl.lowering.passes.structured import mentions
from tdsl.lowering.rewriting import DYNAMIC, as_block, before, collect, functions, identity, index

_COSTLY = frozenset({"arith.divf", "arith.remf", "arith.divsi", "arith.remsi"})


def run(module: Any, options: Options) -> None:
    """`x * exp(w)` with a matrix x and a vector w: fused, the exponentials would be computed anew
    for every row. A copy of the small value stands in between, which fusion does not look through.

    Where only the innermost loop is missing, the loop over it reads the value once before it
    begins, and fusing is right.
    """
    if not options.fuse:
        return
    for function in functions(module):
        costly: set[int] = set()
        for operation in collect(function, {"linalg.generic"}):
            maps = [
                ir.AffineMapAttr(one).value
                for one in ir.ArrayAttr(operation.attributes["indexing_maps"])
            ]
            for position, value in enumerate(list(operation.operands)):
                if not _is_fusible(value):
                    continue
                if identity(value.owner) not in costly:
                    continue
                if _is_read_again(maps[position]):
                    _separate(operation, position, value)
                else:
                    costly.add(identity(operation))
            if any(_costs(inner) for inner in as_block(operation).operations):
                costly.add(identity(operation))


def _costs(operation: Any) -> bool:
    name = operation.operation.name
    return name in _COSTLY or (name.startswith("math.") and name not in ("math.absf", "math.fma"))


def _is_fusible(value: Any) -> bool:
    """Given by an elementwise operation for one reader only: what upstream fuses."""
    if isinstance(value, ir.BlockArgument) or value.owner.name != "linalg.generic":
        return False
    kinds = ir.ArrayAttr(value.owner.operation.attributes["iterator_types"])
    if not all("parallel" in str(kind) for kind in kinds):
        return False
    readers = [use.owner for use in value.uses if use.owner.name != "tensor.dim"]
    return len(readers) == 1


def _is_read_again(map_: Any) -> bool:
    """Whether a loop other than the innermost does not move the operand."""
    return any(
        not any(mentions(expression, dimension) for expression in map_.results)
        for dimension in range(map_.n_dims - 1)
    )


def _separate(operation: Any, position: int, value: Any) -> None:
    type_ = ir.RankedTensorType(value.type)
    with before(operation):
        sizes = [
            tensor.DimOp(value, index(axis)).result if size == DYNAMIC else size
            for axis, size in enumerate(type_.shape)
        ]
        empty = tensor.EmptyOp(sizes, type_.element_type).result
        copy = linalg.copy(value, empty)
    operation.operation.operands[position] = copy
