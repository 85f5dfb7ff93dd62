"""Share the ranges of kernels out to the worker pool: the code between a call and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mlir import ir

from tdsl.lowering.machine import FINISHED
from tdsl.lowering.options import Options
from tdsl.lowering.passes.place_kernels import insert_functions

SPREAD: Final = "tdsl.spread"
"""On a declared function (arguments…, begin, end, grain): the function (arguments…, begin, end)
that computes a range, whose pieces do not depend on each other."""
THREADS: Final = "tdsl.threads"
"""How many may compute at once."""
BLOCKS: Final = "tdsl.blocks"
"""The last argument is a memref<?xi8>, of which each that computes gets a block of its own."""
POOL: Final = "tdsl_pool_run"

_NUMBERS: Final = 3  # begin, end, grain
_DESCRIPTOR: Final = 5  # of a memref with one axis: two pointers, offset, size, stride
_ALIGNMENT: Final = 64
_BYTE: Final = "!llvm.ptr, i8"
_FINISHED: Final = f'["{FINISHED}", ""]'


def declaration(part: str, types: Sequence[str], threads: int, has_blocks: bool) -> str:
    """Declares what shares a range of `part` out: `part.spread(arguments…, begin, end, grain)`."""
    taken = ", ".join([*types, *["index"] * _NUMBERS])
    blocks = f", {BLOCKS}" if has_blocks else ""
    return (
        f'func.func private @"{part}.spread"({taken}) attributes '
        f'{{{SPREAD} = "{part}", {THREADS} = {threads} : i64{blocks}}}\n'
    )


def run(module: Any, options: Options) -> None:
    """The module is all of the LLVM dialect: a memref is the numbers of its descriptor.

    What is called puts its arguments where all can read them, and lets the pool call the body as
    often as threads may take part. Each body claims ranges by an atomic counter until none is
    left, so a body that comes late finds nothing to do, and one that lost its core holds up one
    range. Ranges are large at first and small at the end. Who computes a piece makes no
    difference to it: results have the same bits with any number of threads.
    """
    found = [one for one in module.body.operations if SPREAD in one.operation.attributes]
    texts = []
    for function in found:
        texts.append(_Spread(function).text())
        function.operation.erase()
    if not texts:
        return
    known = {
        ir.StringAttr(one.operation.attributes["sym_name"]).value
        for one in module.body.operations
        if "sym_name" in one.operation.attributes
    }
    if POOL not in known:
        texts.append(f"llvm.func @{POOL}(!llvm.ptr, !llvm.ptr, i64)\n")
    _insert(module, "".join(texts))


def _insert(module: Any, text: str) -> None:
    """The text names functions of the module: they are declared in it while it is parsed."""
    wanted = {
        ir.StringAttr(one.operation.attributes["sym_name"]).value: one
        for one in module.body.operations
        if one.operation.name == "llvm.func"
    }
    declared = "".join(
        f"llvm.func @{_quoted(name)}({', '.join(map(str, _inputs(one)))})\n"
        for name, one in wanted.items()
        if f"llvm.call @{_quoted(name)}(" in text
    )
    names = {name for name in wanted if f"llvm.call @{_quoted(name)}(" in text}
    for added in insert_functions(module, declared + text):
        if ir.StringAttr(added.operation.attributes["sym_name"]).value in names:
            added.operation.erase()


def _quoted(name: str) -> str:
    return f'"{name}"'


def _inputs(function: Any) -> list[Any]:
    """The types of an llvm.func's arguments."""
    text = str(ir.TypeAttr(function.operation.attributes["function_type"]).value)
    # The bindings have no class for this type: `!llvm.func<void (ptr, i64)>`.
    inside = text[text.index("(") + 1 : text.rindex(")")]
    return [
        f"!llvm.{one}" if one.startswith(("ptr", "struct", "array", "vec")) else one
        for one in (part.strip() for part in inside.split(","))
        if one
    ]


class _Spread:
    """The functions behind one declaration."""

    def __init__(self, function: Any) -> None:
        attributes = function.operation.attributes
        self._name = ir.StringAttr(attributes["sym_name"]).value
        self._part = ir.StringAttr(attributes[SPREAD]).value
        self._threads = ir.IntegerAttr(attributes[THREADS]).value
        self._has_blocks = BLOCKS in attributes
        self._types = _inputs(function)[:-_NUMBERS]

    @property
    def _context(self) -> str:
        """The arguments; begin of what is left, far from what all only read; end; grain."""
        fields = [one.removeprefix("!llvm.") for one in self._types]
        return f"!llvm.struct<({', '.join([*fields, 'i64', 'i64', 'array<8 x i64>', 'i64'])})>"

    def _place(self, name: str, field: int) -> str:
        return (
            f"{name} = llvm.getelementptr inbounds %context[0, {field}] : "
            f"(!llvm.ptr) -> !llvm.ptr, {self._context}"
        )

    def text(self) -> str:
        return self._caller() + self._body()

    def _call(self, values: list[str]) -> str:
        types = ", ".join([*self._types, "i64", "i64"])
        return f'llvm.call @"{self._part}"({", ".join(values)}) : ({types}) -> ()'

    def _caller(self) -> str:
        arguments = [f"%a{at}" for at in range(len(self._types))]
        taken = ", ".join(
            f"{name}: {type_}"
            for name, type_ in zip(
                [*arguments, "%begin", "%end", "%grain"],
                [*self._types, "i64", "i64", "i64"],
                strict=True,
            )
        )
        fields = [*arguments, "%end", "%grain"]
        types = [*self._types, "i64", "i64"]
        stores = []
        for at, (value, type_) in enumerate(zip(fields, types, strict=True)):
            stores.append(self._place(f"%p{at}", at))
            stores.append(f"llvm.store {value}, %p{at} : {type_}, !llvm.ptr")
        last = len(fields) + 1
        return f"""llvm.func internal @"{self._name}"({taken}) attributes {{passthrough = ["noinline", {_FINISHED}]}} {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %threads = llvm.mlir.constant({self._threads} : i64) : i64
  %count = llvm.sub %end, %begin : i64
  %least = llvm.mul %grain, %two : i64
  %large = llvm.icmp "uge" %count, %least : i64
  llvm.cond_br %large, ^shared, ^alone
^alone:
  {self._call([*arguments, "%begin", "%end"])}
  llvm.return
^shared:
  %context = llvm.alloca %one x {self._context} {{alignment = 64 : i64}} : (i64) -> !llvm.ptr
  {chr(10).join(stores)}
  {self._place("%next", last)}
  llvm.store %begin, %next : i64, !llvm.ptr
  %pieces = llvm.udiv %count, %grain : i64
  %bodies = llvm.intr.umin(%pieces, %threads) : (i64, i64) -> i64
  %body = llvm.mlir.addressof @"{self._name}.body" : !llvm.ptr
  llvm.call @{POOL}(%body, %context, %bodies) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}}
"""

    def _body(self) -> str:
        values = [f"%a{at}" for at in range(len(self._types))]
        fields = [*values, "%end", "%grain"]
        types = [*self._types, "i64", "i64"]
        loads = []
        for at, (value, type_) in enumerate(zip(fields, types, strict=True)):
            loads.append(self._place(f"%p{at}", at))
            loads.append(f"{value} = llvm.load %p{at} : !llvm.ptr -> {type_}")
        given = list(values)
        if self._has_blocks:
            start, size = (-_DESCRIPTOR + at for at in (1, 3))
            loads += [
                f"%alignment = llvm.mlir.constant({_ALIGNMENT} : i64) : i64",
                f"%whole = llvm.udiv {values[size]}, %threads : i64",
                "%lines = llvm.udiv %whole, %alignment : i64",
                "%block = llvm.mul %lines, %alignment : i64",
                "%away = llvm.mul %i, %block : i64",
                # Memory is viewed from the pointer on: the offset of plain memory is known to be 0.
                f"%from = llvm.getelementptr {values[start]}[%away] : (!llvm.ptr, i64) -> {_BYTE}",
            ]
            given[start], given[size] = "%from", "%block"
        return f"""llvm.func internal @"{self._name}.body"(%context: !llvm.ptr, %i: i64) attributes {{passthrough = [{_FINISHED}]}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %threads = llvm.mlir.constant({self._threads} : i64) : i64
  %turns = llvm.mlir.constant({2 * self._threads} : i64) : i64
  {chr(10).join(loads)}
  {self._place("%next", len(fields) + 1)}
  llvm.br ^claim
^claim:
  %begin = llvm.load %next atomic monotonic {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %left = llvm.sub %end, %begin : i64
  %more = llvm.icmp "sgt" %left, %zero : i64
  llvm.cond_br %more, ^some, ^done
^some:
  %share = llvm.udiv %left, %turns : i64
  %wanted = llvm.intr.umax(%share, %grain) : (i64, i64) -> i64
  %taken = llvm.intr.umin(%wanted, %left) : (i64, i64) -> i64
  %stop = llvm.add %begin, %taken : i64
  %exchange = llvm.cmpxchg %next, %begin, %stop monotonic monotonic : !llvm.ptr, i64
  %won = llvm.extractvalue %exchange[1] : !llvm.struct<(i64, i1)>
  llvm.cond_br %won, ^work, ^claim
^work:
  {self._call([*given, "%begin", "%stop"])}
  llvm.br ^claim
^done:
  llvm.return
}}
"""
