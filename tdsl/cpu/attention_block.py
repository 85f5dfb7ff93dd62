"""The code of attention for one block of queries of one head, chunk of keys by chunk of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tdsl.cpu.attention_across import Across
from tdsl.cpu.attention_chunk import Chunk
from tdsl.cpu.attention_frame import CHUNK, UNROLL, Frame
from tdsl.cpu.attention_mix import Mix
from tdsl.cpu.attention_result import put_row
from tdsl.cpu.attention_skips import seen
from tdsl.cpu.vectors import exp_of_negative, transposed
from tdsl.lowering.claims.body import Tensor
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import ONLY, Evaluator, Place, Places, store
from tdsl.lowering.claims.softmax import plain


class Block:
    """`size` queries from `first` on; lanes are queries."""

    def __init__(
        self,
        frame: Frame,
        head: str,
        first: str,
        size: str,
        largest: list[Value],
    ) -> None:
        self.w, self.code = frame, frame.code
        self.head, self.first, self.size = head, first, size
        self.largest = largest
        self.vectors = frame.vectors
        self.tile = frame.tile

    def write(self) -> None:
        code, w = self.code, self.w
        self._turn_queries(code.plus(w.queries, -1))
        self._clear()
        # What is read for each query ends where they do.
        left = code.index_op("subi", w.queries, self.first)
        self.real = [self._lanes_under(code.plus(left, -v * w.lanes)) for v in range(self.vectors)]
        self.seen = seen(w, self.first, self.size, self.largest)
        self.mix = Mix(w, self.first, self.size, self.seen.offset)
        self.across = Across(w, self.head, self.first)
        start = [w.limit] * self.vectors + [w.nothing] * self.vectors
        done = code.loop(code.index(0), self.seen.end, CHUNK, start, self._chunk)
        self._finish(done[self.vectors :])

    def _lanes_under(self, count: str) -> str:
        return self.code.emit(f"vector.create_mask {count} : vector<{self.w.lanes}xi1>")

    # --- queries

    def _turn_queries(self, last_query: str) -> None:
        """Queries into columns: [depth, queries], transposed in registers."""
        code, w, lanes = self.code, self.w, self.w.lanes
        queries = w.attention.product.inputs[0][0]

        def some(at: str, start: str, mask: str | None) -> None:
            rows: list[Value] = []
            for lane in range(lanes):
                here = code.plus(self.first, code.plus(at, lane))
                row = code.emit(f"arith.minui {here}, {last_query} : index")
                evaluator = Evaluator(code, w.operands, {}, mask)
                places = (*w.heads_of(self.head, queries.rank), Place(row), Place(start, lanes))
                rows.append(code.spread(evaluator.at(queries, places), lanes))
            for lane, column in enumerate(transposed(code, rows)):
                store(code, w.turned, [code.plus(start, lane), at], column)

        def group(at: str, _: list[Value]) -> Sequence[Value]:
            def whole_vector(start: str, _: list[Value]) -> tuple[()]:
                some(at, start, None)
                return ()

            whole = w.depth - w.depth % lanes
            if whole:
                code.loop(code.index(0), code.index(whole), lanes, [], whole_vector)
            if w.depth % lanes:
                some(at, code.index(whole), w.column_mask(w.depth % lanes))
            return ()

        code.loop(code.index(0), code.index(self.w.block), lanes, [], group)

    def _clear(self) -> None:
        code, w = self.code, self.w
        columns = w.mix.type.shape[1]

        def row(q: str, _: list[Value]) -> Sequence[Value]:
            for start in range(0, columns, w.lanes):
                store(code, w.mix, [q, code.index(start)], w.nothing)
            return ()

        code.loop(code.index(0), code.index(w.block), 1, [], row)

    # --- keys

    def _chunk(self, begin: str, carried: list[Value]) -> Sequence[Value]:
        code, w, vectors = self.code, self.w, self.vectors
        tops, sums = carried[:vectors], carried[vectors:]
        end = code.index_op("minui", code.plus(begin, CHUNK), self.seen.end)
        chunk = Chunk(w, self.head, begin, end)
        self.across.fill(begin, end)
        found = code.loop(
            begin, end, self.tile.keys, tops, lambda key, best: self._scores(chunk, key, best)
        )
        zero = code.constant(0.0, w.element, w.lanes)
        # Where nothing is seen yet, 0 stands in for -inf, from which nothing can be taken.
        bases = [code.select(code.compare("oeq", top, w.limit), zero, top) for top in found]
        factors = [
            exp_of_negative(code, code.apply("arith.subf", top, base))
            for top, base in zip(tops, bases, strict=True)
        ]
        for v, factor in enumerate(factors):
            store(code, w.factor, [code.index(v * w.lanes)], factor)
        count = code.index_op("subi", end, begin)
        keys = code.index(self.tile.keys)
        rounded = code.index_op("muli", code.index_op("ceildivui", count, keys), keys)

        def shares(row: str, totals: list[Value]) -> Sequence[Value]:
            given = list(totals)
            for step in range(2):
                for v in range(vectors):
                    here = (code.plus(row, step), code.index(v * w.lanes))
                    x = code.apply("arith.subf", w.load(w.score, *here), bases[v])
                    share = exp_of_negative(code, x)
                    store(code, w.score, here, share)
                    given[v] = code.apply("arith.addf", given[v], share)
            return given

        before = [code.apply("arith.mulf", s, f) for s, f in zip(sums, factors, strict=True)]
        after = code.loop(code.index(0), rounded, 2, before, shares)
        self.mix.add(chunk)
        return [*found, *after]

    def _scores(self, chunk: Chunk, key: str, best: list[Value]) -> Sequence[Value]:
        """Scores of a few keys: their products with all queries of the block, then the rest."""
        code, w, vectors, keys = self.code, self.w, self.vectors, self.tile.keys
        last = code.plus(w.keys, -1)
        rows = [code.index_op("minui", code.plus(key, r), last) for r in range(keys)]

        def step(d: str, totals: list[Value], count: int) -> list[Value]:
            given = list(totals)
            for u in range(count):
                at = code.plus(d, u)
                columns = [w.load(w.turned, at, code.index(v * w.lanes)) for v in range(vectors)]
                for r in range(keys):
                    x = chunk.key(rows[r], at)
                    for v in range(vectors):
                        place = r * vectors + v
                        given[place] = w.fma(x, columns[v], given[place])
            return given

        whole = w.depth - w.depth % UNROLL
        totals = [w.nothing] * (keys * vectors)
        if whole:
            totals = code.loop(
                code.index(0),
                code.index(whole),
                UNROLL,
                totals,
                lambda d, carried: step(d, carried, UNROLL),
            )
        if w.depth % UNROLL:
            totals = step(code.index(whole), totals, w.depth % UNROLL)
        row = code.index_op("subi", key, chunk.begin)

        def inner() -> list[Value]:
            given = list(best)
            for r in range(keys):
                here = code.plus(row, r)
                for v in range(vectors):
                    x = self._score(totals[r * vectors + v], rows[r], here, v, edge=False)
                    given[v] = w.taken(x, given[v])
                    store(code, w.score, [here, code.index(v * w.lanes)], x)
            return given

        def edge() -> list[Value]:
            # Rare, and with masks much code: a loop takes it from memory, key by key.
            for r in range(keys):
                for v in range(vectors):
                    here = [code.plus(row, r), code.index(v * w.lanes)]
                    store(code, w.score, here, totals[r * vectors + v])
            return code.loop(code.index(0), code.index(keys), 1, best, one)

        def one(r: str, given: list[Value]) -> list[Value]:
            at = code.plus(key, r)
            real = code.index_op("minui", at, last)
            inside = code.less("ult", at, self.seen.end)
            found = []
            for v in range(vectors):
                here = (code.plus(row, r), code.index(v * w.lanes))
                x = self._score(w.load(w.score, *here), real, here[0], v, edge=True)
                x = code.emit_select(inside, x, w.limit)
                found.append(w.taken(x, given[v]))
                store(code, w.score, here, x)
            return found

        plain_tile = code.less("ule", code.plus(key, keys), self.seen.open_end)
        return code.when(plain_tile, inner, edge, best)

    def _score(self, product: Value, key: str, row: str, vector: int, *, edge: bool) -> Value:
        """What becomes of a product of one key, whose row in the chunk is given."""
        w = self.w
        scores, mask = w.attention.scores, w.attention.causal
        special: dict[Tensor, Callable[[Places], Value]] = {w.attention.product: lambda _: product}
        evaluator = Evaluator(self.code, w.operands, special, self.real[vector])
        if mask is not None and not edge and self.seen.offset is not None:
            access = next(a for x, a in mask.at.inputs if plain(x) is plain(mask.visible))
            special[mask.at] = lambda places: evaluator.at(
                mask.visible, tuple(ONLY if loop is None else places[loop] for loop in access)
            )
        special.update(self.across.special(evaluator, row, vector))
        query = Place(self.code.plus(self.first, vector * w.lanes), w.lanes)
        places = (*w.leading(self.head, scores), query, Place(key))
        return self.code.spread(evaluator.at(scores, places), w.lanes)

    # --- the result

    def _finish(self, sums: list[Value]) -> None:
        code, w = self.code, self.w
        one = code.constant(1.0, w.element, w.lanes)
        for v, total in enumerate(sums):
            if w.attention.zeros:
                empty = code.compare("oeq", total, w.nothing)
                total = code.select(empty, one, total)
            inverse = code.apply("arith.divf", one, total)
            store(code, w.factor, [code.index(v * w.lanes)], inverse)

        def row(q: str, _: list[Value]) -> Sequence[Value]:
            put_row(w, self.head, code.plus(self.first, q), q, w.scalar(w.factor, q))
            return ()

        code.loop(code.index(0), self.size, 1, [], row)
