"""Moving tiles of operands to shared memory: which thread reads what, and how much at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tdsl.gpu.kernels.form import Source
from tdsl.gpu.kernels.writer import BYTES, Flag, Index, KernelCode
from tdsl.lowering.claims.code import Value


@dataclass(frozen=True)
class _Part:
    """What one thread reads of a tile in one step: where it lies in the tile, and in memory."""

    row: Index
    """In the tile."""
    k: Index
    source_row: Index
    in_rows: Flag


class Staging:
    """The tiles of one operand: `rows` by `depth` elements at a time, each thread some parts.

    A part is `lanes` elements along the axis that is contiguous in memory; with `pack` = 2 and the
    other axis contiguous, two of them, of neighbouring k.
    """

    def __init__(
        self, code: KernelCode, source: Source, rows: int, depth: int, pack: int, most: int
    ) -> None:
        self.code, self.source, self.pack = code, source, pack
        self.rows, self.depth = rows, depth
        self.along_k = source.along == "k"
        threads = code.threads
        # How many k each part has, and how many parts there are for one lane each.
        steps = depth if self.along_k else depth // pack
        unit = pack if self.along_k else 1
        lanes = max(unit, min(most, source.wide["k" if self.along_k else source.row]))
        while lanes > unit and rows * steps // lanes < threads:
            lanes //= 2
        self.lanes = lanes
        """Along the contiguous axis."""
        self.reads = lanes if source.wide["k" if self.along_k else source.row] >= lanes else 1
        """How many of them are read at once."""
        self.count = -(-rows * steps // (lanes * threads))
        """Parts of each thread."""
        self._all = rows * steps // lanes
        self.batch: Index = 0
        self._parts: list[_Part] = []
        self._registers = self._per_part()

    def _per_part(self) -> int:
        """Values that a part is held in."""
        return self.lanes // self.reads if self.along_k else self.pack

    def start(self, batch: Index, first: Index) -> None:
        """Find out what this thread reads, for a tile that begins at this row of the operand."""
        code, source = self.code, self.source
        self.batch = batch
        size = source.size(source.row)
        for number in range(self.count):
            place = code.add(code.thread, number * code.threads)
            if self._all % code.threads:
                place = code.least(place, self._all - 1)  # the last part, more than once
            if self.along_k:
                per_row = self.depth // self.lanes
                row = code.div(place, per_row)
                k = code.mul(code.rem(place, per_row), self.lanes)
            else:
                per_step = self.rows // self.lanes
                row = code.mul(code.rem(place, per_step), self.lanes)
                k = code.mul(code.div(place, per_step), self.pack)
            here = code.add(first, row)
            exact = size % self.rows == 0
            inside: Flag = True if exact else code.below(here, size)
            self._parts.append(_Part(row, k, here, inside))

    @property
    def types(self) -> list[Value]:
        """What the parts of a tile look like on their way."""
        lanes = self.reads if self.reads > 1 else 0
        one = Value("", self.source.operand.element, lanes)
        return [one] * (self.count * self._registers)

    def read(self, first: Index) -> list[Value]:
        """The tile at this depth, as memory holds it; 0 where it is beyond the operand."""
        code, depth = self.code, self.source.size("k")
        whole = depth % self.depth == 0
        found: list[Value] = []
        for part in self._parts:
            here = code.add(first, part.k)
            steps = range(0, self.lanes, self.reads) if self.along_k else range(self.pack)
            for step in steps:
                k = code.add(here, step)
                inside = code.both(part.in_rows, code.below(first if whole else k, depth))
                lanes = self.reads if self.reads > 1 else 0
                row = part.source_row
                found.append(self.source.load_if(code, inside, self.batch, row, k, lanes))
        return found

    def pairs(self, values: Sequence[Value]) -> list[tuple[_Part, list[Value]]]:
        """What was read, by part."""
        step = self._registers
        return [
            (part, list(values[at * step : (at + 1) * step])) for at, part in enumerate(self._parts)
        ]


def whole(code: KernelCode, pieces: Sequence[Value]) -> Value:
    """Pieces of one part as one value."""
    if len(pieces) == 1:
        return pieces[0]
    return code.joined([code.lane(one, at) for one in pieces for at in range(max(one.lanes, 1))])


def as_type(code: KernelCode, value: Value, element: str) -> Value:
    """In another precision."""
    if value.element == element:
        return value
    if BYTES[value.element] == BYTES[element]:  # f16 and bf16
        value = code.convert("arith.extf", value, "f32")
    widens = BYTES[value.element] < BYTES[element]
    return code.convert("arith.extf" if widens else "arith.truncf", value, element)


def padded(rows: int, *, turned: bool) -> int:
    """The length of a row of shared memory, with space so that what is written across rows spreads
    over the banks."""
    return rows + 4 if turned else rows
