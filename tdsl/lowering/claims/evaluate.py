"""Elements of a claim's values as code: at an index, or in lanes along one axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from mlir import ir

from tdsl.lowering.claims.body import (
    Argument,
    Map,
    Reshape,
    Splat,
    Tensor,
    Transpose,
    Unreadable,
    byte_read,
    constant_of,
)
from tdsl.lowering.claims.code import Code, Value


class Place(msgspec.Struct, frozen=True):
    """Where along one axis: at an index, or from there on in as many neighbours as there are
    lanes. Without a base it is the only element of an axis of size 1."""

    base: str | None
    lanes: int = 0


Places = tuple[Place, ...]
ONLY = Place(None)


class Operand(msgspec.Struct, frozen=True):
    """An operand in memory."""

    name: str
    type: Any  # ir.MemRefType

    @property
    def element(self) -> str:
        return str(self.type.element_type)


class Evaluator:
    """Writes the code that computes elements.

    `special` are values that the kernel knows by other means. `mask`, of some lanes, tells which
    may be read: what the others hold is of no use to anybody.
    """

    def __init__(
        self,
        code: Code,
        operands: Sequence[Operand],
        special: Mapping[Tensor, Callable[[Places], Value]],
        mask: str | None = None,
        *,
        contract: bool = False,
    ) -> None:
        self.code = code
        self.operands = operands
        self.special = special
        self.mask = mask
        self._contract = contract
        self._known: dict[tuple[Tensor, Places], Value] = {}
        self._narrowed: dict[str, Value] = {}

    def at(self, value: Tensor, places: Places) -> Value:
        """The elements; 16-bit floats as f32, their rounding in between left out."""
        key = (value, places)
        if key not in self._known:
            self._known[key] = self._compute(value, places)
        return self._known[key]

    def _compute(self, value: Tensor, places: Places) -> Value:
        if value in self.special:
            return self.special[value](places)
        match value:
            case Argument():
                return self.load(self.operands[value.position], places)
            case Splat():
                return self._outside(value.scalar)
            case Transpose(permutation=permutation):
                moved: list[Place] = [ONLY] * len(permutation)
                for axis, moves in enumerate(permutation):
                    moved[moves] = places[axis]
                return self.at(value.inputs[0][0], tuple(moved))
            case Reshape():
                source = value.inputs[0][0]
                return self.at(source, self._regrouped(value, source, places))
            case Map():
                return self._map(value, places)
        raise Unreadable(f"{type(value).__name__} where an element is needed")

    # --- memory

    def load(self, operand: Operand, places: Places) -> Value:
        code = self.code
        indices = [place.base or code.index(0) for place in places]
        wide = [axis for axis, place in enumerate(places) if place.lanes]
        shown = f"{operand.name}[{', '.join(indices)}]"
        if not wide:
            name = code.emit(f"memref.load {shown} : {operand.type}")
            return self._widened(Value(name, operand.element))
        lanes = places[wide[0]].lanes
        made = Value("", operand.element, lanes)
        if wide != [len(places) - 1]:
            return self._widened(self._gathered(operand, places, wide[0]))
        if self.mask is None:
            name = code.emit(f"vector.load {shown} : {operand.type}, {made.type}")
        else:
            zero = code.constant(0, operand.element, lanes)
            name = code.emit(
                f"vector.maskedload {shown}, {self.mask}, {zero.name} : {operand.type}, "
                f"vector<{lanes}xi1>, {made.type} into {made.type}"
            )
        return self._widened(Value(name, operand.element, lanes))

    def prefetch(self, value: Tensor, places: Places) -> None:
        """Bring what elements are read from nearer, if it is read where it lies; places may lie
        behind the end."""
        match value:
            case Argument():
                operand = self.operands[value.position]
                shown = ", ".join(place.base or self.code.index(0) for place in places)
                where = f"{operand.name}[{shown}]"
                self.code.line(f"memref.prefetch {where}, read, locality<3>, data : {operand.type}")
            case Transpose(permutation=permutation):
                moved = [places[permutation.index(axis)] for axis in range(len(permutation))]
                self.prefetch(value.inputs[0][0], tuple(moved))
            case Reshape():
                source = value.inputs[0][0]
                self.prefetch(source, self._regrouped(value, source, places))
            case Map():
                for source, access in value.inputs:
                    chosen = tuple(ONLY if loop is None else places[loop] for loop in access)
                    self.prefetch(source, chosen)

    def _gathered(self, operand: Operand, places: Places, axis: int) -> Value:
        """Lanes along an axis that is not the last: element by element."""
        code = self.code
        lanes = places[axis].lanes
        base = places[axis].base or code.index(0)
        last = code.plus(self.size(operand, axis), -1)
        result = code.constant(0, operand.element, lanes)
        for lane in range(lanes):
            # Lanes beyond the end read the last element: they count for nothing.
            here = code.index_op("minsi", code.plus(base, lane), last)
            indices = [place.base or code.index(0) for place in places]
            indices[axis] = here
            one = code.emit(f"memref.load {operand.name}[{', '.join(indices)}] : {operand.type}")
            name = code.emit(
                f"vector.insert {one}, {result.name} [{lane}] : {operand.element} into {result.type}"
            )
            result = Value(name, operand.element, lanes)
        return result

    def size(self, operand: Operand, axis: int) -> str:
        literal = operand.type.shape[axis]
        if not ir.ShapedType.is_dynamic_size(literal):
            return self.code.index(literal)
        return self.code.top(f"memref.dim {operand.name}, {self.code.index(axis)} : {operand.type}")

    def _widened(self, value: Value) -> Value:
        if value.element not in ("f16", "bf16"):
            return value
        return self.code.convert("arith.extf", value, "f32")

    # --- elements

    def _map(self, value: Map, places: Places) -> Value:
        inside: dict[Any, Value] = {}
        arguments = value.block.arguments
        for (operand, access), argument in zip(value.inputs, arguments, strict=False):
            chosen = tuple(ONLY if loop is None else places[loop] for loop in access)
            if list(argument.uses):
                inside[argument] = self.at(operand, chosen)
        for one in value.block.operations:
            operation = one.operation
            if operation.name == "linalg.yield":
                return self._get(inside, operation.operands[0])
            if operation.name == "linalg.index":
                dimension = ir.IntegerAttr(operation.attributes["dim"]).value
                inside[operation.results[0]] = self.number(places[dimension])
            else:
                inside[operation.results[0]] = self._operation(
                    operation, [self._get(inside, x) for x in operation.operands]
                )
        raise Unreadable("a body without a result")

    def number(self, place: Place) -> Value:
        """The index itself."""
        code = self.code
        base = Value(place.base or code.index(0), "index")
        if not place.lanes:
            return base
        return code.apply("arith.addi", code.spread(base, place.lanes), code.steps(place.lanes))

    def _get(self, inside: Mapping[Any, Value], value: Any) -> Value:
        return inside[value] if value in inside else self._outside(value)

    def _outside(self, value: Any) -> Value:
        """A scalar that the function computes around its structured operations."""
        number = constant_of(value)
        if number is not None:
            return self.code.constant(number, _computed(str(value.type)))
        if not isinstance(value, ir.BlockArgument):
            operation = value.owner.operation
            if operation.name == "tensor.dim":
                axis = constant_of(operation.operands[1])
                source = operation.operands[0]
                if isinstance(source, ir.BlockArgument) and axis is not None:
                    place = ir.BlockArgument(source).arg_number
                    return Value(self.size(self.operands[place], int(axis)), "index")
            elif operation.name.startswith("arith."):
                return self._operation(operation, [self._outside(x) for x in operation.operands])
        raise Unreadable("a scalar that is not known")

    def _operation(self, operation: Any, operands: list[Value]) -> Value:
        """One operation of a body, on as many lanes as its operands have."""
        code, name = self.code, operation.name
        if name == "arith.constant":
            number = constant_of(operation.results[0])
            if number is None:
                raise Unreadable("a constant that is no number")
            return code.constant(number, _computed(str(operation.results[0].type)))
        if not name.startswith(("arith.", "math.")):
            raise Unreadable(f"{name} in a body")
        element = str(operation.results[0].type)
        if name in ("arith.extf", "arith.truncf"):
            # f32 stands for the 16-bit floats all along.
            target = _computed(element)
            if target == operands[0].element:
                return operands[0]
            return code.convert(name, operands[0], target)
        if name == "arith.extui" and operands[0].element == "i1" and element == "i8":
            made = code.convert(name, operands[0], element)
            self._narrowed[made.name] = operands[0]
            return made
        if byte_read(operation) is not None and operands[0].name in self._narrowed:
            return self._narrowed[operands[0].name]
        if name == "arith.select":
            return code.select(*operands)
        operands = list(code.same(*operands))
        attributes = {key: str(operation.attributes[key]) for key in operation.attributes}
        if name == "arith.mulf" or (self._contract and name == "arith.addf"):
            attributes["fastmath"] = "#arith.fastmath<contract>"
        shown = ", ".join(f"{key} = {text}" for key, text in attributes.items())
        made = Value("", _computed(element), operands[0].lanes)
        types = ", ".join(value.type for value in operands)
        names = ", ".join(value.name for value in operands)
        properties = f" <{{{shown}}}>" if shown else ""
        result = code.emit(f'"{name}"({names}){properties} : ({types}) -> {made.type}')
        return Value(result, made.element, made.lanes)

    def _regrouped(self, value: Tensor, source: Tensor, places: Places) -> Places:
        return regrouped(self.code, list(value.type.shape), list(source.type.shape), places)


def regrouped(code: Code, shape: list[int], wanted: list[int], places: Places) -> Places:
    """The places of the same element in another grouping of the axes before the last ones."""
    kept = 0
    # Two open sizes might differ; but the axes at the end of scores are never regrouped.
    while kept < min(len(shape), len(wanted)) and shape[-1 - kept] == wanted[-1 - kept]:
        kept += 1
    leading, rest = places[: len(shape) - kept], places[len(shape) - kept :]
    if any(place.lanes for place in leading):
        raise Unreadable("a reshape of the axis that is computed in lanes")
    position: str | None = None
    for place, size in zip(leading, shape, strict=False):
        if position is not None and size != 1:
            if ir.ShapedType.is_dynamic_size(size):
                raise Unreadable("a reshape of open sizes")
            position = code.index_op("muli", position, code.index(size))
        if place.base is not None:
            position = place.base if position is None else code.plus(position, place.base)
    found: list[Place] = []
    for axis in reversed(range(len(wanted) - kept)):
        size = wanted[axis]
        if size == 1 or position is None:
            found.append(ONLY)
        elif all(one == 1 for one in wanted[:axis]):
            found.append(Place(position))
            position = None
        elif ir.ShapedType.is_dynamic_size(size):
            raise Unreadable("a reshape of open sizes")
        else:
            found.append(Place(code.index_op("remui", position, code.index(size))))
            position = code.index_op("divui", position, code.index(size))
    return (*reversed(found), *rest)


def _computed(element: str) -> str:
    return "f32" if element in ("f16", "bf16") else element


def store(
    code: Code, operand: Operand, indices: Sequence[str], value: Value, mask: str | None = None
) -> None:
    """Write elements, rounded to what memory holds."""
    if operand.element != value.element:
        operation = "arith.extui" if value.element == "i1" else "arith.truncf"
        value = code.convert(operation, value, operand.element)
    shown = f"{operand.name}[{', '.join(indices)}]"
    if not value.lanes:
        code.line(f"memref.store {value.name}, {shown} : {operand.type}")
    elif mask is None:
        code.line(f"vector.store {value.name}, {shown} : {operand.type}, {value.type}")
    else:
        code.line(
            f"vector.maskedstore {shown}, {mask}, {value.name} : {operand.type}, "
            f"vector<{value.lanes}xi1>, {value.type}"
        )
