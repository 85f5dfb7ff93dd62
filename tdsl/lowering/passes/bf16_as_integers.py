"""Move bf16 numbers about as 16-bit integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect, replace

_MOVES = frozenset(
    {
        "llvm.load",
        "llvm.store",
        "llvm.select",
        "llvm.intr.masked.load",
        "llvm.intr.masked.store",
    }
)


def run(module: Any, options: Options) -> None:
    """arith-expand writes arithmetic of bf16 with integers already; what is left are loads, stores
    and selections. LLVM vectorises those as bf16, and code generation then aborts on some vectors
    that it can only take apart, for a bf16 by itself is in no register."""
    for operation in collect(module, _MOVES):
        if not _is_bf16(_moved(operation)):
            continue
        values = list(operation.operands)
        results = [value.type for value in operation.results]
        with before(operation):
            operands = [
                _cast(value, _words(value.type)) if _is_bf16(value.type) else value
                for value in values
            ]
            types = [_words(type) if _is_bf16(type) else type for type in results]
            made = _like(operation, types, operands).results
            found = [
                _cast(value, type) if value.type != type else value
                for value, type in zip(made, results, strict=True)
            ]
        replace(operation, found)


def _moved(operation: Any) -> Any:
    """The type of what is moved."""
    is_store = operation.name in ("llvm.store", "llvm.intr.masked.store")
    return (operation.operands if is_store else operation.results)[0].type


def _is_bf16(type: Any) -> bool:
    if isinstance(type, ir.VectorType):
        type = ir.VectorType(type).element_type
    return isinstance(type, ir.BF16Type)


def _words(type: Any) -> Any:
    """As many 16-bit integers."""
    word = ir.IntegerType.get_signless(16)
    if isinstance(type, ir.VectorType):
        return ir.VectorType.get(ir.VectorType(type).shape, word)
    return word


def _like(operation: Any, results: Sequence[Any], operands: Sequence[Any]) -> Any:
    attributes = {name: operation.attributes[name] for name in operation.attributes}
    return ir.Operation.create(
        operation.name, results=results, operands=operands, attributes=attributes
    )


def _cast(value: Any, type: Any) -> Any:
    return ir.Operation.create("llvm.bitcast", results=[type], operands=[value]).results[0]
