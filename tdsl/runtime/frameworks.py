"""Arrays of PyTorch and JAX: shared with native code going in, and given back as theirs.

Arrays of any other library go in by DLPack or `__array__` (runtime/arrays.py) and come back as
NumPy's. No framework is imported here: an array of one shows that it was.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import msgspec
import numpy as np

Array = np.ndarray[Any, Any]


class NotShared(Exception):
    """An array that native code cannot read where it lies; `found` says what it is, `help` what to
    do about that."""

    def __init__(self, found: str, help: str) -> None:
        super().__init__(found)
        self.found = found
        self.help = help


class Framework(msgspec.Struct, frozen=True):
    """How a library's arrays become NumPy's, and the other way round: both without a copy where
    the library can. `cast` is how its users write that `{name}` gets `{dtype}`, a name of NumPy's."""

    share: Callable[[Any], Array]
    give: Callable[[Array], Any]
    cast: str


def from_dlpack(value: Any) -> Array:
    """NumPy's, which takes a capsule without memory for a wish to have some."""
    array: Array = np.from_dlpack(value)
    if array.flags.owndata and array.size:
        raise BufferError("it has no memory")
    return array


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
    unpack_dual: Callable[[Any], Any] = torch.autograd.forward_ad.unpack_dual
    if unpack_dual(value).tangent is not None:
        raise NotShared(
            "a tensor with a forward gradient, which TDSL does not compute",
            "pass `torch.autograd.forward_ad.unpack_dual({name}).primal`",
        )
    value = value.detach()
    try:
        value = value.resolve_neg()
        if value.dtype == torch.bfloat16:  # NumPy knows no such type
            import ml_dtypes

            return from_dlpack(value.view(torch.int16)).view(ml_dtypes.bfloat16)
        return from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        raise _not_shared_torch(value, problem) from problem


def _not_shared_torch(value: Any, problem: Exception) -> NotShared:
    found = f"a tensor of {value.dtype}"
    if value.is_quantized:
        return NotShared(found, "pass `{name}.dequantize()`")
    if value.is_complex():
        return NotShared(found, "pass the real and imaginary parts: `{name}.real`, `{name}.imag`")
    if value.dtype.itemsize == 1 and value.is_floating_point():
        return NotShared(found, "convert it: `{name}.to(torch.float32)`")
    return NotShared(
        f"a {type(value).__name__} whose elements do not lie in memory ({problem})",
        "pass a plain tensor; inside of `torch.func`, `torch.export` and fake tensors TDSL"
        " functions cannot run",
    )


def _give_torch(array: Array) -> Any:
    import torch

    if array.dtype.name == "bfloat16":
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
    try:
        elsewhere = [device for device in value.devices() if device.platform != "cpu"]
        if not elsewhere:
            return np.asarray(value)
    except (RuntimeError, TypeError, ValueError) as problem:
        found = f"an array that JAX does not give ({problem})"
        raise NotShared(found, "pass one that is there, of numbers") from problem
    raise NotShared(f"an array on {elsewhere[0]}", "pass `jax.device_get({name})`")


def _give_jax(array: Array) -> Any:
    import jax

    if array.dtype.itemsize < 8:
        return jax.numpy.asarray(array)
    # Else JAX would keep half of each element, unless its user has turned that off.
    home = jax if hasattr(jax, "enable_x64") else import_module("jax.experimental")
    wide: Callable[[bool], AbstractContextManager[None]] = vars(home)["enable_x64"]
    with wide(True):
        return jax.numpy.asarray(array)


TORCH = Framework(_share_torch, _give_torch, "{name}.to(torch.{dtype})")
JAX = Framework(_share_jax, _give_jax, "{name}.astype(jax.numpy.{dtype})")
