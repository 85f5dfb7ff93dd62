"""Weights that are in memory: nested dicts and lists, dataclasses, objects, torch state dicts."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np

from tdsl.runtime.arrays import Array, describe, is_masked
from tdsl.runtime.frameworks import NotShared, framework_of, from_dlpack
from tdsl.runtime.lists import MOST_DEPTH, StackedList
from tdsl.runtime.weights.stored import Stored, Unreadable

_NONE: Mapping[str, Any] = MappingProxyType({})


class ObjectSource:
    """What a Python value holds, by dotted names: keys of mappings, items of lists, attributes.

    Names with dots in them may be keys as well, so that `{"h.0.w": x}` is the same as
    `{"h": [{"w": x}]}`. Of objects that cannot list what they hold only the attributes that are
    asked for are looked at.
    """

    metadata: Mapping[str, Any] = _NONE

    def __init__(self, value: Any) -> None:
        _check_kind(value)
        # A module of torch holds its parameters in ways of its own, and lists them by name.
        listed = getattr(value, "state_dict", None)
        self.title = f"the {type(value).__name__}"
        if callable(listed) and not isinstance(value, Mapping | type):
            value = listed()
        self._listed: dict[str, Any] = {}
        self._open: dict[str, Any] = {}
        for name, part, is_open in _parts(value, "", 0):
            if name in self._listed or name in self._open:
                raise ValueError(
                    f"{self.title} holds `{name[:80]}` twice, once with dots in a key: which one is"
                    " meant?"
                )
            (self._open if is_open else self._listed)[name] = part

    def names(self) -> tuple[str, ...]:
        return tuple(self._listed)

    def find(self, name: str) -> Stored | Unreadable | None:
        if name in self._listed:
            return stored(name, self._listed[name])
        # The longest beginning that is an object with attributes.
        parts = name.split(".")
        for count in range(len(parts), -1, -1):
            beginning = ".".join(parts[:count])
            if beginning in self._open:
                value = self._open[beginning]
                for part in parts[count:]:
                    value = _part(value, part)
                    if value is None:
                        return None
                return stored(name, value)
        return None


_READERS = {".safetensors": "safetensors", ".gguf": "gguf", ".npz": "npz"}


def _check_kind(value: Any) -> None:
    """Refuse what holds no fields whatever it is."""
    if isinstance(value, str | bytes | os.PathLike):
        path = os.fsdecode(value)
        reader = _READERS.get(os.path.splitext(path)[1].lower())
        if reader is not None:
            how = f"open it: `tdsl.{reader}({path!r})`"
        else:
            how = (
                "open the file: `tdsl.safetensors(path)`, `tdsl.gguf(path)`, `tdsl.npz(path)`; what"
                " PyTorch saved: `torch.load(path, weights_only=True)`"
            )
        raise TypeError(f"bind takes what holds weights, not the path {path!r}: {how}")
    if value is None or isinstance(value, bool | int | float | complex | type) or _is_array(value):
        raise TypeError(
            "bind takes what holds weights by name (a file, a dict, a dataclass, a state dict), not"
            f" {describe(value)}"
        )


def _parts(value: Any, name: str, depth: int) -> Iterator[tuple[str, Any, bool]]:
    """Names, values, and whether a value is an object whose attributes are still to be asked for."""
    if depth > MOST_DEPTH:
        raise ValueError(f"`{name[:80]}` is nested more than {MOST_DEPTH} deep")
    found: dict[str, Any] | None = None
    if isinstance(value, StackedList):
        yield from _parts(value.stacked, name, depth + 1)
        return
    if isinstance(value, Mapping):
        found = {str(key): value[key] for key in value}
    elif isinstance(value, type) or _is_array(value):
        found = None
    elif dataclasses.is_dataclass(value):
        found = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        found = dict(zip(value._fields, value, strict=True))
    elif isinstance(value, SimpleNamespace):
        found = dict(vars(value))
    elif isinstance(value, list | tuple):
        found = {str(number): item for number, item in enumerate(value)}
    elif not isinstance(value, str | bytes | int | float | complex | None):
        yield name, value, True
        return
    if found is None:
        yield name, value, False
        return
    for key, part in found.items():
        yield from _parts(part, f"{name}.{key}" if name else key, depth + 1)


def _part(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, StackedList):
        return _part(value.stacked, name)
    if name.isdecimal() and hasattr(value, "__getitem__"):
        try:
            return value[int(name)]
        except (IndexError, KeyError, TypeError):
            return None
    return getattr(value, name, None)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) or (
        hasattr(value, "__array__") or hasattr(value, "__dlpack__")
    )


def stored(name: str, value: Any) -> Stored | Unreadable:
    """A value of an object as an array, without a copy where that can be."""
    if isinstance(value, bool | int | float):
        # A Python number fits every scalar of its kind: see `is_weak`.
        number = np.asarray(value)
        return Stored(name, number.dtype, (), "Python", lambda begin, end: number, False)
    try:
        found = as_array(value)
    except NotShared as problem:
        return Unreadable(name, f"{problem.found}: {problem.help.format(name=name)}")
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        return Unreadable(name, f"{describe(value)} that NumPy cannot read ({problem})")
    if is_masked(value):
        return Unreadable(name, "a masked array: pass `.filled(0)` of it")
    if found is None or found.dtype.hasobject:
        return Unreadable(name, describe(value))
    array = found

    def rows(begin: int, end: int) -> Array:
        return array[begin:end] if array.ndim else array

    return Stored(name, array.dtype, array.shape, describe(array), rows)


def as_array(value: Any) -> Array | None:
    """Without a copy where the value can be shared; None for what is no array."""
    if is_masked(value):
        return None
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    framework = framework_of(value)
    if framework is not None:
        # Weights that are being trained are read as they are now.
        return framework.share(value.detach() if hasattr(value, "detach") else value)
    if hasattr(value, "__dlpack__"):
        try:
            return from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError):
            if not hasattr(value, "__array__"):
                raise
    if not hasattr(value, "__array__"):
        return None
    found: Array = np.asarray(value)
    return found
