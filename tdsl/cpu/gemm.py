"""Matrix products as generated kernels."""

from __future__ import annotations

from typing import Any

from tdsl.lowering.kernels import Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options


class Gemm:
    """The generator of kernels for claims of kind matmul."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        raise Refused("no kernel yet")

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        return ()

    def generate(self, request: KernelRequest) -> Kernel:
        raise Refused("no kernel yet")
