"""Say on each claimed operation which kernel will compute it; the claims can then be inlined."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import collect, functions, is_private

CLAIM, KERNEL = "tdsl.claim", "tdsl.kernel"

# Kind of claim -> the operations in its body that a kernel replaces.
_CLAIMED_OPERATIONS = {"matmul": frozenset({"linalg.matmul", "linalg.batch_matmul"})}


def run(module: Any, options: Options) -> None:
    """The attribute survives bufferization, where memory and strides become known and the
    backend substitutes its kernel. An operation that it cannot take stays what it is."""
    for function in functions(module):
        attributes = function.operation.attributes
        if CLAIM not in attributes or not is_private(function):
            continue
        kind = ir.StringAttr(attributes[CLAIM]).value
        wanted = options.kernels.implementations(kind)
        if not wanted:
            continue
        for operation in collect(function, _CLAIMED_OPERATIONS.get(kind, frozenset())):
            operation.attributes[KERNEL] = ir.StringAttr.get(",".join(wanted))
