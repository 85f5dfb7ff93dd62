"""Make a GPU function of one piece of a host function: a structured operation, or single numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from math import prod
from typing import Any, Protocol

from mlir import ir
from mlir.dialects import affine, arith, memref, scf

from tdsl.gpu.checks import Checks, status_type
from tdsl.gpu.places import Key, Places, device_type, element_bytes, key, span
from tdsl.gpu.plan import Argument, Number, Pointer
from tdsl.gpu.reductions import Shared, shared_reduction
from tdsl.lowering.device import MOST_BLOCKS
from tdsl.lowering.passes.structured import Access, Structured
from tdsl.lowering.positions import CHECK
from tdsl.lowering.rewriting import as_block, identity, index

_THREADS = 256
_WARP = 32


class MakeKernel(Protocol):
    """A new function for so many threads: in blocks of so many, with a declaration in front."""

    def __call__(
        self, total: int, threads: int | None = None, declared: str = ""
    ) -> KernelFunction: ...


class TooLarge(ValueError):
    """Work that no grid is large enough for."""


class KernelFunction:
    """A GPU function that is being written. What it needs of the host function becomes a parameter
    where the host knows it, and is computed again by every thread where it depends on data."""

    def __init__(
        self,
        places: Places,
        buffer: Callable[[Any], int],
        status: Callable[[], int],
        snapshots: Mapping[Key, Any],
        constants: Sequence[str],
        total: int,
        threads: int | None = None,
    ) -> None:
        """For `total` threads, of which each has a number. `constants` are arrays in the code."""
        self._places, self._buffer, self._status = places, buffer, status
        self._snapshots = snapshots
        self.total = total
        threads = threads or min(_THREADS, -(-total // _WARP) * _WARP)
        self.block = (threads, 1, 1)
        blocks = -(-total // threads)
        if blocks > MOST_BLOCKS[0]:
            raise TooLarge(f"{total} elements")
        self.grid = (blocks, 1, 1)
        self.arguments: list[Argument] = []
        self.largest = blocks * threads
        """The largest number that an index may have to hold."""
        self._known: dict[Key, Any] = {}
        self._parameters: dict[Any, Any] = {}
        self.module = ir.Module.parse(
            "gpu.module @m { "
            + "\n".join(constants)
            + " gpu.func @kernel() kernel attributes {known_block_size ="
            f" array<i32: {threads}, 1, 1>}} {{ gpu.return }} }}"
        )
        self.function = list(as_block(self.module.body.operations[0]).operations)[-1]
        self.entry = as_block(self.function)
        self._end = list(self.entry.operations)[-1]
        self.anchor: Any = None

    # --- parameters

    def _parameter(self, type_: Any, argument: Argument) -> Any:
        found = (str(type_), argument)
        if found not in self._parameters:
            location = self.function.operation.location
            self._parameters[found] = self.entry.add_argument(type_, location)
            self.arguments.append(argument)
        return self._parameters[found]

    def memory(self, value: Any) -> Any:
        """A memref of the host function."""
        place = self._places.find(value)
        if place is not None:
            type_ = device_type(value.type)
            self.largest = max(self.largest, span(type_))
            offset = place.offset.times(element_bytes(type_))
            return self._parameter(type_, Pointer(self._buffer(place.root), offset))
        if key(value) not in self._known:
            self._known[key(value)] = self._again(value)
        return self._known[key(value)]

    def status(self) -> Any:
        """The status block."""
        return self._parameter(status_type(), Pointer(self._status()))

    def number(self, value: Any) -> Any:
        """A number of the host function."""
        found = key(value)
        if found in self._snapshots:
            with ir.InsertionPoint(self.anchor):
                return memref.LoadOp(self.memory(self._snapshots[found]), []).result
        if found not in self._known:
            if isinstance(value, ir.BlockArgument):
                self._known[found] = self._counter(value)
            else:
                self._known[found] = self._again(value)
        return self._known[found]

    def _counter(self, value: Any) -> Any:
        linear = self._places.linear(value)
        assert linear is not None, "the host carries out the loop"
        parameter = self._parameter(ir.IntegerType.get_signless(64), Number(linear))
        with ir.InsertionPoint(self.anchor):
            return arith.IndexCastOp(ir.IndexType.get(), parameter).result

    def _again(self, value: Any) -> Any:
        """The value, computed in here."""
        operation = value.owner
        operands = [self.value(operand) for operand in operation.operands]
        with ir.InsertionPoint(self.anchor):
            made = operation.operation.clone()
        for place, operand in enumerate(operands):
            made.operation.operands[place] = operand
        return made.results[ir.OpResult(value).result_number]

    def value(self, value: Any) -> Any:
        if isinstance(value.type, ir.MemRefType):
            return self.memory(value)
        return self.number(value)

    def knows(self, value: Any, here: Any) -> None:
        """Let a value of this function stand for one of the host function."""
        self._known[key(value)] = here

    # --- the body

    def open(self, stack: ExitStack) -> Any:
        """Begin the body; gives the number of the thread. Threads beyond the last do nothing."""
        stack.enter_context(ir.InsertionPoint(self._end))
        # The operations themselves, as bindings of `gpu` want a dialect attribute spelled out.
        thread, block = (
            ir.Operation.create(
                name, results=[ir.IndexType.get()], attributes={"dimension": _X()}
            ).results[0]
            for name in ("gpu.thread_id", "gpu.block_id")
        )
        width = index(self.block[0])
        number = arith.AddIOp(arith.MulIOp(block, width).result, thread).result
        if self.total % self.block[0]:
            inside = arith.CmpIOp(arith.CmpIPredicate.ult, number, index(self.total)).result
            choice = scf.IfOp(inside)
            stack.enter_context(ir.InsertionPoint(choice.then_block))
            end = scf.YieldOp([])
            stack.enter_context(ir.InsertionPoint(end))
        self.anchor = index(0).owner
        return number

    def capture(self, root: Any) -> None:
        """Let what stands in an operation of the host function use this function's values."""

        def visit(inner: Any) -> Any:
            for place, operand in enumerate(inner.operands):
                if not _stands_in(operand, root):
                    inner.operands[place] = self.value(operand)
            return ir.WalkResult.ADVANCE

        for region in root.operation.regions:
            for block in region.blocks:
                for inner in block.operations:
                    inner.operation.walk(visit)

    def finish(self) -> str:
        """The text of the function, under the name `kernel`: what is equal has the same."""
        arguments = [argument.type for argument in self.entry.arguments]
        attributes = self.function.operation.attributes
        attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(arguments, []))
        return str(self.function)


def _X() -> Any:
    return ir.Attribute.parse("#gpu<dim x>")


def _stands_in(value: Any, root: Any) -> bool:
    owner = value.owner.owner if isinstance(value, ir.BlockArgument) else value.owner
    wanted = identity(root)
    current = owner
    while current is not None:
        if identity(current) == wanted:
            return True
        name = current.operation.name
        if name in ("func.func", "gpu.func", "builtin.module"):
            return False
        current = current.operation.parent
    return False


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


def is_check(operation: Any) -> bool:
    return bool(
        operation.name == "func.call"
        and ir.FlatSymbolRefAttr(operation.attributes["callee"]).value == CHECK
    )


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
