"""The GPU backend: its kernels, and the passes from structured operations to NVVM and a launch plan."""

from __future__ import annotations

from typing import Any, Final

from mlir import ir
from mlir.passmanager import PassManager

from tdsl.errors import TargetError
from tdsl.gpu import integers
from tdsl.gpu.host import Host, Unsupported
from tdsl.gpu.kernel_function import TooLarge
from tdsl.gpu.kernels import GENERATORS
from tdsl.gpu.nvvm import kernel_module, parse_kernels, to_nvvm
from tdsl.gpu.plan import Plan
from tdsl.lowering.backend import Backend, Pass
from tdsl.lowering.device import DEFAULT_CHIP, DEVICES, Device
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import public_function
from tdsl.lowering.sizes import interface_of
from tdsl.lowering.stages import DEVICE_STAGES

PLAN: Final = "tdsl.plan"
INDEX_BITS: Final = "tdsl.index_bits"


def device_of(options: Options) -> Device:
    """The GPU that the options name."""
    return DEVICES.get(options.isa, DEVICES[DEFAULT_CHIP])


def outline(module: Any, options: Options) -> None:
    """Put GPU functions and a launch plan in place of the host function."""
    results = len(interface_of(module).results)
    try:
        host = Host(module, results, options, GENERATORS, device_of(options))
        plan = host.plan()
    except Unsupported as problem:
        raise TargetError(
            f"[E0112] code for a GPU cannot have {problem} yet", code="E0112"
        ) from None
    except TooLarge as problem:
        raise TargetError(
            f"[E0903] an array of {problem}: no GPU has so much memory", code="E0903"
        ) from None
    for operation in list(module.body.operations):
        operation.operation.erase()
    kernels = parse_kernels([*host.constants, *host.functions.values()])
    made = kernel_module(kernels)
    made.operation.detach_from_parent()
    module.body.append(made)
    attributes = module.operation.attributes
    attributes["gpu.container_module"] = ir.UnitAttr.get()
    attributes[PLAN] = ir.StringAttr.get(plan.to_json())
    # Sums of indices may be twice as large as any index.
    bits = 64 if host.largest >= 2**30 else 32
    attributes[INDEX_BITS] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), bits)


def generalise(module: Any, options: Options) -> None:
    """Write what no kernel computes as linalg.generic; the bodies of claims stay as they were."""
    passes = PassManager.parse("func.func(linalg-generalize-named-ops)")
    passes.run(public_function(module).operation)


def lower_kernels(module: Any, options: Options) -> None:
    """From GPU functions to the NVVM dialect, with indices as wide as they must be."""
    to_nvvm(module, ir.IntegerAttr(module.operation.attributes[INDEX_BITS]).value)


def plan_of(module: Any) -> Plan:
    """The launch plan of a module whose host function was outlined."""
    return Plan.from_json(ir.StringAttr(module.operation.attributes[PLAN]).value)


GPU = Backend(
    name="nvptx",
    generators=GENERATORS,
    machine=device_of,
    device=(
        Pass("generalise-rest", generalise),
        Pass("outline", outline),
        Pass("plain-integers", integers.run),
        Pass("to-nvvm", lower_kernels),
    ),
    stages=DEVICE_STAGES,
    found_at="tdsl.gpu.backend:GPU",
)
