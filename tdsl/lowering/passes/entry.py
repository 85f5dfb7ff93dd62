"""Add `tdsl_entry(ptr data, ptr sizes) -> i32`, the one symbol that the runtime calls."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, builtin, func

from tdsl.lowering.bounds import STATUS_WORDS
from tdsl.lowering.dialects import llvm
from tdsl.lowering.interface import Shape
from tdsl.lowering.options import Options
from tdsl.lowering.passes.bounds import sites_of
from tdsl.lowering.rewriting import as_block, integer, public_function, size_value
from tdsl.lowering.sizes import interface_of
from tdsl.types.sizes import Size, Symbol

ENTRY = "tdsl_entry"
BODY = "tdsl_body"


def run(module: Any, options: Options) -> None:
    """data[] holds the inputs, the results, the scratch memory, and the status block if there are
    positions to check; sizes[] the open sizes. What is returned is the code in the status block.

    The function itself is renamed: a user may call it `exp`, which libm also does.
    """
    function = public_function(module)
    interface = interface_of(module)
    types = [ir.MemRefType(argument.type) for argument in as_block(function).arguments]
    function.operation.attributes["sym_name"] = ir.StringAttr.get(BODY)
    function.operation.attributes["sym_visibility"] = ir.StringAttr.get("private")
    pointer, i32 = llvm.pointer(), ir.IntegerType.get_signless(32)
    with ir.InsertionPoint(module.body), function.operation.location:
        entry = func.FuncOp(ENTRY, ([pointer, pointer], [i32]))
        block = entry.add_entry_block()
    with ir.InsertionPoint(block), function.operation.location:
        data, sizes = block.arguments
        i64 = ir.IntegerType.get_signless(64)
        symbols: dict[Symbol, Any] = {
            symbol: llvm.load(i64, llvm.element(sizes, position, i64))
            for position, symbol in enumerate(interface.symbols)
        }
        # The scratch memory's size is known to the caller only; the code never asks for it.
        shapes = [*interface.inputs, *interface.results, (Size.of(0),)]
        for position, _ in interface.packed:
            shapes[position] = tuple(map(Size.of, types[position].shape))
        code: Any = None
        if sites_of(module):
            code = llvm.load(pointer, llvm.element(data, len(shapes), pointer))
            llvm.store(integer(0, i64), code)
            shapes.append((Size.of(STATUS_WORDS),))
        arguments = [
            _memref(data, position, type, shape, symbols)
            for position, (type, shape) in enumerate(zip(types, shapes, strict=True))
        ]
        func.CallOp([], ir.FlatSymbolRefAttr.get(BODY), arguments)
        if code is None:
            func.ReturnOp([integer(0, i32)])
        else:
            found = llvm.load(i64, code)
            func.ReturnOp([arith.TruncIOp(i32, found).result])


def _memref(data: Any, position: int, type: Any, shape: Shape, symbols: dict[Symbol, Any]) -> Any:
    """The descriptor of contiguous memory at data[position], as the memref it stands for."""
    i64 = ir.IntegerType.get_signless(64)
    rank = type.rank
    arrays = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    structure = ir.Type.parse(f"!llvm.struct<(ptr, ptr, i64{arrays})>")
    start = llvm.load(data.type, llvm.element(data, position, data.type))
    value = llvm.undefined(structure)

    def put(part: Any, *path: int) -> Any:
        return llvm.inserted(value, part, path)

    value = put(start, 0)
    value = put(start, 1)
    value = put(integer(0, i64), 2)
    stride = integer(1, i64)
    for axis in reversed(range(rank)):
        size = size_value(shape[axis], symbols, i64)
        value = put(size, 3, axis)
        value = put(stride, 4, axis)
        if axis:
            stride = arith.MulIOp(stride, size).result
    return builtin.UnrealizedConversionCastOp([type], [value]).results[0]
