"""The stages that `--emit` can show, in order; free of MLIR, so that help texts cost nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StageName:
    """One form of a program between its source and native code."""

    name: str
    description: str


STAGES: tuple[StageName, ...] = (
    StageName("ast", "what was written, as a tree"),
    StageName("typed", "every expression with its type; sizes still open"),
    StageName("pyi", "what editors and type checkers of Python are told of the module"),
    StageName("graph", "one instance as a graph of primitives"),
    StageName("claims", "the graph, and what a backend will take over"),
    StageName("mlir", "the graph as plain linalg on tensors"),
    StageName("claimed", "the same, each claim outlined into a private function"),
    StageName("bufferized", "fused, on memory; results written in place"),
    StageName("llvm", "kernels chosen, loops, and then MLIR's LLVM dialect"),
    StageName("asm", "native assembly"),
    StageName("obj", "a native object file"),
)

STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)
LOWERED_STAGES: tuple[str, ...] = ("bufferized", "llvm")
"""The stages that the pass lists of pipeline.py lead to; the others are made elsewhere."""
