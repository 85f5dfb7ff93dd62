"""What the function of a claim of rows computes: reductions in phases, and then the result."""

from __future__ import annotations

from typing import Any

import msgspec

from tdsl.lowering.claims.body import Body, Map, Reduce, Tensor, Unreadable


class Chain(msgspec.Struct, frozen=True):
    """A claim's function as phases: reductions that can go on together, and then the result."""

    body: Body
    phases: tuple[tuple[Reduce, ...], ...]
    rank: int
    """The number of axes that count rows."""
    rows: bool
    """Whether the result has an element for each of a row, not one for the row."""

    @staticmethod
    def of(function: Any) -> Chain:
        body = Body(function)
        levels: dict[Tensor, int] = {}
        for value in body.values():
            below = max((levels[operand] for operand, _ in value.inputs), default=0)
            levels[value] = below + isinstance(value, Reduce)
        reductions = [value for value in levels if isinstance(value, Reduce)]
        ranks = {one.rank for one in reductions}
        if len(ranks) != 1:
            raise Unreadable("rows of different ranks")
        (rank,) = ranks
        result = body.result
        rows = result.rank == rank + 1 and result.type.shape[-1] != 1
        if result.rank not in (rank, rank + 1):
            raise Unreadable("a result of another rank")
        for value in levels:
            if not isinstance(value, Map | Reduce) and value.inputs:
                raise Unreadable(f"{type(value).__name__} in a chain of rows")
        phases = tuple(
            tuple(one for one in reductions if levels[one] == level)
            for level in range(1, max(levels.values()) + 1)
        )
        return Chain(body, phases, rank, rows)
