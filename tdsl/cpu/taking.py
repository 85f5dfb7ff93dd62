"""Kernels for rows that are taken from a table and added to something, in one pass over them."""

from __future__ import annotations

from typing import Any

import msgspec
from mlir import ir

from tdsl.cpu.elements import At, Elements, Lanes, key
from tdsl.cpu.memory import plain_memory
from tdsl.cpu.ranges import ELEMENTS, Range, worth
from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, as_block, collect


class _Taken(msgspec.Struct, frozen=True):
    """What the body of a claim takes: `loop` gives the rows; table and positions are arguments."""

    loop: Any
    table: int
    positions: int
    is_signed: bool
    returned: Any

    @staticmethod
    def of(function: Any) -> _Taken:
        block = as_block(function)
        loops = [one for one in block.operations if one.operation.name == "scf.for"]
        if len(loops) != 1:
            raise Refused(f"rows are taken {len(loops)} times")
        found = {}
        for name in ("tensor.extract", "tensor.extract_slice"):
            (one,) = collect(loops[0], {name})
            source = one.operands[0]
            if not isinstance(source, ir.BlockArgument) or source.owner != block:
                raise Refused("the table or its positions are computed here")
            found[name] = source.arg_number
        (returned,) = list(block.operations)[-1].operands
        is_signed = not collect(loops[0], {"arith.extui"})
        return _Taken(
            loops[0], found["tensor.extract_slice"], found["tensor.extract"], is_signed, returned
        )


class Taking:
    """The generator of kernels for claims of kind take. A position out of range is recorded
    around the kernel, which takes the nearest row in its place."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        taken = _Taken.of(function)
        arguments = [(f"%a{at}", str(type_)) for at, type_ in enumerate(plain_memory(function)[0])]
        known = {key(taken.loop.results[0]): lambda at: "%x"}
        elements = Elements(Writer(), arguments, 4, known)
        elements.at(taken.returned, ("%i", Lanes("%j")))

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        return (True,) * (len(as_block(function).arguments) + 1)

    def generate(self, request: KernelRequest) -> Kernel:
        return _Generated(request).kernel()


class _Generated:
    def __init__(self, request: KernelRequest) -> None:
        self._request = request
        self._taken = _Taken.of(request.function)
        types = [*request.operands, request.result]
        names = [f"%a{at}" for at in range(len(request.operands))] + ["%out"]
        self._arguments = [(name, str(type_)) for name, type_ in zip(names, types, strict=True)]
        self._types = types
        wide = any("f64" in type_ for _, type_ in self._arguments)
        self._lanes = request.machine.lanes(8 if wide else 4)

    def kernel(self) -> Kernel:
        symbol, threads = self._request.symbol, self._request.machine.threads
        part = Writer()
        columns = self._size(part, len(self._types) - 1, 1)

        def row(i: str, _: list[str]) -> tuple[()]:
            position = self._position(part, i)
            whole = part.mul(part.div(columns, self._lanes), self._lanes)

            def some(j: str, _: list[str]) -> tuple[()]:
                self._vector(part, i, position, j, None)
                return ()

            part.loop(0, whole, self._lanes, some)

            def rest() -> None:
                left = part.index(part.sub(columns, whole))
                mask = part.op(f"vector.create_mask {left} : vector<{self._lanes}xi1>")
                self._vector(part, i, position, whole, mask)

            part.branch(part.compare("ult", whole, columns), rest)
            return ()

        part.loop("%begin", "%end", 1, row)
        ends = [("%begin", "index"), ("%end", "index")]
        text = part.function(f"{symbol}.part", [*self._arguments, *ends])
        whole = Writer()
        rows, width = (self._size(whole, len(self._types) - 1, axis) for axis in (0, 1))
        known = [size if isinstance(size, int) else None for size in (rows, width)]
        pieces = Range(f"{symbol}.part", self._arguments, worth(threads, ELEMENTS, known))
        grain = whole.add(whole.div(ELEMENTS, whole.add(width, 1)), 1)
        begin, end = whole.index(0), whole.index(rows)
        whole.raw(pieces.call(begin, end, whole.index(grain)))
        text += pieces.declaration() + whole.function(symbol, self._arguments)
        return Kernel(symbol, text)

    def _size(self, writer: Writer, argument: int, axis: int) -> Index:
        size = self._types[argument].shape[axis]
        if size != DYNAMIC:
            return int(size)
        name, type_ = self._arguments[argument]
        return writer.op(f"memref.dim {name}, {writer.index(axis)} : {type_}")

    def _position(self, writer: Writer, i: str) -> str:
        """The row of the table, inside of it in any case."""
        name, type_ = self._arguments[self._taken.positions]
        element = str(self._types[self._taken.positions].element_type)
        position = writer.op(f"memref.load {name}[{i}] : {type_}")
        if element != "i64":
            widening = "arith.extsi" if self._taken.is_signed else "arith.extui"
            position = writer.op(f"{widening} {position} : {element} to i64")
        zero = writer.constant("0", "i64")
        size = writer.index(self._size(writer, self._taken.table, 0))
        end = writer.op(f"arith.index_cast {size} : index to i64")
        last = writer.op(f"arith.subi {end}, {writer.constant('1', 'i64')} : i64")
        position = writer.op(f"arith.maxsi {position}, {zero} : i64")
        position = writer.op(f"arith.minsi {position}, {last} : i64")
        return writer.op(f"arith.index_cast {position} : i64 to index")

    def _vector(
        self, writer: Writer, i: str, position: str, column: Index, mask: str | None
    ) -> None:
        taken = self._taken
        start = writer.index(column)
        name, type_ = self._arguments[taken.table]
        place = f"{name}[{position}, {start}]"

        def row(at: At) -> str:
            return self._load(writer, place, type_, self._types[taken.table].element_type, mask)

        known = {key(taken.loop.results[0]): row}
        elements = Elements(writer, self._arguments[:-1], self._lanes, known, mask)
        value = elements.at(taken.returned, (i, Lanes(start)))
        out, result = self._arguments[-1]
        stored = f"vector<{self._lanes}x{self._types[-1].element_type}>"
        if mask is None:
            writer.raw(f"vector.store {value}, {out}[{i}, {start}] : {result}, {stored}")
        else:
            writer.raw(
                f"vector.maskedstore {out}[{i}, {start}], {mask}, {value} : "
                f"{result}, vector<{self._lanes}xi1>, {stored}"
            )

    def _load(self, writer: Writer, place: str, type_: str, element: Any, mask: str | None) -> str:
        vector = f"vector<{self._lanes}x{element}>"
        if mask is None:
            return writer.op(f"vector.load {place} : {type_}, {vector}")
        zero = writer.constant("dense<0.0>", vector)
        return writer.op(
            f"vector.maskedload {place}, {mask}, {zero} : "
            f"{type_}, vector<{self._lanes}xi1>, {vector} into {vector}"
        )
