"""What a kernel for a product needs to know: sizes, operands, its tiles, and what follows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tdsl.gpu.kernels.elements import Elements, load, place, widest, written
from tdsl.gpu.kernels.tiles import GROUP, MOST_BLOCKS
from tdsl.gpu.kernels.writer import Flag, Index, KernelCode
from tdsl.lowering.claims.body import Body, Product, Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand, Place, Places
from tdsl.lowering.claims.product import Side, read_product
from tdsl.lowering.kernels import Refused


@dataclass(frozen=True)
class Source:
    """One operand of a product in memory, as a matrix of `rows` times the depth; for the right
    one `rows` are the columns of the product."""

    operand: Operand
    side: Side
    row: str
    """The loop that is not the depth: m or n."""
    wide: dict[str, int]
    """Along each loop how many elements can be read at once."""

    def size(self, loop: str) -> int:
        return int(self.operand.type.shape[self.side.axes[loop]])

    @property
    def along(self) -> str:
        """The loop whose neighbours are neighbours in memory."""
        strides, _ = self.operand.type.get_strides_and_offset()
        by_stride = {loop: strides[self.side.axes[loop]] for loop in (self.row, "k")}
        # An axis of one element has neighbours nowhere.
        return min(by_stride, key=lambda loop: (self.size(loop) == 1, by_stride[loop]))

    def load(self, code: KernelCode, batch: Index, row: Index, k: Index, lanes: int) -> Value:
        found: list[Index] = [0] * len(self.side.axes)
        for loop, axis in self.side.axes.items():
            found[axis] = {"b": batch, self.row: row, "k": k}[loop]
        return load(code, self.operand, found, lanes)

    def load_if(
        self, code: KernelCode, inside: Flag, batch: Index, row: Index, k: Index, lanes: int
    ) -> Value:
        """0 where a condition does not hold. Nothing is read then, so that addresses need not be
        kept inside: they differ by constants, and no registers hold them."""
        zero = code.constant(0.0, self.operand.element, lanes)
        if isinstance(inside, bool):
            return self.load(code, batch, row, k, lanes) if inside else zero
        (value,) = code.when(
            inside, lambda: [self.load(code, batch, row, k, lanes)], lambda: [zero], [zero]
        )
        return value


class MatmulForm:
    """A claim of kind matmul with the memory of its operands."""

    def __init__(
        self,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        aligned: frozenset[int] = frozenset(),
    ) -> None:
        self.product = product = read_product(function)
        self.operands = [Operand(f"%in{at}", type_) for at, type_ in enumerate(operands)]
        self.result = Operand("%out", result)
        self.element = str(product.element)
        self.aligned = aligned
        try:
            self.body = Body(function)
        except Unreadable as reason:
            raise Refused(str(reason)) from reason
        (self.root,) = (value for value in self.body.values() if isinstance(value, Product))
        self.left = self._source(product.left, "m")
        self.right = self._source(product.right, "n")
        self.m, self.k = self.left.size("m"), self.left.size("k")
        self.n = self.right.size("n")
        self.batches = self.left.size("b") if product.batched else 1
        last = len(result.shape) - 1
        if last < 0:
            raise Refused("the result is a single number")
        self.result_wide = widest(self.result, last, aligned=len(operands) in aligned)
        """How many columns of the result can be written at once."""

    @property
    def arguments(self) -> list[Operand]:
        return [*self.operands, self.result]

    def _source(self, side: Side, row: str) -> Source:
        operand = self.operands[side.argument]
        wide = {
            loop: widest(operand, axis, aligned=side.argument in self.aligned)
            for loop, axis in side.axes.items()
        }
        return Source(operand, side, row, wide)

    # --- tiles on the grid

    def grid(self, rows: int, columns: int) -> tuple[int, int, int]:
        blocks = self.batches * -(-self.m // rows) * -(-self.n // columns)
        if blocks > MOST_BLOCKS:
            raise Refused(f"it has {blocks} tiles, and a grid at most {MOST_BLOCKS}")
        return (blocks, 1, 1)

    def is_exact(self, rows: int, columns: int, depth: int) -> bool:
        """Whether tiles of this size are whole everywhere."""
        return not (self.m % rows or self.n % columns or self.k % depth)

    def tile(self, code: KernelCode, rows: int, columns: int) -> tuple[Index, Index, Index]:
        """Of this block: its index of the batch, its first row and its first column. Blocks that
        run at the same time share rows of the right operand, or nearly."""
        down, across = -(-self.m // rows), -(-self.n // columns)
        number: Index = code.block() if self.batches * down * across > 1 else 0
        batch: Index = 0
        if self.batches > 1:
            batch, number = code.div(number, down * across), code.rem(number, down * across)
        if across == 1:
            return batch, code.mul(number, rows), 0
        if down <= GROUP:
            return (
                batch,
                code.mul(code.rem(number, down), rows),
                code.mul(code.div(number, down), columns),
            )
        group, inside = code.div(number, GROUP * across), code.rem(number, GROUP * across)
        first = code.mul(group, GROUP)
        height = code.least(code.sub(down, first), GROUP)
        row = code.add(first, code.rem(inside, height))
        return batch, code.mul(row, rows), code.mul(code.div(inside, height), columns)

    # --- the end

    def finish(
        self,
        code: KernelCode,
        batch: Index,
        row: Index,
        pieces: Sequence[tuple[Index, Sequence[Value]]],
    ) -> None:
        """Elements of one row of the product, in pieces of neighbours that begin at a column: what
        follows the product, where there are such elements in it."""

        def columns() -> None:
            for column, sums in pieces:
                if self.n % len(sums) == 0:
                    code.only_if(
                        code.below(column, self.n),
                        self._writer(code, batch, row, column, sums),
                    )
                    continue
                for at, one in enumerate(sums):
                    here = code.add(column, at)
                    code.only_if(
                        code.below(here, self.n), self._writer(code, batch, row, here, [one])
                    )

        code.only_if(code.below(row, self.m), columns)

    def _writer(
        self, code: KernelCode, batch: Index, row: Index, column: Index, sums: Sequence[Value]
    ) -> Callable[[], None]:
        return lambda: self._element(code, batch, row, column, sums)

    def _element(
        self, code: KernelCode, batch: Index, row: Index, column: Index, sums: Sequence[Value]
    ) -> None:
        lanes = len(sums) if len(sums) > 1 else 0
        total = code.joined(sums) if lanes else sums[0]
        evaluator = Elements(code, self.operands, {self.root: lambda _: total}, self.aligned)
        places = (*self._rows(code, batch, row), place(code, column, lanes))
        value = evaluator.at(self.body.result, places)
        written(code, self.result, places, value, wide=self.result_wide)

    def _rows(self, code: KernelCode, batch: Index, row: Index) -> Places:
        """The leading indices of the result, whose rows may be cut into more axes or joined."""
        leading = [int(size) for size in self.result.type.shape[:-1]]
        own: list[Index] = [batch, row] if self.product.batched else [row]
        sizes = [self.batches, self.m] if self.product.batched else [self.m]
        if leading == sizes:
            return tuple(Place(code.at(index)) for index in own)
        position = row
        if self.product.batched:
            position = code.add(code.mul(batch, self.m), row)
        if not leading:
            return ()
        return tuple(Place(code.at(index)) for index in code.split(position, leading))


def check_result(form: MatmulForm) -> None:
    """Refused where rows of the product are no rows of the result."""
    shape = [int(size) for size in form.result.type.shape]
    rows = 1
    for size in shape[:-1]:
        rows *= size
    if shape[-1] != form.n or rows != form.m * form.batches:
        raise Refused("the columns of the product are not the columns of the result")
