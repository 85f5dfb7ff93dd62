"""Write memref.copy as linalg.copy: between layouts it would call a function of a runner library."""

from __future__ import annotations

from typing import Any

from tdsl.lowering.dialects import linalg
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect_unfinished


def run(module: Any, options: Options) -> None:
    """As linalg.copy it becomes a loop, or a memcpy where LLVM sees one."""
    for operation in collect_unfinished(module, {"memref.copy"}):
        with before(operation):
            linalg.copy(operation.operands[0], operation.operands[1])
        operation.operation.erase()
