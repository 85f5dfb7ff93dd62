"""The sizes of tiles: which part of a result a block of threads computes, and each thread of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from tdsl.gpu.kernels.writer import WARP

MOST_BLOCKS: Final = 2**31 - 1
"""The largest grid along x, the only axis that kernels use."""
BUSY_BLOCKS: Final = 128
"""About as many multiprocessors as large GPUs have: with fewer blocks some have nothing to do."""
GROUP: Final = 8
"""Rows of tiles that are computed together, so that what they read stays in the L2 cache."""


@dataclass(frozen=True)
class SimtTile:
    """Of a product computed without tensor cores: the tile of a block and that of a thread."""

    rows: int
    columns: int
    depth: int
    thread_rows: int
    thread_columns: int
    blocks: int = 1
    """How many blocks a multiprocessor is to hold: bounds the registers of each thread. Where sizes
    are no multiples of the tile, more registers are needed, and fewer blocks fit."""

    @property
    def threads(self) -> int:
        return (self.rows // self.thread_rows) * (self.columns // self.thread_columns)


@dataclass(frozen=True)
class TensorTile:
    """Of a product on tensor cores: the tile of a block, in words of 32 bits along the depth, and
    how many warps share it each way."""

    rows: int
    columns: int
    words: int
    warp_rows: int
    warp_columns: int
    blocks: int = 1

    @property
    def threads(self) -> int:
        return self.warp_rows * self.warp_columns * WARP


_Tile = TypeVar("_Tile", SimtTile, TensorTile)

# Largest first; the last one is for products of few rows.
SIMT_F32: Final = (
    SimtTile(128, 128, 16, 8, 8, blocks=2),
    SimtTile(64, 64, 16, 4, 4, blocks=3),
    SimtTile(16, 64, 16, 2, 4, blocks=4),
)
SIMT_F64: Final = (
    SimtTile(64, 64, 8, 4, 4, blocks=2),
    SimtTile(16, 64, 8, 2, 4, blocks=4),
)
TENSOR: Final = (
    TensorTile(128, 128, 16, 2, 4),
    TensorTile(64, 64, 16, 2, 2, blocks=4),
    TensorTile(16, 64, 16, 1, 4, blocks=4),
)


def chosen(tiles: tuple[_Tile, ...], batches: int, rows: int, columns: int) -> _Tile:
    """The largest tile that a product fills enough blocks with."""
    few = tiles[-1]
    if rows <= few.rows:
        return few
    for tile in tiles[:-1]:
        blocks = batches * -(-rows // tile.rows) * -(-columns // tile.columns)
        if blocks >= BUSY_BLOCKS:
            return tile
    return tiles[-2]


MOST_FEW: Final = 4
"""Products of so few rows or columns are computed without tiles."""
FEW_WARPS: Final = 8
"""Warps of their blocks."""
FEW_STEPS: Final = 4
"""How much of the depth each thread asks for at a time."""

ROW_WARPS: Final = 4
"""Warps of a block that computes a row by a warp."""
ROW_LANE_ELEMENTS: Final = 16
"""The most elements of a row that a thread holds in registers from one phase to the next."""
ROW_THREADS: Final = 1024
"""The most threads for one row."""


SIDE: Final = 16
"""Attention is computed by 16 × 16 threads: rows of them share queries, columns keys."""


@dataclass(frozen=True)
class AttentionTile:
    """Of attention: queries and keys at a time; how much of the depth of a head is multiplied at
    a time, and how many columns of the values are mixed."""

    queries: int
    keys: int
    depth: int
    columns: int
    blocks: int = 1

    @property
    def threads(self) -> int:
        return SIDE * SIDE


@dataclass(frozen=True)
class TensorAttentionTile:
    """Of attention on tensor cores: each warp has 16 of the queries."""

    queries: int
    keys: int
    blocks: int = 1

    @property
    def threads(self) -> int:
        return self.queries // 16 * WARP


def attention_tile(element: str, depth: int, queries: int) -> AttentionTile:
    """The tile for heads of this depth: all of it in shared memory."""
    # As many blocks as registers are left for: the sums of deeper heads take more.
    blocks = 3 if depth <= 64 else 2 if depth <= 128 else 1
    rows = SIDE if queries <= SIDE or depth > 256 else 64
    if element == "f64":
        return AttentionTile(min(rows, 32), 32, 16, 64, blocks)
    if depth <= 64:
        return AttentionTile(rows, 32, 64, 64, blocks)
    return AttentionTile(rows, 32, 32, 128, blocks)


MOST_TENSOR_DEPTH: Final = 128
"""The deepest heads whose queries and sums fit into the registers of a warp."""


def tensor_attention_tile(pack: int, depth: int) -> TensorAttentionTile:
    """The tile for words of so many numbers."""
    return TensorAttentionTile(64, 32 if pack == 1 and depth > 64 else 64, blocks=2)


MOST_DEPTH: Final = 1024
"""The deepest heads whose sums fit into registers, with as few queries as there can be."""
HIDDEN: Final = -1e6
"""A score that hides a key: what is added to it, or less, is as good as -inf for numbers that
differ by less than this."""
