"""Which array of a source belongs to which field of a struct, and what does not fit."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from tdsl.runtime.arrays import describe_type
from tdsl.runtime.fitting import Fact, Fit, fit
from tdsl.runtime.layout import ArrayNode, ListNode, Node, StructNode, TupleNode
from tdsl.runtime.layout import Layout as Arrays
from tdsl.runtime.weights.renaming import Layout, Names, items_named
from tdsl.runtime.weights.stored import Source, Stored, Unreadable
from tdsl.types.dtypes import BOUNDS, DTYPES, DType, DTypeVariable, of_numpy
from tdsl.types.sizes import Pack, Size

MOST_ITEMS = 1 << 16
MOST_GAPS = 4


class Part(msgspec.Struct, frozen=True):
    """One array of the source and where it goes: to a field, or to an item of lists of them."""

    name: str  # dotted: `layers.3.up.weight`
    node: ArrayNode
    place: tuple[int, ...]  # in the lists around it
    lengths: tuple[Size, ...]  # of lists whose items the array itself holds
    stored: Stored
    turned: bool  # the source has the transpose
    heads: int | None  # rows lie interleaved, for so many heads

    @property
    def shape(self) -> tuple[int, ...]:
        """As the field takes it."""
        found = self.stored.shape
        return (*found[:-2], found[-1], found[-2]) if self.turned else found

    @property
    def path(self) -> str:
        return shown_path(self.name)


class Missing(msgspec.Struct, frozen=True):
    name: str
    node: ArrayNode
    sought: tuple[str, ...]


class Trouble(msgspec.Struct, frozen=True):
    """A part that cannot be taken whatever the sizes are."""

    name: str
    node: ArrayNode
    text: str
    is_dtype: bool = False


class Match(msgspec.Struct, frozen=True):
    """All that was found out. `dtypes` are the values of dtype parameters, and what each leaf is
    to be."""

    parts: tuple[Part, ...]
    missing: tuple[Missing, ...]
    unknown: tuple[str, ...]
    troubles: tuple[Trouble, ...]
    fit: Fit
    facts: tuple[Fact, ...]
    dtypes: Mapping[int, np.dtype[Any]]  # by leaf

    @property
    def fits(self) -> bool:
        return not (self.missing or self.unknown or self.troubles or self.fit.misfits)

    @property
    def faults(self) -> int:
        return len(self.missing) + len(self.unknown) + len(self.troubles) + len(self.fit.misfits)


class Request(msgspec.Struct, frozen=True):
    """How a source is to be read."""

    names: Names
    layout: Layout
    cast: DType | bool
    as_is: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def match(arrays: Arrays, source: Source, request: Request) -> Match:
    return _Matching(arrays, source, request).result()


def shown_path(name: str) -> str:
    """`layers.3.up` as it is written: `layers[3].up`."""
    head, *rest = name.split(".")
    return head + "".join(f"[{p}]" if p.isdecimal() or p == "*" else f".{p}" for p in rest)


class _Matching:
    def __init__(self, arrays: Arrays, source: Source, request: Request) -> None:
        self.arrays = arrays
        self.source = source
        self.request = request
        self.names = request.names
        self.linear = Names({}, as_is=(*self.names.as_is, *request.as_is))
        self.ignored = Names({}, self.names.prefixes, (*self.names.ignore, *request.ignore))
        self.parts: list[Part] = []
        self.missing: list[Missing] = []
        self.troubles: list[Trouble] = []
        self.used: set[str] = set()
        self.lengths: list[Fact] = []

    def result(self) -> Match:
        (root,) = self.arrays.parameters
        self.visit(root, "", (), ())
        dtypes = self.dtypes()
        facts = [
            Fact(
                part.name,
                (*part.lengths, *part.node.type.shape),
                part.shape,
                len(part.node.type.shape),
            )
            for part in self.parts
            if self.has_rank(part)
        ] + self.lengths
        unknown = tuple(
            name
            for name in self.source.names()
            if name not in self.used and not self.ignored.is_ignored(name)
        )
        return Match(
            tuple(self.parts),
            tuple(self.missing),
            unknown,
            tuple(self.troubles),
            fit(facts, {}),
            tuple(facts),
            dtypes,
        )

    # --- names

    def visit(
        self, node: Node, name: str, place: tuple[int, ...], lengths: tuple[Size, ...]
    ) -> None:
        match node:
            case ArrayNode():
                self.take(node, name, place, lengths)
            case StructNode(fields):
                for field, inner in fields:
                    self.visit(inner, f"{name}.{field}" if name else field, place, lengths)
            case TupleNode(items):
                for number, inner in enumerate(items):
                    self.visit(inner, f"{name}.{number}", place, lengths)
            case ListNode():
                self.visit_list(node, name, place, lengths)

    def visit_list(
        self, node: ListNode, name: str, place: tuple[int, ...], lengths: tuple[Size, ...]
    ) -> None:
        numbers = () if lengths else self.numbers(node, name)
        if numbers:
            count = numbers[-1] + 1
            self.lengths.append(Fact(name, (node.length,), (count,), 0))
            # Of a long gap the first items tell enough.
            there = {*numbers}
            gaps = itertools.islice((n for n in range(count) if n not in there), MOST_GAPS)
            for number in sorted({*numbers, *gaps}):
                self.visit(node.item, f"{name}.{number}", (*place, number), lengths)
        elif any(self.sought(leaf) for leaf in _leaves(node.item, name)):
            self.visit(node.item, name, place, (*lengths, node.length))
        else:
            for leaf, array in _named_leaves(node.item, f"{name}.*"):
                self.missing.append(Missing(leaf, array, self.names.candidates(leaf)))

    def numbers(self, node: ListNode, name: str) -> tuple[int, ...]:
        """Of the items of a list that anything is found of."""
        found: set[int] = set()
        listed = self.source.names()
        for leaf in _leaves(node.item, f"{name}.*"):
            for sought in self.names.candidates(leaf):
                if "*" in sought:
                    found |= items_named(sought, listed)
        if not found:
            # An object that cannot list what it holds.
            while len(found) < MOST_ITEMS and any(
                self.sought(leaf.replace("*", "0"))
                for leaf in _leaves(node.item, f"{name}.{len(found)}")
            ):
                found.add(len(found))
        return tuple(sorted(found))

    def sought(self, name: str) -> tuple[str, Stored | Unreadable] | None:
        """What the field is called in the source, and what is there."""
        for candidate in self.names.candidates(name):
            found = None if "*" in candidate else self.source.find(candidate)
            if found is not None:
                return candidate, found
        return None

    def take(
        self, node: ArrayNode, name: str, place: tuple[int, ...], lengths: tuple[Size, ...]
    ) -> None:
        found = self.sought(name)
        if found is None:
            self.missing.append(Missing(name, node, self.names.candidates(name)))
            return
        called, stored = found
        self.used.add(called)
        if not isinstance(stored, Stored):
            self.troubles.append(Trouble(name, node, f"is {stored.what}"))
            return
        is_matrix = len(node.type.shape) == 2 and len(stored.shape) >= 2
        turned = self.request.layout == "torch" and is_matrix and self.linear.is_linear(name)
        heads = self.heads(node, name, stored) if not lengths else None
        self.parts.append(Part(name, node, place, lengths, stored, turned, heads))

    def heads(self, node: ArrayNode, name: str, stored: Stored) -> int | None:
        entry = self.names.heads_entry(name)
        if entry is None:
            return None
        heads = self.source.metadata.get(entry)
        rows = stored.shape[0] if stored.shape else 0
        if type(heads) is not int or heads < 1 or rows % (2 * heads):
            self.troubles.append(
                Trouble(
                    name,
                    node,
                    f"has {rows} rows, which are no pairs for {heads!r} heads"
                    f" (`{entry}` of the metadata)",
                )
            )
            return None
        return heads

    # --- ranks and dtypes

    def has_rank(self, part: Part) -> bool:
        shape = part.node.type.shape
        packed = any(isinstance(axis, Pack) for axis in shape)
        wanted = len(part.lengths) + len(shape) - packed
        found = self.shown(part)
        rank = len(part.stored.shape)
        if rank < wanted if packed else rank != wanted:
            axes = f"{'at least ' * packed}{wanted} ax{'i' if wanted == 1 else 'e'}s"
            self.trouble(part, f"is {found}: wants {axes}")
            return False
        if 0 in part.stored.shape:
            text = f"is {found}: every size is 1 or more in TDSL"
            self.trouble(part, text)
            return False
        return True

    def dtypes(self) -> dict[int, np.dtype[Any]]:
        """What each leaf is to be, once it is checked that every array is that or may become it."""
        votes: dict[DTypeVariable, Counter[str]] = {}
        for part in self.parts:
            variable, own = part.node.type.dtype, of_numpy(part.stored.dtype.newbyteorder("="))
            if part.stored.form == "Python" or own is None:
                continue
            if isinstance(variable, DTypeVariable):
                votes.setdefault(variable, Counter())[own.name] += 1
        found: dict[int, np.dtype[Any]] = {}
        for part in self.parts:
            declared = part.node.type.dtype
            if isinstance(declared, DType):
                wanted = declared
            elif isinstance(self.request.cast, DType):
                wanted = self.request.cast
            else:
                ((name, _),) = votes.get(declared, Counter(f32=1)).most_common(1)
                wanted = DTYPES[name]
            found[part.node.leaf] = wanted.numpy
            self.check_dtype(part, declared, wanted)
        return found

    def check_dtype(self, part: Part, declared: DType | DTypeVariable, wanted: DType) -> None:
        own = of_numpy(part.stored.dtype.newbyteorder("="))
        if own is None:
            self.trouble(part, f"is an array of NumPy's {part.stored.dtype}, which TDSL lacks")
        elif isinstance(declared, DTypeVariable) and wanted.kind not in BOUNDS[declared.bound]:
            self.trouble(part, f"is {own}: `{declared.name}` stands for a {declared.bound} dtype")
        elif own == wanted:
            return
        elif part.stored.form == "Python":
            fits = {"float": ("float",), "int": ("float", "int", "uint"), "bool": ("bool",)}
            if wanted.kind not in fits.get(own.kind, ()):
                self.trouble(part, f"is the Python number {part.stored.array()}: wants {wanted}")
        elif not self.request.cast:
            self.trouble(part, f"is {self.shown(part)}: wants {wanted}", True)
        elif not (own.is_float and wanted.is_float) and not np.can_cast(own.numpy, wanted.numpy):
            self.trouble(part, f"is {own}, of which not every value is one of {wanted}")

    def shown(self, part: Part) -> str:
        """What was found, and its name in the source where that is another one."""
        called = "" if part.stored.name == part.name else f" (`{part.stored.name}`)"
        return describe_type(part.stored.dtype, part.stored.shape) + called

    def trouble(self, part: Part, text: str, is_dtype: bool = False) -> None:
        self.troubles.append(Trouble(part.name, part.node, text, is_dtype))


def _named_leaves(node: Node, name: str) -> Iterator[tuple[str, ArrayNode]]:
    match node:
        case ArrayNode():
            yield name, node
        case StructNode(fields):
            for field, inner in fields:
                yield from _named_leaves(inner, f"{name}.{field}")
        case TupleNode(items):
            for number, inner in enumerate(items):
                yield from _named_leaves(inner, f"{name}.{number}")
        case ListNode(item):
            yield from _named_leaves(item, f"{name}.*")


def _leaves(node: Node, name: str) -> list[str]:
    return [leaf for leaf, _ in _named_leaves(node, name)]
