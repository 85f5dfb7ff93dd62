"""What the command line says, and the exit code that every failure ends in."""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum

import typer
from rich.console import Console
from rich.text import Text

import tdsl
from tdsl.errors import CallError, CompileError, TargetError
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError
from tdsl.syntax.render import render_json, render_text

FINE, WRONG_PROGRAM, WRONG_COMMAND, FAULT = 0, 1, 2, 3
INTERRUPTED, PIPE_CLOSED = 130, 141
ISSUES = "the project's issue tracker"


class ErrorFormat(StrEnum):
    text = "text"
    json = "json"


class Colour(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


# Of what is no file that we opened ourselves: standard output.
_NOT_WRITTEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


class CommandError(Exception):
    """The command line asks for what there is not. `hint` says what to write instead; with
    `diagnostics` the message has their code, and tools get them as JSON."""

    def __init__(
        self, message: str, hint: str = "", diagnostics: Iterable[Diagnostic] = ()
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.diagnostics = tuple(diagnostics)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # handled with all other failures, below


@dataclass(frozen=True)
class Output:
    """Where messages go: all to stderr, so that stdout holds nothing but what was asked for."""

    console: Console
    results: Console
    error_format: ErrorFormat
    # With --error-format=json everything is one object, written at the end.
    collected: list[Diagnostic] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)

    @property
    def as_json(self) -> bool:
        return self.error_format is ErrorFormat.json

    @staticmethod
    def make(error_format: ErrorFormat, colour: Colour) -> Output:
        forced = {Colour.always: True, Colour.never: False, Colour.auto: None}[colour]
        no_colour = True if colour is Colour.never else None

        def console(stderr: bool) -> Console:
            return _Console(
                stderr=stderr,
                force_terminal=forced,
                no_color=no_colour,
                highlight=False,
                soft_wrap=True,
                emoji=False,
            )

        return Output(console(True), console(False), error_format)

    @property
    def coloured(self) -> bool:
        return self.console.color_system is not None and not self.console.no_color

    def diagnostics(self, found: Iterable[Diagnostic]) -> None:
        found = tuple(found)
        if self.as_json:
            self.collected.extend(found)
            return
        for diagnostic in found:
            self._raw(render_text(diagnostic, self.coloured) + "\n\n")
        if found:
            self._raw(f"{summary(found)}\n")

    def error(self, message: str, hint: str = "", code: str = "") -> None:
        if self.as_json:
            self.failures.append({"message": message, "help": hint, "code": code})
            return
        self._say(f"error[{code}]" if code else "error", "bold red", message)
        if hint:
            self._say("help", "bold cyan", hint)

    def warning(self, message: str) -> None:
        if not self.as_json:
            self._say("warning", "bold yellow", message)

    def note(self, message: str) -> None:
        if not self.as_json:
            self._say("note", "bold", message)

    def finish(self) -> None:
        """Write the JSON object: the diagnostics, and failures that have no place in a source."""
        if self.as_json:
            data = json.loads(render_json(self.collected))
            if self.failures:
                data["failures"] = self.failures
            self._raw(json.dumps(data, indent=2) + "\n")

    def _say(self, word: str, style: str, message: str) -> None:
        self.console.print(Text.assemble((word, style), f": {message}"))

    def _raw(self, text: str) -> None:
        stream = self.console.file
        stream.write(text)
        stream.flush()

    @contextmanager
    def progress(self, what: str, after: float = 1.0) -> Iterator[None]:
        """A spinner, if this takes more than a second and somebody watches."""
        if not self.console.is_terminal or self.as_json:
            yield
            return
        status = self.console.status(f"{what} …")
        timer = threading.Timer(after, status.start)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            status.stop()


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`"""
    parts = []
    found = list(diagnostics)
    for severity in ("error", "warning"):
        count = sum(diagnostic.severity == severity for diagnostic in found)
        if count:
            parts.append(f"{count} {severity}{'s' * (count > 1)}")
    return ", ".join(parts)


def write_result(text: str) -> None:
    """Text on stdout as it is: no wrapping, no markup."""
    sys.stdout.write(text)
    sys.stdout.flush()


@contextmanager
def guarded(output: Output) -> Iterator[None]:
    """Turn every way that a command can fail into a message and an exit code."""
    try:
        yield
    except typer.Exit:
        raise
    except (DiagnosticError, CompileError) as error:
        output.diagnostics(error.diagnostics)
        raise typer.Exit(WRONG_PROGRAM) from None
    except CommandError as error:
        if output.as_json and error.diagnostics:
            output.diagnostics(error.diagnostics)
        else:
            code = error.diagnostics[0].code if error.diagnostics else ""
            output.error(str(error), error.hint, code)
        raise typer.Exit(WRONG_COMMAND) from None
    except CallError as error:
        if output.as_json and error.diagnostics:
            output.diagnostics(error.diagnostics)
        else:
            output.error(str(error).removeprefix(f"[{error.code}] "), code=error.code)
        raise typer.Exit(WRONG_COMMAND) from None
    except TargetError as error:
        output.error(str(error).removeprefix(f"[{error.code}] "), code=error.code)
        raise typer.Exit(WRONG_COMMAND) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _silence_stdout()
        raise typer.Exit(PIPE_CLOSED) from None
    except OSError as error:
        raise typer.Exit(system_failure(output, error)) from None
    except MemoryError as error:
        output.error(str(error) or "not enough memory")
        raise typer.Exit(WRONG_PROGRAM) from None
    except Exception as error:
        report_fault(output, error)
        raise typer.Exit(FAULT) from None
    finally:
        output.finish()


def system_failure(output: Output, error: OSError) -> int:
    """The exit code of a failure of the operating system that nothing else has dealt with."""
    if error.filename is not None or error.errno not in _NOT_WRITTEN:
        report_fault(output, error)
        return FAULT
    _silence_stdout()
    output.error(f"cannot write the output: {error.strerror}")
    return WRONG_COMMAND


def _silence_stdout() -> None:
    """Whoever read our output is gone; Python must not try to flush the rest at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def report_fault(output: Output, error: BaseException) -> None:
    """An internal fault: what it is, where the details are, what to do."""
    text = "".join(traceback.format_exception(error))
    if os.environ.get("TDSL_DEBUG") == "1":
        output._raw(text)
    first = (str(error).strip().splitlines() or [""])[0]
    output.error(f"internal fault: {type(error).__name__}: {first}")
    try:
        handle, path = tempfile.mkstemp(prefix="tdsl-fault-", suffix=".txt", text=True)
        with os.fdopen(handle, "w", errors="backslashreplace") as file:
            file.write(
                f"tdsl {tdsl.__version__}, Python {platform.python_version()},"
                f" {platform.platform()}\n{' '.join(sys.argv)}\n\n{text}"
            )
        where = f"the details are in {path}; please send that file and the program to {ISSUES}"
    except OSError:
        where = f"set TDSL_DEBUG=1 to see the details, and please send them to {ISSUES}"
    output.note(f"this is a mistake in TDSL, not in your program; {where}")
