"""Reading linalg.generic on memory: operands, their maps, and which loops suit them."""

from __future__ import annotations

from typing import Any

import msgspec
from mlir import ir

from tdsl.lowering.rewriting import as_block


class Access(msgspec.Struct, frozen=True):
    """One operand of a structured operation: which element each iteration touches."""

    value: Any
    map: Any

    @property
    def is_scalar(self) -> bool:
        """A plain number, which linalg.fill takes."""
        return not isinstance(self.value.type, ir.MemRefType)

    def uses(self, dimension: int) -> bool:
        return any(mentions(expression, dimension) for expression in self.map.results)

    def steps_by_one(self, dimension: int) -> bool:
        """Whether stepping this loop walks through neighbouring elements."""
        results = list(self.map.results)
        if not results or any(mentions(expression, dimension) for expression in results[:-1]):
            return False
        last = results[-1]
        return isinstance(last, ir.AffineDimExpr) and last.position == dimension

    def steps_far(self, dimension: int) -> bool:
        return self.uses(dimension) and not self.steps_by_one(dimension)

    def leads_with(self, count: int) -> bool:
        """Whether the leading axes are the outermost `count` loops, which index nothing else."""
        results = list(self.map.results)
        leading = len(results) >= count and all(
            isinstance(expression, ir.AffineDimExpr) and expression.position == at
            for at, expression in enumerate(results[:count])
        )
        return leading and not any(
            mentions(expression, dimension)
            for expression in results[count:]
            for dimension in range(count)
        )


def element_bytes(type: Any) -> int:
    """What an element takes in memory: a bool has a byte."""
    return 8 if isinstance(type, ir.IndexType) else max(type.width // 8, 1)


def mentions(expression: Any, dimension: int) -> bool:
    if isinstance(expression, ir.AffineDimExpr):
        return bool(expression.position == dimension)
    if isinstance(expression, ir.AffineBinaryExpr):
        return mentions(expression.lhs, dimension) or mentions(expression.rhs, dimension)
    return False


class Structured(msgspec.Struct, frozen=True):
    """A linalg.generic taken apart."""

    operation: Any
    inputs: tuple[Access, ...]
    outputs: tuple[Access, ...]
    reductions: tuple[bool, ...]
    """For each loop, whether it is a reduction."""

    @staticmethod
    def of(operation: Any) -> Structured:
        segments = ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"])
        maps = ir.ArrayAttr(operation.attributes["indexing_maps"])
        accesses = tuple(
            Access(value, ir.AffineMapAttr(one).value)
            for value, one in zip(operation.operands, maps, strict=True)
        )
        kinds = ir.ArrayAttr(operation.attributes["iterator_types"])
        return Structured(
            operation,
            accesses[: segments[0]],
            accesses[segments[0] :],
            tuple("reduction" in str(kind) for kind in kinds),
        )

    @property
    def accesses(self) -> tuple[Access, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def looked_up(self) -> list[Any]:
        """The memory that the body reads at places that it computes, beside its operands."""
        found: list[Any] = []

        def look(inner: Any) -> Any:
            found.extend(value for value in inner.operands if isinstance(value.type, ir.MemRefType))
            return ir.WalkResult.ADVANCE

        for inner in as_block(self.operation).operations:
            inner.operation.walk(look)
        return found

    @property
    def rank(self) -> int:
        return len(self.reductions)

    def order(self) -> list[int]:
        """The loops from the outermost to the innermost, which is the one along which most
        operands are contiguous. Reductions keep their order among each other, so that every
        result is added up as written."""
        order = list(range(self.rank))
        if self.rank < 2:
            return order
        last_reduction = max((d for d in order if self.reductions[d]), default=-1)
        candidates = [d for d in order if not self.reductions[d] or d == last_reduction]
        inner = min(candidates, key=self._cost)
        order.remove(inner)
        return [*order, inner]

    def across(self, inner: int) -> int | None:
        """Of an operation that only moves and computes elements: the loop along which an operand is
        contiguous that steps far along the innermost loop, as in a transposition."""
        if any(self.reductions):
            return None
        for access in self.accesses:
            if not access.is_scalar and access.steps_far(inner):
                for dimension in range(self.rank):
                    if dimension != inner and access.steps_by_one(dimension):
                        return dimension
        return None

    def _cost(self, dimension: int) -> tuple[int, int, int]:
        far = sum(access.steps_far(dimension) for access in self.accesses)
        # Writing far apart costs more than reading so.
        far += sum(access.steps_far(dimension) for access in self.outputs)
        near = sum(access.steps_by_one(dimension) for access in self.accesses)
        return far, -near, -dimension

    def extent(self, dimension: int) -> tuple[Any, int] | None:
        """An operand and its axis that has the size of a loop: a fixed one if there is one, and
        rather an argument than a buffer, which may shrink to a row or go away."""
        found = [
            (access.value, axis)
            for access in self.accesses
            if not access.is_scalar
            for axis, expression in enumerate(access.map.results)
            if isinstance(expression, ir.AffineDimExpr) and expression.position == dimension
        ]
        fixed = [
            (value, axis)
            for value, axis in found
            if not ir.ShapedType.is_dynamic_size(ir.MemRefType(value.type).shape[axis])
        ]
        lasting = [one for one in found if isinstance(one[0], ir.BlockArgument)]
        return next(iter((*fixed, *lasting, *found)), None)
