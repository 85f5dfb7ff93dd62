"""`tdslc cache`: what is kept of compiled functions, and where."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from tdsl.cli.options import ColourOption, ErrorFormatOption
from tdsl.cli.output import Colour, ErrorFormat, Output, guarded, write_result
from tdsl.runtime.cache import Cache, code_folder, open_cache


class Action(StrEnum):
    ls = "ls"
    clear = "clear"
    path = "path"


def cache(
    action: Annotated[
        Action,
        typer.Argument(help="`ls` lists, `clear` deletes compiled functions; `path` is where."),
    ] = Action.ls,
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Show or delete what is kept of compiled functions.

    TDSL_CACHE_DIR says where, TDSL_CACHE_SIZE how much (1G where it is not set); TDSL_CACHE=0 keeps
    nothing.
    """
    output = Output.make(error_format, colour)
    with guarded(output):
        match action:
            case Action.path:
                write_result(f"{code_folder()}\n")
            case Action.clear:
                count = Cache(code_folder()).clear()
                output.note(f"deleted {count} {'entry' if count == 1 else 'entries'}")
            case Action.ls:
                _list(output)


def _list(output: Output) -> None:
    store = open_cache()
    if store is None:
        output.note("nothing is kept: TDSL_CACHE is 0")
        return
    entries = store.entries()
    show = output.results.print
    for entry in entries:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
        show(Text.assemble((f"{size(entry.bytes):>8}", "bold"), f"  {used}  {entry.label}"))
    total = sum(entry.bytes for entry in entries)
    count = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
    output.note(f"{count}, {size(total)} of {size(store.most_bytes)} in {store.folder}")


def size(count: int) -> str:
    """A number of bytes for people."""
    value, units = float(count), ["B", "KB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{value:.0f} {units[0]}" if units[0] == "B" else f"{value:.1f} {units[0]}"
