"""Matrix products as generated kernels: register tiles over packed columns, and what follows."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.cpu.elements import At, Elements, Lanes, key
from tdsl.cpu.microkernel import Micro, lies_along
from tdsl.cpu.product import Product, read_product
from tdsl.cpu.tiles import Tile, narrow_tile, tile_for
from tdsl.cpu.writer import Index, Writer, call
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused, operand_size
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, as_block
from tdsl.types.sizes import Size

# With fewer rows than this many tiles, packing the right operand costs more than it saves.
_ROWS_TO_PACK = 4
# Columns whose sums along the inner dimension are finished together.
_DOT_COLUMNS = 64


class Gemm:
    """The generator of kernels for claims of kind matmul."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        product = read_product(function)
        rank = len(product.result_shape)
        if rank < 1:
            raise Refused("the result is a single number")
        arguments = [
            (f"%a{at}", str(_plain(argument.type)))
            for at, argument in enumerate(as_block(function).arguments)
        ]
        # What follows the product is written once to see whether it can be.
        elements = Elements(Writer(), arguments, 4, {key(_root(product)): lambda at: "%x"})
        indices: At = (*[f"%i{axis}" for axis in range(rank - 1)], Lanes("%j"))
        elements.at(product.returned, indices)

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        return (True,) * (len(as_block(function).arguments) + 1)

    def generate(self, request: KernelRequest) -> Kernel:
        return _Generated(request).kernel()


def _plain(type_: Any) -> Any:
    type_ = ir.RankedTensorType(type_)
    return ir.MemRefType.get(type_.shape, type_.element_type)


def _root(product: Product) -> Any:
    return product.operation.results[0]


class _Generated:
    """One kernel: functions for the whole, for a range of column panels, and for a tile's end."""

    def __init__(self, request: KernelRequest) -> None:
        self._request = request
        self._product = read_product(request.function)
        self._machine = request.machine
        types = [*request.operands, request.result]
        names = [f"%a{at}" for at in range(len(request.operands))] + ["%out"]
        self._arguments = [(name, str(type_)) for name, type_ in zip(names, types, strict=True)]
        self._bytes = self._product.element_bytes
        self._tile = tile_for(self._machine, self._bytes)
        self._scratch = ("%scratch", "memref<?xi8>")
        left, right = self._product.left, self._product.right
        self._size_of = {
            "m": (left.argument, left.axes["m"]),
            "k": (left.argument, left.axes["k"]),
            "n": (right.argument, right.axes["n"]),
        }
        if self._product.batched:
            self._size_of["b"] = (left.argument, left.axes["b"])
        self._functions: list[str] = []

    # --- the whole

    def kernel(self) -> Kernel:
        """Which of the ways are needed follows from the number of rows, as far as it is known."""
        rows = self._static("m")
        tile = self._tile
        few = tile.rows
        many = few if self._dots else _ROWS_TO_PACK * few
        if not (self._dots or lies_along(self._product.right, "n")):
            many = 1
        self._finish()
        writer = Writer()
        m = self._size(writer, "m")
        packs = rows is None or rows >= many

        def packed() -> None:
            self._whole(writer, tile, packed=True)

        def direct() -> None:
            self._whole(writer, tile, packed=False)

        def narrow() -> None:
            if rows is not None:
                self._whole(writer, self._narrow(rows, many == 1), packed=many == 1)
                return
            fewer(4 if few > 4 else 2)

        def fewer(count: int) -> None:
            """One of a few tiles; the last rows are computed twice."""
            tile = self._narrow(count, many == 1)

            def this() -> None:
                self._whole(writer, tile, packed=many == 1)

            if count == 1:
                this()
            else:
                writer.branch(writer.compare("uge", m, count), this, lambda: fewer(count // 2))

        if many == 1:
            writer.branch(writer.compare("uge", m, few), packed, narrow)
        else:
            writer.branch(
                writer.compare("uge", m, many),
                packed,
                lambda: writer.branch(writer.compare("uge", m, few), direct, narrow),
            )
        scratch = self._scratch_bytes() if packs else None
        arguments = [*self._arguments, *([self._scratch] if packs else [])]
        self._functions.append(writer.function(self._request.symbol, arguments))
        return Kernel(self._request.symbol, "".join(self._functions), scratch)

    @property
    def _dots(self) -> bool:
        """Whether few rows are best multiplied along the inner dimension."""
        product = self._product
        return lies_along(product.left, "k") and lies_along(product.right, "k")

    def _narrow(self, rows: int, packed: bool) -> Tile:
        if packed:
            return Tile(rows, self._tile.vectors, self._tile.lanes)
        if self._dots:
            return Tile(rows, _DOT_COLUMNS // self._tile.lanes, self._tile.lanes)
        return narrow_tile(self._machine, self._bytes, rows)

    def _scratch_bytes(self) -> Size:
        """One panel of columns."""
        k = self._static("k")
        position, axis = self._size_of["k"]
        depth = Size.of(k) if k is not None else Size.of(operand_size(position, axis))
        return depth * (self._tile.columns * self._bytes)

    def _static(self, loop: str) -> int | None:
        position, axis = self._size_of[loop]
        size = self._request.operands[position].shape[axis]
        return None if size == DYNAMIC else int(size)

    def _size(self, writer: Writer, loop: str) -> Index:
        known = self._static(loop)
        if known is not None:
            return known
        position, axis = self._size_of[loop]
        name, type_ = self._arguments[position]
        return writer.op(f"memref.dim {name}, {writer.index(axis)} : {type_}")

    def _whole(self, writer: Writer, tile: Tile, *, packed: bool) -> None:
        """Call the part function on all panels."""
        name = self._part(tile, packed=packed)
        panels = writer.up_to(self._size(writer, "n"), tile.columns)
        if self._product.batched:
            panels = writer.mul(panels, self._size(writer, "b"))
        arguments = [*self._arguments, *([self._scratch] if packed else [])]
        arguments += [(writer.index(0), "index"), (writer.index(panels), "index")]
        writer.raw(call(name, arguments))

    # --- a range of panels

    def _part(self, tile: Tile, *, packed: bool) -> str:
        """The panels from `%begin` up to `%end`, which no other range touches."""
        name = f"{self._request.symbol}.{'packed' if packed else 'direct'}_{tile.rows}"
        writer = Writer()
        m, n, k = (self._size(writer, loop) for loop in "mnk")
        per_batch = writer.up_to(n, tile.columns)
        buffer_type = f"memref<{tile.rows}x{tile.columns}x{self._product.element}>"
        buffer = writer.op(f"memref.alloca() {{alignment = 64 : i64}} : {buffer_type}")
        panel_type = f"memref<?x{tile.columns}x{self._product.element}>"
        panel = ""
        if packed:
            view = (
                f"memref<{'?' if isinstance(k, str) else k}x{tile.columns}x{self._product.element}>"
            )
            sizes = f"[{k}]" if isinstance(k, str) else "[]"
            panel_type = view
            panel = writer.op(
                f"memref.view {self._scratch[0]}[{writer.index(0)}]{sizes} : "
                f"{self._scratch[1]} to {view}"
            )

        def one(at: str, _: list[str]) -> tuple[()]:
            batch: Index = 0
            column_panel: Index = at
            if self._product.batched:
                batch, column_panel = writer.div(at, per_batch), writer.rem(at, per_batch)
            first = writer.mul(column_panel, tile.columns)
            count = writer.least(writer.sub(n, first), tile.columns)
            is_whole = writer.compare("eq", count, tile.columns)
            micro = Micro(
                writer,
                self._product,
                self._arguments,
                tile,
                self._machine,
                batch,
                first,
                k,
                (panel, panel_type) if packed else None,
            )
            if packed:
                micro.pack(count, is_whole)
            self._rows(writer, micro, tile, m, batch, first, count, is_whole, (buffer, buffer_type))
            return ()

        writer.loop("%begin", "%end", 1, one)
        arguments = [*self._arguments, *([self._scratch] if packed else [])]
        arguments += [("%begin", "index"), ("%end", "index")]
        self._functions.append(writer.function(name, arguments))
        return name

    def _rows(
        self,
        writer: Writer,
        micro: Micro,
        tile: Tile,
        m: Index,
        batch: Index,
        first: Index,
        count: Index,
        is_whole: bool | str,
        buffer: tuple[str, str],
    ) -> None:
        """All rows of one panel. The last tile overlaps the one before it: what is computed twice
        comes out the same."""

        def block(at: str, _: list[str]) -> tuple[()]:
            row = at if tile.rows == 1 else writer.least(at, writer.sub(m, tile.rows))

            def straight() -> None:
                self._store(writer, tile, batch, row, first, micro.multiply(row))

            def through_buffer() -> None:
                self._to_buffer(writer, tile, micro.multiply(row), buffer)
                self._call_finish(writer, tile, batch, row, first, count, buffer)

            def dots() -> None:
                micro.dots(row, count, buffer)
                self._call_finish(writer, tile, batch, row, first, count, buffer)

            def part() -> None:
                if micro.masks:
                    self._to_buffer(writer, tile, micro.multiply(row, count), buffer)
                    self._call_finish(writer, tile, batch, row, first, count, buffer)
                else:
                    through_buffer()

            whole = straight if self._product.is_plain else through_buffer
            if self._dots and micro.masks:
                dots()
            else:
                writer.branch(is_whole, whole, part)
            return ()

        writer.loop(0, m, tile.rows, block)

    def _store(
        self, writer: Writer, tile: Tile, batch: Index, row: Index, first: Index, found: list[str]
    ) -> None:
        out, type_ = self._arguments[-1]
        vector = f"vector<{tile.lanes}x{self._product.element}>"
        for i in range(tile.rows):
            for j in range(tile.vectors):
                at = [writer.add(row, i), writer.add(first, j * tile.lanes)]
                if self._product.batched:
                    at.insert(0, batch)
                place = ", ".join(writer.index(one) for one in at)
                value = found[i * tile.vectors + j]
                writer.raw(f"vector.store {value}, {out}[{place}] : {type_}, {vector}")

    def _to_buffer(
        self, writer: Writer, tile: Tile, found: list[str], buffer: tuple[str, str]
    ) -> None:
        vector = f"vector<{tile.lanes}x{self._product.element}>"
        for i in range(tile.rows):
            for j in range(tile.vectors):
                place = f"{writer.index(i)}, {writer.index(j * tile.lanes)}"
                value = found[i * tile.vectors + j]
                writer.raw(f"vector.store {value}, {buffer[0]}[{place}] : {buffer[1]}, {vector}")

    # --- the end of a tile

    @property
    def _finish_types(self) -> list[tuple[str, str]]:
        tile = f"memref<?x?x{self._product.element}, strided<[?, 1], offset: ?>>"
        names = ("%rows", "%batch", "%row", "%column", "%count")
        return [("%tile", tile), *((name, "index") for name in names)]

    def _call_finish(
        self,
        writer: Writer,
        tile: Tile,
        batch: Index,
        row: Index,
        first: Index,
        count: Index,
        buffer: tuple[str, str],
    ) -> None:
        _, type_ = self._finish_types[0]
        cast = writer.op(f"memref.cast {buffer[0]} : {buffer[1]} to {type_}")
        numbers = [tile.rows, batch, row, first, count]
        arguments = [(cast, type_), *((writer.index(number), "index") for number in numbers)]
        writer.raw(call(f"{self._request.symbol}.finish", [*self._arguments, *arguments]))

    def _finish(self) -> None:
        """From products in a buffer to results: what follows the product, and the last columns."""
        writer = Writer()
        lanes = self._tile.lanes
        whole = writer.mul(writer.div("%count", lanes), lanes)

        def row(at: str, _: list[str]) -> tuple[()]:
            def chunk(column: str, _: list[str]) -> tuple[()]:
                self._finish_vector(writer, at, column, None)
                return ()

            writer.loop(0, whole, lanes, chunk)

            def rest() -> None:
                left = writer.sub("%count", whole)
                mask = writer.op(f"vector.create_mask {left} : vector<{lanes}xi1>")
                self._finish_vector(writer, at, str(whole), mask)

            writer.branch(writer.compare("ult", whole, "%count"), rest)
            return ()

        writer.loop(0, "%rows", 1, row)
        name = f"{self._request.symbol}.finish"
        self._functions.append(writer.function(name, [*self._arguments, *self._finish_types]))

    def _finish_vector(self, writer: Writer, i: Index, column: Index, mask: str | None) -> None:
        product, lanes = self._product, self._tile.lanes
        vector = f"vector<{lanes}x{product.element}>"
        place = f"%tile[{writer.index(i)}, {writer.index(column)}]"
        found = writer.op(f"vector.load {place} : {self._finish_types[0][1]}, {vector}")
        elements = Elements(
            writer, self._arguments[:-1], lanes, {key(_root(product)): lambda at: found}, mask
        )
        indices = self._result_indices(writer, writer.add("%row", i))
        start = writer.add("%column", column)
        value = elements.at(product.returned, (*indices, Lanes(start)))
        out, type_ = self._arguments[-1]
        stored = f"vector<{lanes}x{self._request.result.element_type}>"
        spelled = ", ".join(writer.index(one) for one in (*indices, start))
        if mask is None:
            writer.raw(f"vector.store {value}, {out}[{spelled}] : {type_}, {stored}")
        else:
            writer.raw(
                f"vector.maskedstore {out}[{spelled}], {mask}, {value} : "
                f"{type_}, vector<{lanes}xi1>, {stored}"
            )

    def _result_indices(self, writer: Writer, row: Index) -> tuple[Index, ...]:
        """The leading indices of the result, whose rows may be cut into more axes."""
        leading = self._product.result_shape[:-1]
        own = 2 if self._product.batched else 1
        if len(leading) == own:
            return ("%batch", row) if self._product.batched else (row,)
        if self._product.batched:
            row = writer.add(writer.mul("%batch", self._size(writer, "m")), row)
        found: list[Index] = []
        for axis in reversed(range(1, len(leading))):
            size: Index = leading[axis]
            if size == DYNAMIC:
                out, type_ = self._arguments[-1]
                size = writer.op(f"memref.dim {out}, {writer.index(axis)} : {type_}")
            found.insert(0, writer.rem(row, size))
            row = writer.div(row, size)
        return (row, *found) if leading else ()
