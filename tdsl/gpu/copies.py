"""Structured operations that do nothing but copy: making them, and recognising them."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.dialects import linalg
from tdsl.lowering.rewriting import as_block, before


def copying(operation: Any, source: Any, target: Any) -> Any:
    """A structured operation in front of another, which copies."""
    rank = ir.MemRefType(source.type).rank
    identity_map = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    element = ir.MemRefType(source.type).element_type
    with before(operation):
        generic = linalg.GenericOp(
            [],
            [source],
            [target],
            ir.ArrayAttr.get([identity_map] * 2),
            ir.ArrayAttr.get([parallel] * rank),
        )
        block = generic.regions[0].blocks.append(
            element, element, arg_locs=[operation.location] * 2
        )
        with ir.InsertionPoint(block):
            linalg.YieldOp([block.arguments[0]])
    return generic.operation


def is_copy(operation: Any) -> bool:
    maps = ir.ArrayAttr(operation.attributes["indexing_maps"])
    block = as_block(operation)
    inner = list(block.operations)
    if len(inner) != 1 or inner[0].operation.operands[0] != block.arguments[0]:
        return False
    if not isinstance(operation.operands[0].type, ir.MemRefType):
        return False
    same = operation.operands[0].type.element_type == operation.operands[1].type.element_type
    return same and all(
        ir.AffineMapAttr(one).value == ir.AffineMap.get_identity(ir.AffineMapAttr(one).value.n_dims)
        for one in maps
    )
