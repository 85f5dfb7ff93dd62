"""Computing elements of a claim's value, a vector of them at a time, from the claim's own body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from mlir import ir

from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.kernels import Refused
from tdsl.lowering.rewriting import DYNAMIC, as_block, identity


class Lanes(msgspec.Struct, frozen=True):
    """Along this axis each lane has an element of its own, from `start` on."""

    start: Index


At = tuple[Index | Lanes, ...]
Known = Callable[[At], str]
"""A value that the kernel computes itself: the vector at these indices."""


def key(value: Any) -> tuple[int, int]:
    """What tells values of a body apart."""
    if isinstance(value, ir.BlockArgument):
        return hash(value.owner), value.arg_number
    return identity(value.owner.operation), -1 - ir.OpResult(value).result_number


class Elements:
    """Vectors of `lanes` elements, written where the writer stands; equal ones once, so that one
    object serves one straight piece of code. With a mask only the lanes it holds are read."""

    def __init__(
        self,
        writer: Writer,
        arguments: Sequence[tuple[str, str]],
        lanes: int,
        known: Mapping[tuple[int, int], Known],
        mask: str | None = None,
    ) -> None:
        self._writer, self._arguments, self._lanes = writer, arguments, lanes
        self._known, self._mask = known, mask
        self._made: dict[tuple[Any, ...], str] = {}

    def vector(self, type_: Any) -> str:
        return f"vector<{self._lanes}x{type_}>"

    def at(self, value: Any, indices: At) -> str:
        """The elements of a tensor of the body."""
        place = (key(value), indices)
        if place not in self._made:
            self._made[place] = self._compute(value, indices)
        return self._made[place]

    def _compute(self, value: Any, indices: At) -> str:
        if key(value) in self._known:
            return self._known[key(value)](indices)
        if isinstance(value, ir.BlockArgument):
            return self._read(value, indices)
        operation = value.owner.operation
        name = operation.name
        if name == "linalg.generic":
            return self._generic(operation, ir.OpResult(value).result_number, indices)
        if name == "linalg.fill":
            return self._spread(self.scalar(operation.operands[0]), operation.operands[0].type)
        if name == "linalg.transpose":
            permutation = list(ir.DenseI64ArrayAttr(operation.attributes["permutation"]))
            source: list[Index | Lanes] = [0] * len(permutation)
            for axis, from_ in enumerate(permutation):
                source[from_] = indices[axis]
            return self.at(operation.operands[0], tuple(source))
        if name == "tensor.reshape":
            source = operation.operands[0]
            if key(source) in self._known:  # the kernel knows which one is meant
                return self._known[key(source)](indices)
            return self.at(operation.operands[0], self._reshaped(operation, indices))
        if name == "tensor.from_elements" and len(operation.operands) == 1:
            return self._spread(self.scalar(operation.operands[0]), operation.operands[0].type)
        raise Refused(f"{name} has no form for vectors")

    # --- memory

    def _read(self, argument: Any, indices: At) -> str:
        name, type_ = self._arguments[argument.arg_number]
        element = ir.RankedTensorType(argument.type).element_type
        size = ir.RankedTensorType(argument.type).shape
        if any(isinstance(index, Lanes) for index in indices[:-1]):
            raise Refused("an operand is read across its rows")
        writer = self._writer
        spelled = [
            writer.index(index.start if isinstance(index, Lanes) else index) for index in indices
        ]
        place = f"{name}[{', '.join(spelled)}]"
        if not indices or not isinstance(indices[-1], Lanes):
            return self._spread(writer.op(f"memref.load {place} : {type_}"), element)
        assert size
        vector = self.vector(element)
        if self._mask is None:
            return writer.op(f"vector.load {place} : {type_}, {vector}")
        zero = self._constant(_zero(element), vector)
        mask = f"vector<{self._lanes}xi1>"
        return writer.op(
            f"vector.maskedload {place}, {self._mask}, {zero} : "
            f"{type_}, {mask}, {vector} into {vector}"
        )

    # --- structured operations

    def _generic(self, operation: Any, result: int, indices: At) -> str:
        kinds = ir.ArrayAttr(operation.attributes["iterator_types"])
        if any("parallel" not in str(kind) for kind in kinds):
            raise Refused("a reduction comes after the product")
        maps = [
            ir.AffineMapAttr(one).value
            for one in ir.ArrayAttr(operation.attributes["indexing_maps"])
        ]
        count = len(operation.results)
        if maps[len(maps) - count + result] != ir.AffineMap.get_identity(len(kinds)):
            raise Refused("a result is written out of order")
        block = as_block(operation)
        values: dict[tuple[int, int], str] = {}
        for argument, operand, map_ in zip(block.arguments, operation.operands, maps, strict=True):
            if any(True for _ in argument.uses):
                values[key(argument)] = self.at(operand, self._through(map_, indices))
        for inner in block.operations:
            inner = inner.operation
            if inner.name == "linalg.yield":
                return self._operand(inner.operands[result], values)
            values[key(inner.results[0])] = self._element(inner, indices, values)
        raise Refused("a body without a result")

    @staticmethod
    def _through(map_: Any, indices: At) -> At:
        found: list[Index | Lanes] = []
        for expression in map_.results:
            if isinstance(expression, ir.AffineDimExpr):
                found.append(indices[expression.position])
            elif isinstance(expression, ir.AffineConstantExpr):
                found.append(expression.value)
            else:
                raise Refused("an operand is indexed by an expression")
        return tuple(found)

    def _reshaped(self, operation: Any, indices: At) -> At:
        """Indices into what was reshaped; the last axis stays, or loses nothing."""
        source = ir.RankedTensorType(operation.operands[0].type).shape
        result = ir.RankedTensorType(operation.results[0].type).shape
        if not source or not result or source[-1] != result[-1] or DYNAMIC in result[1:]:
            raise Refused("a reshape moves columns")
        if DYNAMIC in source[1:]:
            raise Refused("a reshape has open sizes")
        writer = self._writer
        row: Index = 0
        for size, index in zip(result[:-1], indices[:-1], strict=True):
            assert not isinstance(index, Lanes)
            row = writer.add(writer.mul(row, size), index) if row != 0 else index
        found: list[Index | Lanes] = [indices[-1]]
        for size in reversed(source[1:-1]):
            found.insert(0, writer.rem(row, size))
            row = writer.div(row, size)
        if len(source) > 1:
            found.insert(0, row)
        return tuple(found)

    def _element(self, operation: Any, indices: At, values: Mapping[tuple[int, int], str]) -> str:
        name = operation.name
        if name == "arith.constant":
            return self._constant_of(operation)
        if name == "linalg.index":
            return self._index(indices[ir.IntegerAttr(operation.attributes["dim"]).value])
        if operation.regions or len(operation.results) != 1:
            raise Refused(f"{name} has no form for vectors")
        operands = [self._operand(operand, values) for operand in operation.operands]
        taken = ", ".join(self.vector(operand.type) for operand in operation.operands)
        return self._writer.op(
            f'"{name}"({", ".join(operands)}) {_attributes(operation)} : '
            f"({taken}) -> {self.vector(operation.results[0].type)}"
        )

    def _operand(self, value: Any, values: Mapping[tuple[int, int], str]) -> str:
        if key(value) in values:
            return values[key(value)]
        return self._spread(self.scalar(value), value.type)

    def _index(self, index: Index | Lanes) -> str:
        writer, vector = self._writer, f"vector<{self._lanes}xindex>"
        if not isinstance(index, Lanes):
            return self._spread(writer.index(index), "index")
        start = self._spread(writer.index(index.start), "index")
        steps = writer.op(f"vector.step : {vector}")
        return writer.op(f"arith.addi {start}, {steps} : {vector}")

    # --- scalars

    def _spread(self, scalar: str, type_: Any) -> str:
        return self._writer.op(f"vector.broadcast {scalar} : {type_} to {self.vector(type_)}")

    def _constant(self, spelled: str, vector: str) -> str:
        return self._writer.constant(f"dense<{spelled}>", vector)

    def _constant_of(self, operation: Any) -> str:
        text, _, type_ = str(operation.attributes["value"]).partition(" : ")
        return self._constant(text, self.vector(type_ or "i1"))

    def scalar(self, value: Any) -> str:
        """A number that the body computes outside of any tensor: a constant or a size."""
        if isinstance(value, ir.BlockArgument):
            raise Refused("a number comes from outside")
        operation = value.owner.operation
        if operation.name == "arith.constant":
            text, _, type_ = str(operation.attributes["value"]).partition(" : ")
            return self._writer.constant(text, type_ or "i1")
        if operation.name == "tensor.dim":
            source, axis = operation.operands
            if not isinstance(source, ir.BlockArgument):
                raise Refused("a size of an intermediate value is needed")
            name, type_ = self._arguments[source.arg_number]
            return self._writer.op(f"memref.dim {name}, {self.scalar(axis)} : {type_}")
        if not operation.name.startswith(("arith.", "math.")) or len(operation.results) != 1:
            raise Refused(f"a number comes from {operation.name}")
        operands = ", ".join(self.scalar(operand) for operand in operation.operands)
        types = ", ".join(str(operand.type) for operand in operation.operands)
        return self._writer.op(
            f'"{operation.name}"({operands}) {_attributes(operation)} : '
            f"({types}) -> {operation.results[0].type}"
        )


def _attributes(operation: Any) -> str:
    found = operation.attributes
    pairs = [f"{found[place].name} = {found[place].attr}" for place in range(len(found))]
    return f"{{{', '.join(pairs)}}}"


def _zero(element: Any) -> str:
    return "0" if isinstance(element, ir.IntegerType) else "0.0"
