"""Reading a claim of kind matmul: which operands are multiplied, how they lie, what follows."""

from __future__ import annotations

from typing import Any

import msgspec
from mlir import ir

from tdsl.lowering.kernels import Refused
from tdsl.lowering.rewriting import as_block, collect

_PRODUCTS = frozenset({"linalg.matmul", "linalg.batch_matmul"})
_TRACED = "a product of a computed value"


class Side(msgspec.Struct, frozen=True):
    """One operand of a product: an argument of the claim and the axes of it that are the loops
    b (batch), m, n and k."""

    argument: int
    axes: dict[str, int]
    element: Any
    """As stored; the product is computed in another type if that differs."""


class Product(msgspec.Struct, frozen=True):
    """The product of a claim. `element` is the type that it is computed in."""

    operation: Any
    returned: Any
    left: Side
    right: Side
    element: Any
    batched: bool

    @property
    def is_plain(self) -> bool:
        """Whether the product itself is the result."""
        owner = None if isinstance(self.returned, ir.BlockArgument) else self.returned.owner
        return owner is not None and owner.operation == self.operation.operation

    @property
    def element_bytes(self) -> int:
        return int(self.element.width) // 8

    @property
    def result_shape(self) -> list[int]:
        return list(ir.RankedTensorType(self.returned.type).shape)


def read_product(function: Any) -> Product:
    """Refused where the body is no single product onto zeros with reads that a kernel can do."""
    found = collect(function, _PRODUCTS)
    if len(found) != 1:
        raise Refused(f"{len(found)} products, not one")
    operation = found[0]
    batched = operation.name == "linalg.batch_matmul"
    left, right, destination = operation.operands
    element = ir.RankedTensorType(operation.results[0].type).element_type
    if not isinstance(element, ir.F32Type | ir.F64Type):
        raise Refused(f"products of {element} have no kernel")
    if not _is_zero_filled(destination):
        raise Refused("the product adds to other values")
    letters = "bmnk" if batched else "mnk"
    maps = _maps(operation, letters)
    (value,) = list(as_block(function).operations)[-1].operands
    return Product(
        operation,
        value,
        _side(left, maps[0], element),
        _side(right, maps[1], element),
        element,
        batched,
    )


def _maps(operation: Any, letters: str) -> list[str]:
    """For each operand the loops that index its axes."""
    batch = "b" if "b" in letters else ""
    plain = [f"{batch}mk", f"{batch}kn", f"{batch}mn"]
    if "indexing_maps" not in operation.attributes:
        return plain
    found = []
    for one in ir.ArrayAttr(operation.attributes["indexing_maps"]):
        expressions = ir.AffineMapAttr(one).value.results
        if not all(isinstance(expression, ir.AffineDimExpr) for expression in expressions):
            raise Refused("an operand is indexed by an expression")
        found.append("".join(letters[expression.position] for expression in expressions))
    if found[2] != plain[2] or [sorted(one) for one in found] != [sorted(one) for one in plain]:
        raise Refused("the product has maps of another kind")
    return found


def _side(value: Any, loops: str, element: Any) -> Side:
    """Look through casts and transposes to the argument."""
    while not isinstance(value, ir.BlockArgument):
        operation = value.owner.operation
        if operation.name == "linalg.transpose":
            permutation = list(ir.DenseI64ArrayAttr(operation.attributes["permutation"]))
            moved = [""] * len(permutation)
            for axis, source in enumerate(permutation):
                moved[source] = loops[axis]
            loops = "".join(moved)
        elif not _is_widening(operation):
            raise Refused(_TRACED)
        value = operation.operands[0]
    stored = ir.RankedTensorType(value.type).element_type
    if stored != element and not isinstance(stored, ir.F16Type | ir.BF16Type | ir.F32Type):
        raise Refused(f"elements of {stored} are not widened")
    return Side(value.arg_number, {loop: axis for axis, loop in enumerate(loops)}, stored)


def _is_widening(operation: Any) -> bool:
    if operation.name != "linalg.generic" or len(operation.operands) != 2:
        return False
    maps = [
        ir.AffineMapAttr(one).value for one in ir.ArrayAttr(operation.attributes["indexing_maps"])
    ]
    identity = ir.AffineMap.get_identity(maps[0].n_dims)
    inner = [one.operation.name for one in as_block(operation).operations]
    return inner == ["arith.extf", "linalg.yield"] and all(map_ == identity for map_ in maps)


def _is_zero_filled(value: Any) -> bool:
    if isinstance(value, ir.BlockArgument) or value.owner.name != "linalg.fill":
        return False
    number = value.owner.operation.operands[0]
    if isinstance(number, ir.BlockArgument) or number.owner.name != "arith.constant":
        return False
    attribute = number.owner.operation.attributes["value"]
    return isinstance(attribute, ir.FloatAttr) and ir.FloatAttr(attribute).value == 0.0
