"""The compile worker's process: `python -m tdsl.cpu.serve` answers requests on its input."""

from __future__ import annotations

import os
import sys
from typing import IO

from tdsl.cpu.compiler import compile_text
from tdsl.engine.framing import pack, unpack
from tdsl.engine.llvm import Target
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options


def _limit() -> None:
    """A crash is expected here and leaves no core file."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until the input ends."""

    def read(count: int) -> bytes:
        data = requests.read(count)
        if len(data) < count:
            raise EOFError
        return data

    while True:
        try:
            header, text = unpack(read)
        except EOFError:
            return
        try:
            interface, target = header["interface"], header["target"]
            compiled = compile_text(
                text.decode(),
                Options.from_data(header["options"]),
                Interface.from_data(interface) if interface is not None else None,
                Target(**target) if target is not None else None,
            )
            answer = pack({}, compiled.to_bytes())
        except Exception as error:  # the other process decides what becomes of it
            answer = pack({"error": f"{type(error).__name__}: {error}"})
        answers.write(answer)
        answers.flush()


def main() -> None:
    _limit()
    # Whatever LLVM prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
