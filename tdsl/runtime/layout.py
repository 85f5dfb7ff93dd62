"""What a parameter or result consists of: a tree of structs, tuples and lists with arrays as leaves."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.calls import signature_names
from tdsl.check.fields import fields_of
from tdsl.runtime.arrays import Wanted
from tdsl.syntax.source import Span
from tdsl.types.sizes import Size
from tdsl.types.types import ListType, StructType, TensorType, TupleType, Type


class ArrayNode(msgspec.Struct, frozen=True):
    """One array. `type` is that of a single item where it is within lists; `lengths` are theirs,
    outermost first, and come before its own axes where items are stacked."""

    leaf: int  # its place among the arrays of all parameters
    type: TensorType
    lengths: tuple[Size, ...]
    path: str
    span: Span

    def stacked_type(self, lengths: tuple[Size, ...]) -> TensorType:
        return TensorType(self.type.dtype, (*lengths, *self.type.shape))


class TupleNode(msgspec.Struct, frozen=True):
    items: tuple[Node, ...]
    type: Type


class StructNode(msgspec.Struct, frozen=True):
    """`fields` are in the order of the definition."""

    fields: tuple[tuple[str, Node], ...]
    type: StructType
    definition: typed.Struct


class ListNode(msgspec.Struct, frozen=True):
    """In native code a list is stacked: one array a leaf, with the items along a leading axis."""

    item: Node
    length: Size
    type: Type


Node = ArrayNode | TupleNode | StructNode | ListNode


def definition_of(program: typed.Program, type_: StructType) -> typed.Struct:
    return program.modules[type_.module].structs[type_.name]


def build_node(
    program: typed.Program, type_: Type, path: str, span: Span, first_leaf: int = 0
) -> tuple[Node, int]:
    """The tree of a type, and the number of its first leaf plus the number of its leaves."""
    leaf = first_leaf

    def build(type_: Type, path: str, span: Span, lengths: tuple[Size, ...]) -> Node:
        nonlocal leaf
        match type_:
            case TensorType():
                leaf += 1
                return ArrayNode(leaf - 1, type_, lengths, path, span)
            case TupleType(items):
                inner = [build(t, f"{path}[{n}]", span, lengths) for n, t in enumerate(items)]
                return TupleNode(tuple(inner), type_)
            case ListType(item, length):
                return ListNode(build(item, path, span, (*lengths, length)), length, type_)
            case StructType():
                definition = definition_of(program, type_)
                fields = [
                    (name, build(inner, f"{path}.{name}", field.span, lengths))
                    for field, (name, inner) in zip(
                        definition.fields, fields_of(program, type_), strict=True
                    )
                ]
                return StructNode(tuple(fields), type_, definition)
            case _:
                raise AssertionError(f"a value of type {type_} cannot come from Python")

    return build(type_, path, span, ()), leaf


def arrays_of(node: Node) -> Iterator[ArrayNode]:
    """The leaves in the order in which native code takes them."""
    match node:
        case ArrayNode():
            yield node
        case TupleNode(items):
            for item in items:
                yield from arrays_of(item)
        case StructNode(fields):
            for _, field in fields:
                yield from arrays_of(field)
        case ListNode(item):
            yield from arrays_of(item)


def structs_of(node: Node) -> Iterator[StructType]:
    """The structs that a value consists of, once for each place."""
    match node:
        case TupleNode(items):
            for item in items:
                yield from structs_of(item)
        case StructNode(fields, type_):
            yield type_
            for _, field in fields:
                yield from structs_of(field)
        case ListNode(item):
            yield from structs_of(item)


class Layout(msgspec.Struct, frozen=True, dict=True):
    """The arrays that a function takes and gives, and how they are nested.

    `flat` is the signature with one parameter an array, named by its path: the sizes of a call are
    solved by it, so that a size is known to come from `p.blocks.ln_1.g`, not just from `p`.
    """

    signature: typed.Signature
    flat: typed.Signature
    parameters: tuple[Node, ...]
    result: Node
    wanted: tuple[Wanted, ...]

    @property
    def is_flat(self) -> bool:
        """Whether every parameter is an array."""
        return all(isinstance(node, ArrayNode) for node in self.parameters)

    def only(self, places: list[int]) -> Layout:
        """The layout of some of the parameters, with the same numbers for their arrays."""
        signature = self.signature
        parameters = tuple(self.parameters[place] for place in places)
        few = replace(
            signature,
            parameters=tuple(signature.parameters[place] for place in places),
            parameter_spans=tuple(signature.parameter_spans[place] for place in places),
        )
        return replace(self, signature=few, parameters=parameters)

    @cached_property
    def arrays(self) -> tuple[ArrayNode, ...]:
        return tuple(array for node in self.parameters for array in arrays_of(node))

    @cached_property
    def _shown(self) -> dict[Any, str]:
        return {}

    def shown(self, type_: Type) -> str:
        """A type in the names of the function's sizes."""
        found = self._shown.get(type_)
        if found is None:
            found = self._shown[type_] = signature_names(self.signature).type(type_)
        return found

    def wanted_at(self, array: ArrayNode, path: str, lengths: tuple[Size, ...]) -> Wanted:
        """What is wanted of one array, where it may be an item that is not stacked yet."""
        if path == array.path and lengths == array.lengths:
            return self.wanted[array.leaf]
        type_ = array.stacked_type(lengths)
        name = self.signature.function.name
        return Wanted(name, path, type_, self.shown(type_), array.span)


def layout_of(program: typed.Program, signature: typed.Signature) -> Layout:
    function = signature.function.name
    names = signature_names(signature)
    nodes: list[Node] = []
    count = 0
    for (name, type_), span in zip(signature.parameters, signature.parameter_spans, strict=True):
        node, count = build_node(program, type_, name, span, count)
        nodes.append(node)
    arrays = [array for node in nodes for array in arrays_of(node)]
    types = [array.stacked_type(array.lengths) for array in arrays]
    wanted = tuple(
        Wanted(function, array.path, type_, names.type(type_), array.span)
        for array, type_ in zip(arrays, types, strict=True)
    )
    flat = replace(
        signature,
        parameters=tuple((w.name, w.type) for w in wanted),
        parameter_spans=tuple(w.span for w in wanted),
        argument_defaults=(),
    )
    result, _ = build_node(program, signature.result, "result", signature.result_span)
    return Layout(signature, flat, tuple(nodes), result, wanted)


def python_name(name: str) -> str:
    """`lambda` is a good name in TDSL; in a Python signature or class it could not stand."""
    return f"{name}_" if keyword.iskeyword(name) else name
