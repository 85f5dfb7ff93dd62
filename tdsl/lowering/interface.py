"""The shapes of a compiled function's arrays, as sizes over what the caller passes along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tdsl.types.sizes import Opaque, Size, Symbol

if TYPE_CHECKING:
    from tdsl.graph.graph import Graph

Shape = tuple[Size, ...]

ALIGNMENT: Final = 64
"""In bytes: of scratch memory, and of each buffer in it."""


class InterfaceError(ValueError):
    """A module whose sizes cannot be known from its types."""


class OpenSize(msgspec.Struct, frozen=True):
    """A size known only at the call: the size of one axis of one input."""

    symbol: Symbol
    input: int
    axis: int


class Packing(msgspec.Struct, frozen=True):
    """How a constant matrix [..., k, n] is stored for products that have it on their right: the
    matrix, or its transpose, cut into panels of some columns, [..., panel, k, column], the last
    panel filled up with zeros."""

    columns: int
    transposed: bool = False

    def shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Of the panels that an array of this shape becomes."""
        *leading, depth, width = shape
        if self.transposed:
            depth, width = width, depth
        return (*leading, -(-width // self.columns), depth, self.columns)


class Interface(msgspec.Struct, frozen=True):
    """Shapes of inputs and results in order, the open sizes in the order of `sizes[]`, and how
    memory is handed over."""

    inputs: tuple[Shape, ...]
    results: tuple[Shape, ...]
    open_sizes: tuple[OpenSize, ...] = ()
    constants: frozenset[int] = frozenset()
    """Inputs that stay the same over many calls, so that storing them in another way pays."""
    donated: tuple[tuple[int, int], ...] = ()
    """An input, and the result that is put into its memory."""
    packed: tuple[tuple[int, Packing], ...] = ()
    """The constants that the code, once it is compiled, takes in another form."""

    @staticmethod
    def of_graph(graph: Graph) -> Interface:
        return Interface(
            tuple(node.type.shape for node in graph.inputs),
            tuple(node.type.shape for node in graph.results),
            tuple(
                OpenSize(symbol, position, axis)
                for symbol, (position, axis) in graph.open_sizes.items()
            ),
        )

    @staticmethod
    def of_shapes(
        inputs: Sequence[Sequence[int | None]], results: Sequence[Sequence[int | None]]
    ) -> Interface:
        """For a module without a graph: each open axis (None) of an input is an open size of its
        own, and the results must have fixed sizes."""
        if any(size is None for shape in results for size in shape):
            raise InterfaceError("a result has an open size; say how it follows from the inputs")
        open_sizes: list[OpenSize] = []
        shapes: list[Shape] = []
        for position, shape in enumerate(inputs):
            sizes: list[Size] = []
            for axis, size in enumerate(shape):
                if size is None:
                    symbol = Symbol(f"argument{position}_axis{axis}")
                    open_sizes.append(OpenSize(symbol, position, axis))
                    sizes.append(Size.of(symbol))
                else:
                    sizes.append(Size.of(size))
            shapes.append(tuple(sizes))
        fixed = tuple(tuple(Size.of(size or 0) for size in shape) for shape in results)
        return Interface(tuple(shapes), fixed, tuple(open_sizes))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(open_size.symbol for open_size in self.open_sizes)

    def to_data(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "inputs": [[size_to_data(size) for size in shape] for shape in self.inputs],
            "results": [[size_to_data(size) for size in shape] for shape in self.results],
            "open_sizes": [
                [_symbol_to_data(known.symbol), known.input, known.axis]
                for known in self.open_sizes
            ],
            "constants": sorted(self.constants),
            "donated": [list(pair) for pair in self.donated],
            "packed": [
                [position, packing.columns, packing.transposed] for position, packing in self.packed
            ],
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Interface:
        return Interface(
            tuple(tuple(size_from_data(size) for size in shape) for shape in data["inputs"]),
            tuple(tuple(size_from_data(size) for size in shape) for shape in data["results"]),
            tuple(
                OpenSize(_symbol_from_data(symbol), position, axis)
                for symbol, position, axis in data["open_sizes"]
            ),
            frozenset(data["constants"]),
            tuple((position, result) for position, result in data["donated"]),
            tuple((position, Packing(*how)) for position, *how in data["packed"]),
        )


def evaluate(size: Size, values: Mapping[Symbol, int]) -> int:
    """The number that a size is, once every symbol has a value."""
    if size.literal is not None:
        return size.literal
    found = size.substitute({symbol: Size.of(value) for symbol, value in values.items()}).literal
    if found is None:
        raise InterfaceError(f"the size {size} needs a value for one of its symbols")
    return found


def _symbol_to_data(symbol: Symbol) -> list[Any]:
    return [symbol.name, symbol.owner, symbol.least]


def _symbol_from_data(data: Sequence[Any]) -> Symbol:
    return Symbol(*data)


def size_to_data(size: Size) -> Any:
    """A literal as a number; else a list of [factor, [[atom, power], …]]."""
    if size.literal is not None:
        return size.literal
    terms = []
    for monomial, factor in size.terms:
        atoms: list[Any] = []
        for atom, power in monomial:
            if isinstance(atom, Symbol):
                atoms.append([{"symbol": _symbol_to_data(atom)}, power])
            elif isinstance(atom, Opaque):
                operands = [size_to_data(atom.left), size_to_data(atom.right)]
                atoms.append([{"operator": atom.operator, "operands": operands}, power])
            else:
                raise InterfaceError(f"{size} is a size over a pack: an instance has none")
        terms.append([factor, atoms])
    return terms


def size_from_data(data: Any) -> Size:
    """The inverse of `size_to_data`."""
    if isinstance(data, int):
        return Size.of(data)
    result = Size.of(0)
    for factor, atoms in data:
        product = Size.of(factor)
        for atom, power in atoms:
            if "symbol" in atom:
                value = Size.of(_symbol_from_data(atom["symbol"]))
            else:
                left, right = (size_from_data(operand) for operand in atom["operands"])
                value = Size.of(Opaque(atom["operator"], left, right))
            product = product * value**power
        result = result + product
    return result
