"""What the function of a claim computes, read off its operations on tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from mlir import ir

CASTS: Final = frozenset({"arith.extf", "arith.truncf"})

Access = tuple[int | None, ...]
"""For each axis of an operand the loop that indexes it; None: its only element."""

Combine = Literal["add", "mul", "max", "min"]
_COMBINES: Final[Mapping[str, Combine]] = {
    "arith.addf": "add",
    "arith.mulf": "mul",
    "arith.maximumf": "max",
    "arith.minimumf": "min",
}
_NEUTRAL: Final[Mapping[Combine, float]] = {
    "add": 0.0,
    "mul": 1.0,
    "max": -float("inf"),
    "min": float("inf"),
}


class Unreadable(Exception):
    """An operation that kernels of this kind do not know; the message says which."""


@dataclass(eq=False)
class Tensor:
    """A value of a claim's function. Two are the same only if they are the same object."""

    type: Any
    operation: Any = None
    inputs: tuple[tuple[Tensor, Access], ...] = ()
    users: list[Tensor] = field(default_factory=list, repr=False)

    @property
    def rank(self) -> int:
        return len(self.type.shape)

    @property
    def element(self) -> str:
        return str(self.type.element_type)

    def __post_init__(self) -> None:
        for operand, _ in self.inputs:
            operand.users.append(self)


class Argument(Tensor):
    """An operand of the function."""

    position: int = 0


class Splat(Tensor):
    """The same element everywhere: a constant, or a scalar of the function."""

    scalar: Any = None


class Map(Tensor):
    """An element from the elements of operands at the same place."""

    @property
    def block(self) -> Any:
        return self.operation.regions[0].blocks[0]

    def work(self) -> list[Any]:
        """The operations of the body without constants and the yield; and without the casts that
        16-bit floats are computed through, unless there is nothing else."""
        found = list(self.block.operations)[:-1]
        found = [one for one in found if one.operation.name != "arith.constant"]
        return [one for one in found if one.operation.name not in CASTS] or found

    def single(self) -> tuple[str, tuple[Tensor | float | None, ...]] | None:
        """Name and operands of the one operation that the body is, if it is one: a tensor, a
        constant, or None for what is neither."""
        work = self.work()
        if len(work) != 1:
            return None
        yielded = list(self.block.operations)[-1].operation.operands[0]
        operation = work[0].operation
        if operation.name not in CASTS:
            yielded = _uncast(yielded)
        if isinstance(yielded, ir.BlockArgument) or yielded.owner.operation != operation:
            return None
        return operation.name, tuple(self.operand(value) for value in operation.operands)

    def operand(self, value: Any) -> Tensor | float | None:
        value = _uncast(value)
        if isinstance(value, ir.BlockArgument):
            place = ir.BlockArgument(value).arg_number
            same_block = ir.BlockArgument(value).owner == self.block
            return self.inputs[place][0] if same_block and place < len(self.inputs) else None
        return constant_of(value)


def _uncast(value: Any) -> Any:
    """The float that a value is, in another precision."""
    while not isinstance(value, ir.BlockArgument) and value.owner.name in CASTS:
        value = value.owner.operation.operands[0]
    return value


class Reduce(Tensor):
    """A combination of the elements along the last axis, which it drops."""

    combine: Combine = "add"

    @property
    def source(self) -> Tensor:
        return self.inputs[0][0]


class Product(Tensor):
    """A product of matrices, maybe of batches of them."""


class Transpose(Tensor):
    """The axes in another order: axis i is axis permutation[i] of the operand."""

    permutation: tuple[int, ...] = ()


class Reshape(Tensor):
    """The same elements in the same order."""


def constant_of(value: Any) -> float | None:
    """The number that a value is known to be."""
    if isinstance(value, ir.BlockArgument) or value.owner.name != "arith.constant":
        return None
    attribute = value.owner.operation.attributes["value"]
    if isinstance(attribute, ir.FloatAttr):
        return float(ir.FloatAttr(attribute).value)
    if isinstance(attribute, ir.BoolAttr):
        return float(ir.BoolAttr(attribute).value)
    if isinstance(attribute, ir.IntegerAttr):
        return float(ir.IntegerAttr(attribute).value)
    return None


def byte_read(operation: Any) -> Any:
    """The byte that an operation reads a bool from, by comparing it with 0; else None."""
    if operation.name != "arith.cmpi":
        return None
    if ir.IntegerAttr(operation.attributes["predicate"]).value != 1:  # ne
        return None
    value, zero = operation.operands
    return value if str(value.type) == "i8" and constant_of(zero) == 0.0 else None


class Body:
    """The values of a function on tensors that gives one tensor."""

    def __init__(self, function: Any) -> None:
        self._block = function.regions[0].blocks[0]
        self._known: dict[Any, Tensor] = {}
        self.arguments: list[Argument] = []
        for place, argument in enumerate(self._block.arguments):
            made = Argument(ir.RankedTensorType(argument.type))
            made.position = place
            self.arguments.append(made)
            self._known[argument] = made
        self._returned = list(self._block.operations)[-1].operation.operands[0]
        self.result = self._tensor(self._returned)

    def values(self) -> Iterator[Tensor]:
        """Every value that the result needs, operands first."""
        done: set[int] = set()
        stack: list[tuple[Tensor, bool]] = [(self.result, False)]
        while stack:
            value, ready = stack.pop()
            if id(value) in done:
                continue
            if ready:
                done.add(id(value))
                yield value
                continue
            stack.append((value, True))
            stack.extend((operand, False) for operand, _ in reversed(value.inputs))

    def _tensor(self, value: Any) -> Tensor:
        if value not in self._known:
            # In order of the text, so that nothing recurses deeper than one operation.
            for operation in self._block.operations:
                results = list(operation.operation.results)
                if len(results) != 1 or results[0] in self._known:
                    continue
                if isinstance(results[0].type, ir.RankedTensorType):
                    made = self._read(operation.operation)
                    if made is not None:
                        self._known[results[0]] = made
        if value not in self._known:
            raise Unreadable("its result comes from an operation that is not known")
        return self._known[value]

    def _read(self, operation: Any) -> Tensor | None:
        type = ir.RankedTensorType(operation.results[0].type)
        match operation.name:
            case "tensor.empty" | "arith.constant":
                return None
            case "linalg.fill":
                return self._splat(type, operation, operation.operands[0])
            case "tensor.from_elements" if type.rank == 0:
                return self._splat(type, operation, operation.operands[0])
            case "linalg.transpose":
                turned = Transpose(type, operation, ((self._operand(operation, 0), ()),))
                attribute = ir.DenseI64ArrayAttr(operation.attributes["permutation"])
                turned.permutation = tuple(attribute)
                return turned
            case "tensor.reshape" | "tensor.expand_shape" | "tensor.collapse_shape":
                return Reshape(type, operation, ((self._operand(operation, 0), ()),))
            case "linalg.matmul" | "linalg.batch_matmul":
                return self._product(type, operation)
            case "linalg.generic":
                return self._generic(type, operation)
        raise Unreadable(f"{operation.name} is part of it")

    def _product(self, type: Any, operation: Any) -> Product:
        if not self._is_zero(operation.operands[2]):
            raise Unreadable("a product is added onto something")
        sides = [self._operand(operation, place) for place in (0, 1)]
        if "indexing_maps" in operation.attributes:
            maps = ir.ArrayAttr(operation.attributes["indexing_maps"])
            batch = tuple(range(type.rank - 2))
            row, column, inner = (len(batch) + place for place in range(3))
            for place, plain in enumerate(((row, inner), (inner, column))):
                access = _access(ir.AffineMapAttr(maps[place]).value)
                if access == (*batch, *plain[::-1]):
                    sides[place] = _turned(sides[place])
                elif access != (*batch, *plain):
                    raise Unreadable("a product reads an operand in another order")
        return Product(type, operation, tuple((side, ()) for side in sides))

    def _operand(self, operation: Any, place: int) -> Tensor:
        value = operation.operands[place]
        if value not in self._known:
            raise Unreadable(f"an operand of {operation.name} is not known")
        return self._known[value]

    def _splat(self, type: Any, operation: Any, scalar: Any) -> Splat:
        made = Splat(type, operation)
        made.scalar = scalar
        return made

    def _is_zero(self, value: Any) -> bool:
        filled = self._known.get(value)
        return isinstance(filled, Splat) and constant_of(filled.scalar) == 0.0

    def _generic(self, type: Any, operation: Any) -> Tensor:
        maps = [
            ir.AffineMapAttr(one).value
            for one in ir.ArrayAttr(operation.attributes["indexing_maps"])
        ]
        kinds = [
            "reduction" in str(one) for one in ir.ArrayAttr(operation.attributes["iterator_types"])
        ]
        count = len(maps) - 1
        inputs = tuple(
            (self._operand(operation, place), _access(maps[place])) for place in range(count)
        )
        if not any(kinds):
            if _access(maps[-1]) != tuple(range(type.rank)):
                raise Unreadable("a result is written in another order")
            return Map(type, operation, inputs)
        rank = type.rank
        dropped = kinds == [False] * rank + [True] and _access(maps[-1]) == tuple(range(rank))
        if not dropped or count != 1:
            raise Unreadable("a reduction is not over the last axis of one operand")
        made = Reduce(type, operation, inputs)
        inner = [one.operation.name for one in operation.regions[0].blocks[0].operations]
        names = [name for name in inner[:-1] if name not in CASTS]
        if len(names) != 1 or names[0] not in _COMBINES:
            raise Unreadable(f"a reduction by {', '.join(names)}")
        made.combine = _COMBINES[names[0]]
        initial = self._known.get(operation.operands[count])
        start = constant_of(initial.scalar) if isinstance(initial, Splat) else None
        if start != _NEUTRAL[made.combine]:
            raise Unreadable("a reduction starts from something else than nothing")
        return made


def _turned(value: Tensor) -> Transpose:
    """A matrix, or each of a batch, the other way round."""
    rank = value.rank
    permutation = (*range(rank - 2), rank - 1, rank - 2)
    shape = [value.type.shape[axis] for axis in permutation]
    made = Transpose(ir.RankedTensorType.get(shape, value.type.element_type), None, ((value, ()),))
    made.permutation = permutation
    return made


def _access(map_: Any) -> Access:
    found: list[int | None] = []
    for expression in map_.results:
        if isinstance(expression, ir.AffineDimExpr):
            found.append(expression.position)
        elif isinstance(expression, ir.AffineConstantExpr) and expression.value == 0:
            found.append(None)
        else:
            raise Unreadable("an operand is read in an order that is not known")
    return tuple(found)
