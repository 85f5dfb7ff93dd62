"""Put a structured operation in place of each call of a kernel, so that it writes where it should."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith

from tdsl.lowering.dialects import linalg
from tdsl.lowering.kernels import CALL, CLAIMS, KERNEL
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import before, collect, replace


def run(module: Any, options: Options) -> None:
    """Bufferization then sees a destination that is written and operands that are read, any
    element at any time, and makes no copies: views reach the kernel as they lie. A call of a
    function would get fresh memory for its result."""
    names = {}
    for operation in list(module.body.operations):
        attributes = operation.operation.attributes
        if operation.operation.name == "func.func" and KERNEL in attributes:
            names[ir.StringAttr(attributes["sym_name"]).value] = operation
    for call in collect(module, {"func.call"}):
        callee = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
        if callee in names:
            _place(call, callee)
    for operation in names.values():
        operation.operation.erase()


def restore(module: Any, options: Options) -> None:
    """Bring back the bodies of the claims that kernels compute, as they were."""
    if CLAIMS not in module.operation.attributes:
        return
    known = ir.DictAttr(module.operation.attributes[CLAIMS])
    del module.operation.attributes[CLAIMS]
    for place in range(len(known)):
        insert_functions(module, ir.StringAttr(known[place].attr).value)


def insert_functions(module: Any, text: str) -> list[Any]:
    """Add the functions in a text at the end of the module."""
    parsed = ir.Module.parse(text)
    added = []
    for operation in list(parsed.body.operations):
        operation.operation.detach_from_parent()
        module.body.append(operation)
        added.append(operation)
    return added


def _place(call: Any, callee: str) -> None:
    *operands, destination = call.operands
    result = ir.RankedTensorType(destination.type)
    rank = result.rank
    somewhere = ir.AffineConstantExpr.get(0)
    maps = [
        ir.AffineMap.get(rank, 0, [somewhere] * ir.RankedTensorType(operand.type).rank)
        for operand in operands
    ]
    maps.append(ir.AffineMap.get_identity(rank))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    with before(call):
        generic = linalg.GenericOp(
            [result],
            operands,
            [destination],
            ir.ArrayAttr.get([ir.AffineMapAttr.get(one) for one in maps]),
            ir.ArrayAttr.get([parallel] * rank),
        )
        types = [ir.RankedTensorType(value.type).element_type for value in call.operands]
        block = generic.regions[0].blocks.append(*types, arg_locs=[call.location] * len(types))
        with ir.InsertionPoint(block):
            for argument in list(block.arguments)[:-1]:
                _read(argument)
            linalg.YieldOp([_zero(types[-1])])
    generic.operation.attributes[CALL] = ir.FlatSymbolRefAttr.get(callee)
    replace(call, [generic.results[0]])


def _read(argument: Any) -> None:
    """Use an element: an operand whose elements are not used would not count as read."""
    if isinstance(argument.type, ir.IntegerType):
        arith.AddIOp(argument, argument)
    else:
        arith.AddFOp(argument, argument)


def _zero(type_: Any) -> Any:
    if isinstance(type_, ir.IntegerType):
        return arith.ConstantOp(type_, ir.IntegerAttr.get(type_, 0)).result
    return arith.ConstantOp(type_, ir.FloatAttr.get(type_, 0.0)).result
