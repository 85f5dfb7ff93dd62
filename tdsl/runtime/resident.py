"""Weights that lie on a GPU: bound once, and passed to any number of calls there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tdsl.gpu.driver.array import DeviceArray, to_device_all
from tdsl.gpu.driver.opened import device_named
from tdsl.runtime.arrays import Array, describe_type
from tdsl.runtime.assembling import nested
from tdsl.runtime.bound import Bound, arrays, outline, shown_size, structure
from tdsl.runtime.layout import StructNode, arrays_of, python_name

if TYPE_CHECKING:
    from tdsl.runtime.structs import Struct


def resident(weights: Bound, device: str | int) -> ResidentWeights:
    """The same weights on a device. What they were read from is no longer needed then."""
    on = device_named(device)
    given = arrays(weights)
    every = {_key(array): array for array in given}  # a tied head is there once
    copies = dict(zip(every, to_device_all([*every.values()], on), strict=True))
    for one in copies.values():
        one.synchronize()
    return ResidentWeights(weights, [copies[_key(array)] for array in given])


def _key(array: Array) -> tuple[Any, ...]:
    return array.ctypes.data, array.strides, array.shape, array.dtype


class ResidentWeights:
    """A struct of weights on a GPU. It is passed where a function for that GPU takes the struct, and
    cannot change; its attributes are the struct's fields, as arrays there.

    What it is made by is `m.GPT2.bind(…, device="cuda:0")`.
    """

    __slots__ = ("__weakref__", "_arrays", "_name", "_names", "_node", "struct")
    _arrays: list[DeviceArray]
    _name: str
    struct: Struct

    def __init__(self, weights: Bound, copies: list[DeviceArray]) -> None:
        set_ = object.__setattr__
        node, classes = structure(weights)
        set_(self, "_node", node)
        set_(self, "_arrays", copies)
        set_(self, "_name", type(outline(weights)).__name__)
        set_(self, "struct", nested(node, classes)(iter(copies)))  # type: ignore[arg-type]

    @property
    def device(self) -> str:
        """`cuda:0`"""
        return self._arrays[0].device

    @property
    def nbytes(self) -> int:
        """Of all weights together."""
        return sum(array.nbytes for array in {id(one): one for one in self._arrays}.values())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.struct, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"bound weights cannot change; bind again with another {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("bound weights cannot change")

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            f"weights on {self.device} cannot be pickled: bind them anew in the other process"
        )

    def __copy__(self) -> ResidentWeights:
        return self

    def __deepcopy__(self, memo: object) -> ResidentWeights:
        return self

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={_shown(part)}" for name, part in self._parts())
        return f"<bound {self._name}({parts}), {shown_size(self.nbytes)} on {self.device}>"

    def _parts(self) -> Iterator[tuple[str, Any]]:
        node = self._node
        assert isinstance(node, StructNode)
        for name, _ in node.fields:
            yield python_name(name), getattr(self.struct, python_name(name))


def _shown(value: Any) -> str:
    if isinstance(value, DeviceArray):
        return describe_type(np.dtype(value.dtype), value.shape)
    return repr(value)


def leaves_of(weights: ResidentWeights) -> list[DeviceArray]:
    return weights._arrays


__all__ = ["ResidentWeights", "arrays_of", "leaves_of", "resident"]
