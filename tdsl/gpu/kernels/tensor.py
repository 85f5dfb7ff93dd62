"""Products on tensor cores: `mma.sync` on operands of 16 bits or TF32, with sums in f32."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.gpu.kernels.form import MatmulForm
from tdsl.gpu.kernels.mma import (
    COLUMNS,
    ROWS,
    STEP,
    Multiplicand,
    interleaved,
    multiply,
    put_words,
    register,
    words,
)
from tdsl.gpu.kernels.staging import Staging, whole
from tdsl.gpu.kernels.tiles import TensorTile
from tdsl.gpu.kernels.writer import WARP, Index, KernelCode
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand


class TensorKernel:
    """Tiles lie in shared memory as words of 32 bits along the depth, each one TF32 number or two
    of 16 bits: [rows, words] where the depth is contiguous in memory, else [words, rows]. Both are
    padded so that the words of a fragment lie in different banks."""

    def __init__(self, form: MatmulForm, tile: TensorTile, type_: Multiplicand) -> None:
        self.form, self.tile, self.type = form, tile, type_
        self.code = code = KernelCode(tile.threads)
        self.depth = tile.words * type_.pack
        self.left = Staging(code, form.left, tile.rows, self.depth, type_.pack, 8)
        self.right = Staging(code, form.right, tile.columns, self.depth, type_.pack, 8)
        self.left_tile = self._memory(self.left)
        self.right_tile = self._memory(self.right)
        self.height = tile.rows // (tile.warp_rows * ROWS)
        self.width = tile.columns // (tile.warp_columns * COLUMNS)

    def _memory(self, staging: Staging) -> Operand:
        words = self.tile.words
        if staging.along_k:
            return self.code.shared("i32", 2, staging.rows, words + 4)
        return self.code.shared("i32", 2, words, staging.rows + 8)

    def text(self, symbol: str) -> str:
        form, tile, code = self.form, self.tile, self.code
        batch, row, column = form.tile(code, tile.rows, tile.columns)
        self.left.start(batch, row)
        self.right.start(batch, column)
        warp, lane = code.div(code.thread, WARP), code.rem(code.thread, WARP)
        # As the fragments have it: a group of four lanes holds a row.
        group, member = code.div(lane, 4), code.rem(lane, 4)
        down = code.mul(code.div(warp, tile.warp_columns), self.height * ROWS)
        across = code.mul(code.rem(warp, tile.warp_columns), self.width * COLUMNS)
        self._put(0, self._read(0))
        code.barrier()
        sums = [code.constant(0.0, "f32")] * (self.height * self.width * 4)

        def step(k: str, carried: list[Value]) -> Sequence[Value]:
            half = code.rem(code.div(k, self.depth), 2)
            following = self._read(code.add(k, self.depth))
            places = (code.add(down, group), code.add(across, group), member)
            found = self._multiply(half, places, carried)
            self._put(code.sub(1, half), following)
            code.barrier()
            return found

        sums = code.loop(code.index(0), code.index(form.k), self.depth, sums, step)
        column = code.add(code.add(column, across), code.mul(member, 2))
        self._finish(batch, code.add(code.add(row, down), group), column, sums)
        grid = form.grid(tile.rows, tile.columns)
        exact = form.is_exact(tile.rows, tile.columns, self.depth)
        together = tile.blocks if exact else 1
        return code.kernel(symbol, form.arguments, grid, together)

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
        code, pack = self.code, self.type.pack
        for part, pieces in staging.pairs(values):
            word = code.div(part.k, pack)
            if staging.along_k:
                found = words(code, self.type, whole(code, pieces))
                put_words(code, memory, [half, part.row, word], found)
            elif pack == 1:
                found = words(code, self.type, pieces[0])
                put_words(code, memory, [half, word, part.row], found)
            else:
                found = interleaved(code, self.type, *pieces)
                put_words(code, memory, [half, word, part.row], found)

    # --- arithmetic

    def _multiply(
        self, half: Index, places: tuple[Index, Index, Index], sums: Sequence[Value]
    ) -> list[Value]:
        code = self.code
        row, column, member = places
        found = list(sums)
        for start in range(0, self.tile.words, STEP):
            words = [code.add(member, start), code.add(member, start + STEP // 2)]
            left = [
                [
                    self._fragment(self.left, self.left_tile, half, code.add(row, i * ROWS + r), w)
                    for w in words
                    for r in (0, 8)
                ]
                for i in range(self.height)
            ]
            right = [
                [
                    self._fragment(
                        self.right, self.right_tile, half, code.add(column, j * COLUMNS), w
                    )
                    for w in words
                ]
                for j in range(self.width)
            ]
            for i, a in enumerate(left):
                for j, b in enumerate(right):
                    at = (i * self.width + j) * 4
                    found[at : at + 4] = multiply(code, self.type, a, b, found[at : at + 4])
        return found

    def _fragment(
        self, staging: Staging, memory: Operand, half: Index, row: Index, word: Index
    ) -> str:
        indices = [half, row, word] if staging.along_k else [half, word, row]
        return register(self.code, self.type, memory, indices)

    # --- the end

    def _finish(self, batch: Index, row: Index, column: Index, sums: Sequence[Value]) -> None:
        code = self.code
        for i in range(self.height):
            for half in (0, 1):
                pieces: list[tuple[Index, list[Value]]] = []
                for j in range(self.width):
                    at = (i * self.width + j) * 4 + 2 * half
                    pieces.append((code.add(column, j * COLUMNS), list(sums[at : at + 2])))
                here = code.add(row, i * ROWS + 8 * half)
                self.form.finish(code, batch, here, pieces)
