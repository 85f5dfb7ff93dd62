"""Moving queries, keys and values to shared memory, some neighbours of a row at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tdsl.gpu.kernels.attention_frame import GROUP, Frame
from tdsl.gpu.kernels.elements import store
from tdsl.gpu.kernels.tiles import SIDE, AttentionTile
from tdsl.gpu.kernels.writer import BYTES, Flag, Index
from tdsl.lowering.claims.body import Tensor
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand, Place
from tdsl.lowering.device import Device


class StagedFrame(Frame):
    """Queries and keys lie turned, [depth, rows], so that a thread reads its rows side by side."""

    def __init__(
        self,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        aligned: frozenset[int] = frozenset(),
        tile: AttentionTile | None = None,
    ) -> None:
        super().__init__(function, operands, result, aligned, tile)
        self._memory()

    def _memory(self) -> None:
        code, tile = self.code, self.tile
        row, other = tile.queries + GROUP, tile.keys + GROUP
        whole = -(-self.depth // self.slice) * self.slice
        together = min(max(tile.columns // (SIDE * self.group), 1), self.groups)
        self.span = span = together * SIDE * self.group
        """Columns of the values that are in shared memory."""
        elements = self.slice * other + tile.keys * (row + span)
        size = BYTES[self.element]
        # Queries stay there if there is room.
        self.resident = (elements + whole * row) * size <= Device.shared_bytes
        self.query_tile = code.shared(self.element, whole if self.resident else self.slice, row)
        self.key_tile = code.shared(self.element, self.slice, other)
        self.share_tile = code.shared(self.element, tile.keys, row)
        self.value_tile = code.shared(self.element, tile.keys, span)

    def _each(self, rows: int, columns: int, put: Callable[[Index, Index], None]) -> None:
        """Spread the elements of a matrix over the threads, some neighbours of a row at a time."""
        code, lanes = self.code, self.lanes
        count = rows * (columns // lanes)
        per_row = columns // lanes
        for start in range(0, count, self.tile.threads):
            place = code.add(code.thread, start)
            if start + self.tile.threads > count:
                place = code.least(place, count - 1)  # the last one, more than once
            put(code.div(place, per_row), code.mul(code.rem(place, per_row), lanes))

    def _read(
        self,
        value: Tensor,
        rows: tuple[Index, Index, int],
        columns: tuple[Index, Index, int],
        *,
        turned: bool = False,
    ) -> Value:
        """Neighbours along a row; 0 beyond the end of the matrix, whose last element is read. Both
        places are given as where a tile begins, where in it, and its size."""
        code, lanes = self.code, self.lanes
        size = [int(one) for one in value.type.shape[-2:]]
        if turned:
            size.reverse()
        row, column = code.add(rows[0], rows[1]), code.add(columns[0], columns[1])
        inside: Flag = True
        if size[0] % rows[2]:
            inside = code.below(row, size[0])
            row = code.least(row, size[0] - 1)
        if size[1] % columns[2]:
            inside = code.both(inside, code.below(column, size[1]))
            column = code.least(column, size[1] - lanes)
        places = [Place(code.at(row)), Place(code.at(column), lanes if lanes > 1 else 0)]
        if turned:
            places.reverse()
        found = self.elements({}).at(value, (*self.head[: value.rank - 2], *places))
        found = code.spread(found, lanes if lanes > 1 else 0)
        return code.choose(inside, found, code.constant(0.0, found.element, found.lanes))

    def _put_turned(
        self,
        memory: Operand,
        value: Tensor,
        rows: tuple[Index, int],
        columns: tuple[Index, int],
        *,
        turned: bool,
    ) -> None:
        """A matrix, written to shared memory as [columns, rows]."""
        code = self.code

        def put(row: Index, column: Index) -> None:
            found = self._read(
                value, (rows[0], row, rows[1]), (columns[0], column, columns[1]), turned=turned
            )
            for lane in range(self.lanes):
                store(code, memory, [code.add(column, lane), row], code.lane(found, lane))

        self._each(rows[1], columns[1], put)

    def put_queries(self, start: Index, count: int) -> None:
        queries = self.attention.product.inputs[0][0]
        rows = (self.first, self.tile.queries)
        self._put_turned(self.query_tile, queries, rows, (start, count), turned=False)

    def put_keys(self, key: Index, start: Index) -> None:
        keys = self.attention.product.inputs[1][0]
        rows = (key, self.tile.keys)
        self._put_turned(self.key_tile, keys, rows, (start, self.slice), turned=True)

    def put_values(self, key: Index, start: int) -> None:
        code = self.code
        values = self.attention.mixed.inputs[1][0]

        def put(row: Index, column: Index) -> None:
            rows, columns = (key, row, self.tile.keys), (start, column, self.span)
            found = self._read(values, rows, columns)
            store(code, self.value_tile, [row, column], found)

        self._each(self.tile.keys, self.span, put)
