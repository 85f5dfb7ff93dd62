"""Writing MLIR functions as text: names, sizes, constants, and the structured operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath

import msgspec

from tdsl.graph.arguments import readable
from tdsl.graph.graph import ArrayType, Node
from tdsl.lowering.scalars import cast
from tdsl.lowering.spelling import identifier, indexing_map, number, scalar, stored, tensor
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.sizes import Atom, Monomial, Opaque, Size, Symbol

Access = int | str | None  # one result of an indexing map, see spelling.indexing_map
BOOL = DTYPES["bool"]


class Names:
    """Unique names in one function: a hint, and a number where it is taken."""

    # What bodies of generics use; a value of the function must not be shadowed by them.
    _BODY = re.compile(r"in(_\d+)?|acc(_\d+)?|_")

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._used: set[str] = set()

    def unique(self, hint: str) -> str:
        wanted = identifier(hint)
        if self._BODY.fullmatch(wanted):
            wanted = f"{wanted}_value"
        number = self._next.get(wanted, 0)
        while (name := f"{wanted}_{number}" if number else wanted) in self._used:
            number += 1
        self._next[wanted] = number + 1
        self._used.add(name)
        return f"%{name}"


class Maps:
    """The indexing maps of a module, each written once, under an alias."""

    def __init__(self) -> None:
        self._aliases: dict[str, str] = {}

    def alias(self, rank: int, results: Sequence[Access]) -> str:
        text, wanted = indexing_map(rank, results)
        if text not in self._aliases:
            taken = set(self._aliases.values())
            name, number = wanted, 1
            while name in taken:
                name, number = f"{wanted}{number}", number + 1
            self._aliases[text] = name
        return f"#{self._aliases[text]}"

    def lines(self) -> list[str]:
        return [f"#{alias} = {text}" for text, alias in self._aliases.items()]


class Operand(msgspec.Struct, frozen=True):
    """An operand of a generic: a value, its type, and how the loops index it."""

    value: str
    type: ArrayType
    access: tuple[Access, ...]


class SizeSource(msgspec.Struct, frozen=True):
    """An axis of a function's argument."""

    value: str
    type: ArrayType
    axis: int


class Scope(msgspec.Struct, frozen=True):
    """The constants and sizes that are known around a region."""

    constants: dict[str, str]
    sizes: dict[Size, str]


class Lines:
    """Lines of one function at the present indentation; each operation with its location."""

    def __init__(self, locations: bool) -> None:
        self.text: list[str] = []
        self._locations = locations
        self.span: Span | None = None
        self.indent = 1

    def location(self) -> str:
        if not self._locations or self.span is None:
            return ""
        name = PurePath(self.span.source.name).name.replace("\\", "\\\\").replace('"', '\\"')
        return f' loc("{name}":{self.span.line}:{self.span.column})'

    def add(self, line: str, *, located: bool = True) -> None:
        self.text.append("  " * self.indent + line + (self.location() if located else ""))

    def nest(self, line: str) -> None:
        """A line that may open or close a region, whose location follows its closing brace."""
        opens = line.endswith("{")
        if line == "}":
            self.indent -= 1
        self.add(line.strip(), located=not opens)
        if opens:
            self.indent += 1


class Body(msgspec.Struct):
    """The body of a generic: operations on single elements, numbered."""

    lines: Lines
    count: int = 0

    def fresh(self, hint: str = "") -> str:
        self.count += 1
        return f"%{self.count - 1}"

    def emit(self, operation: str, hint: str = "") -> str:
        name = self.fresh()
        self.lines.add(f"{name} = {operation}")
        return name

    def raw(self, line: str) -> None:
        self.lines.nest(line)


class FunctionBuilder:
    """One function in the making. It is a `Block` for scalars at its top level too."""

    def __init__(self, maps: Maps, locations: bool) -> None:
        self.lines = Lines(locations)
        self.names = Names()
        self.maps = maps
        self._constants: dict[str, str] = {}
        self._sizes: dict[Size, str] = {}
        self._axes: dict[Size, SizeSource] = {}
        self._symbols: dict[Symbol, SizeSource] = {}

    # --- regions

    def enter(self) -> Scope:
        """Remember, inside a region that was just opened, what can be read after it."""
        return Scope(dict(self._constants), dict(self._sizes))

    def leave(self, scope: Scope) -> None:
        """Forget what was computed inside the region."""
        self._constants, self._sizes = scope.constants, scope.sizes

    def know(self, size: Size, value: str) -> None:
        """Inside a region: this value of type index is that size."""
        self._sizes[size] = value

    # --- scalars at the top level

    def fresh(self, hint: str = "") -> str:
        return self.names.unique(hint or "scalar")

    def emit(self, operation: str, hint: str = "") -> str:
        """Append an operation with one result; constants only once."""
        if operation.startswith("arith.constant"):
            return self._constant(operation, hint)
        name = self.fresh(hint or re.split(r"[. ]", operation)[1])
        self.lines.add(f"{name} = {operation}")
        return name

    def raw(self, line: str) -> None:
        self.lines.nest(line)

    def _constant(self, operation: str, hint: str) -> str:
        if operation not in self._constants:
            name = self.names.unique(hint or "constant")
            self.lines.add(f"{name} = {operation}")
            self._constants[operation] = name
        return self._constants[operation]

    def constant(self, value: float | bool, dtype: DType) -> str:
        """A number as it is stored (a bool is a byte), named after its value."""
        if dtype.kind == "bool":
            spelled, hint = str(int(value)), "true" if value else "false"
        else:
            spelled, hint = number(value, dtype), _number_name(value)
        return self._constant(f"arith.constant {spelled} : {stored(dtype)}", hint)

    # --- sizes

    def size_source(self, value: str, type_: ArrayType) -> None:
        """Let sizes be read off the axes of an argument."""
        for axis, size in enumerate(type_.shape):
            if size.literal is None:
                self._axes.setdefault(size, SizeSource(value, type_, axis))
                if (symbol := readable(size)) is not None:
                    self._symbols.setdefault(symbol, SizeSource(value, type_, axis))

    def index(self, size: Size) -> str:
        """The size as a value of type index."""
        literal = size.literal
        if literal is not None:
            hint = f"c{literal}" if literal >= 0 else f"minus_{-literal}"
            return self._constant(f"arith.constant {literal} : index", hint)
        if size not in self._sizes:
            self._sizes[size] = self._computed(size)
        return self._sizes[size]

    def extent(self, size: Size) -> str:
        """The size as an operand of a slice: a number where it is literal."""
        return str(size.literal) if size.literal is not None else self.index(size)

    def _computed(self, size: Size) -> str:
        hint = _size_name(size)
        if size in self._axes:
            source = self._axes[size]
            return self._dim(source, hint)
        if (symbol := _bare(size)) is not None:
            return self._solved(symbol)
        total: str | None = None
        # What is added stands before what is taken away, and that before the plain number.
        terms = sorted(size.terms, key=lambda term: (not term[0], term[1] < 0))
        for monomial, factor in terms:
            subtracts = factor < 0 and total is not None
            product = self._product(monomial, -factor if subtracts else factor)
            if total is None:
                total = product
            else:
                total = self._integer("subi" if subtracts else "addi", total, product)
        assert total is not None
        return total

    def _product(self, monomial: Monomial, factor: int) -> str:
        product: str | None = None
        for atom, power in monomial:
            value = self._atom(atom)
            for _ in range(power):
                product = value if product is None else self._integer("muli", product, value)
        if product is None or factor != 1:
            scale = self.index(Size.of(factor))
            product = scale if product is None else self._integer("muli", product, scale)
        return product

    def _integer(self, operation: str, left: str, right: str) -> str:
        return self.emit(f"arith.{operation} {left}, {right} : index", "size")

    def _dim(self, source: SizeSource, hint: str) -> str:
        axis = self.index(Size.of(source.axis))
        return self.emit(f"tensor.dim {source.value}, {axis} : {tensor(source.type)}", hint)

    def _solved(self, symbol: Symbol) -> str:
        """A symbol from an axis of size `factor * symbol + rest`."""
        source = self._symbols[symbol]
        size = source.type.shape[source.axis]
        factor = next(factor for monomial, factor in size.terms if monomial)
        rest = size - Size.of(symbol) * factor
        whole = self.index(size)
        if rest.terms:
            whole = self._integer("subi", whole, self.index(rest))
        return self.emit(
            f"arith.floordivsi {whole}, {self.index(Size.of(factor))} : index", symbol.name
        )

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, Symbol):
            return self.index(Size.of(atom))
        assert isinstance(atom, Opaque), "packs are substituted before a graph is built"
        left, right = self.index(atom.left), self.index(atom.right)
        if atom.operator != "%":
            operation = {"//": "floordivsi", "min": "minsi", "max": "maxsi"}[atom.operator]
            return self._integer(operation, left, right)
        # With the sign of the right side, as in Python; `arith.remsi` has that of the left.
        quotient = self._integer("floordivsi", left, right)
        return self._integer("subi", left, self._integer("muli", quotient, right))

    # --- tensors

    def define(self, hint: str, operation: str) -> str:
        name = self.names.unique(hint)
        self.lines.add(f"{name} = {operation}")
        return name

    def empty(self, type_: ArrayType) -> str:
        open_ = [self.index(size) for size in type_.shape if size.literal is None]
        return self.define("empty", f"tensor.empty({', '.join(open_)}) : {tensor(type_)}")

    def filled(self, value: str, type_: ArrayType, hint: str = "filled") -> str:
        """`value` is a scalar in its stored form."""
        empty = self.empty(type_)
        spelled = tensor(type_)
        return self.define(
            hint,
            f"linalg.fill ins({value} : {stored(type_.dtype)}) outs({empty} : {spelled})"
            f" -> {spelled}",
        )

    def generic(
        self,
        hint: str,
        operands: Sequence[Operand],
        results: Sequence[Operand],
        rank: int,
        reduced: Iterable[int],
        body: Callable[[Body, list[str], list[str]], Sequence[str]],
        *,
        updates: bool = False,
    ) -> str:
        """A `linalg.generic`. `results` are the tensors written into, `updates` says whether their
        elements are also read without a reduction; `body` gets the names of the elements (bools
        as i1 where they are operands) and gives those to yield, as stored."""
        maps = ", ".join(self.maps.alias(rank, operand.access) for operand in (*operands, *results))
        reduction = frozenset(reduced)
        kinds = ", ".join(
            '"reduction"' if loop in reduction else '"parallel"' for loop in range(rank)
        )
        name = self.names.unique(hint)
        left = f"{name}:{len(results)}" if len(results) > 1 else name
        lines = self.lines
        lines.add(
            f"{left} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
            located=False,
        )
        lines.indent += 2
        if operands:
            lines.add(f"ins({_list(operands)})", located=False)
        lines.add(f"outs({_list(results)}) {{", located=False)
        inside = [_numbered("in", place) for place in range(len(operands))]
        accumulate = updates or bool(reduction)
        outside = [_numbered("acc", place) if accumulate else "%_" for place in range(len(results))]
        arguments = ", ".join(
            f"{argument}: {stored(operand.type.dtype)}"
            for argument, operand in zip((*inside, *outside), (*operands, *results), strict=True)
        )
        lines.indent -= 1
        lines.add(f"^bb0({arguments}):", located=False)
        lines.indent += 1
        block = Body(lines)
        elements = [
            from_stored(block, argument, operand.type.dtype)
            for argument, operand in zip(inside, operands, strict=True)
        ]
        values = ", ".join(body(block, elements, outside))
        types = ", ".join(stored(result.type.dtype) for result in results)
        lines.add(f"linalg.yield {values} : {types}")
        lines.indent -= 2
        shown = ", ".join(tensor(result.type) for result in results)
        lines.add(f"}} -> {f'({shown})' if len(results) > 1 else shown}")
        return name

    def finish(
        self,
        name: str,
        arguments: Sequence[tuple[str, ArrayType]],
        results: Sequence[tuple[str, ArrayType]],
        *,
        private: bool = False,
        attributes: str = "",
    ) -> list[str]:
        """The lines of the whole function."""
        taken = ", ".join(f"{value}: {tensor(type_)}" for value, type_ in arguments)
        types = ", ".join(tensor(type_) for _, type_ in results)
        given = f"({types})" if len(results) > 1 else types
        values = ", ".join(value for value, _ in results)
        head = f"func.func {'private ' if private else ''}@{name}({taken}) -> {given}"
        self.lines.add(f"return {values} : {types}")
        end = self.lines.location()
        return [
            f"{head}{f' attributes {attributes}' if attributes else ''} {{",
            *self.lines.text,
            f"}}{end}",
        ]


def from_stored(block: Body | FunctionBuilder, value: str, dtype: DType) -> str:
    """An element of a tensor to compute with: every byte but 0 is true, as NumPy has it."""
    if dtype != BOOL:
        return value
    zero = block.emit("arith.constant 0 : i8")
    return block.emit(f"arith.cmpi ne, {value}, {zero} : i8")


def to_stored(block: Body | FunctionBuilder, value: str, dtype: DType) -> str:
    """An element as tensors hold it."""
    if dtype != BOOL:
        return value
    return block.emit(f"arith.extui {value} : i1 to i8")


def index_to(block: Body | FunctionBuilder, index: str, dtype: DType) -> str:
    """An index as an element of any dtype."""
    if dtype.is_integer:
        return block.emit(f"arith.index_cast {index} : index to {scalar(dtype)}")
    wide = block.emit(f"arith.index_cast {index} : index to i64")
    return cast(block, wide, DTYPES["i64"], dtype)


def hint_of(node: Node) -> str:
    """What a value is called where the program gives it no name."""
    return _HINTS.get(node.operation, node.operation.removeprefix("reduce_"))


_HINTS = {
    "batch_matmul": "matmul",
    "broadcast_in_dim": "broadcast",
    "transpose": "transposed",
    "reshape": "reshaped",
    "reverse": "reversed",
    "slice": "slice",
    "concat": "joined",
    "pad": "padded",
    "loop": "looped",
    "loop_result": "looped",
    "gather": "taken",
    "dynamic_slice": "slice",
    "dynamic_update": "updated",
    "constant": "scalar",
    "less": "mask",
    "less_equal": "mask",
    "greater": "mask",
    "greater_equal": "mask",
}


def _numbered(name: str, place: int) -> str:
    return f"%{name}_{place}" if place else f"%{name}"


def _list(operands: Sequence[Operand]) -> str:
    values = ", ".join(operand.value for operand in operands)
    return f"{values} : {', '.join(tensor(operand.type) for operand in operands)}"


def _number_name(value: float) -> str:
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "infinity" if value > 0 else "minus_infinity"
    if value in (0, 1):
        return ("zero", "one")[int(value)]
    return "constant"


def _bare(size: Size) -> Symbol | None:
    """The symbol that the size is."""
    symbol = readable(size)
    return symbol if symbol is not None and size == Size.of(symbol) else None


def _size_name(size: Size) -> str:
    symbol = _bare(size)
    return symbol.name if symbol is not None else "size"
