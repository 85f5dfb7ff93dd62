"""Writing the result of attention where it belongs: past transposes and groupings of heads."""

from __future__ import annotations

from tdsl.cpu.attention_frame import Frame
from tdsl.lowering.claims.body import Reshape, Tensor, Transpose, Unreadable
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Place, Places, regrouped, store


def put(frame: Frame, head: str, query: str, start: int, value: Value, mask: str | None) -> None:
    """Columns of the product, from `start` on, where the result has them."""
    code, mixed = frame.code, frame.attention.mixed
    column = Place(code.index(start), frame.lanes)
    places: Places = (*frame.heads_of(head, mixed.rank), Place(query), column)
    steps: list[Tensor] = []
    at = frame.attention.body.result
    while at is not mixed:
        steps.append(at)
        at = at.inputs[0][0]
    for one in reversed(steps):
        if isinstance(one, Transpose):
            places = tuple(places[source] for source in one.permutation)
        elif isinstance(one, Reshape):
            source = one.inputs[0][0]
            shapes = list(source.type.shape), list(one.type.shape)
            places = regrouped(code, *shapes, places)
    if not places[-1].lanes:
        raise Unreadable("columns of the product are not columns of the result")
    indices = [place.base or code.index(0) for place in places]
    store(code, frame.result, indices, value, mask)


def put_row(frame: Frame, head: str, query: str, row: str, factor: Value) -> None:
    """One row of mixed values, times a factor."""
    code = frame.code
    for start in range(0, frame.width, frame.lanes):
        x = code.apply("arith.mulf", frame.load(frame.mix, row, code.index(start)), factor)
        put(frame, head, query, start, x, frame.column_mask(frame.width - start))
