"""What the function of an attention claim computes: scores, their softmax, and the mixing of values."""

from __future__ import annotations

from typing import Any

import msgspec
from mlir import ir

from tdsl.lowering.claims import causal
from tdsl.lowering.claims.body import (
    Body,
    Map,
    Product,
    Reduce,
    Reshape,
    Tensor,
    Transpose,
    Unreadable,
)
from tdsl.lowering.claims.softmax import bare, divided, is_cast, softmax_at, total_under


class Attention(msgspec.Struct, frozen=True):
    """softmax(f(q @ k)) @ v, as a claim's function has it."""

    body: Body
    product: Product
    scores: Tensor
    """f(q @ k)."""
    mixed: Product
    zeros: bool
    """Whether a query that sees nothing gets zeros, not NaN."""
    causal: causal.Causal | None

    @staticmethod
    def of(function: Any) -> Attention:
        body = Body(function)
        mixed = body.result
        while isinstance(mixed, Transpose | Reshape) or is_cast(mixed):
            mixed = mixed.inputs[0][0]
        if not isinstance(mixed, Product):
            raise Unreadable("the result is no product")
        shares = bare(mixed.inputs[0][0])
        parts = divided(shares)
        total = total_under(parts[1]) if parts is not None else None
        if parts is None or total is None or bare(total[0].source) is not bare(parts[0]):
            raise Unreadable("the left operand of the product is no softmax")
        softmax = softmax_at(bare(parts[0]))
        if softmax is None:
            raise Unreadable("the left operand of the product is no softmax")
        products = _products_in(softmax.source)
        if len(products) != 1:
            raise Unreadable("the scores are not of one product")
        (product,) = products
        literal = [product.inputs[0][0].type.shape[-1], mixed.inputs[1][0].type.shape[-1]]
        if any(ir.ShapedType.is_dynamic_size(size) for size in literal):
            raise Unreadable("the depth of heads is open")
        found = causal.find(softmax.source, product)
        return Attention(body, product, softmax.source, mixed, total[1], found)

    @property
    def element(self) -> str:
        return "f64" if self.mixed.element == "f64" else "f32"


def _products_in(value: Tensor) -> set[Product]:
    found: set[Product] = set()
    seen: set[Tensor] = set()
    stack = [value]
    while stack:
        one = stack.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, Product):
            found.add(one)
            continue
        if isinstance(one, Reduce):
            raise Unreadable("a reduction is part of the scores")
        stack.extend(operand for operand, _ in one.inputs)
    return found


def literal(size: int) -> int | None:
    return None if ir.ShapedType.is_dynamic_size(size) else size


def origin(value: Tensor, axis: int) -> tuple[int, int] | None:
    """An operand of the function and its axis that has the size of a value's axis."""
    match value:
        case Product():
            sides = (0, 0, 1) if value.rank == 3 else (0, 1)
            operand = value.inputs[sides[axis]][0]
            return origin(operand, axis)
        case Transpose(permutation=permutation):
            return origin(value.inputs[0][0], permutation[axis])
        case Reshape():
            source = value.inputs[0][0]
            from_end = value.rank - axis
            same = source.type.shape[-from_end:] == value.type.shape[-from_end:]
            if from_end <= source.rank and same:
                return origin(source, source.rank - from_end)
            return None
        case Map():
            for operand, access in value.inputs:
                if axis in access:
                    found = origin(operand, access.index(axis))
                    if found is not None:
                        return found
            return None
    position = getattr(value, "position", None)
    return (position, axis) if position is not None else None
