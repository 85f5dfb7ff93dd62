"""From a module of tensors to native code for a CPU: passes, then LLVM."""

from __future__ import annotations

from typing import Any

from mlir import ir
from msgspec.structs import replace

from tdsl.cpu.backend import CPU
from tdsl.cpu.linking import EXTERNAL, load_object
from tdsl.engine.llvm import Target, Tuning, assembly_text, compile_module
from tdsl.engine.object import CompiledObject
from tdsl.lowering.interface import Interface
from tdsl.lowering.machine import machine_of
from tdsl.lowering.options import Options
from tdsl.lowering.passes.arena import scratch_size
from tdsl.lowering.passes.bounds import sites_of
from tdsl.lowering.passes.entry import ENTRY
from tdsl.lowering.passes.profile import steps_of
from tdsl.lowering.pipeline import context, lower
from tdsl.lowering.sizes import interface_of

__all__ = ["assembly", "compile_text", "load_object", "tuning"]


def compile_text(
    text: str,
    options: Options | None = None,
    interface: Interface | None = None,
    target: Target | None = None,
) -> CompiledObject:
    """Compile the public function of a module of tensors, as the emitter writes it."""
    options, target = _settled(options, target)
    with context():
        module = ir.Module.parse(text)
        lower(module, "llvm", options, CPU, interface)
        code = compile_module(module, target, frozenset({ENTRY}), tuning(options))
        return CompiledObject(
            code,
            ENTRY,
            interface_of(module),
            scratch_size(module),
            _external(module),
            sites_of(module),
            steps_of(module),
        )


def assembly(
    text: str,
    options: Options | None = None,
    interface: Interface | None = None,
    target: Target | None = None,
) -> str:
    """What `compile_text` compiles to, for reading."""
    options, target = _settled(options, target)
    with context():
        module = ir.Module.parse(text)
        lower(module, "llvm", options, CPU, interface)
        return assembly_text(module, target, frozenset({ENTRY}), tuning(options))


def _settled(options: Options | None, target: Target | None) -> tuple[Options, Target]:
    """The defaults; kernels are made for the processor that the code is for."""
    options = options or Options()
    if target is None:
        return options, Target.host()
    if options.isa == "host":
        options = replace(options, isa=machine_of(target.features).isa)
    return options, target


def tuning(options: Options) -> Tuning:
    return Tuning(vectorize=options.vectorize)


def _external(module: Any) -> tuple[str, ...]:
    """The functions that the code calls and that the loader has to find."""
    names = [
        ir.StringAttr(operation.operation.attributes["sym_name"]).value
        for operation in module.body.operations
        if operation.operation.name == "llvm.func" and not operation.regions[0].blocks
    ]
    return tuple(sorted(name for name in names if name in EXTERNAL))
