"""The inner loop of a product: one register tile, over all of the inner dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tdsl.cpu.product import Product, Side
from tdsl.cpu.tiles import Tile
from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.machine import Machine

# As many sums at once hide the latency of an addition.
_SUMS = 8


class Micro:
    """Tiles of one panel of columns, from `first` on; `panel` is its packed copy if it has one."""

    def __init__(
        self,
        writer: Writer,
        product: Product,
        arguments: Sequence[tuple[str, str]],
        tile: Tile,
        machine: Machine,
        batch: Index,
        first: Index,
        depth: Index,
        panel: tuple[str, str] | None,
    ) -> None:
        self._writer, self._product, self._arguments = writer, product, arguments
        self._tile, self._machine, self._batch = tile, machine, batch
        self._first, self._depth, self._panel = first, depth, panel
        self._vector = f"vector<{tile.lanes}x{product.element}>"

    @property
    def masks(self) -> bool:
        """Whether the last panel reads its columns under a mask: packed ones are filled up."""
        return self._panel is None

    # --- packing

    def pack(self, count: Index, is_whole: bool | str) -> None:
        """Copy the panel's columns next to each other, converted, and filled up with zeros."""
        writer = self._writer
        assert self._panel is not None
        panel, type_ = self._panel

        def copy(part: bool) -> None:
            masks = self._masks(count) if part else [None] * self._tile.vectors

            def row(k: str, _: list[str]) -> tuple[()]:
                for j in range(self._tile.vectors):
                    value = self._right(k, j, masks[j])
                    place = f"{k}, {writer.index(j * self._tile.lanes)}"
                    writer.raw(f"vector.store {value}, {panel}[{place}] : {type_}, {self._vector}")
                return ()

            writer.loop(0, self._depth, 1, row)

        if not lies_along(self._product.right, "n"):
            if lies_along(self._product.right, "k"):
                writer.branch(is_whole, self._pack_blocks, lambda: self._pack_transposed(count))
            else:
                self._pack_transposed(count)
        else:
            writer.branch(is_whole, lambda: copy(False), lambda: copy(True))

    def _pack_blocks(self) -> None:
        """All columns, in square blocks that are turned in registers."""
        writer, lanes = self._writer, self._tile.lanes
        assert self._panel is not None
        panel, type_ = self._panel
        whole = writer.mul(writer.div(self._depth, lanes), lanes)

        def block(k: str, _: list[str]) -> tuple[()]:
            def columns(j: str, _: list[str]) -> tuple[()]:
                first = writer.add(self._first, j)
                rows = [
                    self._along(self._product.right, None, n=writer.add(first, i), k=k)
                    for i in range(lanes)
                ]
                for i, row in enumerate(self._turned(rows)):
                    place = f"{writer.index(writer.add(k, i))}, {j}"
                    writer.raw(f"vector.store {row}, {panel}[{place}] : {type_}, {self._vector}")
                return ()

            writer.loop(0, self._tile.columns, lanes, columns)
            return ()

        writer.loop(0, whole, lanes, block)
        if whole != self._depth:
            self._pack_transposed(self._tile.columns, whole)

    def _turned(self, rows: list[str]) -> list[str]:
        """The columns of a square block: halves are exchanged, then quarters, and so on."""
        lanes = len(rows)
        distance = lanes // 2
        while distance:
            found = list(rows)
            for i in range(lanes):
                if i & distance:
                    continue
                low = [p if not p & distance else lanes + p - distance for p in range(lanes)]
                high = [p + distance if not p & distance else lanes + p for p in range(lanes)]
                for at, order in ((i, low), (i + distance, high)):
                    found[at] = self._writer.op(
                        f"vector.shuffle {rows[i]}, {rows[i + distance]} {order} : "
                        f"{self._vector}, {self._vector}"
                    )
            rows, distance = found, distance // 2
        return rows

    def _pack_transposed(self, count: Index, start: Index = 0) -> None:
        """Element by element, from a place of the inner dimension on."""
        writer = self._writer
        assert self._panel is not None
        panel, type_ = self._panel
        element = self._product.element

        def column(j: str, _: list[str]) -> tuple[()]:
            def inner(k: str, _: list[str]) -> tuple[()]:
                value = self._scalar(self._product.right, n=writer.add(self._first, j), k=k)
                writer.raw(f"memref.store {value}, {panel}[{k}, {j}] : {type_}")
                return ()

            writer.loop(start, self._depth, 1, inner)
            return ()

        def nothing(j: str, _: list[str]) -> tuple[()]:
            def inner(k: str, _: list[str]) -> tuple[()]:
                zero = writer.constant("0.0", str(element))
                writer.raw(f"memref.store {zero}, {panel}[{k}, {j}] : {type_}")
                return ()

            writer.loop(start, self._depth, 1, inner)
            return ()

        writer.loop(0, count, 1, column)
        writer.loop(count, self._tile.columns, 1, nothing)

    # --- multiplying

    def multiply(self, row: Index, count: Index | None = None) -> list[str]:
        """The tile's vectors, row by row. With `count` only so many columns are read."""
        writer, tile = self._writer, self._tile
        total = tile.rows * tile.vectors
        masks = [None] * tile.vectors if count is None else self._masks(count)
        zero = writer.constant("dense<0.0>", self._vector)
        rows = [writer.add(row, i) for i in range(tile.rows)]

        def step(k: str, sums: list[str]) -> list[str]:
            columns = [self._column(k, j, masks[j]) for j in range(tile.vectors)]
            found = list(sums)
            for i in range(tile.rows):
                scalar = self._scalar(self._product.left, m=rows[i], k=k)
                spread = writer.op(
                    f"vector.broadcast {scalar} : {self._product.element} to {self._vector}"
                )
                for j in range(tile.vectors):
                    at = i * tile.vectors + j
                    found[at] = self._fma(spread, columns[j], found[at])
            return found

        return writer.loop(0, self._depth, 1, step, [zero] * total, [self._vector] * total)

    def dots(self, row: Index, count: Index, buffer: tuple[str, str]) -> None:
        """Into the buffer: rows times columns that both lie along the inner dimension. Each sum
        has a vector of its own until the end."""
        writer = self._writer
        group = max(_SUMS // self._tile.rows, 1)
        whole = writer.mul(writer.div(count, group), group)

        def some(width: int) -> Callable[[str, list[str]], tuple[()]]:
            def columns(j: str, _: list[str]) -> tuple[()]:
                self._dot_group(row, j, width, buffer)
                return ()

            return columns

        writer.loop(0, whole, group, some(group))
        if group > 1:
            writer.loop(whole, count, 1, some(1))

    def _dot_group(self, row: Index, column: Index, width: int, buffer: tuple[str, str]) -> None:
        writer, tile = self._writer, self._tile
        rows = [writer.add(row, i) for i in range(tile.rows)]
        columns = [writer.add(writer.add(self._first, column), j) for j in range(width)]
        total = tile.rows * width
        zero = writer.constant("dense<0.0>", self._vector)

        def step(k: str, sums: Sequence[str], mask: str | None) -> list[str]:
            left, right = self._product.left, self._product.right
            a = [self._along(left, mask, m=m, k=k) for m in rows]
            b = [self._along(right, mask, n=n, k=k) for n in columns]
            return [self._fma(a[at // width], b[at % width], sums[at]) for at in range(total)]

        whole = writer.mul(writer.div(self._depth, tile.lanes), tile.lanes)
        sums = writer.loop(
            0,
            whole,
            tile.lanes,
            lambda k, inside: step(k, inside, None),
            [zero] * total,
            [self._vector] * total,
        )
        if whole != self._depth:
            left = writer.index(writer.sub(self._depth, whole))
            mask = writer.op(f"vector.create_mask {left} : vector<{tile.lanes}xi1>")
            sums = step(writer.index(whole), sums, mask)
        for at, vector in enumerate(sums):
            value = writer.op(
                f"vector.reduction <add>, {vector} fastmath<reassoc> : "
                f"{self._vector} into {self._product.element}"
            )
            place = f"{writer.index(at // width)}, {writer.index(writer.add(column, at % width))}"
            writer.raw(f"memref.store {value}, {buffer[0]}[{place}] : {buffer[1]}")

    def _fma(self, left: str, right: str, total: str) -> str:
        writer, vector = self._writer, self._vector
        if self._machine.fma:
            return writer.op(f"vector.fma {left}, {right}, {total} : {vector}")
        product = writer.op(f"arith.mulf {left}, {right} : {vector}")
        return writer.op(f"arith.addf {product}, {total} : {vector}")

    def _column(self, k: str, j: int, mask: str | None) -> str:
        if self._panel is None:
            return self._right(k, j, mask)
        panel, type_ = self._panel
        place = f"{k}, {self._writer.index(j * self._tile.lanes)}"
        return self._writer.op(f"vector.load {panel}[{place}] : {type_}, {self._vector}")

    # --- reading operands

    def _masks(self, count: Index) -> list[str | None]:
        """For each vector of the panel, which of its lanes are columns."""
        writer, lanes = self._writer, self._tile.lanes
        found: list[str | None] = []
        for j in range(self._tile.vectors):
            # A size beyond the vector, or below 0, is what create_mask clamps.
            left = writer.index(writer.sub(count, j * lanes))
            found.append(writer.op(f"vector.create_mask {left} : vector<{lanes}xi1>"))
        return found

    def _place(self, side: Side, **loops: Index) -> str:
        found = ["", "", ""][: len(side.axes)]
        for loop, axis in side.axes.items():
            found[axis] = self._writer.index(self._batch if loop == "b" else loops[loop])
        return f"{self._arguments[side.argument][0]}[{', '.join(found)}]"

    def _scalar(self, side: Side, **loops: Index) -> str:
        type_ = self._arguments[side.argument][1]
        value = self._writer.op(f"memref.load {self._place(side, **loops)} : {type_}")
        return self._widened(value, side, "")

    def _right(self, k: str, j: int, mask: str | None) -> str:
        """A vector of the right operand where it lies."""
        n = self._writer.add(self._first, j * self._tile.lanes)
        return self._along(self._product.right, mask, k=k, n=n)

    def _along(self, side: Side, mask: str | None, **loops: Index) -> str:
        """A vector along an operand's last axis."""
        lanes = self._tile.lanes
        type_ = self._arguments[side.argument][1]
        stored = f"vector<{lanes}x{side.element}>"
        place = self._place(side, **loops)
        if mask is None:
            value = self._writer.op(f"vector.load {place} : {type_}, {stored}")
        else:
            zero = self._writer.constant("dense<0.0>", stored)
            value = self._writer.op(
                f"vector.maskedload {place}, {mask}, {zero} : "
                f"{type_}, vector<{lanes}xi1>, {stored} into {stored}"
            )
        return self._widened(value, side, f"{lanes}x")

    def _widened(self, value: str, side: Side, lanes: str) -> str:
        element = self._product.element
        if side.element == element:
            return value
        if lanes:
            source, result = f"vector<{lanes}{side.element}>", f"vector<{lanes}{element}>"
        else:
            source, result = str(side.element), str(element)
        return self._writer.op(f"arith.extf {value} : {source} to {result}")


def lies_along(side: Side, loop: str) -> bool:
    """Whether neighbours along this loop are neighbours in memory."""
    return side.axes[loop] == len(side.axes) - 1
