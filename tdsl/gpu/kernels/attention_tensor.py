"""Attention on tensor cores: scores stay in registers, and become an operand of the next product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdsl.gpu.kernels.attention_frame import INFINITY, Frame
from tdsl.gpu.kernels.mma import (
    COLUMNS,
    ROWS,
    STEP,
    Multiplicand,
    as_register,
    interleaved,
    multiply,
    put_words,
    register,
    words,
)
from tdsl.gpu.kernels.tiles import TensorAttentionTile
from tdsl.gpu.kernels.writer import WARP, Index
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Tensor
from tdsl.lowering.claims.code import Value

_GROUP = 4
"""Threads that hold one row of a fragment."""


class TensorAttention(Frame):
    """A warp has 16 queries, in registers, and all of the scores and mixed values for them.

    Keys lie in shared memory as words along the depth; values as words of two keys, where a word
    has two numbers. The sums of the first product are laid out as an operand of the second one: a
    thread has two neighbouring keys of each eight. With TF32 an operand wants keys t and t + 4
    instead; since keys may be taken in any order, if it is the same for the values, key 2t is
    called t there, and 2t + 1 is called t + 4."""

    def __init__(
        self,
        attention: Attention,
        operands: Sequence[Any],
        result: Any,
        aligned: frozenset[int],
        tile: TensorAttentionTile,
        type_: Multiplicand,
    ) -> None:
        super().__init__(attention, operands, result, aligned, tile)
        self.type = type_
        self.steps = -(-self.depth // type_.depth)
        self.span = self.steps * type_.depth
        """The depth, as far as it is multiplied."""
        self.tiles = -(-self.width // COLUMNS)
        columns = self.tiles * COLUMNS
        # So that the words of a fragment lie in different banks.
        self.key_tile = self.code.shared("i32", tile.keys, self.steps * STEP + 4)
        if type_.pack == 2:
            self.value_tile = self.code.shared("i32", tile.keys // 2, columns + 8)
        else:
            self.value_tile = self.code.shared("i32", tile.keys, columns + 4)

    def text(self, symbol: str) -> str:
        code, tile = self.code, self.tile
        self.begin()
        warp, lane = code.div(code.thread, WARP), code.rem(code.thread, WARP)
        self.group, self.member = code.div(lane, _GROUP), code.rem(lane, _GROUP)
        self.row = code.add(code.mul(warp, ROWS), self.group)
        """The first query of this thread, in the block; the other one is 8 further."""
        self.fragments = [self._queries(step) for step in range(self.steps)]
        zero, limit = code.constant(0.0, "f32"), code.constant(-INFINITY, "f32")
        start = [limit, limit, zero, zero, *[zero] * (4 * self.tiles)]
        found = code.loop(code.index(0), self.end(), tile.keys, start, self._keys)
        self._finish(found[2:4], found[4:])
        return code.kernel(symbol, [*self.operands, self.result], self.grid, tile.blocks)

    # --- operands

    def _some(
        self,
        value: Tensor,
        rows: tuple[Index, Index, int],
        columns: tuple[Index, Index, int],
        lanes: int,
        *,
        turned: bool = False,
    ) -> Value:
        """Neighbours of a row, read one by one if they do not lie so that they can be at once."""
        if self.lanes >= lanes:
            return self.read(value, rows, columns, lanes=lanes, turned=turned)
        code, (first, column, size) = self.code, columns
        found = [
            self.read(value, rows, (first, code.add(column, at), size), lanes=1, turned=turned)
            for at in range(lanes)
        ]
        return code.joined(found) if lanes > 1 else found[0]

    def _queries(self, step: int) -> list[str]:
        """This thread's part of 16 queries: of two of them, from two places of the depth."""
        code, pack = self.code, self.type.pack
        queries = self.attention.product.inputs[0][0]
        found = []
        for half in (0, STEP // 2):
            for below in (0, ROWS // 2):
                rows = (self.first, code.add(self.row, below), self.tile.queries)
                word = code.add(self.member, step * STEP + half)
                columns: tuple[Index, Index, int] = (0, code.mul(word, pack), self.span)
                numbers = self._some(queries, rows, columns, pack)
                found.append(as_register(code, self.type, numbers))
        return found

    def _put_keys(self, key: Index) -> None:
        code, pack, tile = self.code, self.type.pack, self.tile
        keys = self.attention.product.inputs[1][0]
        lanes = max(self.lanes, pack)

        def put(row: Index, column: Index) -> None:
            numbers = self._some(
                keys, (key, row, tile.keys), (0, column, self.span), lanes, turned=True
            )
            found = words(code, self.type, numbers)
            put_words(code, self.key_tile, [row, code.div(column, pack)], found)

        self.each(tile.keys, self.span, lanes, put)

    def _put_values(self, key: Index) -> None:
        code, pack, tile = self.code, self.type.pack, self.tile
        values = self.attention.mixed.inputs[1][0]
        columns = self.tiles * COLUMNS

        def put(row: Index, column: Index) -> None:
            numbers = [
                self.read(
                    values,
                    (key, code.add(code.mul(row, pack), at), tile.keys),
                    (0, column, columns),
                    lanes=self.lanes,
                )
                for at in range(pack)
            ]
            if pack == 2:
                found = interleaved(code, self.type, *numbers)
            else:
                found = words(code, self.type, numbers[0])
            put_words(code, self.value_tile, [row, column], found)

        self.each(tile.keys // pack, columns, self.lanes, put)

    # --- one tile of keys

    def _keys(self, key: str, carried: list[Value]) -> Sequence[Value]:
        code, tile = self.code, self.tile
        tops, sums, mixed = carried[:2], carried[2:4], carried[4:]
        code.barrier()
        self._put_keys(key)
        self._put_values(key)
        code.barrier()
        products = [self._products(at) for at in range(tile.keys // COLUMNS)]
        done = []
        for r in (0, 1):
            query = code.add(code.add(self.first, self.row), r * (ROWS // 2))
            scores = []
            for at, four in enumerate(products):
                first = code.add(code.add(key, at * COLUMNS), code.mul(self.member, 2))
                for c in (0, 1):
                    scores.append(self.score(four[2 * r + c], query, code.add(first, c)))
            done.append(self.shares(scores, tops[r], sums[r], _GROUP))
        scaled = [
            code.apply("arith.mulf", one, done[place % 4 // 2][2])
            for place, one in enumerate(mixed)
        ]
        new = [done[0][0], done[1][0], done[0][1], done[1][1]]
        return [*new, *self._mix([done[0][3], done[1][3]], scaled)]

    def _products(self, at: int) -> list[Value]:
        """Of the queries with eight keys."""
        code = self.code
        sums = [code.constant(0.0, "f32")] * 4
        row = code.add(self.group, at * COLUMNS)
        for step, fragment in enumerate(self.fragments):
            right = [
                register(
                    code, self.type, self.key_tile, [row, code.add(self.member, step * STEP + half)]
                )
                for half in (0, STEP // 2)
            ]
            sums = multiply(code, self.type, fragment, right, sums)
        return sums

    def _mix(self, shares: Sequence[Sequence[Value]], mixed: list[Value]) -> list[Value]:
        """Adds the values of a tile of keys, each as much as its share."""
        code, type_ = self.code, self.type
        found = list(mixed)
        for step in range(self.tile.keys // type_.depth):
            if type_.pack == 2:
                left = [
                    as_register(code, type_, code.joined(shares[r][at : at + 2]))
                    for at in (4 * step, 4 * step + 2)
                    for r in (0, 1)
                ]
                rows = [code.add(self.member, step * STEP + half) for half in (0, STEP // 2)]
            else:
                left = [
                    as_register(code, type_, shares[r][2 * step + c])
                    for c in (0, 1)
                    for r in (0, 1)
                ]
                first = code.add(code.mul(self.member, 2), step * STEP)
                rows = [code.add(first, c) for c in (0, 1)]
            for at in range(self.tiles):
                column = code.add(self.group, at * COLUMNS)
                right = [register(code, type_, self.value_tile, [row, column]) for row in rows]
                found[4 * at : 4 * at + 4] = multiply(
                    code, type_, left, right, found[4 * at : 4 * at + 4]
                )
        return found

    # --- the result

    def _finish(self, sums: Sequence[Value], mixed: Sequence[Value]) -> None:
        code = self.code
        for r in (0, 1):
            inverse = self.inverse(sums[r], _GROUP)
            query = code.add(code.add(self.first, self.row), r * (ROWS // 2))
            inside = code.below(query, self.queries) if self.queries % self.tile.queries else True

            def write(r: int = r, query: Index = query, inverse: Value = inverse) -> None:
                for at in range(self.tiles):
                    pair = [
                        code.apply("arith.mulf", mixed[4 * at + 2 * r + c], inverse) for c in (0, 1)
                    ]
                    column = code.add(code.mul(self.member, 2), at * COLUMNS)
                    beyond = (at + 1) * COLUMNS > self.width
                    self.put_columns(query, column, code.joined(pair), beyond=beyond)

            code.only_if(inside, write)
