"""Let sums be added up in any order, so that they vectorise; nothing else may be reordered."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.options import Options
from tdsl.lowering.passes.structured import Structured
from tdsl.lowering.rewriting import as_block, collect_unfinished

_ACCUMULATE = "#arith.fastmath<reassoc,contract>"
_CONTRACT = "#arith.fastmath<contract>"


def run(module: Any, options: Options) -> None:
    """The flag goes on the addition (or multiplication) that accumulates into an output of a
    reduction, and nowhere else. A product that goes straight into a sum may fuse with it."""
    if not options.vectorize:
        return
    for operation in collect_unfinished(module, {"linalg.generic"}):
        item = Structured.of(operation)
        arguments = list(as_block(operation).arguments)[len(item.inputs) :]
        for output, argument in zip(item.outputs, arguments, strict=True):
            # Elsewhere the argument is an operand that the operation overwrites.
            if any(
                reduction and not output.uses(dimension)
                for dimension, reduction in enumerate(item.reductions)
            ):
                _accumulate(argument)


def _accumulate(argument: Any) -> None:
    for use in argument.uses:
        user = use.owner.operation
        if user.name in ("arith.addf", "arith.mulf"):
            user.attributes["fastmath"] = ir.Attribute.parse(_ACCUMULATE)
            if user.name == "arith.addf":
                _contract_product(user)


def _contract_product(addition: Any) -> None:
    for operand in addition.operands:
        if isinstance(operand, ir.BlockArgument):
            continue
        product = operand.owner.operation
        if product.name == "arith.mulf" and sum(1 for _ in operand.uses) == 1:
            product.attributes["fastmath"] = ir.Attribute.parse(_CONTRACT)
