"""Turn tensors into memory, written in place wherever nobody can tell."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from tdsl.lowering.dialects import linalg
from tdsl.lowering.options import Options
from tdsl.lowering.passes import carry_state, own_updates
from tdsl.lowering.passes.own_updates import own_copy
from tdsl.lowering.rewriting import as_block, before, collect

# No `cse` before it: it would merge tensor.empty, and analysis then takes cubic time.
_BUFFERIZE = (
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map},"
    "canonicalize,cse,canonicalize,symbol-dce"
)


def run(module: Any, options: Options) -> None:
    """Whether a loop's states can be changed in place is found out by trying: upstream's analysis
    refuses some that would need a copy. Those are given one for each state and step."""
    if not collect(module, {"scf.for"}):
        own_updates.run(module, options)
        _pipeline(module, f"eliminate-empty-tensors,{_BUFFERIZE}")
        return
    saved = module.operation.clone()
    own_updates.run(module, options)
    carry_state.run(module, options)
    try:
        _pipeline(module, f"eliminate-empty-tensors,{_BUFFERIZE}")
    except ir.MLIRError:
        _restore(module, saved)
        copy_states(module)
        _pipeline(module, _BUFFERIZE)


def copy_states(module: Any) -> None:
    """Begin every loop with memory of its own, and let every step end with copies: first of all
    that becomes a state, then into the states."""
    for loop in collect(module, {"scf.for"}):
        block = as_block(loop)
        end = list(block.operations)[-1]
        with before(loop):
            for place in range(3, len(loop.operands)):
                value = loop.operands[place]
                if isinstance(value.type, ir.RankedTensorType):
                    loop.operation.operands[place] = own_copy(value)
        with before(end):
            changed = [
                (place, own_copy(value), argument)
                for place, (value, argument) in enumerate(
                    zip(list(end.operands), list(block.arguments)[1:], strict=True)
                )
                if isinstance(value.type, ir.RankedTensorType)
                and not carry_state.is_in_place(value, argument)
            ]
            for place, value, argument in changed:
                end.operation.operands[place] = linalg.copy(value, argument)


def _pipeline(module: Any, passes: str) -> None:
    PassManager.parse(f"builtin.module({passes})").run(module.operation)


def _restore(module: Any, saved: Any) -> None:
    for operation in list(module.body.operations):
        operation.operation.erase()
    here = ir.InsertionPoint(module.body)
    for operation in list(saved.regions[0].blocks[0].operations):
        operation.operation.detach_from_parent()
        here.insert(operation)
