"""The emission of loops: one `scf.for` that carries the states and the stacked results."""

from __future__ import annotations

from collections.abc import Callable

from tdsl.graph.graph import ArrayType, Graph, LoopBody, Node
from tdsl.lowering.reading import Emission
from tdsl.lowering.spelling import tensor
from tdsl.types.sizes import Size

EmitNodes = Callable[[Emission, Graph], None]


def loop(emission: Emission, node: Node, emit_nodes: EmitNodes) -> None:
    """A step reads its items where they lie in the stacked arrays, and puts what it adds to the
    stacked results where it belongs."""
    build, attributes = emission.build, node.attributes
    body: LoopBody = attributes["body"]
    states, scanned = attributes["states"], attributes["scanned"]
    start, trip = attributes["start"], attributes["trip"]
    initial = node.inputs[:states]
    stacked = node.inputs[states : states + scanned]
    step = body.graph(emission.graph.name)
    inside = emission.inside(step)
    carried = [emission.tensor(state) for state in initial]
    sources = [emission.tensor(array) for array in stacked]
    for outer, inner in zip(node.inputs[states + scanned :], body.captured, strict=True):
        inside.share(emission, outer, inner)
    types = [state.type for state in initial]
    for added in body.results[states:]:
        type_ = ArrayType(added.type.dtype, (trip, *added.type.shape))
        carried.append(build.empty(type_))
        types.append(type_)
    first, last = build.index(start), build.index(start + trip)
    one = build.index(Size.of(1))
    counter = build.names.unique(body.index.name)
    hints = [str(state.attributes["name"]) for state in body.states]
    hints += [f"{inside.name(added)}s" for added in body.results[states:]]
    arguments = [build.names.unique(hint) for hint in hints]
    name = build.names.unique(emission.name(node))
    shown = ", ".join(tensor(type_) for type_ in types)
    carries = ", ".join(f"{a} = {b}" for a, b in zip(arguments, carried, strict=True))
    left = f"{name}:{len(types)}" if len(types) > 1 else name
    build.raw(
        f"{left} = scf.for {counter} = {first} to {last} step {one} iter_args({carries}) -> "
        f"({shown}) {{"
    )
    scope = build.enter()
    build.know(Size.of(body.index), counter)
    inside.values.update(zip(body.states, arguments[:states], strict=True))
    for item, array, source in zip(body.items, stacked, sources, strict=True):
        inside.values[item] = build.define(
            str(item.attributes["name"]),
            f"tensor.extract_slice {source}{_row(inside, array.type, counter)} : "
            f"{tensor(array.type)} to {tensor(item.type)}",
        )
    emit_nodes(inside, step)
    build.lines.span = node.span
    given = [inside.tensor(result) for result in body.results]
    for place in range(states, len(types)):
        at = build.index(Size.of(body.index) - start)
        added = body.results[place]
        given[place] = build.define(
            "put",
            f"tensor.insert_slice {given[place]} into {arguments[place]}"
            f"{_row(inside, types[place], at)} : {tensor(added.type)} into {tensor(types[place])}",
        )
    build.lines.add(f"scf.yield {', '.join(given)} : {shown}")
    build.raw("}")
    build.leave(scope)
    emission.loops[node] = [f"{name}#{i}" for i in range(len(types))] if len(types) > 1 else [name]


def _row(emission: Emission, type_: ArrayType, at: str) -> str:
    """The box of one item along the first axis."""
    rest = [emission.build.extent(size) for size in type_.shape[1:]]
    starts = ", ".join([at, *("0" for _ in rest)])
    return f"[{starts}] [{', '.join(['1', *rest])}] [{', '.join('1' for _ in type_.shape)}]"


def result(emission: Emission, node: Node) -> None:
    emission.values[node] = emission.loops[node.inputs[0]][node.attributes["index"]]
