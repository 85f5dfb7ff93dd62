"""Lists of structs, tuples or arrays whose items lie stacked in one array a leaf."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from tdsl.errors import CallError
from tdsl.runtime.arrays import Array, describe

MOST_DEPTH = 64  # of what `stack` takes; deeper values are taken to contain themselves


class StackedList(Sequence[Any]):
    """A list as native code has it: `stacked` is one item whose arrays have an axis more, along
    which all items lie. Indexing gives items that are views; a call takes the whole as it is.

    `axis` is 0 but for a list that is itself part of a stacked item, as in `layers.stacked.heads`:
    there it counts the lists around it.
    """

    __slots__ = ("_given_to", "_length", "axis", "stacked")
    _length: int
    _given_to: str  # the function that the list was donated to
    axis: int
    stacked: Any

    def __init__(self, stacked: Any, axis: int = 0) -> None:
        lengths = {path: _length(array, axis) for path, array in _arrays(stacked, "")}
        if len({*lengths.values()}) > 1 or None in lengths.values():
            shown = ", ".join(
                f"`{path.lstrip('.') or 'item'}` has {length or 'none'}"
                for path, length in lengths.items()
            )
            raise ValueError(
                f"the arrays of a stacked list need one length on axis {axis}: {shown}"
            )
        if not lengths:
            raise ValueError("a stacked list needs an array in its items")
        set_ = object.__setattr__
        set_(self, "stacked", stacked)
        set_(self, "axis", axis)
        set_(self, "_given_to", "")
        set_(self, "_length", next(iter(lengths.values())))

    @staticmethod
    def of_result(stacked: Any, axis: int) -> StackedList:
        """Of arrays that are known to fit, as results are."""
        made = object.__new__(StackedList)
        set_ = object.__setattr__
        set_(made, "stacked", stacked)
        set_(made, "axis", axis)
        set_(made, "_length", -1)
        set_(made, "_given_to", "")
        return made

    def __len__(self) -> int:
        if self._length < 0:
            _, array = next(_arrays(self.stacked, ""))
            object.__setattr__(self, "_length", _length(array, self.axis))
        return self._length

    def __getitem__(self, index: Any) -> Any:
        axis = self.axis
        if isinstance(index, slice):
            return StackedList(mapped(self.stacked, lambda a: a[_at(axis, index)], axis, 0), axis)
        position = operator.index(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"item {position} of a list of {len(self)}")
        # An Ellipsis keeps what would become a NumPy scalar an array, and so a view.
        return mapped(self.stacked, lambda a: a[(*_at(axis, position), ...)], axis, 1)

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(len(self)))

    def give_up(self, function: str) -> None:
        """Have no items from now on: their memory holds a result of this function."""
        object.__setattr__(self, "_given_to", function)
        object.__delattr__(self, "stacked")

    def __getattr__(self, name: str) -> Any:
        # Reached only where there is no such attribute.
        if name == "stacked" and self._given_to:
            raise donated_error("this list", self._given_to)
        raise AttributeError(f"a stacked list has no attribute {name!r}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """A list of arrays is one array."""
        if not isinstance(self.stacked, np.ndarray):
            raise TypeError("only a list of arrays is an array; the items of this one are not")
        return np.array(self.stacked, dtype, copy=copy)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a stacked list cannot change; make a new one with another {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a stacked list cannot change")

    def __reduce__(self) -> tuple[Any, ...]:
        return (StackedList, (self.stacked, self.axis))

    def __repr__(self) -> str:
        if self._given_to:
            return f"<tdsl.StackedList donated to {self._given_to}>"
        return f"<tdsl.StackedList of {len(self)}: {shown(self.stacked)}>"


def stack(items: Sequence[Any]) -> StackedList:
    """A list to be passed many times, stacked once: one array for each array of an item.

    Items are instances of structs, dicts, dataclasses, tuples or arrays, all of one form; what is
    stacked is a copy of them.
    """
    if isinstance(items, StackedList):
        return items
    if isinstance(items, Mapping | str | bytes) or not _is_sequence(items):
        raise TypeError(f"stack takes a sequence of items, not {describe(items)}")
    return StackedList(_stacked(list(items), "items", 0))


def _stacked(items: list[Any], path: str, depth: int) -> Any:
    if depth > MOST_DEPTH:
        short = path if len(path) < 40 else f"{path[:40]}…"
        raise ValueError(f"{short} is nested more than {MOST_DEPTH} deep: does it contain itself?")
    if not items:
        raise ValueError(f"{path}: there is nothing to stack; a list has 1 or more items")
    if isinstance(items[0], StackedList | list):
        lists = [_as_list(item, f"{path}[{n}]", depth + 1) for n, item in enumerate(items)]
        inner = _stacked([one.stacked for one in lists], f"{path}[…]", depth + 1)
        return StackedList(inner, lists[0].axis + 1)
    first = items[0]
    parts = children(first)
    if parts is None:
        return _stacked_arrays(items, path)
    for number, item in enumerate(items):
        other = children(item)
        if other is None or other.keys() != parts.keys():
            raise ValueError(
                f"{path} are not of one form: item 0 is {shown(first)}, item {number} is"
                f" {shown(item)}"
            )
    columns = {
        name: _stacked(
            [(children(item) or {})[name] for item in items], f"{path}.{name}", depth + 1
        )
        for name in parts
    }
    return rebuilt(first, columns)


def _as_list(item: Any, path: str, depth: int) -> StackedList:
    if isinstance(item, StackedList):
        return item
    if not isinstance(item, list):
        raise ValueError(f"{path} is {describe(item)}, and other items are lists")
    return StackedList(_stacked(item, path, depth))


def _stacked_arrays(items: list[Any], path: str) -> Array:
    arrays = [np.asarray(item) for item in items]
    for number, array in enumerate(arrays):
        if array.dtype.hasobject:
            raise TypeError(f"{path}: item {number} is {describe(items[number])}, and no array")
        if array.shape != arrays[0].shape or array.dtype != arrays[0].dtype:
            raise ValueError(
                f"{path} differ: item 0 is {describe(arrays[0])}, item {number} is {describe(array)}"
            )
    return np.stack(arrays)


def donated_error(what: str, function: str) -> CallError:
    return CallError(
        f"[E0707] {what} was donated to `{function}`: its memory holds a result of that call, which"
        " is to be used in its place",
        code="E0707",
    )


# --- values that consist of others


def children(value: Any) -> dict[str, Any] | None:
    """The parts of a struct, mapping or tuple by name; None for what is no such thing."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): value[key] for key in value}
    if isinstance(value, SimpleNamespace):
        return dict(vars(value))
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None) or [f"[{n}]" for n in range(len(value))]
        return dict(zip(names, value, strict=True))
    return None


def rebuilt(like: Any, parts: Mapping[str, Any]) -> Any:
    """A value of the same kind with other parts."""
    if isinstance(like, Mapping):
        return dict(zip(like, parts.values(), strict=True))
    if isinstance(like, tuple):
        values = tuple(parts.values())
        return type(like)(*values) if hasattr(like, "_fields") else values
    return type(like)(**parts)


def shown(value: Any) -> str:
    """A value with its arrays as types: `Linear(w=f32[2, 3], b=f32[3])`."""
    if isinstance(value, StackedList):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]" if len(value) < 4 else f"a list of {len(value)}"
    parts = children(value)
    if parts is None:
        return describe(value) if isinstance(value, np.ndarray | np.generic) else repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {shown(part)}" for name, part in parts.items()) + "}"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return f"({', '.join(map(shown, value))})"
    inner = ", ".join(f"{name}={shown(part)}" for name, part in parts.items())
    return f"{type(value).__name__}({inner})"


def mapped(value: Any, change: Callable[[Array], Any], axis: int = 0, taken: int = 0) -> Any:
    """A value with its arrays changed; lists in it then have `taken` axes less before theirs."""
    if isinstance(value, StackedList):
        return StackedList(mapped(value.stacked, change, axis, taken), value.axis - taken)
    parts = children(value)
    if parts is None:
        return change(value)
    return rebuilt(value, {n: mapped(part, change, axis, taken) for n, part in parts.items()})


def _arrays(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, StackedList):
        yield from _arrays(value.stacked, path)
        return
    parts = children(value)
    if parts is None:
        yield path, value
        return
    for name, part in parts.items():
        yield from _arrays(part, f"{path}{'' if name.startswith('[') else '.'}{name}")


def _length(array: Any, axis: int) -> int | None:
    shape = getattr(array, "shape", ())
    return shape[axis] if len(shape) > axis else None


def _at(axis: int, index: Any) -> tuple[Any, ...]:
    return (*(slice(None),) * axis, index)


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")
