"""Read a host function on memory as a launch plan, making every piece of work a GPU function."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from mlir import ir
from mlir.dialects import memref

from tdsl.gpu.checks import Checks, is_check
from tdsl.gpu.claims import Claims, identifier
from tdsl.gpu.copies import copying, is_copy
from tdsl.gpu.grid_loops import ALLOCATIONS, grid_loops
from tdsl.gpu.kernel_function import KernelFunction
from tdsl.gpu.outline import (
    outline_checks,
    outline_numbers,
    outline_operation,
    outline_snapshot,
)
from tdsl.gpu.places import (
    VIEWS,
    Key,
    Places,
    element_bytes,
    is_contiguous,
    key,
    root_of,
    span,
)
from tdsl.gpu.plan import Buffer, Copy, Launch, Linear, Loop, Plan, Pointer, Step
from tdsl.gpu.scratch import Use, place_scratch
from tdsl.lowering.bounds import STATUS_WORDS
from tdsl.lowering.kernels import CALL, Generators
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block, before, public_function
from tdsl.lowering.sizes import INTERFACE, interface_of

_NOTHING: Final = frozenset({"memref.dealloc", "func.return", "scf.yield"})
_PLACE = re.compile(r'"([^"]+)":(\d+):(\d+)')


class Unsupported(ValueError):
    """Something of a program that has no form on a GPU; the message says what."""


@dataclass
class _Scratch:
    """A buffer that the function allocates: its number, and where it is used."""

    number: int
    bytes: int
    uses: list[Use] = field(default_factory=list)


class Host:
    """One host function on its way to a plan. `functions` are the GPU functions, as text by name."""

    def __init__(
        self,
        module: Any,
        results: int,
        options: Options,
        generators: Generators,
        machine: Machine,
    ) -> None:
        self._function = public_function(module)
        self.name = ir.StringAttr(self._function.operation.attributes["sym_name"]).value
        self._prefix = identifier(self.name)
        self._options = options
        self._places = Places()
        self._checks = Checks(options)
        self._claims = Claims(module, self._prefix, generators, machine, options)
        self._buffers: list[Buffer] = []
        self._numbers: dict[Key, int] = {}
        self._scratch: dict[int, _Scratch] = {}
        self._status: int | None = None
        self._loops: tuple[int, ...] = ()
        self._time = 0
        self._names: dict[str, str] = {}
        self._writers: dict[Key, int] = {}
        self._snapshots: dict[Key, Any] = {}
        self.functions: dict[str, str] = {}
        self.constants = [
            str(one) for one in module.body.operations if one.operation.name == "memref.global"
        ]
        """Arrays that are written in the program, which lie in the code; and shared memory."""
        self.largest = 0
        """The largest number that an index may have to hold."""
        arguments = list(as_block(self._function).arguments)
        inputs = len(arguments) - results
        for place, argument in enumerate(arguments):
            role = "input" if place < inputs else "result"
            size = span(argument.type) * element_bytes(argument.type)
            number = place if place < inputs else place - inputs
            self._numbers[key(argument)] = len(self._buffers)
            self._buffers.append(Buffer(role, number, size))  # type: ignore[arg-type]
        # A donated input changes: it becomes a result.
        known = INTERFACE in module.operation.attributes  # not for modules written by hand
        donated = {one for one, _ in interface_of(module).donated} if known else set()
        self._inputs = {key(one) for n, one in enumerate(arguments[:inputs]) if n not in donated}
        self._writers.update({key(arguments[position]): 1 for position in donated})

    def plan(self) -> Plan:
        block = as_block(self._function)
        self._count_writers(block)
        steps = self._block(block)
        scratch, total = place_scratch(
            {number: (one.bytes, one.uses) for number, one in self._scratch.items()},
            self._options.reuse_scratch,
        )
        buffers = [
            Buffer("scratch", scratch[number], buffer.bytes) if buffer.role == "scratch" else buffer
            for number, buffer in enumerate(self._buffers)
        ]
        return Plan(self.name, tuple(buffers), steps, total, tuple(self._checks.sites))

    # --- buffers

    def _buffer(self, root: Any) -> int:
        """The number of a buffer, which is used here."""
        found = key(root)
        if found not in self._numbers:
            if isinstance(root, ir.BlockArgument) or root.owner.operation.name not in ALLOCATIONS:
                raise Unsupported(f"memory that comes from {_named(root)}")
            size = span(root.type) * element_bytes(root.type)
            self._numbers[found] = len(self._buffers)
            self._scratch[len(self._buffers)] = _Scratch(len(self._buffers), size)
            self._buffers.append(Buffer("scratch", 0, size))
        number = self._numbers[found]
        if number in self._scratch:
            home = self._home(root.owner)
            self._scratch[number].uses.append(Use(self._time, self._loops, home))
        return number

    def _home(self, allocation: Any) -> int:
        """How many of the loops around here stand around an allocation, too."""
        around = 0
        current = allocation.operation.parent
        while current is not None and current.operation.name != "func.func":
            around += current.operation.name == "scf.for"
            current = current.operation.parent
        return around

    def _status_buffer(self) -> int:
        if self._status is None:
            self._status = len(self._buffers)
            self._buffers.append(Buffer("status", 0, 8 * STATUS_WORDS))
        return self._status

    def _count_writers(self, block: Any) -> None:
        def visit(operation: Any) -> Any:
            targets: list[Any] = []
            if operation.name == "linalg.generic":
                count = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))[1]
                targets = list(operation.operands)[-count:]
            elif operation.name == "memref.store":
                targets = [operation.operands[1]]
            for target in targets:
                found = key(root_of(target))
                self._writers[found] = self._writers.get(found, 0) + 1
            return ir.WalkResult.ADVANCE

        self._function.operation.walk(visit)

    # --- steps

    def _block(self, block: Any) -> tuple[Step, ...]:
        steps: list[Step] = []
        numbers: list[Any] = []  # checks and stores that one kernel may make together

        def flush() -> None:
            if numbers:
                kernel = outline_numbers(numbers, self._kernel, self._checks)
                steps.append(self._launch(kernel, source_of(numbers[0])))
                numbers.clear()

        for operation in list(block.operations):
            one = operation.operation
            name = one.name
            if is_check(one):
                if self._checks.wanted:
                    numbers.append(one)
                continue
            if name == "memref.store":
                numbers.append(one)
                continue
            if name in ("linalg.generic", "scf.for"):
                flush()
            if name == "linalg.generic":
                steps += self._structured(one)
            elif name == "scf.for":
                steps += self._loop(one)
            elif name == "memref.load":
                if self._changes(one):
                    flush()
                    steps.append(self._keep(one))
            elif name in ALLOCATIONS | _NOTHING | VIEWS | {"memref.get_global"} or name.split(".")[
                0
            ] in (
                "arith",
                "math",
                "affine",
            ):
                continue
            else:
                raise Unsupported(f"the operation {name}")
        flush()
        return tuple(steps)

    def _kernel(self, total: int, threads: int | None = None, declared: str = "") -> KernelFunction:
        if declared and declared not in self.constants:
            self.constants.append(declared)
        return KernelFunction(
            self._places,
            self._buffer,
            self._status_buffer,
            self._snapshots,
            self.constants,
            total,
            threads,
        )

    def _launch(self, kernel: KernelFunction, source: str) -> Launch:
        text = kernel.finish()
        self.largest = max(self.largest, kernel.largest)
        if text not in self._names:
            name = f"{self._prefix}_{len(self.functions)}"
            self._names[text] = name
            self.functions[name] = text.replace("@kernel(", f"@{name}(", 1)
        self._time += 1
        return Launch(
            self._names[text],
            kernel.grid,
            kernel.block,
            tuple(kernel.arguments),
            source,
        )

    def _changes(self, loaded: Any) -> bool:
        """Whether a number may have another value when it is used than it has now."""
        root = root_of(loaded.operands[0])
        return key(root) not in self._inputs and self._writers.get(key(root), 0) > 1

    def _keep(self, loaded: Any) -> Step:
        with before(loaded):
            type_ = ir.MemRefType.get([], loaded.results[0].type)
            kept = memref.AllocOp(type_, [], []).result
        kernel = outline_snapshot(loaded, kept, self._kernel)
        step = self._launch(kernel, source_of(loaded))
        self._snapshots[key(loaded.results[0])] = kept
        return step

    def _structured(self, operation: Any) -> list[Step]:
        if CALL in operation.attributes:
            return self._claim(operation)
        copied = self._copy(operation)
        if copied is not None:
            return [copied]
        source = source_of(operation)
        return [self._launch(outline_operation(operation, self._kernel, self._checks), source)]

    def _copy(self, operation: Any) -> Copy | None:
        """A copy of bytes as such, where an operation is no more than that."""
        if len(operation.operands) != 2 or not is_copy(operation):
            return None
        source, target = operation.operands
        if source.type.rank == 0 or not (is_contiguous(source.type) and is_contiguous(target.type)):
            return None
        places = [self._places.find(value) for value in (source, target)]
        if places[0] is None or places[1] is None:
            return None
        width = element_bytes(source.type)
        ends = [
            Pointer(self._buffer(place.root), place.offset.times(width))
            for place in places
            if place is not None
        ]
        self._time += 1
        return Copy(ends[1], ends[0], span(source.type) * width)

    def _loop(self, loop: Any) -> list[Step]:
        if len(loop.results):
            raise Unsupported("a loop that hands memory on")
        nest = grid_loops(loop)
        if nest is not None and nest.operation is None:
            if not self._checks.wanted:
                return []
            source = source_of(nest.checks[0])
            kernel = outline_checks(nest.loops, nest.checks, self._kernel, self._checks)
            return [self._launch(kernel, source)]
        if nest is not None:
            source = source_of(nest.operation)
            kernel = outline_operation(
                nest.operation, self._kernel, self._checks, nest.loops, nest.checks
            )
            return [self._launch(kernel, source)]
        bounds = [self._places.linear(operand) for operand in list(loop.operands)[:3]]
        literal = [one.constant for one in bounds if one is not None and not one.factors]
        if len(literal) != 3:
            raise Unsupported("a loop whose number of steps depends on data")
        start, stop, step = literal
        number = self._places.count(loop)
        around, self._loops = self._loops, (*self._loops, number)
        first = self._time
        body = self._block(as_block(loop))
        self._loops = around
        self._time += 1
        for one in self._scratch.values():
            one.uses = [use.leaving(len(around), first, self._time) for use in one.uses]
        return [Loop(number, start, stop, step, body)] if body else []

    # --- claims

    def _claim(self, operation: Any) -> list[Step]:
        operands = list(operation.operands)
        wanted = self._claims.wants(operation)
        steps: list[Step] = []
        written: Any = None
        for at, (value, unit_last) in enumerate(zip(operands, wanted, strict=True)):
            if self._places.find(value) is not None and not (
                unit_last and not _has_unit_last(value.type)
            ):
                continue
            with before(operation):
                plain = ir.MemRefType.get(value.type.shape, value.type.element_type)
                operands[at] = memref.AllocOp(plain, [], []).result
            if at == len(operands) - 1:
                written = value
            else:
                steps += self._structured(copying(operation, value, operands[at]))
        places = [self._places.find(value) for value in operands]
        made = self._claims.kernel(
            operation,
            [value.type for value in operands],
            [_aligned(p, v) for p, v in zip(places, operands, strict=True)],
        )
        for name, text in made.functions.items():
            self.functions[name] = text
        self.largest = max(self.largest, *(span(value.type) for value in operands))
        if made.scratch:
            with before(operation):
                byte = ir.IntegerType.get_signless(8)
                extra = ir.MemRefType.get([made.scratch], byte)
                operands.append(memref.AllocOp(extra, [], []).result)
        for launch in made.launches:
            pointers = []
            for at in launch.arguments:
                place = self._places.find(operands[at])
                assert place is not None, "what depends on data was copied"
                offset = place.offset.times(element_bytes(operands[at].type))
                pointers.append(Pointer(self._buffer(place.root), offset))
            self._time += 1
            steps.append(
                Launch(
                    launch.symbol,
                    launch.grid,
                    launch.block,
                    tuple(pointers),
                    source_of(operation),
                )
            )
        if written is not None:
            result = operands[len(list(operation.operands)) - 1]
            steps += self._structured(copying(operation, result, written))
        return steps


def _aligned(place: Any, value: Any) -> bool:
    """Whether memory begins at a multiple of 16 bytes, as all buffers do."""
    if place is None:
        return False
    offset: Linear = place.offset.times(element_bytes(value.type))
    return all(
        number % 16 == 0 for number in (offset.constant, *(factor for _, factor in offset.factors))
    )


def _has_unit_last(type_: Any) -> bool:
    type_ = ir.MemRefType(type_)
    return type_.rank == 0 or bool(type_.get_strides_and_offset()[0][-1] == 1)


def _named(value: Any) -> str:
    return "a loop" if isinstance(value, ir.BlockArgument) else str(value.owner.operation.name)


def source_of(operation: Any) -> str:
    """file:line:column of what an operation was made for."""
    found = _PLACE.search(str(operation.location))
    return ":".join(found.groups()) if found else ""
