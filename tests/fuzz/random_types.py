"""The types of random programs with data: arrays, tuples, lists and structs, nested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Leaf:
    dtype: str
    shape: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.dtype + (f"[{', '.join(self.shape)}]" if self.shape else "")


@dataclass(frozen=True)
class Many:
    item: Tree
    length: str

    def __str__(self) -> str:
        return f"[{self.item}; {self.length}]"


@dataclass(frozen=True)
class Both:
    items: tuple[Tree, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Record:
    """An instance of a struct: what stands for each of its parameters, and its fields with that."""

    name: str
    arguments: tuple[str, ...]
    fields: tuple[tuple[str, Tree], ...]

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(self.arguments)}]"


Tree = Leaf | Many | Both | Record


@dataclass(frozen=True)
class Struct:
    name: str
    parameters: tuple[str, ...]
    fields: tuple[tuple[str, Tree], ...]


def placed(tree: Tree, by: dict[str, str]) -> Tree:
    """The type with parameters of a struct replaced."""
    match tree:
        case Leaf(dtype, shape):
            return Leaf(by.get(dtype, dtype), tuple(by.get(d, d) for d in shape))
        case Many(item, length):
            return Many(placed(item, by), by.get(length, length))
        case Both(items):
            return Both(tuple(placed(item, by) for item in items))
        case Record(name, arguments, fields):
            return Record(
                name,
                tuple(by.get(a, a) for a in arguments),
                tuple((field, placed(t, by)) for field, t in fields),
            )


def leaves(text: str, tree: Tree) -> Iterator[tuple[str, Leaf]]:
    """Every array that a name gives access to, as it is written."""
    match tree:
        case Leaf():
            yield text, tree
        case Record(fields=fields):
            for name, field in fields:
                yield from leaves(f"{text}.{name}", field)
        case Both(items):
            for number, item in enumerate(items):
                yield from leaves(f"{text}[{number}]", item)
        case Many(item):
            yield from leaves(f"{text}[0]", item)
