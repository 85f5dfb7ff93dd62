"""Turn tensor.reshape into collapse_shape and expand_shape, which cost no memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, tensor

from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, before, collect, index, replace
from tdsl.lowering.sizes import Sizes
from tdsl.types.sizes import Size, Symbol

Groups = tuple[list[list[int]], list[list[int]]]


def run(module: Any, options: Options) -> None:
    """Only after the claims are outlined and elementwise operations fused: folding an expand_shape
    into a matrix product would turn the product into something that no kernel recognises."""
    sizes = Sizes(module)
    for operation in collect(module, {"tensor.reshape"}):
        _rewrite(operation, sizes)


def groups(source: Sequence[Size], result: Sequence[Size]) -> Groups:
    """Split both shapes into the shortest runs of axes with equal numbers of elements.

    Each run has axes on both sides. Cut points are where the products of the leading axes agree;
    axes of size 1 that are left over at the end join the last run.
    """
    left, right = _products(source), _products(result)
    runs: Groups = ([], [])
    i = j = 0
    while i < len(source) and j < len(result):
        cuts = [
            (next_i, next_j)
            for next_i in range(i + 1, len(source) + 1)
            for next_j in range(j + 1, len(result) + 1)
            if left[next_i] == right[next_j]
        ]
        next_i, next_j = min(cuts, key=sum) if cuts else (len(source), len(result))
        runs[0].append(list(range(i, next_i)))
        runs[1].append(list(range(j, next_j)))
        i, j = next_i, next_j
    if runs[0]:
        runs[0][-1] += range(i, len(source))
        runs[1][-1] += range(j, len(result))
    return runs


def _products(shape: Sequence[Size]) -> list[Size]:
    products = [Size.of(1)]
    for size in shape:
        products.append(products[-1] * size)
    return products


def _shape(sizes: Sequence[Size | None], owner: str) -> list[Size]:
    """Unknown sizes become symbols that equal nothing else."""
    return [
        size if size is not None else Size.of(Symbol(f"unknown{axis}", owner))
        for axis, size in enumerate(sizes)
    ]


def _rewrite(operation: Any, sizes: Sizes) -> None:
    value, shape = operation.operands
    source_type = ir.RankedTensorType(value.type)
    result_type = ir.RankedTensorType(operation.results[0].type)
    source = _shape([sizes.dimension(value, a) for a in range(source_type.rank)], "source")
    result = _shape([_result(operation, sizes, a) for a in range(result_type.rank)], "result")
    source_runs, result_runs = groups(source, result)
    with before(operation):
        if any(len(run) > 1 for run in source_runs) or (source_type.rank and not result_type.rank):
            value = _collapse(value, source_type, source_runs)
        if any(len(run) > 1 for run in result_runs) or (result_type.rank and not source_type.rank):
            dynamic = [
                _element(shape, axis)
                for axis, size in enumerate(result_type.shape)
                if size == DYNAMIC
            ]
            value = _expand(value, result_type, result_runs, dynamic)
        if value.type != result_type:
            value = tensor.CastOp(result_type, value).result
    replace(operation, [value])


def _result(operation: Any, sizes: Sizes, axis: int) -> Size | None:
    return sizes.dimension(operation.results[0], axis)


def _run_sizes(type: Any, runs: list[list[int]]) -> list[int]:
    """The size of each run of axes as one axis."""
    shape = []
    for run in runs:
        product = 1
        for axis in run:
            size = type.shape[axis]
            product = DYNAMIC if DYNAMIC in (size, product) else product * size
        shape.append(product)
    return shape


def _collapse(value: Any, type: Any, runs: list[list[int]]) -> Any:
    collapsed = ir.RankedTensorType.get(_run_sizes(type, runs), type.element_type)
    return tensor.CollapseShapeOp(collapsed, value, runs).result


def _expand(value: Any, type: Any, runs: list[list[int]], dynamic: list[Any]) -> Any:
    source = ir.RankedTensorType(value.type)
    # A run of fixed axes must expand an axis of fixed size, and an open run an open axis.
    shape = _run_sizes(type, runs)
    if runs and list(source.shape) != shape:
        value = tensor.CastOp(ir.RankedTensorType.get(shape, source.element_type), value).result
    return tensor.ExpandShapeOp(type, value, runs, dynamic, list(type.shape)).result


def _element(shape: Any, axis: int) -> Any:
    """One size out of a shape operand, as an index."""
    if not isinstance(shape, ir.BlockArgument) and shape.owner.name == "tensor.from_elements":
        element = shape.owner.operation.operands[axis]
    else:
        element = tensor.ExtractOp(shape, [index(axis)]).result
    if isinstance(element.type, ir.IndexType):
        return element
    return arith.IndexCastOp(ir.IndexType.get(), element).result
