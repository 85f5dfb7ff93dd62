"""What all functions of one matrix kernel share: their arguments, sizes, and how a tile ends."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.cpu.elements import Elements, Lanes, key
from tdsl.cpu.reading import Operands
from tdsl.cpu.tiles import Tile
from tdsl.cpu.writer import Index, Writer, call
from tdsl.lowering.claims.product import Product
from tdsl.lowering.kernels import KernelRequest
from tdsl.lowering.rewriting import DYNAMIC, collect

Buffer = tuple[str, str]
"""The name and the type of memory for sums."""

SCRATCH = ("%scratch", "memref<?xi8>")


class Frame:
    """The arguments of a kernel are its operands and then its result."""

    def __init__(self, request: KernelRequest, product: Product) -> None:
        self.request, self.product = request, product
        types = [*request.operands, request.result]
        names = [f"%a{at}" for at in range(len(request.operands))] + ["%out"]
        self.arguments = [(name, str(type_)) for name, type_ in zip(names, types, strict=True)]
        left, right = product.left, product.right
        self._size_of = {
            "m": (left.argument, left.axes["m"]),
            "k": (left.argument, left.axes["k"]),
            "n": (right.argument, right.axes["n"]),
        }
        # Rows that are grouped in another way behind the product.
        self._regroups = bool(collect(request.function, {"tensor.reshape"}))
        self.prepacked = right.argument in request.prepacked
        # Columns may be cut into groups, which are an axis of their own.
        is_split = request.result.rank > len(product.result_shape)
        self._group = int(request.result.shape[-1]) if is_split else None
        if self.prepacked:  # whose last panel is filled up
            self._size_of["n"] = (len(request.operands), request.result.rank - 1)
        if product.batched:
            self._size_of["b"] = (left.argument, left.axes["b"])

    # --- sizes

    def place(self, loop: str) -> tuple[int, int]:
        """The operand and its axis that a loop runs along."""
        return self._size_of[loop]

    def known(self, loop: str) -> int | None:
        position, axis = self._size_of[loop]
        if self._group is not None and position == len(self.request.operands):
            return int(self.request.result.shape[-2]) * self._group
        types = (*self.request.operands, self.request.result)
        size = types[position].shape[axis]
        return None if size == DYNAMIC else int(size)

    def size(self, writer: Writer, loop: str) -> Index:
        known = self.known(loop)
        if known is not None:
            return known
        position, axis = self._size_of[loop]
        name, type_ = self.arguments[position]
        return writer.op(f"memref.dim {name}, {writer.index(axis)} : {type_}")

    def operands(self, writer: Writer, lanes: int, batch: Index) -> Operands:
        return Operands(writer, self.product, self.arguments, self.request.machine, lanes, batch)

    # --- sums

    def buffer(self, writer: Writer, rows: int, columns: int) -> Buffer:
        """Memory on the stack for sums of a tile."""
        type_ = f"memref<{rows}x{columns}x{self.product.element}>"
        return writer.op(f"memref.alloca() {{alignment = 64 : i64}} : {type_}"), type_

    def keep(self, writer: Writer, tile: Tile, found: Sequence[str], buffer: Buffer) -> None:
        vector = f"vector<{tile.lanes}x{self.product.element}>"
        for at, value in enumerate(found):
            i, j = divmod(at, tile.vectors)
            place = f"{writer.index(i)}, {writer.index(j * tile.lanes)}"
            writer.raw(f"vector.store {value}, {buffer[0]}[{place}] : {buffer[1]}, {vector}")

    def store(
        self, writer: Writer, tile: Tile, at: tuple[Index, Index, Index], found: Sequence[str]
    ) -> None:
        """Whole vectors of a plain product, straight to the result."""
        batch, row, first = at
        out, type_ = self.arguments[-1]
        vector = f"vector<{tile.lanes}x{self.product.element}>"
        for place, value in enumerate(found):
            i, j = divmod(place, tile.vectors)
            indices = [writer.add(row, i), *self._column(writer, writer.add(first, j * tile.lanes))]
            if self.product.batched:
                indices.insert(0, batch)
            spelled = ", ".join(map(writer.index, indices))
            writer.raw(f"vector.store {value}, {out}[{spelled}] : {type_}, {vector}")

    # --- the end of a tile

    @property
    def _finish_arguments(self) -> list[tuple[str, str]]:
        tile = f"memref<?x?x{self.product.element}, strided<[?, 1], offset: ?>>"
        names = ("%rows", "%batch", "%row", "%column", "%count")
        return [("%tile", tile), *((name, "index") for name in names)]

    def finish(
        self,
        writer: Writer,
        rows: Index,
        at: tuple[Index, Index, Index],
        count: Index,
        buffer: Buffer,
    ) -> None:
        """Call what turns sums into results."""
        _, type_ = self._finish_arguments[0]
        cast = writer.op(f"memref.cast {buffer[0]} : {buffer[1]} to {type_}")
        numbers = [rows, *at, count]
        arguments = [(cast, type_), *((writer.index(number), "index") for number in numbers)]
        writer.raw(call(f"{self.request.symbol}.finish", [*self.arguments, *arguments]))

    def finish_function(self, lanes: int) -> str:
        """From sums in a buffer to results: what follows the product, and the last columns. A
        function of its own, so that there is one, however many kinds of tiles there are."""
        writer = Writer()
        whole = writer.mul(writer.div("%count", lanes), lanes)

        def row(at: str, _: list[str]) -> tuple[()]:
            def chunk(column: str, _: list[str]) -> tuple[()]:
                self._finish_vector(writer, lanes, at, column, None)
                return ()

            writer.loop(0, whole, lanes, chunk)

            def rest() -> None:
                left = writer.index(writer.sub("%count", whole))
                mask = writer.op(f"vector.create_mask {left} : vector<{lanes}xi1>")
                self._finish_vector(writer, lanes, at, whole, mask)

            writer.branch(writer.compare("ult", whole, "%count"), rest)
            return ()

        writer.loop(0, "%rows", 1, row)
        name = f"{self.request.symbol}.finish"
        return writer.function(name, [*self.arguments, *self._finish_arguments])

    def _finish_vector(
        self, writer: Writer, lanes: int, i: Index, column: Index, mask: str | None
    ) -> None:
        product = self.product
        vector = f"vector<{lanes}x{product.element}>"
        place = f"%tile[{writer.index(i)}, {writer.index(column)}]"
        found = writer.op(f"vector.load {place} : {self._finish_arguments[0][1]}, {vector}")
        root = key(product.operation.results[0])
        elements = Elements(writer, self.arguments[:-1], lanes, {root: lambda at: found}, mask)
        indices = self._result_indices(writer, writer.add("%row", i))
        start = writer.add("%column", column)
        value = elements.at(product.returned, (*indices, Lanes(start)))
        out, type_ = self.arguments[-1]
        stored = f"vector<{lanes}x{self.request.result.element_type}>"
        spelled = ", ".join(writer.index(one) for one in (*indices, *self._column(writer, start)))
        if mask is None:
            writer.raw(f"vector.store {value}, {out}[{spelled}] : {type_}, {stored}")
        else:
            writer.raw(
                f"vector.maskedstore {out}[{spelled}], {mask}, {value} : "
                f"{type_}, vector<{lanes}xi1>, {stored}"
            )

    def _column(self, writer: Writer, column: Index) -> tuple[Index, ...]:
        """Where vectors of the result begin that begin at a column."""
        if self._group is None:
            return (column,)
        return writer.div(column, self._group), writer.rem(column, self._group)

    def _result_indices(self, writer: Writer, row: Index) -> tuple[Index, ...]:
        """The leading indices of the result, whose rows may be grouped in another way."""
        leading = self.product.result_shape[:-1]
        if not self._regroups:
            return ("%batch", row) if self.product.batched else (row,)
        if self.product.batched:
            row = writer.add(writer.mul("%batch", self.size(writer, "m")), row)
        found: list[Index] = []
        for axis in reversed(range(1, len(leading))):
            size: Index = leading[axis]
            if size == DYNAMIC:
                out, type_ = self.arguments[-1]
                size = writer.op(f"memref.dim {out}, {writer.index(axis)} : {type_}")
            found.insert(0, writer.rem(row, size))
            row = writer.div(row, size)
        return (row, *found) if leading else ()
