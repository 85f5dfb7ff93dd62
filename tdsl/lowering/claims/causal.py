"""Which keys a query does not see, where that follows from their positions alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from mlir import ir

from tdsl.lowering.claims.body import (
    Argument,
    Map,
    Product,
    Reshape,
    Splat,
    Tensor,
    byte_read,
    constant_of,
)
from tdsl.lowering.claims.softmax import chosen, operation, plain

# Predicates of arith.cmpi, and what they say of left - right: (from which sign on, strictly).
_SIGNED: Mapping[int, tuple[int, bool]] = {
    2: (-1, True),
    3: (-1, False),
    4: (1, True),
    5: (1, False),
}


class Affine(msgspec.Struct, frozen=True):
    """query * i + key * j + number + the integers in `scalars`, each times a factor."""

    query: int = 0
    key: int = 0
    number: int = 0
    scalars: tuple[tuple[Tensor | Any, int], ...] = ()

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        return Affine(
            self.query + sign * other.query,
            self.key + sign * other.key,
            self.number + sign * other.number,
            self.scalars + tuple((one, sign * factor) for one, factor in other.scalars),
        )


class Causal(msgspec.Struct, frozen=True):
    """Query i sees key j where j <= i + offset; a key that it does not see gets `hidden` added to
    its score or, if `replaced`, for its score."""

    at: Map
    """The value that hides."""
    visible: Tensor
    """What it is where nothing is hidden."""
    offset: Affine
    hidden: float
    replaced: bool
    scale: float
    """What the product of query and key is multiplied by, where there is nothing else."""
    outer: float
    """What is multiplied with afterwards; more than 0."""
    simple: bool
    """Whether a score is nothing but the product, scaled."""


class _Path(msgspec.Struct):
    """Where the axes of a value lie in the scores: "i", "j", or something else."""

    value: Tensor
    axes: tuple[str, ...]
    one_query: bool = False

    def to(self, value: Tensor, axes: tuple[str, ...]) -> _Path:
        return _Path(value, axes, self.one_query)


def find(scores: Tensor, product: Product) -> Causal | None:
    """The causal mask of scores, if there is one and the rest is simple enough for keys that it
    hides to be left out."""
    rank = scores.rank
    one_query = scores.type.shape[-2] == 1
    path = _Path(scores, (*("b" for _ in range(rank - 2)), "i", "j"), one_query)
    outer, only_scaled = 1.0, True
    while True:
        value = path.value
        if isinstance(value, Reshape):
            source = value.inputs[0][0]
            path = path.to(source, (*("b" for _ in range(source.rank - 2)), "i", "j"))
            continue
        if not isinstance(value, Map):
            return None
        found = _hides(path)
        if found is not None:
            visible, offset, hidden, replaced = found
            scale = _scale_of(visible, product)
            if hidden != -math.inf and (scale is None or not only_scaled):
                return None
            return Causal(
                value,
                visible,
                offset,
                hidden,
                replaced,
                scale if scale is not None else 1.0,
                outer,
                scale is not None,
            )
        factor = _factor(value)
        if factor is not None and factor[1] > 0:
            outer *= factor[1]
            path = _into(path, factor[0])
            continue
        choice = chosen(value)
        if choice is not None and choice[2] == -math.inf and isinstance(choice[1], Tensor):
            only_scaled = False
            path = _into(path, choice[1])
            continue
        copied = plain(value)
        if copied is not value and len(value.inputs) == 1:
            path = _into(path, value.inputs[0][0])
            continue
        return None


def _into(path: _Path, operand: Tensor) -> _Path:
    assert isinstance(path.value, Map)
    for one, access in path.value.inputs:
        if one is operand or plain(one) is operand:
            axes = tuple("" if loop is None else path.axes[loop] for loop in access)
            if one is operand:
                return path.to(operand, axes)
            return _into(path.to(one, axes), operand)
    raise AssertionError("not an operand")


def _factor(value: Tensor) -> tuple[Tensor, float] | None:
    """x and c, where the value is x * c or x / c."""
    for name in ("arith.mulf", "arith.divf"):
        parts = operation(value, name)
        if parts is None:
            continue
        x, c = parts
        if name == "arith.mulf" and _number(x) is not None:
            x, c = c, x
        number = _number(c)
        if isinstance(x, Tensor) and number is not None and number != 0:
            return x, number if name == "arith.mulf" else 1.0 / number
    for name in ("arith.extf", "arith.truncf"):
        parts = operation(value, name)
        if parts is not None and isinstance(parts[0], Tensor):
            return parts[0], 1.0
    return None


def _number(value: Tensor | float | None) -> float | None:
    if isinstance(value, Tensor):
        value = plain(value)
        return constant_of(value.scalar) if isinstance(value, Splat) else None
    return value


def _scale_of(value: Tensor, product: Product) -> float | None:
    scale = 1.0
    while True:
        value = plain(value)
        if value is product:
            return scale
        if isinstance(value, Reshape):
            value = value.inputs[0][0]
            continue
        factor = _factor(value)
        if factor is None:
            return None
        value, scale = factor[0], scale * factor[1]


def _hides(path: _Path) -> tuple[Tensor, Affine, float, bool] | None:
    """What is seen, the offset, what hides, and whether it is put there or added."""
    value = path.value
    choice = _selected(path)
    if choice is not None:
        offset, seen, hidden = choice
        number = _number(hidden)
        if isinstance(seen, Tensor) and number is not None and number < 0:
            return seen, offset, number, True
        return None
    parts = operation(value, "arith.addf")
    if parts is None or not isinstance(value, Map):
        return None
    for x, mask in (parts, parts[::-1]):
        if isinstance(x, Tensor) and isinstance(mask, Tensor):
            inner = _into(path, mask)
            while plain(inner.value) is not inner.value:
                inner = _into(inner, inner.value.inputs[0][0])
            found = _selected(inner)
            if found is not None and _number(found[1]) == 0.0:
                number = _number(found[2])
                if number is not None and number < 0:
                    return x, found[0], number, False
    return None


def _selected(path: _Path) -> tuple[Affine, Tensor | float | None, Tensor | float | None] | None:
    """The offset and both sides, seen and hidden, of a select by position."""
    value = path.value
    if not isinstance(value, Map):
        return None
    yielded = list(value.block.operations)[-1].operation.operands[0]
    if isinstance(yielded, ir.BlockArgument) or yielded.owner.name != "arith.select":
        return None
    select = yielded.owner.operation
    condition = _Reader(path).compared(select.operands[0])
    if condition is None:
        return None
    offset, true_is_seen = condition
    sides = [value.operand(x) for x in select.operands[1:]]
    if not true_is_seen:
        sides.reverse()
    return offset, sides[0], sides[1]


class _Reader(msgspec.Struct):
    path: _Path
    known: dict[Any, Affine | None] = msgspec.field(default_factory=dict)

    def compared(self, value: Any) -> tuple[Affine, bool] | None:
        """The offset, and whether the condition is that a key is seen, not that it is hidden."""
        if isinstance(value, ir.BlockArgument):
            found: tuple[Affine, bool] | None = self._inside(
                value, lambda reader, inner: reader.compared(inner)
            )
            return found
        operation_ = value.owner.operation
        byte = byte_read(operation_)
        if byte is not None or operation_.name == "arith.extui":
            return self.compared(operation_.operands[0])
        if operation_.name == "arith.xori":
            flag = constant_of(operation_.operands[1])
            inner = self.compared(operation_.operands[0]) if flag in (1.0, -1.0) else None
            return (inner[0], not inner[1]) if inner is not None else None
        if operation_.name != "arith.cmpi":
            return None
        predicate = ir.IntegerAttr(operation_.attributes["predicate"]).value
        sides = [self.affine(x) for x in operation_.operands]
        if predicate not in _SIGNED or sides[0] is None or sides[1] is None:
            return None
        sign, strict = _SIGNED[predicate]
        # sign * (left - right) >= (1 if strict else 0)
        left = sides[0].plus(sides[1], -1)
        if left.key == -1:
            left, sign = Affine().plus(left, -1), -sign
        if left.key != 1 or left.query != (0 if self.path.one_query and not left.query else -1):
            return None
        # left = j - i - offset.
        offset = Affine().plus(Affine(0, 0, left.number, left.scalars), -1)
        one = Affine(number=1)
        if sign < 0:  # j - i - offset <= 0, or < 0: seen
            return (offset.plus(one, -1) if strict else offset), True
        # j - i - offset > 0, or >= 0: hidden
        return (offset if strict else offset.plus(one, -1)), False

    def affine(self, value: Any) -> Affine | None:
        if isinstance(value, ir.BlockArgument):
            return self._argument(value)
        number = constant_of(value)
        if number is not None:
            return Affine(number=int(number))
        operation_ = value.owner.operation
        name = operation_.name
        if name == "linalg.index":
            axis = self.path.axes[ir.IntegerAttr(operation_.attributes["dim"]).value]
            return {"i": Affine(query=1), "j": Affine(key=1), "": Affine()}.get(axis)
        if name in ("arith.index_cast", "arith.extsi"):
            inner = self.affine(operation_.operands[0])
            return inner if inner is not None else self._scalar(value)
        if name in ("arith.addi", "arith.subi"):
            left, right = (self.affine(x) for x in operation_.operands)
            if left is None or right is None:
                return None
            return left.plus(right, 1 if name == "arith.addi" else -1)
        return self._scalar(value)

    def _scalar(self, value: Any) -> Affine | None:
        """A size, computed around the structured operations."""
        if isinstance(value, ir.BlockArgument) or value.owner.operation.name != "tensor.dim":
            return None
        return Affine(scalars=((value, 1),))

    def _argument(self, argument: Any) -> Affine | None:
        found: Affine | None = self._inside(argument, lambda reader, inner: reader.affine(inner))
        if found is not None:
            return found
        value = self.path.value
        operand, access = value.inputs[ir.BlockArgument(argument).arg_number]
        while isinstance(operand, Map) and plain(operand) is not operand:
            operand = operand.inputs[0][0]
            access = ()
        if isinstance(operand, Splat):
            number = constant_of(operand.scalar)
            return Affine(number=int(number)) if number is not None else None
        if isinstance(operand, Argument) and operand.rank == 0 and not access:
            return Affine(scalars=((operand, 1),))
        return None

    def _inside(self, argument: Any, read: Callable[[_Reader, Any], Any]) -> Any:
        """Read on in the value that an argument of the body is an element of."""
        value = self.path.value
        place = ir.BlockArgument(argument).arg_number
        if not isinstance(value, Map) or place >= len(value.inputs):
            return None
        operand, access = value.inputs[place]
        if not isinstance(operand, Map):
            return None
        axes = tuple("" if loop is None else self.path.axes[loop] for loop in access)
        inner = list(operand.block.operations)[-1].operation.operands[0]
        return read(_Reader(self.path.to(operand, axes)), inner)
