"""Let compiled code note when each of its steps begins and ends."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from mlir import ir
from mlir.dialects import func
from msgspec.structs import astuple

from tdsl.lowering.kernels import CALL, CLAIM
from tdsl.lowering.options import Options
from tdsl.lowering.passes.place_kernels import insert_functions
from tdsl.lowering.passes.structured import element_bytes
from tdsl.lowering.rewriting import DYNAMIC, as_block, before, functions, integer, public_function
from tdsl.lowering.steps import EVENTS, MOST_EVENTS, Step

STEPS: Final = "tdsl.steps"

_CLOCK, _RECORD = "tdsl_clock", "tdsl_record"
_LOCATION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_LOOPS = ("scf.for", "scf.if", "scf.while")
_MOVES = {"memref.copy": "copy", "linalg.copy": "copy", "linalg.fill": "fill"}
# Of the operations in bodies, these are arithmetic; the others move, compare or index.
_COUNTED = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "math.")


def run(module: Any, options: Options) -> None:
    """Around every step of the public function; what is inside of a kernel is one step."""
    claims = {_name(function): function for function in functions(module)}
    steps: list[Step] = []
    number = ir.IntegerType.get_signless(64)
    for operation, following in list(_work(as_block(public_function(module)))):
        steps.append(_step(operation, claims))
        with before(operation):
            start = func.CallOp([number], ir.FlatSymbolRefAttr.get(_CLOCK), []).result
        with before(following):
            values = [integer(len(steps) - 1, number), start]
            func.CallOp([], ir.FlatSymbolRefAttr.get(_RECORD), values)
    insert_functions(
        module, f"func.func private @{_CLOCK}() -> i64\nfunc.func private @{_RECORD}(i64, i64)\n"
    )
    module.operation.attributes[STEPS] = ir.StringAttr.get(
        json.dumps([astuple(step) for step in steps])
    )


def define(module: Any, options: Options) -> None:
    """Write the clock and the record, once everything is of the LLVM dialect."""
    for operation in list(module.body.operations):
        if operation.operation.name == "llvm.func" and _name(operation) in (_CLOCK, _RECORD):
            operation.operation.erase()
    insert_functions(module, _definitions())


def steps_of(module: Any) -> tuple[Step, ...]:
    """What the code notes, in the order of its numbers."""
    if STEPS not in module.operation.attributes:
        return ()
    text = ir.StringAttr(module.operation.attributes[STEPS]).value
    return tuple(Step(*step) for step in json.loads(text))


def _name(operation: Any) -> str:
    found: str = ir.StringAttr(operation.operation.attributes["sym_name"]).value
    return found


def _work(block: Any) -> Iterator[tuple[Any, Any]]:
    """The steps in a block and in its loops, each with the operation after it."""
    operations = list(block.operations)
    for operation, following in pairwise(operations):
        name = operation.operation.name
        if name in _LOOPS:
            for region in operation.operation.regions:
                for inner in region.blocks:
                    yield from _work(inner)
        elif name.startswith("linalg.") or name in _MOVES:
            yield operation, following


def _step(operation: Any, claims: dict[str, Any]) -> Step:
    at = _LOCATION.search(str(operation.location))
    where = f"{at[1]}:{at[2]}:{at[3]}" if at is not None else ""
    types = [value.type for value in operation.operands if isinstance(value.type, ir.MemRefType)]
    name = operation.operation.name
    if CALL in operation.operation.attributes:
        claim = claims[ir.FlatSymbolRefAttr(operation.operation.attributes[CALL]).value]
        kind = ir.StringAttr(claim.operation.attributes[CLAIM]).value
        inside = [one for one in as_block(claim).operations if one.operation.name != "func.return"]
        counted = sum(map(_operations, inside))
        sizes = _product_sizes(inside) if kind == "matmul" else _sizes(types[-1:])
    else:
        counted = _operations(operation)
        kind = _MOVES.get(name) or _kind(operation)
        sizes = _product_sizes([operation]) or _sizes(types[-1:])
    return Step(where, f"{kind} {sizes}".strip(), counted, sum(map(_bytes, types)))


def _kind(operation: Any) -> str:
    name: str = operation.operation.name
    if name != "linalg.generic":
        return name.removeprefix("linalg.")
    return (
        "reduction" if "reduction" in str(operation.attributes["iterator_types"]) else "elementwise"
    )


def _sizes(types: list[Any]) -> str:
    return "x".join(map(str, ir.ShapedType(types[0]).shape)) if types else ""


def _product_sizes(operations: list[Any]) -> str:
    """M x K x N of the first matrix product."""
    for operation in operations:
        if "matmul" in operation.operation.name:
            left, right, *_ = (ir.ShapedType(value.type).shape for value in operation.operands)
            return "x".join(map(str, [*left, right[-1]]))
    return ""


def _bytes(type_: Any) -> int:
    shaped = ir.MemRefType(type_)
    if DYNAMIC in shaped.shape:
        return 0
    return int(math.prod(shaped.shape) * element_bytes(shaped.element_type))


def _operations(operation: Any) -> int:
    """Floating-point operations, from the sizes of the loops that an operation stands for."""
    name = operation.operation.name
    shapes = [
        list(ir.ShapedType(value.type).shape)
        for value in operation.operands
        if isinstance(value.type, ir.ShapedType)
    ]
    if any(DYNAMIC in shape for shape in shapes):
        return 0
    if "matmul" in name:
        left, _, result = shapes[:3]
        return int(2 * math.prod(result) * left[-1])
    if name != "linalg.generic":
        return 0
    sizes: dict[int, int] = {}
    maps = ir.ArrayAttr(operation.attributes["indexing_maps"])
    for at, shape in zip(range(len(maps)), shapes, strict=False):
        for expression, size in zip(ir.AffineMapAttr(maps[at]).value.results, shape, strict=True):
            if isinstance(expression, ir.AffineDimExpr):
                sizes[ir.AffineDimExpr(expression).position] = size
    inside = as_block(operation).operations
    counted = sum(one.operation.name.startswith(_COUNTED) for one in inside)
    return int(counted * math.prod(sizes.values()))


def _definitions() -> str:
    return f"""llvm.mlir.global external @{EVENTS}() : !llvm.array<{1 + 3 * MOST_EVENTS} x i64> {{
  %zero = llvm.mlir.zero : !llvm.array<{1 + 3 * MOST_EVENTS} x i64>
  llvm.return %zero : !llvm.array<{1 + 3 * MOST_EVENTS} x i64>
}}
llvm.func @clock_gettime(i32, !llvm.ptr) -> i32
llvm.func internal @{_CLOCK}() -> i64 attributes {{passthrough = ["noinline"]}} {{
  %two = llvm.mlir.constant(2 : i64) : i64
  %which = llvm.mlir.constant({int(time.CLOCK_MONOTONIC)} : i32) : i32
  %billion = llvm.mlir.constant(1000000000 : i64) : i64
  %time = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
  %status = llvm.call @clock_gettime(%which, %time) : (i32, !llvm.ptr) -> i32
  %seconds = llvm.load %time : !llvm.ptr -> i64
  %rest = llvm.getelementptr %time[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %nanoseconds = llvm.load %rest : !llvm.ptr -> i64
  %whole = llvm.mul %seconds, %billion : i64
  %now = llvm.add %whole, %nanoseconds : i64
  llvm.return %now : i64
}}
llvm.func internal @{_RECORD}(%step: i64, %start: i64) attributes {{passthrough = ["noinline"]}} {{
  %end = llvm.call @{_CLOCK}() : () -> i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %most = llvm.mlir.constant({MOST_EVENTS} : i64) : i64
  %events = llvm.mlir.addressof @{EVENTS} : !llvm.ptr
  %count = llvm.load %events : !llvm.ptr -> i64
  %more = llvm.add %count, %one : i64
  llvm.store %more, %events : i64, !llvm.ptr
  %fits = llvm.icmp "ult" %count, %most : i64
  llvm.cond_br %fits, ^keep, ^done
^keep:
  %before = llvm.mul %count, %three : i64
  %at = llvm.add %before, %one : i64
  %p = llvm.getelementptr %events[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %step, %p : i64, !llvm.ptr
  %q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %start, %q : i64, !llvm.ptr
  %r = llvm.getelementptr %p[2] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %end, %r : i64, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return
}}
"""
