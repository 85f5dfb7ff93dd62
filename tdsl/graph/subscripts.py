"""Static subscripts of an array as slice, reshape and broadcast."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.check import typed
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import Node
from tdsl.graph.values import concrete
from tdsl.ops.primitive import InternalError
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution


def subscripted(
    builder: GraphBuilder, array: Node, items: Sequence[typed.IndexItem], parameters: Substitution
) -> Node:
    shape = array.type.shape
    starts: list[Size] = []
    sizes: list[Size] = []
    kept: list[bool] = []
    result: list[Size] = []
    places: list[int] = []  # in the result, of the axes that are kept
    for item in items:
        axis = len(starts)
        match item:
            case typed.IndexNew():
                result.append(Size.of(1))
                continue
            case typed.IndexAt(position=position):
                start = parameters.size(position)
                if start.literal is not None and start.literal < 0:
                    start = start + shape[axis]
                starts.append(start)
                sizes.append(Size.of(1))
                kept.append(False)
                continue
            case typed.IndexRange(start=first, stop=last):
                start = parameters.size(first)
                taken: list[tuple[Size, Size]] = [(start, parameters.size(last) - start)]
            case typed.IndexAll(shape=whole):
                count = len(concrete(parameters.shape(whole)))
                taken = [(Size.of(0), size) for size in shape[axis : axis + count]]
        for start, size in taken:
            starts.append(start)
            sizes.append(size)
            kept.append(True)
            places.append(len(result))
            result.append(size)
    if len(starts) != len(shape):
        raise InternalError(f"{len(starts)} subscripts for {array.type}")
    value = builder.slice(array, tuple(starts), tuple(sizes))
    left = tuple(size for size, keep in zip(sizes, kept, strict=True) if keep)
    value = builder.reshape(value, left)
    return builder.broadcast_in_dim(value, tuple(result), tuple(places))
