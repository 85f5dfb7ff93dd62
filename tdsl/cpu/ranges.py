"""Work over a range of pieces that do not depend on each other, shared out to threads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from tdsl.lowering.passes.threads import declaration

# What one core does in about 40 microseconds, eight times what it takes to wake a worker: of
# multiplications and additions in registers, of bytes read from memory, of elements of a row. So
# even a worker that finds its core taken, and does nothing, costs no more than times vary anyway.
FLOPS: Final = 4_000_000
BYTES: Final = 1_000_000
ELEMENTS: Final = 100_000


class Range(msgspec.Struct, frozen=True):
    """A function `part(arguments…, begin, end)`, and how many threads may run it at once."""

    part: str
    arguments: Sequence[tuple[str, str]]
    threads: int
    has_blocks: bool = False
    """Whether the last argument is scratch memory, of which each thread needs a block."""

    @property
    def spread(self) -> str:
        return f"{self.part}.spread"

    def declaration(self) -> str:
        """For the module: what shares the range out; nothing for one thread."""
        if self.threads == 1:
            return ""
        types = [type_ for _, type_ in self.arguments]
        return declaration(self.part, types, self.threads, self.has_blocks)

    def call(self, begin: str, end: str, grain: str) -> str:
        """Compute a range, of which no less than `grain` pieces are worth another thread."""
        numbers = (begin, end) if self.threads == 1 else (begin, end, grain)
        values = ", ".join([name for name, _ in self.arguments] + list(numbers))
        types = ", ".join([type_ for _, type_ in self.arguments] + ["index"] * len(numbers))
        name = self.part if self.threads == 1 else self.spread
        return f'func.call @"{name}"({values}) : ({types}) -> ()'


def worth(threads: int, least: int, sizes: Sequence[int | None]) -> int:
    """How many threads a work that is the product of these sizes may need, as far as they are
    known: one, where less than two times `least` is to be done."""
    total = math.prod(1 if size is None else size for size in sizes)
    return 1 if None not in sizes and total < 2 * least else threads
