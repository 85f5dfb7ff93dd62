"""Let each step of a loop leave its state where it found it, so that loops keep their buffers."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import bufferization

from tdsl.lowering.dialects import linalg
from tdsl.lowering.options import Options
from tdsl.lowering.passes.own_updates import own_copy
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
        placed: dict[int, Any] = {}  # what is a state already
        for place, (value, argument) in enumerate(zip(list(end.operands), carried, strict=True)):
            if not isinstance(value.type, ir.RankedTensorType) or is_in_place(value, argument):
                continue
            if _state_behind(value, block) is not None:
                value = _saved(value, block)
            key = hash(value)
            source = placed.get(key, value)
            with before(end):
                if _is_of_loop(source):
                    # What would be elided below is the memory of that loop, which may read the
                    # state until its last step.
                    kept = linalg.copy(source, argument)
                else:
                    kept = bufferization.MaterializeInDestinationOp(
                        argument.type, source, argument
                    ).results[0]
            placed[key] = end.operation.operands[place] = kept


# Operations that give the memory of their operand.
_VIEWS = frozenset(
    {"tensor.cast", "tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice"}
)


def _state_behind(value: Any, block: Any) -> Any:
    """The state of this step that a value is, or is a part of."""
    while not isinstance(value, ir.BlockArgument):
        if value.owner.name not in _VIEWS:
            return None
        value = value.owner.operation.operands[0]
    return value if value.owner == block else None


def _saved(value: Any, block: Any) -> Any:
    """A copy that is made before any state is overwritten: another state becomes this one."""
    operations = list(block.operations)
    own = isinstance(value, ir.BlockArgument)
    first = operations[0 if own else operations.index(value.owner) + 1]
    with before(first):
        return own_copy(value)


def _destination(value: Any) -> Any:
    """What the operation that gives a value writes into; None where it makes memory of its own."""
    operation = value.owner.operation
    if operation.name == "scf.for":
        place = next(at for at, result in enumerate(operation.results) if result == value)
        return operation.operands[3 + place]
    if operation.name in _DESTINATIONS:
        return operation.operands[_DESTINATIONS[operation.name]]
    if operation.name.startswith("linalg.") and len(operation.results) == 1:
        return operation.operands[len(operation.operands) - 1]
    return None


def _is_of_loop(value: Any) -> bool:
    """Whether the memory of a value is what a loop inside this one began with."""
    while value is not None and not isinstance(value, ir.BlockArgument):
        if value.owner.name == "scf.for":
            return True
        value = _destination(value)
    return False


def is_in_place(value: Any, argument: Any) -> bool:
    """Whether the value is the argument, perhaps written into, that nothing else ever reads."""
    while value != argument:
        if isinstance(value, ir.BlockArgument):
            return False
        value = _destination(value)
        if value is None or sum(1 for _ in value.uses) != 1:
            return False
    return True
