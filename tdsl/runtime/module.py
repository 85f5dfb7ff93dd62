"""Load a `.tdsl` file as a Python module whose attributes are its functions."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.checked import CheckResult
from tdsl.errors import ProgramWarning, compile_error
from tdsl.lowering.options import Bounds
from tdsl.runtime.build import check_bounds, check_kernels, check_target
from tdsl.runtime.calls import Origin
from tdsl.runtime.function import Function
from tdsl.runtime.layout import python_name
from tdsl.runtime.programs import open_program
from tdsl.runtime.structs import StructClasses
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.syntax.reading import read_source
from tdsl.syntax.source import Source


class Module(ModuleType):
    """A checked TDSL module. Its functions are compiled when they are called; its structs are
    classes.

    `__all__` and `dir()` hold what is `pub`; as in Python, the other functions can be reached by
    their names, to try and to test them.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__program__: typed.Program | None = None
        self.__kernels__ = "all"
        self.__bounds__: Bounds = "trap"
        self.__target__ = "cpu"

    def __getattr__(self, name: str) -> Any:
        program = self.__dict__.get("__program__")
        if program is None or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        function = program.root.declarations.get(name)
        made: Any
        if function is not None:
            made = self._function(name, function)
        else:
            classes: StructClasses = self.__dict__["__structs__"]
            definition = classes.find(name)
            plain = name.removesuffix("_")
            if definition is None and python_name(plain) == name != plain:  # as in `m.lambda_`
                return self.__dict__.setdefault(name, getattr(self, plain))
            if definition is None:
                raise AttributeError(_unknown(program, self.__name__, name))
            made = classes.of_definition(definition)
        # setdefault: two threads asking at once get the same object, and so one set of instances.
        return self.__dict__.setdefault(name, made)

    def _function(self, name: str, function: typed.Declaration) -> Function:
        program = self.__dict__["__program__"]
        source = program.root.source
        made = Function(
            program,
            function,
            Origin(
                self.__file__,
                source.name,
                source.text,
                name,
                self.__kernels__,
                self.__bounds__,
                target=self.__target__,
            ),
            classes=self.__dict__["__structs__"],
        )
        made.__module__ = self.__name__
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """An imported module by its name; another one by its text, as its functions are."""
        if sys.modules.get(self.__name__) is self:
            return importlib.import_module, (self.__name__,)
        program = self.__dict__["__program__"]
        if program is None:
            raise TypeError(f"the TDSL module {self.__name__!r} has no program, and so no pickle")
        source = program.root.source
        kernels, bounds = self.__kernels__, self.__bounds__
        origin = Origin(self.__file__, source.name, source.text, "", kernels, bounds)
        return _again, (self.__name__, replace(origin, target=self.__target__))

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self.__dict__.get("__all__", ())})

    def __repr__(self) -> str:
        where = self.__dict__.get("__file__")
        shown = f" from {where!r}" if where else ""
        return f"<tdsl module {self.__name__!r}{shown}>"


def fill(
    module: Module,
    result: CheckResult,
    path: str | None,
    kernels: str,
    bounds: Bounds = "trap",
    target: str = "cpu",
) -> None:
    """Put a checked program into a module, which may be an older version of the same."""
    errors = [d for d in result.diagnostics if d.severity == "error"]
    if errors or result.program is None:
        raise compile_error(result.diagnostics)
    program = result.program
    before = module.__dict__.get("__program__")
    if before is not None:
        old: StructClasses = module.__dict__["__structs__"]
        for name in (*before.root.functions, *old.names()):
            module.__dict__.pop(name, None)
            module.__dict__.pop(python_name(name), None)
    module.__dict__["__program__"] = program
    module.__dict__["__kernels__"] = kernels
    module.__dict__["__bounds__"] = bounds
    module.__dict__["__target__"] = target
    module.__dict__["__structs__"] = StructClasses(program, module.__name__)
    module.__dict__["__file__"] = path
    module.__doc__ = "\n".join(program.root.docs) or None
    module.__dict__["__all__"] = [
        *(python_name(n) for n, definition in program.root.structs.items() if definition.public),
        *(python_name(n) for n, function in program.root.declarations.items() if function.public),
    ]
    _warn(module, result)


def _warn(module: Module, result: CheckResult) -> None:
    """Warnings about the program as Python's, at their place in it; once for each module."""
    registry = module.__dict__.setdefault("__warningregistry__", {})
    for diagnostic in result.diagnostics:
        if diagnostic.severity == "warning":
            span = diagnostic.span
            hints = [f"help: {help_.text}" for help_ in diagnostic.helps]
            warnings.warn_explicit(
                "\n  ".join((f"[{diagnostic.code}] {diagnostic.message}", *hints)),
                ProgramWarning,
                span.source.name,
                span.line,
                module.__name__,
                registry,
            )


def load(
    path: str | os.PathLike[str],
    *,
    kernels: str = "all",
    bounds: str = "trap",
    target: str = "cpu",
    precision: str | None = None,
) -> Module:
    """The module in a file. A wrong program raises CompileError with every diagnostic.

    `kernels` says which kernels may take over operations, as `tdslc --kernels` does.
    `bounds` says what happens to a position, known only at run time, outside of an array: an
    IndexError, or with "clamp" the nearest one inside.
    `target="gpu-emulator"` makes code for a GPU, and runs and checks it on this processor;
    `precision` ("tf32", "bf16", "f16") lets its matrix products of f32 round operands to that.
    """
    check_kernels(kernels)
    checked_bounds, checked_target = check_bounds(bounds), check_target(target, precision)
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(_not_found(file))
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder; give a `.tdsl` file in it")
    module = Module(file.stem)
    fill(module, _opened(file), str(file.absolute()), kernels, checked_bounds, checked_target)
    return module


def _opened(file: Path) -> CheckResult:
    try:
        return open_program(read_source(file), file.absolute().parent)
    except DiagnosticError as error:
        return CheckResult(None, error.diagnostics)


def loads(
    text: str,
    *,
    name: str = "text",
    kernels: str = "all",
    bounds: str = "trap",
    target: str = "cpu",
    precision: str | None = None,
) -> Module:
    """The module in a string. It can import from `std` only."""
    if not isinstance(text, str):
        raise TypeError(
            f"loads() takes the text of a program as a str, not {type(text).__name__}"
            + ("; decode it first" if isinstance(text, bytes | bytearray) else "")
        )
    check_kernels(kernels)
    checked_bounds, checked_target = check_bounds(bounds), check_target(target, precision)
    module = Module(name)
    fill(
        module,
        open_program(Source(f"<{name}>", text), None),
        None,
        kernels,
        checked_bounds,
        checked_target,
    )
    return module


def module_of(
    program: typed.Program,
    kernels: str = "all",
    bounds: Bounds = "trap",
    target: str = "cpu",
) -> Module:
    """A module of a program that is checked already."""
    module = Module(program.root.name)
    fill(module, CheckResult(program, ()), program.root.source.name, kernels, bounds, target)
    return module


def find_again(origin: Origin) -> typed.Program:
    """The program of a pickled function: the text it was pickled with, whatever the file holds
    now; what it imports is read again."""
    from tdsl.check.modules import check_source

    folder = Path(origin.path).parent if origin.path is not None else None
    root = folder if folder is not None and folder.is_dir() else None
    result = check_source(Source(origin.source, origin.text), root)
    if result.program is None:
        raise compile_error(result.diagnostics)
    return result.program


def _again(name: str, origin: Origin) -> Module:
    """An unpickled module."""
    module = Module(name)
    checked = CheckResult(find_again(origin), ())
    fill(module, checked, origin.path, origin.kernels, origin.bounds, origin.target)
    return module


def _not_found(file: Path) -> str:
    folder = file.parent
    there: Sequence[str] = ()
    if folder.is_dir():
        there = [entry.name for entry in folder.iterdir() if entry.suffix == ".tdsl"]
    from difflib import get_close_matches  # only where a word is misspelled

    near = get_close_matches(file.name, [*there], 1)
    hint = f"; did you mean {folder / near[0]}?" if near else ""
    return f"there is no file {file}{hint}"


def _unknown(program: typed.Program, module: str, name: str) -> str:
    known = (*program.root.functions, *program.root.structs)
    from difflib import get_close_matches  # only where a word is misspelled

    near = get_close_matches(name, known, 1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return f"the TDSL module {module!r} has no function or struct `{name}`{hint}"
