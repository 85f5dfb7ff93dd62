"""What all blocks of one attention kernel share: tile sizes, operands, and memory on the stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from mlir import ir

from tdsl.lowering.claims.attention import Attention, literal, origin
from tdsl.lowering.claims.body import Tensor, Unreadable
from tdsl.lowering.claims.code import Code, Value
from tdsl.lowering.claims.evaluate import Operand, Place, Places, regrouped

CHUNK: Final = 256
"""Keys whose scores are held at a time."""
UNROLL: Final = 2
"""Columns of keys that the inner loop of scores takes one after the other."""


class Tile(msgspec.Struct, frozen=True):
    """How many registers the inner loops use: vectors of queries, keys at a time; then vectors of
    a value's columns, queries at a time."""

    queries: int
    keys: int
    columns: int
    rows: int

    @staticmethod
    def of(registers: int) -> Tile:
        return Tile(3, 8, 4, 6) if registers >= 32 else Tile(3, 4, 2, 6)


class Frame:
    """What all blocks of one kernel share: operands, sizes, and memory on the stack."""

    def __init__(
        self,
        attention: Attention,
        operands: Sequence[Any],
        result: Any,
        lanes: int,
        tile: Tile,
        *,
        has_fma: bool,
    ) -> None:
        self._has_fma = has_fma
        self.attention, self.lanes, self.tile = attention, lanes, tile
        self.code = Code()
        self.operands = [Operand(f"%in{i}", type_) for i, type_ in enumerate(operands)]
        self.result = Operand("%out", result)
        self.element = attention.element
        # What is in memory is as wide as the widest block: rows of scores begin at whole vectors,
        # and as many queries as are mixed together make no more than it.
        self.span = lanes * tile.queries
        self.depth: int = attention.product.inputs[0][0].type.shape[-1]
        self.width: int = attention.mixed.inputs[1][0].type.shape[-1]
        self.has_heads = attention.mixed.rank == 3
        self.fixed_queries = literal(attention.mixed.type.shape[-2])
        self.vectors = self._vectors()
        self.block = lanes * self.vectors
        # Queries that are mixed together: all of a block, and none for nothing.
        self.rows = max(r for r in range(1, tile.rows + 1) if self.block % r == 0)

    def _vectors(self) -> int:
        """Vectors of queries in a block: where their number is fixed, such that few lanes of the
        last block are idle. There is code for one size of blocks alone, as there is much of it."""
        most = self.tile.queries
        if self.fixed_queries is None:
            return max(most - 1, 1)  # nearly as fast, and wastes less on numbers that do not fit
        needed = -(-self.fixed_queries // self.lanes)
        if needed <= most:
            return needed
        sizes = range(most, max(most - 2, 0), -1)
        return min(sizes, key=lambda size: -(-needed // size) * size)

    def count(self, code: Code) -> tuple[str, str, str]:
        """How many heads, queries and keys there are."""
        mixed, product = self.attention.mixed, self.attention.product
        heads = self._size(code, mixed, 0) if self.has_heads else code.index(1)
        return heads, self._size(code, mixed, -2), self._size(code, product, -1)

    def _size(self, code: Code, value: Tensor, axis: int) -> str:
        """The size of an axis, found in the shapes of what is in memory."""
        axis %= value.rank
        fixed = literal(value.type.shape[axis])
        if fixed is not None:
            return code.index(fixed)
        source = origin(value, axis)
        if source is None:
            raise Unreadable("an open size that no operand has")
        place, at = source
        operand = self.operands[place]
        return code.top(f"memref.dim {operand.name}, {code.index(at)} : {operand.type}")

    def prepare(self) -> None:
        code = self.code
        self.heads, self.queries, self.keys = self.count(code)
        element, span = self.element, self.span
        columns = -(-self.width // self.lanes) * self.lanes
        depth = -(-self.depth // self.lanes) * self.lanes

        self.turned = self.memory("queries", depth, span)
        self.score = self.memory("scores", CHUNK + self.tile.keys, span)
        self.mix = self.memory("mixed", span, columns)
        self.factor = self.memory("factors", span)
        self.limit = code.constant(-float("inf"), element, self.lanes)
        self.nothing = code.constant(0.0, element, self.lanes)

    def memory(self, label: str, *shape: int, element: str = "") -> Operand:
        """On the stack. The label tells buffers of equal shape apart."""
        type_ = ir.MemRefType.get(list(shape), ir.Type.parse(element or self.element))
        shown = f'memref.alloca() {{alignment = 64, tdsl.for = "{label}"}} : {type_}'
        return Operand(self.code.top(shown), type_)

    def load(self, memory: Operand, *indices: str) -> Value:
        """A vector of a buffer."""
        name = self.code.emit(
            f"vector.load {memory.name}[{', '.join(indices)}] : {memory.type}, "
            f"vector<{self.lanes}x{memory.element}>"
        )
        return Value(name, memory.element, self.lanes)

    def scalar(self, memory: Operand, *indices: str) -> Value:
        """An element of a buffer, in every lane."""
        name = self.code.emit(f"memref.load {memory.name}[{', '.join(indices)}] : {memory.type}")
        return self.code.spread(Value(name, memory.element), self.lanes)

    def fma(self, x: Value, y: Value, z: Value) -> Value:
        """x * y + z: one operation where the machine has it, which is less to compile."""
        return self.code.apply("math.fma", x, y, z) if self._has_fma else self.code.fma(x, y, z)

    def taken(self, score: Value, best: Value) -> Value:
        """The larger. A NaN is not taken: it makes its own share NaN, and with it the sum."""
        return self.code.select(self.code.compare("ogt", score, best), score, best)

    def leading(self, head: str, value: Tensor) -> Places:
        """The place of a head among the leading axes of scores."""
        if value.rank == 2:
            return ()
        if value.rank == 3:
            return (Place(head),)
        shape, product = list(value.type.shape), list(self.attention.product.type.shape)
        places = (Place(head), *(Place(None) for _ in range(2)))
        return regrouped(self.code, product, shape, places)[:-2]

    def heads_of(self, head: str, rank: int) -> Places:
        return (Place(head),) if rank == 3 else ()

    def column_mask(self, left: int) -> str | None:
        """The lanes of a vector of columns, where it is the last one and not full."""
        if left >= self.lanes:
            return None
        flags = ", ".join("true" if lane < left else "false" for lane in range(self.lanes))
        return self.code.top(f"arith.constant dense<[{flags}]> : vector<{self.lanes}xi1>")
