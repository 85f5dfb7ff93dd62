"""Make a GPU function of one piece of a host function: a structured operation, or single numbers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import affine, arith, memref, scf

from tdsl.gpu.checks import Checks, is_check
from tdsl.gpu.kernel_function import KernelFunction, MakeKernel
from tdsl.gpu.reductions import Shared, shared_reduction
from tdsl.lowering.passes.structured import Access, Structured
from tdsl.lowering.rewriting import as_block, index


def coordinates(number: Any, extents: Sequence[int]) -> list[Any]:
    """The indices of an element by its number, the last one changing fastest."""
    found: list[Any] = []
    for extent in reversed(extents[1:]):
        if extent == 1:
            found.insert(0, index(0))
            continue
        found.insert(0, arith.RemUIOp(number, index(extent)).result)
        number = arith.DivUIOp(number, index(extent)).result
    if extents:
        found.insert(0, number)
    return found


def extents_of(item: Structured) -> list[int]:
    """The sizes of an operation's loops."""
    found = []
    for dimension in range(item.rank):
        extent = item.extent(dimension)
        if extent is None:
            raise ValueError(f"no operand gives the extent of loop {dimension}")
        value, axis = extent
        found.append(int(ir.MemRefType(value.type).shape[axis]))
    return found


def thread_order(item: Structured) -> list[int]:
    """The loops that threads share, such that neighbours touch neighbouring elements."""
    parallel = [at for at, reduces in enumerate(item.reductions) if not reduces]
    if len(parallel) < 2:
        return parallel

    def cost(dimension: int) -> tuple[int, int]:
        far = sum(access.steps_far(dimension) for access in item.accesses)
        far += sum(access.steps_far(dimension) for access in item.outputs)
        return far, -dimension

    last = min(parallel, key=cost)
    return [*(one for one in parallel if one != last), last]


def outline_operation(
    operation: Any,
    make: MakeKernel,
    checks: Checks,
    around: Sequence[tuple[Any, int]] = (),
    first: Sequence[Any] = (),
) -> KernelFunction:
    """A thread for each element of the result of a linalg.generic, which this takes apart.

    `around` are loops that the grid stands for as well: their counters and extents. `first` are
    checks of positions that every thread makes.
    """
    item = Structured.of(operation)
    extents = extents_of(item)
    shared = shared_reduction(item, extents) if not around else None
    if shared is not None:
        return _outline_shared(item, extents, shared, make, checks)
    order = thread_order(item)
    outer = [extent for _, extent in around]
    sizes = [*outer, *(extents[dimension] for dimension in order)]
    kernel = make(prod(sizes))
    with ExitStack() as stack:
        stack.enter_context(operation.location)
        number = kernel.open(stack)
        with ir.InsertionPoint(kernel.anchor):
            places = coordinates(number, sizes)
        for (counter, _), place in zip(around, places, strict=False):
            kernel.knows(counter, place)
        for check in first:
            checks.here(check, kernel)
        counters: list[Any] = [None] * item.rank
        for dimension, place in zip(order, places[len(outer) :], strict=True):
            counters[dimension] = place
        kernel.capture(operation)
        memories = [_memory(kernel, access) for access in item.accesses]
        reduced = [at for at, reduces in enumerate(item.reductions) if reduces]
        _nest(item, memories, extents, counters, reduced, checks, kernel)
    # What is left of it uses values of the kernel.
    operation.erase()
    return kernel


def _outline_shared(
    item: Structured,
    extents: Sequence[int],
    shared: Shared,
    make: MakeKernel,
    checks: Checks,
) -> KernelFunction:
    """A block of threads for each element of the result of a reduction."""
    operation = item.operation
    parallel = thread_order(item)
    reduced = [at for at in item.order() if item.reductions[at]]
    sizes = [extents[dimension] for dimension in parallel]
    depth = prod(extents[dimension] for dimension in reduced)
    kernel = make(prod(sizes) * shared.threads, shared.threads, shared.memory)
    with ExitStack() as stack:
        stack.enter_context(operation.location)
        number = kernel.open(stack)
        with ir.InsertionPoint(kernel.anchor):
            thread = arith.RemUIOp(number, index(shared.threads)).result
            block = arith.DivUIOp(number, index(shared.threads)).result
            places = coordinates(block, sizes)
        counters: list[Any] = [None] * item.rank
        for dimension, place in zip(parallel, places, strict=True):
            counters[dimension] = place
        kernel.capture(operation)
        memories = [_memory(kernel, access) for access in item.accesses]
        inputs = len(item.inputs)
        loop = scf.ForOp(thread, index(depth), index(shared.threads), [shared.neutral()])
        with ir.InsertionPoint(loop.body):
            steps = coordinates(loop.induction_variable, [extents[at] for at in reduced])
            for dimension, step in zip(reduced, steps, strict=True):
                counters[dimension] = step
            used = [any(True for _ in one.uses) for one in as_block(operation).arguments]
            given = [
                _read(access, memory, counters) if used[at] else None
                for at, (access, memory) in enumerate(
                    zip(item.inputs, memories[:inputs], strict=True)
                )
            ]
            values = [*given, loop.inner_iter_args[0]]
            scf.YieldOp(_body(operation, values, counters, checks, kernel))
        parts = shared.total(thread, loop.results[0])
        first = arith.CmpIOp(arith.CmpIPredicate.eq, thread, index(0)).result
        choice = scf.IfOp(first)
        with ir.InsertionPoint(choice.then_block):
            place = _indices(item.outputs[0], counters)
            begun = memref.LoadOp(memories[-1], place).result
            found = memref.LoadOp(parts, [index(0)]).result
            memref.StoreOp(shared.combined(begun, found), memories[-1], place)
            scf.YieldOp([])
    operation.erase()
    return kernel


def _read(access: Access, memory: Any, counters: Sequence[Any]) -> Any:
    if access.is_scalar:
        return memory
    return memref.LoadOp(memory, _indices(access, counters)).result


def _memory(kernel: KernelFunction, access: Access) -> Any:
    return kernel.number(access.value) if access.is_scalar else kernel.memory(access.value)


def _nest(
    item: Structured,
    memories: Sequence[Any],
    extents: Sequence[int],
    counters: list[Any],
    reduced: Sequence[int],
    checks: Checks,
    kernel: KernelFunction,
) -> None:
    inputs = len(item.inputs)
    block = as_block(item.operation)
    used = [any(True for _ in argument.uses) for argument in block.arguments]

    def read(at: int) -> Any:
        return _read(item.accesses[at], memories[at], counters)

    outputs = range(inputs, len(memories))
    carried = [read(at) if used[at] or reduced else None for at in outputs]

    def innermost(values: Sequence[Any]) -> list[Any]:
        given = [read(at) if used[at] else None for at in range(inputs)]
        return _body(item.operation, [*given, *values], counters, checks, kernel)

    def loops(rest: Sequence[int], values: Sequence[Any]) -> list[Any]:
        if not rest:
            return innermost(values)
        loop = scf.ForOp(index(0), index(extents[rest[0]]), index(1), list(values))
        counters[rest[0]] = loop.induction_variable
        with ir.InsertionPoint(loop.body):
            scf.YieldOp(loops(rest[1:], list(loop.inner_iter_args)))
        return list(loop.results)

    results = loops(reduced, carried)
    for at, value in zip(outputs, results, strict=True):
        memref.StoreOp(value, memories[at], _indices(item.accesses[at], counters))


def _indices(access: Access, counters: Sequence[Any]) -> list[Any]:
    found = []
    for expression in access.map.results:
        if isinstance(expression, ir.AffineDimExpr):
            found.append(counters[expression.position])
        elif isinstance(expression, ir.AffineConstantExpr):
            found.append(index(expression.value))
        else:
            known = [index(0) if counter is None else counter for counter in counters]
            map_ = ir.AffineMap.get(len(known), 0, [expression])
            found.append(affine.AffineApplyOp(map_, known).result)
    return found


def _body(
    operation: Any,
    values: Sequence[Any],
    counters: Sequence[Any],
    checks: Checks,
    kernel: KernelFunction,
) -> list[Any]:
    """Move the operation's body to here, with these values as its arguments."""
    block = as_block(operation)
    for argument, value in zip(list(block.arguments), values, strict=True):
        if value is not None:
            argument.replace_all_uses_with(value)
    for inner in list(block.operations):
        _settle(inner, counters, checks, kernel)
    here = ir.InsertionPoint.current
    for inner in list(block.operations):
        if inner.operation.name == "linalg.yield":
            return list(inner.operation.operands)
        inner.operation.detach_from_parent()
        here.insert(inner)
    raise ValueError("a structured operation without linalg.yield")


def _settle(root: Any, counters: Sequence[Any], checks: Checks, kernel: KernelFunction) -> None:
    """Replace indices of the operation by counters, and checks by what they do."""
    found: list[Any] = []

    def visit(inner: Any) -> Any:
        if inner.name == "linalg.index" or is_check(inner):
            found.append(inner)
        return ir.WalkResult.ADVANCE

    root.operation.walk(visit)
    for inner in found:
        if inner.name == "linalg.index":
            dimension = ir.IntegerAttr(inner.attributes["dim"]).value
            inner.results[0].replace_all_uses_with(counters[dimension])
            inner.erase()
        else:
            checks.inside(inner, kernel)


def outline_checks(
    around: Sequence[tuple[Any, int]],
    found: Sequence[Any],
    make: MakeKernel,
    checks: Checks,
) -> KernelFunction:
    """A thread for each step of loops that do nothing but check positions."""
    sizes = [extent for _, extent in around]
    kernel = make(prod(sizes))
    with ExitStack() as stack:
        stack.enter_context(found[0].location)
        number = kernel.open(stack)
        with ir.InsertionPoint(kernel.anchor):
            places = coordinates(number, sizes)
        for (counter, _), place in zip(around, places, strict=True):
            kernel.knows(counter, place)
        for check in found:
            checks.here(check, kernel)
    return kernel


def outline_numbers(operations: Sequence[Any], make: MakeKernel, checks: Checks) -> KernelFunction:
    """One thread that does what the host function does with single numbers: stores and checks."""
    kernel = make(1)
    with ExitStack() as stack:
        stack.enter_context(operations[0].location)
        kernel.open(stack)
        for operation in operations:
            if operation.name == "func.call":
                checks.here(operation, kernel)
                continue
            value, target, *where = (kernel.value(operand) for operand in operation.operands)
            memref.StoreOp(value, target, where)
    return kernel


def outline_snapshot(loaded: Any, target: Any, make: MakeKernel) -> KernelFunction:
    """One thread that keeps a number for later, when its memory will hold another."""
    kernel = make(1)
    with ExitStack() as stack:
        stack.enter_context(loaded.location)
        kernel.open(stack)
        memref.StoreOp(kernel.value(loaded.results[0]), kernel.memory(target), [])
    return kernel
