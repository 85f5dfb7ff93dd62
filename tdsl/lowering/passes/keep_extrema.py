"""Write arith.maximumf and minimumf as LLVM's own operations, which it can vectorise in reductions."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect, replace

_INTRINSICS = {"arith.maximumf": "llvm.intr.maximum", "arith.minimumf": "llvm.intr.minimum"}


def run(module: Any, options: Options) -> None:
    """Otherwise arith-expand, needed for integer division, writes them as compare and select, in
    which LLVM no longer sees a maximum."""
    for operation in collect(module, _INTRINSICS.keys()):
        with before(operation):
            intrinsic = ir.Operation.create(
                _INTRINSICS[operation.name],
                results=[operation.results[0].type],
                operands=list(operation.operands),
            )
        replace(operation, [intrinsic.results[0]])
