"""Import what only some kinds of files need; say how to install it where it is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tdsl.errors import PackageError


def needed(package: str, purpose: str) -> Any:
    """The package, or an error with the line that installs it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as problem:
        if problem.name != package:
            raise
        raise PackageError(
            f"[E0706] the package `{package}` {purpose}, and is not installed"
            f"\n  help: pip install {package}",
            code="E0706",
        ) from None
