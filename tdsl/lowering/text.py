"""The `mlir` and `claimed` stages as checked text."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from tdsl.graph.graph import Claim, Graph
from tdsl.lowering.emit import emit_module
from tdsl.ops.primitive import InternalError


def mlir_text(graph: Graph, claims: Sequence[Claim] = (), *, locations: bool = False) -> str:
    """The module as it is shown to people: with the program's own names, which MLIR's printer
    would drop. What is shown has been verified."""
    text = emit_module(graph, claims, locations=locations)
    verify(text)
    return text


def verify(text: str) -> None:
    """Raise on text that MLIR does not accept. It is a fault of the emitter, not of a program."""
    with ir.Context():
        try:
            ir.Module.parse(text).operation.verify()
        except ir.MLIRError as error:
            raise InternalError(f"the emitted module is not valid MLIR: {error}\n{text}") from error
