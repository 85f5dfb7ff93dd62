"""Checked programs in the disk cache: one that was checked before needs no checker to be loaded.

What is kept is what callers see: declarations, structs, examples and warnings. Bodies of functions
are read and checked again when something has to be compiled.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tdsl.check import typed
from tdsl.check.checked import CheckResult
from tdsl.runtime.cache import Cache, open_cache
from tdsl.runtime.keys import program_key
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError
from tdsl.syntax.reading import read_source
from tdsl.syntax.resources import library_file
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, DType


def open_program(source: Source, root: Path | None) -> CheckResult:
    """What `check_source` gives for a program whose imports lie under `root`, or are of `std` only."""
    store = open_cache()
    if store is None:
        return _checked(source, root)
    key = program_key(Path(source.name).stem, source.text)
    data = store.get(key)
    found = _restored(data, source, root) if data is not None else None
    if found is not None:
        return found
    result = _checked(source, root)
    if result.program is not None:
        _keep(store, key, result.program, result.diagnostics)
    return result


def _checked(source: Source, root: Path | None) -> CheckResult:
    from tdsl.check.modules import check_source

    return check_source(source, root)


# --- to bytes


def _keep(
    store: Cache,
    key: str,
    program: typed.Program,
    diagnostics: tuple[Diagnostic, ...],
) -> None:
    imports = tuple(
        (name, _place(name), _digest(module.source.text))
        for name, module in program.modules.items()
        if module is not program.root
    )
    modules = {
        name: (
            module.docs,
            {
                function: typed.Declaration(known.signature, known.docs, known.public)
                for function, known in module.functions.items()
            },
            dict(module.names),
            module.examples,
            len(module.tests),
            dict(module.structs),
        )
        for name, module in program.modules.items()
    }
    buffer = io.BytesIO()
    pickle.dump((program.root.name, imports), buffer, protocol=5)
    names = {id(module.source): name for name, module in program.modules.items()}
    _Pickler(buffer, names).dump((modules, diagnostics))
    if store.get(key) is not None:  # the root is the same, and an import is not
        store.remove(key)
    store.put(key, buffer.getvalue(), f"{program.root.name}, checked")


class _Pickler(pickle.Pickler):
    """Names sources in place of keeping them: the same program elsewhere has the same bytes."""

    def __init__(self, buffer: io.BytesIO, names: Mapping[int, str]) -> None:
        super().__init__(buffer, protocol=5)
        self._names = names

    def persistent_id(self, value: object) -> tuple[str, str] | None:
        match value:
            case Source():
                return "source", self._names[id(value)]
            case DType():
                return "dtype", value.name
        return None


def _place(name: str) -> tuple[str, ...] | None:
    """Of a module, from the folder of the root; None for the library."""
    parts = name.split(".")
    return None if parts[0] == "std" else (*parts[:-1], parts[-1] + ".tdsl")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- and back


class _Unpickler(pickle.Unpickler):
    """Makes nothing but what programs consist of."""

    def __init__(self, data: io.BytesIO, sources: Mapping[str, Source]) -> None:
        super().__init__(data)
        self._sources = sources

    def find_class(self, module: str, name: str) -> Any:
        if module in _ALLOWED:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a program")

    def persistent_load(self, known: Any) -> Source | DType:
        kind, name = known
        return DTYPES[name] if kind == "dtype" else self._sources[name]


_ALLOWED = frozenset(
    {
        "tdsl.check.typed",
        "tdsl.syntax.diagnostics",
        "tdsl.syntax.source",
        "tdsl.types.dtypes",
        "tdsl.types.sizes",
        "tdsl.types.types",
    }
)


def _restored(data: bytes, source: Source, folder: Path | None) -> CheckResult | None:
    """The program of an entry; None where a module is not as it was, or the entry is of no use."""
    buffer = io.BytesIO(data)
    try:
        root, imports = _Unpickler(buffer, {}).load()
        sources = {root: source}
        for name, path, digest in imports:
            read = _read(name, path, folder)
            if read is None or _digest(read.text) != digest:
                return None
            sources[name] = read
        modules, diagnostics = _Unpickler(buffer, sources).load()
    except Exception:  # bytes that are no program can raise anything
        return None
    again = _Again(root, sources)
    restored = {
        name: typed.Module(
            name,
            sources[name],
            docs,
            _Functions(declared, again, name),
            names,
            examples,
            _Tests(count, again, name),
            structs,
            declared,
        )
        for name, (docs, declared, names, examples, count, structs) in modules.items()
    }
    return CheckResult(typed.Program(restored[root], restored), diagnostics)


def _read(name: str, path: tuple[str, ...] | None, folder: Path | None) -> Source | None:
    try:
        if path is None:
            found = library_file(name)
            return Source(f"<{name}>", found.read_text(encoding="utf-8"))
        return read_source(folder.joinpath(*path)) if folder is not None else None
    except (OSError, DiagnosticError, UnicodeDecodeError):
        return None


class _Again:
    """The whole program, checked when it is first needed."""

    def __init__(self, root: str, sources: Mapping[str, Source]) -> None:
        self._root = root
        self._sources = sources

    @cached_property
    def program(self) -> typed.Program:
        from tdsl.check.modules import check_again

        result = check_again(self._root, self._sources)
        if result.program is None:
            raise DiagnosticError(result.diagnostics)
        return result.program


class _Functions(Mapping[str, typed.Function]):
    """The functions of a module, known by name; their bodies when one is asked for."""

    def __init__(self, names: Mapping[str, object], again: _Again, module: str) -> None:
        self._names = names
        self._again = again
        self._module = module

    def __getitem__(self, name: str) -> typed.Function:
        self._names[name]
        return self._again.program.modules[self._module].functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Tests(Sequence[typed.Test]):
    """The tests of a module, as many as there are; what they do when one is asked for."""

    def __init__(self, count: int, again: _Again, module: str) -> None:
        self._count = count
        self._again = again
        self._module = module

    def __getitem__(self, place: Any) -> Any:
        return self._again.program.modules[self._module].tests[place]

    def __len__(self) -> int:
        return self._count
