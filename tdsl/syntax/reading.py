"""Read a source file; bytes that are no text are a diagnostic with a position."""

from __future__ import annotations

from pathlib import Path

from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Label
from tdsl.syntax.source import Source

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_source(path: Path | str, name: str | None = None) -> Source:
    """The file's text under the name that diagnostics show, by default the path as given.

    Raises OSError if the file cannot be read, DiagnosticError (E0116) if it is not UTF-8.
    """
    return decode_source(Path(path).read_bytes(), str(path) if name is None else name)


def decode_source(data: bytes, name: str) -> Source:
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        source = Source(name, data.decode("utf-8", errors="replace"))
        # What stands before the first bad byte is whole.
        offset = len(data[: error.start].decode("utf-8"))
        bad = " ".join(f"{byte:02x}" for byte in data[error.start : error.end])
        note = "TDSL sources are UTF-8"
        if data.startswith(_UTF_16):
            note += "; this file looks like UTF-16"
        raise DiagnosticError(
            [
                Diagnostic(
                    "E0116",
                    f"the byte {error.start} of this file is not UTF-8 text",
                    (Label(source.span(offset, offset + 1), f"found {bad} (hexadecimal)"),),
                    notes=(note,),
                )
            ]
        ) from None
