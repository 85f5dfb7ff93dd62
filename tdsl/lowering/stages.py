"""The stages that `--emit` can show, in order; free of MLIR, so that help texts cost nothing."""

from __future__ import annotations

from typing import Literal

import msgspec


class StageName(msgspec.Struct, frozen=True):
    """One form of a program between its source and native code."""

    name: str
    description: str
    needs: Literal["", "cpu", "gpu"] = ""
    """The kind of target that has it; "": every one."""


STAGES: tuple[StageName, ...] = (
    StageName("ast", "what was written, as a tree"),
    StageName("typed", "every expression with its type; sizes still open"),
    StageName("pyi", "what editors and type checkers of Python are told of the module"),
    StageName("graph", "one instance as a graph of primitives"),
    StageName("claims", "the graph, and what a backend will take over"),
    StageName("mlir", "the graph as plain linalg on tensors"),
    StageName("claimed", "the same, each claim outlined into a private function"),
    StageName("bufferized", "fused, on memory; results written in place"),
    StageName("llvm", "kernels chosen, loops, and then MLIR's LLVM dialect", "cpu"),
    StageName("asm", "native assembly", "cpu"),
    StageName("obj", "a native object file", "cpu"),
    StageName(
        "nvvm", "for a GPU: kernels in MLIR's NVVM dialect, and how they are launched", "gpu"
    ),
    StageName("ptx", "for a GPU: kernels in PTX, and how they are launched", "gpu"),
)

STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)
LOWERED_STAGES: tuple[str, ...] = ("bufferized", "llvm")
"""The stages that the pass lists of pipeline.py lead to; the others are made elsewhere."""
DEVICE_STAGES: tuple[str, ...] = ("bufferized", "nvvm")
"""The same for a GPU."""
