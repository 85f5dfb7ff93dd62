"""Writing one GPU kernel as text: threads, shared memory, barriers and shuffles beside arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mlir import ir

from tdsl.lowering.claims.code import Code, Value
from tdsl.lowering.claims.evaluate import Operand

Index = int | str
"""A number known now, or the name of a value of type index."""
Flag = bool | str
"""A condition known now, or the name of a value of type i1."""

WARP: Final = 32
WORKGROUP: Final = "#gpu.address_space<workgroup>"
BYTES: Final = {"i8": 1, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}


class KernelCode(Code):
    """One `gpu.func` in the making, for blocks of `threads` threads in a row."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.threads = threads
        self._shared: list[Operand] = []

    # --- where a thread is

    @property
    def thread(self) -> str:
        return self.top("gpu.thread_id x")

    def block(self) -> str:
        return self.top("gpu.block_id x")

    # --- memory of a block, and what its threads tell one another

    def shared(self, element: str, *shape: int) -> Operand:
        """Memory of the block. Vectors of 16 bytes can be read where the indices allow it."""
        space = ir.Attribute.parse(WORKGROUP)
        type_ = ir.MemRefType.get(list(shape), ir.Type.parse(element), memory_space=space)
        made = Operand(f"%shared{len(self._shared)}", type_)
        self._shared.append(made)
        return made

    @property
    def shared_bytes(self) -> int:
        total = 0
        for one in self._shared:
            size = BYTES[one.element]
            for axis in one.type.shape:
                size *= axis
            total += -(-size // 16) * 16
        return total

    def barrier(self) -> None:
        self.line("gpu.barrier")

    def shuffle(self, x: Value, distance: int) -> Value:
        """The value of the lane whose number differs in this bit. All lanes of a warp take part."""
        if x.element == "f64":
            return self._shuffle_halves(x, distance)
        return Value(self._shuffled(x.name, x.element, distance), x.element)

    def _shuffled(self, name: str, type_: str, distance: int) -> str:
        offset, width = self.constant(distance, "i32").name, self.constant(WARP, "i32").name
        result = self.fresh()
        self.line(f"{result}, {result}_valid = gpu.shuffle xor {name}, {offset}, {width} : {type_}")
        return result

    def _shuffle_halves(self, x: Value, distance: int) -> Value:
        """Shuffles move 32 bits."""
        word = self.convert("arith.bitcast", x, "i64")
        places = self.constant(32, "i64")
        high = self.convert("arith.trunci", self.apply("arith.shrui", word, places), "i32")
        low = self.convert("arith.trunci", word, "i32")
        high, low = (
            self.convert(
                "arith.extui", Value(self._shuffled(one.name, "i32", distance), "i32"), "i64"
            )
            for one in (high, low)
        )
        word = self.apply("arith.ori", self.apply("arith.shli", high, places), low)
        return self.convert("arith.bitcast", word, "f64")

    # --- index arithmetic, numbers folded

    def at(self, value: Index) -> str:
        return self.index(value) if isinstance(value, int) else value

    def add(self, x: Index, y: Index) -> Index:
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if x == 0 or y == 0:
            return y if x == 0 else x
        return self._index("addi", x, y)

    def sub(self, x: Index, y: Index) -> Index:
        if isinstance(x, int) and isinstance(y, int):
            return x - y
        return x if y == 0 else self._index("subi", x, y)

    def mul(self, x: Index, y: Index) -> Index:
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        if x == 0 or y == 0:
            return 0
        if x == 1 or y == 1:
            return y if x == 1 else x
        return self._index("muli", x, y)

    def div(self, x: Index, y: Index) -> Index:
        if isinstance(x, int) and isinstance(y, int):
            return x // y
        return x if y == 1 else self._index("divui", x, y)

    def rem(self, x: Index, y: Index) -> Index:
        if isinstance(x, int) and isinstance(y, int):
            return x % y
        return 0 if y == 1 else self._index("remui", x, y)

    def least(self, x: Index, y: Index) -> Index:
        if isinstance(x, int) and isinstance(y, int):
            return min(x, y)
        return self._index("minui", x, y)

    def below(self, x: Index, y: Index) -> Flag:
        if isinstance(x, int) and isinstance(y, int):
            return x < y
        return self.less("ult", self.at(x), self.at(y))

    def both(self, *flags: Flag) -> Flag:
        if any(flag is False for flag in flags):
            return False
        found: Flag = True
        for flag in flags:
            if isinstance(flag, str):
                found = flag if found is True else self.emit(f"arith.andi {found}, {flag} : i1")
        return found

    def choose(self, flag: Flag, x: Value, y: Value) -> Value:
        """By one condition for all lanes."""
        if isinstance(flag, bool):
            return x if flag else y
        return self.emit_select(flag, x, y)

    def only_if(self, flag: Flag, then: Callable[[], None]) -> None:
        """Code for where a condition holds."""
        if isinstance(flag, bool):
            if flag:
                then()
            return
        self.line(f"scf.if {flag} {{")
        then()
        self.line("}")

    def split(self, position: Index, sizes: Sequence[int]) -> list[Index]:
        """The indices of an element, by its position in memory order."""
        found: list[Index] = []
        for axis in reversed(range(len(sizes))):
            if axis == 0 or all(size == 1 for size in sizes[:axis]):
                found.append(position)
                position = 0
            else:
                found.append(self.rem(position, sizes[axis]))
                position = self.div(position, sizes[axis])
        return found[::-1]

    def _index(self, operation: str, x: Index, y: Index) -> str:
        return self.index_op(operation, self.at(x), self.at(y))

    # --- vectors

    def lane(self, x: Value, place: int) -> Value:
        if not x.lanes:
            return x
        name = self.emit(f"vector.extract {x.name}[{place}] : {x.element} from {x.type}")
        return Value(name, x.element)

    def joined(self, values: Sequence[Value]) -> Value:
        """Numbers as one vector."""
        made = Value("", values[0].element, len(values))
        names = ", ".join(value.name for value in values)
        return Value(
            self.emit(f"vector.from_elements {names} : {made.type}"), made.element, made.lanes
        )

    def bits(self, x: Value, element: str, lanes: int) -> Value:
        """The same bits as a vector of other elements."""
        made = Value("", element, lanes)
        name = self.emit(f"vector.bitcast {x.name} : {x.type} to {made.type}")
        return Value(name, element, lanes)

    def fused(self, x: Value, y: Value, z: Value) -> Value:
        """x * y + z, rounded once."""
        operation = "vector.fma" if x.lanes else "math.fma"
        name = self.emit(f"{operation} {x.name}, {y.name}, {z.name} : {x.type}")
        return Value(name, x.element, x.lanes)

    # --- all of it

    def kernel(
        self, symbol: str, arguments: Sequence[Operand], grid: Sequence[int], together: int = 1
    ) -> str:
        """`together` blocks are to fit on one multiprocessor: that bounds the registers. It is
        always said: else the assembler wants more of them, and spills for that."""
        taken = ", ".join(f"{one.name}: {one.type}" for one in arguments)
        held = ", ".join(
            f"{one.name}: {one.type} {{llvm.align = 16 : i64}}" for one in self._shared
        )
        workgroup = f" workgroup({held})" if held else ""
        blocks = ", ".join(map(str, grid))
        attributes = (
            f"known_block_size = array<i32: {self.threads}, 1, 1>, "
            f"known_grid_size = array<i32: {blocks}>, nvvm.minctasm = {together} : i32"
        )
        header = [f"{name} = {text}" for text, name in self._header.items()]
        lines = "\n  ".join([*header, *self._lines, "gpu.return"])
        return (
            f"gpu.func @{symbol}({taken}){workgroup} kernel attributes {{{attributes}}} {{\n"
            f"  {lines}\n}}\n"
        )
