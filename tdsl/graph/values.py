"""What expressions stand for while a graph is built: arrays and numbers, nested as their types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from tdsl.check import typed
from tdsl.check.fields import fields_of
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import ArrayType, Node
from tdsl.ops.primitive import BOOL, I64, ONE, InternalError
from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.sizes import Pack, Size
from tdsl.types.types import (
    ListType,
    StructType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)

F64: Final = DTYPES["f64"]

Number = int | float | bool


class Stacked(msgspec.Struct, frozen=True):
    """A list as arrays: what an item is, with the list's length as the first axis of each array."""

    item: Value
    length: Size


# A tuple holds the items of a tuple, of a list that was written out, or the fields of a struct.
Value = Node | Number | tuple["Value", ...] | Stacked


def concrete(shape: Sequence[Size | Pack]) -> tuple[Size, ...]:
    """A shape in which every pack has been replaced."""
    sizes = tuple(size for size in shape if isinstance(size, Size))
    if len(sizes) != len(shape):
        raise InternalError("a pack has no value")
    return sizes


def natural(value: Number) -> DType:
    """What a compile-time number is computed in where it depends on an open size."""
    if isinstance(value, bool):
        return BOOL
    return I64 if isinstance(value, int) else F64


def dtype_of(type_: Type) -> DType | None:
    """The dtype of an array, also of a compile-time number that has to become one."""
    match type_:
        case TensorType(DType() as dtype):
            return dtype
        case WeakType(kind):
            return {"int": I64, "float": F64, "bool": BOOL}[kind]
    return None


class Layout:
    """Values and the arrays that they consist of, as their types say."""

    def __init__(self, program: typed.Program) -> None:
        self._program = program

    def parts(self, type_: Type) -> tuple[tuple[str, Type], ...] | None:
        """Name and type of the items of a tuple or fields of a struct; None for others."""
        if isinstance(type_, TupleType):
            return tuple((str(place), item) for place, item in enumerate(type_.items))
        return fields_of(self._program, type_) if isinstance(type_, StructType) else None

    def leaves(self, builder: GraphBuilder, value: Value, type_: Type) -> Iterator[Node]:
        """The arrays of a value, lists stacked; numbers become scalars of the type's dtype."""
        if isinstance(type_, ListType):
            yield from _nodes(self.stacked(builder, value, type_).item)
        elif (parts := self.parts(type_)) is not None:
            assert isinstance(value, tuple)
            for part, (_, part_type) in zip(value, parts, strict=True):
                yield from self.leaves(builder, part, part_type)
        else:
            yield _leaf(builder, value, type_)

    def of_leaves(self, type_: Type, leaves: Iterator[Node]) -> Value:
        """The value whose arrays these are."""
        if isinstance(type_, ListType):
            return Stacked(self.of_leaves(type_.item, leaves), type_.length)
        if (parts := self.parts(type_)) is not None:
            return tuple(self.of_leaves(part, leaves) for _, part in parts)
        return next(leaves)

    def types(
        self, type_: Type, name: str = "", stacked: tuple[Size, ...] = ()
    ) -> Iterator[tuple[str, ArrayType]]:
        """The path of each array of a type, and its own type: `p.blocks.ln_1.g`."""
        if isinstance(type_, ListType):
            yield from self.types(type_.item, name, (*stacked, type_.length))
        elif (parts := self.parts(type_)) is not None:
            # A number is no field: the arrays of a tuple are told apart as those of MLIR are.
            joint = "." if isinstance(type_, StructType) else "_"
            for part, part_type in parts:
                yield from self.types(part_type, f"{name}{joint}{part}" if name else part, stacked)
        else:
            dtype = dtype_of(type_)
            if dtype is None:
                raise InternalError(f"{type_} is no array")
            shape = type_.shape if isinstance(type_, TensorType) else ()
            yield name, ArrayType(dtype, (*stacked, *concrete(shape)))

    def stacked(self, builder: GraphBuilder, value: Value, type_: ListType) -> Stacked:
        """The list with its items along a first axis."""
        if isinstance(value, Stacked):
            return value
        assert isinstance(value, tuple)
        columns = [list(self.leaves(builder, item, type_.item)) for item in value]
        joined = [
            builder.concat([_with_axis(builder, leaf) for leaf in leaves], 0)
            for leaves in zip(*columns, strict=True)
        ]
        return Stacked(self.of_leaves(type_.item, iter(joined)), Size.of(len(value)))

    def zipped(
        self, builder: GraphBuilder, lists: Sequence[Value], types: Sequence[ListType]
    ) -> Value:
        """A list of tuples."""
        written = [one for one in lists if isinstance(one, tuple)]
        if len(written) == len(lists):
            return tuple(zip(*written, strict=True))
        found = [self.stacked(builder, one, type_) for one, type_ in zip(lists, types, strict=True)]
        return Stacked(tuple(one.item for one in found), found[0].length)

    def item(self, builder: GraphBuilder, value: Stacked, position: Size) -> Value:
        """One item of a stacked list."""
        if position.literal is not None and position.literal < 0:
            position = position + value.length
        item: Value = _taken(builder, value.item, position)
        return item


def _nodes(value: Value) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, Stacked):
        yield from _nodes(value.item)
    else:
        assert isinstance(value, tuple)
        for part in value:
            yield from _nodes(part)


def _leaf(builder: GraphBuilder, value: Value, type_: Type) -> Node:
    assert not isinstance(value, tuple | Stacked)
    dtype = dtype_of(type_)
    if not isinstance(value, Node):
        return builder.number(value, dtype or natural(value))
    return builder.cast(value, dtype) if isinstance(type_, WeakType) and dtype else value


def _with_axis(builder: GraphBuilder, leaf: Node) -> Node:
    shape = leaf.type.shape
    return builder.broadcast_in_dim(leaf, (ONE, *shape), tuple(range(1, len(shape) + 1)))


def _taken(builder: GraphBuilder, value: Value, position: Size) -> Any:
    match value:
        case Stacked(item=item, length=length):
            return Stacked(_taken(builder, item, position), length)
        case tuple():
            return tuple(_taken(builder, part, position) for part in value)
        case Node():
            _, *rest = value.type.shape
            starts = (position, *[Size.of(0)] * len(rest))
            return builder.reshape(builder.slice(value, starts, (ONE, *rest)), tuple(rest))
    raise InternalError("a number in a stacked list")


def joined(builder: GraphBuilder, value: Stacked, axis: int, *, new: bool) -> Node:
    """The items of a list along an axis, a new one (`stack`) or one that they have (`concat`)."""
    array = value.item
    assert isinstance(array, Node)
    rank = array.type.rank - (0 if new else 1)
    place = axis % rank
    order = [*range(1, place + 1), 0, *range(place + 1, array.type.rank)]
    moved = builder.transpose(array, tuple(order))
    if new:
        return moved
    shape = moved.type.shape
    merged = (*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :])
    return builder.reshape(moved, merged)
