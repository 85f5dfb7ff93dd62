"""GPU kernels for attention: a block of queries sees the keys tile by tile, with an online softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tdsl.gpu.kernels.elements import Elements, load, plain_type, store, widest, written
from tdsl.gpu.kernels.rows import across, combine
from tdsl.gpu.kernels.tiles import (
    HIDDEN,
    MOST_BLOCKS,
    MOST_DEPTH,
    SIDE,
    AttentionTile,
    attention_tile,
)
from tdsl.gpu.kernels.writer import BYTES, Flag, Index, KernelCode
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Argument, Reshape, Tensor, Transpose, Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand, Place, Places, regrouped
from tdsl.lowering.device import Device
from tdsl.lowering.kernels import GridLaunch, Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block

_INFINITY: Final = float("inf")
_GROUP: Final = 4
_UNROLLED: Final = 16
"""Steps of an inner loop that are written out."""


class AttentionKernel:
    """256 threads, as 16 rows of 16. Each has some queries, and of the scores some keys for them;
    of the mixed values it has some columns. The threads of a row lie in one warp."""

    def __init__(
        self,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        aligned: frozenset[int] = frozenset(),
        tile: AttentionTile | None = None,
    ) -> None:
        self.attention = attention = Attention.of(function)
        self.aligned = aligned
        self.operands = [Operand(f"%in{at}", type_) for at, type_ in enumerate(operands)]
        self.result = Operand("%out", result)
        self.element = attention.element
        product, mixed = attention.product, attention.mixed
        if mixed.rank != product.rank or mixed.type.shape[:-2] != product.type.shape[:-2]:
            raise Unreadable("the heads of the scores are not those of the values")
        self.heads = int(product.type.shape[0]) if product.rank == 3 else 1
        self.queries, self.keys = (int(size) for size in product.type.shape[-2:])
        self.depth = int(product.inputs[0][0].type.shape[-1])
        self.width = int(mixed.type.shape[-1])
        if max(self.depth, self.width) > MOST_DEPTH:
            deepest = max(self.depth, self.width)
            raise Refused(
                f"heads of depth {deepest}: sums for at most {MOST_DEPTH} fit in registers"
            )
        self.tile = tile = tile or attention_tile(self.element, max(self.depth, self.width))
        self.blocks = -(-self.queries // tile.queries)
        if self.blocks * self.heads > MOST_BLOCKS:
            raise Refused("it has more blocks of queries than a grid can have")
        self.code = KernelCode(tile.threads)
        self.rows = tile.queries // SIDE
        """Queries of a thread."""
        self.columns = tile.keys // SIDE
        """Keys of a thread."""
        self.group = self._group()
        """Neighbouring columns of the values that a thread has; `groups` of such."""
        self.groups = -(-self.width // (SIDE * self.group))
        self.lanes = self._lanes()
        self.slice = min(tile.depth, -(-self.depth // _GROUP) * _GROUP)
        self._memory()
        self.head: Places = ()
        self.first: Index = 0

    def _group(self) -> int:
        """As few columns beyond the last one as can be, then as many neighbours."""
        waste = {group: -self.width % (SIDE * group) for group in (1, 2, _GROUP)}
        return min(waste, key=lambda group: (waste[group], -group))

    def _lanes(self) -> int:
        """Elements of a row of queries, keys or values that are read at once."""
        found = []
        attention = self.attention
        for value in (
            attention.product.inputs[0][0],
            attention.product.inputs[1][0],
            attention.mixed.inputs[1][0],
        ):
            place = _argument(value)
            if place is None:
                return 1
            last = len(self.operands[place].type.shape) - 1
            found.append(widest(self.operands[place], last, aligned=place in self.aligned))
        lanes = min(*found, _GROUP)
        while lanes > 1 and (self.depth % lanes or self.width % lanes):
            lanes //= 2
        return lanes

    def _memory(self) -> None:
        code, tile = self.code, self.tile
        row, other = tile.queries + _GROUP, tile.keys + _GROUP
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

    # --- all of it

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
            self._put_queries(0, whole)
        number_of = self.rows * self.groups
        zero = code.constant(0.0, self.element)
        nothing = code.constant(0.0, self.element, self._wide)
        limit = code.constant(-_INFINITY, self.element)
        start = [limit] * self.rows + [zero] * self.rows + [nothing] * number_of
        found = code.loop(code.index(0), self._end(), tile.keys, start, self._keys)
        self._finish(found[self.rows : 2 * self.rows], found[2 * self.rows :])
        grid = (self.blocks * self.heads, 1, 1)
        return code.kernel(symbol, [*self.operands, self.result], grid, tile.blocks)

    @property
    def _wide(self) -> int:
        return self.group if self.group > 1 else 0

    def _end(self) -> str:
        """Where the keys end that the queries of this block see."""
        code, mask = self.code, self.attention.causal
        everything = code.index(self.keys)
        if mask is None or mask.hidden * mask.outer > HIDDEN:
            return everything
        offset = code.index(mask.offset.number)
        for scalar, factor in mask.offset.scalars:
            value = self._scalar(scalar)
            if factor != 1:
                value = code.index_op("muli", value, code.index(factor))
            offset = code.plus(offset, value)
        last = code.plus(code.plus(code.at(self.first), self.tile.queries), offset)
        end = code.index_op("minsi", code.index_op("maxsi", last, code.index(0)), everything)
        if mask.hidden == -_INFINITY:
            return end
        # Where a query sees nothing, all that is hidden counts the same.
        sees = code.less("sge", code.plus(code.at(self.first), offset), code.index(0))
        return code.emit(f"arith.select {sees}, {end}, {everything} : index")

    def _scalar(self, scalar: Any) -> str:
        evaluator = self._elements({})
        if isinstance(scalar, Tensor):
            value = evaluator.at(scalar, ())
        else:
            value = evaluator._outside(scalar)
        if value.element != "index":
            value = self.code.convert("arith.index_cast", value, "index")
        return value.name

    def _elements(self, special: dict[Tensor, Callable[[Places], Value]]) -> Elements:
        return Elements(self.code, self.operands, special, self.aligned)

    # --- what goes to shared memory

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
        found = self._elements({}).at(value, (*self.head[: value.rank - 2], *places))
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

    def _put_queries(self, start: Index, count: int) -> None:
        queries = self.attention.product.inputs[0][0]
        rows = (self.first, self.tile.queries)
        self._put_turned(self.query_tile, queries, rows, (start, count), turned=False)

    def _put_keys(self, key: Index, start: Index) -> None:
        keys = self.attention.product.inputs[1][0]
        rows = (key, self.tile.keys)
        self._put_turned(self.key_tile, keys, rows, (start, self.slice), turned=True)

    def _put_values(self, key: Index, start: int) -> None:
        code = self.code
        values = self.attention.mixed.inputs[1][0]

        def put(row: Index, column: Index) -> None:
            rows, columns = (key, row, self.tile.keys), (start, column, self.span)
            found = self._read(values, rows, columns)
            store(code, self.value_tile, [row, column], found)

        self._each(self.tile.keys, self.span, put)

    # --- one tile of keys

    def _keys(self, key: str, carried: list[Value]) -> Sequence[Value]:
        code, rows = self.code, self.rows
        tops, sums, mixed = carried[:rows], carried[rows : 2 * rows], carried[2 * rows :]
        code.barrier()
        self._put_values(key, 0)
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
        limit = code.constant(-_INFINITY, self.element)
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
                self._put_queries(depth, self.slice)
            self._put_keys(key, depth)
            code.barrier()

            def step(d: Index, sums: list[Value]) -> list[Value]:
                queries = code.add(depth, d) if self.resident else d
                left = load(code, self.query_tile, [queries, self.row], self.rows)
                right = load(code, self.key_tile, [d, code.mul(self.place, columns)], wide)
                return [
                    self._fma(code.spread(code.lane(left, r), wide), right, sums[r])
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

    def _fma(self, x: Value, y: Value, z: Value) -> Value:
        code = self.code
        operation = "vector.fma" if x.lanes else "math.fma"
        return Value(
            code.emit(f"{operation} {x.name}, {y.name}, {z.name} : {x.type}"), x.element, x.lanes
        )

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
        evaluator = self._elements({attention.product: lambda _: product})
        places = (*self._leading(attention.scores), Place(code.at(query)), Place(code.at(here)))
        value = evaluator.at(attention.scores, places)
        return code.choose(inside, value, code.constant(-_INFINITY, self.element))

    def _leading(self, value: Tensor) -> Places:
        """The place of this head among the leading axes of a value."""
        if value.rank == 2:
            return ()
        if value.rank == 3:
            return self.head or (Place(self.code.index(0)),)
        shape = list(value.type.shape)
        product = list(self.attention.product.type.shape)
        return regrouped(self.code, product, shape, (*self.head, Place(None), Place(None)))[:-2]

    # --- values

    def _mix(self, key: Index, mixed: list[Value]) -> list[Value]:
        """Adds the values of a tile of keys, each as much as its share."""
        code = self.code
        per_span = self.span // (SIDE * self.group)
        found = list(mixed)
        for first in range(0, self.groups, per_span):
            if first:
                code.barrier()
                self._put_values(key, first * SIDE * self.group)
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
                    self._fma(
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

            self._if(inside, write)

    def _columns(self, query: Index, group: int, value: Value) -> None:
        code = self.code
        column = code.add(code.mul(self.place, self.group), group * SIDE * self.group)
        if self.width % self.group == 0:
            inside = code.below(column, self.width)
            beyond = (group + 1) * SIDE * self.group > self.width
            self._if(inside if beyond else True, lambda: self._put(query, column, value))
            return
        for lane in range(max(value.lanes, 1)):
            here = code.add(column, lane)
            number = code.lane(value, lane)
            self._if(
                code.below(here, self.width),
                lambda here=here, number=number: self._put(query, here, number),  # type: ignore[misc]
            )

    def _if(self, flag: Flag, then: Callable[[], None]) -> None:
        if flag is True:
            then()
            return
        self.code.line(f"scf.if {flag} {{")
        then()
        self.code.line("}")

    def _put(self, query: Index, column: Index, value: Value) -> None:
        """Write where the result has these columns of the product."""
        code, mixed = self.code, self.attention.mixed
        place = Place(code.at(column), value.lanes)
        places: Places = (*self.head[: mixed.rank - 2], Place(code.at(query)), place)
        steps: list[Tensor] = []
        at = self.attention.body.result
        while at is not mixed:
            steps.append(at)
            at = at.inputs[0][0]
        for one in reversed(steps):
            if isinstance(one, Transpose):
                places = tuple(places[source] for source in one.permutation)
            elif isinstance(one, Reshape):
                source = one.inputs[0][0]
                places = regrouped(code, list(source.type.shape), list(one.type.shape), places)
        if value.lanes and not places[-1].lanes:
            raise Unreadable("columns of the product are not columns of the result")
        last = len(self.result.type.shape) - 1
        wide = widest(self.result, last, aligned=len(self.operands) in self.aligned)
        written(code, self.result, places, value, wide=wide)


def _argument(value: Tensor) -> int | None:
    """The operand that a value is read from."""
    while value.inputs:
        value = value.inputs[0][0]
    return value.position if isinstance(value, Argument) else None


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
