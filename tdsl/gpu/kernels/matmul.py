"""The generator of GPU kernels for products: which kind of kernel a product gets, and its tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdsl.gpu.kernels.few import FewKernel
from tdsl.gpu.kernels.form import MatmulForm, check_result
from tdsl.gpu.kernels.generator import FixedSizes
from tdsl.gpu.kernels.mma import TYPES
from tdsl.gpu.kernels.simt import SimtKernel
from tdsl.gpu.kernels.tensor import TensorKernel
from tdsl.gpu.kernels.tiles import (
    MOST_FEW,
    SIMT_F32,
    SIMT_F64,
    TENSOR,
    SimtTile,
    TensorTile,
    chosen,
)
from tdsl.lowering.claims.body import Unreadable
from tdsl.lowering.kernels import GridLaunch, Kernel, Refused
from tdsl.lowering.options import Options


def kernel(
    symbol: str,
    function: Any,
    operands: Sequence[Any],
    result: Any,
    *,
    precision: str = "f32",
    aligned: frozenset[int] = frozenset(),
    tile: SimtTile | TensorTile | None = None,
) -> Kernel:
    """The kernel for a claim, with the tile that suits its size unless one is given."""
    form = MatmulForm(function, operands, result, aligned)
    check_result(form)
    grid, threads, text = _written(symbol, form, precision, tile)
    launch = GridLaunch(symbol, grid, (threads, 1, 1), tuple(range(len(operands) + 1)))
    return Kernel(symbol, text, None, (launch,))


def _written(
    symbol: str, form: MatmulForm, precision: str, tile: SimtTile | TensorTile | None
) -> tuple[tuple[int, int, int], int, str]:
    """The grid, the threads of a block, and the text."""
    type_ = multiplied_as(form, precision)
    try:
        if tile is None and min(form.m, form.n) <= MOST_FEW:
            few = FewKernel(form)
            return (few.blocks, 1, 1), few.code.threads, few.text(symbol)
        maker: SimtKernel | TensorKernel
        if type_ is not None:
            shape = tile or chosen(TENSOR, form.batches, form.m, form.n)
            assert isinstance(shape, TensorTile)
            maker = TensorKernel(form, shape, TYPES[type_])
        else:
            tiles = SIMT_F64 if form.element == "f64" else SIMT_F32
            shape = tile or chosen(tiles, form.batches, form.m, form.n)
            assert isinstance(shape, SimtTile)
            maker = SimtKernel(form, shape)
        return form.grid(shape.rows, shape.columns), shape.threads, maker.text(symbol)
    except Unreadable as reason:
        raise Refused(str(reason)) from reason


def multiplied_as(form: MatmulForm, precision: str) -> str | None:
    """The type that tensor cores multiply; None: a product without them.

    Products of two numbers of 16 bits are exact in f32: tensor cores compute what the plain kernel
    does. Numbers of f32 are rounded for them only if that is asked for."""
    if form.element != "f32":
        return None
    stored = {str(form.product.left.element), str(form.product.right.element)}
    if len(stored) == 1 and stored <= {"f16", "bf16"}:
        return stored.pop()
    return precision if precision in TYPES else None


class Matmul(FixedSizes):
    """The generator of kernels for claims of kind matmul."""

    def write(
        self,
        symbol: str,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        options: Options,
        aligned: frozenset[int] = frozenset(),
    ) -> Kernel:
        return kernel(
            symbol, function, operands, result, precision=options.precision, aligned=aligned
        )
