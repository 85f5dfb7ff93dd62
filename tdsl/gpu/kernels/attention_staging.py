"""Moving queries, keys and values to shared memory, some neighbours of a row at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdsl.gpu.kernels.attention_frame import GROUP, Frame
from tdsl.gpu.kernels.elements import store
from tdsl.gpu.kernels.tiles import MOST_DEPTH, SIDE, AttentionTile, attention_tile
from tdsl.gpu.kernels.writer import BYTES, Index
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Tensor
from tdsl.lowering.claims.evaluate import Operand
from tdsl.lowering.device import SHARED_BYTES
from tdsl.lowering.kernels import Refused


class StagedFrame(Frame):
    """Queries and keys lie turned, [depth, rows], so that a thread reads its rows side by side."""

    def __init__(
        self,
        attention: Attention,
        operands: Sequence[Any],
        result: Any,
        aligned: frozenset[int] = frozenset(),
        tile: AttentionTile | None = None,
    ) -> None:
        product, mixed = attention.product, attention.mixed
        deepest = max(int(product.inputs[0][0].type.shape[-1]), int(mixed.type.shape[-1]))
        if deepest > MOST_DEPTH:
            raise Refused(
                f"heads of depth {deepest}: sums for at most {MOST_DEPTH} fit in registers"
            )
        tile = tile or attention_tile(attention.element, deepest, int(product.type.shape[-2]))
        super().__init__(attention, operands, result, aligned, tile)
        self.rows = tile.queries // SIDE
        """Queries of a thread."""
        self.columns = tile.keys // SIDE
        """Keys of a thread."""
        self.group = self._group()
        """Neighbouring columns of the values that a thread has; `groups` of such."""
        self.groups = -(-self.width // (SIDE * self.group))
        self.slice = min(tile.depth, -(-self.depth // GROUP) * GROUP)
        self._memory(tile)

    def _group(self) -> int:
        """As few columns beyond the last one as can be, then as many neighbours."""
        waste = {group: -self.width % (SIDE * group) for group in (1, 2, GROUP)}
        return min(waste, key=lambda group: (waste[group], -group))

    def _memory(self, tile: AttentionTile) -> None:
        code = self.code
        row, other = tile.queries + GROUP, tile.keys + GROUP
        whole = -(-self.depth // self.slice) * self.slice
        together = min(max(tile.columns // (SIDE * self.group), 1), self.groups)
        self.span = span = together * SIDE * self.group
        """Columns of the values that are in shared memory."""
        elements = self.slice * other + tile.keys * (row + span)
        size = BYTES[self.element]
        # Queries stay there if there is room.
        self.resident = (elements + whole * row) * size <= SHARED_BYTES
        self.query_tile = code.shared(self.element, whole if self.resident else self.slice, row)
        self.key_tile = code.shared(self.element, self.slice, other)
        self.share_tile = code.shared(self.element, tile.keys, row)
        self.value_tile = code.shared(self.element, tile.keys, span)

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
            found = self.read(
                value,
                (rows[0], row, rows[1]),
                (columns[0], column, columns[1]),
                lanes=self.lanes,
                turned=turned,
            )
            for lane in range(self.lanes):
                store(code, memory, [code.add(column, lane), row], code.lane(found, lane))

        self.each(rows[1], columns[1], self.lanes, put)

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
            found = self.read(values, rows, columns, lanes=self.lanes)
            store(code, self.value_tile, [row, column], found)

        self.each(self.tile.keys, self.span, self.lanes, put)
