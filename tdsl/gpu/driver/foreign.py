"""Arrays of other libraries that are on a GPU: their memory going in, and theirs again coming out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tdsl.gpu.driver import dlpack
from tdsl.gpu.driver.api import Api
from tdsl.gpu.driver.array import DeviceArray


class NotUsable(Exception):
    """An array that kernels cannot read where it lies; `found` says what it is, `help` what to do."""

    def __init__(self, found: str, help: str) -> None:
        super().__init__(found)
        self.found = found
        self.help = help


@dataclass(frozen=True)
class Foreign:
    """Memory of somebody else, who keeps it while `owner` lives."""

    address: int
    ordinal: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    read_only: bool
    value: object
    """The array itself."""
    owner: object
    stream: int | None = None
    """On which the memory was made ready, where the one who made it says so."""

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


def is_on_gpu(value: object) -> bool:
    """Whether a value is an array in the memory of a GPU, of whatever library."""
    if isinstance(value, np.ndarray | np.generic | int | float):
        return False
    if isinstance(value, DeviceArray):
        return True
    if isinstance(value, type):
        return False
    device = getattr(value, "__dlpack_device__", None)
    if device is not None:
        try:
            return int(device()[0]) in (dlpack.CUDA, dlpack.CUDA_MANAGED)
        except (TypeError, ValueError, RuntimeError, BufferError, AttributeError):
            return False
    return hasattr(value, "__cuda_array_interface__")


def ordinal_of(value: Any, api: Api) -> int:
    """The number of the GPU that an array is on."""
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[1])
    return api.ordinal_of(int(value.__cuda_array_interface__["data"][0]))


def look_at(value: Any, ordinal: int, stream: int) -> Foreign:
    """The memory of an array, ready to be used on a stream."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        value = _plain_tensor(torch, value)
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value, ordinal, stream)
    return _of_interface(value, ordinal)


def _plain_tensor(torch: Any, value: Any) -> Any:
    if value.layout != torch.strided:
        raise NotUsable(f"a tensor with {value.layout}", "pass `{name}.to_dense()`")
    if value.requires_grad and torch.is_grad_enabled():
        raise NotUsable(
            "a tensor that requires gradients, which TDSL does not compute",
            "pass `{name}.detach()`, or call inside of `torch.no_grad()`",
        )
    return value.detach().resolve_neg()


def _of_dlpack(value: Any, ordinal: int, stream: int) -> Foreign:
    number = stream or dlpack.LEGACY_STREAM
    try:
        try:
            capsule = value.__dlpack__(stream=number, max_version=(1, 0))
        except TypeError:  # from before there were versions
            capsule = value.__dlpack__(stream=number)
        seen = dlpack.read(capsule)
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        raise NotUsable(f"a {_name(value)} that cannot be shared ({problem})", _HELP) from problem
    if seen.strides is not None and not _in_order(seen.shape, seen.strides):
        raise _scattered(value)
    return Foreign(
        seen.address, ordinal, seen.dtype, seen.shape, seen.read_only, value, seen.capsule, stream
    )


def _of_interface(value: Any, ordinal: int) -> Foreign:
    known = value.__cuda_array_interface__
    try:
        dtype, shape = np.dtype(known["typestr"]), tuple(known["shape"])
        address, read_only = known["data"]
        strides = known.get("strides")
        stream = known.get("stream")
    except (KeyError, TypeError, ValueError) as problem:
        raise NotUsable(f"a {_name(value)} that cannot be shared ({problem!r})", _HELP) from problem
    if strides is not None:
        elements = tuple(stride // dtype.itemsize for stride in strides)
        if not _in_order(shape, elements):
            raise _scattered(value)
    ready = None if stream is None else (0 if stream == dlpack.LEGACY_STREAM else int(stream))
    return Foreign(int(address), ordinal, dtype, shape, bool(read_only), value, value, ready)


_HELP = "copy it: `np.asarray({name})`, or to an array of PyTorch or CuPy"


def _scattered(value: Any) -> NotUsable:
    torch = type(value).__module__.partition(".")[0] == "torch"
    how = "{name}.contiguous()" if torch else "cupy.ascontiguousarray({name})"
    return NotUsable(f"a {_name(value)} whose rows do not lie one after another", f"pass `{how}`")


def _in_order(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    wanted = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != wanted:
            return False
        wanted *= size
    return True


def _name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__name__}"


def giver_like(value: object) -> Callable[[DeviceArray], Any]:
    """What makes a result an array of the library that this one is of, in the same memory."""
    library = type(value).__module__.partition(".")[0]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        library = "torch"
    if library in ("jax", "jaxlib"):
        jax = sys.modules.get("jax.dlpack")
        if jax is None:
            import importlib

            jax = importlib.import_module("jax.dlpack")
        return lambda array: jax.from_dlpack(array)
    if library in ("torch", "cupy"):
        module = sys.modules[library]
        return lambda array: module.from_dlpack(array)
    return lambda array: array
