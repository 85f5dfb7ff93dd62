"""Let products whose columns are only read as groups, as heads, lay each group out on its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import memref

from tdsl.lowering.kernels import CALL, CLAIM, KERNEL, Generators, Splits
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import DYNAMIC, before, collect, identity, replace

# What takes an operand of any layout; views have it in the types of their results, and a copy would
# no longer be one of all memory at once.
_READERS = ("linalg.", "memref.dim")


class _View(msgspec.Struct, frozen=True):
    """Columns from one on, as groups: the view that cuts them, and the slice it is of, if any."""

    cut: Any
    slice: Any
    first: int


def run(
    module: Any,
    claims: Mapping[str, Any],
    generators: Generators,
    machine: Machine,
    options: Options,
) -> dict[int, Any]:
    """New destinations by the identity of a kernel's placeholder: rows x groups x columns of a
    group, where the rows of one group are neighbours in memory. All that reads the product then
    walks through memory in order, where it took a few columns from each of many long rows."""
    found: dict[int, Any] = {}
    if not options.head_major:
        return found
    for call in collect(module, {"linalg.generic"}):
        if CALL not in call.attributes:
            continue
        claim = claims[ir.FlatSymbolRefAttr(call.attributes[CALL]).value]
        attributes = claim.operation.attributes
        kind, kernel = (ir.StringAttr(attributes[name]).value for name in (CLAIM, KERNEL))
        generator = generators[kind][kernel]
        if not isinstance(generator, Splits):
            continue
        destination = call.operands[len(call.operands) - 1]
        views = _views(call, destination)
        if not views:
            continue
        columns = ir.MemRefType(views[0].cut.results[0].type).shape[2]
        if generator.splits(claim, machine, columns):
            found[identity(call)] = _split(destination, views, columns)
    return found


def _views(call: Any, destination: Any) -> list[_View]:
    """All that reads the destination; none where it is memory of someone else, or read in another
    way, or where there is one row, whose groups are apart as it is."""
    if isinstance(destination, ir.BlockArgument):
        return []
    made = destination.owner.operation
    type_ = ir.MemRefType(destination.type)
    if made.name != "memref.alloc" or type_.rank != 2 or type_.shape[0] == 1:
        return []
    if type_.shape[1] == DYNAMIC:
        return []
    views: list[_View] = []
    for use in destination.uses:
        user = use.owner.operation
        if identity(user) == identity(call):
            continue
        if user.name == "memref.expand_shape":
            views.append(_View(user, None, 0))
            continue
        first = _first_column(user)
        if first is None:
            return []
        cuts = [cut.owner.operation for cut in user.results[0].uses]
        views += [_View(cut, user, first) for cut in cuts]
    return views if views and _fit(views, type_.shape[1]) else []


def _first_column(operation: Any) -> int | None:
    """Where a slice of columns begins; None if it is another operation."""
    if operation.name != "memref.subview":
        return None
    offsets, sizes, strides = (
        list(ir.DenseI64ArrayAttr(operation.attributes[f"static_{name}"]))
        for name in ("offsets", "sizes", "strides")
    )
    is_slice = (
        offsets[0] == 0
        and DYNAMIC not in (offsets[1], sizes[1])
        and strides == [1, 1]
        and ir.MemRefType(operation.results[0].type).rank == 2
    )
    return offsets[1] if is_slice else None


def _fit(views: list[_View], columns: int) -> bool:
    """Whether all views are of whole groups of one size, and read by what takes any layout."""
    sizes = set()
    for view in views:
        if view.cut.name != "memref.expand_shape":
            return False
        shape = ir.MemRefType(view.cut.results[0].type).shape
        if len(shape) != 3 or DYNAMIC in shape[1:] or _groups(view.cut) != [[0], [1, 2]]:
            return False
        if view.first % shape[2] or columns % shape[2]:
            return False
        sizes.add(shape[2])
        readers = [use.owner.operation.name for use in view.cut.results[0].uses]
        if not all(name.startswith(_READERS) for name in readers):
            return False
    return len(sizes) == 1 and columns not in sizes


def _groups(operation: Any) -> list[list[int]]:
    return [
        [ir.IntegerAttr(axis).value for axis in ir.ArrayAttr(group)]
        for group in ir.ArrayAttr(operation.attributes["reassociation"])
    ]


def _split(destination: Any, views: list[_View], columns: int) -> Any:
    """The new destination, which the views are now of; the old one waits for its last reader."""
    made = destination.owner.operation
    rows, width = ir.MemRefType(destination.type).shape
    element = ir.MemRefType(destination.type).element_type
    groups = width // columns
    sizes = list(made.operands)
    with before(made):
        memory = memref.AllocOp(
            ir.MemRefType.get([groups, rows, columns], element),
            sizes,
            [],
            alignment=made.attributes.get("alignment"),
        ).result
        open_ = ir.ShapedType.get_dynamic_stride_or_offset()
        step = open_ if rows == DYNAMIC else rows * columns
        layout = ir.StridedLayoutAttr.get(0, [columns, step, 1])
        type_ = ir.MemRefType.get([rows, groups, columns], element, layout)
        order = ir.AffineMap.get_permutation([1, 0, 2])
        whole = memref.TransposeOp(type_, memory, ir.AffineMapAttr.get(order)).result
    for view in views:
        _read_from(whole, view)
    for slice_ in {identity(view.slice): view.slice for view in views if view.slice}.values():
        slice_.erase()
    return whole


def _read_from(whole: Any, view: _View) -> None:
    type_ = ir.MemRefType(whole.type)
    rows, groups, columns = ir.MemRefType(view.cut.results[0].type).shape
    strides, _ = type_.get_strides_and_offset()
    with before(view.cut):
        first = view.first // columns
        step = strides[1]
        open_ = ir.ShapedType.get_dynamic_stride_or_offset()
        start = 0 if first == 0 else open_ if step == open_ else first * step
        layout = ir.StridedLayoutAttr.get(start, list(strides))
        result = ir.MemRefType.get([rows, groups, columns], type_.element_type, layout)
        made = memref.SubViewOp(
            result,
            whole,
            [],
            list(view.cut.operands)[1:],
            [],
            [0, first, 0],
            [rows, groups, columns],
            [1, 1, 1],
        ).result
    replace(view.cut, [made])
