"""Claims of matrix products, with transposes of their operands that a kernel does on the way."""

from __future__ import annotations

from typing import Final

from tdsl.graph.graph import Claim, Graph, Node, Remark

KIND: Final = "matmul"
PRODUCTS: Final = ("matmul", "batch_matmul")
_DTYPES: Final = ("f32", "f64")


def find(graph: Graph) -> tuple[tuple[Claim, ...], tuple[Remark, ...]]:
    """A claim for each product of a dtype that has kernels."""
    uses = graph.uses()
    claims: list[Claim] = []
    remarks: list[Remark] = []
    for node in graph.nodes():
        if node.operation not in PRODUCTS:
            continue
        dtype = node.type.dtype
        if dtype.name not in _DTYPES:
            reason = f"{_product(node)}: no kernel multiplies {dtype}"
            remarks.append(Remark(KIND, node.span, False, reason))
            continue
        inner: list[Node] = []
        inputs: list[Node] = []
        layout = ""
        notes: list[str] = []
        for side, operand in zip(("left", "right"), node.inputs, strict=True):
            refusal = _why_not_absorbed(graph, operand, uses.get(id(operand), ()))
            if operand.operation == "transpose" and refusal is None:
                if operand not in inner:
                    inner.append(operand)
                source = operand.inputs[0]
                layout += "t"
                notes.append(f"the {side} operand is read transposed, not copied")
            else:
                source = operand
                layout += "n"
                if operand.operation == "transpose" and _moves_columns(operand):
                    notes.append(f"the {side} operand is transposed first: {refusal}")
            if source not in inputs:
                inputs.append(source)
        reason = "; ".join([_product(node), *notes])
        claims.append(
            Claim(KIND, node, (*inner, node), tuple(inputs), reason, {"layout": f'"{layout}"'})
        )
        remarks.append(Remark(KIND, node.span, True, reason))
    return tuple(claims), tuple(remarks)


def _why_not_absorbed(graph: Graph, operand: Node, users: tuple[Node, ...]) -> str | None:
    """Why a transposed operand must be a value of its own; None where products can do it."""
    if operand.operation != "transpose":
        return "it is not transposed"
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
    """Whether the last axis goes elsewhere; else a transpose is a copy of whole rows, as cheap as
    any, that a program makes for its own reasons."""
    permutation: tuple[int, ...] = operand.attributes["permutation"]
    return permutation[-1] != len(permutation) - 1


def _product(node: Node) -> str:
    left, right = node.inputs
    return f"{left.type} @ {right.type}"
