"""Options that several subcommands share, and what users write in them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tdsl.check import typed
from tdsl.check.checked import CheckResult
from tdsl.check.modules import check_file
from tdsl.cli.output import Colour, CommandError, ErrorFormat, Output
from tdsl.errors import TargetError
from tdsl.lowering.device import TARGETS
from tdsl.lowering.options import Bounds, KernelsError, Precision
from tdsl.runtime.build import check_kernels
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Label


def _complete_target(incomplete: str) -> list[tuple[str, str]]:
    return [(name, what) for name, what in TARGETS.items() if name.startswith(incomplete)]


ErrorFormatOption = Annotated[
    ErrorFormat, typer.Option("--error-format", help="How diagnostics are written to stderr.")
]
ColourOption = Annotated[
    Colour, typer.Option("--colour", "--color", help="Colour messages; NO_COLOR is respected.")
]
FunctionOption = Annotated[
    str | None, typer.Option("--fn", metavar="NAME", help="The function, by its name.")
]
BindOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bind",
        metavar="NAME=VALUE,…",
        help="Fix sizes, statics and dtypes: `M=2,K=3,E=f32,S=[2,3]`.",
    ),
]
KernelsOption = Annotated[
    str,
    typer.Option(
        "--kernels",
        metavar="all|none|KIND[:KERNEL],…",
        help="Which kernels may take over operations: `matmul:blas`.",
    ),
]
TargetOption = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="What code is made for.  "
        + "  ".join(f"[bold]{name}[/]: {meaning}." for name, meaning in TARGETS.items()),
        autocompletion=_complete_target,
    ),
]
PrecisionOption = Annotated[
    Precision,
    typer.Option(
        "--precision",
        help="What a GPU may round operands of f32 matrix products to, for its tensor cores.",
    ),
]
BoundsOption = Annotated[
    Bounds,
    typer.Option(
        "--bounds",
        help="What happens to an index, known only at run time, outside of its array: an"
        " IndexError, or the nearest one inside.",
    ),
]

Value = int | float | bool | str | tuple[int, ...]
_BINDING = re.compile(r"\s*(\w+)\s*=\s*(\[[^\]]*\]|\([^)]*\)|[^,\s]+)\s*(?:,|$)")


def parse_bindings(texts: list[str] | None) -> dict[str, Value]:
    """`M=2,K=3,E=f32,heads=2,S=[2,3]` as names and values."""
    found: dict[str, Value] = {}
    for text in texts or ():
        position = 0
        while position < len(text):
            match = _BINDING.match(text, position)
            if match is None:
                raise CommandError(
                    f"--bind {text}: cannot read `{text[position:]}`",
                    "write NAME=VALUE with commas between: `--bind M=2,E=f32,S=[2,3]`",
                )
            name, value = match[1], match[2]
            if name in found:
                raise CommandError(f"--bind gives `{name}` twice")
            found[name] = _value(text, name, value)
            position = match.end()
    return found


def _value(text: str, name: str, value: str) -> Value:
    if value in ("true", "false"):
        return value == "true"
    try:
        if value[0] in "[(":
            items = [item.strip() for item in value[1:-1].split(",")]
            return tuple(int(item) for item in items if item)
        if re.fullmatch(r"[+-]?\d+", value):
            return int(value)
        if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", value):
            return float(value)
    except ValueError:
        raise CommandError(
            f"--bind {text}: `{value}` is no value for `{name}`",
            "a size is an integer, a pack a list of them: `S=[2,3]`",
        ) from None
    return value


def parse_kernels(text: str) -> str:
    try:
        check_kernels(text)
    except KernelsError as error:
        raise CommandError(str(error)) from None
    return text


def checked(output: Output, path: Path) -> typed.Program:
    """The program in a file; its warnings are shown, its errors raised."""
    result = check_readable(path)
    errors = [d for d in result.diagnostics if d.severity == "error"]
    if errors or result.program is None:
        raise DiagnosticError(result.diagnostics)
    if result.diagnostics:
        output.diagnostics(result.diagnostics)
    return result.program


def check_readable(path: Path) -> CheckResult:
    require_file(path)
    try:
        return check_file(path)
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None


def require_file(path: Path) -> None:
    """There is such a file; else say what may have been meant."""
    if path.is_dir():
        raise CommandError(f"{path} is a folder; give a `.tdsl` file in it")
    try:
        with path.open("rb"):
            return
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CommandError(f"cannot read {path}: {reason}") from None
    folder = path.parent
    names = [p.name for p in folder.iterdir() if p.suffix == ".tdsl"] if folder.is_dir() else []
    close = difflib.get_close_matches(path.name, names, 1)
    hint = f"did you mean {folder / close[0]}?" if close else ""
    raise CommandError(f"there is no file {path}", hint)


def choose_function(program: typed.Program, name: str | None) -> typed.Function:
    """The function asked for, or the only one that can be meant."""
    functions = program.root.functions
    if name is not None:
        if name in functions:
            return functions[name]
        raise no_such_function(program, name)
    if len(functions) == 1:
        return next(iter(functions.values()))
    public = [function for function in functions.values() if function.public]
    if len(public) == 1:
        return public[0]
    if not functions:
        raise CommandError("the module has no function")
    listed = ", ".join((f.signature.function.name for f in public) if public else functions)
    raise CommandError("which function?", f"add --fn with one of: {listed}")


def no_such_function(program: typed.Program, name: str) -> CommandError:
    functions = program.root.functions
    near = difflib.get_close_matches(name, functions, 1)
    listed = ", ".join(functions) or "none"
    hint = f"did you mean `{near[0]}`?" if near else f"the module has: {listed}"
    message = f"there is no function `{name}` in this module"
    diagnostic = at_start(program, "E0902", message, hint)
    return CommandError(message, hint, (diagnostic,))


def at_start(program: typed.Program, code: str, message: str, note: str = "") -> Diagnostic:
    """A diagnostic about the module as a whole."""
    source = program.root.source
    return Diagnostic(code, message, (Label(source.span(0, 0)),), (note,) if note else ())


@contextmanager
def target_errors(program: typed.Program) -> Iterator[None]:
    """What a target does not have, as a diagnostic about the module."""
    try:
        yield
    except TargetError as error:
        message = str(error).removeprefix(f"[{error.code}] ")
        found = (at_start(program, error.code, message),) if error.code else ()
        raise CommandError(message, "", found) from None
