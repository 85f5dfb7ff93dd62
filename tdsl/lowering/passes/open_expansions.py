"""Write an axis split into several open axes as a view with computed strides."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, memref

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, before, collect, index, replace


def run(module: Any, options: Options) -> None:
    """expand-strided-metadata takes one open axis for each axis that is split, and aborts on more:
    it computes that one from the whole and does not look at the sizes that the operation has."""
    for operation in collect(module, {"memref.expand_shape"}):
        shape = ir.MemRefType(operation.results[0].type).shape
        if any(sum(shape[axis] == DYNAMIC for axis in group) > 1 for group in _groups(operation)):
            with before(operation):
                view = _view(operation)
            replace(operation, [view])


def _groups(operation: Any) -> list[list[int]]:
    """For each axis of the source, the axes of the result that it is split into."""
    return [
        [ir.IntegerAttr(axis).value for axis in ir.ArrayAttr(group)]
        for group in ir.ArrayAttr(operation.attributes["reassociation"])
    ]


def _view(operation: Any) -> Any:
    source, *open_sizes = list(operation.operands)
    type = ir.MemRefType(operation.results[0].type)
    static_strides, static_offset = type.get_strides_and_offset()
    rank = ir.MemRefType(source.type).rank
    base, offset, *rest = memref.ExtractStridedMetadataOp(source).results
    known = iter(open_sizes)
    sizes = [next(known) if size == DYNAMIC else index(size) for size in type.shape]
    strides: list[Any] = [None] * type.rank
    for stride, group in zip(rest[rank:], _groups(operation), strict=True):
        for axis in reversed(group):
            strides[axis] = stride
            stride = arith.MulIOp(stride, sizes[axis]).result
    return memref.ReinterpretCastOp(
        type,
        base,
        [offset] if static_offset == _DYNAMIC_STRIDE else [],
        [size for size, shown in zip(sizes, type.shape, strict=True) if shown == DYNAMIC],
        [s for s, shown in zip(strides, static_strides, strict=True) if shown == _DYNAMIC_STRIDE],
        [static_offset],
        list(type.shape),
        list(static_strides),
    ).result


_DYNAMIC_STRIDE = ir.ShapedType.get_dynamic_stride_or_offset()
