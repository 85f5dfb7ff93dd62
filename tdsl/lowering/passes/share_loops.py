"""Make functions of large loops whose steps do not depend on each other, for threads to share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mlir import ir
from mlir.dialects import arith, func

from tdsl.lowering.passes.place_kernels import insert_functions
from tdsl.lowering.passes.structured import Structured, element_bytes
from tdsl.lowering.passes.threads import declaration
from tdsl.lowering.rewriting import as_block, before, collect, collect_unfinished, identity, index

SHARED: Final = "tdsl.shared"
"""On a loop: the steps may run at once; an estimate of what each step of its innermost loop costs."""
NO_ALIAS: Final = "tdsl.no_alias"
"""On a function: for each memref among its arguments, whether no other one overlaps it."""

# Bytes that are read or written, and operations by a factor: some 40 microseconds where memory is fast.
_WORK: Final = 3_000_000
_OPERATIONS_A_BYTE: Final = 4
_CONSTANT: Final = "arith.constant"


def cost(members: tuple[Structured, ...]) -> int:
    """What a step of the innermost loops costs, or 0 where steps may not run at once.

    Sums stay with one thread: cut out of its loop, a sum might be added up in another order. So do
    loops that report positions out of range: the first one is to be reported."""
    total = 0
    for member in members:
        body = list(as_block(member.operation).operations)
        if any(member.reductions) or not member.rank:
            return 0
        outermost = member.order()[0]
        if any(access.is_scalar or not access.uses(outermost) for access in member.outputs):
            return 0
        if any(collect(inner, {"func.call"}) for inner in body):
            return 0
        touched = [access for access in member.accesses if not access.is_scalar]
        total += sum(
            element_bytes(ir.MemRefType(access.value.type).element_type) for access in touched
        )
        total += len(body) // _OPERATIONS_A_BYTE
    return max(total, 1)


def run(module: Any, threads: int) -> None:
    """What is known to be little stays where it is; the rest decides at the call."""
    made = 0
    for loop in collect_unfinished(module, {"scf.for"}):
        if SHARED not in loop.attributes:
            continue
        each = ir.IntegerAttr(loop.attributes[SHARED]).value
        del loop.attributes[SHARED]
        if threads == 1 or loop.results:
            continue
        sizes = _inside(loop)
        count = _known(loop.operands[1])
        known = [_known(size) for size in (loop.operands[1], *sizes)]
        if None not in known:
            total = each
            for size in known:
                total *= size or 0
            if total < 2 * _WORK:
                continue
        if count == 1:
            continue
        _outline(module, loop, f"loop_{made}", each, sizes, threads)
        made += 1


def _known(value: Any) -> int | None:
    if isinstance(value, ir.BlockArgument) or value.owner.name != _CONSTANT:
        return None
    return int(ir.IntegerAttr(value.owner.attributes["value"]).value)


def _inside(loop: Any) -> list[Any]:
    """The numbers of steps of the loops nested in a loop, as far as they are known before it."""
    found: list[Any] = []
    own = _operations(loop)
    current = loop
    while True:
        inner = [one for one in as_block(current).operations if one.operation.name == "scf.for"]
        if not inner:
            return found
        current = inner[0].operation
        stop = current.operands[1]
        if isinstance(stop, ir.BlockArgument) or identity(stop.owner) not in own:
            found.append(stop)


def _operations(loop: Any) -> set[int]:
    found: set[int] = set()

    def visit(operation: Any) -> Any:
        found.add(identity(operation))
        return ir.WalkResult.ADVANCE

    loop.operation.walk(visit)
    return found


def _captured(loop: Any) -> list[Any]:
    """The values from outside that a loop's body uses, each once."""
    own = _operations(loop)
    found: list[Any] = []

    def visit(operation: Any) -> Any:
        for value in operation.operands:
            owner = value.owner.owner if isinstance(value, ir.BlockArgument) else value.owner
            if identity(owner) not in own and value not in found:
                found.append(value)
        return ir.WalkResult.ADVANCE

    for inner in as_block(loop).operations:
        inner.operation.walk(visit)
    return found


def _outline(module: Any, loop: Any, name: str, each: int, sizes: list[Any], threads: int) -> None:
    captured = _captured(loop)
    constants = [
        one
        for one in captured
        if not isinstance(one, ir.BlockArgument) and one.owner.name == _CONSTANT
    ]
    given = [one for one in captured if one not in constants]
    types = [one.type for one in given]
    numbers = [ir.IndexType.get()] * 2
    with ir.InsertionPoint(module.body), loop.location:
        part = func.FuncOp(f"{name}.part", ([*types, *numbers], []), visibility="private")
        block = part.add_entry_block()
    part.operation.attributes["passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get("noinline")])
    part.operation.attributes[NO_ALIAS] = ir.ArrayAttr.get(
        [ir.BoolAttr.get(flag) for flag in _alone(given)]
    )
    with ir.InsertionPoint(block), loop.location:
        copies = [one.owner.operation.clone().results[0] for one in constants]
        step = index(1)
        inner = loop.operation.clone()
        func.ReturnOp([])
    known = list(zip([*given, *constants], [*list(block.arguments)[:-2], *copies], strict=True))
    _rename(inner, known)
    for place, value in enumerate([*list(block.arguments)[-2:], step]):
        inner.operation.operands[place] = value
    shown = [str(type_) for type_ in types]
    insert_functions(module, declaration(f"{name}.part", shown, threads, has_blocks=False))
    with before(loop):
        work = index(each)
        for size in sizes:
            work = arith.MulIOp(work, size).result
        some = arith.MaxUIOp(work, index(1)).result
        grain = arith.CeilDivUIOp(index(_WORK), some).result
        arguments = [*given, loop.operands[0], loop.operands[1], grain]
        func.CallOp([], ir.FlatSymbolRefAttr.get(f"{name}.part.spread"), arguments)
    loop.operation.erase()


def _rename(operation: Any, known: list[tuple[Any, Any]]) -> None:
    def visit(inner: Any) -> Any:
        for place, value in enumerate(inner.operands):
            for old, new in known:
                if value == old:
                    inner.operands[place] = new
        return ir.WalkResult.ADVANCE

    operation.operation.walk(visit)


def _alone(values: list[Any]) -> list[bool]:
    """For each memref, whether it lies where none of the others does."""
    roots = [_buffer(value) for value in values if isinstance(value.type, ir.MemRefType)]
    return [sum(root == other for other in roots) == 1 for root in roots]


def _buffer(value: Any) -> Any:
    """The buffer that a memref is a view of. Views of the scratch memory that are in use at the
    same time lie in different places of it."""
    while not isinstance(value, ir.BlockArgument) and value.owner.name != "memref.view":
        inputs = [one for one in value.owner.operands if isinstance(one.type, ir.MemRefType)]
        if len(inputs) != 1:
            break
        (value,) = inputs
    return value


def mark(loop: Any, each: int) -> None:
    """Say of a loop that its steps may run at once."""
    loop.attributes[SHARED] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), each)


def taken_flags(function: Any) -> Iterator[bool]:
    """Of a function made here, for each of its memrefs whether no other one overlaps it."""
    attributes = function.operation.attributes
    if NO_ALIAS not in attributes:
        return iter(())
    flags = [ir.BoolAttr(flag).value for flag in ir.ArrayAttr(attributes[NO_ALIAS])]
    del attributes[NO_ALIAS]
    return iter(flags)
