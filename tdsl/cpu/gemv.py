"""Products with few rows: the right operand streams through once, at the speed of memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from tdsl.cpu.reading import Operands
from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.claims.product import Product

# Neighbouring rows of the right operand that are read side by side, by the number of rows of the
# product: with more the coefficients would not stay in registers.
_SIDE_BY_SIDE = (8, 8, 4, 4, 2, 2, 2)
# Bytes of sums that are kept close by, and so the length of what is read in one go.
_SUM_BYTES = 16384


# As many sums at once hide the latency of an addition.
_SUMS = 8


class Few(ABC):
    """What both ways share: `rows` rows, and a buffer for their sums."""

    def __init__(self, writer: Writer, product: Product, operands: Operands, rows: int) -> None:
        self._writer, self._product, self._operands = writer, product, operands
        self._rows = rows
        self._vector = operands.vector

    @abstractmethod
    def multiply(
        self, row: Index, first: Index, count: Index, depth: Index, buffer: tuple[str, str]
    ) -> None:
        """The columns from `first` on into the buffer."""

    @staticmethod
    def width(rows: int, element_bytes: int, lanes: int) -> int:
        """How many columns fit the buffer."""
        return max(_SUM_BYTES // (rows * element_bytes) // lanes, 1) * lanes


class Streaming(Few):
    """`rows` rows times columns as they lie. Sums wait in a buffer while the rows of the right
    operand pass by: reading along them is what memory is fast at."""

    def multiply(
        self, row: Index, first: Index, count: Index, depth: Index, buffer: tuple[str, str]
    ) -> None:
        """The columns from `first` on into the buffer."""
        writer, lanes = self._writer, self._operands.lanes
        zero = writer.constant("dense<0.0>", self._vector)
        rounded = writer.mul(writer.up_to(count, lanes), lanes)

        def clear(j: str, _: list[str]) -> tuple[()]:
            for i in range(self._rows):
                self._store(zero, i, j, buffer)
            return ()

        writer.loop(0, rounded, lanes, clear)
        together = _SIDE_BY_SIDE[self._rows - 1]
        whole = writer.mul(writer.div(depth, together), together)

        def some(width: int, k: str) -> tuple[()]:
            self._add(row, first, count, [writer.add(k, u) for u in range(width)], buffer)
            return ()

        writer.loop(0, whole, together, lambda k, _: some(together, k))
        if whole != depth:
            writer.loop(whole, depth, 1, lambda k, _: some(1, k))

    def _add(
        self, row: Index, first: Index, count: Index, ks: Sequence[Index], buffer: tuple[str, str]
    ) -> None:
        """Some rows of the right operand, each times its coefficients."""
        writer, lanes = self._writer, self._operands.lanes
        element = self._product.element
        spread = [
            [
                writer.op(
                    f"vector.broadcast "
                    f"{self._operands.scalar(self._product.left, m=writer.add(row, i), k=k)} : "
                    f"{element} to {self._vector}"
                )
                for k in ks
            ]
            for i in range(self._rows)
        ]

        def columns(j: Index, mask: str | None) -> None:
            n = writer.add(first, j)
            right = [self._operands.along(self._product.right, mask, k=k, n=n) for k in ks]
            for i in range(self._rows):
                place = f"{writer.index(i)}, {writer.index(j)}"
                total = writer.op(f"vector.load {buffer[0]}[{place}] : {buffer[1]}, {self._vector}")
                for factor, vector in zip(spread[i], right, strict=True):
                    total = self._operands.fma(factor, vector, total)
                self._store(total, i, j, buffer)

        def whole_vector(j: str, _: list[str]) -> tuple[()]:
            columns(j, None)
            return ()

        whole = writer.mul(writer.div(count, lanes), lanes)
        writer.loop(0, whole, lanes, whole_vector)

        def rest() -> None:
            left = writer.index(writer.sub(count, whole))
            columns(whole, writer.op(f"vector.create_mask {left} : vector<{lanes}xi1>"))

        writer.branch(writer.compare("ult", whole, count), rest)

    def _store(self, value: str, i: int, j: Index, buffer: tuple[str, str]) -> None:
        place = f"{self._writer.index(i)}, {self._writer.index(j)}"
        self._writer.raw(
            f"vector.store {value}, {buffer[0]}[{place}] : {buffer[1]}, {self._vector}"
        )


class Dots(Few):
    """`rows` rows times columns that both lie along the inner dimension."""

    def multiply(
        self, row: Index, first: Index, count: Index, depth: Index, buffer: tuple[str, str]
    ) -> None:
        """Into the buffer: rows times columns that both lie along the inner dimension. Each sum
        has a vector of its own until the end."""
        writer = self._writer
        group = max(_SUMS // self._rows, 1)
        whole = writer.mul(writer.div(count, group), group)

        def some(width: int) -> Callable[[str, list[str]], tuple[()]]:
            def columns(j: str, _: list[str]) -> tuple[()]:
                self._group(row, writer.add(first, j), j, width, depth, buffer)
                return ()

            return columns

        writer.loop(0, whole, group, some(group))
        if group > 1:
            writer.loop(whole, count, 1, some(1))

    def _group(
        self,
        row: Index,
        n: Index,
        column: Index,
        width: int,
        depth: Index,
        buffer: tuple[str, str],
    ) -> None:
        writer, lanes = self._writer, self._operands.lanes
        rows = [writer.add(row, i) for i in range(self._rows)]
        columns = [writer.add(n, j) for j in range(width)]
        total = self._rows * width
        zero = writer.constant("dense<0.0>", self._vector)

        def step(k: str, sums: Sequence[str], mask: str | None) -> list[str]:
            left, right = self._product.left, self._product.right
            a = [self._operands.along(left, mask, m=m, k=k) for m in rows]
            b = [self._operands.along(right, mask, n=c, k=k) for c in columns]
            return [
                self._operands.fma(a[at // width], b[at % width], sums[at]) for at in range(total)
            ]

        whole = writer.mul(writer.div(depth, lanes), lanes)
        sums = writer.loop(
            0,
            whole,
            lanes,
            lambda k, inside: step(k, inside, None),
            [zero] * total,
            [self._vector] * total,
        )
        if whole != depth:
            left = writer.index(writer.sub(depth, whole))
            mask = writer.op(f"vector.create_mask {left} : vector<{lanes}xi1>")
            sums = step(writer.index(whole), sums, mask)
        for at, vector in enumerate(sums):
            value = writer.op(
                f"vector.reduction <add>, {vector} fastmath<reassoc> : "
                f"{self._vector} into {self._product.element}"
            )
            place = f"{writer.index(at // width)}, {writer.index(writer.add(column, at % width))}"
            writer.raw(f"memref.store {value}, {buffer[0]}[{place}] : {buffer[1]}")
