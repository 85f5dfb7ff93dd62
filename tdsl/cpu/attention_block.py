"""The code of attention for one block of queries of one head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tdsl.cpu.attention_frame import CHUNK, INFINITY, Frame
from tdsl.cpu.rows import combine
from tdsl.cpu.vectors import exp_of_negative, transposed
from tdsl.lowering.claims.body import Reshape, Tensor, Transpose, Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import ONLY, Evaluator, Operand, Place, Places, regrouped, store
from tdsl.lowering.claims.softmax import plain

_UNROLL: Final = 4


class Block:
    """The code for one block of queries of one head."""

    def __init__(
        self,
        frame: Frame,
        head: str,
        first: str,
        size: str,
        largest: list[Value],
        vectors: int,
    ) -> None:
        self.w, self.code = frame, frame.code
        self.head, self.first, self.size = head, first, size
        self.largest = largest
        self.vectors = vectors
        self.tile = frame.tile

    def write(self) -> None:
        code, w = self.code, self.w
        last_query = code.plus(w.queries, -1)
        self._turn_queries(last_query)
        self._clear()
        # What is read for each query ends where they do.
        left = code.index_op("subi", w.queries, self.first)
        self.real = [self._lanes_under(code.plus(left, -v * w.lanes)) for v in range(self.vectors)]
        offset, skips = self._skips()
        zero = code.index(0)
        if skips is None or offset is None:
            self.end, self.open_end = w.keys, w.keys
            self.offset: str | None = None
        else:
            # What the last query of the block sees, and what the first one does.
            last = code.plus(code.plus(self.first, self.size), offset)
            first = code.plus(code.plus(self.first, offset), 1)
            self.end = self._chosen(skips, self._between(last, zero, w.keys), w.keys)
            self.open_end = self._chosen(skips, self._between(first, zero, w.keys), zero)
            huge = code.index(1 << 40)
            self.offset = self._chosen(skips, offset, huge)
        start = [w.limit] * self.vectors + [w.nothing] * self.vectors
        done = code.loop(zero, self.end, CHUNK, start, self._chunk)
        self._finish(done[self.vectors :])

    def _lanes_under(self, count: str) -> str:
        return self.code.emit(f"vector.create_mask {count} : vector<{self.w.lanes}xi1>")

    def _chosen(self, condition: str, x: str, y: str) -> str:
        return self.code.emit(f"arith.select {condition}, {x}, {y} : index")

    def _between(self, x: str, low: str, high: str) -> str:
        return self.code.index_op("minsi", self.code.index_op("maxsi", x, low), high)

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
            whole = w.depth - w.depth % lanes
            if whole:
                code.loop(
                    code.index(0),
                    code.index(whole),
                    lanes,
                    [],
                    lambda start, _: some(at, start, None) or (),  # type: ignore[func-returns-value]
                )
            if w.depth % lanes:
                some(at, code.index(whole), w.column_mask(w.depth % lanes))
            return ()

        code.loop(code.index(0), code.index(self.vectors * lanes), lanes, [], group)

    def _clear(self) -> None:
        code, w = self.code, self.w
        columns = w.mix.type.shape[1]

        def row(q: str, _: list[Value]) -> Sequence[Value]:
            for start in range(0, columns, w.lanes):
                store(code, w.mix, [q, code.index(start)], w.nothing)
            return ()

        code.loop(code.index(0), code.index(self._rows()), 1, [], row)

    def _rows(self) -> int:
        """Queries rounded up to what one step of mixing takes."""
        rows = self.tile.rows
        return min(-(-self.vectors * self.w.lanes // rows) * rows, self.w.block)

    # --- what a causal mask saves

    def _skips(self) -> tuple[str | None, str | None]:
        """The offset between queries and keys, and whether what the mask hides makes no difference
        and can be left out."""
        code, w = self.code, self.w
        mask = w.attention.causal
        if mask is None:
            return None, None
        offset = code.index(mask.offset.number)
        for scalar, factor in mask.offset.scalars:
            value = self._scalar(scalar)
            if factor != 1:
                value = code.index_op("muli", value, code.index(factor))
            offset = code.plus(offset, value)
        infinity = code.constant(INFINITY, w.element)
        skips = code.compare("olt", self.largest[2], infinity).name
        if not mask.replaced:
            finite = code.compare("olt", self.largest[1], infinity).name
            skips = code.emit(f"arith.andi {skips}, {finite} : i1")
        if mask.hidden != -INFINITY:
            if mask.replaced:
                # The keys were not looked at; scores are bounded by them.
                return None, None
            bound = code.apply("arith.mulf", self._query_size(), self.largest[1])
            # Largest hidden score, less the smallest one seen, must underflow.
            room = (-mask.hidden - 1000.0 / mask.outer) / (2.0 * abs(mask.scale) * 1.001)
            small = code.compare("olt", bound, code.constant(room, w.element)).name
            sees = code.less("sge", code.plus(self.first, offset), code.index(0))
            skips = code.emit(f"arith.andi {skips}, {small} : i1")
            skips = code.emit(f"arith.andi {skips}, {sees} : i1")
        return offset, skips

    def _scalar(self, scalar: Any) -> str:
        code, w = self.code, self.w
        evaluator = Evaluator(code, w.operands, {})
        if isinstance(scalar, Tensor):
            value = evaluator.at(scalar, ())
        else:
            value = evaluator._outside(scalar)
        if value.element != "index":
            value = code.convert("arith.index_cast", value, "index")
        return value.name

    def _query_size(self) -> Value:
        """The largest sum of magnitudes of a query; times the largest of a key it bounds scores."""
        code, w = self.code, self.w

        def add(d: str, totals: list[Value]) -> Sequence[Value]:
            return [
                code.apply(
                    "arith.addf",
                    total,
                    code.apply("math.absf", self._load(w.turned, d, code.index(v * w.lanes))),
                )
                for v, total in enumerate(totals)
            ]

        totals = code.loop(code.index(0), code.index(w.depth), 1, [w.nothing] * self.vectors, add)
        total = totals[0]
        for other in totals[1:]:
            total = combine(code, "max", total, other)
        return code.reduce("maximumf", total)

    # --- keys

    def _load(self, memory: Operand, *indices: str) -> Value:
        code, lanes = self.code, self.w.lanes
        name = code.emit(
            f"vector.load {memory.name}[{', '.join(indices)}] : {memory.type}, "
            f"vector<{lanes}x{memory.element}>"
        )
        return Value(name, memory.element, lanes)

    def _chunk(self, begin: str, carried: list[Value]) -> Sequence[Value]:
        code, w, vectors = self.code, self.w, self.vectors
        tops, sums = carried[:vectors], carried[vectors:]
        end = code.index_op("minui", code.plus(begin, CHUNK), self.end)
        found = code.loop(
            begin, end, self.tile.keys, tops, lambda key, best: self._scores(begin, key, best)
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
                    x = code.apply("arith.subf", self._load(w.score, *here), bases[v])
                    share = exp_of_negative(code, x)
                    store(code, w.score, here, share)
                    given[v] = code.apply("arith.addf", given[v], share)
            return given

        before = [code.apply("arith.mulf", s, f) for s, f in zip(sums, factors, strict=True)]
        after = code.loop(code.index(0), rounded, 2, before, shares)
        self._mix(begin, end)
        return [*found, *after]

    def _scores(self, begin: str, key: str, best: list[Value]) -> Sequence[Value]:
        """Scores of a few keys: their products with all queries of the block, then the rest."""
        code, w, vectors, keys = self.code, self.w, self.vectors, self.tile.keys
        last = code.plus(w.keys, -1)
        rows = [code.index_op("minui", code.plus(key, r), last) for r in range(keys)]
        operand = w.attention.product.inputs[1][0]

        def step(d: str, totals: list[Value], count: int) -> list[Value]:
            given = list(totals)
            for u in range(count):
                at = code.plus(d, u)
                columns = [
                    self._load(w.turned, at, code.index(v * w.lanes)) for v in range(vectors)
                ]
                for r in range(keys):
                    evaluator = Evaluator(code, w.operands, {})
                    places = (*w.heads_of(self.head, operand.rank), Place(at), Place(rows[r]))
                    x = code.spread(evaluator.at(operand, places), w.lanes)
                    for v in range(vectors):
                        place = r * vectors + v
                        given[place] = code.fma(x, columns[v], given[place])
            return given

        whole = w.depth - w.depth % _UNROLL
        totals = [w.nothing] * (keys * vectors)
        if whole:
            totals = code.loop(
                code.index(0),
                code.index(whole),
                _UNROLL,
                totals,
                lambda d, carried: step(d, carried, _UNROLL),
            )
        if w.depth % _UNROLL:
            totals = step(code.index(whole), totals, w.depth % _UNROLL)
        row = code.index_op("subi", key, begin)

        def inner() -> list[Value]:
            given = list(best)
            for r in range(keys):
                for v in range(vectors):
                    x = self._score(totals[r * vectors + v], rows[r], v, edge=False)
                    given[v] = self._taken(x, given[v])
                    store(code, w.score, [code.plus(row, r), code.index(v * w.lanes)], x)
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
            inside = code.less("ult", at, self.end)
            found = []
            for v in range(vectors):
                here = (code.plus(row, r), code.index(v * w.lanes))
                x = self._score(self._load(w.score, *here), real, v, edge=True)
                x = code.emit_select(inside, x, w.limit)
                found.append(self._taken(x, given[v]))
                store(code, w.score, here, x)
            return found

        plain_tile = code.less("ule", code.plus(key, keys), self.open_end)
        return code.when(plain_tile, inner, edge, best)

    def _taken(self, score: Value, best: Value) -> Value:
        """The larger. A NaN is not taken: it makes its own share NaN, and with it the sum."""
        return self.code.select(self.code.compare("ogt", score, best), score, best)

    def _score(self, product: Value, key: str, vector: int, *, edge: bool) -> Value:
        w = self.w
        scores, mask = w.attention.scores, w.attention.causal
        special: dict[Tensor, Callable[[Places], Value]] = {w.attention.product: lambda _: product}
        evaluator = Evaluator(self.code, w.operands, special, self.real[vector])
        if mask is not None and not edge and self.offset is not None:
            access = next(a for x, a in mask.at.inputs if plain(x) is plain(mask.visible))
            special[mask.at] = lambda places: evaluator.at(
                mask.visible, tuple(ONLY if loop is None else places[loop] for loop in access)
            )
        query = Place(self.code.plus(self.first, vector * w.lanes), w.lanes)
        leading = self._leading(scores)
        return self.code.spread(evaluator.at(scores, (*leading, query, Place(key))), w.lanes)

    def _leading(self, value: Tensor) -> Places:
        """The place of this head among the leading axes of a value."""
        if value.rank == 2:
            return ()
        shape = list(value.type.shape)
        product = list(self.w.attention.product.type.shape)
        if value.rank == 3:
            return (Place(self.head),)
        places = (Place(self.head), *(Place(None) for _ in range(2)))
        return regrouped(self.code, product, shape, places)[:-2]

    # --- values

    def _mix(self, begin: str, end: str) -> None:
        """Adds the values of a chunk, each as much as its share."""
        code, w, rows = self.code, self.w, self.tile.rows
        columns = -(-w.width // w.lanes)

        def group(q: str, _: list[Value]) -> Sequence[Value]:
            stop = end
            if self.offset is not None:
                seen = code.plus(code.plus(code.plus(self.first, q), rows), self.offset)
                stop = self._between(seen, begin, end)
            count = code.index_op("subi", stop, begin)
            whole = code.index_op("subi", stop, code.index_op("remui", count, code.index(_UNROLL)))
            step = self.tile.columns
            full = (
                columns - columns % step
                if w.width % w.lanes == 0
                else ((columns - 1) - (columns - 1) % step)
            )
            if full:
                code.loop(
                    code.index(0),
                    code.index(full * w.lanes),
                    step * w.lanes,
                    [],
                    lambda c, _: self._panel(begin, whole, stop, q, c, step, w.width) or (),  # type: ignore[func-returns-value]
                )
            for start in range(full, columns, step):
                count_here = min(step, columns - start)
                left = w.width - start * w.lanes
                self._panel(begin, whole, stop, q, code.index(start * w.lanes), count_here, left)
            return ()

        queries = code.index_op(
            "muli", code.index_op("ceildivui", self.size, code.index(rows)), code.index(rows)
        )
        code.loop(code.index(0), queries, rows, [], group)

    def _panel(
        self, begin: str, whole: str, stop: str, q: str, column: str, count: int, left: int
    ) -> None:
        code, w, rows = self.code, self.w, self.tile.rows
        values = w.attention.mixed.inputs[1][0]
        starts = [code.plus(column, c * w.lanes) for c in range(count)]
        masks = [w.column_mask(left - c * w.lanes) for c in range(count)]
        queries = [code.plus(q, r) for r in range(rows)]
        totals: list[Value] = []
        for row in queries:
            name = code.emit(f"memref.load {w.factor.name}[{row}] : {w.factor.type}")
            factor = code.spread(Value(name, w.element), w.lanes)
            totals.extend(
                code.apply("arith.mulf", self._load(w.mix, row, start), factor) for start in starts
            )

        def step(key: str, carried: list[Value], unroll: int) -> list[Value]:
            given = list(carried)
            for u in range(unroll):
                here = code.plus(key, u)
                score_row = code.index_op("subi", here, begin)
                loaded = []
                for start, mask in zip(starts, masks, strict=True):
                    evaluator = Evaluator(code, w.operands, {}, mask)
                    leading = w.heads_of(self.head, values.rank)
                    x = evaluator.at(values, (*leading, Place(here), Place(start, w.lanes)))
                    loaded.append(code.spread(x, w.lanes))
                for r, row in enumerate(queries):
                    name = code.emit(
                        f"memref.load {w.score.name}[{score_row}, {row}] : {w.score.type}"
                    )
                    share = code.spread(Value(name, w.element), w.lanes)
                    for c in range(count):
                        place = r * count + c
                        given[place] = code.fma(share, loaded[c], given[place])
            return given

        totals = code.loop(begin, whole, _UNROLL, totals, lambda k, c: step(k, c, _UNROLL))
        totals = code.loop(whole, stop, 1, totals, lambda k, c: step(k, c, 1))
        for r, row in enumerate(queries):
            for c in range(count):
                store(code, w.mix, [row, starts[c]], totals[r * count + c])

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
            name = code.emit(f"memref.load {w.factor.name}[{q}] : {w.factor.type}")
            factor = code.spread(Value(name, w.element), w.lanes)
            query = code.plus(self.first, q)
            for start in range(0, w.width, w.lanes):
                x = code.apply("arith.mulf", self._load(w.mix, q, code.index(start)), factor)
                self._put(query, start, x, w.column_mask(w.width - start))
            return ()

        code.loop(code.index(0), self.size, 1, [], row)

    def _put(self, query: str, start: int, value: Value, mask: str | None) -> None:
        """Write where the result has these columns of the product."""
        code, w = self.code, self.w
        mixed = w.attention.mixed
        column = Place(code.index(start), w.lanes)
        places: Places = (*w.heads_of(self.head, mixed.rank), Place(query), column)
        steps: list[Tensor] = []
        at = w.attention.body.result
        while at is not mixed:
            steps.append(at)
            at = at.inputs[0][0]
        for one in reversed(steps):
            if isinstance(one, Transpose):
                places = tuple(places[source] for source in one.permutation)
            elif isinstance(one, Reshape):
                source = one.inputs[0][0]
                shapes = list(source.type.shape), list(one.type.shape)
                places = regrouped(code, *shapes, places)
        if not places[-1].lanes:
            raise Unreadable("columns of the product are not columns of the result")
        indices = [place.base or code.index(0) for place in places]
        store(code, w.result, indices, value, mask)
