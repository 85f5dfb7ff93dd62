"""`import tdsl.importer` makes `import model` find `model.tdsl` on sys.path.

A module is read and checked when it is imported, and compiled function by function when they are
called. Importing this file installs the finder; `uninstall()` takes it out again.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from tdsl.errors import CompileError, compile_error
from tdsl.runtime.module import Module, fill
from tdsl.runtime.programs import open_program
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError
from tdsl.syntax.reading import decode_source

SUFFIX = ".tdsl"


class ProgramImportError(CompileError, ImportError):
    """A `.tdsl` module that cannot be imported because it is wrong; `name` and `path` are those of
    ImportError, `filename` and `lineno` those of SyntaxError."""

    def __init__(
        self, rendered: str, diagnostics: Iterable[Diagnostic], name: str = "", path: str = ""
    ) -> None:
        super().__init__(rendered, diagnostics)
        self.name = name
        self.path = path


class Loader(importlib.abc.InspectLoader):
    """Reads and checks one file."""

    def __init__(self, name: str, path: str, root: str) -> None:
        self.name = name
        self.path = path
        self.root = root

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        assert isinstance(module, Module)
        data = self.get_data(self.path)
        text = data.decode("utf-8", errors="replace")
        # Tracebacks and debuggers ask linecache for the lines of a file.
        linecache.checkcache(self.path)
        linecache.cache[self.path] = (len(text), None, text.splitlines(True), self.path)
        try:
            result = open_program(decode_source(data, self.path), Path(self.root))
            fill(module, result, self.path, "all")
        except (CompileError, DiagnosticError) as problem:
            error = compile_error(problem.diagnostics)
            raise ProgramImportError(
                error.rendered, error.diagnostics, self.name, self.path
            ) from None

    def get_code(self, fullname: str) -> None:
        """None of Python's: `python -m` says so."""

    def get_source(self, fullname: str) -> str:
        return self.get_data(self.path).decode("utf-8", errors="replace")

    def get_data(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def get_filename(self, fullname: str) -> str:
        return self.path

    def is_package(self, fullname: str) -> bool:
        return False


class Finder(importlib.abc.MetaPathFinder):
    """Finds `a/b.tdsl` for `a.b`, in the folders of the package or else of sys.path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        tail = fullname.rpartition(".")[2]
        for entry in sys.path if path is None else path:
            if not isinstance(entry, str):
                continue
            folder = os.path.abspath(entry or os.getcwd())
            file = os.path.join(folder, tail + SUFFIX)
            if os.path.isfile(file):
                root = _root(folder, fullname)
                loader = Loader(fullname, file, root)
                return importlib.util.spec_from_file_location(fullname, file, loader=loader)
        return None


class Watcher(importlib.abc.MetaPathFinder):
    """Finds nothing, and warns where a `.tdsl` file is out of sight behind something that is found
    before it: a Python file of the same name, say."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        spec = self._finder.find_spec(fullname, path)
        if spec is None:
            return
        for finder in sys.meta_path:
            if finder is self:
                continue
            if _is_ours(finder):
                return
            look = getattr(finder, "find_spec", None)
            other = look(fullname, path, target) if look is not None else None
            if other is not None:
                where = other.origin or _folders(other)
                warnings.warn(
                    f"`import {fullname}` finds {where}, and not {spec.origin}: rename one of them",
                    stacklevel=2,
                )
                return


def _folders(spec: importlib.machinery.ModuleSpec) -> str:
    """Of a package without a file: every folder is one, also one that holds weights."""
    folders = spec.submodule_search_locations
    return f"the folder {next(iter(folders))}" if folders else "something else"


def _root(folder: str, fullname: str) -> str:
    """The sys.path entry that the dotted name starts from: imports in the file count from there."""
    for _ in range(fullname.count(".")):
        folder = os.path.dirname(folder)
    return folder


def _is_ours(finder: object) -> bool:
    # By name: after this file was itself reloaded, a finder of the older class is still one.
    kind = type(finder)
    names = {Finder.__qualname__, Watcher.__qualname__}
    return kind.__module__ == Finder.__module__ and kind.__qualname__ in names


def install() -> None:
    """Put the finder last, where it does not get in the way of `.py` files and extensions; and
    first one that warns where those get in its way."""
    if not any(map(_is_ours, sys.meta_path)):
        finder = Finder()
        sys.meta_path.insert(0, Watcher(finder))
        sys.meta_path.append(finder)


def uninstall() -> None:
    """Take both out; modules already imported stay."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not _is_ours(finder)]


install()
