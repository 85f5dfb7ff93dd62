"""The inner loop of a product: one register tile, over all of the inner dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tdsl.cpu.reading import Operands
from tdsl.cpu.tiles import Tile
from tdsl.cpu.writer import Index


@dataclass(frozen=True)
class PackedPanel:
    """A panel in memory: where it begins (`leading` indices), and the type it is stored in."""

    name: str
    type: str
    leading: tuple[str, ...]
    element: Any


@dataclass(frozen=True)
class Micro:
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
        operands, panel = self.operands, self.panel
        writer = operands.writer
        spelled = [*panel.leading, k, writer.index(j * self.tile.lanes)]
        stored = f"vector<{self.tile.lanes}x{panel.element}>"
        place = f"{panel.name}[{', '.join(spelled)}]"
        value = writer.op(f"vector.load {place} : {panel.type}, {stored}")
        return operands.widened(value, panel.element, f"{self.tile.lanes}x")
