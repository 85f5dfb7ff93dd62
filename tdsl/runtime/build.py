"""From a function and values of its parameters to loaded native code, or to the text of a stage."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from tdsl.check import typed
from tdsl.errors import InternalError
from tdsl.graph.claims import find_claims
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import ArrayType, Graph
from tdsl.lowering.bounds import Site
from tdsl.lowering.emit import emit_module
from tdsl.lowering.interface import Interface, evaluate
from tdsl.lowering.options import BOUNDS, Bounds, Kernels, Options
from tdsl.runtime.calling import Code
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import Substitution


@dataclass(frozen=True)
class Built:
    """Loaded code of an instance, and the shapes of what it takes and gives."""

    code: Code
    interface: Interface
    dtypes: tuple[DType, ...]  # of the results
    scratch: Size
    sites: tuple[Site, ...] = ()

    @property
    def results(self) -> tuple[ArrayType, ...]:
        shapes = self.interface.results
        return tuple(map(ArrayType, self.dtypes, shapes))

    @property
    def open_sizes(self) -> tuple[Symbol, ...]:
        return self.interface.symbols

    def literal_shape(self, type_: ArrayType, values: Mapping[Symbol, int]) -> tuple[int, ...]:
        return tuple(evaluate(size, values) for size in type_.shape)

    def scratch_bytes(self, values: Mapping[Symbol, int]) -> int:
        return evaluate(self.scratch, {symbol: values[symbol] for symbol in self.open_sizes})


def check_kernels(text: str) -> Kernels:
    """The choice of kernels that a text means; KernelsError says what can be written."""
    return Kernels.parse(text)


def check_bounds(text: str) -> Bounds:
    """The choice that a text means; ValueError says what can be written."""
    for known in BOUNDS:
        if text == known:
            return known
    raise ValueError(f"there are no bounds {text!r}; there are {' and '.join(BOUNDS)}")


def build(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    kernels: str,
    bounds: Bounds = "trap",
) -> Built:
    """Compile an instance and load it."""
    # MLIR is imported when the first function is compiled, not when a module is loaded.
    from tdsl.cpu.compiler import compile_text, load_object
    from tdsl.engine.libraries import LLVMError
    from tdsl.engine.worker import CompilerCrash, compile_isolated
    from tdsl.lowering.pipeline import LoweringError

    isolated = os.environ.get("TDSL_COMPILE") == "isolated"
    compile_ = compile_isolated if isolated else compile_text
    options = Options(Kernels.parse(kernels), bounds=bounds)
    graph = elaborate(program, signature.function, parameters)
    text = module_text(graph, options)
    interface = Interface.of_graph(graph)
    try:
        compiled = compile_(text, options, interface)
        loaded = load_object(compiled)
    except (LoweringError, LLVMError, CompilerCrash) as error:
        raise InternalError(
            f"compiling `{signature.function.name}` failed: {error}\n"
            "this is a mistake in TDSL, not in your program; please report it with the text above"
        ) from error
    return Built(
        Code(loaded.address(compiled.entry), loaded),
        compiled.interface,
        tuple(node.type.dtype for node in graph.results),
        compiled.scratch,
        compiled.sites,
    )


def module_text(graph: Graph, options: Options) -> str:
    claims, _ = find_claims(graph, options.kernels.kinds)
    return emit_module(graph, claims)
