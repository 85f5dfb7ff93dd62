"""`tdslc`: the commands, and `tdslc FILE` for `tdslc emit FILE`."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

import tdsl
from tdsl.cli import cache, check, doc, emit, explain, fmt, ops, run, test
from tdsl.cli.output import (
    FAULT,
    INTERRUPTED,
    WRONG_COMMAND,
    Colour,
    ErrorFormat,
    Output,
    report_fault,
    system_failure,
)
from tdsl.cli.usage import is_usage_error, report_usage

COMMANDS = ("emit", "check", "test", "run", "fmt", "doc", "ops", "explain", "cache")
_OWN_OPTIONS = ("--help", "-h", "--version", "--install-completion", "--show-completion")

app = typer.Typer(
    name="tdslc",
    help="The TDSL compiler. `tdslc FILE --emit=STAGE` shows a program at a stage of compilation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("emit")(emit.emit)
app.command("check")(check.check)
app.command("test")(test.run_all)
app.command("run")(run.run)
app.command("fmt")(fmt.fmt)
app.command("doc")(doc.doc)
app.command("ops")(ops.ops)
app.command("explain")(explain.explain)
app.command("cache")(cache.cache)


def _version(asked: bool) -> None:
    if asked:
        print(f"tdslc {tdsl.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """The TDSL compiler. `tdslc FILE --emit=STAGE` is short for `tdslc emit FILE --emit=STAGE`."""


def with_command(arguments: Sequence[str]) -> list[str]:
    """What is no command is a file to emit: `tdslc model.tdsl --emit=mlir`."""
    if not arguments or arguments[0] in COMMANDS or arguments[0] in _OWN_OPTIONS:
        return list(arguments)
    return ["emit", *arguments]


def _misspelt(word: str) -> str | None:
    """The command that was meant, where a word is neither a command nor a file."""
    if word.startswith("-") or Path(word).suffix or Path(word).exists():
        return None
    near = difflib.get_close_matches(word, COMMANDS, 1)
    return near[0] if near else None


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line. Every way out is an exit code, see output.py."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character must not turn a message into a traceback.
            stream.reconfigure(errors="backslashreplace")
    given = with_command(sys.argv[1:] if arguments is None else arguments)
    output = Output.make(ErrorFormat.text, Colour.auto)
    if given[:1] == ["emit"] and len(given) > 1 and (meant := _misspelt(given[1])):
        output.error(
            f"there is no command and no file `{given[1]}`", f"did you mean `tdslc {meant}`?"
        )
        sys.exit(WRONG_COMMAND)
    try:
        with warnings.catch_warnings():
            # Where in this package, or in typer, a warning comes from helps nobody here.
            warnings.showwarning = lambda message, *_, **__: output.warning(str(message))
            code = app(args=given, prog_name="tdslc", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except OSError as error:
        sys.exit(system_failure(output, error))
    except Exception as error:
        if is_usage_error(error):
            sys.exit(report_usage(output, error))
        report_fault(output, error)
        sys.exit(FAULT)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
