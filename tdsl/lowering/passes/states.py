"""Whether a state of a loop may be overwritten by an operation of its body."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.rewriting import ancestor_in, identity


def becomes_itself(operation: Any, state: Any) -> bool:
    """Whether `state` is carried by the loop around the operation, and nothing that the operation
    gives goes anywhere else than into the same state of the next step."""
    here = operation.operation
    if not isinstance(state, ir.BlockArgument) or state.owner != here.block:
        return False
    return here.parent.name == "scf.for" and _next_states(here) == {state.arg_number - 1}


def _next_states(operation: Any) -> set[int]:
    """Which states of the loop around it the results of an operation go into."""
    waiting = list(operation.results)
    seen: set[int] = set()
    found: set[int] = set()
    while waiting:
        value = waiting.pop()
        for use in value.uses:
            user = ancestor_in(operation.block, use.owner)
            if user.name == "scf.yield":
                found.add(use.operand_number)
            elif identity(user) not in seen:
                seen.add(identity(user))
                waiting.extend(user.results)
    return found
