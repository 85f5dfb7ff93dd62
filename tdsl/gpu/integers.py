"""Write integer functions that the way to NVVM does not know for every width as plain arithmetic."""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect, integer, replace


def run(module: Any, options: Options) -> None:
    """The absolute value of the least integer is itself, as everywhere."""
    for operation in collect(module, {"math.absi"}):
        (value,) = operation.operands
        with before(operation):
            zero = integer(0, value.type)
            negated = arith.SubIOp(zero, value).result
            negative = arith.CmpIOp(arith.CmpIPredicate.slt, value, zero).result
            result = arith.SelectOp(negative, negated, value).result
        replace(operation, [result])
