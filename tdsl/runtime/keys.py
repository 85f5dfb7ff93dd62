"""What decides the code of an instance, as a key of the disk cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import tdsl
from tdsl.check import typed
from tdsl.lowering.interface import size_to_data
from tdsl.lowering.options import Options
from tdsl.runtime.passing import Passing
from tdsl.syntax.resources import package
from tdsl.types.numbers import shown
from tdsl.types.sizes import Shape, Size
from tdsl.types.types import Substitution


def instance_key(
    program: typed.Program,
    signature: typed.Signature,
    parameters: Substitution,
    options: Options,
    passing: Passing = Passing(),  # noqa: B008  (frozen)
) -> str:
    """A key that is the same for the same code, wherever the program lies.

    It holds the texts of the module and all that it imports, but neither paths nor lines.
    """
    return digest(
        {
            "modules": {name: module.source.text for name, module in program.modules.items()},
            "function": [signature.function.module, signature.function.name],
            "sizes": sorted(
                [symbol.name, symbol.owner, symbol.least, size_to_data(size)]
                for symbol, size in parameters.sizes.items()
            ),
            "packs": sorted(
                [pack.name, pack.owner, _axes(shape)] for pack, shape in parameters.packs.items()
            ),
            "dtypes": sorted(
                [variable.name, str(dtype)] for variable, dtype in parameters.dtypes.items()
            ),
            "options": options.to_data(),
            "passing": [sorted(passing.constants), [list(pair) for pair in passing.donated]],
        }
    )


def program_key(name: str, text: str) -> str:
    """The key of a checked program by its root module; what that imports has to be looked at."""
    whole = {"program": [name, text], "compiler": _compiler()}
    return _hashed(whole)


def digest(content: dict[str, Any]) -> str:
    """A key for what this compiler makes of something on this machine."""
    whole = {"what": content, "compiler": _compiler(), "target": _target()}
    return _hashed(whole)


def _hashed(content: dict[str, Any]) -> str:
    """Of numbers, texts, lists and dicts whose order says nothing."""
    return hashlib.sha256(ascii(_ordered(content)).encode()).hexdigest()


def _ordered(content: Any) -> Any:
    match content:
        case dict():
            return sorted((key, _ordered(value)) for key, value in content.items())
        case list() | tuple():
            return [_ordered(value) for value in content]
    return content


def describe(signature: typed.Signature, parameters: Substitution) -> str:
    """An instance in a list for people, by the sizes as declared."""
    parts = []
    for one in signature.sizes:
        literal = one.value.substitute(parameters.sizes).literal
        parts.append(f"{one.name}={'?' if literal is None else shown(one.kind, literal)}")
    for pack, shape in parameters.packs.items():
        axes = ", ".join(_shown(size) for size in shape)
        parts.append(f"{pack.name}=[{axes}]")
    parts += [f"{variable.name}={dtype}" for variable, dtype in parameters.dtypes.items()]
    function = signature.function
    return f"{function.module}.{function.name}[{', '.join(parts)}]"


def _shown(size: object) -> str:
    return "?" if isinstance(size, Size) and size.literal is None else str(size)


def _axes(shape: Shape) -> list[Any]:
    return [size_to_data(size) if isinstance(size, Size) else str(size) for size in shape]


@cache
def _target() -> list[str]:
    from tdsl.engine.llvm import Target

    host = Target.host()
    return [host.triple, host.cpu, host.features]


@cache
def _compiler() -> str:
    """This version of TDSL, of MLIR and of LLVM: by the sizes and times of their files, as Python
    does it for its own compiled modules. Reading two megabytes would take a tenth of a warm start."""
    from tdsl.engine.libraries import library_files

    folder = package()
    sources = [*_sources(folder)] if isinstance(folder, Path) else []
    whole = [tdsl.__version__, sources, [_stamp(path) for path in library_files()]]
    return hashlib.sha256(ascii(whole).encode()).hexdigest()


def _sources(folder: str | os.PathLike[str], inside: str = "") -> Iterator[list[Any]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _sources(entry.path, f"{inside}{entry.name}/")
        elif entry.name.endswith((".py", ".ll")):
            status = entry.stat()
            yield [inside + entry.name, status.st_size, status.st_mtime_ns]


def _stamp(path: Path) -> list[Any]:
    status = path.stat()
    return [path.name, status.st_size, status.st_mtime_ns]
