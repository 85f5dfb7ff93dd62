"""`m.GPT2.bind(source)`: find the array of each field, check all of them, then read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from tdsl.runtime.arrays import PLAIN, Array
from tdsl.runtime.bound import Bound, bound, struct_layout
from tdsl.runtime.layout import ArrayNode, ListNode, Node, StructNode, TupleNode
from tdsl.runtime.lists import StackedList
from tdsl.runtime.structs import Home, Struct, StructClasses
from tdsl.runtime.weights.matching import Part, Request, match
from tdsl.runtime.weights.objects import ObjectSource
from tdsl.runtime.weights.progress import Progress, shown
from tdsl.runtime.weights.renaming import Layout, Names, names_of
from tdsl.runtime.weights.stored import Source, Stored
from tdsl.runtime.weights.tensor_file import TensorFile
from tdsl.types.dtypes import DTYPES, DType, of_numpy

_ALIGNMENT = 64  # of arrays that are made here: full speed of the kernels


def bind(
    home: Home,
    source: Any,
    rename: Names | Mapping[str, str | tuple[str, ...]] | None,
    layout: str | None,
    cast: Any,
    as_is: Sequence[str],
    ignore: Sequence[str],
    progress: bool | Progress | None,
) -> Bound:
    names = names_of(rename)
    if layout is None:
        layout = names.layout
    if layout not in get_args(Layout):
        raise ValueError(f'layout is "conv1d" ([in, out]) or "torch" ([out, in]), not {layout!r}')
    for what, patterns in (("as_is", as_is), ("ignore", ignore)):
        if isinstance(patterns, str):
            raise TypeError(f"{what} takes several names: write {what}=({patterns!r},)")
    given: Source = source if isinstance(source, TensorFile) else ObjectSource(source)
    request = Request(
        names,
        "torch" if layout == "torch" else "conv1d",
        _cast(cast),
        tuple(as_is),
        tuple(ignore),
    )
    arrays = struct_layout(home.program, home.definition)
    found = match(arrays, given, request)
    if not found.fits:
        from tdsl.runtime.weights.misfit import refusal

        raise refusal(arrays, given, request, found)
    instance = _instance(home, arrays.parameters[0], found.parts, found.dtypes, given, progress)
    return bound(instance, arrays, home.classes)


def _cast(cast: Any) -> DType | bool:
    if isinstance(cast, bool):
        return cast
    if cast is None:
        return False
    if isinstance(cast, str) and cast in DTYPES:
        return DTYPES[cast]
    found: DType | None = None
    try:
        found = of_numpy(np.dtype(cast))
    except TypeError:
        # Dtypes of torch: `torch.bfloat16`.
        name = str(cast).rpartition(".")[2]
        short = {"float": "f", "bfloat": "bf"}
        for long, prefix in short.items():
            if name.startswith(long):
                found = DTYPES.get(prefix + name.removeprefix(long))
    if found is None:
        raise TypeError(f'cast is True, False or a dtype such as "bf16", not {cast!r}')
    return found


def _instance(
    home: Home,
    root: Node,
    parts: Iterable[Part],
    dtypes: Mapping[int, np.dtype[Any]],
    source: Source,
    progress: bool | Progress | None,
) -> Struct:
    """The struct with its arrays, read one after the other."""
    by_leaf: dict[int, list[Part]] = {}
    for part in parts:
        by_leaf.setdefault(part.node.leaf, []).append(part)
    total = sum(part.stored.nbytes for part in parts)
    arrays: dict[int, Array] = {}
    made: dict[tuple[Any, ...], Array] = {}
    done = 0
    with shown(progress, total, source.title) as report:
        for leaf, group in by_leaf.items():
            dtype = dtypes[leaf]
            # A tied head: what is read for one field serves the other.
            key = (dtype, *((p.stored.name, p.place, p.turned, p.heads) for p in group))
            if key not in made:
                made[key] = _read(group, dtype, report, done, total)
            done += sum(part.stored.nbytes for part in group)
            report(done, total)
            arrays[leaf] = made[key]
    value = _nested(home.classes, root, arrays, 0)
    assert isinstance(value, Struct)
    return value


def _read(
    group: Sequence[Part], dtype: np.dtype[Any], report: Progress, done: int, total: int
) -> Array:
    """The array of one field: as it lies in the source if it can be used so, else made here."""
    if len(group) == 1 and not group[0].place:
        (part,) = group
        stored = part.stored
        if stored.is_view and stored.dtype == dtype and not part.turned and part.heads is None:
            array = stored.array()
            if array.flags.num & PLAIN == PLAIN and array.dtype.isnative:
                return array
    lengths = tuple(1 + max(places) for places in zip(*(part.place for part in group), strict=True))
    target = aligned((*lengths, *group[0].shape), dtype)
    for part in group:
        place = target
        for number in part.place:
            place = place[number : number + 1].reshape(place.shape[1:])
        # In the order of the source: turned around, the target is written in columns.
        place = place.swapaxes(-1, -2) if part.turned else place
        rows = _order(part.stored, part.heads)
        with np.errstate(over="ignore", invalid="ignore"):  # what a cast was asked for does
            for begin, end, piece in part.stored.pieces():
                if not part.stored.shape:
                    place[...] = piece
                elif rows is None:
                    np.copyto(place[begin:end], piece, casting="unsafe")
                else:
                    place[rows[begin:end]] = piece
                report(done + part.stored.nbytes * end // part.stored.count, total)
        done += part.stored.nbytes
    return target


def _order(stored: Stored, heads: int | None) -> Array | None:
    """Where each row goes: pairs of neighbours become the two halves of a head."""
    if heads is None:
        return None
    depth = stored.shape[0] // heads
    halves = np.arange(stored.shape[0]).reshape(heads, 2, depth // 2)
    return halves.swapaxes(1, 2).reshape(-1)


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array whose memory begins at a multiple of 64 bytes."""
    count = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    memory = np.empty(count + _ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT
    return memory[begin : begin + count].view(dtype).reshape(shape)


def _nested(classes: StructClasses, node: Node, arrays: Mapping[int, Array], depth: int) -> Any:
    match node:
        case ArrayNode(leaf):
            return arrays[leaf]
        case TupleNode(items):
            return tuple(_nested(classes, item, arrays, depth) for item in items)
        case ListNode(item):
            return StackedList(_nested(classes, item, arrays, depth + 1), depth)
        case StructNode(fields, type_):
            return classes.of(type_)(*(_nested(classes, f, arrays, depth) for _, f in fields))
