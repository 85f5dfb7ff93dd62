"""Take values of a call apart into arrays, by the tree of each parameter; note all that does not fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Literal

import msgspec
import numpy as np

from tdsl.errors import CallError
from tdsl.runtime.arrays import Array, WeakNumber, describe
from tdsl.runtime.layout import (
    ArrayNode,
    Layout,
    ListNode,
    Node,
    StructNode,
    TupleNode,
    arrays_of,
    python_name,
)
from tdsl.runtime.lists import StackedList
from tdsl.types.sizes import Size

ProblemKind = Literal["missing", "unknown", "kind"]
_ABSENT: Any = object()


class One(msgspec.Struct, frozen=True):
    """A value for one array. `lengths` are those of the lists that its first axes stand for."""

    value: Any
    path: str
    array: ArrayNode
    lengths: tuple[Size, ...]


class Many(msgspec.Struct, frozen=True):
    """Items of a list that are to be stacked along an axis."""

    items: tuple[Given, ...]
    axis: int
    length: Size
    path: str  # of the list


Given = One | Many


class Conversion(msgspec.Struct, frozen=True):
    """An array of the call after it was looked at by itself: what it is, or what is wrong."""

    one: One
    value: Array | WeakNumber | None
    error: CallError | None


class Ragged(Exception):
    """An item of a list has another shape than the first one."""

    def __init__(
        self, given: Many, number: int, first: tuple[int, ...], found: tuple[int, ...]
    ) -> None:
        super().__init__(given.path)
        self.given, self.number, self.first, self.found = given, number, first, found


class Problem(msgspec.Struct, frozen=True):
    """A part of an argument that is missing, unknown, or of another kind."""

    kind: ProblemKind
    path: str
    text: str  # for "missing" and "unknown" the name of it; for "kind" what it must be
    node: Node | None  # what is wanted there


def gather(layout: Layout, values: list[Any]) -> tuple[list[Given], list[Problem]]:
    """What is given for each array of the function; incomplete where there are problems."""
    gathering = _Gathering(layout)
    found: list[Given] = []
    for (name, _), node, value in zip(
        layout.signature.parameters, layout.parameters, values, strict=True
    ):
        found += gathering.collect(node, value, name, ())
    return found, gathering.problems


def first_items(given: Given) -> tuple[One, dict[int, str]]:
    """What the first item of each list that is given by its items has; and, by axis of the stacked
    array, the paths of those lists."""
    lists: dict[int, str] = {}
    while isinstance(given, Many):
        # The axis counts those before it in an item, where those of the lists around it are absent.
        lists[given.axis + len(lists)] = given.path
        given = given.items[0]
    return given, lists


def ones(given: Given) -> Iterator[One]:
    if isinstance(given, One):
        yield given
    else:
        for item in given.items:
            yield from ones(item)


class _Flat(dict[str, Any]):
    """Entries of a mapping with dotted names that begin alike."""


class _Gathering:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.problems: list[Problem] = []

    def collect(self, node: Node, value: Any, path: str, lengths: tuple[Size, ...]) -> list[Given]:
        match node:
            case ArrayNode():
                return [One(value, path, node, lengths)]
            case StructNode():
                return self.of_struct(node, value, path, lengths)
            case TupleNode():
                return self.of_tuple(node, value, path, lengths)
            case ListNode():
                return self.of_list(node, value, path, lengths)

    def report(self, kind: ProblemKind, path: str, text: str, node: Node | None) -> list[Given]:
        self.problems.append(Problem(kind, path, text, node))
        return []

    def wrong_kind(self, node: Node, value: Any, path: str, hint: str) -> list[Given]:
        wanted = self.shown(node)
        return self.report("kind", path, f"must be {wanted}, not {describe(value)}: {hint}", node)

    def shown(self, node: Node) -> str:
        return f"`{self.layout.shown(node.type)}`"

    def missing(self, node: Node, path: str) -> list[Given]:
        return self.report("missing", path, f"`{path}: {self.layout.shown(node.type)}`", node)

    # --- structs

    def of_struct(
        self, node: StructNode, value: Any, path: str, lengths: tuple[Size, ...]
    ) -> list[Given]:
        names = [name for name, _ in node.fields]
        parts = self.fields(value, names, path)
        if parts is None:
            listed = ", ".join(names)
            article = "an" if node.type.name[0] in "AEIOU" else "a"
            hint = f"give {article} {node.type.name}, a dict or an object with {listed}"
            return self.wrong_kind(node, value, path, hint)
        found: list[Given] = []
        for name, inner in node.fields:
            part = parts.pop(name, _ABSENT)
            if part is _ABSENT:
                part = parts.pop(python_name(name), _ABSENT)
            if part is _ABSENT:
                found += self.missing(inner, f"{path}.{name}")
            else:
                found += self.collect(inner, part, f"{path}.{name}", lengths)
        for name in parts:
            from difflib import get_close_matches  # only where a word is misspelled

            near = get_close_matches(name, names, 1)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            self.report("unknown", f"{path}.{name}", f"`{path}.{name}`{hint}", None)
        return found

    def fields(self, value: Any, names: list[str], path: str) -> dict[str, Any] | None:
        """What an object holds by name; None for one that has no fields at all."""
        if isinstance(value, Mapping):
            return self.entries(value, path)
        if isinstance(value, type) or value is None:
            return None
        if dataclasses.is_dataclass(value):
            every = [field.name for field in dataclasses.fields(value)]
        elif isinstance(value, tuple):
            every = [*getattr(value, "_fields", ())]
        elif isinstance(value, SimpleNamespace):
            every = [*vars(value)]
        elif isinstance(value, np.ndarray | np.generic | StackedList | str | bytes | int | float):
            return None
        else:
            # An object of another library: what else it has is its own business.
            every = [python_name(name) for name in names]
        found = {name: getattr(value, name) for name in every if hasattr(value, name)}
        return found or None

    def entries(self, value: Mapping[Any, Any], path: str) -> dict[str, Any]:
        """A mapping by the first parts of its names: `{"a.b": x}` is `{"a": {"b": x}}`."""
        found: dict[str, Any] = {}
        for key in value:
            head, dot, rest = str(key).partition(".")
            known = found.get(head, _ABSENT)
            if not dot and known is _ABSENT:
                found[head] = value[key]
            elif dot and known is _ABSENT:
                found[head] = _Flat({rest: value[key]})
            elif dot and isinstance(known, _Flat):
                known[rest] = value[key]
            else:
                text = f"`{path}.{head}`, which is given both whole and by its parts"
                self.report("unknown", f"{path}.{head}", text, None)
        return found

    # --- tuples and lists

    def of_tuple(
        self, node: TupleNode, value: Any, path: str, lengths: tuple[Size, ...]
    ) -> list[Given]:
        count = len(node.items)
        if not isinstance(value, tuple | list) or len(value) != count:
            of = f" of {len(value)}" if isinstance(value, tuple | list) else ""
            return self.report(
                "kind",
                path,
                f"must be a tuple of {count} items, {self.shown(node)}, not {describe(value)}{of}",
                node,
            )
        found: list[Given] = []
        for number, (item, part) in enumerate(zip(node.items, value, strict=True)):
            found += self.collect(item, part, f"{path}[{number}]", lengths)
        return found

    def of_list(
        self, node: ListNode, value: Any, path: str, lengths: tuple[Size, ...]
    ) -> list[Given]:
        inner = (*lengths, node.length)
        if isinstance(value, StackedList):
            if value.axis != len(lengths):
                return self.report(
                    "kind",
                    path,
                    f"is the list of one field over all items of {value.axis} lists around it:"
                    " take an item of those, or pass them as a whole",
                    node,
                )
            return self.collect(node.item, value.stacked, path, inner)
        if isinstance(value, Mapping):
            entries = self.entries(value, path)
            if not entries or not all(map(_is_number, entries)):
                return self.stacked(node, entries, path, inner)
            return self.numbered(node, entries, path, lengths)
        if isinstance(node.item, ArrayNode | ListNode) and _is_array(value):
            return self.stacked(node, value, path, inner)
        if isinstance(node.item, StructNode) and not _is_sequence(value):
            names = [name for name, _ in node.item.fields]
            if self.fields(value, names, path) is not None:
                return self.stacked(node, value, path, inner)
        if not _is_sequence(value):
            return self.wrong_kind(node, value, path, "give a list of its items")
        return self.items(node, list(value), path, lengths)

    def stacked(
        self, node: ListNode, value: Any, path: str, inner: tuple[Size, ...]
    ) -> list[Given]:
        """One value whose arrays hold all items; where each lacks just that axis, it is one item."""
        found = self.collect(node.item, value, path, inner)
        every = [one for given in found for one in ones(given)]
        if not every or not all(map(_is_one_item, every)):
            return found
        return self.report(
            "kind",
            path,
            f"is one {self.shown(node.item)} where {self.shown(node)} is wanted:"
            f" give a list of them, `[{path}]`",
            node,
        )

    def numbered(
        self, node: ListNode, entries: dict[str, Any], path: str, lengths: tuple[Size, ...]
    ) -> list[Given]:
        by_number = {int(name): part for name, part in entries.items()}
        last = max(by_number)
        if len(by_number) < len(entries):
            text = f"`{path}`, in which a number is written in two ways"
            return self.report("unknown", path, text, node)
        absent = last + 1 - len(by_number)
        if absent:
            first = next(number for number in range(last) if number not in by_number)
            more = f" and {absent - 1} more" if absent > 1 else ""
            text = f"`{path}[{first}]`{more}, where the last is `{path}[{last}]`"
            return self.report("missing", f"{path}[{first}]", text, node)
        return self.items(node, [by_number[n] for n in range(last + 1)], path, lengths)

    def items(
        self, node: ListNode, values: list[Any], path: str, lengths: tuple[Size, ...]
    ) -> list[Given]:
        if not values:
            return self.report("kind", path, "is empty; a list has 1 or more items in TDSL", node)
        rows = [
            self.collect(node.item, value, f"{path}[{number}]", lengths)
            for number, value in enumerate(values)
        ]
        count = sum(1 for _ in arrays_of(node.item))
        if any(len(row) != count for row in rows):
            return []  # reported already
        return [Many(tuple(c), len(lengths), node.length, path) for c in zip(*rows, strict=True)]


def _is_one_item(one: One) -> bool:
    """Whether the value has the axes of an item, and none for the list around it."""
    shape = one.array.type.shape
    rank = 0 if isinstance(one.value, int | float) else getattr(one.value, "ndim", None)
    return (
        all(isinstance(axis, Size) for axis in shape) and rank == len(shape) + len(one.lengths) - 1
    )


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (
        not isinstance(value, type)
        and (hasattr(value, "__array__") or hasattr(value, "__dlpack__"))
    )


def _is_number(name: str) -> bool:
    return name.isdecimal() and len(name) < 10


def _is_sequence(value: Any) -> bool:
    """Also the lists of other libraries; a named tuple is a struct of stacked arrays."""
    if isinstance(value, str | bytes | Mapping | type) or _is_array(value):
        return False
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")
