"""`tdslc ops`: the builtins, out of the one table that defines them."""

from __future__ import annotations

import difflib
from itertools import groupby
from typing import Annotated

import typer
from rich.text import Text

from tdsl.cli.options import ColourOption, ErrorFormatOption
from tdsl.cli.output import Colour, CommandError, ErrorFormat, Output, guarded
from tdsl.ops.builtins import BUILTINS
from tdsl.ops.table import Builtin
from tdsl.syntax import ast
from tdsl.syntax.parser import parse
from tdsl.syntax.resources import standard_library
from tdsl.syntax.source import Source


def _complete(incomplete: str) -> list[str]:
    return [name for name in BUILTINS if name.startswith(incomplete)]


def ops(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A builtin or an operator.", autocompletion=_complete),
    ] = None,
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """List the builtins, or show one with its meaning and an example."""
    output = Output.make(error_format, colour)
    with guarded(output):
        if name is not None:
            found = [b for b in BUILTINS.values() if name in (b.name, b.operator)]
            if not found and (function := _in_library(name)) is not None:
                _show_function(output, *function)
                return
            if not found:
                near = difflib.get_close_matches(name, BUILTINS, 1)
                hint = f"did you mean `{near[0]}`?" if near else "`tdslc ops` lists them"
                raise CommandError(f"there is no builtin `{name}`", hint)
            for builtin in found:
                _show(output, builtin)
            return
        width = max(len(b.name) for b in BUILTINS.values())
        families = groupby(
            sorted(BUILTINS.values(), key=lambda b: b.family), key=lambda b: b.family
        )
        for family, members in families:
            output.results.print(Text(family, style="bold"))
            for builtin in members:
                sign = builtin.operator or ""
                output.results.print(
                    Text.assemble(
                        f"  {builtin.name:<{width}}  {sign:<4}",
                        f" {builtin.doc.strip().splitlines()[0]}",
                    )
                )


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


def _show(output: Output, builtin: Builtin) -> None:
    show = output.results.print
    show(Text(builtin.signature.strip(), style="bold"))
    if builtin.operator:
        show(Text(f"written as the operator `{builtin.operator}`"))
    show(Text(f"\n{builtin.doc.strip()}\n"))
    show(Text("Example:", style="bold"))
    show(Text("".join(f"    {line}\n" for line in builtin.example.strip().splitlines())))
