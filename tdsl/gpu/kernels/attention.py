"""GPU kernels for attention: a block of queries sees the keys tile by tile, with an online softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tdsl.gpu.kernels.attention_frame import INFINITY, argument_of
from tdsl.gpu.kernels.attention_staging import StagedFrame
from tdsl.gpu.kernels.attention_tensor import TensorAttention
from tdsl.gpu.kernels.elements import load, store
from tdsl.gpu.kernels.generator import FixedSizes
from tdsl.gpu.kernels.mma import TYPES
from tdsl.gpu.kernels.tiles import (
    MOST_TENSOR_DEPTH,
    SIDE,
    AttentionTile,
    TensorAttentionTile,
    tensor_attention_tile,
)
from tdsl.gpu.kernels.writer import Index
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Reshape, Tensor, Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.softmax import is_cast, plain
from tdsl.lowering.kernels import GridLaunch, Kernel, Refused
from tdsl.lowering.options import Options

_UNROLLED: Final = 16
"""Steps of an inner loop that are written out."""


class AttentionKernel(StagedFrame):
    """256 threads, as 16 rows of 16. Each has some queries, and of the scores some keys for them;
    of the mixed values it has some columns. The threads of a row lie in one warp."""

    def text(self, symbol: str) -> str:
        code, tile = self.code, self.tile
        self.begin()
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
        arguments = [*self.operands, self.result]
        return code.kernel(symbol, arguments, self.grid, tile.blocks)

    @property
    def _wide(self) -> int:
        return self.group if self.group > 1 else 0

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
        done = [self.shares(scores[r], tops[r], sums[r], SIDE) for r in range(rows)]
        factors, shares = [one[2] for one in done], [one[3] for one in done]
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
        new = [*(one[0] for one in done), *(one[1] for one in done)]
        return [*new, *self._mix(key, scaled)]

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
        code = self.code
        query = code.add(code.add(self.first, self.row), r)
        here = code.add(code.add(key, code.mul(self.place, self.columns)), c)
        return self.score(product, query, here)

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
        for r in range(self.rows):
            inverse = code.spread(self.inverse(sums[r], SIDE), self._wide)
            query = code.add(code.add(self.first, self.row), r)
            inside = code.below(query, self.queries) if self.queries % self.tile.queries else True

            def write(r: int = r, query: Index = query, inverse: Value = inverse) -> None:
                for g in range(self.groups):
                    value = code.apply("arith.mulf", mixed[r * self.groups + g], inverse)
                    first = g * SIDE * self.group
                    column = code.add(code.mul(self.place, self.group), first)
                    beyond = first + SIDE * self.group > self.width
                    self.put_columns(query, column, value, beyond=beyond)

            code.only_if(inside, write)


def kernel(
    symbol: str,
    function: Any,
    operands: Sequence[Any],
    result: Any,
    *,
    precision: str = "f32",
    aligned: frozenset[int] = frozenset(),
    tile: AttentionTile | TensorAttentionTile | None = None,
) -> Kernel:
    """The kernel for a claim of kind attention, with the tile that suits it unless one is given."""
    try:
        attention = Attention.of(function)
        type_ = multiplied_as(attention, operands, result, precision)
        made: AttentionKernel | TensorAttention
        if type_ is not None and not isinstance(tile, AttentionTile):
            tile = tile or tensor_attention_tile(TYPES[type_].pack, _deepest(attention))
            made = TensorAttention(attention, operands, result, aligned, tile, TYPES[type_])
        else:
            assert not isinstance(tile, TensorAttentionTile)
            made = AttentionKernel(attention, operands, result, aligned, tile)
        text = made.text(symbol)
    except Unreadable as reason:
        raise Refused(str(reason)) from reason
    arguments = tuple(range(len(operands) + 1))
    launch = GridLaunch(symbol, made.grid, (made.tile.threads, 1, 1), arguments)
    return Kernel(symbol, text, None, (launch,))


def multiplied_as(
    attention: Attention, operands: Sequence[Any], result: Any, precision: str
) -> str | None:
    """The type that tensor cores multiply; None: attention without them.

    The shares of a softmax are rounded for them. Where all operands are of such a type, and the
    program itself rounds the shares or the result to it, that is no loss; else it must be asked
    for."""
    if attention.element != "f32" or _deepest(attention) > MOST_TENSOR_DEPTH:
        return None
    places = [
        argument_of(value)
        for value in (*(x for x, _ in attention.product.inputs), attention.mixed.inputs[1][0])
    ]
    stored = {None if place is None else str(operands[place].element_type) for place in places}
    if len(stored) == 1 and stored <= {"f16", "bf16"}:
        (type_,) = stored
        if type_ == str(result.element_type) or type_ in _precisions(attention.mixed.inputs[0][0]):
            return type_
    return precision if precision in TYPES else None


def _precisions(value: Tensor) -> set[str]:
    """The types that a value is rounded to on its way."""
    found = {value.element}
    while is_cast(value) or isinstance(value, Reshape) or plain(value) is not value:
        value = value.inputs[0][0]
        found.add(value.element)
    return found


def _deepest(attention: Attention) -> int:
    depth = int(attention.product.inputs[0][0].type.shape[-1])
    return max(depth, int(attention.mixed.type.shape[-1]))


class FusedAttention(FixedSizes):
    """The generator of kernels for claims of kind attention."""

    def write(
        self,
        symbol: str,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        options: Options,
        aligned: frozenset[int] = frozenset(),
    ) -> Kernel:
        return kernel(
            symbol, function, operands, result, precision=options.precision, aligned=aligned
        )
