"""`tdslc doc`: a module's documentation in Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tdsl.check.module_page import module_page
from tdsl.cli.options import ColourOption, ErrorFormatOption, checked, require_file
from tdsl.cli.output import Colour, CommandError, ErrorFormat, Output, guarded, write_result
from tdsl.syntax.resources import standard_library


def doc(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The module.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="PATH", help="Write there.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Take in what is not `pub`.")] = False,
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Write a module's documentation: signatures with their sizes, docs, examples, tests."""
    output = Output.make(error_format, colour)
    with guarded(output):
        require_file(file)
        program = checked(output, file)
        text = module_page(program, title=_library_name(file), private=private)
        if not private and "\n## " not in text:
            output.note(f"nothing in {file} is `pub`; --private shows all of it")
        if out is None:
            write_result(text)
            return
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"cannot write {out}: {error.strerror}") from None


def _library_name(file: Path) -> str:
    """`std.nn` for the library's own files; "" for others."""
    folder = standard_library()
    inside = isinstance(folder, Path) and folder.resolve() == file.resolve().parent
    return f"std.{file.stem}" if inside else ""
