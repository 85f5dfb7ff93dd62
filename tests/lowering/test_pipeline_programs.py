"""What the programs allocate and copy on their way to native code, and that products stay named."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

from tdsl.check import typed
from tdsl.check.modules import load_program
from tdsl.cpu.backend import CPU
from tdsl.graph.claims import find_claims
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Graph
from tdsl.lowering.emit import emit_module
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Kernels, Options
from tdsl.lowering.pipeline import context, count_buffers, lower

_ROOT = Path(__file__).parents[2]


def _example(program: str, function: str) -> Graph:
    """The first example of a function in a program."""
    found = load_program(_ROOT / "programs" / f"{program}.tdsl")
    example = next(e for e in found.root.examples if e.function == function)
    reference = typed.FunctionReference(found.root.name, function)
    return elaborate(found, reference, example.parameters)


def _bufferized(graph: Graph, kernels: str) -> tuple[tuple[int, int], str]:
    options = Options(Kernels.parse(kernels))
    claims, _ = find_claims(graph, options.kernels.kinds)
    with context():
        module = ir.Module.parse(emit_module(graph, claims))
        lower(module, "bufferized", options, CPU, Interface.of_graph(graph))
        return count_buffers(module), str(module)


@pytest.mark.parametrize("kernels", ["matmul", "none", "matmul:loops"])
def test_attention(kernels: str) -> None:
    counts, text = _bufferized(_example("attention", "attention"), kernels)
    # qkv; q, k and v by heads; scores; their maxima and sums; the mixed values, by heads and
    # merged. Without claims the transpose of k is a buffer in place of k's. Kernels read q, k and
    # v where they lie.
    assert counts == ((6, 0) if kernels == "matmul" else (9, 0))
    assert text.count(" = memref.subview") == 3
    assert text.count("linalg.matmul") == 2, "both linear layers are still products"
    assert text.count("linalg.batch_matmul") == 2


@pytest.mark.parametrize("kernels", ["all", "none"])
def test_linear_needs_nothing_beyond_its_result(kernels: str) -> None:
    counts, text = _bufferized(_example("linear", "linear"), kernels)
    assert counts == (0, 0)
    assert text.count("linalg.matmul") == 1


@pytest.mark.parametrize("kernels", ["matmul", "none"])
def test_linear_gelu_linear_keeps_one_buffer_and_both_products(kernels: str) -> None:
    counts, text = _bufferized(_example("mlp", "mlp"), kernels)
    assert counts == (1, 0)
    assert text.count("linalg.matmul") == 2
    if kernels == "matmul":
        # Each product takes its bias along, the first gelu, too; the bodies follow as they were.
        assert text.count("tdsl.call") == 2
        return
    # The bias and gelu are one loop over the hidden layer; the second bias another.
    assert text.count("linalg.generic") == 2
