"""Arrays in the memory of a GPU: what functions give, and what other libraries take without a copy."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tdsl.errors import CallError
from tdsl.gpu.driver import dlpack
from tdsl.gpu.driver.device import Device
from tdsl.gpu.driver.memory import Block
from tdsl.gpu.driver.status import Pending
from tdsl.gpu.driver.streams import handle_of, is_lasting
from tdsl.gpu.driver.work import Work


class DeviceArray:
    """A contiguous array on a GPU. It may still be under way: whoever copies it to this processor
    waits, and learns then of a position that was out of range.

    torch.from_dlpack(x), cupy.asarray(x) and jax.dlpack.from_dlpack(x) share its memory;
    x.numpy() and np.asarray(x) copy it.
    """

    __slots__ = ("__weakref__", "_block", "_given_to", "_offset", "_pending", "dtype", "shape")

    def __init__(
        self,
        block: Block,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        pending: Iterable[Pending] = (),
        offset: int = 0,
    ) -> None:
        self._block = block
        self._offset = offset
        self._pending = tuple(pending)
        self._given_to = ""
        self.dtype = dtype
        self.shape = shape

    # --- what it is

    @property
    def block(self) -> Block:
        """The memory it lies in, perhaps with others; an error once it was donated."""
        if self._given_to:
            raise CallError(
                f"[E0707] this array was donated to `{self._given_to}`: its memory holds a result of"
                " that call, which is to be used in its place",
                code="E0707",
            )
        return self._block

    @property
    def pointer(self) -> int:
        return self.block.address + self._offset

    @property
    def on(self) -> Device:
        return self._block.device

    @property
    def device(self) -> str:
        """`cuda:0`"""
        return str(self._block.device)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def is_whole(self) -> bool:
        """Whether it has its block for itself, as far as it can know."""
        return self._offset == 0 and self.nbytes == self._block.bytes

    @property
    def pending(self) -> tuple[Pending, ...]:
        """What is not known yet of the calls that it comes from, or is known to be wrong."""
        self._pending = tuple(one for one in self._pending if not one.is_well)
        return self._pending

    def __repr__(self) -> str:
        shape = f"[{', '.join(map(str, self.shape))}]" if self.shape else ""
        given = f", donated to {self._given_to}" if self._given_to else ""
        return f"<tdsl.DeviceArray {self.dtype.name}{shape} on {self.device}{given}>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def give_up(self, function: str) -> None:
        """Refuse to be used from now on: the memory holds a result of this function."""
        self._given_to = function

    # --- parts

    def __getitem__(self, index: Any) -> DeviceArray:
        """Items and slices of the first axes, which lie together in memory."""
        indices = [
            one for one in (index if isinstance(index, tuple) else (index,)) if one is not ...
        ]
        if len(indices) > self.ndim:
            raise IndexError(f"{len(indices)} indices for an array of {self.ndim} axes")
        shape, start, axis = list(self.shape), 0, 0
        for place, one in enumerate(indices):
            width = int(np.prod(shape[axis + 1 :], dtype=np.int64))
            if isinstance(one, slice):
                first, last, step = one.indices(shape[axis])
                whole = (first, last, step) == (0, shape[axis], 1)
                together = step == 1 and all(size == 1 for size in shape[:axis])
                if not whole and (not together or first >= last):
                    raise _not_together()
                start += first * width
                shape[axis] = last - first
                axis += 1
                continue
            number = operator.index(one)
            if not -shape[axis] <= number < shape[axis]:
                raise IndexError(f"position {number} on axis {place} of size {shape[axis]}")
            if any(size != 1 for size in shape[:axis]):
                raise _not_together()
            start += number % shape[axis] * width
            del shape[axis]
        offset = self._offset + start * self.dtype.itemsize
        return DeviceArray(self.block, self.dtype, tuple(shape), self._pending, offset)

    # --- copies

    def numpy(self) -> np.ndarray[Any, Any]:
        """A copy in the memory of this processor, once everything is computed."""
        made = np.empty(self.shape, self.dtype)
        block, pointer = self.block, self.pointer
        device = block.device
        with device.use():
            block.wait_to_read(device.side)
            device.api.copy_out(made.ctypes.data, pointer, made.nbytes, device.side)
            device.api.synchronize_stream(device.side)
            self._check()
        return made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("an array on a GPU can only be had as a copy")
        made = self.numpy()
        return made if dtype is None else made.astype(dtype, copy=False)

    def item(self) -> Any:
        """The one element."""
        return self.numpy().item()

    def synchronize(self) -> DeviceArray:
        """Wait until it is computed; an IndexError tells of a position that was out of range."""
        block = self.block
        with block.device.use():
            if block.written is not None:
                block.written[1].synchronize()
            self._check()
        return self

    def _check(self) -> None:
        for one in self.pending:
            one.check()

    # --- for other libraries

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, self.on.ordinal

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.device}; copy it with .numpy() first")
        if copy:
            raise BufferError("DLPack shares the array's memory; copy what it gives")
        self._make_ready(stream)
        versioned = max_version is not None and max_version[0] >= 1
        pointer, device = self.pointer, self.on.ordinal
        return dlpack.make(pointer, device, self.dtype, self.shape, self, versioned)

    def _make_ready(self, stream: int | None) -> None:
        """Before others use the memory on a stream, in DLPack's numbers."""
        block, device = self.block, self.on
        with device.use():
            for one in self.pending:
                device.watch(one)
            if stream != -1:
                handle = handle_of(stream)
                block.wait_to_read(handle)
                block.exported.add(handle if is_lasting(handle, device.ordinal) else None)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self._make_ready(None)
        typestr = self.dtype.str
        if typestr.startswith(("<V", "|V")):
            raise AttributeError(f"__cuda_array_interface__ has no name for {self.dtype.name}")
        return {
            "shape": self.shape,
            "typestr": typestr,
            "data": (self.pointer, False),
            "strides": None,
            "stream": dlpack.LEGACY_STREAM,
            "version": 3,
        }


def _not_together() -> IndexError:
    return IndexError(
        "only items and slices of the first axes of an array on a GPU are arrays of their own;"
        " use torch.from_dlpack(x), cupy.asarray(x), or x.numpy()"
    )


def to_device(array: np.ndarray[Any, Any], device: Device, stream: Any = None) -> DeviceArray:
    """A copy of an array on a device."""
    (made,) = to_device_all([array], device, stream)
    return made


def to_device_all(
    arrays: Sequence[np.ndarray[Any, Any]], device: Device, stream: Any = None
) -> list[DeviceArray]:
    """Copies of arrays on a device, each in memory of its own."""
    with device.use(), Work(device, handle_of(stream)) as work:
        made: list[DeviceArray] = []
        for array in arrays:
            plain = np.ascontiguousarray(array).reshape(array.shape)
            block = work.block(max(plain.nbytes, 1))
            work.put(block.address, plain)
            made.append(DeviceArray(block, plain.dtype, plain.shape))
    return made
