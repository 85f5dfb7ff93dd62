"""Reductions that threads of a block share: what is combined, and how their parts come together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any, Final

from mlir import ir
from mlir.dialects import arith, memref, scf

from tdsl.lowering.passes.structured import Structured
from tdsl.lowering.rewriting import as_block, index

# Operations whose operands may be combined in any order, with what changes nothing: for floats, and
# for integers of a width.
_FLOATS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "arith.addf": 0.0,
        "arith.mulf": 1.0,
        "arith.maximumf": float("-inf"),
        "arith.minimumf": float("inf"),
    }
)
_INTEGERS: Final[Mapping[str, Callable[[int], int]]] = MappingProxyType(
    {
        "arith.addi": lambda width: 0,
        "arith.muli": lambda width: 1,
        "arith.andi": lambda width: -1,
        "arith.ori": lambda width: 0,
        "arith.xori": lambda width: 0,
        "arith.maxsi": lambda width: -(2 ** (width - 1)),
        "arith.minsi": lambda width: 2 ** (width - 1) - 1,
        "arith.maxui": lambda width: 0,
        "arith.minui": lambda width: -1,
    }
)

MOST_RESULTS: Final = 1 << 15
"""Where there are more, each is a thread's: there are threads enough."""
_LEAST_DEPTH: Final = 64
_MOST_THREADS: Final = 256


@dataclass(frozen=True)
class Shared:
    """A reduction for a block of threads each, and the operation that combines two parts."""

    operation: str
    element: Any
    threads: int

    @property
    def memory(self) -> str:
        """The declaration of what the threads exchange their parts through."""
        return f'memref.global "private" @{self.symbol} : {self.type} = uninitialized'

    @property
    def symbol(self) -> str:
        return f"tdsl_shared_{self.threads}x{self.element}"

    @property
    def type(self) -> str:
        return f"memref<{self.threads}x{self.element}, #gpu.address_space<workgroup>>"

    def neutral(self) -> Any:
        if isinstance(self.element, ir.FloatType):
            attribute = ir.FloatAttr.get(self.element, _FLOATS[self.operation])
        else:
            value = _INTEGERS[self.operation](self.element.width)
            attribute = ir.IntegerAttr.get(self.element, value)
        return arith.ConstantOp(self.element, attribute).result

    def combined(self, left: Any, right: Any) -> Any:
        made = ir.Operation.create(self.operation, results=[self.element], operands=[left, right])
        return made.results[0]

    def total(self, thread: Any, part: Any) -> Any:
        """What all threads have, in thread 0; a tree of halves."""
        name = ir.FlatSymbolRefAttr.get(self.symbol)
        memory = memref.GetGlobalOp(ir.Type.parse(self.type), name).result
        memref.StoreOp(part, memory, [thread])
        half = self.threads // 2
        while half:
            ir.Operation.create("gpu.barrier")
            mine = arith.CmpIOp(arith.CmpIPredicate.ult, thread, index(half)).result
            choice = scf.IfOp(mine)
            with ir.InsertionPoint(choice.then_block):
                other = arith.AddIOp(thread, index(half)).result
                parts = [memref.LoadOp(memory, [place]).result for place in (thread, other)]
                memref.StoreOp(self.combined(*parts), memory, [thread])
                scf.YieldOp([])
            half //= 2
        return memory


def shared_reduction(item: Structured, extents: list[int]) -> Shared | None:
    """How the threads of a block share a reduction; None where each does one alone."""
    reduced = [at for at, reduces in enumerate(item.reductions) if reduces]
    depth = prod(extents[at] for at in reduced)
    results = prod(extents[at] for at, reduces in enumerate(item.reductions) if not reduces)
    if not reduced or depth < _LEAST_DEPTH or results > MOST_RESULTS or len(item.outputs) != 1:
        return None
    block = as_block(item.operation)
    out = block.arguments[len(block.arguments) - 1]
    yielded = list(block.operations)[-1].operation.operands[0]
    if isinstance(yielded, ir.BlockArgument) or len(list(out.uses)) != 1:
        return None
    combiner = yielded.owner.operation
    known = combiner.name in _FLOATS or combiner.name in _INTEGERS
    if not known or len(combiner.operands) != 2 or out not in list(combiner.operands):
        return None
    threads = _MOST_THREADS
    while threads > depth:
        threads //= 2
    return Shared(combiner.name, out.type, threads)
