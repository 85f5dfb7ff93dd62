"""Products with few rows: the right operand streams through once, at the speed of memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tdsl.cpu.reading import Operands
from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.claims.product import Product

# Neighbouring rows of the right operand that are read side by side, by the number of rows of the
# product: with more the coefficients would not stay in registers.
_SIDE_BY_SIDE = (8, 8, 4, 4, 2, 2, 2)
# Bytes of sums that are kept close by, and so the length of what is read in one go.
_SUM_BYTES = 16384
# What is read again and again out of the nearest cache, while another operand passes by.
_NEAR_BYTES = 16384

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
    """`rows` rows times columns that both lie along the inner dimension, one column after the other:
    the right operand is read as it lies in memory, which is twice as fast as many columns at once.
    Rows that do not stay in the nearest cache are read once for some columns at a time.
    """

    def multiply(
        self, row: Index, first: Index, count: Index, depth: Index, buffer: tuple[str, str]
    ) -> None:
        """Into the buffer: rows times columns. Each sum is in several vectors until the end."""
        writer = self._writer
        together = self._together_of(depth)
        # A column alone is summed as one of some, so that it does not matter which it is.
        parts = max(_SUMS // (self._rows * together), 1)
        whole = writer.mul(writer.div(count, together), together)

        def columns(j: str, width: int) -> tuple[()]:
            places = [writer.add(j, at) for at in range(width)]
            self._columns(row, first, places, parts, depth, buffer)
            return ()

        writer.loop(0, whole, together, lambda j, _: columns(j, together))
        if whole != count:
            writer.loop(whole, count, 1, lambda j, _: columns(j, 1))

    def _together_of(self, depth: Index) -> int:
        """How many columns at once: as many as have their sums and themselves in registers."""
        rows, registers = self._rows, self._operands.machine.registers
        near = isinstance(depth, str) or rows * depth * self._product.element_bytes <= _NEAR_BYTES
        fits = [count for count in (4, 2) if count * (rows + 1) <= registers]
        return 1 if rows < 3 or near or not fits else fits[0]

    def _columns(
        self,
        row: Index,
        first: Index,
        columns: Sequence[Index],
        parts: int,
        depth: Index,
        buffer: tuple[str, str],
    ) -> None:
        writer, lanes = self._writer, self._operands.lanes
        left, right = self._product.left, self._product.right
        rows = [writer.add(row, i) for i in range(self._rows)]
        places = [writer.add(first, column) for column in columns]
        each = len(places)

        def steps(k: str, sums: Sequence[str], parts: int, mask: str | None) -> list[str]:
            """Sums of one row after the other, each column by column, in parts."""
            found = list(sums)
            for part in range(parts):
                at = writer.index(writer.add(k, part * lanes))
                vectors = [self._operands.along(right, mask, n=n, k=at) for n in places]
                for i, m in enumerate(rows):
                    a = self._operands.along(left, mask, m=m, k=at)
                    for j, b in enumerate(vectors):
                        place = (i * each + j) * parts + part
                        found[place] = self._operands.fma(a, b, found[place])
            return found

        def loop(start: Index, stop: Index, parts: int, sums: Sequence[str]) -> list[str]:
            types = [self._vector] * len(sums)
            return writer.loop(
                start,
                stop,
                lanes * parts,
                lambda k, inside: steps(k, inside, parts, None),
                sums,
                types,
            )

        zero = writer.constant("dense<0.0>", self._vector)
        count = self._rows * each
        most = writer.mul(writer.div(depth, lanes * parts), lanes * parts)
        whole = writer.mul(writer.div(depth, lanes), lanes)
        split = loop(0, most, parts, [zero] * (count * parts))
        sums = [self._together(split[i * parts : (i + 1) * parts]) for i in range(count)]
        if most != whole:
            sums = loop(most, whole, 1, sums)
        if whole != depth:
            left_over = writer.index(writer.sub(depth, whole))
            mask = writer.op(f"vector.create_mask {left_over} : vector<{lanes}xi1>")
            sums = steps(writer.index(whole), sums, 1, mask)
        for at, vector in enumerate(sums):
            i, j = divmod(at, each)
            value = writer.op(
                f"vector.reduction <add>, {vector} fastmath<reassoc> : "
                f"{self._vector} into {self._product.element}"
            )
            place = f"{writer.index(i)}, {writer.index(columns[j])}"
            writer.raw(f"memref.store {value}, {buffer[0]}[{place}] : {buffer[1]}")

    def _together(self, parts: Sequence[str]) -> str:
        """The sum of some vectors, in pairs."""
        while len(parts) > 1:
            half = len(parts) // 2
            pairs = zip(parts[:half], parts[half : 2 * half], strict=True)
            added = [self._writer.op(f"arith.addf {a}, {b} : {self._vector}") for a, b in pairs]
            parts = [*added, *parts[2 * half :]]
        return parts[0]
