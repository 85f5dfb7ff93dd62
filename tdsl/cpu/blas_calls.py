"""Replace matrix products marked for BLAS by calls of cblas functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import arith, func, memref, scf

from tdsl.cpu.blas import find_blas
from tdsl.lowering.dialects import llvm
from tdsl.lowering.kernels import KERNEL
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import (
    DYNAMIC,
    before,
    collect_unfinished,
    index,
    integer,
    touches_elements,
)

_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112
_INT32_MAX = 2**31 - 1
_LETTERS = {"f32": "s", "f64": "d"}

Number = int | Any  # a literal, or an index value


class Matrix(msgspec.Struct, frozen=True):
    """One operand as BLAS sees it: rows `leading` elements apart, each contiguous."""

    value: Any
    rows: Number
    columns: Number
    leading: Number
    transposed: bool
    batch_stride: Number


def run(module: Any, options: Options) -> None:
    """Strided operands go as they are, with their leading dimension: no copy is made. What BLAS
    cannot take (another dtype, no unit stride, sizes beyond 32 bits) stays a loop."""
    products = [
        operation
        for operation in collect_unfinished(module, {"linalg.matmul", "linalg.batch_matmul"})
        if KERNEL in operation.attributes
    ]
    for operation in products:
        wanted = ir.StringAttr(operation.attributes[KERNEL]).value.split(",")
        del operation.attributes[KERNEL]
        if wanted[0] == "blas" and find_blas() is not None:
            _substitute(module, operation)


def _substitute(module: Any, operation: Any) -> None:
    left, right, result = operation.operands
    elements = {str(ir.MemRefType(value.type).element_type) for value in operation.operands}
    if len(elements) != 1 or not elements <= set(_LETTERS):
        return
    letter = _LETTERS[next(iter(elements))]
    batched = operation.name == "linalg.batch_matmul"
    flips = _operand_flips(operation, batched)
    if flips is None or not all(_has_unit_stride(value) for value in (left, right, result)):
        return
    fill = _zero_fill(operation)
    with before(operation):
        a, b, c = (
            _matrix(value, flip)
            for value, flip in zip((left, right, result), (*flips, False), strict=True)
        )
        if c.transposed:
            # C' = B' A': a result whose columns are contiguous is the transposed product.
            a, b, c = _flip(b), _flip(a), _flip(c)
        m, n, k = c.rows, c.columns, a.columns
        limits = [m, n, k, a.leading, b.leading, c.leading]
        if any(isinstance(number, int) and number > _INT32_MAX for number in limits):
            return
        beta = 0.0 if fill is not None else 1.0
        call = _Call(module, letter, a, b, c, m, n, k, beta)

        def product() -> None:
            if batched:
                call.batch(ir.MemRefType(result.type).shape[0], result)
            else:
                call.one(None)

        open_limits = [number for number in limits if not isinstance(number, int)]
        if open_limits:
            fits = _all_fit(open_limits)
            choice = scf.IfOp(fits, has_else=True)
            with ir.InsertionPoint(choice.then_block):
                product()
                scf.YieldOp([])
            with ir.InsertionPoint(choice.else_block):
                if fill is not None:
                    fill.operation.clone()
                operation.operation.clone()
                scf.YieldOp([])
        else:
            product()
    if fill is not None:
        fill.operation.erase()
    operation.operation.erase()


def _operand_flips(operation: Any, batched: bool) -> tuple[bool, bool] | None:
    """Whether the operation itself reads an operand transposed; None: in no way that BLAS has."""
    if "indexing_maps" not in operation.attributes:
        return False, False
    maps = [
        ir.AffineMapAttr(one).value for one in ir.ArrayAttr(operation.attributes["indexing_maps"])
    ]
    b = 1 if batched else 0

    def positions(map_: Any) -> list[int] | None:
        if not all(isinstance(expression, ir.AffineDimExpr) for expression in map_.results):
            return None
        return [expression.position for expression in map_.results]

    m, n, k = b, b + 1, b + 2
    lead = [0] if batched else []
    left = {(m, k): False, (k, m): True}
    right = {(k, n): False, (n, k): True}
    found = [positions(map_) for map_ in maps]
    if any(one is None or one[:b] != lead for one in found) or found[2] != [*lead, m, n]:
        return None
    first, second = tuple((found[0] or [])[b:]), tuple((found[1] or [])[b:])
    if first not in left or second not in right:
        return None
    return left[first], right[second]


def _strides(value: Any) -> list[int]:
    return list(ir.MemRefType(value.type).get_strides_and_offset()[0])


def _has_unit_stride(value: Any) -> bool:
    shape = ir.MemRefType(value.type).shape
    return any(
        stride == 1 or size == 1
        for stride, size in zip(_strides(value)[-2:], shape[-2:], strict=True)
    )


def _dimension(value: Any, axis: int) -> Number:
    size = ir.MemRefType(value.type).shape[axis]
    return memref.DimOp(value, index(axis)).result if size == DYNAMIC else size


def _stride(value: Any, axis: int) -> Number:
    stride = _strides(value)[axis]
    if not ir.MemRefType.is_dynamic_stride_or_offset(ir.MemRefType(value.type), stride):
        return stride
    rank = ir.MemRefType(value.type).rank
    return memref.ExtractStridedMetadataOp(value).results[2 + rank + axis]


def _matrix(value: Any, flip: bool) -> Matrix:
    rank = ir.MemRefType(value.type).rank
    rows, columns = _dimension(value, rank - 2), _dimension(value, rank - 1)
    strides = _strides(value)
    by_rows = (
        strides[-1] == 1 or (columns == 1 and strides[-2] != 1) or (columns == 1 and rows == 1)
    )
    if columns == 1 and strides[-1] != 1 and rows != 1 and strides[-2] == 1:
        by_rows = False
    if by_rows:
        extent, leading = columns, _stride(value, rank - 2)
        outer = rows
    else:
        extent, leading = rows, _stride(value, rank - 1)
        outer = columns
    if outer == 1 and isinstance(leading, int) and isinstance(extent, int):
        leading = max(leading, extent)  # there is no second row, but BLAS checks all the same
    batch = _stride(value, 0) if rank == 3 else 0
    matrix = Matrix(value, rows, columns, leading, not by_rows, batch)
    return _flip(matrix) if flip else matrix


def _flip(matrix: Matrix) -> Matrix:
    return Matrix(
        matrix.value,
        matrix.columns,
        matrix.rows,
        matrix.leading,
        not matrix.transposed,
        matrix.batch_stride,
    )


def _zero_fill(operation: Any) -> Any:
    """The linalg.fill with zero that the product accumulates onto, if nothing comes between."""
    result = operation.operands[2]
    siblings = list(operation.operation.block.operations)
    at = next(i for i, inner in enumerate(siblings) if inner.operation == operation.operation)
    for inner in reversed(siblings[:at]):
        if inner.operation.name == "linalg.fill" and inner.operation.operands[1] == result:
            return inner if _is_zero(inner.operation.operands[0]) else None
        if inner.operation.regions or any(
            operand == result for operand in inner.operation.operands
        ):
            return None
        if touches_elements(inner):
            return None
    return None


def _is_zero(value: Any) -> bool:
    if isinstance(value, ir.BlockArgument) or value.owner.name != "arith.constant":
        return False
    attribute = value.owner.operation.attributes["value"]
    return isinstance(attribute, ir.FloatAttr) and ir.FloatAttr(attribute).value == 0.0


def _all_fit(numbers: Sequence[Any]) -> Any:
    limit = index(_INT32_MAX)
    fits: Any = None
    for number in numbers:
        one = arith.CmpIOp(arith.CmpIPredicate.sle, number, limit).result
        fits = one if fits is None else arith.AndIOp(fits, one).result
    return fits


class _Call:
    """Emits one product, or a loop of them."""

    def __init__(
        self,
        module: Any,
        letter: str,
        a: Matrix,
        b: Matrix,
        c: Matrix,
        m: Number,
        n: Number,
        k: Number,
        beta: float,
    ) -> None:
        self._module, self._letter = module, letter
        self._a, self._b, self._c = a, b, c
        self._m, self._n, self._k = m, n, k
        self._element = ir.F32Type.get() if letter == "s" else ir.F64Type.get()
        self._beta = beta

    def batch(self, size: int, result: Any) -> None:
        count = index(size) if size != DYNAMIC else memref.DimOp(result, index(0)).result
        loop = scf.ForOp(index(0), count, index(1))
        with ir.InsertionPoint(loop.body):
            self.one(loop.induction_variable)
            scf.YieldOp([])

    def one(self, at: Any) -> None:
        """BLAS computes a product with one row many times slower than a matrix-vector product."""
        self._either(
            self._m,
            lambda: self._vector(at, self._b, self._a, rows=True),
            lambda: self._either(
                self._n,
                lambda: self._vector(at, self._a, self._b, rows=False),
                lambda: self._matrix(at),
            ),
        )

    def _either(
        self, size: Number, if_one: Callable[[], None], otherwise: Callable[[], None]
    ) -> None:
        if isinstance(size, int):
            (if_one if size == 1 else otherwise)()
            return
        is_one = arith.CmpIOp(arith.CmpIPredicate.eq, size, index(1)).result
        choice = scf.IfOp(is_one, has_else=True)
        for block, emit in ((choice.then_block, if_one), (choice.else_block, otherwise)):
            with ir.InsertionPoint(block):
                emit()
                scf.YieldOp([])

    def _matrix(self, at: Any) -> None:
        self._call(
            f"cblas_{self._letter}gemm",
            _i32(_ROW_MAJOR),
            _i32(_TRANSPOSED if self._a.transposed else _PLAIN),
            _i32(_TRANSPOSED if self._b.transposed else _PLAIN),
            _i32(self._m),
            _i32(self._n),
            _i32(self._k),
            self._real(1.0),
            self._pointer(self._a, at),
            _i32(self._a.leading),
            self._pointer(self._b, at),
            _i32(self._b.leading),
            self._real(self._beta),
            self._pointer(self._c, at),
            _i32(self._c.leading),
        )

    def _vector(self, at: Any, matrix: Matrix, vector: Matrix, *, rows: bool) -> None:
        """y = matrix · x, where x is the one column (or row) of `vector`, y that of the result.

        With one row the product is y' = B' x'.
        """
        if rows:
            matrix = _flip(matrix)
        # As stored: rows `leading` apart. `transposed` says that the stored matrix is the transpose.
        stored_rows = matrix.columns if matrix.transposed else matrix.rows
        stored_columns = matrix.rows if matrix.transposed else matrix.columns
        # A row steps by 1 unless its matrix is stored transposed, a column the other way round.
        step = 1 if vector.transposed != rows else vector.leading
        result_step = 1 if self._c.transposed != rows else self._c.leading
        self._call(
            f"cblas_{self._letter}gemv",
            _i32(_ROW_MAJOR),
            _i32(_TRANSPOSED if matrix.transposed else _PLAIN),
            _i32(stored_rows),
            _i32(stored_columns),
            self._real(1.0),
            self._pointer(matrix, at),
            _i32(matrix.leading),
            self._pointer(vector, at),
            _i32(step),
            self._real(self._beta),
            self._pointer(self._c, at),
            _i32(result_step),
        )

    def _real(self, value: float) -> Any:
        return arith.ConstantOp(self._element, ir.FloatAttr.get(self._element, value)).result

    def _pointer(self, matrix: Matrix, at: Any) -> Any:
        """The address of the first element, of the batch `at` if there are batches."""
        i64 = ir.IntegerType.get_signless(64)
        value = matrix.value
        address = memref.ExtractAlignedPointerAsIndexOp(value).result
        offset: Any = None
        known = ir.MemRefType(value.type).get_strides_and_offset()[1]
        if known != 0:
            offset = memref.ExtractStridedMetadataOp(value).results[1]
        if at is not None:
            step = matrix.batch_stride
            moved = arith.MulIOp(at, index(step) if isinstance(step, int) else step).result
            offset = moved if offset is None else arith.AddIOp(offset, moved).result
        if offset is not None:
            size = index(4 if self._letter == "s" else 8)
            address = arith.AddIOp(address, arith.MulIOp(offset, size).result).result
        number = arith.IndexCastOp(i64, address).result
        return llvm.to_pointer(number)

    def _call(self, name: str, *arguments: Any) -> None:
        _declare(self._module, name, [argument.type for argument in arguments])
        func.CallOp([], ir.FlatSymbolRefAttr.get(name), list(arguments))


def _i32(number: Number) -> Any:
    i32 = ir.IntegerType.get_signless(32)
    if isinstance(number, int):
        return integer(number, i32)
    return arith.IndexCastOp(i32, number).result


def _declare(module: Any, name: str, types: Sequence[Any]) -> None:
    for operation in module.body.operations:
        attributes = operation.operation.attributes
        if "sym_name" in attributes and ir.StringAttr(attributes["sym_name"]).value == name:
            return
    with ir.InsertionPoint.at_block_begin(module.body), module.operation.location:
        function = func.FuncOp(name, (list(types), []), visibility="private")
    assert function.operation.name == "func.func"
