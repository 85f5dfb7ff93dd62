"""The emission of reductions and running sums."""

from __future__ import annotations

from collections.abc import Callable

from tdsl.graph.graph import ArrayType, Node
from tdsl.lowering.build import Body, Operand, index_to, to_stored
from tdsl.lowering.reading import ONE, Emission, Reader
from tdsl.lowering.scalars import SCALARS
from tdsl.lowering.spelling import tensor
from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.sizes import Size

I64, BOOL = DTYPES["i64"], DTYPES["bool"]


def reduce(emission: Emission, node: Node) -> None:
    (operand,) = node.inputs
    dtype, axes = node.type.dtype, node.attributes["axes"]
    reader = Reader(emission)
    rank = operand.type.rank
    element = reader.read(operand, tuple(range(rank)), free=False)
    kept = tuple(loop for loop in range(rank) if loop not in axes)
    start = emission.build.constant(_neutral(node.operation, dtype), dtype)
    initial = Operand(emission.build.filled(start, node.type, "initial"), node.type, kept)
    combine = _combine(node.operation, dtype)

    def body(block: Body, inside: list[str], outside: list[str]) -> list[str]:
        return [combine(block, element(block, inside), outside[0])]

    # Each reduced loop goes as far as a tensor that is read along it: a broadcast axis has none,
    # unless the broadcast is a tensor of its own.
    if not reader.covers(axes):
        reader = Reader(emission)
        element = reader.argument(operand, tuple(range(rank)))
    emission.values[node] = emission.build.generic(
        emission.name(node), reader.operands, [initial], rank, axes, body
    )


def _combine(operation: str, dtype: DType) -> Callable[[Body, str, str], str]:
    name = {
        "reduce_sum": "add",
        "reduce_prod": "mul",
        "reduce_max": "maximum",
        "reduce_min": "minimum",
    }[operation]
    if dtype == BOOL:
        # The accumulator is a byte; the smallest and largest of truths are `and` and `or`.
        logic = "andi" if name == "minimum" else "ori"
        return lambda block, x, total: block.emit(
            f"arith.{logic} {to_stored(block, x, BOOL)}, {total} : i8"
        )
    return lambda block, x, total: SCALARS[name](block, dtype, x, total)


def _neutral(operation: str, dtype: DType) -> float:
    if operation in ("reduce_sum", "reduce_prod"):
        return 0 if operation == "reduce_sum" else 1
    return _lowest(dtype) if operation == "reduce_max" else _highest(dtype)


def _lowest(dtype: DType) -> float:
    if dtype.is_float:
        return float("-inf")
    return -(1 << (dtype.bits - 1)) if dtype.kind == "int" else 0


def _highest(dtype: DType) -> float:
    if dtype.is_float:
        return float("inf")
    return (1 << (dtype.bits - (dtype.kind == "int"))) - 1


def arg_reduce(emission: Emission, node: Node) -> None:
    """The extreme, which is NaN where there is one, and then the first place that holds it: two
    passes, each of which vectorises, which a pair of extreme and place would not."""
    (operand,) = node.inputs
    axis, dtype, rank = node.attributes["axis"], operand.type.dtype, operand.type.rank
    largest = node.operation == "argmax"
    kept = tuple(loop for loop in range(rank) if loop != axis)
    build = emission.build
    source = emission.operand(operand)
    start = build.constant(_lowest(dtype) if largest else _highest(dtype), dtype)
    extreme_type = ArrayType(dtype, node.type.shape)
    initial = Operand(build.filled(start, extreme_type, "initial"), extreme_type, kept)
    combine = _combine("reduce_max" if largest else "reduce_min", dtype)

    def extreme(block: Body, inside: list[str], outside: list[str]) -> list[str]:
        return [combine(block, inside[0], outside[0])]

    found = build.generic("extremes", [source], [initial], rank, (axis,), extreme)
    extremes = Operand(found, extreme_type, kept)
    beyond = build.constant(_highest(I64), I64)
    places = Operand(build.filled(beyond, node.type, "places"), node.type, kept)

    def place(block: Body, inside: list[str], outside: list[str]) -> list[str]:
        element, sought = inside
        holds = SCALARS["equal"](block, dtype, element, sought)
        if dtype.is_float:
            nan = SCALARS["isnan"](block, dtype, element)
            holds = block.emit(f"arith.ori {holds}, {nan} : i1")
        here = index_to(block, block.emit(f"linalg.index {axis} : index"), I64)
        where = block.emit(f"arith.select {holds}, {here}, {beyond} : i64")
        return [SCALARS["minimum"](block, I64, where, outside[0])]

    emission.values[node] = build.generic(
        emission.name(node), [source, extremes], [places], rank, (axis,), place
    )


def cumsum(emission: Emission, node: Node) -> None:
    """A loop along the axis; the row of running sums is carried, and put in its place."""
    (operand,) = node.inputs
    build, axis, dtype = emission.build, node.attributes["axis"], node.type.dtype
    source = emission.tensor(operand)
    shape = node.type.shape
    row = ArrayType(dtype, (*shape[:axis], *shape[axis + 1 :]))
    whole, part = tensor(node.type), tensor(row)
    first, last, step = build.index(Size.of(0)), build.index(shape[axis]), build.index(ONE)
    extents = [build.extent(size) for size in shape]
    for size in row.shape:
        build.extent(size)
    start = build.filled(build.constant(0, dtype), row, "sums")
    empty = build.empty(node.type)
    place, sums, result = (build.names.unique(h) for h in ("place", "running", "result"))
    name = build.names.unique(emission.name(node))
    box = (
        f"[{', '.join(place if a == axis else '0' for a in range(len(shape)))}] "
        f"[{', '.join('1' if a == axis else n for a, n in enumerate(extents))}] "
        f"[{', '.join('1' for _ in shape)}]"
    )
    build.raw(
        f"{name}:2 = scf.for {place} = {first} to {last} step {step} "
        f"iter_args({sums} = {start}, {result} = {empty}) -> ({part}, {whole}) {{"
    )
    taken = build.define("row", f"tensor.extract_slice {source}{box} : {whole} to {part}")
    loops = tuple(range(row.rank))
    added = build.generic(
        "sum",
        [Operand(taken, row, loops)],
        [Operand(sums, row, loops)],
        row.rank,
        (),
        lambda block, inside, outside: [SCALARS["add"](block, dtype, outside[0], inside[0])],
        updates=True,
    )
    put = build.define(
        "put", f"tensor.insert_slice {added} into {result}{box} : {part} into {whole}"
    )
    build.lines.add(f"scf.yield {added}, {put} : {part}, {whole}")
    build.raw("}")
    emission.values[node] = f"{name}#1"
