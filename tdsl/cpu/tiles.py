"""The shapes of register tiles: how many rows and columns of a product are computed at once."""

from __future__ import annotations

import msgspec

from tdsl.lowering.machine import Machine


class Tile(msgspec.Struct, frozen=True):
    """`rows` × `vectors` accumulators of `lanes` elements each."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes


# By vector unit: rows and vectors. The accumulators, a row of the right operand and one broadcast
# element of the left one fill the registers.
_SHAPES = {"avx512": (8, 3), "avx2": (6, 2), "portable": (4, 2)}


def tile_for(machine: Machine, element_bytes: int) -> Tile:
    """The tile for products with many rows."""
    rows, vectors = _SHAPES[machine.isa]
    return Tile(rows, vectors, machine.lanes(element_bytes))
