"""The operations of linalg as generated, without the language that MLIR's module describes them in."""

from __future__ import annotations

from typing import Any

from mlir import ir

# That language, and the YAML it is written in, take a tenth of the time to compile a function.
from mlir._mlir_libs._mlirDialectsLinalg import fill_builtin_region
from mlir.dialects._linalg_ops_gen import CopyOp, GenericOp, YieldOp

__all__ = ["CopyOp", "GenericOp", "YieldOp", "copy"]


def copy(source: Any, target: Any) -> Any:
    """A `linalg.copy` at the insertion point: its result on tensors, the operation on memory."""
    results = [] if isinstance(target.type, ir.MemRefType) else [target.type]
    cast = ir.Attribute.parse("#linalg.type_fn<cast_signed>")
    made = CopyOp(results, [source], [target], cast=cast)
    fill_builtin_region(made.operation)
    return made.results[0] if results else made.operation
