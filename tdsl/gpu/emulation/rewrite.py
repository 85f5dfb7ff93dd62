"""Turn a module of GPU kernels into one for this processor: NVVM's operations become ordinary ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from mlir import ir
from mlir.passmanager import PassManager

from tdsl.gpu.emulation import record as r
from tdsl.gpu.emulation import warps
from tdsl.gpu.emulation.building import (
    bitcast,
    build,
    call,
    constant,
    extract,
    insert,
    integer_type,
    load,
    offset,
    pointer,
    undefined,
)
from tdsl.gpu.emulation.fibres import Fibre
from tdsl.gpu.emulation.guards import Guards, bytes_of
from tdsl.gpu.emulation.library import library
from tdsl.gpu.emulation.mathematics import rename_functions
from tdsl.gpu.nvvm import kernel_module
from tdsl.lowering.rewriting import as_block

_SPECIAL = "nvvm.read.ptx.sreg."
_BARRIERS = frozenset({"nvvm.barrier0", "nvvm.barrier", "nvvm.bar.warp.sync"})
_MATRICES = frozenset({"nvvm.mma.sync", "nvvm.ldmatrix"})
_WAITS = _BARRIERS | _MATRICES | {"nvvm.shfl.sync"}
_LIBRARY_PASSES = (
    "builtin.module(convert-scf-to-cf,convert-math-to-llvm,convert-arith-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"
)


class Unknown(Exception):
    """An operation that the emulator does not know; the message names it."""


@dataclass(frozen=True)
class Site:
    """An operation of a kernel, as messages speak of it."""

    kernel: str
    what: str
    at: str


@dataclass(frozen=True)
class Rewritten:
    """The kernels that there are, with the number of their arguments, and what sites stand for."""

    kernels: Mapping[str, int]
    sites: tuple[Site, ...]
    exported: frozenset[str]


def rewrite(module: Any) -> tuple[Any, Rewritten]:
    """A module for this processor out of one of the NVVM dialect, which this consumes."""
    source = kernel_module(module)
    products = frozenset(_product(one) for one in _walk(source) if one.name == "nvvm.mma.sync")
    target = ir.Module.parse(library() + warps.library(products) + _ALLOCATION)
    PassManager.parse(_LIBRARY_PASSES).run(target.operation)
    moved = []
    for operation in list(as_block(source).operations):
        if operation.operation.name == "gpu.module_end":
            continue
        operation.operation.detach_from_parent()
        target.body.append(operation)
        moved.append(operation)
    shared: dict[str, int] = {}
    for operation in moved:
        if operation.operation.name == "llvm.mlir.global":
            attributes = operation.operation.attributes
            type_ = ir.TypeAttr(attributes["global_type"]).value
            shared[ir.StringAttr(attributes["sym_name"]).value] = bytes_of(type_)
    rename_functions(target, moved)
    sites: list[Site] = []
    kernels: dict[str, int] = {}
    for operation in moved:
        if operation.operation.name == "llvm.func" and operation.operation.regions[0].blocks:
            name = ir.StringAttr(operation.operation.attributes["sym_name"]).value
            kernels[name] = len(as_block(operation).arguments)
            _Kernel(operation, name, shared, sites).rewrite()
            for made in _starts(name, operation, shared):
                target.body.append(made)
    exported = {"emu_run", *(f"{k}.start" for k in kernels), *(f"{k}.reset" for k in kernels)}
    target.operation.verify()
    return target, Rewritten(kernels, tuple(sites), frozenset(exported))


_ALLOCATION = """
llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
func.func private @emu.allocate(%bytes: i64) -> !llvm.ptr {
  %alignment = arith.constant 64 : i64
  %most = arith.constant 63 : i64
  %kept = arith.constant -64 : i64
  %more = arith.addi %bytes, %most : i64
  %whole = arith.andi %more, %kept : i64
  %p = llvm.call @aligned_alloc(%alignment, %whole) : (i64, i64) -> !llvm.ptr
  return %p : !llvm.ptr
}
"""


def _walk(root: Any) -> list[Any]:
    found: list[Any] = []

    def visit(operation: Any) -> Any:
        found.append(operation)
        return ir.WalkResult.ADVANCE

    root.operation.walk(visit)
    return found


def _product(operation: Any) -> warps.Product:
    """Which matrix product an nvvm.mma.sync is."""
    shape = str(operation.attributes["shape"])
    *_, k = shape.rstrip(">").split("k = ")
    result = str(operation.results[0].type)
    type_ = "f16"
    if "multiplicandAPtxType" in operation.attributes:
        type_ = str(operation.attributes["multiplicandAPtxType"]).split("<")[1].rstrip(">")
    found = warps.Product(type_, int(k))  # type: ignore[arg-type]
    is_f32 = result == "!llvm.struct<(f32, f32, f32, f32)>"
    rows_by_columns = "row" in str(operation.attributes["layoutA"]) and "col" in str(
        operation.attributes["layoutB"]
    )
    if found not in warps.PRODUCTS or not is_f32 or not rows_by_columns:
        raise Unknown(f"nvvm.mma.sync {shape} of {type_} to {result}")
    return found


class _Kernel:
    """One kernel on its way to a coroutine."""

    def __init__(self, function: Any, name: str, shared: dict[str, int], sites: list[Site]) -> None:
        self._name, self._sites = name, sites
        self._barriers = 0
        operations = [one for one in _walk(function) if one.name != "llvm.func"]
        self._operations = operations
        self._fibre = Fibre(function, any(one.name in _WAITS for one in operations))
        self._guards = Guards(self._fibre, shared)

    def rewrite(self) -> None:
        for operation in self._operations:
            name = operation.name
            if name.startswith(_SPECIAL):
                self._special(operation)
            elif name in _REWRITES:
                with ir.InsertionPoint(operation), operation.location:
                    _REWRITES[name](self, operation)
            elif name.startswith("nvvm."):
                raise Unknown(name)

    def _site(self, operation: Any, what: str) -> int:
        self._sites.append(Site(self._name, what, _place(operation)))
        return len(self._sites) - 1

    def _special(self, operation: Any) -> None:
        register = operation.name[len(_SPECIAL) :]
        if register not in r.SPECIAL:
            raise Unknown(operation.name)
        with ir.InsertionPoint(operation), operation.location:
            place = offset(self._fibre.record, r.SPECIAL[register])
            value = load(integer_type(32), place)
            if operation.results[0].type != value.type:
                value = build("llvm.zext", [operation.results[0].type], [value])
        _replace(operation, value)

    # --- waiting

    def leave(self, operation: Any) -> None:
        self._fibre.leave(operation)

    def barrier(self, operation: Any) -> None:
        self._barriers += 1
        site = self._site(operation, f"barrier {self._barriers}")
        self._fibre.give_way(operation, r.AT_BARRIER, site)
        operation.erase()

    def warp_barrier(self, operation: Any) -> None:
        self._fibre.give_way(operation, r.AT_WARP, self._site(operation, "a barrier of its warp"))
        operation.erase()

    def _give(self, word: int, value: Any) -> None:
        call("emu.give", [self._fibre.record, constant(word, 64), value])

    def shuffle(self, operation: Any) -> None:
        mode = next(m for m in warps.SHUFFLES if m in str(operation.attributes["kind"]))
        _, value, lane, clamp = operation.operands
        i32 = integer_type(32)
        self._give(0, bitcast(value, i32))
        site = self._site(operation, "a shuffle")
        self._fibre.give_way(operation, r.AT_WARP, site)
        with ir.InsertionPoint(operation), operation.location:
            pair = ir.Type.parse("!llvm.struct<(i32, i1)>")
            operands = [self._fibre.record, lane, clamp, constant(site)]
            got = call(f"emu.shuffle_{mode}", operands, pair)
            result = bitcast(extract(got, 0, i32), value.type)
            if str(operation.results[0].type).startswith("!llvm.struct"):
                whole = insert(undefined(operation.results[0].type), result, 0)
                result = insert(whole, extract(got, 1, integer_type(1)), 1)
        _replace(operation, result)

    def product(self, operation: Any) -> None:
        found = _product(operation)
        segments = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
        operands = list(operation.operands)
        given = operands[: segments[0] + segments[1]]
        for word, value in enumerate(given):
            self._give(word, bitcast(value, integer_type(32)))
        self._fibre.give_way(
            operation, r.AT_WARP, self._site(operation, "a product of its warp's matrices")
        )
        with ir.InsertionPoint(operation), operation.location:
            sums = operands[segments[0] + segments[1] :]
            result = call(found.symbol, [self._fibre.record, *sums], operation.results[0].type)
        _replace(operation, result)

    def load_matrices(self, operation: Any) -> None:
        number = ir.IntegerAttr(operation.attributes["num"]).value
        if "b16" not in str(operation.attributes["eltType"]):
            raise Unknown(f"nvvm.ldmatrix of {operation.attributes['eltType']}")
        site = self._site(operation, "a load of matrices")
        # Only the first 8 lanes of each matrix give an address; the others' is not looked at.
        where = self._matrix_row(operation.operands[0], number, site)
        word = integer_type(64)
        address = build("llvm.ptrtoint", [word], [where])
        low = build("llvm.trunc", [integer_type(32)], [address])
        high = build("llvm.lshr", [word], [address, constant(32, 64)])
        self._give(0, low)
        self._give(1, build("llvm.trunc", [integer_type(32)], [high]))
        self._fibre.give_way(operation, r.AT_WARP, site)
        with ir.InsertionPoint(operation), operation.location:
            trans = "_trans" if "col" in str(operation.attributes["layout"]) else ""
            i32 = integer_type(32)
            words = [
                call(f"emu.ldmatrix{trans}", [self._fibre.record, constant(one)], i32)
                for one in range(number)
            ]
            call("emu.turn", [self._fibre.record])
            result = words[0]
            if number > 1:
                result = undefined(operation.results[0].type)
                for place, value in enumerate(words):
                    result = insert(result, value, place)
        _replace(operation, result)

    def _matrix_row(self, address: Any, number: int, site: int) -> Any:
        if number == 4:
            return self._guards.checked(address, 16, 16, site)
        # A lane without a row of its own is given that of another for the check.
        lane = load(integer_type(32), offset(self._fibre.record, r.SPECIAL["laneid"]))
        ult = ir.IntegerAttr.get(integer_type(64), 6)
        mine = build("llvm.icmp", [integer_type(1)], [lane, constant(8 * number)], predicate=ult)
        size = build("llvm.select", [integer_type(64)], [mine, constant(16, 64), constant(0, 64)])
        one = build("llvm.select", [integer_type(64)], [mine, constant(16, 64), constant(1, 64)])
        return self._guards.checked_if(address, size, one, site)

    # --- memory

    def _access(self, operation: Any, place: int, type_: Any, what: str) -> None:
        size = bytes_of(type_)
        site = self._site(operation, f"{what} of {size} bytes")
        alignment = bytes_of(type_)
        if "alignment" in operation.attributes:
            alignment = ir.IntegerAttr(operation.attributes["alignment"]).value
        address = self._guards.checked(operation.operands[place], size, alignment, site)
        operation.operands[place] = address

    def load(self, operation: Any) -> None:
        self._access(operation, 0, operation.results[0].type, "a load")

    def store(self, operation: Any) -> None:
        self._access(operation, 1, operation.operands[0].type, "a store")

    def update(self, operation: Any) -> None:
        self._access(operation, 0, operation.results[0].type, "an atomic update")

    def exchange(self, operation: Any) -> None:
        self._access(operation, 0, operation.operands[1].type, "an atomic exchange")

    def async_copy(self, operation: Any) -> None:
        size = ir.IntegerAttr(operation.attributes["size"]).value
        site = self._site(operation, f"an asynchronous copy of {size} bytes")
        target = self._guards.checked(operation.operands[0], size, size, site)
        source = operation.operands[1]
        given = constant(size)
        if len(operation.operands) > 2:
            given = operation.operands[2]
            wide = build("llvm.zext", [integer_type(64)], [given])
            origin = self._guards.checked_if(source, wide, constant(size, 64), site)
        else:
            origin = self._guards.checked(source, size, size, site)
        operands = [self._fibre.record, target, origin, constant(size), given, constant(site)]
        call("emu.async_copy", operands)
        operation.erase()

    def commit(self, operation: Any) -> None:
        call("emu.commit", [self._fibre.record])
        operation.erase()

    def await_group(self, operation: Any) -> None:
        left = ir.IntegerAttr(operation.attributes["n"]).value
        call("emu.await", [self._fibre.record, constant(left)])
        operation.erase()

    def await_all(self, operation: Any) -> None:
        call("emu.commit", [self._fibre.record])
        call("emu.await", [self._fibre.record, constant(0)])
        operation.erase()


_REWRITES: Final[Mapping[str, Callable[[_Kernel, Any], None]]] = MappingProxyType(
    {
        "llvm.return": _Kernel.leave,
        "llvm.load": _Kernel.load,
        "llvm.store": _Kernel.store,
        "llvm.atomicrmw": _Kernel.update,
        "llvm.cmpxchg": _Kernel.exchange,
        "nvvm.barrier0": _Kernel.barrier,
        "nvvm.barrier": _Kernel.barrier,
        "nvvm.bar.warp.sync": _Kernel.warp_barrier,
        "nvvm.shfl.sync": _Kernel.shuffle,
        "nvvm.mma.sync": _Kernel.product,
        "nvvm.ldmatrix": _Kernel.load_matrices,
        "nvvm.cp.async.shared.global": _Kernel.async_copy,
        "nvvm.cp.async.commit.group": _Kernel.commit,
        "nvvm.cp.async.wait.group": _Kernel.await_group,
        "nvvm.cp.async.wait.all": _Kernel.await_all,
    }
)


def _replace(operation: Any, value: Any) -> None:
    operation.results[0].replace_all_uses_with(value)
    operation.erase()


def _place(operation: Any) -> str:
    """file:line:column, or nothing."""
    location = operation.location
    try:
        name = str(location.filename)
        return f"{name}:{location.start_line}:{location.start_col}" if name != "-" else ""
    except (ValueError, AttributeError):
        return ""


def _starts(name: str, function: Any, shared: dict[str, int]) -> list[Any]:
    """`NAME.start(table, record)`, which calls the kernel, and `NAME.reset()`, which fills the shared
    memory that it uses with what no program may rely on: 0xFF, NaN in every float."""
    arguments = [argument.type for argument in as_block(function).arguments][:-1]
    lines = []
    for place, type_ in enumerate(arguments):
        lines.append(
            f"%p{place} = llvm.getelementptr %table[{place * r.ARGUMENT_ROW}]"
            " : (!llvm.ptr) -> !llvm.ptr, i8"
        )
        lines.append(f"%a{place} = llvm.load %p{place} : !llvm.ptr -> {type_}")
    given = ", ".join([*(f"%a{place}" for place in range(len(arguments))), "%record"])
    types = ", ".join([*map(str, arguments), "!llvm.ptr"])
    body = "\n".join(lines)
    used = {
        ir.FlatSymbolRefAttr(one.attributes["global_name"]).value
        for one in _walk(function)
        if one.name == "llvm.mlir.addressof" and "<3>" in str(one.results[0].type)
    }
    resets = []
    for number, symbol in enumerate(sorted(used & shared.keys())):
        resets.append(
            f"%g{number} = llvm.mlir.addressof @{symbol} : !llvm.ptr<3>\n"
            f"%q{number} = llvm.addrspacecast %g{number} : !llvm.ptr<3> to !llvm.ptr\n"
            f"%n{number} = llvm.mlir.constant({shared[symbol]} : i64) : i64\n"
            f'"llvm.intr.memset"(%q{number}, %byte, %n{number}) <{{isVolatile = false}}>'
            " : (!llvm.ptr, i8, i64) -> ()"
        )
    globals_ = "\n".join(
        f"llvm.mlir.global internal @{symbol}() {{addr_space = 3 : i32}} : !llvm.array<1 x i8>"
        for symbol in sorted(used & shared.keys())
    )
    text = f"""
{globals_}
llvm.func @{name}({types}) -> !llvm.ptr
llvm.func @{name}.start(%table: !llvm.ptr, %record: !llvm.ptr) -> !llvm.ptr {{
{body}
%h = llvm.call @{name}({given}) : ({types}) -> !llvm.ptr
llvm.return %h : !llvm.ptr
}}
llvm.func @{name}.reset() {{
%byte = llvm.mlir.constant(-1 : i8) : i8
{chr(10).join(resets)}
llvm.return
}}
"""
    parsed = ir.Module.parse(text)
    made = []
    for operation in list(parsed.body.operations):
        if operation.operation.name == "llvm.func" and operation.operation.regions[0].blocks:
            operation.operation.detach_from_parent()
            made.append(operation)
    return made


__all__ = ["Rewritten", "Site", "Unknown", "pointer", "rewrite"]
