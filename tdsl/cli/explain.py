"""`tdslc explain`: what a diagnostic's code means, with a wrong and a right program."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer
from rich.text import Text

from tdsl.check.error_page import error_page
from tdsl.cli.options import ColourOption, ErrorFormatOption
from tdsl.cli.output import Colour, CommandError, ErrorFormat, Output, guarded, write_result
from tdsl.syntax.codes import CODES


def _complete(incomplete: str) -> list[str]:
    return [code for code in CODES if code.startswith(incomplete.upper())]


def explain(
    code: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help="As in `error[E0302]`.", autocompletion=_complete),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="All of them, as docs/errors.md has it.")
    ] = False,
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Explain a diagnostic's code; without one, list all codes."""
    output = Output.make(error_format, colour)
    with guarded(output):
        if markdown:
            write_result(error_page())
            return
        if code is None:
            for entry in CODES.values():
                output.results.print(Text.assemble((entry.code, "bold"), f"  {entry.title}"))
            return
        wanted = code.strip("[]").upper()
        found = CODES.get(wanted)
        if found is None:
            near = difflib.get_close_matches(wanted, CODES, 1)
            raise CommandError(
                f"there is no code `{code}`",
                f"did you mean {near[0]}?" if near else "`tdslc explain` lists all codes",
            )
        show = output.results.print
        show(Text.assemble((found.code, "bold"), f": {found.title}\n"))
        if found.explanation:
            show(Text(found.explanation.strip() + "\n"))
        for title, text in (("Wrong", found.wrong), ("Right", found.right)):
            if text:
                show(Text(f"{title}:\n", style="bold"))
                show(Text("".join(f"    {line}\n" for line in text.strip("\n").splitlines())))
