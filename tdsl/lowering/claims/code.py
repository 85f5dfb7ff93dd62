"""Writing kernels as text: names, constants, loops, and operations on scalars or vectors."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

CONTRACT: Final = " fastmath<contract>"


class Value(msgspec.Struct, frozen=True):
    """A value of a kernel: its name, the type of an element, and how many lanes; 0 for one alone."""

    name: str
    element: str
    lanes: int = 0

    @property
    def type(self) -> str:
        return f"vector<{self.lanes}x{self.element}>" if self.lanes else self.element

    def of(self, element: str) -> str:
        """The type of as many elements of another type."""
        return f"vector<{self.lanes}x{element}>" if self.lanes else element


def spelled(value: float, element: str) -> str:
    """A number as MLIR reads it, exactly."""
    if element == "i1":
        return "true" if value else "false"
    if element == "index" or element[0] == "i":
        return str(int(value))
    if element == "f64":
        return f"0x{struct.pack('>d', value).hex().upper()}"
    if element == "f32":
        return f"0x{struct.pack('>f', value).hex().upper()}"
    if element == "f16":
        return f"0x{struct.pack('>e', value).hex().upper()}"
    return f"0x{struct.pack('>f', value).hex()[:4].upper()}"  # bf16: constants are exact in it


class Code:
    """One function in the making. Constants stand at its start, each once."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._header: dict[str, str] = {}
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"%v{self._count - 1}"

    def line(self, text: str) -> None:
        self._lines.append(text)

    def emit(self, text: str) -> str:
        name = self.fresh()
        self._lines.append(f"{name} = {text}")
        return name

    def top(self, text: str) -> str:
        """An operation at the start of the function; the same text is one value."""
        if text not in self._header:
            self._header[text] = self.fresh()
        return self._header[text]

    # --- numbers

    def constant(self, value: float, element: str, lanes: int = 0) -> Value:
        shown = spelled(value, element)
        if lanes:
            type_ = f"vector<{lanes}x{element}>"
            return Value(self.top(f"arith.constant dense<{shown}> : {type_}"), element, lanes)
        typed = shown if element == "i1" else f"{shown} : {element}"
        return Value(self.top(f"arith.constant {typed}"), element)

    def index(self, value: int) -> str:
        return self.top(f"arith.constant {value} : index")

    def known(self, value: str) -> int | None:
        """The number that an index is a constant of."""
        for text, name in self._header.items():
            if name == value and text.endswith(": index"):
                return int(text.split()[1])
        return None

    def steps(self, lanes: int, element: str = "index") -> Value:
        """0, 1, 2 … in the lanes."""
        numbers = ", ".join(map(str, range(lanes)))
        type_ = f"vector<{lanes}x{element}>"
        return Value(self.top(f"arith.constant dense<[{numbers}]> : {type_}"), element, lanes)

    # --- operations

    def apply(self, operation: str, *operands: Value, element: str = "", flags: str = "") -> Value:
        """An operation on operands of one type, such as arith.addf; its type stands at the end."""
        wide = self.same(*operands)
        names = ", ".join(value.name for value in wide)
        name = self.emit(f"{operation} {names}{flags} : {wide[0].type}")
        return Value(name, element or wide[0].element, wide[0].lanes)

    def compare(self, predicate: str, x: Value, y: Value) -> Value:
        x, y = self.same(x, y)
        kind = "cmpf" if x.element[0] in "fb" else "cmpi"
        name = self.emit(f"arith.{kind} {predicate}, {x.name}, {y.name} : {x.type}")
        return Value(name, "i1", x.lanes)

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        condition, x, y = self.same(condition, x, y)
        types = f"{condition.type}, {x.type}" if condition.lanes else x.type
        name = self.emit(f"arith.select {condition.name}, {x.name}, {y.name} : {types}")
        return Value(name, x.element, x.lanes)

    def emit_select(self, condition: str, x: Value, y: Value) -> Value:
        """By one condition for all lanes."""
        return Value(
            self.emit(f"arith.select {condition}, {x.name}, {y.name} : {x.type}"),
            x.element,
            x.lanes,
        )

    def convert(self, operation: str, x: Value, element: str) -> Value:
        name = self.emit(f"{operation} {x.name} : {x.type} to {x.of(element)}")
        return Value(name, element, x.lanes)

    def spread(self, x: Value, lanes: int) -> Value:
        """The same in every lane."""
        if x.lanes or not lanes:
            return x
        made = Value("", x.element, lanes)
        name = self.emit(f"vector.broadcast {x.name} : {x.element} to {made.type}")
        return Value(name, x.element, lanes)

    def same(self, *values: Value) -> tuple[Value, ...]:
        lanes = max(value.lanes for value in values)
        return tuple(self.spread(value, lanes) for value in values)

    def fma(self, x: Value, y: Value, z: Value) -> Value:
        """x * y + z, in one step where the machine can."""
        return self.apply(
            "arith.addf", self.apply("arith.mulf", x, y, flags=CONTRACT), z, flags=CONTRACT
        )

    def reduce(self, kind: str, x: Value) -> Value:
        """The lanes combined: `add` or `mul` in any order; `maxnumf` and `minnumf` of numbers."""
        flags = {"add": "reassoc", "mul": "reassoc", "maxnumf": "nnan", "minnumf": "nnan"}.get(kind)
        flags = f" fastmath<{flags}>" if flags else ""
        name = self.emit(f"vector.reduction <{kind}>, {x.name}{flags} : {x.type} into {x.element}")
        return Value(name, x.element)

    # --- indices

    def plus(self, x: str, y: int | str) -> str:
        if y == 0:
            return x
        return self.index_op("addi", x, self.index(y) if isinstance(y, int) else y)

    def index_op(self, operation: str, x: str, y: str) -> str:
        return self.emit(f"arith.{operation} {x}, {y} : index")

    def less(self, predicate: str, x: str, y: str) -> str:
        return self.emit(f"arith.cmpi {predicate}, {x}, {y} : index")

    # --- regions

    def loop(
        self,
        first: str,
        last: str,
        step: int,
        initial: Sequence[Value],
        body: Callable[[str, list[Value]], Sequence[Value]],
    ) -> list[Value]:
        """scf.for; `body` gets the index and what is carried, and gives that for the next step."""
        index = self.fresh()
        head = f"scf.for {index} = {first} to {last} step {self.index(step)}"
        if not initial:
            self.line(f"{head} {{")
            body(index, [])
            self.line("}")
            return []
        carried = [Value(self.fresh(), value.element, value.lanes) for value in initial]
        pairs = ", ".join(f"{a.name} = {b.name}" for a, b in zip(carried, initial, strict=True))
        types = ", ".join(value.type for value in initial)
        result = self.fresh()
        self.line(f"{result}:{len(initial)} = {head} iter_args({pairs}) -> ({types}) {{")
        self._yield(body(index, carried))
        self.line("}")
        return [Value(f"{result}#{i}", v.element, v.lanes) for i, v in enumerate(initial)]

    def when(
        self,
        condition: str,
        then: Callable[[], Sequence[Value]],
        otherwise: Callable[[], Sequence[Value]] | None = None,
        like: Sequence[Value] = (),
    ) -> list[Value]:
        """scf.if; `like` gives the types of what both sides give."""
        if not like:
            self.line(f"scf.if {condition} {{")
            then()
            if otherwise:
                self.line("} else {")
                otherwise()
            self.line("}")
            return []
        assert otherwise is not None
        result = self.fresh()
        types = ", ".join(value.type for value in like)
        self.line(f"{result}:{len(like)} = scf.if {condition} -> ({types}) {{")
        self._yield(then())
        self.line("} else {")
        self._yield(otherwise())
        self.line("}")
        return [Value(f"{result}#{i}", v.element, v.lanes) for i, v in enumerate(like)]

    def _yield(self, values: Sequence[Value]) -> None:
        names = ", ".join(value.name for value in values)
        types = ", ".join(value.type for value in values)
        self.line(f"scf.yield {names} : {types}")

    def function(self, name: str, arguments: Sequence[tuple[str, str]]) -> str:
        shown = ", ".join(f"{argument}: {type_}" for argument, type_ in arguments)
        header = [f"{name_} = {text}" for text, name_ in self._header.items()]
        lines = "\n  ".join([*header, *self._lines, "return"])
        return f"func.func private @{name}({shown}) {{\n  {lines}\n}}\n"
