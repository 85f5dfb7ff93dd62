"""Let each step of a loop leave its state where it found it, so that loops keep their buffers."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import bufferization

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block, before, collect

# Operations that write into one operand -> its position.
_DESTINATIONS = {"tensor.insert_slice": 1, "tensor.insert": 1}


def run(module: Any, options: Options) -> None:
    """Bufferization refuses a loop that yields another buffer than it was given. Where the new
    state can be computed in place, what is added here costs nothing; else it is one copy."""
    for loop in collect(module, {"scf.for"}):
        block = as_block(loop)
        _, *carried = block.arguments
        end = list(block.operations)[-1]
        for place, (value, argument) in enumerate(zip(list(end.operands), carried, strict=True)):
            if not isinstance(value.type, ir.RankedTensorType) or _is_in_place(value, argument):
                continue
            with before(end):
                kept = bufferization.MaterializeInDestinationOp(argument.type, value, argument)
            end.operation.operands[place] = kept.results[0]


def _is_in_place(value: Any, argument: Any) -> bool:
    """Whether the value is the argument, perhaps written into, that nothing else ever reads."""
    while value != argument:
        if isinstance(value, ir.BlockArgument):
            return False
        operation = value.owner.operation
        if operation.name == "scf.for":
            place = next(i for i, result in enumerate(operation.results) if result == value)
            value = operation.operands[3 + place]
        elif operation.name in _DESTINATIONS:
            value = operation.operands[_DESTINATIONS[operation.name]]
        elif operation.name == "linalg.generic" and len(operation.results) == 1:
            value = operation.operands[len(operation.operands) - 1]
        else:
            return False
        if sum(1 for _ in value.uses) != 1:
            return False
    return True
