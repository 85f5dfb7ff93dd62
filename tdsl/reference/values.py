"""Arguments as the evaluator holds them: arrays in tuples, lists and dicts, as their type says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tdsl.check import typed
from tdsl.ops.primitive import InternalError
from tdsl.types.types import ListType, StructType, TupleType, Type

Value = Any


def definition(program: typed.Program, type_: Type) -> typed.Struct:
    """The struct that a type is an instance of."""
    if not isinstance(type_, StructType):
        raise InternalError(f"{type_} is no struct")
    return program.modules[type_.module].structs[type_.name]


def as_declared(program: typed.Program, type_: Type, value: Value) -> Value:
    """The value with the nesting of its type: stacked lists taken apart, fields in order."""
    match type_:
        case TupleType(items):
            return tuple(
                as_declared(program, item, part) for item, part in zip(items, value, strict=True)
            )
        case ListType(item):
            parts = value if isinstance(value, list | tuple) else _unstacked(value)
            return [as_declared(program, item, part) for part in parts]
        case StructType():
            return {
                field.name: as_declared(program, field.type, value[field.name])
                for field in definition(program, type_).fields
            }
        case _:
            return np.asarray(value)


def _unstacked(value: Value) -> list[Value]:
    return [_at(value, position) for position in range(_length(value))]


def _length(value: Value) -> int:
    """How many items are stacked along the first axis: that of any array inside will do."""
    if isinstance(value, Mapping):
        return _length(next(iter(value.values())))
    return _length(value[0]) if isinstance(value, list | tuple) else len(np.asarray(value))


def _at(value: Value, position: int) -> Value:
    if isinstance(value, Mapping):
        return {name: _at(field, position) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_at(item, position) for item in value)
    return np.asarray(value)[position]
