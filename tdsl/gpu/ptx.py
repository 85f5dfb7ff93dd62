"""From the NVVM dialect to PTX, with the code generator that is a part of MLIR: no CUDA needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import gpu
from mlir.passmanager import PassManager

from tdsl.gpu.nvvm import parse_kernels, to_nvvm
from tdsl.lowering.device import DEFAULT_CHIP, DEVICES, Device
from tdsl.lowering.pipeline import context


def to_ptx(module: Any, device: Device) -> str:
    """PTX for the kernels of a module of the NVVM dialect, which this consumes."""
    target = f"nvvm-attach-target{{chip={device.chip} features={device.features} O=3}}"
    pipeline = f"builtin.module({target},gpu-module-to-binary{{format=isa}})"
    PassManager.parse(pipeline).run(module.operation)
    for operation in module.body.operations:
        if operation.operation.name == "gpu.binary":
            objects = ir.ArrayAttr(operation.operation.attributes["objects"])
            code: bytes = gpu.ObjectAttr(objects[0]).object
            return code.rstrip(b"\0").decode()
    raise ValueError("no PTX was made")


def ptx_of(text: str | Sequence[str], chip: str = DEFAULT_CHIP, index_bits: int = 32) -> str:
    """PTX for GPU functions given as text."""
    with context():
        module = parse_kernels(text)
        to_nvvm(module, index_bits)
        return to_ptx(module, DEVICES[chip])
