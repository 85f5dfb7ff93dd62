"""Positions known only at run time, checked inside of kernels: the first one out of range is recorded."""

from __future__ import annotations

from typing import Any, Protocol

from mlir import ir
from mlir.dialects import arith, memref, scf

from tdsl.lowering.bounds import STATUS_WORDS, Site
from tdsl.lowering.options import Options
from tdsl.lowering.passes.bounds import site_of
from tdsl.lowering.positions import CHECK
from tdsl.lowering.rewriting import index, integer


class Kernel(Protocol):
    """What a check needs of the function that it is in."""

    def status(self) -> Any: ...

    def number(self, value: Any) -> Any: ...


class Checks:
    """The checks of one program, numbered by the place in the program that they are for."""

    def __init__(self, options: Options) -> None:
        self.wanted = options.bounds == "trap"
        self.sites: list[Site] = []

    def here(self, call: Any, kernel: Kernel) -> None:
        """Check, at the insertion point, what a call in the host function is to check."""
        if self.wanted:
            self._record(call, [kernel.number(operand) for operand in call.operands], kernel)

    def inside(self, call: Any, kernel: Kernel) -> None:
        """Put a check in place of a call that stands in a kernel already."""
        if self.wanted:
            with ir.InsertionPoint(call), call.location:
                self._record(call, list(call.operands), kernel)
        call.operation.erase()

    def _record(self, call: Any, operands: list[Any], kernel: Kernel) -> None:
        site = site_of(call)
        if site not in self.sites:
            self.sites.append(site)
        number = self.sites.index(site)
        value, last, size = operands
        status = kernel.status()
        i64 = ir.IntegerType.get_signless(64)
        # Unsigned, so that what is negative is too large.
        outside = arith.CmpIOp(arith.CmpIPredicate.ugt, value, last).result
        choice = scf.IfOp(outside)
        with ir.InsertionPoint(choice.then_block):
            # Of the threads that find one, the first to get here writes.
            kind = arith.AtomicRMWKind.assign
            before = memref.AtomicRMWOp(kind, integer(1, i64), status, [index(0)]).result
            first = arith.CmpIOp(arith.CmpIPredicate.eq, before, integer(0, i64)).result
            record = scf.IfOp(first)
            with ir.InsertionPoint(record.then_block):
                words = [integer(number, i64), value, last, size]
                for place, word in enumerate(words, 1):
                    memref.StoreOp(word, status, [index(place)])
                scf.YieldOp([])
            scf.YieldOp([])


def status_type() -> Any:
    return ir.MemRefType.get([STATUS_WORDS], ir.IntegerType.get_signless(64))


def is_check(operation: Any) -> bool:
    return bool(
        operation.name == "func.call"
        and ir.FlatSymbolRefAttr(operation.attributes["callee"]).value == CHECK
    )
