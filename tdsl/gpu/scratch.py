"""Put the buffers of a plan into one allocation, those that do not live at the same time into one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tdsl.lowering.passes import arena
from tdsl.types.sizes import Size


@dataclass(frozen=True)
class Use:
    """When a buffer is used: from step `first` to step `last` as seen from its own block, which
    stands in `home` loops."""

    first: int
    loops: tuple[int, ...]
    home: int
    last: int = -1

    @property
    def end(self) -> int:
        return max(self.first, self.last)

    def leaving(self, depth: int, first: int, last: int) -> Use:
        """The use as seen when the loop at this depth is over: a buffer from around it is needed
        through all of its steps."""
        if self.home > depth or len(self.loops) <= depth or self.first < first:
            return self
        return replace(self, first=first, last=last, loops=self.loops[:depth])


def place_scratch(
    buffers: Mapping[int, tuple[int, Sequence[Use]]], reuse: bool
) -> tuple[dict[int, int], int]:
    """For each buffer its first byte, and the bytes of the allocation."""
    lifetimes = []
    for size, uses in buffers.values():
        first = min((use.first for use in uses), default=0)
        last = max((use.end for use in uses), default=0)
        whole = arena.aligned(Size.of(size))
        lifetimes.append(arena.Buffer(whole, first, last) if reuse else arena.Buffer(whole, 0, 1))
    offsets, total = arena.place(lifetimes)
    placed = {number: offset.literal or 0 for number, offset in zip(buffers, offsets, strict=True)}
    return placed, total.literal or 0
