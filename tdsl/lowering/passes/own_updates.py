"""Copy an array that is not ours before a part of it is replaced, to where the result belongs."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import linalg, tensor

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, before, collect, index

# Values that belong to the caller, or share memory with something else.
_NOT_OWN = frozenset(
    {
        "bufferization.to_tensor",
        "tensor.cast",
        "tensor.collapse_shape",
        "tensor.expand_shape",
        "tensor.extract_slice",
    }
)


def run(module: Any, options: Options) -> None:
    """Bufferization would copy it, too, but to memory of its own; a copy that is written down can
    go straight to the result."""
    for operation in collect(module, {"tensor.insert_slice"}):
        target = operation.operands[1]
        if isinstance(target, ir.BlockArgument) or target.owner.name not in _NOT_OWN:
            continue
        with before(operation):
            type = ir.RankedTensorType(target.type)
            open_ = [
                tensor.DimOp(target, index(axis)).result
                for axis, size in enumerate(type.shape)
                if size == DYNAMIC
            ]
            sizes = iter(open_)
            shape = [next(sizes) if size == DYNAMIC else size for size in type.shape]
            empty = tensor.EmptyOp(shape, type.element_type).result
            own = linalg.copy(target, outs=[empty])
        operation.operation.operands[1] = own
