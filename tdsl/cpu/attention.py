"""Kernels for attention: scores, softmax and mixing by blocks of queries, never all scores at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tdsl.cpu.attention_block import Block
from tdsl.cpu.attention_frame import Frame, Tile
from tdsl.cpu.attention_single import Single
from tdsl.cpu.attention_skips import largest
from tdsl.cpu.memory import plain_memory
from tdsl.cpu.ranges import BYTES, FLOPS, Range, worth
from tdsl.lowering.claims.attention import Attention
from tdsl.lowering.claims.body import Unreadable
from tdsl.lowering.claims.code import Code, Value
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block

_FEW: Final = 4
"""Queries that are faster one by one than as lanes of a block."""


def kernel(
    name: str,
    function: Any,
    operands: Sequence[Any],
    result: Any,
    machine: Machine,
    tile: Tile | None = None,
) -> str:
    """The text of `@name(operands…, result)` and of its part for a range of (head, query block)."""
    attention = Attention.of(function)
    lanes = machine.lanes(8 if attention.element == "f64" else 4)
    tile = tile or Tile.of(machine.registers)
    frame = Frame(attention, operands, result, lanes, tile, has_fma=machine.fma)
    return _Writer(frame).text(name, machine.threads)


class FlashAttention:
    """The generator of kernels for claims of kind attention."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        operands, result = plain_memory(function)
        try:
            # Written once to see whether it can be: layouts and the size of tiles make no
            # difference to that.
            kernel("probe", function, operands, result, machine, Tile(1, 1, 1, 1))
        except Unreadable as reason:
            raise Refused(str(reason)) from reason

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        return (True,) * (len(as_block(function).arguments) + 1)

    def generate(self, request: KernelRequest) -> Kernel:
        text = kernel(
            request.symbol, request.function, request.operands, request.result, request.machine
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
        fixed = self.frame.fixed_queries
        # A few queries wait for memory, not for arithmetic: two operations for some four bytes.
        is_few = fixed is not None and fixed <= _FEW
        least = BYTES // 2 if is_few else FLOPS
        units = Range(f"{name}.part", arguments, worth(threads, least, known))
        each = columns * self.frame.block
        keys = outer.index_op("maxui", sizes[2], outer.index(1))
        grain = outer.index_op("ceildivui", outer.index(max(least // each, 1)), keys)
        outer.line(units.call(outer.index(0), count, grain))
        return part + units.declaration() + outer.function(name, arguments)

    def _units(self) -> None:
        code = self.code
        blocks = code.index_op("ceildivui", self.frame.queries, code.index(self.frame.block))
        none = Value(code.emit("arith.constant -1 : index"), "index")
        zero = code.constant(0.0, self.frame.element)
        fixed = self.frame.fixed_queries
        # Where all queries are taken one by one, nobody asks.
        skips = self.frame.attention.causal is not None and (fixed is None or fixed > _FEW)

        def unit(number: str, carried: list[Value]) -> Sequence[Value]:
            head = code.index_op("divui", number, blocks)
            block = code.index_op("remui", number, blocks)
            first = code.index_op("muli", block, code.index(self.frame.block))
            size = code.emit(
                f"arith.minui {code.index(self.frame.block)}, "
                f"{code.index_op('subi', self.frame.queries, first)} : index"
            )
            found = largest(self.frame, head, carried) if skips else carried
            self._of_size(head, first, size, found)
            return found

        if not skips:
            code.loop("%begin", "%end", 1, [], unit)
        else:
            code.loop("%begin", "%end", 1, [none, zero, zero], unit)

    def _of_size(self, head: str, first: str, size: str, largest: list[Value]) -> None:
        """A block of queries; or a few of them one by one, as in a step of decoding."""
        code, frame = self.code, self.frame

        def block() -> Sequence[Value]:
            Block(frame, head, first, size, largest).write()
            return ()

        def singly() -> Sequence[Value]:
            def one(query: str, _: list[Value]) -> Sequence[Value]:
                Single(frame, head, query).write()
                return ()

            code.loop(first, code.plus(first, size), 1, [], one)
            return ()

        if frame.fixed_queries is None:
            code.when(code.less("ule", size, code.index(_FEW)), singly, block)
        elif frame.fixed_queries <= _FEW:
            singly()
        else:
            block()
