"""Claims of matrix products: with transposes and casts of operands, and what follows elementwise."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from tdsl.graph.claims.common import (
    PRODUCTS,
    Uses,
    gather_operand,
    in_order,
    is_elementwise,
    largest_closed,
    sizes_are_known,
)
from tdsl.graph.graph import Claim, Graph, Node, Remark
from tdsl.types.sizes import Size

KIND: Final = "matmul"
_DTYPES: Final = ("f32", "f64")
_ONE: Final = Size.of(1)


class _Found(msgspec.Struct):
    """A claim in the making."""

    inner: list[Node] = msgspec.field(default_factory=list)
    inputs: list[Node] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
    layout: str = ""


def find(
    graph: Graph, taken: Collection[Node] = frozenset()
) -> tuple[tuple[Claim, ...], tuple[Remark, ...]]:
    """A claim for each product of a dtype that has kernels."""
    uses = graph.uses()
    claims: list[Claim] = []
    remarks: list[Remark] = []
    mine: set[Node] = set()
    for node in graph.nodes():
        if node.operation not in PRODUCTS or node in taken:
            continue
        dtype = node.type.dtype
        if dtype.name not in _DTYPES:
            reason = f"{_product(node)}: no kernel multiplies {dtype}"
            remarks.append(Remark(KIND, node.span, False, reason))
            continue
        found = _Found()
        for side, operand in zip(("left", "right"), node.inputs, strict=True):
            _operand(graph, uses, found, side, operand)
        group = _followers(graph, uses, node, {*taken, *mine}, found)
        mine.update(group)
        root = group[-1]
        inner = in_order(graph, [*found.inner, *group])
        reason = "; ".join([_product(node), *found.notes])
        attributes = {"layout": f'"{found.layout}"'}
        claims.append(Claim(KIND, root, inner, tuple(found.inputs), reason, attributes))
        remarks.append(Remark(KIND, node.span, True, reason))
    return tuple(claims), tuple(remarks)


# --- operands


def _operand(graph: Graph, uses: Uses, found: _Found, side: str, operand: Node) -> None:
    """Read through a transpose and a widening cast."""
    source = operand
    users = uses.get(id(operand), ())
    turned = False
    if source.operation == "transpose":
        refusal = _why_not_absorbed(graph, source, users)
        if refusal is None:
            turned = True
            found.notes.append(f"the {side} operand is read transposed, not copied")
        elif len(users) == 1 and source not in graph.results:
            found.notes.append(f"the {side} operand is read in its own order, not copied")
        else:
            if _moves_columns(source):
                found.notes.append(f"the {side} operand is transposed first: {refusal}")
            _input(found, source)
            found.layout += "n"
            return
        _inside(found, source)
        source = source.inputs[0]
    source = _through_casts(graph, uses, found, side, source)
    found.layout += "t" if turned else "n"
    _input(found, source)


def _through_casts(graph: Graph, uses: Uses, found: _Found, side: str, source: Node) -> Node:
    """What is read as it is stored; a transpose may stand before the cast."""
    while source not in graph.results and len(uses.get(id(source), ())) <= 1:
        if source.operation == "cast" and _widens(source):
            found.notes.append(f"the {side} operand is read as {source.inputs[0].type.dtype}")
        elif source.operation != "transpose":
            break
        _inside(found, source)
        source = source.inputs[0]
    return source


def _widens(node: Node) -> bool:
    from_, to = node.inputs[0].type.dtype, node.type.dtype
    return from_.is_float and to.is_float and from_.bits < to.bits


def _inside(found: _Found, node: Node) -> None:
    if node not in found.inner:
        found.inner.append(node)


def _input(found: _Found, node: Node) -> None:
    if node not in found.inputs:
        found.inputs.append(node)


def _why_not_absorbed(graph: Graph, operand: Node, users: tuple[Node, ...]) -> str | None:
    """Why a transposed operand must be a value of its own; None where products can do it."""
    rank = operand.type.rank
    if not _moves_columns(operand):
        return "its rows stay rows"
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    if tuple(operand.attributes["permutation"]) != swapped:
        return "more than its last two axes move"
    if operand in graph.results or any(user.operation not in PRODUCTS for user in users):
        return "it is used elsewhere, too"
    return None


def _moves_columns(operand: Node) -> bool:
    """Whether the last axis goes elsewhere; else a transpose is a copy of whole rows."""
    permutation: tuple[int, ...] = operand.attributes["permutation"]
    return permutation[-1] != len(permutation) - 1


# --- what follows


def _followers(
    graph: Graph, uses: Uses, product: Node, taken: Collection[Node], found: _Found
) -> tuple[Node, ...]:
    """The product and what is computed from it element by element, as far as nothing else needs
    the values on the way. What else these read is added to the claim."""

    def joins(node: Node, group: Collection[Node]) -> bool:
        if node in taken:
            return False
        if node.operation == "reshape":
            return _keeps_columns(node)
        return is_elementwise(node) and all(
            operand.type.shape == node.type.shape for operand in node.inputs if operand in group
        )

    group = largest_closed(graph, product, uses, joins)
    while group[-1].operation == "reshape" or _is_read_as_stored(graph, uses, group):
        group = group[:-1]  # as memory, it is no work
    inner, inputs = list(found.inner), list(found.inputs)
    for node in group[1:]:
        for operand in node.inputs:
            if operand not in group:
                gather_operand(operand, inner, inputs)
    if not sizes_are_known([*inner, *group], inputs):
        found.notes.append("what follows needs sizes that no operand has")
        return group[:1]
    found.inner, found.inputs = inner, inputs
    return group


def _is_read_as_stored(graph: Graph, uses: Uses, group: tuple[Node, ...]) -> bool:
    """Whether the last of a group is a cast that another product does as it reads."""
    last = group[-1]
    users = uses.get(id(last), ())
    return (
        len(group) > 1
        and last.operation == "cast"
        and _widens(last)
        and last not in graph.results
        and [user.operation in PRODUCTS for user in users] == [True]
    )


def _keeps_columns(node: Node) -> bool:
    """Whether a reshape only cuts or joins rows."""
    source, result = node.inputs[0].type.shape, node.type.shape
    return bool(source and result) and source[-1] == result[-1] != _ONE


def _product(node: Node) -> str:
    left, right = node.inputs
    return f"{left.type} @ {right.type}"
