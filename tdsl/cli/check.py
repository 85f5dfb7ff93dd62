"""`tdslc check`: every diagnostic of some files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tdsl.cli.options import ColourOption, ErrorFormatOption, check_readable, require_file
from tdsl.cli.output import WRONG_PROGRAM, Colour, ErrorFormat, Output, guarded
from tdsl.syntax.diagnostics import Diagnostic


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="The programs to check.")],
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Check programs for every size at once and show all their errors and warnings."""
    output = Output.make(error_format, colour)
    with guarded(output):
        for file in files:
            require_file(file)  # a wrong command line is said before any work is done
        found: list[Diagnostic] = []
        with output.progress("checking"):
            for file in files:
                # A file that several of the others import is reported once.
                found += [d for d in check_readable(file).diagnostics if not _said(d, found)]
        output.diagnostics(found)
        if any(diagnostic.severity == "error" for diagnostic in found):
            raise typer.Exit(WRONG_PROGRAM)
        if not found:
            count = f"{len(files)} files" if len(files) > 1 else str(files[0])
            output.note(f"{count}: no errors")


def _said(diagnostic: Diagnostic, found: list[Diagnostic]) -> bool:
    span = diagnostic.span

    def place(other: Diagnostic) -> tuple[str, str, int, int]:
        return other.code, other.span.source.name, other.span.start, other.span.end

    return any(
        place(other) == (diagnostic.code, span.source.name, span.start, span.end) for other in found
    )
