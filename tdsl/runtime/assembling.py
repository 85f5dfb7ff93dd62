"""From the arrays that native code gave to the value of a call: structs, tuples and lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tdsl.runtime.arrays import Array
from tdsl.runtime.calling import Assemble
from tdsl.runtime.layout import (
    ArrayNode,
    ListNode,
    Node,
    StructNode,
    TupleNode,
    python_name,
    structs_of,
)
from tdsl.runtime.lists import StackedList
from tdsl.runtime.structs import Struct, StructClasses

Classes = Mapping[tuple[str, str], type[Struct]]
Nest = Callable[[Iterator[Array]], Any]


def assembler(node: Node, classes: StructClasses) -> Assemble | None:
    """How the arrays of a result become one Python value; None where it is one array."""
    if isinstance(node, ArrayNode):
        return None
    build = nested(node, classes_of(node, classes))
    return lambda arrays: build(iter(arrays))


def classes_of(node: Node, classes: StructClasses) -> Classes:
    """The classes of the structs in a tree, by module and name."""
    return {(type_.module, type_.name): classes.of(type_) for type_ in structs_of(node)}


def nested(node: Node, classes: Classes, depth: int = 0) -> Nest:
    """How arrays become one value, with lists stacked; `depth` counts the lists around it."""
    match node:
        case ArrayNode():
            return next
        case TupleNode(items):
            parts = [nested(item, classes, depth) for item in items]
            return lambda arrays: tuple([part(arrays) for part in parts])
        case StructNode(fields, type_):
            made = classes[type_.module, type_.name]
            values = [nested(field, classes, depth) for _, field in fields]
            return lambda arrays: made(*[value(arrays) for value in values])
        case ListNode(item):
            stacked = nested(item, classes, depth + 1)
            return lambda arrays: StackedList.of_result(stacked(arrays), depth)


def leaves_of(node: Node, value: Any) -> list[Array]:
    """The arrays of a result, from native code or from the evaluator, with lists stacked."""
    match node:
        case ArrayNode():
            return [np.asarray(value)]
        case TupleNode(items):
            return [a for item, v in zip(items, value, strict=True) for a in leaves_of(item, v)]
        case StructNode(fields):
            return [a for name, field in fields for a in leaves_of(field, _field(value, name))]
        case ListNode(item):
            if isinstance(value, StackedList):
                return leaves_of(item, value.stacked)
            columns = zip(*(leaves_of(item, part) for part in value), strict=True)
            return [np.stack(column) for column in columns]


def _field(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, Mapping) else getattr(value, python_name(name))
