"""One GPU function in the making: its parameters, and what it knows of the host function's values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Protocol

from mlir import ir
from mlir.dialects import arith, memref, scf

from tdsl.gpu.checks import status_type
from tdsl.gpu.places import Key, Places, device_type, element_bytes, key, span
from tdsl.gpu.plan import Argument, Number, Pointer
from tdsl.lowering.device import MOST_BLOCKS
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
