"""Check every access of a kernel against the memory that its pointer comes from."""

from __future__ import annotations

from typing import Any

from mlir import ir

from tdsl.gpu.emulation import record as r
from tdsl.gpu.emulation.building import (
    build,
    call,
    constant,
    generic_pointer,
    integer_type,
    load,
    offset,
    pointer,
)
from tdsl.gpu.emulation.fibres import Fibre

_THROUGH = frozenset({"llvm.getelementptr", "llvm.addrspacecast", "llvm.bitcast"})


class Guards:
    """The checks of one kernel. Where a pointer begins, its limits are read once."""

    def __init__(self, fibre: Fibre, shared: dict[str, int]) -> None:
        self._fibre, self._shared = fibre, shared
        self._limits: dict[Any, tuple[Any, Any]] = {}
        entry = list(fibre.entry.operations)
        # Behind the head of the coroutine, in front of the body.
        self._body = entry[_length_of_head(entry)]

    def checked(self, address: Any, size: int, alignment: int, site: int) -> Any:
        """The pointer to use in place of this one, as one into all memory."""
        return self.checked_if(address, constant(size, 64), constant(alignment, 64), site)

    def checked_if(self, address: Any, size: Any, alignment: Any, site: int) -> Any:
        """The same for sizes in bytes that are known only when the thread is there."""
        record = self._fibre.record
        generic = generic_pointer(address)
        rest = [size, alignment, constant(site)]
        limits = self._limits_of(_root(address))
        if limits is None:
            return call("emu.check_any", [record, generic, *rest], pointer())
        return call("emu.check", [record, generic, *limits, *rest], pointer())

    def _limits_of(self, root: Any) -> tuple[Any, Any] | None:
        if isinstance(root, ir.BlockArgument):
            if root.owner != self._fibre.entry:
                return None
            key: Any = root.arg_number
        else:
            owner = root.owner
            if owner.name == "llvm.mlir.addressof":
                key = ir.FlatSymbolRefAttr(owner.attributes["global_name"]).value
            elif owner.name == "llvm.alloca":
                key = hash(root)
            else:
                return None
        if key not in self._limits:
            self._limits[key] = self._read(root, key)
        return self._limits[key]

    def _read(self, root: Any, key: Any) -> tuple[Any, Any]:
        i64 = integer_type(64)
        location = self._fibre.function.operation.location
        if isinstance(key, int) and isinstance(root, ir.BlockArgument):
            with ir.InsertionPoint(self._body), location:
                table = load(pointer(), offset(self._fibre.record, r.ARGUMENTS))
                row = key * r.ARGUMENT_ROW
                return load(i64, offset(table, row + 8)), load(i64, offset(table, row + 16))
        if isinstance(key, str):
            type_ = root.type
            with ir.InsertionPoint(self._body), location:
                start = build(
                    "llvm.mlir.addressof", [type_], global_name=ir.FlatSymbolRefAttr.get(key)
                )
                return _span(start, constant(self._shared[key], 64))
        alloca = root.owner
        with ir.InsertionPoint.after(alloca), location:
            element = ir.TypeAttr(alloca.attributes["elem_type"]).value
            count = alloca.operands[0]
            if count.type != i64:
                count = build("llvm.zext", [i64], [count])
            size = build("llvm.mul", [i64], [count, constant(bytes_of(element), 64)])
            return _span(root, size)


def _span(start: Any, size: Any) -> tuple[Any, Any]:
    i64 = integer_type(64)
    low = build("llvm.ptrtoint", [i64], [generic_pointer(start)])
    return low, build("llvm.add", [i64], [low, size])


def _length_of_head(operations: list[Any]) -> int:
    """How many operations make the head that the coroutine begins with."""
    places = [
        at for at, one in enumerate(operations) if one.operation.name == "llvm.intr.coro.begin"
    ]
    return places[0] + 1 if places else 1


def _root(value: Any) -> Any:
    while not isinstance(value, ir.BlockArgument) and value.owner.name in _THROUGH:
        value = value.owner.operands[0]
    return value


def bytes_of(type_: Any) -> int:
    """How much memory a value takes."""
    if isinstance(type_, ir.IntegerType | ir.FloatType):
        return max(int(type_.width) // 8, 1)
    if isinstance(type_, ir.VectorType):
        count = 1
        for size in type_.shape:
            count *= size
        return count * bytes_of(type_.element_type)
    text = str(type_)
    if text.startswith("!llvm.ptr"):
        return 8
    if text.startswith("!llvm.array<"):
        count_, _, element = text[len("!llvm.array<") : -1].partition(" x ")
        return int(count_) * bytes_of(ir.Type.parse(element))
    raise ValueError(f"the size of {type_} is not known")
