"""What all of one attention kernel shares: operands, sizes, its tile, and where elements go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tdsl.gpu.kernels.elements import Elements, widest, written
from tdsl.gpu.kernels.rows import across, combine
from tdsl.gpu.kernels.tiles import HIDDEN, MOST_BLOCKS, AttentionTile, TensorAttentionTile
from tdsl.gpu.kernels.writer import Flag, Index, KernelCode
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Argument, Reshape, Tensor, Transpose, Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand, Place, Places, regrouped
from tdsl.lowering.kernels import Refused

INFINITY: Final = float("inf")
GROUP: Final = 4
_FAR: Final = 1 << 28


class Frame:
    """A claim of kind attention with the memory of its operands."""

    def __init__(
        self,
        attention: Attention,
        operands: Sequence[Any],
        result: Any,
        aligned: frozenset[int],
        tile: AttentionTile | TensorAttentionTile,
    ) -> None:
        self.attention = attention
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
        self.tile = tile
        self.blocks = -(-self.queries // tile.queries)
        if self.blocks * self.heads > MOST_BLOCKS:
            raise Refused("it has more blocks of queries than a grid can have")
        self.code = KernelCode(tile.threads)
        self.lanes = self._lanes()
        self.head: Places = ()
        self.first: Index = 0

    def _lanes(self) -> int:
        """Elements of a row of queries, keys or values that are read at once."""
        found = []
        attention = self.attention
        for value in (
            attention.product.inputs[0][0],
            attention.product.inputs[1][0],
            attention.mixed.inputs[1][0],
        ):
            place = argument_of(value)
            if place is None:
                return 1
            last = len(self.operands[place].type.shape) - 1
            found.append(widest(self.operands[place], last, aligned=place in self.aligned))
        lanes = min(*found, GROUP)
        while lanes > 1 and (self.depth % lanes or self.width % lanes):
            lanes //= 2
        return lanes

    @property
    def grid(self) -> tuple[int, int, int]:
        return (self.blocks * self.heads, 1, 1)

    def begin(self) -> None:
        """Find out which head and queries this block has."""
        code = self.code
        block: Index = code.block() if self.blocks * self.heads > 1 else 0
        head = code.div(block, self.blocks)
        # Later queries see more keys where masks are causal: they begin first.
        number = code.sub(self.blocks - 1, code.rem(block, self.blocks))
        self.first = code.mul(number, self.tile.queries)
        self.head = (Place(code.at(head)),) if self.attention.product.rank == 3 else ()

    def elements(self, special: dict[Tensor, Callable[[Places], Value]]) -> Elements:
        return Elements(self.code, self.operands, special, self.aligned)

    def end(self) -> str:
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
        if mask.hidden == -INFINITY:
            return end
        # Where a query sees nothing, all that is hidden counts the same.
        sees = code.less("sge", code.plus(code.at(self.first), offset), code.index(0))
        return code.emit(f"arith.select {sees}, {end}, {everything} : index")

    def _scalar(self, scalar: Any) -> str:
        evaluator = self.elements({})
        if isinstance(scalar, Tensor):
            value = evaluator.at(scalar, ())
        else:
            value = evaluator._outside(scalar)
        code = self.code
        if value.element == "i64":
            # Indices may have 32 bits: positions so far off say no more than that limit does.
            value = code.apply("arith.minsi", value, code.constant(_FAR, "i64"))
            value = code.apply("arith.maxsi", value, code.constant(-_FAR, "i64"))
        if value.element != "index":
            value = code.convert("arith.index_cast", value, "index")
        return value.name

    def leading(self, value: Tensor) -> Places:
        """The place of this head among the leading axes of a value."""
        if value.rank == 2:
            return ()
        if value.rank == 3:
            return self.head or (Place(self.code.index(0)),)
        shape = list(value.type.shape)
        product = list(self.attention.product.type.shape)
        return regrouped(self.code, product, shape, (*self.head, Place(None), Place(None)))[:-2]

    # --- tiles

    def each(
        self, rows: int, columns: int, lanes: int, put: Callable[[Index, Index], None]
    ) -> None:
        """Spread the elements of a matrix over the threads, some neighbours of a row at a time."""
        code = self.code
        count = rows * (columns // lanes)
        per_row = columns // lanes
        for start in range(0, count, self.tile.threads):
            place = code.add(code.thread, start)
            if start + self.tile.threads > count:
                place = code.least(place, count - 1)  # the last one, more than once
            put(code.div(place, per_row), code.mul(code.rem(place, per_row), lanes))

    def read(
        self,
        value: Tensor,
        rows: tuple[Index, Index, int],
        columns: tuple[Index, Index, int],
        *,
        lanes: int,
        turned: bool = False,
    ) -> Value:
        """Neighbours along a row; 0 beyond the end of the matrix, whose last element is read. Both
        places are given as where a tile begins, where in it, and its size."""
        code = self.code
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

    # --- the softmax

    def score(self, product: Value, query: Index, key: Index) -> Value:
        """What the softmax is of: -inf beyond the last key."""
        code, attention = self.code, self.attention
        if self.queries % self.tile.queries:
            query = code.least(query, self.queries - 1)
        inside: Flag = True
        if self.keys % self.tile.keys:
            inside = code.below(key, self.keys)
            key = code.least(key, self.keys - 1)
        evaluator = self.elements({attention.product: lambda _: product})
        places = (*self.leading(attention.scores), Place(code.at(query)), Place(code.at(key)))
        value = evaluator.at(attention.scores, places)
        return code.choose(inside, value, code.constant(-INFINITY, self.element))

    def shares(
        self, scores: Sequence[Value], top: Value, total: Value, threads: int
    ) -> tuple[Value, Value, Value, list[Value]]:
        """Of the scores that a thread has of a row, which so many neighbours share: the largest so
        far, the sum so far of this thread, what all before is to be multiplied by, and shares."""
        code = self.code
        zero, limit = code.constant(0.0, self.element), code.constant(-INFINITY, self.element)
        best = scores[0]
        for score in scores[1:]:
            best = combine(code, "max", best, score)
        new_top = combine(code, "max", top, across(code, "max", best, threads))
        # Where nothing is seen yet, 0 stands in for -inf, from which nothing can be taken.
        base = code.select(code.compare("oeq", new_top, limit), zero, new_top)
        factor = self._exp(code.apply("arith.subf", top, base))
        found = [self._exp(code.apply("arith.subf", score, base)) for score in scores]
        total = code.apply("arith.mulf", total, factor)
        for share in found:
            total = code.apply("arith.addf", total, share)
        return new_top, total, factor, found

    def _exp(self, x: Value) -> Value:
        return Value(self.code.emit(f"math.exp {x.name} : {x.type}"), x.element, x.lanes)

    def inverse(self, total: Value, threads: int) -> Value:
        """What the mixed values of a row are to be multiplied by in the end."""
        code = self.code
        one = code.constant(1.0, self.element)
        total = across(code, "add", total, threads)
        if self.attention.zeros:
            empty = code.compare("oeq", total, code.constant(0.0, self.element))
            total = code.select(empty, one, total)
        return code.apply("arith.divf", one, total)

    # --- the result

    def put_columns(self, query: Index, column: Index, value: Value, *, beyond: bool) -> None:
        """Write neighbouring columns, some of which may lie beyond the last one."""
        code = self.code
        if not beyond or self.width % max(value.lanes, 1) == 0:
            inside = code.below(column, self.width) if beyond else True
            code.only_if(inside, lambda: self.put(query, column, value))
            return
        for lane in range(value.lanes):
            here, number = code.add(column, lane), code.lane(value, lane)
            code.only_if(
                code.below(here, self.width),
                lambda here=here, number=number: self.put(query, here, number),  # type: ignore[misc]
            )

    def put(self, query: Index, column: Index, value: Value) -> None:
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


def argument_of(value: Tensor) -> int | None:
    """The operand that a value is read from."""
    while value.inputs:
        value = value.inputs[0][0]
    return value.position if isinstance(value, Argument) else None
