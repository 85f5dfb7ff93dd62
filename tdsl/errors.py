"""The exceptions that users of the Python interface meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError
from tdsl.syntax.source import Span


class Error(Exception):
    """Whatever TDSL raises. `code` is a key of `tdslc explain`, "" where there is none."""

    def __init__(
        self, message: str, *, code: str = "", diagnostics: Iterable[Diagnostic] = ()
    ) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)
        self.code = code or (self.diagnostics[0].code if self.diagnostics else "")

    @property
    def spans(self) -> tuple[Span, ...]:
        """The places in TDSL source that the diagnostics point at."""
        return tuple(label.span for diagnostic in self.diagnostics for label in diagnostic.labels)

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders (pytest-xdist, multiprocessing): spans go with them.
        return (_restore, (type(self), self.args, self.__dict__))


class CompileError(Error):
    """The program is wrong. The text holds every diagnostic, rendered; the attributes are named as
    those of SyntaxError."""

    def __init__(self, rendered: str, diagnostics: Iterable[Diagnostic]) -> None:
        diagnostics = tuple(diagnostics)
        errors = [d for d in diagnostics if d.severity == "error"] or list(diagnostics)
        super().__init__(
            "\n" + rendered.rstrip("\n"),
            code=errors[0].code if errors else "",
            diagnostics=diagnostics,
        )
        self.msg = errors[0].message if errors else rendered
        self.filename: str | None = None
        self.lineno: int | None = None
        self.offset: int | None = None
        self.text: str | None = None
        if errors:
            span = errors[0].span
            self.filename = span.source.name
            self.lineno = span.line
            self.offset = span.column
            self.text = span.source.line_text(span.line)

    def __str__(self) -> str:
        # ImportError, of which a subclass also is one, would show `msg` alone.
        return str(self.args[0])

    @property
    def rendered(self) -> str:
        return str(self).removeprefix("\n")


class CallError(Error, TypeError):
    """A call that does not fit the function's signature: names and numbers of arguments, statics.

    `argument` is the one at fault, `expected` and `found` say the types, `fixed` tells for each
    size that matters its value and the argument that fixed it.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        diagnostics: Iterable[Diagnostic] = (),
        argument: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        fixed: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        super().__init__(message, code=code, diagnostics=diagnostics)
        self.argument = argument
        self.expected = expected
        self.found = found
        self.fixed = dict(fixed or {})


class DTypeError(CallError):
    """An argument is of another dtype, or not an array at all."""


class ShapeError(CallError):
    """An argument has another rank or size than the function declares."""


class SizeError(ShapeError):
    """A size out of its range: an empty array, or one that is too large."""


class BindError(CallError):
    """Weights that do not fit the fields of a struct. `missing` are fields that nothing was found
    for, `unknown` names that belong to no field, `wrong` fields whose array has another dtype, rank
    or shape."""

    def __init__(
        self,
        message: str,
        *,
        diagnostics: Iterable[Diagnostic] = (),
        missing: Iterable[str] = (),
        unknown: Iterable[str] = (),
        wrong: Iterable[str] = (),
        fixed: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        super().__init__(message, code="E0701", diagnostics=diagnostics, fixed=fixed)
        self.missing = tuple(missing)
        self.unknown = tuple(unknown)
        self.wrong = tuple(wrong)


class FileError(Error, ValueError):
    """A file of weights that is damaged, or of a kind that cannot be read. `path` says which."""

    def __init__(self, message: str, *, code: str = "E0705", path: str = "") -> None:
        super().__init__(message, code=code)
        self.path = path


class PackageError(Error, ImportError):
    """A package that TDSL does not need in general is needed here, and is not installed."""


class TargetError(Error, ValueError):
    """A target, stage or kernel that there is not."""


class DriverError(Error, RuntimeError):
    """A call of the GPU's driver that failed. `function` is the driver's, `status` its name for the
    error, such as CUDA_ERROR_ILLEGAL_ADDRESS, and `at` the line of the program that was computed."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "E0905",
        function: str = "",
        status: str = "",
        at: str = "",
    ) -> None:
        super().__init__(message, code=code)
        self.function = function
        self.status = status
        self.at = at


class DeviceMemoryError(DriverError, MemoryError):
    """A GPU that has not as much memory free as a call needs."""


class InternalError(Error, RuntimeError):
    """A fault of TDSL itself. The text says what to report."""


class ProgramWarning(UserWarning):
    """What the checker warns about in a program that it accepts."""


class RecompileWarning(UserWarning):
    """One size makes a function be compiled again and again."""


# What tracebacks show is what users write.
for _kind in [*globals().values()]:
    if isinstance(_kind, type) and issubclass(_kind, Error | UserWarning):
        _kind.__module__ = "tdsl"


def compile_error(error: DiagnosticError | Iterable[Diagnostic]) -> CompileError:
    """The diagnostics of a wrong program as the exception that users see."""
    from tdsl.syntax.render import render_text

    diagnostics = error.diagnostics if isinstance(error, DiagnosticError) else tuple(error)
    return CompileError("\n\n".join(map(render_text, diagnostics)), diagnostics)


def _restore(kind: type[Error], args: tuple[object, ...], state: dict[str, object]) -> Error:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error
