"""The fast way through prepared arguments: structs whose lists are stacked, read field by field."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from tdsl.runtime.arrays import PLAIN, Array, WeakNumber
from tdsl.runtime.bound import Bound, form, stand_ins
from tdsl.runtime.layout import ArrayNode, Layout, ListNode, Node, StructNode, python_name
from tdsl.runtime.lists import StackedList

# What tells a plan: classes, dtypes, shapes.
Key = tuple[Any, ...]
_WEAK: dict[type, Any] = {int: "int", float: "float", bool: "bool"}


Read = tuple[list[Any], list[Array | WeakNumber], list[tuple[int, int, Bound]]]
"""The beginning of a key; the arrays; and bound weights: which parameter they are for, and the place
of the first of their arrays, for which there are none with elements."""


class Reader:
    """Reads the arguments of one function without looking at what they are: classes and shapes
    become a key, under which a plan is found if the same were checked before."""

    __slots__ = ("getters",)

    def __init__(self, getters: Sequence[tuple[Callable[[Any], Any] | None, int]]) -> None:
        self.getters = tuple(getters)
        """For each parameter what reads classes and arrays from its value, and how many classes;
        none where the value is the array."""

    @staticmethod
    def of(layout: Layout) -> Reader | None:
        """None where a parameter has tuples: those are rare, and go the slow way."""
        getters: list[tuple[Callable[[Any], Any] | None, int]] = []
        for node in layout.parameters:
            if isinstance(node, ArrayNode):
                getters.append((None, 0))
                continue
            classes, arrays = ["__class__"], list[str]()
            if not _paths(node, "", classes, arrays):
                return None
            getters.append((attrgetter(*classes, *arrays), len(classes)))
        return Reader(getters)

    def read(self, values: Sequence[Any]) -> Read | None:
        """None for what has to go the slow way."""
        key: list[Any] = []
        found: list[Array | WeakNumber] = []
        weights: list[tuple[int, int, Bound]] = []
        add, take, array_type, wanted = key.append, found.append, np.ndarray, PLAIN
        try:
            for place, (value, (getter, count)) in enumerate(
                zip(values, self.getters, strict=True)
            ):
                if getter is None:
                    parts: Sequence[Any] = (value,)
                elif type(value) is Bound:
                    add(Bound)
                    add(form(value))
                    weights.append((place, len(found), value))
                    found += stand_ins(value)
                    continue
                else:
                    parts = getter(value)
                    key += parts[:count]
                    parts = parts[count:]
                for array in parts:
                    if type(array) is not array_type:
                        if type(array) in _WEAK:
                            kind = _WEAK[type(array)]
                            take(WeakNumber(array, kind))
                            add(WeakNumber)
                            add(kind)
                            continue
                        if not isinstance(array, np.generic):
                            return None
                        array = np.asarray(array)
                    if array.flags.num & wanted != wanted:
                        return None
                    take(array)
                    add(array.dtype)
                    add(array.shape)
        except (AttributeError, TypeError, ValueError):
            return None
        return key, found, weights

    @staticmethod
    def is_closed(key: Sequence[Any]) -> bool:
        """Whether the classes in a key say all about the fields of their instances: only then may
        another instance skip the check for unknown fields."""
        return all(
            not isinstance(part, type)
            or part is WeakNumber
            or part is StackedList
            or part is Bound
            or dataclasses.is_dataclass(part)
            or (issubclass(part, tuple) and hasattr(part, "_fields"))
            for part in key
        )


def _paths(node: Node, path: str, classes: list[str], arrays: list[str]) -> bool:
    """Collect dotted names of the arrays, and of all that decides what these mean."""
    joint = f"{path}." if path else ""
    match node:
        case ArrayNode():
            arrays.append(path)
            return True
        case StructNode(fields):
            for name, field in fields:
                inner = joint + python_name(name)
                if not isinstance(field, ArrayNode):
                    classes.append(f"{inner}.__class__")
                if not _paths(field, inner, classes, arrays):
                    return False
            return True
        case ListNode(item):
            classes.append(f"{joint}axis")
            if not isinstance(item, ArrayNode):
                classes.append(f"{joint}stacked.__class__")
            return _paths(item, f"{joint}stacked", classes, arrays)
        case _:
            return False
