"""The inner loop of a product: one register tile, over all of the inner dimension."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from tdsl.cpu.reading import Operands
from tdsl.cpu.tiles import Tile
from tdsl.cpu.writer import Index

_AHEAD: Final = 8
"""How many rows further on memory is asked for."""


class PackedPanel(msgspec.Struct, frozen=True):
    """A panel in memory: where it begins (`leading` indices), and the type it is stored in."""

    name: str
    type: str
    leading: tuple[str, ...]
    element: Any


class Micro(msgspec.Struct, frozen=True):
    """Tiles of one panel of columns."""

    operands: Operands
    tile: Tile
    depth: Index
    panel: PackedPanel

    def multiply(self, row: Index) -> list[str]:
        """The tile's vectors, row by row."""
        operands, tile = self.operands, self.tile
        writer = operands.writer
        total = tile.rows * tile.vectors
        zero = writer.constant("dense<0.0>", operands.vector)
        rows = [writer.add(row, i) for i in range(tile.rows)]

        def step(k: str, sums: list[str]) -> list[str]:
            columns = [self._column(k, j) for j in range(tile.vectors)]
            found = list(sums)
            for i in range(tile.rows):
                scalar = operands.scalar(operands.product.left, m=rows[i], k=k)
                spread = writer.op(
                    f"vector.broadcast {scalar} : {operands.product.element} to {operands.vector}"
                )
                for j in range(tile.vectors):
                    at = i * tile.vectors + j
                    found[at] = operands.fma(spread, columns[j], found[at])
            return found

        return writer.loop(0, self.depth, 1, step, [zero] * total, [operands.vector] * total)

    def _column(self, k: str, j: int) -> str:
        """The j-th vector of a row of the panel."""
        operands, panel = self.operands, self.panel
        writer = operands.writer
        spelled = [*panel.leading, k, writer.index(j * self.tile.lanes)]
        stored = f"vector<{self.tile.lanes}x{panel.element}>"
        place = f"{panel.name}[{', '.join(spelled)}]"
        value = writer.op(f"vector.load {place} : {panel.type}, {stored}")
        return operands.widened(value, panel.element, f"{self.tile.lanes}x")


class PackingMicro(Micro, frozen=True):
    """The first tile of a panel: it reads columns where they lie, and packs them on the way, so
    that nobody waits for memory twice."""

    first: Index = 0

    def _column(self, k: str, j: int) -> str:
        writer, lanes = self.operands.writer, self.tile.lanes
        right = self.operands.product.right
        n = writer.add(self.first, j * lanes)
        value = self.operands.along(right, None, k=k, n=n)
        ahead = writer.add(k, _AHEAD)
        self.operands.prefetch(right, k=ahead, n=n)
        place = ", ".join([*self.panel.leading, k, writer.index(j * lanes)])
        writer.raw(
            f"vector.store {value}, {self.panel.name}[{place}] : {self.panel.type}, "
            f"{self.operands.vector}"
        )
        return value
