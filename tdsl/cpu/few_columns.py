"""Products with few columns: the left operand streams through once, its rows as columns of the
product turned around."""

from __future__ import annotations

from msgspec.structs import replace

from tdsl.cpu.frame import SCRATCH, Buffer, Frame
from tdsl.cpu.gemv import Dots, Few, Streaming
from tdsl.cpu.reading import Operands, lies_along
from tdsl.cpu.tiles import Tile
from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.claims.product import Product, Side
from tdsl.lowering.kernels import operand_size
from tdsl.types.sizes import Size

# Rows that are finished together where sums must be turned around first.
_TURNED = 64


class FewColumns:
    """The columns of a product with a known small number of them: as rows, of which `Few` takes as
    many. They are copied next to each other first, unless they lie so."""

    def __init__(self, frame: Frame, tile: Tile, columns: int) -> None:
        self._frame, self._tile, self.columns = frame, tile, columns
        product = frame.product
        self.copies = not lies_along(product.right, "k")
        self.way: type[Few] = Dots if lies_along(product.left, "k") else Streaming
        self._turned = self._turn(product)

    @staticmethod
    def wanted(frame: Frame, tile: Tile) -> int | None:
        """The number of columns, if this is the way for them: fewer than a vector has, each row
        of the left operand or each column in one piece."""
        columns = frame.known("n")
        along = any(lies_along(frame.product.left, loop) for loop in "mk")
        if columns is None or frame.prepacked or not along:
            return None
        return columns if columns < min(tile.lanes, 8) else None

    def _turn(self, product: Product) -> Product:
        """Rows for columns and columns for rows."""
        names = {"m": "n", "n": "m"}

        def side(of: Side) -> Side:
            axes = {names.get(loop, loop): axis for loop, axis in of.axes.items()}
            return replace(of, axes=axes)

        rows = side(product.right)
        if self.copies:
            order = ("b", "m", "k") if product.batched else ("m", "k")
            axes = {loop: axis for axis, loop in enumerate(order)}
            rows = Side(len(self._frame.arguments), axes, product.element)
        return replace(product, left=rows, right=side(product.left))

    # --- the columns, next to each other

    def scratch(self) -> Size | None:
        """Bytes for them."""
        if not self.copies:
            return None
        total = Size.of(self.columns * self._frame.product.element_bytes)
        for loop in "bk" if self._frame.product.batched else "k":
            known = self._frame.known(loop)
            total *= Size.of(operand_size(*self._frame.place(loop)) if known is None else known)
        return total

    def _memory(self, writer: Writer) -> tuple[str, str]:
        frame = self._frame
        sizes: list[Index] = [self.columns, frame.size(writer, "k")]
        if frame.product.batched:
            sizes.insert(0, frame.size(writer, "b"))
        shown = "x".join("?" if isinstance(size, str) else str(size) for size in sizes)
        type_ = f"memref<{shown}x{frame.product.element}>"
        given = ", ".join(size for size in sizes if isinstance(size, str))
        name, bytes_type = SCRATCH
        view = f"memref.view {name}[{writer.index(0)}][{given}] : {bytes_type} to {type_}"
        return writer.op(view), type_

    def copy(self, writer: Writer) -> None:
        """Write them to scratch memory."""
        if not self.copies:
            return
        frame, product = self._frame, self._frame.product
        name, type_ = self._memory(writer)

        def one_batch(batch: Index) -> None:
            operands = frame.operands(writer, self._tile.lanes, batch)
            leading = [writer.index(batch)] if product.batched else []

            def element(k: str, _: list[str]) -> tuple[()]:
                for n in range(self.columns):
                    value = operands.scalar(product.right, k=k, n=n)
                    place = ", ".join([*leading, writer.index(n), k])
                    writer.raw(f"memref.store {value}, {name}[{place}] : {type_}")
                return ()

            writer.loop(0, frame.size(writer, "k"), 1, element)

        if product.batched:

            def batch(at: str, _: list[str]) -> tuple[()]:
                one_batch(at)
                return ()

            writer.loop(0, frame.size(writer, "b"), 1, batch)
        else:
            one_batch(0)

    # --- a range of rows

    def start(self, writer: Writer, width: int) -> None:
        """Memory of a range function: the columns, sums, and sums turned around."""
        lanes = self._tile.lanes
        self._arguments = [*self._frame.arguments]
        if self.copies:
            self._arguments.append(self._memory(writer))
        # The last row is read as a vector of results, too.
        self._sums = self._frame.buffer(writer, self.columns, width + lanes)
        if self.columns > 1:
            self._tile_buffer = self._frame.buffer(writer, _TURNED, lanes)
        self._width = width

    def rows(self, writer: Writer, batch: Index, first: Index, count: Index) -> None:
        """Some rows of the result."""
        frame = self._frame
        machine = frame.request.machine
        operands = Operands(writer, self._turned, self._arguments, machine, self._tile.lanes, batch)
        few = self.way(writer, self._turned, operands, self.columns)
        few.multiply(0, first, count, frame.size(writer, "k"), self._sums)
        if self.columns == 1:
            column = self._as_column(writer)
            frame.finish(writer, count, (batch, first, 0), self.columns, column)
            return

        def block(at: str, _: list[str]) -> tuple[()]:
            rows = writer.least(writer.sub(count, at), _TURNED)
            self._turn_sums(writer, at, rows)
            place = (batch, writer.add(first, at), 0)
            frame.finish(writer, rows, place, self.columns, self._tile_buffer)
            return ()

        writer.loop(0, count, _TURNED, block)

    def _as_column(self, writer: Writer) -> Buffer:
        """The sums of one column, below each other."""
        name, type_ = self._sums
        column = f"memref<{self._width}x1x{self._frame.product.element}, strided<[1, 1]>>"
        cast = (
            f"memref.reinterpret_cast {name} to offset: [0], sizes: [{self._width}, 1], "
            f"strides: [1, 1] : {type_} to {column}"
        )
        return writer.op(cast), column

    def _turn_sums(self, writer: Writer, first: Index, rows: Index) -> None:
        sums, sums_type = self._sums
        tile, tile_type = self._tile_buffer

        def row(i: str, _: list[str]) -> tuple[()]:
            column = writer.index(writer.add(first, i))
            for n in range(self.columns):
                at = writer.index(n)
                value = writer.op(f"memref.load {sums}[{at}, {column}] : {sums_type}")
                writer.raw(f"memref.store {value}, {tile}[{i}, {at}] : {tile_type}")
            return ()

        writer.loop(0, rows, 1, row)
