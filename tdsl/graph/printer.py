"""A graph as text: one line a value, for `--emit=graph` and `--emit=claims`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from tdsl.graph.graph import CHECK, LOOP, LOOP_RESULT, Claim, Graph, LoopBody, Node, Remark
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size

# Shown by the type of the result already.
_IMPLIED = {"shape", "dtype", "sizes", "name", "index"}

Line = tuple[str, str]  # and the place in the program


class _Printer:
    def __init__(self, graph: Graph) -> None:
        self._wanted = dict(graph.names)
        self._names: dict[Node, str] = {}
        self._taken: set[str] = set()
        for node in graph.inputs:
            self.name(node)

    def name(self, node: Node) -> str:
        """`%scores` where the program has a name, else a number."""
        if node not in self._names:
            wanted = self._wanted.get(node)
            if node.operation == "input":
                wanted = str(node.attributes["name"])
            name, number = wanted or "0", 0
            while name in self._taken:
                number += 1
                name = f"{wanted}_{number}" if wanted else str(number)
            self._taken.add(name)
            self._names[node] = name
        return f"%{self._names[node]}"

    def operand(self, node: Node) -> str:
        return _constant(node) if _is_plain(node) else self.name(node)

    def line(self, node: Node) -> str:
        given = ", ".join(self.operand(operand) for operand in node.inputs)
        attributes = ", ".join(
            f"{key}={_attribute(value)}"
            for key, value in node.attributes.items()
            if key not in _IMPLIED
        )
        inside = ", ".join(part for part in (given, attributes) if part)
        return f"{self.name(node)} = {node.operation}({inside}): {node.type}"

    def lines(self, graph: Graph, claims: Sequence[Claim] = (), indent: str = "") -> list[Line]:
        """A line for each value, and around the bodies of loops and claimed groups."""
        roots = {claim.root: claim for claim in claims}
        inside = {node for claim in claims for node in claim.inner} - _read_outside(graph, claims)
        lines: list[Line] = []
        for node in graph.nodes():
            if node.operation in ("input", LOOP_RESULT) or _is_plain(node):
                continue
            if (claim := roots.get(node)) is not None:
                lines.append((f"{indent}claim {claim.kind} {{", ""))
                lines.extend(
                    (f"{indent}  {self.line(part)}", _place(part))
                    for part in claim.inner
                    if not _is_plain(part)
                )
                lines.append((f"{indent}}}", ""))
            elif node.operation == LOOP:
                lines.extend(self._loop(graph, node, claims, indent))
            elif node.operation == CHECK:
                lines.append((f"{indent}{self._check(node)}", _place(node)))
            elif node not in inside:
                lines.append((f"{indent}{self.line(node)}", _place(node)))
        return lines

    def _check(self, node: Node) -> str:
        attributes = node.attributes
        given = ", ".join(
            f"{self.operand(position)} in axis {axis} of {size}"
            for position, axis, size in zip(
                node.inputs, attributes["axes"], attributes["sizes"], strict=True
            )
        )
        return f"check {attributes['checked']}({given})"

    def _loop(self, graph: Graph, node: Node, claims: Sequence[Claim], indent: str) -> list[Line]:
        attributes = node.attributes
        body: LoopBody = attributes["body"]
        count, scanned = attributes["states"], attributes["scanned"]
        own = [*body.states, *body.items]
        self._wanted.update(body.names)
        for captured, outer in zip(body.captured, node.inputs[count + scanned :], strict=True):
            self._names[captured] = self.operand(outer).removeprefix("%")
        parts = []
        for place, (inner, outer) in enumerate(zip(own, node.inputs, strict=False)):
            sign = "=" if place < count else "in"
            parts.append(f"{self.name(inner)} {sign} {self.operand(outer)}")
        start = attributes["start"]
        # The results are named before the loop: what the program calls them is theirs.
        results = {
            user.attributes["index"]: self.name(user)
            for user in graph.nodes()
            if user.operation == LOOP_RESULT and user.inputs[0] is node
        }
        given = ", ".join(results.get(place, "_") for place in range(len(body.results)))
        head = f"{given} = loop {body.index.name} in {start}..{start + attributes['trip']}"
        if parts:
            head += f" ({', '.join(parts)})"
        inside = self.lines(body.graph(graph.name), claims, f"{indent}  ")
        return [
            (f"{indent}{head} {{", _place(node)),
            *inside,
            (f"{indent}  yield {', '.join(map(self.operand, body.results))}", ""),
            (f"{indent}}}", ""),
        ]


def print_graph(graph: Graph, *, locations: bool = True) -> str:
    """Each value with its operation, operands, type, and the line of the program it comes from."""
    printer = _Printer(graph)
    return _function(graph, printer, printer.lines(graph), locations)


def print_claims(
    graph: Graph,
    claims: Sequence[Claim],
    remarks: Sequence[Remark] = (),
    *,
    locations: bool = True,
) -> str:
    """The graph with each claimed group drawn together, and then the remarks."""
    printer = _Printer(graph)
    lines = printer.lines(graph, claims)
    text = _function(graph, printer, lines, locations)
    said = "".join(f"{print_remark(remark)}\n" for remark in remarks)
    return f"{text}\n{said}" if said else text


def print_remark(remark: Remark) -> str:
    """`linear.tdsl:3:5: matmul claimed: f32[2, 3] @ f32[3, 4]`."""
    span = remark.span
    where = f"{span.source.name}:{span.line}:{span.column}: " if span else ""
    return f"{where}{remark.kind} {'claimed' if remark.claimed else 'not claimed'}: {remark.reason}"


def _function(
    graph: Graph, printer: _Printer, lines: Sequence[tuple[str, str]], locations: bool
) -> str:
    inputs = ", ".join(f"{printer.name(node)}: {node.type}" for node in graph.inputs)
    results = ", ".join(printer.operand(node) for node in graph.results)
    types = ", ".join(str(node.type) for node in graph.results)
    given = f"({types})" if len(graph.results) != 1 else types
    width = min(max((len(text) for text, _ in lines), default=0), 88)
    shown = [
        f"  {text:<{width}}  # {place}" if locations and place else f"  {text}"
        for text, place in lines
    ]
    head = f"graph {graph.name}({inputs}) -> {given} {{"
    debugged = [
        f"  # dbg {one.label!r}: {printer.operand(one.node)}, the result {place}"
        for place, one in enumerate(graph.debugged, len(graph.results) - len(graph.debugged))
    ]
    return "\n".join([head, *shown, *debugged, f"  return {results}", "}"]) + "\n"


def _place(node: Node) -> str:
    if node.span is None:
        return ""
    return f"{PurePath(node.span.source.name).name}:{node.span.line}:{node.span.column}"


def _read_outside(graph: Graph, claims: Sequence[Claim]) -> set[Node]:
    """What is computed by itself: of what belongs to a claim, that is computed once more there."""
    roots = {claim.root: claim for claim in claims}
    inside = {node for claim in claims for node in claim.inner}
    found = {*graph.results, *graph.kept}
    for node in reversed([*graph.nodes()]):
        if node in roots:
            found.update(roots[node].inputs)
        elif node not in inside or node in found:
            found.update(node.inputs)
    return found


def _is_plain(node: Node) -> bool:
    """Constants are shown where they are used."""
    return node.operation == "constant"


def _constant(node: Node) -> str:
    """As short as tells the number apart from others of its dtype."""
    value = node.attributes["value"]
    if not isinstance(value, float):
        return _value(value)
    text = str(np.asarray(value).astype(node.type.dtype.numpy)[()])
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return f"{mantissa}e{int(exponent)}"
    return text if any(sign in text for sign in ".n") else f"{text}.0"


def _attribute(value: Any) -> str:
    if isinstance(value, Size | DType):
        return str(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_attribute, value))}]"
    return _value(value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
