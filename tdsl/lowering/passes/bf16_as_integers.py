"""Move bf16 numbers about as 16-bit integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect, replace


def run(module: Any, options: Options) -> None:
    """arith-expand writes arithmetic of bf16 with integers already; what is left are loads, stores
    and selections. LLVM vectorises those as bf16, and code generation then aborts on some vectors
    that it can only take apart, for a bf16 by itself is in no register."""
    bf16, i16 = ir.BF16Type.get(), ir.IntegerType.get_signless(16)
    for operation in collect(module, {"llvm.load"}):
        if operation.results[0].type == bf16:
            with before(operation):
                made = _like(operation, [i16], list(operation.operands)).results[0]
                value = _cast(made, bf16)
            replace(operation, [value])
    for operation in collect(module, {"llvm.store"}):
        value, *rest = list(operation.operands)
        if value.type == bf16:
            with before(operation):
                _like(operation, [], [_cast(value, i16), *rest])
            replace(operation, [])
    for operation in collect(module, {"llvm.select"}):
        if operation.results[0].type == bf16:
            condition, *chosen = list(operation.operands)
            with before(operation):
                made = _like(operation, [i16], [condition, *(_cast(one, i16) for one in chosen)])
                value = _cast(made.results[0], bf16)
            replace(operation, [value])


def _like(operation: Any, results: Sequence[Any], operands: Sequence[Any]) -> Any:
    attributes = {name: operation.attributes[name] for name in operation.attributes}
    return ir.Operation.create(
        operation.name, results=results, operands=operands, attributes=attributes
    )


def _cast(value: Any, type: Any) -> Any:
    return ir.Operation.create("llvm.bitcast", results=[type], operands=[value]).results[0]
