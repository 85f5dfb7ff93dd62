"""The emission of a graph as MLIR on tensors: one entry in EMITTERS for each primitive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tdsl.graph.claims.common import PRODUCTS
from tdsl.graph.graph import CHECK, LOOP, LOOP_RESULT, Claim, Graph, Node
from tdsl.lowering import loop, positions, reductions, shapes
from tdsl.lowering.build import Maps
from tdsl.lowering.reading import Emission, compute, emit_map
from tdsl.lowering.scalars import SCALARS, constant
from tdsl.lowering.spelling import identifier, stored, tensor

_UNSIGNED = "{cast = #linalg.type_fn<cast_unsigned>} "

# --- sources


def _input(emission: Emission, node: Node) -> None:
    assert node in emission.values, "inputs are the arguments of the function"


def _later(emission: Emission, node: Node) -> None:
    """Emitted where it is read."""


def _size(emission: Emission, node: Node) -> None:
    size = node.attributes["size"]
    index = emission.build.index(size)
    emission.scalars[node] = emission.build.emit(
        f"arith.index_cast {index} : index to i64", f"{index[1:]}_i64"
    )


def _elementwise(emission: Emission, node: Node) -> None:
    if node.type.rank == 0 and all(
        operand in emission.scalars or operand.operation == "constant" for operand in node.inputs
    ):
        build = emission.build
        elements = [
            emission.scalars[operand]
            if operand in emission.scalars
            else constant(build, operand.attributes["value"], operand.type.dtype)
            for operand in node.inputs
        ]
        emission.scalars[node] = compute(build, node, elements)
        return
    if emission.weigh(node) is None:
        emit_map(emission, node)


# --- products


def _product(emission: Emission, node: Node) -> None:
    build = emission.build
    # A transpose that the product does on the way is a matter of how it indexes its operand.
    flips = [operand in emission.absorbed for operand in node.inputs]
    a, b = (
        operand.inputs[0] if flip else operand
        for operand, flip in zip(node.inputs, flips, strict=True)
    )
    left, right = emission.tensor(a), emission.tensor(b)
    zero = build.filled(build.constant(0, node.type.dtype), node.type)
    widens = a.type.dtype.kind == "uint" and stored(a.type.dtype) != stored(node.type.dtype)
    maps = f"indexing_maps = [{_product_maps(build.maps, node, flips)}] " if any(flips) else ""
    emission.values[node] = build.define(
        emission.name(node),
        f"linalg.{node.operation} {maps}{_UNSIGNED if widens else ''}ins({left}, {right} : "
        f"{tensor(a.type)}, {tensor(b.type)}) outs({zero} : {tensor(node.type)})"
        f" -> {tensor(node.type)}",
    )


def _product_maps(maps: Maps, node: Node, flips: Sequence[bool]) -> str:
    batch = tuple(range(node.type.rank - 2))
    row, column, inner = (len(batch) + place for place in range(3))
    sides = [(row, inner), (inner, column)]
    read = [side[::-1] if flip else side for side, flip in zip(sides, flips, strict=True)]
    accesses = [(*batch, *side) for side in (*read, (row, column))]
    return ", ".join(maps.alias(len(batch) + 3, access) for access in accesses)


Emitter = Callable[[Emission, Node], None]

EMITTERS: Final[Mapping[str, Emitter]] = {
    "input": _input,
    "constant": _later,
    "size": _size,
    "iota": _later,
    **dict.fromkeys((*SCALARS, "cast"), _elementwise),
    "reduce_sum": reductions.reduce,
    "reduce_prod": reductions.reduce,
    "reduce_max": reductions.reduce,
    "reduce_min": reductions.reduce,
    "argmax": reductions.arg_reduce,
    "argmin": reductions.arg_reduce,
    "cumsum": reductions.cumsum,
    "broadcast_in_dim": _later,
    "reshape": shapes.reshape,
    "transpose": shapes.transpose,
    "slice": shapes.slice,
    "concat": shapes.concat,
    "pad": shapes.pad,
    "reverse": shapes.reverse,
    "gather": positions.gather,
    "dynamic_slice": positions.dynamic_slice,
    "dynamic_update": positions.dynamic_update,
    CHECK: positions.check,
    "matmul": _product,
    "batch_matmul": _product,
}


def emit_node(emission: Emission, node: Node) -> None:
    emission.build.lines.span = node.span
    EMITTERS[node.operation](emission, node)


# --- functions and modules


def emit_module(graph: Graph, claims: Sequence[Claim] = (), *, locations: bool = True) -> str:
    """The graph as the text of an MLIR module; each claim as a private function that is called."""
    return emit_modules([(graph, claims)], locations=locations)


def emit_modules(parts: Sequence[tuple[Graph, Sequence[Claim]]], *, locations: bool = True) -> str:
    """Several graphs, each with its claims, as the functions of one module."""
    maps = Maps()
    functions: list[list[str]] = []
    for graph, claims in parts:
        outlined = _Outlined(graph, claims, maps, locations)
        functions.append(_main(graph, claims, outlined, maps, locations))
        functions.extend(outlined.functions.values())
    if any(positions.CHECK in line for lines in functions for line in lines):
        functions.append([positions.DECLARATION])
    blocks = ["\n".join(maps.lines())] if maps.lines() else []
    return "\n\n".join([*blocks, *("\n".join(lines) for lines in functions)]) + "\n"


def names_of_claims(graph: Graph, claims: Sequence[Claim]) -> tuple[str, ...]:
    """The function of each claim in the module of the graph."""
    outlined = _Outlined(graph, claims, Maps(), locations=False)
    return tuple(outlined.of[claim.root] for claim in claims)


class _Outlined:
    """The functions of the claims; those that compute the same are one."""

    def __init__(self, graph: Graph, claims: Sequence[Claim], maps: Maps, locations: bool) -> None:
        self.functions: dict[str, list[str]] = {}
        self.of: dict[Node, str] = {}
        same: dict[str, str] = {}
        counts: dict[str, int] = {}
        for claim in claims:
            key = "\n".join(_claim(graph, claim, "same", maps, locations=False))
            if key not in same:
                number = counts.get(claim.kind, 0)
                counts[claim.kind] = number + 1
                name = f"{identifier(graph.name)}.{claim.kind}_{number}"
                same[key] = name
                self.functions[name] = _claim(graph, claim, name, maps, locations=locations)
            self.of[claim.root] = same[key]


def _claim(graph: Graph, claim: Claim, name: str, maps: Maps, *, locations: bool) -> list[str]:
    bare = Graph(graph.name, claim.inputs, (claim.root,))
    emission = Emission(bare, claim.inner, maps, locations=locations)
    emission.absorbed.update(_absorbed(claim))
    emission.checks_positions = False
    arguments = [
        (emission.argument(node, "abcdefghijklmnopqrstuvwxyz"[place % 26]), node.type)
        for place, node in enumerate(claim.inputs)
    ]
    for node in claim.inner:
        if node not in emission.absorbed:
            emit_node(emission, node)
    result = emission.tensor(claim.root)
    emission.build.lines.span = claim.root.span
    shown = "".join(f", tdsl.{key} = {value}" for key, value in sorted(claim.attributes.items()))
    return emission.build.finish(
        name,
        arguments,
        [(result, claim.root.type)],
        private=True,
        attributes=f'{{tdsl.claim = "{claim.kind}"{shown}}}',
    )


def _absorbed(claim: Claim) -> set[Node]:
    """Transposes inside that only products read: they index their operand accordingly."""
    found = set()
    for node in claim.inner:
        users = [user for user in claim.inner if node in user.inputs]
        if (
            node is not claim.root
            and node.operation == "transpose"
            and all(user.operation in PRODUCTS for user in users)
        ):
            rank = node.type.rank
            if tuple(node.attributes["permutation"]) == (*range(rank - 2), rank - 1, rank - 2):
                found.add(node)
    return found


class _Writer:
    """The nodes of a graph and of the bodies in it, with calls in place of claims."""

    def __init__(self, claims: Sequence[Claim], outlined: _Outlined) -> None:
        self._claims = {claim.root: claim for claim in claims}
        self._outlined = outlined

    def _needed(self, graph: Graph) -> set[Node]:
        """What is computed outside of claims, which read no more than their inputs."""
        found: set[Node] = set()
        waiting = list(graph.roots)
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                claim = self._claims.get(node)
                waiting.extend(node.inputs if claim is None else claim.inputs)
        return found

    def nodes(self, emission: Emission, graph: Graph) -> None:
        needed = self._needed(graph)
        for node in graph.nodes():
            if node not in needed:
                continue
            emission.build.lines.span = node.span
            if (claim := self._claims.get(node)) is not None:
                self._call(emission, claim)
            elif node.operation == LOOP:
                loop.loop(emission, node, self.nodes)
            elif node.operation == LOOP_RESULT:
                loop.result(emission, node)
            else:
                emit_node(emission, node)

    def _call(self, emission: Emission, claim: Claim) -> None:
        node = claim.root
        for inner in claim.inner:
            if inner.operation == "gather":
                positions.check_rows(emission, inner)
        values = ", ".join(emission.tensor(operand) for operand in claim.inputs)
        types = ", ".join(tensor(operand.type) for operand in claim.inputs)
        # In a region of another dialect the name must be whole.
        call = "call" if emission.build.lines.indent == 1 else "func.call"
        emission.values[node] = emission.build.define(
            emission.name(node),
            f"{call} @{self._outlined.of[node]}({values}) : ({types}) -> {tensor(node.type)}",
        )


def _main(
    graph: Graph,
    claims: Sequence[Claim],
    outlined: _Outlined,
    maps: Maps,
    locations: bool,
) -> list[str]:
    # Also what reads a value inside a claim is a user of it.
    emission = Emission(graph, list(graph.nodes()), maps, locations=locations)
    arguments = []
    for node in graph.inputs:
        value = emission.argument(node, str(node.attributes["name"]))
        arguments.append((value, node.type))
    _Writer(claims, outlined).nodes(emission, graph)
    results = []
    for node in graph.results:
        emission.build.lines.span = node.span
        results.append((emission.tensor(node), node.type))
    return emission.build.finish(identifier(graph.name), arguments, results)
