"""Compiling in another process, where an abort of LLVM or a hang ends nothing but that process."""

from __future__ import annotations

import atexit
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from typing import IO, Any

from msgspec.structs import asdict

from tdsl.engine.framing import pack, unpack
from tdsl.engine.libraries import LLVMError
from tdsl.engine.llvm import Target
from tdsl.engine.object import CompiledObject
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options

SERVER = "tdsl.cpu.serve"
"""The module that the worker process runs."""

_TIMEOUT = 120.0  # seconds for one compilation


class CompilerCrash(RuntimeError):
    """The compiler aborted or did not answer in time; `module` is the file with what it was given."""

    def __init__(self, reason: str, module: Path) -> None:
        self.reason, self.module = reason, module
        super().__init__(f"the compiler crashed: {reason}\nthe module given to it: {module}")


class Worker:
    """A process that compiles one module after another; started when needed, and again after a
    crash. May be used from many threads, one at a time."""

    def __init__(self, timeout: float = _TIMEOUT, server: str = SERVER) -> None:
        self._timeout, self._server = timeout, server
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._owner = os.getpid()

    def compile(
        self,
        text: str,
        options: Options,
        interface: Interface | None,
        target: Target | None = None,
    ) -> CompiledObject:
        """What tdsl.cpu.compiler.compile_text gives for these."""
        header = {
            "options": options.to_data(),
            "interface": interface.to_data() if interface is not None else None,
            "target": asdict(target) if target is not None else None,
        }
        request = pack(header, text.encode())
        if self._owner != os.getpid():
            # After a fork the process belongs to the parent, and so may whoever holds the lock.
            self._lock, self._process, self._owner = threading.Lock(), None, os.getpid()
        with self._lock:
            process = self._running()
            try:
                header, payload = self._ask(process, request)
            except (EOFError, BrokenPipeError, TimeoutError) as error:
                raise self._crash(process, text, isinstance(error, TimeoutError)) from None
        if "error" in header:
            raise LLVMError(header["error"])
        return CompiledObject.from_bytes(payload)

    def close(self) -> None:
        """End the process."""
        if self._owner != os.getpid():
            return  # after a fork it is the parent's, and nobody here may hold the lock
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
            self._forget()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._forget()
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the process)
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._server],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._process

    def _ask(
        self, process: subprocess.Popen[bytes], request: bytes
    ) -> tuple[dict[str, Any], bytes]:
        assert process.stdin is not None
        assert process.stdout is not None
        remaining = memoryview(request)
        while remaining:
            remaining = remaining[process.stdin.write(remaining) or 0 :]
        end = time.monotonic() + self._timeout
        output = process.stdout

        def read(count: int) -> bytes:
            data = bytearray()
            while len(data) < count:
                ready, _, _ = select.select([output], [], [], max(0.0, end - time.monotonic()))
                if not ready:
                    raise TimeoutError
                part = output.read(count - len(data))
                if not part:
                    raise EOFError
                data += part
            return bytes(data)

        return unpack(read)

    def _crash(self, process: subprocess.Popen[bytes], text: str, late: bool) -> CompilerCrash:
        process.kill() if late else None
        status = process.wait()
        said = ""
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").splitlines()
            telling = [line for line in lines if "ssertion" in line or "LLVM ERROR" in line]
            said = (telling or [line for line in lines if line.strip()][-1:] or [""])[0].strip()
        self._forget()
        if late:
            reason = f"no answer within {self._timeout:g} seconds"
        elif status < 0:
            reason = f"{signal.Signals(-status).name}: {said or 'no message'}"
        else:
            reason = f"exit status {status}: {said or 'no message'}"
        folder = Path(tempfile.mkdtemp(prefix="tdsl-"))
        file = folder / "crash.mlir"
        file.write_text(text)
        return CompilerCrash(reason, file)

    def _forget(self) -> None:
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._errors is not None:
            self._errors.close()
        self._process = self._errors = None


@cache
def _shared_worker() -> Worker:
    worker = Worker()
    atexit.register(worker.close)
    return worker


def compile_isolated(
    text: str,
    options: Options,
    interface: Interface | None = None,
    target: Target | None = None,
) -> CompiledObject:
    """Compile in this process's worker: TDSL_COMPILE=isolated."""
    return _shared_worker().compile(text, options, interface, target)
