"""Find constants that only kernels read, and take them in the form that those kernels want."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import memref
from msgspec.structs import replace

from tdsl.lowering.interface import Packing
from tdsl.lowering.kernels import CALL, CLAIM, KERNEL, Generators, Packs
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import (
    DYNAMIC,
    as_block,
    before,
    collect,
    identity,
    kept_axes,
    public_function,
)
from tdsl.lowering.sizes import attach_interface, interface_of

Operands = dict[int, dict[int, Any]]
"""By the identity of a kernel's placeholder: operands by position, in their packed form."""


class _Uses(msgspec.Struct):
    """All that a constant is used by: views of it, and placeholders with the operand's position."""

    views: list[Any]
    calls: list[tuple[Any, int]]
    packings: set[Packing]


def run(
    module: Any,
    claims: Mapping[str, Any],
    generators: Generators,
    machine: Machine,
    options: Options,
) -> Operands:
    """A constant that anything else reads stays as it is: there is one copy of all weights.

    The placeholders keep their operands until they are replaced; so do the views of those.
    """
    interface = interface_of(module)
    if not options.prepack or not interface.constants:
        return {}
    arguments = list(as_block(public_function(module)).arguments)
    found: Operands = {}
    packed: list[tuple[int, Packing]] = []
    for position in sorted(interface.constants):
        argument = arguments[position]
        type_ = ir.MemRefType(argument.type)
        if type_.rank < 2 or DYNAMIC in type_.shape or not _is_plain(type_):
            continue
        uses = _uses(argument, claims, generators, machine)
        if uses is None or len(uses.packings) != 1:
            continue
        (packing,) = uses.packings
        if not all(_keeps_panels(view, packing) for view in uses.views):
            continue
        packed.append((position, packing))
        shape = packing.shape(type_.shape)
        argument.set_type(ir.MemRefType.get(shape, type_.element_type))
        moved = {hash(argument): argument}
        for view in uses.views:
            moved[hash(view.results[0])] = _moved(view, moved, packing)
        for call, place in uses.calls:
            operand = call.operands[place]
            found.setdefault(identity(call), {})[place] = moved[hash(operand)]
    if packed:
        attach_interface(module, replace(interface, packed=tuple(packed)))
        _retype(module)
    return found


def clean(module: Any, found: Operands) -> None:
    """Erase the views that placeholders had as operands, once those are gone."""
    views = {"memref.subview", "memref.cast"} if found else set()
    for operation in reversed(collect(public_function(module), views)):
        if not any(True for _ in operation.results[0].uses):
            operation.operation.erase()


def _is_plain(type_: Any) -> bool:
    return bool(type_ == ir.MemRefType.get(type_.shape, type_.element_type))


def _uses(
    argument: Any, claims: Mapping[str, Any], generators: Generators, machine: Machine
) -> _Uses | None:
    """None where something else than a kernel that packs reads the constant."""
    found = _Uses([], [], set())
    waiting = [argument]
    while waiting:
        for use in waiting.pop().uses:
            user = use.owner.operation
            if user.name == "memref.cast" or (user.name == "memref.subview" and _keeps_axes(user)):
                found.views.append(user)
                waiting.append(user.results[0])
            elif user.name == "linalg.generic" and CALL in user.attributes:
                packing = _packing(user, use.operand_number, claims, generators, machine)
                if packing is None:
                    return None
                found.packings.add(packing)
                found.calls.append((user, use.operand_number))
            else:
                return None
    # A view is made after the one that it is a view of.
    return found


def _packing(
    call: Any, place: int, claims: Mapping[str, Any], generators: Generators, machine: Machine
) -> Packing | None:
    claim = claims[ir.FlatSymbolRefAttr(call.attributes[CALL]).value]
    attributes = claim.operation.attributes
    kind, kernel = (ir.StringAttr(attributes[name]).value for name in (CLAIM, KERNEL))
    generator = generators[kind][kernel]
    return generator.packings(claim, machine).get(place) if isinstance(generator, Packs) else None


def _static(view: Any, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(view.attributes[f"static_{name}"]))


def _keeps_axes(view: Any) -> bool:
    """Whether a view takes some of the matrices of a stack, or the same columns of each."""
    offsets, sizes, strides = (_static(view, name) for name in ("offsets", "sizes", "strides"))
    shape = ir.MemRefType(view.results[0].type).shape
    return (
        DYNAMIC not in (*offsets[-2:], *sizes)
        and all(stride == 1 for stride in strides)
        and list(shape[-2:]) == sizes[-2:]
    )


def _keeps_panels(view: Any, packing: Packing) -> bool:
    """Whether a view takes whole panels of each matrix."""
    if view.name == "memref.cast":
        return True
    offsets, sizes = _static(view, "offsets")[-2:], _static(view, "sizes")[-2:]
    matrix = list(ir.MemRefType(view.operands[0].type).shape)[-2:]
    row, column = (1, 0) if packing.transposed else (0, 1)
    is_deep = offsets[row] == 0 and sizes[row] == matrix[row]
    end = offsets[column] + sizes[column]
    is_whole = end % packing.columns == 0 or end == matrix[column]
    return is_deep and is_whole and offsets[column] % packing.columns == 0


def _moved(view: Any, moved: dict[int, Any], packing: Packing) -> Any:
    """The same view of the constant in its packed form."""
    source = moved[hash(view.operands[0])]
    if view.name == "memref.cast":
        return source
    type_ = ir.MemRefType(source.type)
    column = -2 if packing.transposed else -1
    own, whole = _static(view, "offsets"), _static(view, "sizes")
    offsets = [*own[:-2], own[column] // packing.columns, 0, 0]
    leading = whole[:-2]
    sizes = [*leading, -(-whole[column] // packing.columns), *type_.shape[-2:]]
    strides, start = type_.get_strides_and_offset()
    kept = kept_axes(leading, ir.MemRefType(view.results[0].type).shape[:-2])
    axes = [*kept, *range(len(leading), len(sizes))]
    open_ = ir.ShapedType.get_dynamic_stride_or_offset()
    offset = open_
    if DYNAMIC not in offsets and start != open_:
        offset = start + sum(at * stride for at, stride in zip(offsets, strides, strict=True))
    layout = ir.StridedLayoutAttr.get(offset, [strides[axis] for axis in axes])
    result = ir.MemRefType.get([sizes[axis] for axis in axes], type_.element_type, layout)
    with before(view):
        return memref.SubViewOp(
            result, source, list(view.operands)[1:], [], [], offsets, sizes, [1] * len(sizes)
        ).result


def _retype(module: Any) -> None:
    function = public_function(module)
    arguments = [argument.type for argument in as_block(function).arguments]
    function.operation.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(arguments, [])
    )
