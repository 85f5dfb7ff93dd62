"""Reading and writing elements of operands, 16 bytes at a time where memory is known to allow it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mlir import ir

from tdsl.gpu.kernels.writer import BYTES, Index, KernelCode
from tdsl.lowering.claims.body import Tensor
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Evaluator, Operand, Place, Places

VECTOR_BYTES: Final = 16


def widest(operand: Operand, axis: int, *, aligned: bool) -> int:
    """How many neighbours along an axis can be read at once, at every multiple of that number:
    a power of two of them, 16 bytes at most; 1 if no more are known to lie so."""
    strides, offset = operand.type.get_strides_and_offset()
    if not aligned or strides[axis] != 1 or BYTES.get(operand.element) is None:
        return 1
    lanes = VECTOR_BYTES // BYTES[operand.element]
    shape = operand.type.shape
    others = [stride for place, stride in enumerate(strides) if place != axis and shape[place] != 1]
    while lanes > 1 and any(one % lanes for one in (*others, offset, shape[axis])):
        lanes //= 2
    return lanes


def load(code: KernelCode, operand: Operand, indices: Sequence[Index], lanes: int) -> Value:
    """Elements as memory holds them: `lanes` along the last index, which is a multiple of that;
    0 for one alone."""
    shown = f"{operand.name}[{', '.join(map(code.at, indices))}]"
    if not lanes:
        return Value(code.emit(f"memref.load {shown} : {operand.type}"), operand.element)
    made = Value("", operand.element, lanes)
    align = _alignment(operand.element, lanes)
    name = code.emit(f"vector.load {shown}{align} : {operand.type}, {made.type}")
    return Value(name, made.element, lanes)


def store(code: KernelCode, operand: Operand, indices: Sequence[Index], value: Value) -> None:
    """Write elements of the type that memory holds; a vector at a multiple of its lanes."""
    shown = f"{operand.name}[{', '.join(map(code.at, indices))}]"
    if not value.lanes:
        code.line(f"memref.store {value.name}, {shown} : {operand.type}")
        return
    align = _alignment(value.element, value.lanes)
    code.line(f"vector.store {value.name}, {shown}{align} : {operand.type}, {value.type}")


def _alignment(element: str, lanes: int) -> str:
    return f" {{alignment = {min(VECTOR_BYTES, lanes * BYTES[element])} : i64}}"


def rounded(code: KernelCode, value: Value, element: str) -> Value:
    """As memory holds it."""
    if value.element == element:
        return value
    return code.convert("arith.extui" if value.element == "i1" else "arith.truncf", value, element)


class Elements(Evaluator):
    """Elements of a claim's values. Vectors start at multiples of their lanes, so that they are
    read at once from operands that allow it."""

    def __init__(
        self,
        code: KernelCode,
        operands: Sequence[Operand],
        special: Mapping[Tensor, Callable[[Places], Value]],
        aligned: frozenset[int],
    ) -> None:
        super().__init__(code, operands, special, contract=True)
        self._kernel = code
        self._wide = {
            operand.name: widest(operand, len(operand.type.shape) - 1, aligned=place in aligned)
            for place, operand in enumerate(operands)
            if operand.type.shape
        }

    def load(self, operand: Operand, places: Places) -> Value:
        wide = [axis for axis, place in enumerate(places) if place.lanes]
        if not wide:
            return super().load(operand, places)
        axis = wide[0]
        lanes = places[axis].lanes
        indices: list[Index] = [place.base or 0 for place in places]
        if axis == len(places) - 1 and self._wide.get(operand.name, 1) >= lanes:
            return self._widened(load(self._kernel, operand, indices, lanes))
        found = []
        for lane in range(lanes):
            here = list(indices)
            here[axis] = self._kernel.add(here[axis], lane)
            found.append(load(self._kernel, operand, here, 0))
        return self._widened(self._kernel.joined(found))


def written(code: KernelCode, result: Operand, places: Places, value: Value, *, wide: int) -> None:
    """Write a value where `places` says, at once where `wide` lanes can be."""
    value = rounded(code, value, result.element)
    indices: list[Index] = [place.base or 0 for place in places]
    lanes = places[-1].lanes if places else 0
    if not lanes or wide >= lanes:
        store(code, result, indices, code.spread(value, lanes))
        return
    value = code.spread(value, lanes)
    for lane in range(lanes):
        store(code, result, [*indices[:-1], code.add(indices[-1], lane)], code.lane(value, lane))


def place(code: KernelCode, index: Index, lanes: int = 0) -> Place:
    return Place(code.at(index), lanes)


def plain_type(type_: Any) -> Any:
    """The memref of a tensor that lies in order."""
    ranked = ir.RankedTensorType(type_)
    return ir.MemRefType.get(ranked.shape, ranked.element_type)
