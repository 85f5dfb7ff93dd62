"""The code of attention for one query of one head: keys and values stream through once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tdsl.cpu.attention_chunk import Chunk, last_axis
from tdsl.cpu.attention_frame import CHUNK, Frame
from tdsl.cpu.attention_result import put_row
from tdsl.cpu.attention_skips import last_product
from tdsl.cpu.vectors import exp_of_negative, transposed
from tdsl.lowering.claims.body import Tensor
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Evaluator, Place, Places, store

_TOGETHER = 4
"""Rows of values, or vectors of columns, that are added side by side."""


_AHEAD = 32
"""Keys and values that are asked for before they are needed: what memory delivers while it looks for
the first of them."""


class Single:
    """Lanes are keys for the scores, and columns of values where those are mixed. Keys that a mask
    hides are left out, but not values: 0 times infinity is not 0, and finding out whether there is
    one would cost as much as adding them up."""

    def __init__(self, frame: Frame, head: str, query: str) -> None:
        self._frame, self._code = frame, frame.code
        self._head, self._query = head, query
        self._line = frame.memory("line", CHUNK)
        self._row = frame.memory("query", -(-frame.depth // frame.lanes) * frame.lanes)
        self._row_of_mix = frame.code.index(0)
        self._last = last_product(frame, query)

    def write(self) -> None:
        code, w = self._code, self._frame
        self._keep_query()
        for start in range(0, w.mix.type.shape[1], w.lanes):
            store(code, w.mix, [self._row_of_mix, code.index(start)], w.nothing)
        low = code.constant(-float("inf"), w.element)
        _, total = code.loop(
            code.index(0), w.keys, CHUNK, [low, code.constant(0.0, w.element)], self._chunk
        )
        one = code.constant(1.0, w.element)
        if w.attention.zeros:
            empty = code.compare("oeq", total, code.constant(0.0, w.element))
            total = code.select(empty, one, total)
        factor = code.spread(code.apply("arith.divf", one, total), w.lanes)
        put_row(w, self._head, self._query, self._row_of_mix, factor)

    def _keep_query(self) -> None:
        """The query in f32 or f64, filled up with zeros."""
        code, w = self._code, self._frame
        queries = w.attention.product.inputs[0][0]
        for start in range(0, w.depth, w.lanes):
            mask = w.column_mask(w.depth - start)
            places = (Place(self._query), Place(code.index(start), w.lanes))
            evaluator = Evaluator(code, w.operands, {}, mask)
            x = evaluator.at(queries, (*w.heads_of(self._head, queries.rank), *places))
            store(code, self._row, [code.index(start)], self._filled(code.spread(x, w.lanes), mask))

    def _filled(self, x: Value, mask: str | None) -> Value:
        if mask is None:
            return x
        return self._code.select(Value(mask, "i1", self._frame.lanes), x, self._frame.nothing)

    def _chunk(self, begin: str, carried: list[Value]) -> Sequence[Value]:
        code, w = self._code, self._frame
        top, total = carried
        end = code.index_op("minui", code.plus(begin, CHUNK), w.keys)
        chunk = Chunk(w, self._head, begin, end)
        (best,) = code.loop(
            begin, end, w.lanes, [w.limit], lambda key, best: [self._scores(chunk, key, best[0])]
        )
        found = w.taken(code.reduce("maximumf", best), top)
        # Where nothing is seen yet, 0 stands in for -inf, from which nothing can be taken.
        unseen = code.compare("oeq", found, code.constant(-float("inf"), w.element))
        base = code.spread(code.select(unseen, code.constant(0.0, w.element), found), w.lanes)
        factor = exp_of_negative(code, code.apply("arith.subf", code.spread(top, w.lanes), base))

        def share(key: str, sums: list[Value]) -> Sequence[Value]:
            here = code.index_op("subi", key, begin)
            x = code.apply("arith.subf", w.load(self._line, here), base)
            found = exp_of_negative(code, x)
            store(code, self._line, [here], found)
            return [code.apply("arith.addf", sums[0], found)]

        (sums,) = code.loop(begin, end, w.lanes, [w.nothing], share)
        self._mix(chunk, factor)
        kept = code.emit(f"vector.extract {factor.name}[0] : {w.element} from {factor.type}")
        before = code.apply("arith.mulf", total, Value(kept, w.element))
        return [found, code.apply("arith.addf", before, code.reduce("add", sums))]

    # --- scores

    def _scores(self, chunk: Chunk, key: str, best: Value) -> Value:
        code, w = self._code, self._frame
        mask = code.emit(
            f"vector.create_mask {code.index_op('subi', w.keys, key)} : vector<{w.lanes}xi1>"
        )
        keys = w.attention.product.inputs[1][0]
        along = last_axis(keys) != keys.rank - 1

        def multiply() -> Sequence[Value]:
            return [self._dots(chunk, key) if along else self._steps(chunk, key, mask)]

        if self._last is None:
            (product,) = multiply()
        else:
            counts = code.less("sle", key, self._last)
            (product,) = code.when(counts, multiply, lambda: [w.nothing], [w.nothing])
        scores = w.attention.scores
        special: dict[Tensor, Callable[[Places], Value]] = {w.attention.product: lambda _: product}
        evaluator = Evaluator(code, w.operands, special, mask)
        places = (*w.leading(self._head, scores), Place(self._query), Place(key, w.lanes))
        x = code.spread(evaluator.at(scores, places), w.lanes)
        x = code.select(Value(mask, "i1", w.lanes), x, w.limit)
        store(code, self._line, [code.index_op("subi", key, chunk.begin)], x)
        return w.taken(x, best)

    def _dots(self, chunk: Chunk, key: str) -> Value:
        """Of as many keys as there are lanes, each along its own row."""
        code, w = self._code, self._frame
        last = code.plus(w.keys, -1)
        rows = [code.index_op("minui", code.plus(key, r), last) for r in range(w.lanes)]

        def step(start: str, sums: list[Value], mask: str | None = None) -> list[Value]:
            query = w.load(self._row, start)
            found = []
            for row, total in zip(rows, sums, strict=True):
                chunk.key_ahead(code.plus(row, _AHEAD), start)
                x = self._filled(chunk.key_along(row, start, mask), mask)
                found.append(w.fma(x, query, total))
            return found

        whole = w.depth - w.depth % w.lanes
        sums = [w.nothing] * w.lanes
        if whole:
            sums = code.loop(code.index(0), code.index(whole), w.lanes, sums, step)
        if w.depth % w.lanes:
            sums = step(code.index(whole), sums, w.column_mask(w.depth % w.lanes))
        columns = transposed(code, sums)
        while len(columns) > 1:
            pairs = zip(columns[::2], columns[1::2], strict=True)
            columns = [code.apply("arith.addf", x, y) for x, y in pairs]
        return columns[0]

    def _steps(self, chunk: Chunk, key: str, mask: str) -> Value:
        """Of neighbouring keys that lie next to each other, element after element."""
        code, w = self._code, self._frame

        def step(column: str, sums: list[Value]) -> list[Value]:
            x = w.scalar(self._row, column)
            return [w.fma(chunk.keys_across(key, column, mask), x, sums[0])]

        return code.loop(code.index(0), code.index(w.depth), 1, [w.nothing], step)[0]

    # --- values

    def _mix(self, chunk: Chunk, factor: Value) -> None:
        columns = -(-self._frame.width // self._frame.lanes)
        for first in range(0, columns, _TOGETHER):
            self._columns(chunk, factor, range(first, min(first + _TOGETHER, columns)))

    def _columns(self, chunk: Chunk, factor: Value, vectors: range) -> None:
        """Some vectors of columns; several keys at a time hide how long an addition takes."""
        code, w = self._code, self._frame
        starts = [code.index(c * w.lanes) for c in vectors]
        masks = [w.column_mask(w.width - c * w.lanes) for c in vectors]
        unroll = 2 * _TOGETHER // len(starts)
        totals = [
            code.apply("arith.mulf", w.load(w.mix, self._row_of_mix, start), factor)
            for start in starts
        ]
        totals += [w.nothing] * (len(starts) * (unroll - 1))

        def step(key: str, carried: list[Value], count: int) -> list[Value]:
            given = list(carried)
            for u in range(count):
                at = code.plus(key, u)
                share = w.scalar(self._line, code.index_op("subi", at, chunk.begin))
                for c, (start, mask) in enumerate(zip(starts, masks, strict=True)):
                    place = u * len(starts) + c
                    chunk.value_ahead(code.plus(at, _AHEAD), start)
                    given[place] = w.fma(share, chunk.value(at, start, mask), given[place])
            return given

        count = code.index_op("subi", chunk.end, chunk.begin)
        rest = code.index_op("remui", count, code.index(unroll))
        whole = code.index_op("subi", chunk.end, rest)
        totals = code.loop(chunk.begin, whole, unroll, totals, lambda k, c: step(k, c, unroll))
        totals = code.loop(whole, chunk.end, 1, totals, lambda k, c: step(k, c, 1))
        for c, start in enumerate(starts):
            total = totals[c]
            for u in range(1, unroll):
                total = code.apply("arith.addf", total, totals[u * len(starts) + c])
            store(code, w.mix, [self._row_of_mix, start], total)
