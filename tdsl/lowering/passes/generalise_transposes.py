"""Write each linalg.transpose that no claim holds as a linalg.generic, so that it fuses."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.dialects import linalg
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block, before, collect, functions, replace


def run(module: Any, options: Options) -> None:
    """Matrix products are never rewritten: a generic form of one is no longer recognised."""
    for function in functions(module):
        if "tdsl.claim" in function.operation.attributes:
            continue
        for operation in collect(function, {"linalg.transpose"}):
            _generalise(operation)


def _generalise(operation: Any) -> None:
    permutation = list(ir.DenseI64ArrayAttr(operation.attributes["permutation"]))
    rank = len(permutation)
    # Axis k of the result is axis permutation[k] of the source.
    source = [0] * rank
    for position, axis in enumerate(permutation):
        source[axis] = position
    maps = [ir.AffineMap.get_permutation(source), ir.AffineMap.get_identity(rank)]
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    with before(operation):
        generic = linalg.GenericOp(
            [operation.results[0].type],
            [operation.operands[0]],
            [operation.operands[1]],
            ir.ArrayAttr.get([ir.AffineMapAttr.get(one) for one in maps]),
            ir.ArrayAttr.get([parallel] * rank),
        )
        element = ir.RankedTensorType(operation.results[0].type).element_type
        block = generic.regions[0].blocks.append(
            element, element, arg_locs=[operation.location] * 2
        )
        with ir.InsertionPoint(block):
            linalg.YieldOp([block.arguments[0]])
    assert as_block(generic).arguments
    replace(operation, [generic.results[0]])
