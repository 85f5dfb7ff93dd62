"""The text (or bytes) of function instances at a stage of compilation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tdsl.check import typed
from tdsl.errors import TargetError
from tdsl.graph.claims import find_claims
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Graph, Remark
from tdsl.graph.printer import print_claims, print_graph
from tdsl.lowering.emit import emit_module, emit_modules
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Bounds, Kernels, Options
from tdsl.lowering.stages import LOWERED_STAGES, STAGE_NAMES
from tdsl.types.types import Substitution

LATER_STAGES = ("nvvm", "ptx")
# Between instances in stages that have one module each; `mlir-opt --split-input-file` reads it.
SEPARATOR = "\n// -----\n\n"


@dataclass(frozen=True)
class Instance:
    """One function with values for its parameters, under the name that the module gives it."""

    signature: typed.Signature
    parameters: Substitution
    name: str


def check_stage(stage: str) -> None:
    """TargetError for a stage that does not exist, or not yet."""
    if stage in LATER_STAGES:
        raise TargetError(
            f"[E0903] the stage {stage} is not there yet in this version", code="E0903"
        )
    if stage not in STAGE_NAMES:
        raise TargetError(f"there is no stage {stage!r}; there are {', '.join(STAGE_NAMES)}")


def graphs_of(program: typed.Program, instances: Sequence[Instance]) -> list[Graph]:
    return [
        elaborate(program, one.signature.function, one.parameters, one.name) for one in instances
    ]


def remarks_of(graphs: Sequence[Graph], kernels: str) -> list[Remark]:
    """What is claimed, what nearly is, and what is claimed but refused by the kernels."""
    from tdsl.cpu.backend import CPU
    from tdsl.lowering.refusals import refusals

    options = Options(Kernels.parse(kernels))
    found: list[Remark] = []
    for graph in graphs:
        claims, remarks = find_claims(graph, options.kernels.kinds)
        found += [*remarks, *refusals(graph, claims, options, CPU)]
    return found


def stage_text(
    graphs: Sequence[Graph], stage: str, kernels: str = "all", bounds: Bounds = "trap"
) -> str:
    """The instances at a stage that is text."""
    check_stage(stage)
    options = Options(Kernels.parse(kernels), bounds=bounds)
    claims = [find_claims(graph, options.kernels.kinds)[0] for graph in graphs]
    if stage == "graph":
        return "\n".join(print_graph(graph) for graph in graphs)
    if stage == "claims":
        return "\n".join(
            print_claims(graph, *find_claims(graph, options.kernels.kinds)) for graph in graphs
        )
    if stage == "mlir":
        return emit_modules([(graph, ()) for graph in graphs])
    if stage == "claimed":
        return emit_modules(list(zip(graphs, claims, strict=True)))
    texts = []
    for graph, found in zip(graphs, claims, strict=True):
        text, interface = emit_module(graph, found), Interface.of_graph(graph)
        if stage in LOWERED_STAGES:
            from tdsl.cpu.backend import CPU
            from tdsl.lowering.pipeline import lower_text

            texts.append(lower_text(text, stage, options, CPU, interface))
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
    claims, _ = find_claims(graph, options.kernels.kinds)
    return compile_text(emit_module(graph, claims), options, Interface.of_graph(graph)).code
