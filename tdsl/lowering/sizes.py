"""Reading index values and dimensions in a module back as sizes over the open symbols."""

from __future__ import annotations

import json
from typing import Any

from mlir import ir

from tdsl.lowering.interface import Interface
from tdsl.lowering.rewriting import DYNAMIC, as_block, kept_axes, public_function
from tdsl.types.sizes import Size, Symbol, opaque

INTERFACE = "tdsl.interface"

_BINARY = {"arith.addi": "+", "arith.subi": "-", "arith.muli": "*"}
_OPAQUE = {
    "arith.divsi": "//",
    "arith.divui": "//",
    "arith.floordivsi": "//",
    "arith.remsi": "%",
    "arith.remui": "%",
    "arith.minsi": "min",
    "arith.minui": "min",
    "arith.maxsi": "max",
    "arith.maxui": "max",
}
# Operations whose result has the shape of one operand.
_SAME_SHAPE = {
    "bufferization.to_tensor": 0,
    "bufferization.to_buffer": 0,
    "tensor.cast": 0,
    "memref.cast": 0,
    "bufferization.materialize_in_destination": 1,
    "tensor.insert": 1,
    "tensor.insert_slice": 1,
}


def attach_interface(module: Any, interface: Interface) -> None:
    """Keep the interface in the module itself, so that its text is all that a pass needs."""
    # Single quotes: MLIR would print each double quote inside a string as an escape.
    text = json.dumps(interface.to_data()).replace('"', "'")
    module.operation.attributes[INTERFACE] = ir.StringAttr.get(text)


def interface_of(module: Any) -> Interface:
    text = ir.StringAttr(module.operation.attributes[INTERFACE]).value
    return Interface.from_data(json.loads(text.replace("'", '"')))


class Sizes:
    """Sizes of values in the public function, as polynomials over the open symbols."""

    def __init__(self, module: Any) -> None:
        self._interface = interface_of(module)
        self._block = as_block(public_function(module))
        self._counters: dict[int, Symbol] = {}
        self._ranges: dict[Symbol, tuple[Size, Size]] = {}  # the first and last value

    def _argument(self, position: int, axis: int) -> Size | None:
        if position in dict(self._interface.packed):
            return None
        shapes = (*self._interface.inputs, *self._interface.results)
        return shapes[position][axis] if position < len(shapes) else None

    def value(self, value: Any) -> Size | None:
        """What an index or integer value holds, or None where it does not follow from sizes."""
        if isinstance(value, ir.BlockArgument):
            return self._counter(value)
        if not hasattr(value.owner, "name"):
            return None
        operation = value.owner.operation
        name = operation.name
        if name == "arith.constant":
            attribute = operation.attributes["value"]
            return Size.of(ir.IntegerAttr(attribute).value) if _is_integer(attribute) else None
        if name in ("arith.index_cast", "arith.extsi", "arith.extui", "arith.trunci"):
            return self.value(operation.operands[0])
        if name in ("tensor.dim", "memref.dim"):
            axis = self.value(operation.operands[1])
            known = axis.literal if axis is not None else None
            return None if known is None else self.dimension(operation.operands[0], known)
        if name in _BINARY or name in _OPAQUE:
            left, right = (self.value(operand) for operand in operation.operands)
            if left is None or right is None:
                return None
            if name in _OPAQUE:
                return opaque(_OPAQUE[name], left, right)  # type: ignore[arg-type]
            return {"+": left + right, "-": left - right, "*": left * right}[_BINARY[name]]
        if name == "affine.apply":
            map_ = ir.AffineMap(ir.AffineMapAttr(operation.attributes["map"]).value)
            operands = [self.value(operand) for operand in operation.operands]
            return _affine(map_.results[0], operands, map_.n_dims)
        if name == "tensor.extract":
            return self._element(operation)
        return None

    def _counter(self, value: Any) -> Size | None:
        """The number of the step of a loop, as a symbol of its own."""
        loop = None if value.owner == self._block else value.owner.owner.operation
        if loop is None or loop.name != "scf.for" or value.arg_number != 0:
            return None
        key = hash(value)
        if key not in self._counters:
            first, stop = (self.value(loop.operands[place]) for place in (0, 1))
            if first is None or stop is None:
                return None
            symbol = Symbol(f"step{len(self._counters)}", "loop", 0)
            self._counters[key] = symbol
            self._ranges[symbol] = (first, stop - 1)
        return Size.of(self._counters[key])

    def at_most(self, size: Size) -> Size:
        """What a size never exceeds, whatever the steps of loops that it depends on."""
        while counters := [symbol for symbol in self._ranges if symbol in size.symbols()]:
            # Bounds of a later one may depend on an earlier one, never the other way.
            symbol = counters[-1]
            first, last = self._ranges[symbol]
            total = Size.of(0)
            for power, factor in size.split(symbol).items():
                for monomial, number in factor.terms:
                    bound = last if number > 0 else first
                    total = total + Size(((monomial, number),)) * bound**power
            if symbol in total.symbols():
                raise ValueError(f"no bound of {size} is known")
            size = total
        return size

    def _element(self, operation: Any) -> Size | None:
        at = [self.value(operand) for operand in list(operation.operands)[1:]]
        if len(at) != 1 or at[0] is None or at[0].literal is None:
            return None
        elements = self.shape_operand(operation.operands[0])
        return elements[at[0].literal] if elements else None

    def shape_operand(self, value: Any) -> list[Size | None] | None:
        """The sizes in the shape operand of a tensor.reshape."""
        operation = value.owner.operation
        if operation.name == "tensor.from_elements":
            return [self.value(operand) for operand in operation.operands]
        if operation.name == "arith.constant":
            elements = ir.DenseIntElementsAttr(operation.attributes["value"])
            return [Size.of(int(element)) for element in elements]
        return None

    def dimension(self, value: Any, axis: int) -> Size | None:
        """The size of one axis of a tensor or memref."""
        if isinstance(value, ir.BlockArgument) and value.owner == self._block:
            return self._argument(value.arg_number, axis) or _static(value, axis)
        static = _static(value, axis)
        if static is not None:
            return static
        if isinstance(value, ir.BlockArgument):
            return self._carried(value.owner.owner, value.arg_number - 1, axis)
        operation = value.owner.operation
        name = operation.name
        if name == "scf.for":
            return self._carried(operation, _position(operation, value), axis)
        if name in _SAME_SHAPE:
            return self.dimension(operation.operands[_SAME_SHAPE[name]], axis)
        if name in ("tensor.empty", "memref.alloc", "memref.alloca", "bufferization.alloc_tensor"):
            return self.value(operation.operands[_open_before(value.type, axis)])
        if name in ("tensor.extract_slice", "memref.subview"):
            return self._slice(operation, value, axis)
        if name in ("tensor.expand_shape", "memref.expand_shape"):
            return self.value(operation.operands[1 + _open_before(value.type, axis)])
        if name in ("tensor.collapse_shape", "memref.collapse_shape"):
            return self._collapsed(operation, axis)
        if name == "tensor.reshape":
            sizes = self.shape_operand(operation.operands[1])
            return sizes[axis] if sizes else None
        if name == "memref.view":
            return self.value(operation.operands[2 + _open_before(value.type, axis)])
        if name.startswith("linalg."):
            # A structured operation gives what its destination has.
            outputs = list(operation.operands)[-len(operation.results) :]
            return self.dimension(outputs[_position(operation, value)], axis)
        return None

    def _carried(self, loop: Any, position: int, axis: int) -> Size | None:
        """What a loop carries keeps the shape that it begins with."""
        if loop.operation.name != "scf.for" or position < 0:
            return None
        bounds_and_step = 3
        return self.dimension(loop.operation.operands[bounds_and_step + position], axis)

    def _slice(self, operation: Any, value: Any, axis: int) -> Size | None:
        static = list(ir.DenseI64ArrayAttr(operation.attributes["static_sizes"]))
        offsets = list(ir.DenseI64ArrayAttr(operation.attributes["static_offsets"]))
        # A slice may drop axes of size 1: the kept ones are found by skipping those.
        kept = kept_axes(static, ir.ShapedType(value.type).shape)
        axis = kept[axis]
        if static[axis] != DYNAMIC:
            return Size.of(static[axis])
        open_offsets = sum(offset == DYNAMIC for offset in offsets)
        before = sum(size == DYNAMIC for size in static[:axis])
        return self.value(operation.operands[1 + open_offsets + before])

    def _collapsed(self, operation: Any, axis: int) -> Size | None:
        group = ir.ArrayAttr(ir.ArrayAttr(operation.attributes["reassociation"])[axis])
        total = Size.of(1)
        for member in group:
            size = self.dimension(operation.operands[0], ir.IntegerAttr(member).value)
            if size is None:
                return None
            total = total * size
        return total


def _position(operation: Any, value: Any) -> int:
    """Which result of an operation a value is."""
    return next(at for at, result in enumerate(operation.results) if result == value)


def _is_integer(attribute: Any) -> bool:
    return isinstance(attribute, ir.IntegerAttr)


def _static(value: Any, axis: int) -> Size | None:
    size = ir.ShapedType(value.type).shape[axis]
    return None if size == DYNAMIC else Size.of(size)


def _open_before(type: Any, axis: int) -> int:
    return sum(size == DYNAMIC for size in ir.ShapedType(type).shape[:axis])


def _affine(expression: Any, operands: list[Size | None], dimensions: int) -> Size | None:
    if isinstance(expression, ir.AffineConstantExpr):
        return Size.of(expression.value)
    if isinstance(expression, ir.AffineDimExpr | ir.AffineSymbolExpr):
        after = dimensions if isinstance(expression, ir.AffineSymbolExpr) else 0
        found: Size | None = operands[after + expression.position]
        return found
    left = _affine(expression.lhs, operands, dimensions)
    right = _affine(expression.rhs, operands, dimensions)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return left + right
    if isinstance(expression, ir.AffineMulExpr):
        return left * right
    if isinstance(expression, ir.AffineFloorDivExpr):
        return opaque("//", left, right)
    if isinstance(expression, ir.AffineModExpr):
        return opaque("%", left, right)
    return -opaque("//", -left, right)  # ceildiv
