"""Typed expressions of compile-time values: reading them as sizes, folding them, showing them."""

from __future__ import annotations

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.syntax.source import Span
from tdsl.types.dtypes import WeakKind
from tdsl.types.sizes import Shape, Size
from tdsl.types.types import (
    POISON,
    DTypeType,
    ListType,
    PoisonType,
    StringType,
    StructType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)


class DTypeValue(typed.Expression, frozen=True):
    """A dtype where a value could stand. Only while checking: builtins take it as an attribute."""


class StringValue(typed.Expression, frozen=True):
    """A string literal. Only while checking: builtins take it as an attribute."""

    text: str


class PackValue(typed.Expression, frozen=True):
    """What `...S` stands for; in the environment under the name `...S`."""

    shape: Shape


def poison(span: Span) -> typed.Poison:
    return typed.Poison(POISON, span)


def is_poisoned(expression: typed.Expression) -> bool:
    return isinstance(expression.type, PoisonType)


def size_number(size: Size, span: Span) -> typed.Number | typed.SizeNumber:
    literal = size.literal
    if literal is not None:
        return typed.Number(WeakType("int"), span, literal)
    return typed.SizeNumber(WeakType("int"), span, size)


def number(value: int | float | bool, span: Span) -> typed.Number:
    kind: WeakKind = "float"
    if isinstance(value, int):
        kind = "bool" if isinstance(value, bool) else "int"
    return typed.Number(WeakType(kind), span, value)


def static_size(expression: typed.Expression) -> Size | None:
    """The integer that an expression is known to be, or None."""
    if isinstance(expression, typed.Number):
        value = expression.value
        return Size.of(value) if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(expression, typed.SizeNumber) and expression.type == WeakType("int"):
        return expression.size
    return None


def is_static(expression: typed.Expression) -> bool:
    """Whether a `let` of it is but another way to write it."""
    if isinstance(expression, (typed.Number, typed.SizeNumber, DTypeValue, StringValue)):
        return True
    if isinstance(expression, (typed.MakeList, typed.MakeTuple)):
        return bool(expression.items) and all(map(is_static, expression.items))
    return False


def at(expression: typed.Expression, span: Span) -> typed.Expression:
    """The same expression, mentioned elsewhere."""
    return replace(expression, span=span)


def kind_of(type_: Type) -> str:
    """What a value is called in a message that is not about its sizes."""
    match type_:
        case TensorType(shape=()):
            return "a scalar"
        case TensorType():
            return "an array"
        case WeakType("int"):
            return "a compile-time integer"
        case WeakType("float"):
            return "a compile-time number"
        case WeakType("bool"):
            return "a compile-time bool"
        case StringType():
            return "a string"
        case DTypeType():
            return "a dtype"
        case TupleType():
            return "a tuple"
        case ListType():
            return "a list"
        case StructType(_, name):
            return f"the struct `{name}`"
        case _:
            return "a value"
