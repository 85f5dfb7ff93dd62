"""Expand mathematical functions into arithmetic, so that loops over them vectorise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from mlir import ir
from mlir.dialects import arith

from tdsl.cpu import functions, power, trigonometry
from tdsl.cpu.expressions import Format, Real, element_of, like
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect, replace

FUNCTIONS: Final[Mapping[str, Callable[..., Real]]] = MappingProxyType(
    {
        "math.exp": functions.exp,
        "math.exp2": functions.exp2,
        "math.expm1": functions.expm1,
        "math.log": functions.log,
        "math.log2": functions.log2,
        "math.log1p": functions.log1p,
        "math.powf": power.pow,
        "math.sin": trigonometry.sin,
        "math.cos": trigonometry.cos,
        "math.tanh": functions.tanh,
        "math.erf": functions.erf,
    }
)
"""Operations of MLIR's math dialect that are expanded, on f32 and f64; accuracy.py says how exactly."""


def run(module: Any, options: Options) -> None:
    """Through libm these cost 20 to 60 times as much. Half-precision values are computed in f32
    and rounded. What is not in the table is left to libm."""
    for operation in collect(module, FUNCTIONS.keys()):
        values = list(operation.operands)
        type = values[0].type
        with before(operation):
            narrow = isinstance(element_of(type), ir.F16Type | ir.BF16Type)
            if narrow:
                wide = like(type, ir.F32Type.get())
                values = [arith.ExtFOp(wide, value).result for value in values]
            format = Format.of(values[0].type)
            if format is None:
                continue
            expand = FUNCTIONS[operation.name]
            result = expand(*(Real(format, value) for value in values)).value
            if narrow:
                result = arith.TruncFOp(type, result).result
        replace(operation, [result])
