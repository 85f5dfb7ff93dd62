"""The driver's API as NVIDIA's package `cuda-bindings` has it; what to install where it is missing."""

from __future__ import annotations

import importlib
from typing import Any, Final

from tdsl.errors import TargetError

_MODULE: Final = "cuda.bindings.driver"  # of cuda-bindings 12 and 13 alike
_ELSEWHERE: Final = 'target="gpu-emulator" runs the same kernels on this processor'


def load_binding() -> Any:
    """The module with the driver's functions, once they can be called."""
    try:
        binding = importlib.import_module(_MODULE)
    except ImportError as problem:
        raise missing(
            "the package cuda-bindings, by which TDSL calls the driver, cannot be imported"
            f" ({problem})",
            'install it: `pip install "tdsl[gpu]"`',
        ) from problem
    try:
        (status,) = binding.cuInit(0)
    except (RuntimeError, OSError, ImportError) as problem:
        # The package finds no libcuda; it says so with an error of its own.
        raise missing(
            f"there is no NVIDIA driver ({_first_line(problem)})",
            "install NVIDIA's display driver for this system, libcuda",
        ) from problem
    if int(status):
        raise missing(
            f"the NVIDIA driver does not start ({status_name(binding, status)})",
            "`nvidia-smi` should list a GPU; in a container, give it one (`--gpus all`)",
        )
    return binding


def missing(what: str, remedy: str) -> TargetError:
    return TargetError(
        f"[E0905] code for a GPU cannot be run here: {what}\n  help: {remedy}\n  help: {_ELSEWHERE}",
        code="E0905",
    )


def status_name(binding: Any, status: Any) -> str:
    """What the driver calls an error: CUDA_ERROR_OUT_OF_MEMORY."""
    failed, name = binding.cuGetErrorName(status)
    return _text(name) if not int(failed) else f"error {int(status)}"


def status_text(binding: Any, status: Any) -> str:
    """The driver's sentence about an error, "" where it has none."""
    failed, text = binding.cuGetErrorString(status)
    return _text(text) if not int(failed) else ""


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _first_line(problem: BaseException) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(problem).__name__
