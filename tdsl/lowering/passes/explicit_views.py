"""Write views that expand-strided-metadata gets wrong with their offset and strides computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, before, collect, index, replace

_OPEN_STRIDE = ir.ShapedType.get_dynamic_stride_or_offset()


def run(module: Any, options: Options) -> None:
    """Of an axis split into several open ones, the pass computes one size from the whole and
    aborts on more. Of a slice that drops one of several axes of size 1, it drops any of them."""
    explicit = {"memref.expand_shape": _expansion, "memref.subview": _slice}
    for operation in collect(module, explicit.keys()):
        if _is_ambiguous(operation):
            with before(operation):
                view = explicit[operation.name](operation)
            replace(operation, [view])


def _is_ambiguous(operation: Any) -> bool:
    shape = ir.MemRefType(operation.results[0].type).shape
    if operation.name == "memref.subview":
        sizes = _static(operation, "static_sizes")
        return 0 < len(sizes) - len(shape) < sizes.count(1)
    return any(sum(shape[axis] == DYNAMIC for axis in group) > 1 for group in _groups(operation))


def _groups(operation: Any) -> list[list[int]]:
    """For each axis of the source, the axes of the result that it is split into."""
    return [
        [ir.IntegerAttr(axis).value for axis in ir.ArrayAttr(group)]
        for group in ir.ArrayAttr(operation.attributes["reassociation"])
    ]


def _expansion(operation: Any) -> Any:
    source, *open_sizes = list(operation.operands)
    type = ir.MemRefType(operation.results[0].type)
    base, offset, _, steps = _metadata(source)
    sizes = _values(type.shape, iter(open_sizes))
    strides: list[Any] = [None] * type.rank
    for step, group in zip(steps, _groups(operation), strict=True):
        for axis in reversed(group):
            strides[axis] = step
            step = arith.MulIOp(step, sizes[axis]).result
    return _view(type, base, offset, sizes, strides)


def _slice(operation: Any) -> Any:
    type = ir.MemRefType(operation.results[0].type)
    source, *rest = list(operation.operands)
    given = iter(rest)
    base, offset, _, steps = _metadata(source)
    starts = _values(_static(operation, "static_offsets"), given)
    static_sizes = _static(operation, "static_sizes")
    sizes = _values(static_sizes, given)
    by = _values(_static(operation, "static_strides"), given)
    for start, step in zip(starts, steps, strict=True):
        offset = arith.AddIOp(offset, arith.MulIOp(start, step).result).result
    kept = _kept(static_sizes, type.shape)
    strides = [arith.MulIOp(steps[axis], by[axis]).result for axis in kept]
    return _view(type, base, offset, [sizes[axis] for axis in kept], strides)


def _kept(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The axes of a slice that its result has. Of neighbours of size 1, whichever."""
    kept: list[int] = []
    for axis, size in enumerate(sizes):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(axis)
        elif size != 1:
            raise ValueError(f"a slice of sizes {sizes} has not the shape {shape}")
    return kept


def _static(operation: Any, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(operation.attributes[name]))


def _values(known: Sequence[int], given: Iterator[Any]) -> list[Any]:
    """Numbers, open ones taken from the operands."""
    return [next(given) if number == DYNAMIC else index(number) for number in known]


def _metadata(source: Any) -> tuple[Any, Any, list[Any], list[Any]]:
    """The buffer that a view is of, its offset there, its sizes and its strides."""
    rank = ir.MemRefType(source.type).rank
    base, offset, *rest = memref.ExtractStridedMetadataOp(source).results
    return base, offset, rest[:rank], rest[rank:]


def _view(type: Any, base: Any, offset: Any, sizes: Sequence[Any], strides: Sequence[Any]) -> Any:
    static_strides, static_offset = type.get_strides_and_offset()
    return memref.ReinterpretCastOp(
        type,
        base,
        [offset] if static_offset == _OPEN_STRIDE else [],
        [size for size, known in zip(sizes, type.shape, strict=True) if known == DYNAMIC],
        [
            step
            for step, known in zip(strides, static_strides, strict=True)
            if known == _OPEN_STRIDE
        ],
        [static_offset],
        list(type.shape),
        list(static_strides),
    ).result
