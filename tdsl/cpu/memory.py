"""The memory that tensors of a claim would lie in, before anything is known of strides."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.lowering.rewriting import as_block


def plain_memory(function: Any) -> tuple[list[Any], Any]:
    """The memref types of a function's operands, and of its result."""
    block = as_block(function)
    (returned,) = list(block.operations)[-1].operation.operands
    return [_plain(value.type) for value in block.arguments], _plain(returned.type)


def _plain(type_: Any) -> Any:
    ranked = ir.RankedTensorType(type_)
    return ir.MemRefType.get(ranked.shape, ranked.element_type)
