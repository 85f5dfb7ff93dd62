"""Let sums be added up in any order, so that they vectorise; nothing else may be reordered."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block, collect


def run(module: Any, options: Options) -> None:
    """The flag goes on the addition (or multiplication) that accumulates into an output of a
    reduction, and nowhere else. Products that go straight into a sum may fuse with it."""
    if not options.vectorize:
        return
    for operation in collect(module, {"linalg.generic"}):
        block = as_block(operation)
        outputs = list(block.arguments)[len(operation.operands) - _outputs(operation) :]
        for output in outputs:
            for use in output.uses:
                user = use.owner.operation
                if user.name in ("arith.addf", "arith.mulf"):
                    flags = ir.Attribute.parse("#arith.fastmath<reassoc,contract>")
                    user.attributes["fastmath"] = flags
                    if user.name == "arith.addf":
                        _contract_product(user)


def _outputs(operation: Any) -> int:
    segments = ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"])
    return int(segments[1])


def _contract_product(addition: Any) -> None:
    for operand in addition.operands:
        if isinstance(operand, ir.BlockArgument):
            continue
        product = operand.owner.operation
        if product.name == "arith.mulf" and sum(1 for _ in operand.uses) == 1:
            product.attributes["fastmath"] = ir.Attribute.parse("#arith.fastmath<contract>")
