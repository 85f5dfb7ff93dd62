"""Make a kernel a coroutine: a thread that gives way wherever it waits for others of its block."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.gpu.emulation.building import (
    branch,
    branch_if,
    build,
    call,
    constant,
    equals,
    integer_type,
    pointer,
)

# Of what a thread keeps while it waits: whole vectors may be among it.
_ALIGNMENT = 64


class Fibre:
    """A function of the LLVM dialect whose body becomes that of a coroutine.

    It takes the record of its thread as one more argument, and gives the handle to go on with, or
    null where it never waits.
    """

    def __init__(self, function: Any, waits: bool) -> None:
        self.function = function
        region = function.operation.regions[0]
        self.entry = region.blocks[0]
        self.record = self.entry.add_argument(pointer(), function.operation.location)
        self._waits = waits
        self._set_type()
        location = function.operation.location
        with ir.InsertionPoint.at_block_begin(self.entry), location:
            self.first = constant(0)  # what is built in front of the body comes after this
            if waits:
                self._begin()
        self.exit = region.blocks.append()
        self.end = region.blocks.append()
        with location:
            self._finish()

    def _set_type(self) -> None:
        attributes = self.function.operation.attributes
        arguments = ", ".join(str(argument.type) for argument in self.entry.arguments)
        attributes["function_type"] = ir.TypeAttr.get(
            ir.Type.parse(f"!llvm.func<!llvm.ptr ({arguments})>")
        )
        for name in [attributes[place].name for place in range(len(attributes))]:
            if name.startswith(("nvvm.", "gpu.")) or name in ("arg_attrs", "res_attrs"):
                del attributes[name]
        if self._waits:
            attributes["passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get("presplitcoroutine")])

    def _begin(self) -> None:
        null = build("llvm.mlir.zero", [pointer()])
        token = ir.Type.parse("!llvm.token")
        self.id = build("llvm.intr.coro.id", [token], [constant(_ALIGNMENT), null, null, null])
        size = build("llvm.intr.coro.size", [integer_type(64)])
        memory = call("emu.allocate", [size], pointer())
        self.handle = build("llvm.intr.coro.begin", [pointer()], [self.id, memory])

    def _finish(self) -> None:
        with ir.InsertionPoint(self.exit):
            if self._waits:
                freed = build("llvm.intr.coro.free", [pointer()], [self.id, self.handle])
                call("free", [freed])
            branch(self.end)
        with ir.InsertionPoint(self.end):
            if self._waits:
                nothing = build("llvm.mlir.none", [ir.Type.parse("!llvm.token")])
                no = constant(0, 1)
                build("llvm.intr.coro.end", [integer_type(1)], [self.handle, no, nothing])
                result = self.handle
            else:
                result = build("llvm.mlir.zero", [pointer()])
            build("llvm.return", operands=[result])

    def leave(self, operation: Any) -> None:
        """Let a return end the thread."""
        with ir.InsertionPoint(operation), operation.location:
            call("emu.done", [self.record])
            branch(self.exit)
        operation.operation.erase()

    def give_way(self, operation: Any, state: int, site: int) -> None:
        """Wait in front of an operation, until the scheduler lets the thread go on."""
        block = operation.operation.block
        after = block.create_after()
        other = block.create_after()
        moving = list(block.operations)
        place = next(at for at, one in enumerate(moving) if one.operation == operation.operation)
        for one in moving[place:]:
            one.operation.detach_from_parent()
            after.append(one)
        with ir.InsertionPoint(block), operation.location:
            call("emu.wait", [self.record, constant(state), constant(site)])
            nothing = build("llvm.mlir.none", [ir.Type.parse("!llvm.token")])
            byte = integer_type(8)
            answer = build("llvm.intr.coro.suspend", [byte], [nothing, constant(0, 1)])
            branch_if(equals(answer, 0, 8), after, other)
        with ir.InsertionPoint(other), operation.location:
            # 1: the thread is given up; else this was the way to the scheduler.
            branch_if(equals(answer, 1, 8), self.exit, self.end)
