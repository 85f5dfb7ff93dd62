"""Expand mathematical functions into arithmetic, so that loops over them vectorise."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith

from tdsl.cpu.expressions import Format, Real, element_of, like
from tdsl.cpu.functions import FUNCTIONS
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect, replace


def run(module: Any, options: Options) -> None:
    """Through libm these cost 20 to 60 times as much. Half-precision values are computed in f32
    and rounded. What is not in the table is left to libm."""
    for operation in collect(module, FUNCTIONS.keys()):
        value = operation.operands[0]
        type = value.type
        with before(operation):
            narrow = isinstance(element_of(type), ir.F16Type | ir.BF16Type)
            if narrow:
                value = arith.ExtFOp(like(type, ir.F32Type.get()), value).result
            format = Format.of(value.type)
            if format is None:
                continue
            result = FUNCTIONS[operation.name](Real(format, value)).value
            if narrow:
                result = arith.TruncFOp(type, result).result
        replace(operation, [result])
