"""Arrays of PyTorch and JAX: shared with native code going in, and given back as theirs.

Arrays of any other library go in by DLPack or `__array__` (runtime/arrays.py) and come back as
NumPy's. No framework is imported here: an array of one shows that it was.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]


class NotShared(Exception):
    """An array that native code cannot read where it lies; `found` says what it is, `help` what to
    do about that."""

    def __init__(self, found: str, help: str) -> None:
        super().__init__(found)
        self.found = found
        self.help = help


@dataclass(frozen=True)
class Framework:
    """How a library's arrays become NumPy's, and the other way round: both without a copy where
    the library can."""

    share: Callable[[Any], Array]
    give: Callable[[Array], Any]


def framework_of(value: object) -> Framework | None:
    """The framework whose array this is; None for NumPy's and all others."""
    # By the modules that are loaded: also for classes that others derive from theirs.
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return TORCH
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(value, getattr(jax, "Array", ())):
        return JAX
    return None


# --- PyTorch


def _share_torch(value: Any) -> Array:
    import torch

    if value.device.type != "cpu":
        raise NotShared(f"a tensor on {value.device}", "pass `{name}.cpu()`")
    if value.layout != torch.strided:
        raise NotShared(f"a tensor with {value.layout}", "pass `{name}.to_dense()`")
    if value.requires_grad and torch.is_grad_enabled():
        raise NotShared(
            "a tensor that requires gradients, which TDSL does not compute",
            "pass `{name}.detach()`, or call inside of `torch.no_grad()`",
        )
    value = value.detach().resolve_neg()
    if value.dtype == torch.bfloat16:  # NumPy knows no such type
        return np.from_dlpack(value.view(torch.int16)).view(ml_dtypes.bfloat16)
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        raise NotShared(f"a tensor of {value.dtype}", "convert it with `{name}.to(…)`") from problem


def _give_torch(array: Array) -> Any:
    import torch

    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


# --- JAX


def _share_jax(value: Any) -> Array:
    import jax

    if isinstance(value, jax.core.Tracer):
        raise NotShared(
            "a value that JAX traces",
            "TDSL functions run outside of `jax.jit` and `jax.grad`; inside, use"
            " `jax.pure_callback`",
        )
    if any(device.platform != "cpu" for device in value.devices()):
        (device, *_) = value.devices()
        raise NotShared(f"an array on {device}", "pass `jax.device_get({name})`")
    return np.asarray(value)


def _give_jax(array: Array) -> Any:
    import jax.numpy

    return jax.numpy.asarray(array)


TORCH = Framework(_share_torch, _give_torch)
JAX = Framework(_share_jax, _give_jax)
