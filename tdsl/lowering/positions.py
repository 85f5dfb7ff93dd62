"""The emission of what takes positions at run time: gathers, slices and updates."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.graph.graph import ArrayType, Node
from tdsl.graph.positions import Position, positions_of
from tdsl.lowering.reading import ONE, Emission
from tdsl.lowering.scalars import cast, constant
from tdsl.lowering.spelling import tensor
from tdsl.ops.bounds import BUILTIN_OF
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size

CHECK = "tdsl.check_position"
"""Called with a position, the last one allowed and the size of the axis. The pass `bounds` puts
code in place of the calls; none is left in the end."""
DECLARATION = f"func.func private @{CHECK}(i64, i64, i64)"

I64 = DTYPES["i64"]


def gather(emission: Emission, node: Node) -> None:
    """Row after row: a row is copied as a whole, and its position checked once."""
    x, ids = node.inputs
    build, axis = emission.build, node.attributes["axis"]
    source, positions = emission.tensor(x), emission.tensor(ids)
    empty = build.empty(node.type)
    counters: list[str] = []
    result = empty
    whole = tensor(node.type)
    names: list[str] = []
    scopes = []
    for size in ids.type.shape:
        first, last, step = (build.index(Size.of(s)) for s in (0, size, 1))
        counter, carried = build.names.unique("place"), build.names.unique("rows")
        name = build.names.unique(emission.name(node))
        build.raw(
            f"{name} = scf.for {counter} = {first} to {last} step {step} "
            f"iter_args({carried} = {result}) -> ({whole}) {{"
        )
        scopes.append(build.enter())
        counters.append(counter)
        names.append(name)
        result = carried
    element = build.emit(
        f"tensor.extract {positions}[{', '.join(counters)}] : {tensor(ids.type)}", "position"
    )
    wide = cast(build, element, ids.type.dtype, I64)
    at = _checked(emission, node, wide, x.type.shape[axis], None, axis)
    row = _row_type(node, axis)
    extents = [build.extent(size) for size in x.type.shape]
    taken = _box(
        [at if place == axis else "0" for place in range(x.type.rank)],
        ["1" if place == axis else extent for place, extent in enumerate(extents)],
    )
    part = build.define("row", f"tensor.extract_slice {source}{taken} : {tensor(x.type)} to {row}")
    put = _box(
        ["0"] * axis + counters + ["0"] * (x.type.rank - axis - 1),
        extents[:axis] + ["1"] * len(counters) + extents[axis + 1 :],
    )
    result = build.define(
        "put", f"tensor.insert_slice {part} into {result}{put} : {row} into {whole}"
    )
    for name, scope in zip(reversed(names), reversed(scopes), strict=True):
        build.lines.add(f"scf.yield {result} : {whole}")
        build.raw("}")
        build.leave(scope)
        result = name
    emission.values[node] = result


def _row_type(node: Node, axis: int) -> str:
    whole = node.inputs[0].type
    return tensor(ArrayType(whole.dtype, (*whole.shape[:axis], *whole.shape[axis + 1 :])))


def _box(starts: Sequence[str], sizes: Sequence[str]) -> str:
    return f"[{', '.join(starts)}] [{', '.join(sizes)}] [{', '.join('1' for _ in starts)}]"


def dynamic_slice(emission: Emission, node: Node) -> None:
    x = node.inputs[0]
    build = emission.build
    source = emission.tensor(x)
    places = _starts(emission, node)
    box = _box(places, [build.extent(size) for size in node.type.shape])
    emission.values[node] = build.define(
        emission.name(node),
        f"tensor.extract_slice {source}{box} : {tensor(x.type)} to {tensor(node.type)}",
    )


def dynamic_update(emission: Emission, node: Node) -> None:
    x, part = node.inputs[:2]
    build = emission.build
    target, source = emission.tensor(x), emission.tensor(part)
    places = _starts(emission, node)
    box = _box(places, [build.extent(size) for size in part.type.shape])
    emission.values[node] = build.define(
        emission.name(node),
        f"tensor.insert_slice {source} into {target}{box} : "
        f"{tensor(part.type)} into {tensor(x.type)}",
    )


def check(emission: Emission, node: Node) -> None:
    """All that is left of an operation whose value is not needed."""
    attributes = node.attributes
    places = map(Position, node.inputs, *(attributes[key] for key in ("axes", "sizes", "taken")))
    for place in places:
        if place.in_range:
            continue
        if place.taken is not None:
            _start(emission, node, place)
            continue
        _check_each(emission, node, place)


def check_rows(emission: Emission, node: Node) -> None:
    """The positions of a gather that is computed where no violation can be recorded."""
    (place,) = positions_of(node)
    _check_each(emission, node, place)


def _check_each(emission: Emission, node: Node, place: Position) -> None:
    build = emission.build
    scopes = []
    counters: list[str] = []
    positions = emission.tensor(place.node)
    for size in place.node.type.shape:
        first, last, step = (build.index(Size.of(s)) for s in (0, size, 1))
        counters.append(build.names.unique("place"))
        build.raw(f"scf.for {counters[-1]} = {first} to {last} step {step} {{")
        scopes.append(build.enter())
    type_ = place.node.type
    element = build.emit(
        f"tensor.extract {positions}[{', '.join(counters)}] : {tensor(type_)}", "position"
    )
    wide = cast(build, element, type_.dtype, I64)
    _checked(emission, node, wide, place.size, None, place.axis)
    for scope in reversed(scopes):
        build.raw("}")
        build.leave(scope)


def _starts(emission: Emission, node: Node) -> list[str]:
    return [
        str(place.node.attributes["value"]) if place.in_range else _start(emission, node, place)
        for place in positions_of(node)
    ]


def _start(emission: Emission, node: Node, place: Position) -> str:
    element = _scalar(emission, place.node)
    wide = cast(emission.build, element, place.node.type.dtype, I64)
    return _checked(emission, node, wide, place.size, place.taken, place.axis)


def _scalar(emission: Emission, node: Node) -> str:
    build = emission.build
    if node.operation == "constant":
        return constant(build, node.attributes["value"], node.type.dtype)
    if node in emission.scalars:
        return emission.scalars[node]
    return build.emit(f"tensor.extract {emission.tensor(node)}[] : {tensor(node.type)}", "start")


def _checked(
    emission: Emission, node: Node, value: str, size: Size, taken: Size | None, axis: int
) -> str:
    """The position as an index that lies inside whatever it was; a wrong one is recorded."""
    build = emission.build
    whole = _number(emission, size)
    last = _number(emission, size - (ONE if taken is None else taken))
    builtin = BUILTIN_OF[node.attributes.get("checked", node.operation)]
    kind = "index" if taken is None else "start"
    site = f'tdsl.site = "{builtin}", tdsl.kind = "{kind}", tdsl.axis = {axis} : i64'
    if node.span is not None:
        name = node.span.source.name.replace("\\", "\\\\").replace('"', '\\"')
        site += f', tdsl.at = "{name}:{node.span.line}:{node.span.column}"'
    if emission.checks_positions:
        build.lines.add(
            f"func.call @{CHECK}({value}, {last}, {whole}) {{{site}}} : (i64, i64, i64) -> ()"
        )
    zero = build.emit("arith.constant 0 : i64", "c0_i64")
    low = build.emit(f"arith.maxsi {value}, {zero} : i64", "inside")
    inside = build.emit(f"arith.minsi {low}, {last} : i64", "inside")
    return build.emit(f"arith.index_cast {inside} : i64 to index", "at")


def _number(emission: Emission, size: Size) -> str:
    build = emission.build
    if size.literal is not None:
        return build.emit(f"arith.constant {size.literal} : i64", f"c{size.literal}_i64")
    return build.emit(f"arith.index_cast {build.index(size)} : index to i64", "extent")
