"""Kernels for attention: scores, softmax and mixing by blocks of queries, never all scores at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mlir import ir

from tdsl.cpu.attention_block import Block
from tdsl.cpu.attention_frame import Frame, Tile
from tdsl.cpu.ranges import FLOPS, Range, worth
from tdsl.cpu.rows import combine
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Tensor, Unreadable
from tdsl.lowering.claims.code import Code, Value
from tdsl.lowering.claims.evaluate import Evaluator, Place
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block

_MANY_BLOCKS: Final = 4


def kernel(
    name: str,
    function: Any,
    operands: Sequence[Any],
    result: Any,
    vector_bytes: int,
    registers: int,
    threads: int = 1,
) -> str:
    """The text of `@name(operands…, result)` and of its part for a range of (head, query block)."""
    attention = Attention.of(function)
    lanes = vector_bytes // (8 if attention.element == "f64" else 4)
    frame = Frame(attention, operands, result, lanes, Tile.of(registers))
    return _Writer(frame).text(name, threads)


class FlashAttention:
    """The generator of kernels for claims of kind attention."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        block = as_block(function)
        returned = list(block.operations)[-1].operation.operands[0]
        types = [_plain(value.type) for value in (*block.arguments, returned)]
        try:
            # Written once to see whether it can be: layouts make no difference to that.
            kernel(
                "probe", function, types[:-1], types[-1], machine.vector_bytes, machine.registers
            )
        except Unreadable as reason:
            raise Refused(str(reason)) from reason

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        return (True,) * (len(as_block(function).arguments) + 1)

    def generate(self, request: KernelRequest) -> Kernel:
        machine = request.machine
        text = kernel(
            request.symbol,
            request.function,
            request.operands,
            request.result,
            machine.vector_bytes,
            machine.registers,
            machine.threads,
        )
        return Kernel(request.symbol, text)


class _Writer:
    """Writes a kernel: the loop over heads and blocks, and what is found out once a head."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.code = frame, frame.code

    def text(self, name: str, threads: int) -> str:
        code = self.code
        arguments = [(one.name, str(one.type)) for one in (*self.frame.operands, self.frame.result)]
        self.frame.prepare()
        self._units()
        part = code.function(f"{name}.part", [*arguments, ("%begin", "index"), ("%end", "index")])
        outer = Code()
        sizes = self.frame.count(outer)
        blocks = outer.index_op("ceildivui", sizes[1], outer.index(self.frame.block))
        count = outer.index_op("muli", sizes[0], blocks)
        columns = 2 * (self.frame.depth + self.frame.width)
        known = [columns, *(outer.known(size) for size in sizes)]
        units = Range(f"{name}.part", arguments, worth(threads, FLOPS, known))
        each = columns * self.frame.block
        keys = outer.index_op("maxui", sizes[2], outer.index(1))
        grain = outer.index_op("ceildivui", outer.index(max(FLOPS // each, 1)), keys)
        outer.line(units.call(outer.index(0), count, grain))
        return part + units.declaration() + outer.function(name, arguments)

    def _units(self) -> None:
        code = self.code
        blocks = code.index_op("ceildivui", self.frame.queries, code.index(self.frame.block))
        none = Value(code.emit("arith.constant -1 : index"), "index")
        zero = code.constant(0.0, self.frame.element)

        def unit(number: str, carried: list[Value]) -> Sequence[Value]:
            head = code.index_op("divui", number, blocks)
            block = code.index_op("remui", number, blocks)
            first = code.index_op("muli", block, code.index(self.frame.block))
            size = code.emit(
                f"arith.minui {code.index(self.frame.block)}, "
                f"{code.index_op('subi', self.frame.queries, first)} : index"
            )
            largest = self._largest(head, carried)
            self._of_size(head, first, size, largest)
            return largest

        if self.frame.attention.causal is None:
            code.loop("%begin", "%end", 1, [], unit)
        else:
            code.loop("%begin", "%end", 1, [none, zero, zero], unit)

    def _of_size(self, head: str, first: str, size: str, largest: list[Value]) -> None:
        """A block of as few vectors of queries as it needs."""
        code, most = self.code, self.frame.tile.queries

        def whole() -> Sequence[Value]:
            Block(self.frame, head, first, size, largest, most).write()
            return ()

        def part(vectors: int) -> Callable[[], Sequence[Value]]:
            def write() -> Sequence[Value]:
                Block(self.frame, head, first, size, largest, vectors).write()
                return ()

            return write

        if self.frame.fixed_queries is not None:
            rest = self.frame.fixed_queries % self.frame.block
            vectors = -(-rest // self.frame.lanes)
            if rest == 0 or vectors == most:
                whole()
            elif self.frame.fixed_queries < self.frame.block:
                part(vectors)()
            elif self.frame.fixed_queries >= _MANY_BLOCKS * self.frame.block:
                whole()  # a smaller last block would save little, and cost compile time
            else:
                full = code.less("eq", size, code.index(self.frame.block))
                code.when(full, whole, part(vectors))
            return
        smaller = most - 1
        few = code.less("ule", size, code.index(smaller * self.frame.lanes))
        code.when(few, part(smaller), whole)

    def _largest(self, head: str, carried: list[Value]) -> list[Value]:
        """The head that was looked at last, and the largest magnitudes in its keys and values: NaN
        if there is one. Only where they are finite can what a mask hides be left out, because 0
        times infinity is not 0."""
        if not carried:
            return carried
        code = self.code

        def look() -> Sequence[Value]:
            hidden = self.frame.attention.causal
            assert hidden is not None
            keys = self.frame.attention.product.inputs[1][0]
            values = self.frame.attention.mixed.inputs[1][0]
            zero = code.constant(0.0, self.frame.element)
            # Keys whose scores are replaced, not added to, count for nothing where hidden.
            largest_key = zero if hidden.replaced else self._magnitude(keys, head, turned=True)
            return [
                Value(head, "index"),
                largest_key,
                self._magnitude(values, head, turned=False),
            ]

        new = code.less("ne", head, carried[0].name)
        return code.when(new, look, lambda: carried, carried)

    def _magnitude(self, value: Tensor, head: str, *, turned: bool) -> Value:
        """The largest magnitude in a matrix [keys, columns] or, turned, [columns, keys]."""
        code, lanes = self.code, self.frame.lanes
        columns = self.frame.depth if turned else self.frame.width
        shape = value.rank

        def row(j: str, totals: list[Value]) -> Sequence[Value]:
            (total,) = totals
            for start in range(0, columns, lanes):
                mask = self.frame.column_mask(columns - start)
                here: list[Place] = [Place(code.index(start), lanes), Place(j)]
                if not turned:
                    here.reverse()
                evaluator = Evaluator(code, self.frame.operands, {}, mask)
                x = code.spread(
                    evaluator.at(value, (*self.frame.heads_of(head, shape), *here)), lanes
                )
                if mask is not None:
                    x = code.select(Value(mask, "i1", lanes), x, self.frame.nothing)
                total = combine(code, "max", total, code.apply("math.absf", x))
            return [total]

        (total,) = code.loop(code.index(0), self.frame.keys, 1, [self.frame.nothing], row)
        return code.reduce("maximumf", total)


def _plain(type_: Any) -> Any:
    ranked = ir.RankedTensorType(type_)
    return ir.MemRefType.get(ranked.shape, ranked.element_type)
