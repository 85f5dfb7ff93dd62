"""The text (or bytes) of function instances at a stage of compilation."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tdsl.check import typed
from tdsl.errors import TargetError
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Graph, Remark
from tdsl.graph.prepare import prepared
from tdsl.graph.printer import print_claims, print_graph
from tdsl.lowering.backend import Backend
from tdsl.lowering.device import CPU_TARGET, DEFAULT_CHIP, Target
from tdsl.lowering.emit import emit_module, emit_modules
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Bounds, Kernels, Options
from tdsl.lowering.stages import LOWERED_STAGES, STAGE_NAMES, STAGES
from tdsl.runtime.build import module_text
from tdsl.types.types import Substitution

# Between instances in stages that have one module each; `mlir-opt --split-input-file` reads it.
SEPARATOR = "\n// -----\n\n"


class Instance(msgspec.Struct, frozen=True):
    """One function with values for its parameters, under the name that the module gives it."""

    signature: typed.Signature
    parameters: Substitution
    name: str


def check_stage(stage: str, target: Target = CPU_TARGET) -> None:
    """TargetError for a stage that does not exist, or that the target does not have."""
    found = next((known for known in STAGES if known.name == stage), None)
    if found is None:
        raise TargetError(f"there is no stage {stage!r}; there are {', '.join(STAGE_NAMES)}")
    if found.needs == "gpu" and not target.is_gpu:
        raise TargetError(
            f"[E0903] the stage {stage} is for a GPU, which must be named: nvptx:{DEFAULT_CHIP}",
            code="E0903",
        )
    if found.needs == "cpu" and target.is_gpu:
        there = ", ".join(known.name for known in STAGES if known.needs != "cpu")
        raise TargetError(
            f"[E0903] the target {target} has no stage {stage}; it has {there}", code="E0903"
        )


def _backend(target: Target) -> Backend:
    if target.is_gpu:
        from tdsl.gpu.backend import GPU

        return GPU
    from tdsl.cpu.backend import CPU

    return CPU


def _options(kernels: str, bounds: Bounds, target: Target) -> Options:
    isa = target.device.chip if target.device is not None else "host"
    return Options(Kernels.parse(kernels), bounds=bounds, precision=target.precision, isa=isa)


def graphs_of(program: typed.Program, instances: Sequence[Instance]) -> list[Graph]:
    return [
        elaborate(program, one.signature.function, one.parameters, one.name) for one in instances
    ]


def remarks_of(
    graphs: Sequence[Graph],
    kernels: str,
    target: Target = CPU_TARGET,
) -> list[Remark]:
    """What is claimed, what nearly is, and what is claimed but refused by the kernels."""
    from tdsl.lowering.refusals import refusals

    options = _options(kernels, "trap", target)
    found: list[Remark] = []
    for whole in graphs:
        graph, (claims, remarks) = prepared(whole, options.kernels.kinds)
        found += [*remarks, *refusals(graph, claims, options, _backend(target))]
    return found


def stage_text(
    graphs: Sequence[Graph],
    stage: str,
    kernels: str = "all",
    bounds: Bounds = "trap",
    target: Target = CPU_TARGET,
) -> str:
    """The instances at a stage that is text."""
    check_stage(stage, target)
    options = _options(kernels, bounds, target)
    if stage == "graph":
        return "\n".join(print_graph(graph) for graph in graphs)
    ready = [prepared(graph, options.kernels.kinds) for graph in graphs]
    if stage == "claims":
        return "\n".join(print_claims(graph, *found) for graph, found in ready)
    if stage == "mlir":
        return emit_modules([(graph, ()) for graph, _ in ready])
    if stage == "claimed":
        return emit_modules([(graph, claims) for graph, (claims, _) in ready])
    texts = []
    for graph, (claims, _) in ready:
        text, interface = emit_module(graph, claims), Interface.of_graph(graph)
        if stage in ("nvvm", "ptx"):
            from tdsl.gpu.compiler import nvvm_text, ptx_text

            assert target.device is not None
            show = nvvm_text if stage == "nvvm" else ptx_text
            texts.append(show(text, options, interface, target.device))
        elif stage in LOWERED_STAGES:
            from tdsl.lowering.pipeline import lower_text

            texts.append(lower_text(text, stage, options, _backend(target), interface))
        elif stage == "asm":
            from tdsl.cpu.compiler import assembly

            texts.append(assembly(text, options, interface))
        else:
            raise TargetError(f"the stage {stage} is no text of an instance")
    return SEPARATOR.join(texts)


def object_code(graph: Graph, kernels: str = "all", bounds: Bounds = "trap") -> bytes:
    """The object file of one instance: `i32 tdsl_entry(void **data, int64_t *sizes)`."""
    from tdsl.cpu.compiler import compile_text

    # Whoever links it elsewhere has no worker pool.
    options = Options(Kernels.parse(kernels), bounds=bounds, threads=1)
    return compile_text(module_text(graph, options), options, Interface.of_graph(graph)).code
