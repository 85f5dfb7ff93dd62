"""Loading object bytes into this process; needs libLLVM only, not MLIR."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Mapping
from ctypes import byref, c_uint64, c_void_p

from tdsl.engine.libraries import (
    ErrorReporter,
    LLVMError,
    SymbolPair,
    check,
    error_text,
    llvm,
)

_EXPORTED, _CALLABLE = 1, 4


class Loaded:
    """An object file linked into the process. Its addresses are valid while this is alive.

    Each object has a JIT of its own: names of two objects never meet, and dropping the last
    reference unloads the code.
    """

    def __init__(self, data: bytes, symbols: Mapping[str, int] | None = None) -> None:
        library = llvm()
        handle = c_void_p()
        self._jit: int | None = None
        self._lock = threading.Lock()
        self._reports: list[str] = []
        check(library.LLVMOrcCreateLLJIT(byref(handle), None), "creating the JIT")
        self._jit = handle.value
        try:
            self._prepare(symbols or {})
            buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), b"tdsl")
            dylib = library.LLVMOrcLLJITGetMainJITDylib(self._jit)
            # The JIT owns the buffer from here on, also when it reports an error.
            error = library.LLVMOrcLLJITAddObjectFile(self._jit, dylib, buffer)
            check(error, "loading an object file")
        except BaseException:
            self._dispose()
            raise

    def _prepare(self, symbols: Mapping[str, int]) -> None:
        library = llvm()
        dylib = library.LLVMOrcLLJITGetMainJITDylib(self._jit)

        def report(_: int | None, error: int) -> None:
            self._reports.append(error_text(error))

        # Without a reporter the name of a missing symbol goes to stderr only. The callback object
        # must live as long as the session.
        self._reporter = ErrorReporter(report)
        session = library.LLVMOrcLLJITGetExecutionSession(self._jit)
        library.LLVMOrcExecutionSessionSetErrorReporter(session, self._reporter, None)
        if symbols:
            pairs = (SymbolPair * len(symbols))()
            for pair, (name, address) in zip(pairs, symbols.items(), strict=True):
                pair.name = library.LLVMOrcLLJITMangleAndIntern(self._jit, name.encode())
                pair.address = address
                pair.generic_flags = _EXPORTED | _CALLABLE
            unit = library.LLVMOrcAbsoluteSymbols(pairs, len(symbols))
            check(library.LLVMOrcJITDylibDefine(dylib, unit), "defining symbols")
        # libc and libm: what the process itself exports.
        generator = c_void_p()
        error = library.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
            byref(generator), library.LLVMOrcLLJITGetGlobalPrefix(self._jit), None, None
        )
        check(error, "reading the symbols of the process")
        library.LLVMOrcJITDylibAddGenerator(dylib, generator)

    def address(self, name: str) -> int:
        """The address of an exported function; links the object on first use."""
        with self._lock:
            if self._jit is None:
                raise LLVMError(f"looking up {name}: the object was unloaded")
            self._reports.clear()
            found = c_uint64()
            error = llvm().LLVMOrcLLJITLookup(self._jit, byref(found), name.encode())
            if error:
                text = [error_text(error), *self._reports]
                raise LLVMError(f"looking up {name}: {'; '.join(text)}")
            return found.value

    def entry(self, name: str) -> ctypes._CFunctionType:
        """The function `i32 name(ptr data, ptr sizes)`; calling it releases the GIL."""
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, c_void_p, c_void_p)
        function = prototype(self.address(name))
        function._loaded = self  # type: ignore[attr-defined]  # the code must outlive the handle
        return function

    def _dispose(self) -> None:
        if self._jit is not None:
            jit, self._jit = self._jit, None
            check(llvm().LLVMOrcDisposeLLJIT(jit), "unloading an object file")

    def __del__(self) -> None:
        # A process that is shutting down keeps the code: other modules may be gone already.
        if sys is not None and not sys.is_finalizing():
            self._dispose()


def load(data: bytes, symbols: Mapping[str, int] | None = None) -> Loaded:
    """Link object bytes; `symbols` gives addresses that the process does not export."""
    return Loaded(data, symbols)
