"""Matrix products as generated kernels: which ways through the operands a product needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tdsl.cpu.elements import At, Elements, Lanes, key
from tdsl.cpu.few_columns import FewColumns
from tdsl.cpu.frame import SCRATCH, Buffer, Frame
from tdsl.cpu.gemv import Dots, Few, Streaming
from tdsl.cpu.memory import plain_memory
from tdsl.cpu.microkernel import Micro, PackedPanel, PackingMicro
from tdsl.cpu.packing import Panel
from tdsl.cpu.ranges import BYTES, FLOPS, Range, worth
from tdsl.cpu.reading import lies_along
from tdsl.cpu.tiles import Tile, tile_for
from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.claims.product import read_product
from tdsl.lowering.interface import ALIGNMENT, Packing
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused, operand_size
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block
from tdsl.types.sizes import Size

# Columns that are read along in one go where few rows are shared out to threads: with half as many
# reading is an eighth slower. And pieces for each thread where there are more.
_NARROWEST = 768
_PIECES = 4


class Gemm:
    """The generator of kernels for claims of kind matmul."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        product = read_product(function)
        rank = len(product.result_shape)
        if rank < 1:
            raise Refused("the result is a single number")
        arguments = [(f"%a{at}", str(type_)) for at, type_ in enumerate(plain_memory(function)[0])]
        # What follows the product is written once to see whether it can be.
        root = key(product.operation.results[0])
        elements = Elements(Writer(), arguments, 4, {root: lambda at: "%x"})
        indices: At = (*[f"%i{axis}" for axis in range(rank - 1)], Lanes("%j"))
        elements.at(product.returned, indices)

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        return (True,) * (len(as_block(function).arguments) + 1)

    def packings(self, function: Any, machine: Machine) -> Mapping[int, Packing]:
        """The right operand, where its last two axes are those of the product."""
        product = read_product(function)
        axes = product.right.axes
        rank = len(axes)
        if {axes["k"], axes["n"]} != {rank - 2, rank - 1}:
            return {}
        columns = tile_for(machine, product.element_bytes).columns
        return {product.right.argument: Packing(columns, axes["n"] == rank - 2)}

    def splits(self, function: Any, machine: Machine, columns: int) -> bool:
        """Groups of whole vectors: each vector is stored to one of them."""
        product = read_product(function)
        lanes = tile_for(machine, product.element_bytes).lanes
        return not product.batched and len(product.result_shape) == 2 and columns % lanes == 0

    def generate(self, request: KernelRequest) -> Kernel:
        return _Generated(request).kernel()


def _shared(writer: Writer, count: Index, parts: Index) -> Index:
    """How many each of some parts has at most."""
    return writer.div(writer.add(count, writer.sub(parts, 1)), parts)


class _Generated:
    """One kernel: a function that chooses a way by the number of rows, one for each way that
    computes a range of columns, and one that ends tiles."""

    def __init__(self, request: KernelRequest) -> None:
        self._symbol = request.symbol
        self._product = product = read_product(request.function)
        self._frame = Frame(request, product)
        self._tile = tile_for(request.machine, product.element_bytes)
        sizes = [self._frame.known(loop) for loop in ("bmnk" if product.batched else "mnk")]
        rows = self._frame.known("m")
        columns = FewColumns.wanted(self._frame, self._tile)
        is_few = rows is None or rows < self._tile.rows or columns is not None
        least = BYTES // product.element_bytes if is_few else FLOPS // 2
        self._threads = worth(request.machine.threads, least, sizes)
        self._functions: list[str] = []
        self._by_dots = lies_along(product.left, "k") and lies_along(product.right, "k")
        self._by_rows = lies_along(product.right, "n")
        self._columns = columns and FewColumns(self._frame, self._tile, columns)

    def kernel(self) -> Kernel:
        """Which of the ways are needed follows from the number of rows, as far as it is known.

        Many rows: columns are packed, panel by panel, by the first tile that reads them. Few
        rows: the right operand is read once, where it lies. Few columns: the left one. Where it lies so that no vectors can be read,
        it is packed in any case."""
        frame, tile = self._frame, self._tile
        self._functions.append(frame.finish_function(tile.lanes))
        writer = Writer()
        if self._columns:
            return self._few_columns(writer, self._columns)
        m = frame.size(writer, "m")
        known = frame.known("m")
        packs_always = frame.prepacked or not (self._by_rows or self._by_dots)

        def few(rows: int) -> None:
            if packs_always:
                self._panels(writer, Tile(rows, tile.vectors, tile.lanes))
            else:
                self._few_rows(writer, rows)

        def fewer(rows: int) -> None:
            """One of a few heights; the last rows are computed twice."""
            if rows == 1:
                few(1)
            else:
                is_enough = writer.compare("uge", m, rows)
                writer.branch(is_enough, lambda: few(rows), lambda: fewer(rows // 2))

        def below_a_tile() -> None:
            if known is not None:
                few(known)
            else:
                fewer(4 if tile.rows > 4 else 2)

        writer.branch(
            writer.compare("uge", m, tile.rows), lambda: self._panels(writer, tile), below_a_tile
        )
        packs = not frame.prepacked and (packs_always or known is None or known >= tile.rows)
        self._function(writer, self._symbol, packs)
        return Kernel(self._symbol, "".join(self._functions), self._scratch() if packs else None)

    def _scratch(self) -> Size:
        """A panel."""
        depth = self._frame.known("k")
        count = Size.of(operand_size(*self._frame.place("k")) if depth is None else depth)
        block = count * (self._tile.columns * self._product.element_bytes)
        # Each thread packs for itself, from where memory is aligned on.
        return (block + ALIGNMENT) * self._threads if self._threads > 1 else block

    def _function(self, writer: Writer, name: str, packs: bool, *ranges: str) -> None:
        more = [*([SCRATCH] if packs else []), *((name, "index") for name in ranges)]
        self._functions.append(writer.function(name, [*self._frame.arguments, *more]))

    def _call(
        self,
        writer: Writer,
        name: str,
        packs: bool,
        columns: int,
        grain: Index,
        along: str = "n",
        parts: Index = 1,
    ) -> None:
        """Compute all columns, in pieces of this many, each in parts, that do not depend on each
        other; or rows."""
        count = writer.mul(writer.up_to(self._frame.size(writer, along), columns), parts)
        if self._product.batched:
            count = writer.mul(count, self._frame.size(writer, "b"))
        arguments = [*self._frame.arguments, *([SCRATCH] if packs else [])]
        # What rows share of scratch memory is written before.
        pieces = Range(name, arguments, self._threads, has_blocks=packs and along == "n")
        self._functions.append(pieces.declaration())
        begin, end = writer.index(0), writer.index(count)
        writer.raw(pieces.call(begin, end, writer.index(grain)))

    @staticmethod
    def _grain(writer: Writer, least: int, *each: Index) -> Index:
        """How many pieces, each the product of these sizes, come to what is worth a thread."""
        piece: Index = 1
        for size in each:
            piece = writer.mul(piece, size)
        if isinstance(piece, int):
            return -(-least // max(piece, 1))
        return writer.add(writer.div(least, writer.add(piece, 1)), 1)

    def _piece(
        self, writer: Writer, at: Index, columns: int, along: str = "n"
    ) -> tuple[Index, Index, Index]:
        """Of a piece: its index of the batch, its first column, and its number of columns."""
        n = self._frame.size(writer, along)
        batch: Index = 0
        piece: Index = at
        if self._product.batched:
            each = writer.up_to(n, columns)
            batch, piece = writer.div(at, each), writer.rem(at, each)
        first = writer.mul(piece, columns)
        return batch, first, writer.least(writer.sub(n, first), columns)

    # --- many rows

    def _panels(self, caller: Writer, tile: Tile) -> None:
        """Tiles of one panel of columns after the other."""
        frame = self._frame
        name = f"{self._symbol}.tiles_{tile.rows}"
        packs = not frame.prepacked
        sizes = (frame.size(caller, "m"), frame.size(caller, "k"))
        grain = self._grain(caller, FLOPS, 2 * tile.columns, *sizes)
        self._call(caller, name, packs, tile.columns, grain, parts=self._parts(caller, tile))
        writer = Writer()
        m, k = frame.size(writer, "m"), frame.size(writer, "k")
        buffer = frame.buffer(writer, tile.rows, tile.columns)
        memory = self._panel_memory(writer, tile, k) if packs else None
        parts = self._parts(writer, tile)
        part_rows = writer.mul(_shared(writer, writer.up_to(m, tile.rows), parts), tile.rows)

        def panel(at: str, _: list[str]) -> tuple[()]:
            start = writer.mul(writer.rem(at, parts), part_rows)
            stop = writer.least(writer.add(start, part_rows), m)
            self._panel(writer, tile, writer.div(at, parts), (start, stop), memory, buffer)
            return ()

        writer.loop("%begin", "%end", 1, panel)
        self._function(writer, name, packs, "%begin", "%end")

    def _parts(self, writer: Writer, tile: Tile) -> Index:
        """Into how many parts the rows of a panel are shared, so that no thread waits long for the
        last piece of another. A panel that is packed by who uses it stays whole."""
        frame = self._frame
        if self._threads == 1 or not frame.prepacked:
            return 1
        m = frame.size(writer, "m")
        work = writer.mul(writer.mul(m, frame.size(writer, "k")), 2 * tile.columns)
        worth_a_thread = writer.add(writer.div(work, 2 * FLOPS), 1)
        return writer.least(worth_a_thread, writer.up_to(m, tile.rows))

    def _panel(
        self,
        writer: Writer,
        tile: Tile,
        at: Index,
        rows: tuple[Index, Index],
        memory: tuple[str, str] | None,
        buffer: Buffer,
    ) -> None:
        """The tiles of these rows of one panel, which the first one packs if it can."""
        frame = self._frame
        m, k = frame.size(writer, "m"), frame.size(writer, "k")
        batch, first, count = self._piece(writer, at, tile.columns)
        is_whole = writer.compare("eq", count, tile.columns)
        operands = frame.operands(writer, tile.lanes, batch)
        if memory is not None:
            panel = PackedPanel(*memory, (writer.index(0),), self._product.element)
        else:
            panel = self._prepacked_panel(writer, tile, batch, first)

        def block(row: Index, micro: Micro) -> None:
            place = (batch, row, first)

            def straight() -> None:
                frame.store(writer, tile, place, micro.multiply(row))

            def by_buffer() -> None:
                frame.keep(writer, tile, micro.multiply(row), buffer)
                frame.finish(writer, tile.rows, place, count, buffer)

            if self._product.is_plain:
                writer.branch(is_whole, straight, by_buffer)
            else:
                by_buffer()

        start, stop = rows
        if memory is not None:
            packer = Panel(writer, self._product, operands, tile, first, k, memory)
            if self._by_rows:
                packing = PackingMicro(operands, tile, k, panel, first)

                def first_tile() -> None:
                    frame.keep(writer, tile, packing.multiply(0), buffer)
                    frame.finish(writer, tile.rows, (batch, 0, first), count, buffer)

                writer.branch(is_whole, first_tile, lambda: packer.pack(count, False))
                start = writer.choose(is_whole, tile.rows, 0)
            else:
                packer.pack(count, is_whole)
        micro = Micro(operands, tile, k, panel)

        def tiles(at: str, _: list[str]) -> tuple[()]:
            # The last tile overlaps the one before: what is computed twice comes out the same.
            block(writer.least(at, writer.sub(m, tile.rows)), micro)
            return ()

        writer.loop(start, stop, tile.rows, tiles)

    def _prepacked_panel(
        self, writer: Writer, tile: Tile, batch: Index, first: Index
    ) -> PackedPanel:
        side = self._product.right
        name, type_ = self._frame.arguments[side.argument]
        panel = writer.index(writer.div(first, tile.columns))
        leading = (writer.index(batch), panel) if self._product.batched else (panel,)
        return PackedPanel(name, type_, leading, side.element)

    def _panel_memory(self, writer: Writer, tile: Tile, depth: Index) -> tuple[str, str]:
        is_open = isinstance(depth, str)
        sizes_shown = f"1x{'?' if is_open else depth}x{tile.columns}"
        type_ = f"memref<{sizes_shown}x{self._product.element}>"
        sizes = f"[{depth}]" if is_open else "[]"
        name, bytes_type = SCRATCH
        view = f"memref.view {name}[{writer.index(0)}]{sizes} : {bytes_type} to {type_}"
        return writer.op(view), type_

    # --- few rows

    def _few_rows(self, caller: Writer, rows: int) -> None:
        """The right operand is read once."""
        frame, lanes = self._frame, self._tile.lanes
        name = f"{self._symbol}.few_{rows}"
        way: type[Few] = Dots if self._by_dots else Streaming
        width = self._width(way.width(rows, self._product.element_bytes, lanes))
        row_bytes = width * self._product.element_bytes
        grain = self._grain(caller, BYTES, row_bytes, frame.size(caller, "k"))
        self._call(caller, name, False, width, grain)
        writer = Writer()
        m, k = frame.size(writer, "m"), frame.size(writer, "k")
        buffer = frame.buffer(writer, rows, width)

        def columns(at: str, _: list[str]) -> tuple[()]:
            batch, first, count = self._piece(writer, at, width)
            few = way(writer, self._product, frame.operands(writer, lanes, batch), rows)

            def block(at: str, _: list[str]) -> tuple[()]:
                row = writer.least(at, writer.sub(m, rows))
                few.multiply(row, first, count, k, buffer)
                frame.finish(writer, rows, (batch, row, first), count, buffer)
                return ()

            writer.loop(0, m, rows, block)
            return ()

        writer.loop("%begin", "%end", 1, columns)
        self._function(writer, name, False, "%begin", "%end")

    def _few_columns(self, caller: Writer, columns: FewColumns) -> Kernel:
        """The left operand is read once, in pieces of rows."""
        frame = self._frame
        name = f"{self._symbol}.columns_{columns.columns}"
        element_bytes = self._product.element_bytes
        width = columns.way.width(columns.columns, element_bytes, self._tile.lanes)
        width = self._width(width, "m")
        columns.copy(caller)
        grain = self._grain(caller, BYTES, width * element_bytes, frame.size(caller, "k"))
        self._call(caller, name, columns.copies, width, grain, "m")
        writer = Writer()
        columns.start(writer, width)

        def rows(at: str, _: list[str]) -> tuple[()]:
            columns.rows(writer, *self._piece(writer, at, width, "m"))
            return ()

        writer.loop("%begin", "%end", 1, rows)
        self._function(writer, name, columns.copies, "%begin", "%end")
        self._function(caller, self._symbol, columns.copies)
        return Kernel(self._symbol, "".join(self._functions), columns.scratch())

    def _width(self, most: int, along: str = "n") -> int:
        """The columns of a piece: as many as are fast to read, but some pieces for each thread."""
        if self._threads == 1:
            return most
        columns, lanes = self._frame.known(along), self._tile.lanes
        if columns is None:
            return min(most, _NARROWEST)
        # As many for each thread: one piece more would be a turn for all.
        turns = min(_PIECES, columns // (_NARROWEST * self._threads))
        pieces = self._threads * max(turns, 1)
        return min(most, -(-columns // (pieces * lanes)) * lanes)
