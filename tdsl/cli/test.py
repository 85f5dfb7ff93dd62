"""`tdslc test`: run a module's tests in the evaluator and, compiled, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tdsl.cli.options import (
    ColourOption,
    ErrorFormatOption,
    KernelsOption,
    checked,
    parse_kernels,
    require_file,
)
from tdsl.cli.output import WRONG_PROGRAM, Colour, ErrorFormat, Output, guarded
from tdsl.runtime.testing import Verdict, run_tests


def run_all(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="The programs to test.")],
    name: Annotated[
        str | None, typer.Option("--only", metavar="TEXT", help="Tests whose name contains this.")
    ] = None,
    kernels: KernelsOption = "all",
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Run the tests in programs, each in the evaluator and as native code."""
    output = Output.make(error_format, colour)
    with guarded(output):
        kernels = parse_kernels(kernels)
        for file in files:
            require_file(file)
        verdicts: list[Verdict] = []
        for file in files:
            program = checked(output, file)
            with output.progress(f"testing {file.name}"):
                found = run_tests(program, kernels, name)
            for verdict in found:
                _show(output, verdict)
            verdicts += found
        failed = [verdict for verdict in verdicts if not verdict.passed]
        output.diagnostics(diagnostic for verdict in failed for diagnostic in verdict.diagnostics)
        if not verdicts:
            output.note("there is no test" + (f" whose name contains {name!r}" if name else ""))
            return
        passed = len(verdicts) - len(failed)
        output.results.print(Text(f"{passed} passed" + (f", {len(failed)} failed" * bool(failed))))
        if failed:
            raise typer.Exit(WRONG_PROGRAM)


def _show(output: Output, verdict: Verdict) -> None:
    word, style = ("ok    ", "green") if verdict.passed else ("FAILED", "bold red")
    ways = ", ".join(verdict.ways)
    output.results.print(Text.assemble((word, style), f"  {verdict.name}  ({ways})"))
