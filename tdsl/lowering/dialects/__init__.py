"""Python modules for operations of MLIR's dialects where its own take long to import."""

from __future__ import annotations

from mlir import ir  # noqa: F401  (starts the bindings)
from mlir._mlir_libs._mlir import globals as _bindings

_OWN = ("linalg", "llvm")


def _load() -> None:
    """Whenever an operation is wrapped, the bindings import the module of its dialect, once: the
    first of this name in the packages that they search. What they find here registers the same
    classes as the module of MLIR, which whoever needs more can still import."""
    packages = list(_bindings.dialect_search_modules)
    _bindings.dialect_search_modules = [__name__, *packages]
    try:
        for name in _OWN:
            _bindings._check_dialect_module_loaded(name)
    finally:
        _bindings.dialect_search_modules = packages


_load()
