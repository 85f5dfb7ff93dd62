"""Products computed without tensor cores: tiles in shared memory, and a tile a thread in registers."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.gpu.kernels.elements import load, store
from tdsl.gpu.kernels.form import MatmulForm
from tdsl.gpu.kernels.staging import Staging, as_type, padded, whole
from tdsl.gpu.kernels.tiles import SimtTile
from tdsl.gpu.kernels.writer import WARP, Index, KernelCode
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand

_GROUP = 4
"""Rows or columns of a thread that lie side by side; groups are spread over the tile, so that the
threads of a warp read shared memory side by side."""
_WARP_COLUMNS = 8


class SimtKernel:
    """While a tile is multiplied, each thread holds its part of the next one in registers; it goes
    to the half of shared memory that nobody reads."""

    def __init__(self, form: MatmulForm, tile: SimtTile) -> None:
        self.form, self.tile = form, tile
        self.code = code = KernelCode(tile.threads)
        self.left = Staging(code, form.left, tile.rows, tile.depth, 1, _GROUP)
        self.right = Staging(code, form.right, tile.columns, tile.depth, 1, _GROUP)
        # A tile is [depth, rows] whichever way the operand lies.
        self.left_row = padded(tile.rows, turned=self.left.along_k)
        self.right_row = padded(tile.columns, turned=self.right.along_k)
        self.left_tile = code.shared(form.element, 2, tile.depth, self.left_row)
        self.right_tile = code.shared(form.element, 2, tile.depth, self.right_row)

    def text(self, symbol: str) -> str:
        form, tile, code = self.form, self.tile, self.code
        batch, row, column = form.tile(code, tile.rows, tile.columns)
        self.left.start(batch, row)
        self.right.start(batch, column)
        down, across = self._place()
        self._put(0, self._read(0))
        code.barrier()
        lanes = min(_GROUP, tile.thread_columns)
        zero = code.constant(0.0, form.element, lanes)
        sums = [zero] * (tile.thread_rows * (tile.thread_columns // lanes))

        def step(k: str, carried: list[Value]) -> Sequence[Value]:
            half = code.rem(code.div(k, tile.depth), 2)
            following = self._read(code.add(k, tile.depth))
            found = self._multiply(half, down, across, carried)
            self._put(code.sub(1, half), following)
            code.barrier()
            return found

        sums = code.loop(code.index(0), code.index(form.k), tile.depth, sums, step)
        self._finish(batch, code.add(row, down), code.add(column, across), sums)
        grid = form.grid(tile.rows, tile.columns)
        exact = form.is_exact(tile.rows, tile.columns, tile.depth)
        together = tile.blocks if exact else 1
        return code.kernel(symbol, form.arguments, grid, together)

    def _place(self) -> tuple[Index, Index]:
        """The first row and column of this thread, in the tile."""
        tile, code = self.tile, self.code
        across = tile.columns // tile.thread_columns
        warp, lane = code.div(code.thread, WARP), code.rem(code.thread, WARP)
        warps = across // _WARP_COLUMNS
        row = code.add(
            code.mul(code.div(warp, warps), WARP // _WARP_COLUMNS), code.div(lane, _WARP_COLUMNS)
        )
        column = code.add(
            code.mul(code.rem(warp, warps), _WARP_COLUMNS), code.rem(lane, _WARP_COLUMNS)
        )
        return (
            code.mul(row, min(_GROUP, tile.thread_rows)),
            code.mul(column, min(_GROUP, tile.thread_columns)),
        )

    # --- tiles

    def _read(self, k: Index) -> list[Value]:
        return [*self.left.read(k), *self.right.read(k)]

    def _put(self, half: Index, values: Sequence[Value]) -> None:
        count = len(self.left.types)
        self._put_side(self.left, self.left_tile, half, values[:count])
        self._put_side(self.right, self.right_tile, half, values[count:])

    def _put_side(
        self, staging: Staging, memory: Operand, half: Index, values: Sequence[Value]
    ) -> None:
        code = self.code
        for part, pieces in staging.pairs(values):
            value = as_type(code, whole(code, pieces), self.form.element)
            if not staging.along_k:
                store(code, memory, [half, part.k, part.row], value)
                continue
            for lane in range(max(value.lanes, 1)):
                here: list[Index] = [half, code.add(part.k, lane), part.row]
                store(code, memory, here, code.lane(value, lane))

    # --- arithmetic

    def _multiply(
        self, half: Index, down: Index, across: Index, sums: Sequence[Value]
    ) -> list[Value]:
        code, tile = self.code, self.tile
        found = list(sums)
        for k in range(tile.depth):
            left = self._fragment(self.left_tile, half, k, down, tile.rows, tile.thread_rows)
            right = self._fragment(
                self.right_tile, half, k, across, tile.columns, tile.thread_columns
            )
            rows = [code.lane(group, at) for group in left for at in range(max(group.lanes, 1))]
            for i, x in enumerate(rows):
                for j, y in enumerate(right):
                    place = i * len(right) + j
                    found[place] = code.fused(code.spread(x, y.lanes), y, found[place])
        return found

    def _fragment(
        self, memory: Operand, half: Index, k: int, first: Index, size: int, count: int
    ) -> list[Value]:
        """The rows of a thread at one depth, by groups."""
        lanes = min(_GROUP, count)
        groups = count // lanes
        return [
            load(self.code, memory, [half, k, self.code.add(first, size // groups * group)], lanes)
            for group in range(groups)
        ]

    # --- the end

    def _finish(self, batch: Index, row: Index, column: Index, sums: Sequence[Value]) -> None:
        code, tile = self.code, self.tile
        lanes = min(_GROUP, tile.thread_columns)
        groups = tile.thread_columns // lanes
        height = min(_GROUP, tile.thread_rows)
        spread = tile.rows // (tile.thread_rows // height)
        for i in range(tile.thread_rows):
            pieces: list[tuple[Index, list[Value]]] = []
            for j in range(groups):
                total = sums[i * groups + j]
                there = code.add(column, j * (tile.columns // groups))
                pieces.append((there, [code.lane(total, lane) for lane in range(lanes)]))
            here = code.add(row, i // height * spread + i % height)
            self.form.finish(code, batch, here, pieces)
