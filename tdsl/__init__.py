"""TDSL: tensor functions in a language of their own, compiled through MLIR to native code.

The names below are loaded when first used, so that `import tdsl` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdsl import names
    from tdsl.errors import (
        BindError,
        CallError,
        CompileError,
        DeviceMemoryError,
        DriverError,
        DTypeError,
        Error,
        FileError,
        InternalError,
        PackageError,
        ProgramWarning,
        RecompileWarning,
        ShapeError,
        SizeError,
        TargetError,
    )
    from tdsl.gpu.driver.array import DeviceArray
    from tdsl.gpu.driver.opened import synchronize
    from tdsl.runtime.bound import Bound
    from tdsl.runtime.function import CompiledFunction, Function
    from tdsl.runtime.lists import StackedList, stack
    from tdsl.runtime.module import Module, load, loads
    from tdsl.runtime.recompiles import explain_recompiles
    from tdsl.runtime.resident import ResidentWeights
    from tdsl.runtime.structs import Struct
    from tdsl.runtime.weights.gguf_file import gguf
    from tdsl.runtime.weights.npz_file import npz
    from tdsl.runtime.weights.safetensors_file import safetensors
    from tdsl.runtime.weights.tensor_file import TensorFile
    from tdsl.tensors import Tensor

__version__ = "0.1.0.dev0"

_HOME = {
    "BindError": "tdsl.errors",
    "Bound": "tdsl.runtime.bound",
    "CallError": "tdsl.errors",
    "CompileError": "tdsl.errors",
    "CompiledFunction": "tdsl.runtime.function",
    "DTypeError": "tdsl.errors",
    "DeviceArray": "tdsl.gpu.driver.array",
    "DeviceMemoryError": "tdsl.errors",
    "DriverError": "tdsl.errors",
    "Error": "tdsl.errors",
    "FileError": "tdsl.errors",
    "Function": "tdsl.runtime.function",
    "InternalError": "tdsl.errors",
    "Module": "tdsl.runtime.module",
    "PackageError": "tdsl.errors",
    "ProgramWarning": "tdsl.errors",
    "RecompileWarning": "tdsl.errors",
    "ResidentWeights": "tdsl.runtime.resident",
    "ShapeError": "tdsl.errors",
    "SizeError": "tdsl.errors",
    "StackedList": "tdsl.runtime.lists",
    "Struct": "tdsl.runtime.structs",
    "TargetError": "tdsl.errors",
    "Tensor": "tdsl.tensors",
    "TensorFile": "tdsl.runtime.weights.tensor_file",
    "explain_recompiles": "tdsl.runtime.recompiles",
    "gguf": "tdsl.runtime.weights.gguf_file",
    "load": "tdsl.runtime.module",
    "loads": "tdsl.runtime.module",
    "names": "tdsl.names",
    "npz": "tdsl.runtime.weights.npz_file",
    "safetensors": "tdsl.runtime.weights.safetensors_file",
    "stack": "tdsl.runtime.lists",
    "synchronize": "tdsl.gpu.driver.opened",
}

__all__ = [
    "BindError",
    "Bound",
    "CallError",
    "CompileError",
    "CompiledFunction",
    "DTypeError",
    "DeviceArray",
    "DeviceMemoryError",
    "DriverError",
    "Error",
    "FileError",
    "Function",
    "InternalError",
    "Module",
    "PackageError",
    "ProgramWarning",
    "RecompileWarning",
    "ResidentWeights",
    "ShapeError",
    "SizeError",
    "StackedList",
    "Struct",
    "TargetError",
    "Tensor",
    "TensorFile",
    "__version__",
    "explain_recompiles",
    "gguf",
    "load",
    "loads",
    "names",
    "npz",
    "safetensors",
    "stack",
    "synchronize",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if name == "torch":  # what needs PyTorch, which is imported only for those who ask
        return import_module("tdsl.torch")
    if home is None:
        raise AttributeError(f"module 'tdsl' has no attribute '{name}'")
    module = import_module(home)
    value = module if home == f"tdsl.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
