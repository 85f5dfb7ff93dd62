"""`tdslc fmt`: write programs in their canonical layout."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tdsl.cli.options import ColourOption, ErrorFormatOption, require_file
from tdsl.cli.output import (
    WRONG_PROGRAM,
    Colour,
    CommandError,
    ErrorFormat,
    Output,
    guarded,
    write_result,
)
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError
from tdsl.syntax.format import format_source
from tdsl.syntax.reading import decode_source

_STDIN = Path("-")


@dataclass(frozen=True)
class _Formatted:
    path: Path
    before: str
    after: str

    @property
    def changed(self) -> bool:
        return self.before != self.after


def fmt(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="The programs; `-` reads stdin, writes to stdout."),
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="Change nothing; list what would change and exit with 1."),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Like --check, with the changes as a unified diff.")
    ] = False,
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Format programs in place: one layout, comments and meaning kept."""
    output = Output.make(error_format, colour)
    with guarded(output):
        for file in files:
            if file != _STDIN:
                require_file(file)  # a wrong command line is said before any file is changed
        errors: list[Diagnostic] = []
        done: list[_Formatted] = []
        with output.progress("formatting"):
            for file in dict.fromkeys(files):
                try:
                    formatted = _format(file)
                except DiagnosticError as error:
                    errors += error.diagnostics
                    continue
                done.append(formatted)
                if check or diff:
                    continue
                if file == _STDIN:
                    write_result(formatted.after)
                elif formatted.changed:
                    _replace(file, formatted.after)
        changed = [formatted for formatted in done if formatted.changed]
        if check or diff:
            for formatted in changed:
                write_result(_diff(formatted) if diff else f"{_name(formatted.path)}\n")
        output.diagnostics(errors)
        if files != [_STDIN]:
            output.note(_summary(len(changed), len(done) - len(changed), check or diff))
        if errors or ((check or diff) and changed):
            raise typer.Exit(WRONG_PROGRAM)


def _format(path: Path) -> _Formatted:
    try:
        data = sys.stdin.buffer.read() if path == _STDIN else path.read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    source = decode_source(data, _name(path))
    return _Formatted(path, source.text, format_source(source))


def _name(path: Path) -> str:
    return "<stdin>" if path == _STDIN else str(path)


def _replace(path: Path, text: str) -> None:
    """Put a new text in place of the old in one step, so that a file is never half written."""
    target = path.resolve()  # a link stays one
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(0, "it is write-protected")
        mode = target.stat().st_mode
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
            os.chmod(temporary, mode & 0o7777)
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def _diff(formatted: _Formatted) -> str:
    lines = difflib.unified_diff(
        formatted.before.splitlines(keepends=True),
        formatted.after.splitlines(keepends=True),
        f"{_name(formatted.path)} (as it is)",
        f"{_name(formatted.path)} (formatted)",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _summary(changed: int, same: int, only_check: bool) -> str:
    verb = "would change" if only_check else "formatted"
    parts = [_files(changed) + f" {verb}"] if changed else []
    if same or not parts:
        parts.append(f"{_files(same)} {'is' if same == 1 else 'are'} in form already")
    return ", ".join(parts)


def _files(count: int) -> str:
    return f"{count} file{'s' * (count != 1)}"
