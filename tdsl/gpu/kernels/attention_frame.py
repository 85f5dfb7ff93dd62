"""What all of one attention kernel shares: operands, sizes, its tile, and where elements go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tdsl.gpu.kernels.elements import Elements, widest, written
from tdsl.gpu.kernels.tiles import (
    HIDDEN,
    MOST_BLOCKS,
    MOST_DEPTH,
    SIDE,
    AttentionTile,
    attention_tile,
)
from tdsl.gpu.kernels.writer import Index, KernelCode
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Argument, Reshape, Tensor, Transpose, Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand, Place, Places, regrouped
from tdsl.lowering.kernels import Refused

INFINITY: Final = float("inf")
GROUP: Final = 4


class Frame:
    """A claim of kind attention with the memory of its operands."""

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
        self.slice = min(tile.depth, -(-self.depth // GROUP) * GROUP)
        self.head: Places = ()
        self.first: Index = 0

    def _group(self) -> int:
        """As few columns beyond the last one as can be, then as many neighbours."""
        waste = {group: -self.width % (SIDE * group) for group in (1, 2, GROUP)}
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
        lanes = min(*found, GROUP)
        while lanes > 1 and (self.depth % lanes or self.width % lanes):
            lanes //= 2
        return lanes

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
        if value.element != "index":
            value = self.code.convert("arith.index_cast", value, "index")
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

    # --- the result

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


def _argument(value: Tensor) -> int | None:
    """The operand that a value is read from."""
    while value.inputs:
        value = value.inputs[0][0]
    return value.position if isinstance(value, Argument) else None
