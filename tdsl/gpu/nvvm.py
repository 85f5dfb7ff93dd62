"""From GPU functions to the NVVM dialect, by MLIR's own passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mlir import ir
from mlir.passmanager import PassManager

MODULE: Final = "kernels"
"""The one gpu.module that holds all GPU functions of a program."""

# Vectors are taken apart before convert-gpu-to-nvvm and lowered by it: a pass of their own before
# it aborts. convert-nvgpu-to-nvvm would make the counters of loops 64 bits wide, so there must be no
# loops any more. bf16 conversions are integer arithmetic: the same on every chip.
_TO_NVVM = (
    "gpu.module(convert-vector-to-scf,lower-affine,"
    "arith-expand{{include-bf16=1}},expand-strided-metadata,lower-affine,canonicalize,cse,"
    "convert-scf-to-cf,convert-nvgpu-to-nvvm,convert-gpu-to-nvvm{{use-bare-ptr-memref-call-conv=1 index-bitwidth={bits}}},"
    "canonicalize,cse,reconcile-unrealized-casts)"
)


def parse_kernels(text: str | Sequence[str]) -> Any:
    """A module that holds these GPU functions."""
    texts = [text] if isinstance(text, str) else text
    functions = "\n".join(texts)
    return ir.Module.parse(
        f"module attributes {{gpu.container_module}} {{ gpu.module @{MODULE} {{\n{functions}\n}} }}"
    )


def to_nvvm(module: Any, index_bits: int = 32) -> None:
    """Lower every gpu.module, in place."""
    if _uses_nvgpu(module):
        index_bits = 64  # convert-nvgpu-to-nvvm knows no other width
    pipeline = _TO_NVVM.format(bits=index_bits)
    PassManager.parse(f"builtin.module({pipeline})").run(module.operation)


def kernel_module(module: Any) -> Any:
    """The gpu.module with a program's GPU functions."""
    for operation in module.body.operations:
        if operation.operation.name == "gpu.module":
            return operation
    raise ValueError("the module holds no gpu.module")


def _uses_nvgpu(module: Any) -> bool:
    found: list[str] = []

    def visit(operation: Any) -> Any:
        if operation.name.startswith("nvgpu."):
            found.append(operation.name)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return bool(found)
