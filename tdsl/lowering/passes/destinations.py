"""Give the public function memory to write its results to, in place of returned tensors."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import bufferization, func

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block, before, public_function


def _memory(tensor: Any) -> Any:
    tensor = ir.RankedTensorType(tensor)
    return ir.MemRefType.get(tensor.shape, tensor.element_type)


def run(module: Any, options: Options) -> None:
    """Inputs become read-only memory, results trailing arguments that are written.

    Returned tensors would each cost an allocation inside and a copy outside. Inputs are not
    `writable`, so bufferization never updates one in place; they may alias each other, but the
    runtime makes sure that no result aliases anything.
    """
    function = public_function(module)
    block = as_block(function)
    type = ir.FunctionType(ir.TypeAttr(function.operation.attributes["function_type"]).value)
    for argument in list(block.arguments):
        tensor = argument.type
        argument.set_type(_memory(tensor))
        with ir.InsertionPoint.at_block_begin(block), function.operation.location:
            view = bufferization.ToTensorOp(tensor, argument, restrict=True)
        argument.replace_all_uses_except(view.result, view.operation)
    returned = next(
        operation for operation in block.operations if operation.operation.name == "func.return"
    )
    for value in list(returned.operands):
        destination = block.add_argument(_memory(value.type), function.operation.location)
        with before(returned):
            bufferization.MaterializeInDestinationOp(
                None, value, destination, restrict=True, writable=True
            )
    with before(returned):
        func.ReturnOp([])
    returned.operation.erase()
    arguments = [argument.type for argument in block.arguments]
    attributes = function.operation.attributes
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(arguments, []))
    if "res_attrs" in attributes:
        del attributes["res_attrs"]
    if "arg_attrs" in attributes:
        kept = list(ir.ArrayAttr(attributes["arg_attrs"]))
        kept += [ir.DictAttr.get({})] * len(type.results)
        attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
