"""The emission of what moves elements: reshapes, transposes, slices, joins."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.graph.graph import Node
from tdsl.lowering.build import Body, Operand, to_stored
from tdsl.lowering.reading import ONE, Emission
from tdsl.lowering.spelling import LOOPS, tensor
from tdsl.types.sizes import Size


def reshape(emission: Emission, node: Node) -> None:
    (operand,) = node.inputs
    build = emission.build
    if _drops_unit_axes_of_slice(emission, node):
        emission.values[node] = _extract(emission, operand, node)
        return
    source = emission.tensor(operand)
    sizes = node.type.shape
    shape_type = f"tensor<{len(sizes)}xindex>"
    literals = [size.literal for size in sizes]
    if all(literal is not None for literal in literals):
        # With equal items, MLIR's own spelling is the splat.
        shape = build.emit(
            f"arith.constant dense<{list(literals) if literals else ''}> : {shape_type}", "shape"
        )
    else:
        values = ", ".join(build.index(size) for size in sizes)
        shape = build.emit(f"tensor.from_elements {values} : {shape_type}", "shape")
    emission.values[node] = build.define(
        emission.name(node),
        f"tensor.reshape {source}({shape}) : ({tensor(operand.type)}, {shape_type})"
        f" -> {tensor(node.type)}",
    )


def transpose(emission: Emission, node: Node) -> None:
    (operand,) = node.inputs
    source = emission.tensor(operand)
    empty = emission.build.empty(node.type)
    emission.values[node] = emission.build.define(
        emission.name(node),
        f"linalg.transpose ins({source} : {tensor(operand.type)}) "
        f"outs({empty} : {tensor(node.type)}) "
        f"permutation = {list(node.attributes['permutation'])}",
    )


def slice(emission: Emission, node: Node) -> None:
    users = emission.users.get(node, [])
    if users and all(_drops_unit_axes_of_slice(emission, user) for user in users):
        return  # each of them takes the slice itself, with fewer axes
    emission.values[node] = _extract(emission, node, node)


def _extract(emission: Emission, node: Node, result: Node) -> str:
    """The slice `node` of its operand, in the shape of `result`: some axes of size 1 left out."""
    (operand,) = node.inputs
    source = emission.tensor(operand)
    build = emission.build
    starts = ", ".join(build.extent(start) for start in node.attributes["starts"])
    sizes = ", ".join(build.extent(size) for size in node.type.shape)
    strides = ", ".join("1" for _ in node.type.shape)
    return build.define(
        emission.name(result),
        f"tensor.extract_slice {source}[{starts}] [{sizes}] [{strides}] : "
        f"{tensor(operand.type)} to {tensor(result.type)}",
    )


def _drops_unit_axes_of_slice(emission: Emission, node: Node) -> bool:
    """Whether the node is `reshape` of a slice that is read by nothing else than such reshapes,
    and gives its shape without some axes of size 1."""
    if node.operation != "reshape" or node.inputs[0].operation != "slice":
        return False
    taken = node.inputs[0]
    if taken in emission.graph.results or len(node.type.shape) >= len(taken.type.shape):
        return False
    left = list(node.type.shape)
    for size in taken.type.shape:
        if left and size == left[0]:
            left.pop(0)
        elif size != ONE:
            return False
    return not left


def concat(emission: Emission, node: Node) -> None:
    build, axis = emission.build, node.attributes["axis"]
    parts = [_without_new_axes(operand) for operand in node.inputs]
    sources = [emission.tensor(part) for part in parts]
    joined = build.empty(node.type)
    start = Size.of(0)
    for place, (operand, part, source) in enumerate(zip(node.inputs, parts, sources, strict=True)):
        starts = [start if a == axis else Size.of(0) for a in range(node.type.rank)]
        last = place == len(parts) - 1
        joined = _insert(
            emission,
            emission.name(node) if last else "part",
            source,
            part,
            operand,
            joined,
            node,
            starts,
        )
        start = start + operand.type.shape[axis]
    emission.values[node] = joined


def _without_new_axes(node: Node) -> Node:
    """The operand of a broadcast that only adds axes of size 1: it is inserted as it is."""
    if node.operation != "broadcast_in_dim":
        return node
    added = set(range(node.type.rank)) - set(node.attributes["axes"])
    same = all(
        size == node.type.shape[axis]
        for size, axis in zip(node.inputs[0].type.shape, node.attributes["axes"], strict=True)
    )
    if not same or any(node.type.shape[axis] != ONE for axis in added):
        return node
    return node.inputs[0]


def _insert(
    emission: Emission,
    hint: str,
    source: str,
    part: Node,
    box: Node,
    target: str,
    whole: Node,
    starts: Sequence[Size],
) -> str:
    build = emission.build
    places = ", ".join(build.extent(start) for start in starts)
    sizes = ", ".join(build.extent(size) for size in box.type.shape)
    strides = ", ".join("1" for _ in starts)
    return build.define(
        hint,
        f"tensor.insert_slice {source} into {target}[{places}] [{sizes}] [{strides}] : "
        f"{tensor(part.type)} into {tensor(whole.type)}",
    )


def pad(emission: Emission, node: Node) -> None:
    operand, value = node.inputs
    source = emission.tensor(operand)
    build = emission.build
    if value.operation == "constant":
        element = build.constant(value.attributes["value"], node.type.dtype)
    elif value in emission.scalars:
        element = to_stored(build, emission.scalars[value], node.type.dtype)
    else:
        element = build.emit(
            f"tensor.extract {emission.tensor(value)}[] : {tensor(value.type)}", "padding"
        )
    around = build.filled(element, node.type)
    emission.values[node] = _insert(
        emission,
        emission.name(node),
        source,
        operand,
        operand,
        around,
        node,
        node.attributes["low"],
    )


def reverse(emission: Emission, node: Node) -> None:
    (operand,) = node.inputs
    build, axes, rank = emission.build, node.attributes["axes"], node.type.rank
    source = emission.tensor(operand)
    result = Operand(build.empty(node.type), node.type, tuple(range(rank)))
    literals = [size.literal for size in node.type.shape]
    name = emission.name(node)
    if all(literals[axis] is not None for axis in axes):
        access = [
            f"{(literals[loop] or 0) - 1} - {LOOPS[loop]}" if loop in axes else loop
            for loop in range(rank)
        ]
        emission.values[node] = build.generic(
            name,
            [Operand(source, operand.type, tuple(access))],
            [result],
            rank,
            (),
            lambda body, inside, _: [to_stored(body, inside[0], node.type.dtype)],
        )
        return
    # A map cannot hold an open size: the elements are read by computed indices.
    last = {axis: build.index(node.type.shape[axis] - 1) for axis in axes}

    def read(body: Body, _inside: list[str], _outside: list[str]) -> list[str]:
        indices = []
        for loop in range(rank):
            index = body.emit(f"linalg.index {loop} : index")
            if loop in last:
                index = body.emit(f"arith.subi {last[loop]}, {index} : index")
            indices.append(index)
        return [
            body.emit(f"tensor.extract {source}[{', '.join(indices)}] : {tensor(operand.type)}")
        ]

    emission.values[node] = build.generic(name, [], [result], rank, (), read)
