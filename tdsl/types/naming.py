"""Sizes, shapes and types as text in the user's own names.

A parameter that a `where` clause put out of use is still what the user calls its value: with
`where C == H*D`, the size `3*H*D` is shown as `3*C`. Different sizes in one text, or in two texts
made by one of the `…_apart` methods, never look the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from tdsl.types.dtypes import AnyDType
from tdsl.types.sizes import Atom, Monomial, Opaque, Pack, PackProduct, Shape, Size, Symbol
from tdsl.types.types import (
    DTypeType,
    ListType,
    PoisonType,
    StringType,
    StructType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)

_WEAK = {
    "int": "a compile-time integer",
    "float": "a compile-time number",
    "bool": "a compile-time bool",
}


class Names(msgspec.Struct, frozen=True, dict=True):
    """How the sizes of one function are shown.

    `eliminated` gives the values of parameters (and of quotients such as `C//H`) that are no
    symbols of their own; `order` lists all parameters as declared, which is the order of factors.
    A symbol of another owner than `owner` is said to be of it (`H of block`) where its name is
    also one of this function's, or two of that name meet.
    """

    eliminated: Mapping[str, Size] = msgspec.field(default_factory=dict)
    order: Sequence[str] = ()
    owner: str = ""

    def size(self, size: Size) -> str:
        return _Text(self, [size]).size(size)

    def shape(self, shape: Shape) -> str:
        """`[T, C]`."""
        return _Text(self, _sizes(shape)).shape(shape)

    def type(self, type_: Type) -> str:
        """As it would be declared: `f32[T, C]`, `f32`, `(f32[S, V], f32)`, `[f32[N]; L]`."""
        return _Text(self, _sizes(dimensions(type_))).type(type_)

    def dtype(self, dtype: AnyDType) -> str:
        return dtype.name

    def sizes_apart(self, left: Size, right: Size) -> tuple[str, str]:
        text = _Text(self, [left, right])
        return text.size(left), text.size(right)

    def shapes_apart(self, left: Shape, right: Shape) -> tuple[str, str]:
        text = _Text(self, _sizes((*left, *right)))
        return text.shape(left), text.shape(right)

    def types_apart(self, left: Type, right: Type) -> tuple[str, str]:
        text = _Text(self, _sizes((*dimensions(left), *dimensions(right))))
        return text.type(left), text.type(right)

    @cached_property
    def _abbreviations(self) -> tuple[tuple[Size, Size], ...]:
        """What is shown under the name of an eliminated parameter, the longest first.

        A parameter that equals another one or a number is shown as that.
        """
        found = [
            (value, Size.of(Symbol(name, self.owner)))
            for name, value in self.eliminated.items()
            if value.literal is None and value.symbol is None
        ]
        found.sort(key=lambda item: (-len(item[0].terms), -_degree(item[0]), item[1].key))
        return tuple(found)

    def abbreviate(self, size: Size) -> Size:
        """The same size with eliminated parameters in the place of what they are."""
        for value, name in self._abbreviations:
            if size == value:
                return name
            if len(value.terms) == 1:
                size = _abbreviate_factors(size, *value.terms[0], name)
            else:
                size = _abbreviate_sum(size, value, name)
        return size

    def is_own(self, symbol: Symbol) -> bool:
        """Loop indices may have an owner within the function's: `module.function#1`."""
        return symbol.owner.partition("#")[0] == self.owner


def _abbreviate_factors(size: Size, monomial: Monomial, factor: int, name: Size) -> Size:
    """`3*T*H*D` with `H*D` called `C` is `3*T*C`."""
    result = Size.of(0)
    for own, amount in size.terms:
        powers, amount_left, times = dict(own), amount, 0
        while amount_left % factor == 0 and all(powers.get(a, 0) >= p for a, p in monomial):
            for atom, power in monomial:
                powers[atom] -= power
            amount_left //= factor
            times += 1
        kept = tuple(item for item in powers.items() if item[1])
        result = result + Size(((kept, amount_left),)) * name**times
    return result


def _abbreviate_sum(size: Size, value: Size, name: Size) -> Size:
    """`T*M + T + 5` with `M + 1` called `N` is `T*N + 5`: wherever that leaves fewer terms."""
    lead, amount = next(term for term in value.terms if term[0])
    for own, factor in size.terms:
        powers = dict(own)
        for atom, power in lead:
            powers[atom] = powers.get(atom, 0) - power
        if factor % amount or any(power < 0 for power in powers.values()):
            continue
        times = Size(((tuple(item for item in powers.items() if item[1]), factor // amount),))
        shorter = size - times * value + times * name
        if len(shorter.terms) < len(size.terms):
            return _abbreviate_sum(shorter, value, name)
    return size


class _Text:
    """The texts of some sizes that are read together."""

    def __init__(self, names: Names, sizes: Iterable[Size]) -> None:
        self.names = names
        symbols: set[Symbol] = set()
        for size in sizes:
            symbols |= _shown_symbols(names, size)
        self.labels = _labels(names, symbols)

    def type(self, type_: Type) -> str:
        match type_:
            case TensorType(dtype, shape):
                return dtype.name + (self.shape(shape) if shape else "")
            case TupleType(items):
                return "(" + ", ".join(map(self.type, items)) + ("," * (len(items) == 1)) + ")"
            case ListType(item, length):
                return f"[{self.type(item)}; {self.size(length)}]"
            case StructType(_, name):
                inner = self.arguments(type_)
                return name + (f"[{', '.join(inner)}]" if inner else "")
            case WeakType(kind):
                return _WEAK[kind]
            case DTypeType(dtype):
                return f"the dtype {dtype.name}"
            case StringType():
                return "a string"
            case PoisonType():
                return "?"

    def arguments(self, type_: StructType) -> list[str]:
        """What stands in the brackets of a struct, in the order of its parameters."""
        sizes = [self.dimension(size) for size in type_.sizes]
        dtypes = [dtype.name for dtype in type_.dtypes]
        packed = len(sizes) - type_.order.count("s")
        found: list[str] = []
        for kind in type_.order:
            if kind == "d":
                found.append(dtypes.pop(0))
            else:
                count = packed if kind == "p" else 1
                found, sizes = found + sizes[:count], sizes[count:]
        return [*found, *dtypes, *sizes]

    def shape(self, shape: Shape) -> str:
        return "[" + ", ".join(map(self.dimension, shape)) + "]"

    def dimension(self, dimension: Size | Pack) -> str:
        return f"...{dimension.name}" if isinstance(dimension, Pack) else self.size(dimension)

    def size(self, size: Size) -> str:
        size = self.names.abbreviate(size)
        if not size.terms:
            return "0"
        terms = sorted(
            size.terms, key=lambda term: (-_monomial_degree(term[0]), self.places(term[0]))
        )
        if terms[0][1] < 0:
            # `N - T` reads better than `-T + N`.
            positive = next((term for term in terms if term[1] > 0), terms[0])
            terms.remove(positive)
            terms.insert(0, positive)
        text = ""
        for monomial, factor in terms:
            sign = "-" if factor < 0 else "+"
            term = self.term(monomial, abs(factor), alone=len(terms) == 1 and factor == 1)
            if text:
                text += f" {sign} {term}"
            else:
                text = term if factor > 0 else f"-{term}"
        return text

    def places(self, monomial: Monomial) -> list[tuple[int, tuple[object, ...], int]]:
        return sorted((self.place(atom), atom.key, power) for atom, power in monomial)

    def place(self, atom: Atom) -> int:
        """Packs, loop indices, parameters as declared, those of others, opaque atoms."""
        order = self.names.order
        if isinstance(atom, PackProduct):
            return -2
        if isinstance(atom, Opaque):
            return len(order) + 2
        if not self.names.is_own(atom):
            return len(order) + 1
        if atom.name in order:
            return order.index(atom.name)
        return -1 if atom.name.isidentifier() else len(order)

    def term(self, monomial: Monomial, factor: int, alone: bool) -> str:
        if not monomial:
            return str(factor)
        factors = sorted(monomial, key=lambda item: (self.place(item[0]), item[0].key))
        if alone and len(factors) == 1 and factors[0][1] == 1:
            return self.atom(factors[0][0])
        parts = [str(factor)] if factor != 1 else []
        product = factor != 1 or len(factors) > 1 or factors[0][1] > 1
        for atom, power in factors:
            text = self.atom(atom)
            if not text.isidentifier() and (
                (product and not text.startswith(("...", "min(", "max("))) or " of " in text
            ):
                text = f"({text})"
            parts.append(text if power == 1 else f"{text}**{power}")
        return "*".join(parts)

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, Symbol):
            return self.labels.get(atom, atom.name)
        if isinstance(atom, PackProduct):
            return f"...{atom.pack.name}"
        left, right = self.size(atom.left), self.size(atom.right)
        if atom.operator in ("min", "max"):
            return f"{atom.operator}({left}, {right})"
        if " " in left:
            left = f"({left})"
        if not right.isalnum():
            right = f"({right})"
        return f"{left}{atom.operator}{right}"


def _shown_symbols(names: Names, size: Size) -> set[Symbol]:
    found: set[Symbol] = set()
    for atom in names.abbreviate(size).atoms():
        if isinstance(atom, Symbol):
            found.add(atom)
        elif isinstance(atom, Opaque):
            found |= _shown_symbols(names, atom.left) | _shown_symbols(names, atom.right)
    return found


def _labels(names: Names, symbols: set[Symbol]) -> dict[Symbol, str]:
    """What each symbol is called: its name, with its owner where the name alone is not enough."""
    own = {*names.order, *names.eliminated} if names.owner else set()
    by_name: dict[str, list[Symbol]] = {}
    for symbol in sorted(symbols, key=lambda symbol: symbol.key):
        by_name.setdefault(symbol.name, []).append(symbol)
    labels: dict[Symbol, str] = {}
    for name, group in by_name.items():
        for symbol in group:
            foreign = symbol.owner and not names.is_own(symbol)
            told_apart = foreign and (len(group) > 1 or name in own)
            labels[symbol] = f"{name} of {_function(symbol.owner)}" if told_apart else name
        if len(set(map(labels.get, group))) < len(group):
            for number, symbol in enumerate(group):
                if not names.is_own(symbol) and symbol.owner:
                    labels[symbol] = f"{name} of {symbol.owner}"
                if any(labels[symbol] == labels[other] for other in group[:number]):
                    labels[symbol] += "'" * number
    return labels


def _function(owner: str) -> str:
    return owner.partition("#")[0].rpartition(".")[2]


def _degree(size: Size) -> int:
    return max((_monomial_degree(monomial) for monomial, _ in size.terms), default=0)


def _monomial_degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


def _sizes(dimensions: Iterable[Size | Pack]) -> list[Size]:
    return [dimension for dimension in dimensions if isinstance(dimension, Size)]


def dimensions(type_: Type) -> Iterator[Size | Pack]:
    """Every size and pack in a type, in the order in which they are written."""
    match type_:
        case TensorType(_, shape) | StructType(_, _, shape, _):
            yield from shape
        case TupleType(items):
            for item in items:
                yield from dimensions(item)
        case ListType(item, length):
            yield from dimensions(item)
            yield length
        case _:
            return


PLAIN = Names()
