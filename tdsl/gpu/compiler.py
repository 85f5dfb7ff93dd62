"""From a module of tensors to code for a GPU, or for the emulator of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mlir import ir
from msgspec.structs import replace

from tdsl.errors import TargetError
from tdsl.gpu.acting import EmulatedProgram
from tdsl.gpu.backend import GPU, INDEX_BITS, PLAN, plan_of
from tdsl.gpu.emulator import Emulator, compile_kernels
from tdsl.gpu.nvvm import kernel_module
from tdsl.gpu.object import GpuObject
from tdsl.gpu.plan import Plan
from tdsl.gpu.ptx import to_ptx
from tdsl.lowering.device import Device
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import context, lower
from tdsl.lowering.sizes import INTERFACE

_MOST_BYTES = 2**40
"""Of one array: more than any GPU has, and less than what overflows anywhere in here."""


@contextmanager
def _lowered(
    text: str, options: Options, interface: Interface, device: Device
) -> Iterator[tuple[Any, Plan]]:
    """The module of the NVVM dialect, and its plan."""
    check_sizes(interface)
    with context():
        module = ir.Module.parse(text)
        lower(module, "nvvm", replace(options, isa=device.chip), GPU, interface)
        yield module, plan_of(module)


def check_sizes(interface: Interface) -> None:
    """TargetError where no GPU can have the arrays; a size that is not known is one, too."""
    if interface.open_sizes:
        names = ", ".join(dict.fromkeys(one.symbol.name for one in interface.open_sizes))
        raise TargetError(
            f"[E0903] code for a GPU is made for fixed sizes, and {names} is open: fix it by an"
            " example, by --bind, or in compile()",
            code="E0903",
        )


def check_plan(plan: Plan) -> None:
    """TargetError where the memory of a plan is more than any GPU has."""
    for buffer in plan.buffers:
        if buffer.bytes > _MOST_BYTES:
            raise TargetError(
                f"[E0903] an array of {buffer.bytes} bytes: no GPU has so much memory",
                code="E0903",
            )


def compile_ptx(text: str, options: Options, interface: Interface, device: Device) -> GpuObject:
    """Compile the public function of a module of tensors, as the emitter writes it."""
    with _lowered(text, options, interface, device) as (module, plan):
        check_plan(plan)
        return GpuObject(device.chip, to_ptx(module, device), plan, interface)


def compile_emulated(
    text: str, options: Options, interface: Interface, device: Device
) -> EmulatedProgram:
    """The same kernels and the same plan for the emulator."""
    with _lowered(text, options, interface, device) as (module, plan):
        check_plan(plan)
        code, rewritten = compile_kernels(module)
    return EmulatedProgram(Emulator.of_code(code, rewritten), plan, interface)


def nvvm_text(text: str, options: Options, interface: Interface, device: Device) -> str:
    """The kernels in the NVVM dialect, with the plan as a comment in front."""
    with _lowered(text, options, interface, device) as (module, plan):
        check_plan(plan)
        attributes = module.operation.attributes
        for name in (PLAN, INDEX_BITS, INTERFACE):
            if name in attributes:
                del attributes[name]
        kernel_module(module)
        return _commented(plan) + str(module) + "\n"


def ptx_text(text: str, options: Options, interface: Interface, device: Device) -> str:
    """The kernels in PTX, with the plan as a comment in front."""
    made = compile_ptx(text, options, interface, device)
    return _commented(made.plan) + made.ptx.lstrip("\n")


def _commented(plan: Plan) -> str:
    return "".join(f"// {line}\n" for line in str(plan).splitlines()) + "\n"
