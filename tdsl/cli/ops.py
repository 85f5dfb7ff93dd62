"""`tdslc ops`: the builtins, out of the one table that defines them."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer
from rich.text import Text

from tdsl.check.lookup import HABITS
from tdsl.cli.options import ColourOption, ErrorFormatOption
from tdsl.cli.output import Colour, CommandError, ErrorFormat, Output, guarded, write_result
from tdsl.ops.builtins import BUILTINS
from tdsl.ops.page import ROWS, Row, builtins_page, by_family, headline, sign, written
from tdsl.syntax import ast
from tdsl.syntax.parser import parse
from tdsl.syntax.resources import standard_library
from tdsl.syntax.source import Source


def _complete(incomplete: str) -> list[str]:
    return [written(row) for row in ROWS if written(row).startswith(incomplete)]


def ops(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A builtin or an operator.", autocompletion=_complete),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The whole reference, as docs/builtins.md has it.")
    ] = False,
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """List the builtins, or show one with its meaning and an example."""
    output = Output.make(error_format, colour)
    with guarded(output):
        if markdown:
            write_result(builtins_page())
            return
        if name is not None:
            found = [row for row in ROWS if name in (written(row), sign(row))]
            if not found and (function := _in_library(name)) is not None:
                _show_function(output, *function)
                return
            if not found and name in BUILTINS:
                operator = BUILTINS[name].operator
                raise CommandError(
                    f"there is no builtin `{name}`", f"it is written as the operator `{operator}`"
                )
            if not found:
                if name in HABITS:
                    instead, remark = HABITS[name]
                    raise CommandError(
                        f"there is no builtin `{name}`", remark or f"in TDSL it is `{instead}`"
                    )
                near = difflib.get_close_matches(name, map(written, ROWS), 1)
                hint = f"did you mean `{near[0]}`?" if near else "`tdslc ops` lists them"
                raise CommandError(f"there is no builtin `{name}`", hint)
            for row in found:
                _show(output, row)
            return
        width = max(len(written(row)) for row in ROWS)
        for family, members in by_family():
            output.results.print(Text(family, style="bold"))
            for row in members:
                first = row.doc.strip().splitlines()[0]
                output.results.print(Text(f"  {written(row):<{width}}  {first}"))


def _in_library(name: str) -> tuple[str, ast.Function] | None:
    """The public function of the standard library that is called so, and its module."""
    for file in sorted(standard_library().iterdir(), key=lambda file: file.name):
        if file.name.endswith(".tdsl"):
            module = f"std.{file.name.removesuffix('.tdsl')}"
            tree = parse(Source(f"<{module}>", file.read_text(encoding="utf-8")))
            for item in tree.items:
                if isinstance(item, ast.Function) and item.public and item.name.text == name:
                    return module, item
    return None


def _show_function(output: Output, module: str, function: ast.Function) -> None:
    name = function.name
    text = name.span.source.text[name.span.start : function.signature_end]
    output.results.print(Text(" ".join(text.split()), style="bold"))
    output.results.print(Text("\n" + "\n".join(function.docs) + "\n"))
    output.results.print(Text(f"a function of the library: from {module} import {name.text}"))


def _show(output: Output, row: Row) -> None:
    show = output.results.print
    show(Text(headline(row), style="bold"))
    if sign(row) and written(row) != sign(row):
        show(Text(f"also written as the operator `{sign(row)}`"))
    show(Text(f"\n{row.doc.strip()}\n"))
    show(Text("Example:", style="bold"))
    show(Text("".join(f"    {line}\n" for line in row.example.strip().splitlines())))
