"""Copy what is not ours to change before it is changed, to where the result belongs."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import tensor

from tdsl.lowering.dialects import linalg
from tdsl.lowering.options import Options
from tdsl.lowering.passes.states import becomes_itself
from tdsl.lowering.rewriting import DYNAMIC, before, collect, index

# What shares the memory of its first operand.
_VIEWS = frozenset(
    {"tensor.cast", "tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice"}
)
# Values that belong to the caller, or share memory with something else.
_NOT_OWN = _VIEWS | {"bufferization.to_tensor"}


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
    return value.owner.name in _NOT_OWN or _is_result(value, operation)


def _is_result(value: Any, but: Any) -> bool:
    """Whether it, or what shares its memory apart from `but`, is a result, which is read at the
    very end. If `but` is a result, too, its memory is written before that, and upstream's analysis
    does not see that the two would share it."""
    waiting, seen = [value], {value}
    while waiting:
        for use in waiting.pop().uses:
            owner = use.owner
            if owner.name == "bufferization.materialize_in_destination":
                return True
            if owner.operation == but.operation:
                continue
            shared = _shares(owner, use.operand_number)
            if shared is not None and shared not in seen:
                seen.add(shared)
                waiting.append(shared)
    return False


def _shares(user: Any, place: int) -> Any:
    """The result that may be in the memory of an operand."""
    results = user.operation.results
    if user.name in _VIEWS:
        return results[0]
    if user.name == "tensor.insert_slice":
        return results[0] if place == 1 else None
    if user.name == "scf.for" or user.name.startswith("linalg."):
        # What is written to stands last.
        at = place - (len(user.operation.operands) - len(results))
        return results[at] if at >= 0 and len(results) else None
    return None


def own_copy(value: Any) -> Any:
    """A tensor with the same elements in memory of its own, made here."""
    type = ir.RankedTensorType(value.type)
    shape = [
        tensor.DimOp(value, index(axis)).result if size == DYNAMIC else size
        for axis, size in enumerate(type.shape)
    ]
    empty = tensor.EmptyOp(shape, type.element_type).result
    return linalg.copy(value, empty)
