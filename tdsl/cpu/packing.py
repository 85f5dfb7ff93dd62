"""Copying columns of the right operand next to each other, in the order that tiles read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from tdsl.cpu.reading import Operands, lies_along
from tdsl.cpu.tiles import Tile
from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.claims.product import Product


class Panel(msgspec.Struct, frozen=True):
    """As many columns as a tile has, from `first` on: for each place of the inner dimension a row
    of the panel, filled up with zeros where the columns end."""

    writer: Writer
    product: Product
    operands: Operands
    tile: Tile
    first: Index
    depth: Index
    memory: tuple[str, str]
    """The name and the type of the memory: one panel."""

    def _store(self, value: str, k: Index, column: Index) -> None:
        panel, type_ = self.memory
        place = ", ".join(self.writer.index(one) for one in (0, k, column))
        self.writer.raw(f"vector.store {value}, {panel}[{place}] : {type_}, {self.operands.vector}")

    def pack(self, count: Index, is_whole: bool | str) -> None:
        """Copy the panel's columns next to each other, converted, and filled up with zeros."""
        writer = self.writer
        if lies_along(self.product.right, "n"):
            self._pack_rows(count)
        elif lies_along(self.product.right, "k"):
            writer.branch(is_whole, self._pack_blocks, lambda: self._pack_transposed(count))
        else:
            self._pack_transposed(count)

    def _pack_rows(self, count: Index) -> None:
        """A last panel: of a whole one, the first tile packs the rows that it reads."""
        masks = column_masks(self.writer, self.tile, count)

        def row(k: str, _: list[str]) -> tuple[()]:
            for j, mask in enumerate(masks):
                value = read_columns(self.operands, self.first, k, j, mask)
                self._store(value, k, j * self.tile.lanes)
            return ()

        self.writer.loop(0, self.depth, 1, row)

    def _pack_blocks(self) -> None:
        """All columns, in square blocks that are turned in registers."""
        writer, lanes = self.writer, self.tile.lanes
        whole = writer.mul(writer.div(self.depth, lanes), lanes)

        def block(k: str, _: list[str]) -> tuple[()]:
            def columns(j: str, _: list[str]) -> tuple[()]:
                first = writer.add(self.first, j)
                rows = [
                    self.operands.along(self.product.right, None, n=writer.add(first, i), k=k)
                    for i in range(lanes)
                ]
                for i, row in enumerate(self._turned(rows)):
                    self._store(row, writer.add(k, i), j)
                return ()

            writer.loop(0, self.tile.columns, lanes, columns)
            return ()

        writer.loop(0, whole, lanes, block)
        if whole != self.depth:
            self._pack_transposed(self.tile.columns, whole)

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
                    found[at] = self.writer.op(
                        f"vector.shuffle {rows[i]}, {rows[i + distance]} {order} : "
                        f"{self.operands.vector}, {self.operands.vector}"
                    )
            rows, distance = found, distance // 2
        return rows

    def _pack_transposed(self, count: Index, start: Index = 0) -> None:
        """Element by element, from a place of the inner dimension on."""
        writer = self.writer
        panel, type_ = self.memory
        slot = writer.index(0)
        element = self.product.element

        def column(j: str, _: list[str]) -> tuple[()]:
            def inner(k: str, _: list[str]) -> tuple[()]:
                value = self.operands.scalar(self.product.right, n=writer.add(self.first, j), k=k)
                writer.raw(f"memref.store {value}, {panel}[{slot}, {k}, {j}] : {type_}")
                return ()

            writer.loop(start, self.depth, 1, inner)
            return ()

        def nothing(j: str, _: list[str]) -> tuple[()]:
            def inner(k: str, _: list[str]) -> tuple[()]:
                zero = writer.constant("0.0", str(element))
                writer.raw(f"memref.store {zero}, {panel}[{slot}, {k}, {j}] : {type_}")
                return ()

            writer.loop(start, self.depth, 1, inner)
            return ()

        writer.loop(0, count, 1, column)
        writer.loop(count, self.tile.columns, 1, nothing)


def column_masks(writer: Writer, tile: Tile, count: Index) -> list[str]:
    """For each vector of a panel, which of its lanes are columns."""
    found: list[str] = []
    for j in range(tile.vectors):
        # A size beyond the vector, or below 0, is what create_mask clamps.
        left = writer.index(writer.sub(count, j * tile.lanes))
        found.append(writer.op(f"vector.create_mask {left} : vector<{tile.lanes}xi1>"))
    return found


def read_columns(operands: Operands, first: Index, k: str, j: int, mask: str | None) -> str:
    """The j-th vector of a panel's columns, where they lie."""
    n = operands.writer.add(first, j * operands.lanes)
    return operands.along(operands.product.right, mask, k=k, n=n)


def packed_shape(shape: Sequence[int], tile: Tile) -> tuple[int, ...]:
    """The shape of a right operand [..., k, n] as a kernel with `prepacked` takes it: [..., panel,
    k, column], the last panel filled up."""
    *leading, depth, columns = shape
    return (*leading, -(-columns // tile.columns), depth, tile.columns)


def pack_array(array: np.ndarray[Any, Any], tile: Tile) -> np.ndarray[Any, Any]:
    """A constant right operand [..., k, n] packed once, in the dtype that it is stored in. For a
    kernel that reads it transposed, give the transposed view."""
    *leading, depth, columns = array.shape
    panels = packed_shape(array.shape, tile)[-3]
    padded = np.zeros((*leading, depth, panels * tile.columns), array.dtype)
    padded[..., :columns] = array
    cut = padded.reshape(*leading, depth, panels, tile.columns)
    return np.ascontiguousarray(np.moveaxis(cut, -2, -3))
