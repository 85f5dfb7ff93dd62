"""Hand-built graphs: making them, running them natively, and what NumPy says they mean."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tdsl.cpu.compiler import load_object
from tdsl.engine.worker import compile_isolated
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import ArrayType, Claim, Graph, Node
from tdsl.lowering.bounds import STATUS_WORDS, violation
from tdsl.lowering.emit import emit_module
from tdsl.lowering.interface import Interface, evaluate
from tdsl.lowering.options import Options
from tdsl.ops.primitives import PRIMITIVES
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol

MLIR_OPT = Path(str(find_spec("mlir").submodule_search_locations[0])) / "bin" / "mlir-opt"  # type: ignore[union-attr,index]
FILECHECK = Path(str(find_spec("llvm").submodule_search_locations[0])) / "bin" / "FileCheck"  # type: ignore[union-attr,index]


def shape(*sizes: int | Size | Symbol) -> tuple[Size, ...]:
    return tuple(Size.of(size) for size in sizes)


class Making:
    """A graph in the making: inputs by dtype and sizes, everything else through the builder."""

    def __init__(self) -> None:
        self.build = GraphBuilder()
        self.inputs: list[Node] = []

    def input(self, name: str, dtype: str, *sizes: int | Size | Symbol) -> Node:
        node = self.build.input(name, len(self.inputs), ArrayType(DTYPES[dtype], shape(*sizes)))
        self.inputs.append(node)
        return node

    def raw(self, operation: str, *inputs: Node, **attributes: Any) -> Node:
        """A node as it is, past every simplification."""
        dtype, sizes = PRIMITIVES[operation].infer([x.type for x in inputs], attributes)
        return Node(operation, inputs, attributes, ArrayType(dtype, tuple(sizes)), None)

    def graph(self, *results: Node, name: str = "f") -> Graph:
        open_sizes: dict[Symbol, tuple[int, int]] = {}
        for place, node in enumerate(self.inputs):
            for axis, size in enumerate(node.type.shape):
                for symbol in size.symbols():
                    open_sizes.setdefault(symbol, (place, axis))
        return Graph(name, tuple(self.inputs), results, open_sizes, self.build.names)


def reference(graph: Graph, arrays: Sequence[Any], sizes: Mapping[Symbol, int] = {}) -> list[Any]:
    """The results by each primitive's own NumPy function."""
    known = {symbol: Size.of(value) for symbol, value in sizes.items()}

    def concrete(value: Any) -> Any:
        if isinstance(value, Size):
            return value.substitute(known)
        return tuple(map(concrete, value)) if isinstance(value, tuple) else value

    values: dict[Node, Any] = dict(zip(graph.inputs, arrays, strict=True))
    for node in graph.nodes():
        if node not in values:
            attributes = {key: concrete(value) for key, value in node.attributes.items()}
            operands = [values[operand] for operand in node.inputs]
            values[node] = PRIMITIVES[node.operation].reference(operands, attributes)
    return [values[node] for node in graph.results]


def run(
    graph: Graph,
    arrays: Sequence[Any],
    claims: Sequence[Claim] = (),
    sizes: Mapping[Symbol, int] = {},
    *,
    text: str | None = None,
    options: Options | None = None,
) -> list[Any]:
    """The results by native code."""
    text = text or emit_module(graph, claims, locations=False)
    compiled = compile_isolated(text, options or Options(), Interface.of_graph(graph))
    loaded = load_object(compiled)
    given = [np.ascontiguousarray(array).reshape(np.shape(array)) for array in arrays]
    # What is in the results before the call must not matter.
    results = [
        np.full(tuple(evaluate(size, sizes) for size in node.type.shape), 1, node.type.dtype.numpy)
        for node in graph.results
    ]
    values = [sizes[symbol] for symbol in graph.open_sizes]
    scratch = np.full(compiled.scratch_bytes(values) + 128, 63, np.uint8)
    start = -(-scratch.ctypes.data // 64) * 64
    status = np.full(STATUS_WORDS, 63, np.int64)
    pointers = [array.ctypes.data for array in (*given, *results)]
    pointers += [start, status.ctypes.data]
    entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(
        loaded.address(compiled.entry)
    )
    data = (ctypes.c_void_p * len(pointers))(*pointers)
    numbers = (ctypes.c_int64 * max(len(values), 1))(*values)
    if entry(ctypes.addressof(data), ctypes.addressof(numbers)):
        raise IndexError(violation(compiled.sites, status.tolist()))
    return results


def file_check(text: str, patterns: str, tmp_path: Path) -> None:
    """Match with LLVM's FileCheck; `patterns` holds the CHECK lines."""
    checks, file = tmp_path / "checks", tmp_path / "text"
    checks.write_text(patterns)
    file.write_text(text)
    done = subprocess.run(
        [FILECHECK, checks, f"--input-file={file}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr}\n{text}"


def mlir_opt(text: str, *arguments: str) -> str:
    """Through upstream's tool, as a user would."""
    done = subprocess.run(
        [MLIR_OPT, *arguments], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr}\n{text}"
    return done.stdout
