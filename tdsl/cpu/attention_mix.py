"""Adding up the values of a chunk of keys for a block of queries, each as much as its share."""

from __future__ import annotations

from tdsl.cpu.attention_chunk import Chunk
from tdsl.cpu.attention_frame import Frame
from tdsl.cpu.attention_skips import between
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import store


class Mix:
    """The second product, for `size` queries from `first` on. Shares lie in `frame.score`, sums in
    `frame.mix`, and what the sums so far are to be multiplied with in `frame.factor`."""

    def __init__(self, frame: Frame, first: str, size: str, offset: str | None) -> None:
        self._frame, self._code = frame, frame.code
        self._first, self._size, self._offset = first, size, offset

    def add(self, chunk: Chunk) -> None:
        code, w, rows = self._code, self._frame, self._frame.rows
        columns = -(-w.width // w.lanes)
        step = w.tile.columns
        whole_columns = columns if w.width % w.lanes == 0 else columns - 1
        full = whole_columns - whole_columns % step

        def group(q: str, _: list[Value]) -> tuple[()]:
            stop = chunk.end
            if self._offset is not None:
                seen = code.plus(code.plus(code.plus(self._first, q), rows), self._offset)
                stop = between(w, seen, chunk.begin, chunk.end)
            if full:

                def panel(column: str, _: list[Value]) -> tuple[()]:
                    self._panel(chunk, stop, q, column, step, w.width)
                    return ()

                code.loop(code.index(0), code.index(full * w.lanes), step * w.lanes, [], panel)
            for start in range(full, columns, step):
                count = min(step, columns - start)
                column = code.index(start * w.lanes)
                self._panel(chunk, stop, q, column, count, w.width - start * w.lanes)
            return ()

        groups = code.index_op("ceildivui", self._size, code.index(rows))
        queries = code.index_op("muli", groups, code.index(rows))
        code.loop(code.index(0), queries, rows, [], group)

    def _panel(self, chunk: Chunk, stop: str, q: str, column: str, count: int, left: int) -> None:
        """A few queries and a few vectors of columns, of which `left` are there."""
        code, w = self._code, self._frame
        starts = [code.plus(column, c * w.lanes) for c in range(count)]
        masks = [w.column_mask(left - c * w.lanes) for c in range(count)]
        queries = [code.plus(q, r) for r in range(w.rows)]
        totals: list[Value] = []
        for row in queries:
            factor = w.scalar(w.factor, row)
            totals.extend(
                code.apply("arith.mulf", w.load(w.mix, row, start), factor) for start in starts
            )

        def step(key: str, carried: list[Value]) -> list[Value]:
            given = list(carried)
            score_row = code.index_op("subi", key, chunk.begin)
            loaded = [
                chunk.value(key, start, mask) for start, mask in zip(starts, masks, strict=True)
            ]
            for r, row in enumerate(queries):
                share = w.scalar(w.score, score_row, row)
                for c in range(count):
                    place = r * count + c
                    given[place] = w.fma(share, loaded[c], given[place])
            return given

        totals = code.loop(chunk.begin, stop, 1, totals, step)
        for r, row in enumerate(queries):
            for c in range(count):
                store(code, w.mix, [row, starts[c]], totals[r * count + c])
