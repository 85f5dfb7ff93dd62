"""Which values a function has as tensors or scalars, and how generics read their operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tdsl.graph.builder import FREE_OPERATIONS
from tdsl.graph.graph import Graph, Node
from tdsl.lowering.build import (
    Access,
    Body,
    FunctionBuilder,
    Maps,
    Operand,
    hint_of,
    index_to,
    to_stored,
)
from tdsl.lowering.scalars import SCALARS, cast, constant
from tdsl.lowering.spelling import tensor
from tdsl.types.sizes import Size

ONE = Size.of(1)


class Emission:
    """One function of the module: which nodes have which values."""

    def __init__(
        self,
        graph: Graph,
        nodes: Sequence[Node],
        maps: Maps,
        *,
        locations: bool,
        build: FunctionBuilder | None = None,
    ) -> None:
        self.graph = graph
        self.maps = maps
        self.build = build or FunctionBuilder(maps, locations)
        self.values: dict[Node, str] = {}  # as tensors
        self.arguments: set[Node] = set()  # what comes from outside, whatever it is there
        self.scalars: dict[Node, str] = {}  # rank 0 from constants and sizes: no tensor
        self.users = _users(nodes)
        self.absorbed: set[Node] = set()  # done by their reader, and no values of their own
        self.loops: dict[Node, list[str]] = {}  # the results of each
        self.checks_positions = True  # else whoever calls this function does
        self._free: dict[Node, int] = {}

    def inside(self, graph: Graph) -> Emission:
        """For the body of a loop, written into the same function."""
        return Emission(graph, list(graph.nodes()), self.maps, locations=False, build=self.build)

    def share(self, around: Emission, outer: Node, inner: Node) -> None:
        """Let `inner` be the value that `outer` is around the loop."""
        if outer in around.scalars:
            self.scalars[inner] = around.scalars[outer]
        else:
            self.values[inner] = around.tensor(outer)

    def name(self, node: Node) -> str:
        return self.graph.names.get(node) or hint_of(node)

    def argument(self, node: Node, name: str) -> str:
        value = self.values[node] = self.build.names.unique(name)
        self.arguments.add(node)
        self.build.size_source(value, node.type)
        return value

    def tensor(self, node: Node) -> str:
        """The node's value as a tensor; emitted now where it was put off until needed."""
        if node not in self.values:
            if node in self.scalars:
                element = to_stored(self.build, self.scalars[node], node.type.dtype)
                self.values[node] = self.build.define(
                    f"{self.name(node)}_tensor",
                    f"tensor.from_elements {element} : {tensor(node.type)}",
                )
            else:
                materialise(self, node)
        return self.values[node]

    def operand(self, node: Node, access: Sequence[Access] | None = None) -> Operand:
        """The node, read by a generic; without `access` by loops of its own rank."""
        return Operand(
            self.tensor(node), node.type, tuple(range(node.type.rank) if access is None else access)
        )

    # --- what needs no memory

    def weight(self, node: Node) -> int | None:
        """Of an expression of indices and constants, how many operations; None for others."""
        if node.operation == "broadcast_in_dim":
            return self.weight(node.inputs[0])
        if node in self.scalars or node.operation in ("constant", "iota"):
            return 0
        return self._free.get(node)

    def weigh(self, node: Node) -> int | None:
        """Decide, operands before users, whether a node is such an expression."""
        weights = [self.weight(operand) for operand in node.inputs]
        if any(weight is None for weight in weights):
            return None
        total = 1 + sum(weight or 0 for weight in weights)
        if total > FREE_OPERATIONS:
            return None
        self._free[node] = total
        return total


class Reader:
    """The element expressions of one generic: which tensors it reads, and where they are used."""

    def __init__(self, emission: Emission) -> None:
        self.emission = emission
        self.operands: list[Operand] = []
        self._places: dict[tuple[Node, tuple[Access, ...]], int] = {}

    def read(self, node: Node, access: tuple[Access, ...], *, free: bool) -> Element:
        """The element of a node at the loops' indices, as something to be put in the body. `free`
        lets expressions of indices be computed there, too."""
        while node.operation == "broadcast_in_dim" and node not in self.emission.arguments:
            source = node.inputs[0]
            access = tuple(
                None if size == ONE != node.type.shape[axis] else access[axis]
                for size, axis in zip(source.type.shape, node.attributes["axes"], strict=True)
            )
            node = source
        dtype = node.type.dtype
        emission = self.emission
        if node.operation == "constant":
            return lambda body, _: constant(body, node.attributes["value"], dtype)
        if node in emission.scalars:
            return lambda _body, _: emission.scalars[node]
        if node.operation == "iota":
            loop = access[node.attributes["axis"]]
            if loop is None:
                return lambda body, _: constant(body, 0, dtype)
            return lambda body, _: index_to(body, body.emit(f"linalg.index {loop} : index"), dtype)
        if free and emission.weight(node) is not None:
            elements = [self.read(x, self.through(x, node, access), free=True) for x in node.inputs]
            return lambda body, inside: compute(
                body, node, [element(body, inside) for element in elements]
            )
        return self.argument(node, access)

    def covers(self, loops: Iterable[int]) -> bool:
        """Whether something that is read says for each of the loops how far it goes."""
        return {*loops} <= {loop for operand in self.operands for loop in operand.access}

    @staticmethod
    def through(operand: Node, node: Node, access: tuple[Access, ...]) -> tuple[Access, ...]:
        """How an elementwise node's operand is indexed: aligned from the right, 1 stretches."""
        missing = node.type.rank - operand.type.rank
        return tuple(
            None if size == ONE != node.type.shape[missing + axis] else access[missing + axis]
            for axis, size in enumerate(operand.type.shape)
        )

    def argument(self, node: Node, access: tuple[Access, ...]) -> Element:
        key = (node, access)
        if key not in self._places:
            self._places[key] = len(self.operands)
            self.operands.append(self.emission.operand(node, access))
        place = self._places[key]
        return lambda _, inside: inside[place]


Element = Callable[[Body, list[str]], str]


def compute(block: Body | FunctionBuilder, node: Node, elements: Sequence[str]) -> str:
    """An elementwise node on single elements."""
    if node.operation == "cast":
        return cast(block, elements[0], node.inputs[0].type.dtype, node.type.dtype)
    dtype = node.inputs[-1].type.dtype  # the last, for the condition of a select is the first
    return SCALARS[node.operation](block, dtype, *elements)


def _users(nodes: Sequence[Node]) -> dict[Node, list[Node]]:
    found: dict[Node, list[Node]] = {}
    for node in nodes:
        for operand in node.inputs:
            found.setdefault(operand, []).append(node)
    return found


def materialise(emission: Emission, node: Node) -> None:
    """A constant, iota, broadcast, or an expression of them, as a tensor of its own."""
    source = node
    while source.operation == "broadcast_in_dim":
        source = source.inputs[0]
    build = emission.build
    if source.operation == "constant":
        value = build.constant(source.attributes["value"], node.type.dtype)
        if node.type.rank == 0:
            emission.values[node] = build.define(
                emission.name(node), f"tensor.from_elements {value} : {tensor(node.type)}"
            )
        else:
            emission.values[node] = build.filled(value, node.type, emission.name(node))
        return
    if source in emission.scalars:
        element = to_stored(build, emission.scalars[source], node.type.dtype)
        emission.values[node] = build.filled(element, node.type, emission.name(node))
        return
    emit_map(emission, node)


def emit_map(emission: Emission, node: Node) -> None:
    """One generic that computes a node element by element."""
    reader = Reader(emission)
    loops = tuple(range(node.type.rank))
    free = emission.weight(node) is not None
    if node.operation in ("broadcast_in_dim", "iota"):
        whole = reader.read(node, loops, free=free)

        def element(body: Body, inside: list[str]) -> str:
            return whole(body, inside)
    else:
        parts = [
            reader.read(operand, reader.through(operand, node, loops), free=free)
            for operand in node.inputs
        ]

        def element(body: Body, inside: list[str]) -> str:
            return compute(body, node, [part(body, inside) for part in parts])

    result = Operand(emission.build.empty(node.type), node.type, loops)
    emission.values[node] = emission.build.generic(
        emission.name(node),
        reader.operands,
        [result],
        node.type.rank,
        (),
        lambda body, inside, _: [to_stored(body, element(body, inside), node.type.dtype)],
    )
