"""Copy what is not ours to change before it is changed, to where the result belongs."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import linalg, tensor

from tdsl.lowering.options import Options
from tdsl.lowering.passes.states import becomes_itself
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
    go straight to the result. The same for what a loop begins with and then overwrites."""
    for operation in collect(module, {"tensor.insert_slice", "scf.for"}):
        loops = operation.name == "scf.for"
        begun: list[Any] = []  # what the loop may overwrite
        for place in range(3, len(operation.operands)) if loops else (1,):
            target = operation.operands[place]
            if not isinstance(target.type, ir.RankedTensorType):
                continue
            # Two states must not begin as one: each is changed on its own.
            if _must_be_kept(target, operation) or target in begun:
                with before(operation):
                    operation.operation.operands[place] = own_copy(target)
            begun.append(target)


def _must_be_kept(value: Any, operation: Any) -> bool:
    if isinstance(value, ir.BlockArgument):
        several = sum(1 for _ in value.uses) > 1 and operation.name == "scf.for"
        return several or not becomes_itself(operation, value)
    return value.owner.name in _NOT_OWN or _is_result(value)


def _is_result(value: Any) -> bool:
    """Whether it, or a view of it, is a result, which is read at the very end. If the update is a
    result, too, its memory is written before that, and upstream's analysis does not see that the
    two would share it."""
    return any(
        use.owner.name == "bufferization.materialize_in_destination"
        or (use.owner.name in _NOT_OWN and _is_result(use.owner.results[0]))
        for use in value.uses
    )


def own_copy(value: Any) -> Any:
    """A tensor with the same elements in memory of its own, made here."""
    type = ir.RankedTensorType(value.type)
    shape = [
        tensor.DimOp(value, index(axis)).result if size == DYNAMIC else size
        for axis, size in enumerate(type.shape)
    ]
    empty = tensor.EmptyOp(shape, type.element_type).result
    return linalg.copy(value, outs=[empty])
