"""TDSL: tensor functions in a language of their own, compiled through MLIR to native code.

The names below are loaded when first used, so that `import tdsl` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdsl.errors import (
        CallError,
        CompileError,
        DTypeError,
        Error,
        InternalError,
        ProgramWarning,
        RecompileWarning,
        ShapeError,
        SizeError,
        TargetError,
    )
    from tdsl.runtime.function import CompiledFunction, Function
    from tdsl.runtime.lists import StackedList, stack
    from tdsl.runtime.module import Module, load, loads
    from tdsl.runtime.recompiles import explain_recompiles
    from tdsl.runtime.structs import Struct

__version__ = "0.1.0.dev0"

_HOME = {
    "CallError": "tdsl.errors",
    "CompileError": "tdsl.errors",
    "CompiledFunction": "tdsl.runtime.function",
    "DTypeError": "tdsl.errors",
    "Error": "tdsl.errors",
    "Function": "tdsl.runtime.function",
    "InternalError": "tdsl.errors",
    "Module": "tdsl.runtime.module",
    "ProgramWarning": "tdsl.errors",
    "RecompileWarning": "tdsl.errors",
    "ShapeError": "tdsl.errors",
    "SizeError": "tdsl.errors",
    "StackedList": "tdsl.runtime.lists",
    "Struct": "tdsl.runtime.structs",
    "TargetError": "tdsl.errors",
    "explain_recompiles": "tdsl.runtime.recompiles",
    "load": "tdsl.runtime.module",
    "loads": "tdsl.runtime.module",
    "stack": "tdsl.runtime.lists",
}

__all__ = [
    "CallError",
    "CompileError",
    "CompiledFunction",
    "DTypeError",
    "Error",
    "Function",
    "InternalError",
    "Module",
    "ProgramWarning",
    "RecompileWarning",
    "ShapeError",
    "SizeError",
    "StackedList",
    "Struct",
    "TargetError",
    "__version__",
    "explain_recompiles",
    "load",
    "loads",
    "stack",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'tdsl' has no attribute '{name}'")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
