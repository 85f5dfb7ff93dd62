"""Decide for each claim who computes it: a kernel (its body is set aside), BLAS, or plain loops."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func, tensor

from tdsl.lowering.kernels import CLAIM, CLAIMS, KERNEL, Generators, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import (
    DYNAMIC,
    as_block,
    before,
    collect,
    functions,
    index,
    is_private,
    replace,
)

# Kind of claim -> the operations in its body that a substitution without generator replaces.
_MARKED_OPERATIONS = {"matmul": frozenset({"linalg.matmul", "linalg.batch_matmul"})}


def run(module: Any, options: Options, generators: Generators, machine: Machine) -> None:
    """What a generator accepts becomes a declaration with one more operand, the destination; its
    body waits in an attribute of the module until memory is known. All other claims are left to be
    inlined; what BLAS may compute is marked, and the mark survives bufferization."""
    for function in functions(module):
        attributes = function.operation.attributes
        if CLAIM not in attributes or not is_private(function):
            continue
        kind = ir.StringAttr(attributes[CLAIM]).value
        wanted = options.kernels.implementations(kind)
        for place, implementation in enumerate(wanted):
            generator = generators.get(kind, {}).get(implementation)
            if generator is None:
                for operation in collect(function, _MARKED_OPERATIONS.get(kind, frozenset())):
                    operation.attributes[KERNEL] = ir.StringAttr.get(",".join(wanted[place:]))
                break
            try:
                generator.accept(function, machine, options)
            except Refused:
                continue
            _set_aside(module, function, implementation)
            break


def _set_aside(module: Any, function: Any, implementation: str) -> None:
    name = ir.StringAttr(function.operation.attributes["sym_name"])
    for call in collect(module, {"func.call"}):
        if ir.FlatSymbolRefAttr(call.attributes["callee"]).value == name.value:
            _with_destination(call, function)
    function.operation.attributes[KERNEL] = ir.StringAttr.get(implementation)
    # What is parsed again is verified then.
    text = function.operation.get_asm(
        enable_debug_info=True, use_local_scope=True, assume_verified=True
    )
    kept = {}
    if CLAIMS in module.operation.attributes:
        known = ir.DictAttr(module.operation.attributes[CLAIMS])
        kept = {known[place].name: known[place].attr for place in range(len(known))}
    kept[name.value] = ir.StringAttr.get(text)
    module.operation.attributes[CLAIMS] = ir.DictAttr.get(kept)
    type_ = ir.FunctionType(ir.TypeAttr(function.operation.attributes["function_type"]).value)
    with before(function):
        declared = func.FuncOp(
            name.value, ([*type_.inputs, *type_.results], list(type_.results)), visibility="private"
        )
    declared.operation.attributes[KERNEL] = ir.StringAttr.get(implementation)
    function.operation.erase()


def _with_destination(call: Any, function: Any) -> None:
    returned = list(as_block(function).operations)[-1]
    (value,) = returned.operands
    type_ = ir.RankedTensorType(value.type)
    arguments = dict(enumerate(call.operands))
    with before(call):
        sizes = [
            _copied(_dimension(value, axis), arguments) if size == DYNAMIC else size
            for axis, size in enumerate(type_.shape)
        ]
        empty = tensor.EmptyOp(sizes, type_.element_type).result
        name = ir.FlatSymbolRefAttr(call.attributes["callee"])
        made = func.CallOp([type_], name, [*call.operands, empty])
    replace(call, [made.results[0]])


def _dimension(value: Any, axis: int) -> Any:
    """The index value that an open axis has, or (argument, axis)."""
    if isinstance(value, ir.BlockArgument):
        return value.arg_number, axis
    operation = value.owner.operation
    if operation.name == "tensor.empty":
        before_it = sum(size == DYNAMIC for size in ir.ShapedType(value.type).shape[:axis])
        return operation.operands[before_it]
    if operation.name == "tensor.reshape":
        shape = operation.operands[1].owner.operation
        return shape.operands[axis]
    if operation.name.startswith("linalg."):
        return _dimension(operation.operands[len(operation.operands) - 1], axis)
    raise ValueError(f"the size of axis {axis} of a claim's result is not known: {operation}")


def _copied(value: Any, arguments: dict[int, Any]) -> Any:
    """An index value of a claim's body, computed in front of the call."""
    if isinstance(value, tuple):
        position, axis = value
        return tensor.DimOp(arguments[position], index(axis)).result
    if isinstance(value, ir.BlockArgument):
        return arguments[value.arg_number]
    operation = value.owner.operation
    if operation.name == "tensor.dim":
        axis = ir.IntegerAttr(operation.operands[1].owner.operation.attributes["value"]).value
        size = ir.ShapedType(operation.operands[0].type).shape[axis]
        if size != DYNAMIC:
            return index(size)
        return _copied(_dimension(operation.operands[0], axis), arguments)
    operands = [_copied(operand, arguments) for operand in operation.operands]
    made = operation.clone()
    for place, operand in enumerate(operands):
        made.operation.operands[place] = operand
    return made.results[0]
