"""Native code from a module of MLIR's LLVM dialect: LLVM IR, assembly text, object bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Literal

import msgspec

from tdsl.engine.libraries import (
    LLVMError,
    check,
    llvm,
    mlir_c,
    mlir_operation,
    take_message,
)
from tdsl.lowering.machine import FINISHED

_ASSEMBLY, _OBJECT = 0, 1
_POSITION_INDEPENDENT = 2
_DEFAULT_CODE_MODEL = 0
_INTERNAL_LINKAGE = 8
_RETURN_STATUS = 2
_FUNCTION_INDEX = 2**32 - 1

_TIDY = "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg"

# For what was written as LLVM IR by hand: nothing in it is left for the other passes to find.
_GLUE = f"cgscc(inline),function({_TIDY})"

Level = Literal[0, 1, 2, 3]


class Target(msgspec.Struct, frozen=True):
    """The machine that code is made for, as LLVM names it."""

    triple: str
    cpu: str
    features: str

    @staticmethod
    def host() -> Target:
        library = llvm()
        return Target(
            take_message(library.LLVMGetDefaultTargetTriple()),
            take_message(library.LLVMGetHostCPUName()),
            take_message(library.LLVMGetHostCPUFeatures()),
        )

    @property
    def vector_bits(self) -> int:
        """The width of the widest vector registers that loops should use."""
        features = set(self.features.split(","))
        if "+avx512f" in features:
            return 512
        return 256 if "+avx2" in features or "+avx" in features else 128


class Tuning(msgspec.Struct, frozen=True):
    """How hard LLVM works. `passes` is a pipeline of its new pass manager."""

    passes: str = "default<O2>"
    level: Level = 2
    vectorize: bool = True


@contextmanager
def _target_machine(target: Target, level: Level) -> Iterator[int]:
    library = llvm()
    handle, message = c_void_p(), c_void_p()
    if library.LLVMGetTargetFromTriple(target.triple.encode(), byref(handle), byref(message)):
        raise LLVMError(f"target {target.triple}: {take_message(message.value)}")
    machine = library.LLVMCreateTargetMachine(
        handle,
        target.triple.encode(),
        target.cpu.encode(),
        target.features.encode(),
        level,
        _POSITION_INDEPENDENT,
        _DEFAULT_CODE_MODEL,
    )
    if not machine:
        raise LLVMError(f"no target machine for {target.triple} {target.cpu}")
    try:
        yield machine
    finally:
        library.LLVMDisposeTargetMachine(machine)


def _functions(module: int) -> Iterator[int]:
    library = llvm()
    function = library.LLVMGetFirstFunction(module)
    while function:
        if not library.LLVMIsDeclaration(function):
            yield function
        function = library.LLVMGetNextFunction(function)


def _name(function: int) -> str:
    length = c_size_t()
    start = llvm().LLVMGetValueName2(function, byref(length))
    return ctypes.string_at(start, length.value).decode()


def _prepare(module: int, machine: int, target: Target, exported: frozenset[str]) -> None:
    """State the target on the module and each function; keep only exported names global."""
    library = llvm()
    library.LLVMSetTarget(module, target.triple.encode())
    layout = library.LLVMCreateTargetDataLayout(machine)
    library.LLVMSetModuleDataLayout(module, layout)
    library.LLVMDisposeTargetData(layout)
    attributes = {
        "target-cpu": target.cpu,
        "target-features": target.features,
        "prefer-vector-width": str(target.vector_bits),
    }
    for function in _functions(module):
        # On the function itself, so that inlining and a cached object do not depend on defaults.
        for key, value in attributes.items():
            library.LLVMAddTargetDependentFunctionAttr(function, key.encode(), value.encode())
        if _name(function) not in exported:
            library.LLVMSetLinkage(function, _INTERNAL_LINKAGE)


def _finished(module: int) -> list[int]:
    """The functions that are written as they should run: vectors, and no loop to be improved."""
    key = FINISHED.encode()
    given = llvm().LLVMGetStringAttributeAtIndex
    return [f for f in _functions(module) if given(f, _FUNCTION_INDEX, key, len(key))]


@contextmanager
def _left_alone(module: int) -> Iterator[None]:
    """Passes skip finished functions: on large kernels they take long and find nothing."""
    library = llvm()
    kind = library.LLVMGetEnumAttributeKindForName(b"optnone", len(b"optnone"))
    attribute = library.LLVMCreateEnumAttribute(library.LLVMGetModuleContext(module), kind, 0)
    for function in _finished(module):
        library.LLVMAddAttributeAtIndex(function, _FUNCTION_INDEX, attribute)
    yield
    # Looked up again: what loses an unused argument is a new function.
    for function in _finished(module):
        library.LLVMRemoveEnumAttributeAtIndex(function, _FUNCTION_INDEX, kind)


def _keep_scalar(module: int) -> None:
    """Forbid both vectorizers, of loops and of straight lines: they leave alone a function that
    may use no vector registers of its own accord. The options of the pass builder do not reach
    them. Finished functions name their vectors themselves."""
    library = llvm()
    name = b"noimplicitfloat"
    kind = library.LLVMGetEnumAttributeKindForName(name, len(name))
    attribute = library.LLVMCreateEnumAttribute(library.LLVMGetModuleContext(module), kind, 0)
    finished = set(_finished(module))
    for function in _functions(module):
        if function not in finished:
            library.LLVMAddAttributeAtIndex(function, _FUNCTION_INDEX, attribute)


def _optimise(module: int, machine: int, tuning: Tuning) -> None:
    library = llvm()
    options = library.LLVMCreatePassBuilderOptions()
    try:
        if not tuning.vectorize:
            _keep_scalar(module)
        with _left_alone(module):
            error = library.LLVMRunPasses(module, tuning.passes.encode(), machine, options)
            check(error, f"LLVM passes {tuning.passes}")
        # On all functions: nothing is left to do on those that were not left alone.
        error = library.LLVMRunPasses(module, f"function({_TIDY})".encode(), machine, options)
        check(error, f"LLVM passes {_TIDY}")
    finally:
        library.LLVMDisposePassBuilderOptions(options)


def _code(module: int, machine: int, kind: int) -> bytes:
    library = llvm()
    buffer, message = c_void_p(), c_void_p()
    if library.LLVMTargetMachineEmitToMemoryBuffer(
        machine, module, kind, byref(message), byref(buffer)
    ):
        raise LLVMError(f"code generation: {take_message(message.value)}")
    try:
        start, size = library.LLVMGetBufferStart(buffer), library.LLVMGetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        library.LLVMDisposeMemoryBuffer(buffer)


@contextmanager
def _translated(mlir_module: Any) -> Iterator[int]:
    """The LLVM IR of a module of the LLVM dialect, in a context of its own."""
    library = llvm()
    context = library.LLVMContextCreate()
    try:
        handle = mlir_operation(mlir_module.operation)
        module = mlir_c().mlirTranslateModuleToLLVMIR(handle, context)
        if not module:
            raise LLVMError("the module is not all of the LLVM dialect: no LLVM IR can be made")
        try:
            yield module
        finally:
            library.LLVMDisposeModule(module)
    finally:
        library.LLVMContextDispose(context)


@contextmanager
def _parsed(text: str) -> Iterator[int]:
    """A module of LLVM IR text, in a context of its own, verified."""
    library = llvm()
    context = library.LLVMContextCreate()
    module, message = c_void_p(), c_void_p()
    try:
        data = text.encode()
        buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), b"text")
        if library.LLVMParseIRInContext(context, buffer, byref(module), byref(message)):
            raise LLVMError(f"LLVM IR: {take_message(message.value)}")
        try:
            if library.LLVMVerifyModule(module, _RETURN_STATUS, byref(message)):
                raise LLVMError(f"LLVM IR: {take_message(message.value)}")
            assert module.value is not None
            yield module.value
        finally:
            library.LLVMDisposeModule(module)
    finally:
        library.LLVMContextDispose(context)


def _emit(
    module: int, target: Target, tuning: Tuning, exported: frozenset[str], kind: int
) -> bytes:
    with _target_machine(target, tuning.level) as machine:
        _prepare(module, machine, target, exported)
        _optimise(module, machine, tuning)
        return _code(module, machine, kind)


def compile_module(
    mlir_module: Any, target: Target, exported: frozenset[str], tuning: Tuning | None = None
) -> bytes:
    """Object bytes of a module of the LLVM dialect; only `exported` functions can be looked up."""
    with _translated(mlir_module) as module:
        return _emit(module, target, tuning or Tuning(), exported, _OBJECT)


def assembly_text(
    mlir_module: Any, target: Target, exported: frozenset[str], tuning: Tuning | None = None
) -> str:
    """What `compile_module` would put into the object, as assembly."""
    with _translated(mlir_module) as module:
        return _emit(module, target, tuning or Tuning(), exported, _ASSEMBLY).decode()


def optimised_text(
    mlir_module: Any, target: Target, exported: frozenset[str], tuning: Tuning | None = None
) -> str:
    """The LLVM IR that the object is made from: after the passes, before code generation."""
    tuning = tuning or Tuning()
    with _translated(mlir_module) as module, _target_machine(target, tuning.level) as machine:
        _prepare(module, machine, target, exported)
        _optimise(module, machine, tuning)
        return take_message(llvm().LLVMPrintModuleToString(module))


def compile_ir(text: str, target: Target, exported: frozenset[str]) -> bytes:
    """Object bytes of LLVM IR text, for glue that needs no MLIR."""
    with _parsed(text) as module:
        return _emit(module, target, Tuning(_GLUE), exported, _OBJECT)
