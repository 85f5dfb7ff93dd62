"""Small rewrites that keep every value, applied while a graph is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from tdsl.graph.graph import ArrayType, Node
from tdsl.ops.primitive import ONE
from tdsl.ops.primitives import PRIMITIVES
from tdsl.types.dtypes import DType


class Adding(Protocol):
    """What a rewrite builds its replacement with."""

    def add(self, operation: str, inputs: Sequence[Node], **attributes: Any) -> Node: ...

    def number(self, value: Any, dtype: DType) -> Node: ...


Rewrite = Callable[[Adding, tuple[Node, ...], Mapping[str, Any], ArrayType], Node | None]


def known(node: Node) -> Any | None:
    """The number that every element is, or None."""
    while node.operation == "broadcast_in_dim":
        node = node.inputs[0]
    return node.attributes["value"] if node.operation == "constant" else None


def simplified(
    adding: Adding,
    operation: str,
    inputs: tuple[Node, ...],
    attributes: Mapping[str, Any],
    type_: ArrayType,
) -> Node | None:
    """A value equal to the one that the operation would give, or None."""
    if PRIMITIVES[operation].family == "elementwise":
        values = [known(operand) for operand in inputs]
        if all(value is not None for value in values):
            return _folded(adding, operation, inputs, values, attributes, type_)
    rewrite = REWRITES.get(operation)
    return rewrite(adding, inputs, attributes, type_) if rewrite else None


def _folded(
    adding: Adding,
    operation: str,
    inputs: tuple[Node, ...],
    values: Sequence[Any],
    attributes: Mapping[str, Any],
    type_: ArrayType,
) -> Node:
    arrays = [
        np.asarray(value).astype(operand.type.dtype.numpy)
        for value, operand in zip(values, inputs, strict=True)
    ]
    number = adding.number(PRIMITIVES[operation].reference(arrays, attributes)[()], type_.dtype)
    if type_.rank == 0:
        return number
    return adding.add("broadcast_in_dim", [number], shape=type_.shape, axes=())


def _unit(neutral: float, *, right_only: bool) -> Rewrite:
    """x * 1, x / 1, x ** 1 and x - 0 are x itself, for every x also -0 and NaN; x + 0 is not."""

    def rewrite(
        _: Adding, inputs: tuple[Node, ...], __: Mapping[str, Any], type_: ArrayType
    ) -> Node | None:
        pairs = [(inputs[0], inputs[1])]
        if not right_only:
            pairs.append((inputs[1], inputs[0]))
        for kept, other in pairs:
            value = known(other)
            neutral_here = value is not None and value == neutral and not _negative_zero(value)
            if neutral_here and kept.type == type_:
                return kept
        return None

    return rewrite


def _negative_zero(value: Any) -> bool:
    return bool(value == 0 and np.signbit(np.float64(value)))


def _cast(
    adding: Adding, inputs: tuple[Node, ...], attributes: Mapping[str, Any], _: ArrayType
) -> Node | None:
    (x,) = inputs
    if x.type.dtype == attributes["dtype"]:
        return x
    if x.operation == "cast" and lossless(x.inputs[0].type.dtype, x.type.dtype):
        return adding.add("cast", [x.inputs[0]], **attributes)
    if x.operation == "broadcast_in_dim" and x.inputs[0].type.rank == 0:
        return adding.add(
            "broadcast_in_dim", [adding.add("cast", x.inputs, **attributes)], **x.attributes
        )
    return None


def lossless(source: DType, target: DType) -> bool:
    """Whether every value of the one is a value of the other."""
    if source == target or source.kind == "bool":
        return True
    if source.is_float:
        return target.is_float and target.bits > source.bits
    if target.is_float:
        # The widest integers that a significand holds.
        return source.bits < {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}[target.name]
    if target.kind == "bool":
        return False
    if source.kind == "int":
        return target.kind == "int" and target.bits > source.bits
    return target.bits > source.bits


def _broadcast(
    adding: Adding, inputs: tuple[Node, ...], attributes: Mapping[str, Any], type_: ArrayType
) -> Node | None:
    (x,) = inputs
    if x.type == type_:
        return x
    if x.operation != "broadcast_in_dim":
        return None
    axes = tuple(attributes["axes"][axis] for axis in x.attributes["axes"])
    return adding.add("broadcast_in_dim", x.inputs, shape=type_.shape, axes=axes)


def _reshape(
    adding: Adding, inputs: tuple[Node, ...], _: Mapping[str, Any], type_: ArrayType
) -> Node | None:
    (x,) = inputs
    if x.type == type_:
        return x
    if x.operation == "reshape":
        return adding.add("reshape", x.inputs, shape=type_.shape)
    if (value := known(x)) is not None:
        return _filled(adding, value, type_)
    return None


def _filled(adding: Adding, value: Any, type_: ArrayType) -> Node:
    number = adding.number(value, type_.dtype)
    return adding.add("broadcast_in_dim", [number], shape=type_.shape, axes=())


def _transpose(
    adding: Adding, inputs: tuple[Node, ...], attributes: Mapping[str, Any], type_: ArrayType
) -> Node | None:
    (x,) = inputs
    permutation = attributes["permutation"]
    if permutation == tuple(range(len(permutation))):
        return x
    if x.operation == "transpose" and not _matrix_transpose_of_rows(permutation, x):
        inner = x.attributes["permutation"]
        return adding.add("transpose", x.inputs, permutation=tuple(inner[a] for a in permutation))
    if (value := known(x)) is not None:
        return _filled(adding, value, type_)
    return None


def _matrix_transpose_of_rows(permutation: tuple[int, ...], x: Node) -> bool:
    """Whether only the last two axes change places, of a value whose rows were moved as a whole.
    A product does the first on the way, and the second is a copy of whole rows; as one transpose
    it would be a copy element by element."""
    rank = len(permutation)
    swaps = permutation == (*range(rank - 2), rank - 1, rank - 2)
    return swaps and rank > 2 and x.attributes["permutation"][-1] == rank - 1


def _slice(
    adding: Adding, inputs: tuple[Node, ...], attributes: Mapping[str, Any], type_: ArrayType
) -> Node | None:
    (x,) = inputs
    if x.type == type_:
        return x
    if x.operation == "slice":
        starts = tuple(
            a + b for a, b in zip(x.attributes["starts"], attributes["starts"], strict=True)
        )
        return adding.add("slice", x.inputs, starts=starts, sizes=attributes["sizes"])
    if (value := known(x)) is not None:
        return _filled(adding, value, type_)
    return None


def _same_type(
    _: Adding, inputs: tuple[Node, ...], __: Mapping[str, Any], type_: ArrayType
) -> Node | None:
    """Padding by nothing, and the joining of one array."""
    return inputs[0] if inputs[0].type == type_ else None


def _reverse(
    adding: Adding, inputs: tuple[Node, ...], attributes: Mapping[str, Any], type_: ArrayType
) -> Node | None:
    (x,) = inputs
    axes = tuple(axis for axis in attributes["axes"] if type_.shape[axis] != ONE)
    if not axes or known(x) is not None:
        return x
    return adding.add("reverse", inputs, axes=axes) if axes != attributes["axes"] else None


def _reduce(
    _: Adding, inputs: tuple[Node, ...], attributes: Mapping[str, Any], __: ArrayType
) -> Node | None:
    return None if attributes["axes"] else inputs[0]


def _select(
    adding: Adding, inputs: tuple[Node, ...], _: Mapping[str, Any], type_: ArrayType
) -> Node | None:
    condition = known(inputs[0])
    if condition is None:
        return None
    chosen = inputs[1] if condition else inputs[2]
    first = type_.rank - chosen.type.rank
    axes = tuple(range(first, type_.rank))
    return adding.add("broadcast_in_dim", [chosen], shape=type_.shape, axes=axes)


REWRITES: Final[Mapping[str, Rewrite]] = {
    "mul": _unit(1, right_only=False),
    "div": _unit(1, right_only=True),
    "pow": _unit(1, right_only=True),
    "sub": _unit(0, right_only=True),
    "cast": _cast,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "concat": _same_type,
    "pad": _same_type,
    "reverse": _reverse,
    "reduce_sum": _reduce,
    "reduce_prod": _reduce,
    "reduce_max": _reduce,
    "reduce_min": _reduce,
    "select": _select,
}
