"""Find the files that come with the package: the grammar and the standard library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def package() -> Traversable:
    """The folder of the package, as a Path where it is one."""
    folder = Path(__file__).parent.parent
    if folder.is_dir():
        return folder
    # In an archive. Slow to import, and it imports what reads archives.
    from importlib.resources import files

    return files("tdsl")


def resource(name: str) -> Traversable:
    """The file or folder `grammar/tdsl.lark`, `std`, … of the installed package.

    A wheel holds everything below the package. In an editable install the grammar lies beside the
    package, at the root of the repository, where people look for it.
    """
    whole = package()
    inside = whole.joinpath(name)
    if inside.is_file() or inside.is_dir():
        return inside
    if isinstance(whole, Path):
        beside = whole.parent / name
        if beside.exists():
            return beside
    raise FileNotFoundError(f"the installation of tdsl lacks {name}")


def grammar_text() -> str:
    return resource("grammar/tdsl.lark").read_text(encoding="utf-8")


def standard_library() -> Traversable:
    """The folder whose `nn.tdsl` is the module `std.nn`."""
    return resource("std")


def library_file(name: str) -> Traversable:
    """The file of a module of the library, whether or not there is one; `name` is "std.nn"."""
    *folders, last = name.split(".")[1:]
    return standard_library().joinpath(*folders, last + ".tdsl")
