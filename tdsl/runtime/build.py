"""From a function and values of its parameters to loaded native code, or to the text of a stage."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from tdsl.check import typed
from tdsl.errors import InternalError, TargetError
from tdsl.lowering.bounds import Site
from tdsl.lowering.interface import Interface, evaluate
from tdsl.lowering.options import BOUNDS, PRECISIONS, Bounds, Kernels, Options
from tdsl.lowering.steps import Step
from tdsl.ops.looking import Looked
from tdsl.runtime.cache import Cache, open_cache
from tdsl.runtime.calling import ActedCode, Code
from tdsl.runtime.keys import describe, digest, instance_key
from tdsl.runtime.passing import Passing
from tdsl.runtime.pausing import collector_paused
from tdsl.runtime.storing import Stored
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import Substitution

if TYPE_CHECKING:
    from tdsl.engine.object import CompiledObject
    from tdsl.graph.graph import Graph
    from tdsl.lowering.device import Device

CPU: Final = "cpu"


class Result(msgspec.Struct, frozen=True):
    """The type of one array that native code gives."""

    dtype: DType
    shape: tuple[Size, ...]


class Built(msgspec.Struct, frozen=True):
    """Loaded code of an instance, and the shapes of what it takes and gives."""

    code: Code
    interface: Interface
    dtypes: tuple[DType, ...]  # of the results
    scratch: Size
    sites: tuple[Site, ...] = ()
    debugged: tuple[Looked, ...] = ()  # of the last results, which `dbg` looks at
    steps: tuple[Step, ...] = ()  # that the code times

    @property
    def results(self) -> tuple[Result, ...]:
        return tuple(map(Result, self.dtypes, self.interface.results))

    @property
    def open_sizes(self) -> tuple[Symbol, ...]:
        return self.interface.symbols

    def literal_shape(self, result: Result, values: Mapping[Symbol, int]) -> tuple[int, ...]:
        return tuple(evaluate(size, values) for size in result.shape)

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


def check_target(text: str, precision: str | None = None) -> str:
    """The target that a text names, of those that functions can be run on; TargetError tells them.
    `nvptx` is the GPU of this machine."""
    if text == CPU and precision is None:
        return text
    from tdsl.lowering.device import parse_target

    kind, _, rest = text.partition(":")
    if kind != "nvptx":
        return str(parse_target(text, precision))
    from tdsl.gpu.driver import opened

    if not rest or rest in PRECISIONS:
        text = ":".join(filter(None, ("nvptx", opened.device().chip, rest)))
    target = parse_target(text, precision)
    opened.device()  # without one there is nothing to run it on
    return str(target)


def build(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    kernels: str,
    bounds: Bounds = "trap",
    passing: Passing = Passing(),  # noqa: B008  (frozen)
    profile: bool = False,
    target: str = "cpu",
) -> Built:
    """Load an instance: from the disk cache, or compiled now and kept there."""
    if target != CPU:
        for_gpu = _emulated if target.startswith("gpu-emulator") else _for_device
        return for_gpu(program, signature, parameters, kernels, bounds, passing, target)
    from tdsl.cpu.linking import load_object
    from tdsl.engine.libraries import LLVMError
    from tdsl.engine.pool import thread_count

    options = Options(
        Kernels.parse(kernels), bounds=bounds, profile=profile, threads=thread_count()
    )
    name = signature.function.name
    store, key = _place(program, signature, parameters, options, passing)
    fresh: list[Stored] = []

    def make() -> bytes:
        fresh.append(_compile(program, signature, parameters, options, passing))
        return fresh[0].to_bytes(program)

    if store is not None:
        data, _ = store.fetch(key, describe(signature, parameters), make)
        if not fresh:
            try:
                stored = Stored.from_bytes(data, program)
                loaded = load_object(stored.compiled, _cached_pool)
                return _built(stored, loaded.address(stored.compiled.entry), loaded)
            except (LLVMError, KeyError):
                # It needs a library that was there when it was made.
                store.remove(key)
                store.put(key, make(), describe(signature, parameters))
    stored = fresh[0] if fresh else _compile(program, signature, parameters, options, passing)
    try:
        loaded = load_object(stored.compiled, _cached_pool)
        return _built(stored, loaded.address(stored.compiled.entry), loaded)
    except LLVMError as error:
        raise _our_fault(name, error) from error


def _emulated(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    kernels: str,
    bounds: Bounds,
    passing: Passing,
    target: str,
) -> Built:
    """An instance for the emulator, which is never kept on disk: it is there to look for faults."""
    from tdsl.engine.libraries import LLVMError
    from tdsl.gpu.compiler import compile_emulated
    from tdsl.gpu.emulator import EmulationError
    from tdsl.graph.elaborate import elaborate
    from tdsl.lowering.device import parse_target
    from tdsl.lowering.pipeline import LoweringError

    if passing.donated:
        raise TargetError(f"[E0903] the target {target} has no `donate`", code="E0903")
    named = parse_target(target)
    device = named.device
    assert device is not None, "the targets that are not a CPU are GPUs"
    options = Options(
        Kernels.parse(kernels), bounds=bounds, precision=named.precision, isa=device.chip
    )
    graph = elaborate(program, signature.function, parameters)
    interface = Interface.of_graph(graph)
    try:
        made = compile_emulated(module_text(graph, options), options, interface, device)
    except (LoweringError, LLVMError, EmulationError) as error:
        raise _our_fault(signature.function.name, error) from error
    return Built(
        ActedCode(made.entry),
        interface,
        tuple(node.type.dtype for node in graph.results),
        Size.of(0),
        made.plan.sites,
        tuple(debugged.looked for debugged in graph.debugged),
    )


def _for_device(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    kernels: str,
    bounds: Bounds,
    passing: Passing,
    target: str,
) -> Built:
    """An instance for a GPU: from the disk cache, or compiled now and kept there."""
    from tdsl.lowering.device import parse_target
    from tdsl.runtime.on_device import DeviceCode
    from tdsl.runtime.storing_for_device import StoredForDevice

    named = parse_target(target)
    device = named.device
    assert device is not None, "the targets that are not a CPU are GPUs"
    options = Options(
        Kernels.parse(kernels), bounds=bounds, precision=named.precision, isa=device.chip
    )
    store, key = _place(program, signature, parameters, options, passing)

    def make() -> bytes:
        return _compile_for_device(program, signature, parameters, options, passing, device)

    if store is None:
        data = make()
    else:
        data, _ = store.fetch(key, f"{describe(signature, parameters)} for {device.chip}", make)
    stored = StoredForDevice.from_bytes(data, program)
    return Built(
        DeviceCode(stored.made),
        stored.made.interface,
        stored.dtypes,
        Size.of(0),
        stored.made.plan.sites,
        stored.debugged,
    )


def _compile_for_device(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    options: Options,
    passing: Passing,
    device: Device,
) -> bytes:
    from tdsl.engine.libraries import LLVMError
    from tdsl.gpu.compiler import compile_ptx
    from tdsl.graph.elaborate import elaborate
    from tdsl.lowering.pipeline import LoweringError
    from tdsl.runtime.storing_for_device import StoredForDevice

    graph = elaborate(program, signature.function, parameters)
    interface = replace(Interface.of_graph(graph), donated=passing.donated)
    try:
        made = compile_ptx(module_text(graph, options), options, interface, device)
    except (LoweringError, LLVMError) as error:
        raise _our_fault(signature.function.name, error) from error
    return StoredForDevice(
        made,
        tuple(node.type.dtype for node in graph.results),
        tuple(debugged.looked for debugged in graph.debugged),
    ).to_bytes(program)


def _place(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    options: Options,
    passing: Passing,
) -> tuple[Cache | None, str]:
    """Where compiled code is kept, and under which key; nowhere if that cannot be told."""
    from tdsl.engine.libraries import LLVMError

    store = open_cache()
    if store is None:
        return None, ""
    try:
        return store, instance_key(program, signature, parameters, options, passing)
    except (OSError, LLVMError):
        return None, ""


def cached_code(text: str, make: Callable[[], bytes], label: str) -> bytes:
    """What a text of LLVM IR is compiled to, from the disk cache where it is known."""
    store = open_cache()
    if store is None:
        return make()
    try:
        key = digest({"text": text})
    except OSError:
        return make()
    return store.fetch(key, label, make)[0]


def _cached_pool(text: str) -> bytes:
    from tdsl.engine.pool import compile_pool

    return cached_code(text, lambda: compile_pool(text), "the worker pool")


@collector_paused()
def _compile(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    options: Options,
    passing: Passing,
) -> Stored:
    # MLIR is imported when the first function is compiled, and so is what leads there: not when a
    # module is loaded, and never where all code is found in the cache.
    from tdsl.cpu.compiler import compile_text
    from tdsl.engine.libraries import LLVMError
    from tdsl.graph.elaborate import elaborate
    from tdsl.lowering.pipeline import LoweringError

    compile_: Callable[[str, Options, Interface], CompiledObject] = compile_text
    faults: tuple[type[Exception], ...] = (LoweringError, LLVMError)
    if os.environ.get("TDSL_COMPILE") == "isolated":
        from tdsl.engine.worker import CompilerCrash, compile_isolated

        compile_, faults = compile_isolated, (*faults, CompilerCrash)
    graph = elaborate(program, signature.function, parameters)
    text = module_text(graph, options)
    try:
        interface = replace(
            Interface.of_graph(graph), constants=passing.constants, donated=passing.donated
        )
        compiled = compile_(text, options, interface)
    except faults as error:
        raise _our_fault(signature.function.name, error) from error
    return Stored(
        compiled,
        tuple(node.type.dtype for node in graph.results),
        tuple(debugged.looked for debugged in graph.debugged),
    )


def can_elaborate(
    program: typed.Program, signature: typed.Signature, parameters: Substitution
) -> bool:
    """Whether there can be an instance with these sizes open."""
    from tdsl.graph.elaborate import elaborate

    try:
        elaborate(program, signature.function, parameters)
    except DiagnosticError:
        return False
    return True


def _our_fault(function: str, error: Exception) -> InternalError:
    return InternalError(
        f"compiling `{function}` failed: {error}\n"
        "this is a mistake in TDSL, not in your program; please report it with the text above"
    )


def _built(stored: Stored, address: int, owner: object) -> Built:
    compiled = stored.compiled
    return Built(
        Code(address, owner),
        compiled.interface,
        stored.dtypes,
        compiled.scratch,
        compiled.sites,
        stored.debugged,
        compiled.steps,
    )


def module_text(graph: Graph, options: Options) -> str:
    from tdsl.graph.prepare import prepared
    from tdsl.lowering.emit import emit_module

    graph, (claims, _) = prepared(graph, options.kernels.kinds, narrowed=options.narrow)
    return emit_module(graph, claims)
