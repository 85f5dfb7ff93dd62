"""Generate the kernels, and call them where bufferization has put their operands and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir import ir
from mlir.dialects import func, memref

from tdsl.lowering.dialects import linalg
from tdsl.lowering.kernels import (
    CALL,
    CLAIM,
    KERNEL,
    Generators,
    Kernel,
    KernelRequest,
    canonical_layout,
    has_unit_last,
    operand_size,
)
from tdsl.lowering.machine import FINISHED, Machine
from tdsl.lowering.options import Options
from tdsl.lowering.passes import head_major, prepack
from tdsl.lowering.passes.place_kernels import insert_functions
from tdsl.lowering.rewriting import (
    DYNAMIC,
    before,
    collect,
    functions,
    identity,
    index,
    size_value,
)
from tdsl.types.sizes import Symbol


def run(module: Any, options: Options, generators: Generators, machine: Machine) -> None:
    """Calls that ask for the same share one kernel."""
    claims = {
        ir.StringAttr(function.operation.attributes["sym_name"]).value: function
        for function in functions(module)
        if KERNEL in function.operation.attributes
    }
    packed = prepack.run(module, claims, generators, machine, options)
    split = head_major.run(module, claims, generators, machine, options)
    made: dict[tuple[str, str], Kernel] = {}
    for operation in collect(module, {"linalg.generic"}):
        if CALL not in operation.attributes:
            continue
        name = ir.FlatSymbolRefAttr(operation.attributes[CALL]).value
        attributes = claims[name].operation.attributes
        kind = ir.StringAttr(attributes[CLAIM]).value
        generator = generators[kind][ir.StringAttr(attributes[KERNEL]).value]
        with before(operation):
            prepacked = packed.get(identity(operation), {})
            last = len(operation.operands) - 1
            given = dict(prepacked)
            is_split = identity(operation) in split
            if is_split:
                given[last] = split[identity(operation)]
            operands, written = _operands(operation, generator.unit_last(claims[name]), given)
            types = [operand.type for operand in operands]
            key = name, " ".join(map(str, types))
            if key not in made:
                request = KernelRequest(
                    kind,
                    f"{name}.kernel_{len(made)}",
                    claims[name],
                    tuple(map(ir.MemRefType, types[:-1])),
                    ir.MemRefType(types[-1]),
                    machine,
                    options,
                    frozenset(prepacked),
                )
                made[key] = generator.generate(request)
                for function in insert_functions(module, made[key].text):
                    function.operation.attributes["passthrough"] = _attributes(made[key])
            kernel = made[key]
            if kernel.scratch is not None:
                operands.append(_scratch(kernel, operands))
            func.CallOp([], ir.FlatSymbolRefAttr.get(kernel.symbol), operands)
            if written is not None:
                linalg.copy(operands[len(types) - 1], written)
        destination = operation.operands[last]
        operation.operation.erase()
        if is_split:
            destination.owner.erase()
    prepack.clean(module, packed)
    for function in claims.values():
        function.operation.erase()


def _operands(
    operation: Any, unit_last: tuple[bool, ...], given: Mapping[int, Any]
) -> tuple[list[Any], Any]:
    """What the kernel is called with; and the destination where it is written to by a copy."""
    found: list[Any] = []
    written = None
    values = [given.get(place, value) for place, value in enumerate(operation.operands)]
    for place, (value, wanted) in enumerate(zip(values, unit_last, strict=True)):
        if wanted and not has_unit_last(value.type):
            copy = _alike(value)
            if place == len(values) - 1:
                written = value
            else:
                linalg.copy(value, copy)
            value = copy
        canonical = canonical_layout(value.type)
        found.append(value if value.type == canonical else memref.CastOp(canonical, value).result)
    return found, written


def _attributes(kernel: Kernel) -> Any:
    """Kernels stay functions; what is all explicit vectors needs no more of LLVM's passes."""
    finished = "" if "linalg." in kernel.text else f', ["{FINISHED}", ""]'
    return ir.Attribute.parse(f'["noinline"{finished}]')


def _alike(value: Any) -> Any:
    type_ = ir.MemRefType(value.type)
    sizes = [
        memref.DimOp(value, index(axis)).result
        for axis, size in enumerate(type_.shape)
        if size == DYNAMIC
    ]
    return memref.AllocOp(ir.MemRefType.get(type_.shape, type_.element_type), sizes, []).result


def _scratch(kernel: Kernel, operands: list[Any]) -> Any:
    size = kernel.scratch
    assert size is not None
    byte = ir.IntegerType.get_signless(8)
    dynamic = ir.MemRefType.get([DYNAMIC], byte)
    if size.literal is not None:
        fixed = memref.AllocOp(ir.MemRefType.get([size.literal], byte), [], []).result
        return memref.CastOp(dynamic, fixed).result
    symbols: dict[Symbol, Any] = {}
    for position, operand in enumerate(operands):
        for axis, extent in enumerate(ir.MemRefType(operand.type).shape):
            symbol = operand_size(position, axis)
            if symbol in size.symbols():
                is_open = extent == DYNAMIC
                value = memref.DimOp(operand, index(axis)).result if is_open else index(extent)
                symbols[symbol] = value
    count = size_value(size, symbols, ir.IndexType.get())
    return memref.AllocOp(dynamic, [count], []).result
