"""GPU kernels for attention: a block of queries sees the keys tile by tile, with an online softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tdsl.gpu.kernels.attention_frame import INFINITY
from tdsl.gpu.kernels.attention_staging import StagedFrame
from tdsl.gpu.kernels.elements import load, plain_type, store
from tdsl.gpu.kernels.rows import across, combine
from tdsl.gpu.kernels.tiles import SIDE, AttentionTile
from tdsl.gpu.kernels.writer import Flag, Index
from tdsl.lowering.claims.body import Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Place
from tdsl.lowering.kernels import GridLaunch, Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block

_UNROLLED: Final = 16
"""Steps of an inner loop that are written out."""


class AttentionKernel(StagedFrame):
    """256 threads, as 16 rows of 16. Each has some queries, and of the scores some keys for them;
    of the mixed values it has some columns. The threads of a row lie in one warp."""

    def text(self, symbol: str) -> str:
        code, tile = self.code, self.tile
        block: Index = code.block() if self.blocks * self.heads > 1 else 0
        head = code.div(block, self.blocks)
        # Later queries see more keys where masks are causal: they begin first.
        number = code.sub(self.blocks - 1, code.rem(block, self.blocks))
        self.first = code.mul(number, tile.queries)
        self.head = (Place(code.at(head)),) if self.attention.product.rank == 3 else ()
        thread = code.thread
        self.row = code.mul(code.div(thread, SIDE), self.rows)
        """The first query of this thread, in the block."""
        self.place = code.rem(thread, SIDE)
        if self.resident:
            whole = -(-self.depth // self.slice) * self.slice
            self.put_queries(0, whole)
        number_of = self.rows * self.groups
        zero = code.constant(0.0, self.element)
        nothing = code.constant(0.0, self.element, self._wide)
        limit = code.constant(-INFINITY, self.element)
        start = [limit] * self.rows + [zero] * self.rows + [nothing] * number_of
        found = code.loop(code.index(0), self.end(), tile.keys, start, self._keys)
        self._finish(found[self.rows : 2 * self.rows], found[2 * self.rows :])
        grid = (self.blocks * self.heads, 1, 1)
        return code.kernel(symbol, [*self.operands, self.result], grid, tile.blocks)

    @property
    def _wide(self) -> int:
        return self.group if self.group > 1 else 0

    # --- what goes to shared memory

    # --- one tile of keys

    def _keys(self, key: str, carried: list[Value]) -> Sequence[Value]:
        code, rows = self.code, self.rows
        tops, sums, mixed = carried[:rows], carried[rows : 2 * rows], carried[2 * rows :]
        code.barrier()
        self.put_values(key, 0)
        products = self._products(key)
        scores = [
            [self._score(products[r * self.columns + c], key, r, c) for c in range(self.columns)]
            for r in range(rows)
        ]
        shares: list[list[Value]] = []
        factors: list[Value] = []
        new_tops: list[Value] = []
        new_sums: list[Value] = []
        zero = code.constant(0.0, self.element)
        limit = code.constant(-INFINITY, self.element)
        for r in range(rows):
            best = scores[r][0]
            for score in scores[r][1:]:
                best = combine(code, "max", best, score)
            top = combine(code, "max", tops[r], across(code, "max", best, SIDE))
            # Where nothing is seen yet, 0 stands in for -inf, from which nothing can be taken.
            base = code.select(code.compare("oeq", top, limit), zero, top)
            factor = self._exp(code.apply("arith.subf", tops[r], base))
            mine = [self._exp(code.apply("arith.subf", score, base)) for score in scores[r]]
            total = code.apply("arith.mulf", sums[r], factor)
            for share in mine:
                total = code.apply("arith.addf", total, share)
            new_tops.append(top)
            new_sums.append(total)
            factors.append(factor)
            shares.append(mine)
        for c in range(self.columns):
            column = code.joined([shares[r][c] for r in range(rows)])
            here = code.add(code.mul(self.place, self.columns), c)
            store(code, self.share_tile, [here, self.row], column)
        code.barrier()
        scaled = [
            code.apply(
                "arith.mulf", mixed[r * self.groups + g], code.spread(factors[r], self._wide)
            )
            for r in range(rows)
            for g in range(self.groups)
        ]
        return [*new_tops, *new_sums, *self._mix(key, scaled)]

    def _exp(self, x: Value) -> Value:
        return Value(self.code.emit(f"math.exp {x.name} : {x.type}"), x.element, x.lanes)

    def _products(self, key: Index) -> list[Value]:
        """Of this thread's queries and keys, over all of the depth."""
        code, columns = self.code, self.columns
        wide = columns if columns > 1 else 0
        start = [code.constant(0.0, self.element, wide)] * self.rows

        def piece(depth: Index, carried: list[Value]) -> list[Value]:
            if not self.resident:
                self.put_queries(depth, self.slice)
            self.put_keys(key, depth)
            code.barrier()

            def step(d: Index, sums: list[Value]) -> list[Value]:
                queries = code.add(depth, d) if self.resident else d
                left = load(code, self.query_tile, [queries, self.row], self.rows)
                right = load(code, self.key_tile, [d, code.mul(self.place, columns)], wide)
                return [
                    code.fused(code.spread(code.lane(left, r), wide), right, sums[r])
                    for r in range(self.rows)
                ]

            return self._steps(self.slice, carried, step)

        count = -(-self.depth // self.slice)
        sums = piece(0, start)
        if count > 1:

            def following(depth: str, carried: list[Value]) -> list[Value]:
                code.barrier()
                return piece(depth, carried)

            end = code.index(count * self.slice)
            sums = code.loop(code.index(self.slice), end, self.slice, sums, following)
        return [code.lane(sums[r], c) for r in range(self.rows) for c in range(columns)]

    def _steps(
        self, count: int, carried: list[Value], step: Callable[[Index, list[Value]], list[Value]]
    ) -> list[Value]:
        """Several steps of an inner loop at a time."""
        code = self.code

        def several(first: Index, values: list[Value], many: int) -> list[Value]:
            for at in range(many):
                values = step(code.add(first, at), values)
            return values

        whole = count - count % _UNROLLED
        if whole > _UNROLLED:
            carried = code.loop(
                code.index(0),
                code.index(whole),
                _UNROLLED,
                carried,
                lambda first, values: several(first, values, _UNROLLED),
            )
        else:
            carried = several(0, carried, whole)
        return several(whole, carried, count - whole)

    def _score(self, product: Value, key: Index, r: int, c: int) -> Value:
        """What the softmax is of: -inf beyond the last key."""
        code, attention = self.code, self.attention
        query = code.add(code.add(self.first, self.row), r)
        if self.queries % self.tile.queries:
            query = code.least(query, self.queries - 1)
        here = code.add(code.add(key, code.mul(self.place, self.columns)), c)
        inside: Flag = True
        if self.keys % self.tile.keys:
            inside = code.below(here, self.keys)
            here = code.least(here, self.keys - 1)
        evaluator = self.elements({attention.product: lambda _: product})
        places = (*self.leading(attention.scores), Place(code.at(query)), Place(code.at(here)))
        value = evaluator.at(attention.scores, places)
        return code.choose(inside, value, code.constant(-INFINITY, self.element))

    # --- values

    def _mix(self, key: Index, mixed: list[Value]) -> list[Value]:
        """Adds the values of a tile of keys, each as much as its share."""
        code = self.code
        per_span = self.span // (SIDE * self.group)
        found = list(mixed)
        for first in range(0, self.groups, per_span):
            if first:
                code.barrier()
                self.put_values(key, first * SIDE * self.group)
                code.barrier()
            count = min(per_span, self.groups - first)
            wanted = [r * self.groups + first + g for r in range(self.rows) for g in range(count)]

            def step(j: Index, sums: list[Value], count: int = count) -> list[Value]:
                left = load(code, self.share_tile, [j, self.row], self.rows)
                right = [
                    load(
                        code,
                        self.value_tile,
                        [j, code.add(code.mul(self.place, self.group), g * SIDE * self.group)],
                        self._wide,
                    )
                    for g in range(count)
                ]
                return [
                    code.fused(
                        code.spread(code.lane(left, r), self._wide), right[g], sums[r * count + g]
                    )
                    for r in range(self.rows)
                    for g in range(count)
                ]

            sums = self._steps(self.tile.keys, [found[at] for at in wanted], step)
            for at, one in zip(wanted, sums, strict=True):
                found[at] = one
        return found

    # --- the result

    def _finish(self, sums: Sequence[Value], mixed: Sequence[Value]) -> None:
        code = self.code
        one = code.constant(1.0, self.element)
        for r in range(self.rows):
            total = across(code, "add", sums[r], SIDE)
            if self.attention.zeros:
                empty = code.compare("oeq", total, code.constant(0.0, self.element))
                total = code.select(empty, one, total)
            inverse = code.spread(code.apply("arith.divf", one, total), self._wide)
            query = code.add(code.add(self.first, self.row), r)
            inside = code.below(query, self.queries) if self.queries % self.tile.queries else True

            def write(r: int = r, query: Index = query, inverse: Value = inverse) -> None:
                for g in range(self.groups):
                    value = code.apply("arith.mulf", mixed[r * self.groups + g], inverse)
                    self._columns(query, g, value)

            self.code.only_if(inside, write)

    def _columns(self, query: Index, group: int, value: Value) -> None:
        code = self.code
        column = code.add(code.mul(self.place, self.group), group * SIDE * self.group)
        if self.width % self.group == 0:
            inside = code.below(column, self.width)
            beyond = (group + 1) * SIDE * self.group > self.width
            self.code.only_if(inside if beyond else True, lambda: self.put(query, column, value))
            return
        for lane in range(max(value.lanes, 1)):
            here = code.add(column, lane)
            number = code.lane(value, lane)
            self.code.only_if(
                code.below(here, self.width),
                lambda here=here, number=number: self.put(query, here, number),  # type: ignore[misc]
            )


def kernel(
    symbol: str,
    function: Any,
    operands: Sequence[Any],
    result: Any,
    *,
    aligned: frozenset[int] = frozenset(),
    tile: AttentionTile | None = None,
) -> Kernel:
    """The kernel for a claim of kind attention."""
    try:
        made = AttentionKernel(function, operands, result, aligned, tile)
        text = made.text(symbol)
    except Unreadable as reason:
        raise Refused(str(reason)) from reason
    arguments = tuple(range(len(operands) + 1))
    grid = (made.blocks * made.heads, 1, 1)
    launch = GridLaunch(symbol, grid, (made.tile.threads, 1, 1), arguments)
    return Kernel(symbol, text, None, (launch,))


class FusedAttention:
    """The generator of kernels for claims of kind attention."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        block = as_block(function)
        returned = list(block.operations)[-1].operation.operands[0]
        types = [plain_type(value.type) for value in (*block.arguments, returned)]
        if any(not type_.has_static_shape for type_ in types):
            raise Refused("sizes are open")
        # Written once to see whether it can be: layouts make no difference to that.
        kernel("probe", function, types[:-1], types[-1])

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        """Operands are read element by element where they do not lie in order."""
        return (False,) * (len(as_block(function).arguments) + 1)

    def generate(self, request: KernelRequest) -> Kernel:
        return kernel(
            request.symbol,
            request.function,
            request.operands,
            request.result,
            aligned=request.aligned,
        )
