"""What a causal mask saves: keys that no query of a block sees, where leaving them out is exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from tdsl.cpu.attention_frame import Frame
from tdsl.cpu.running import combine
from tdsl.lowering.claims.body import Tensor
from tdsl.lowering.claims.causal import Causal
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Evaluator, Place

_NEVER = 1 << 40
"""An offset with which every query sees every key."""


class Seen(msgspec.Struct, frozen=True):
    """Which keys a block of queries looks at."""

    end: str
    """No query sees a key from here on."""
    open_end: str
    """Every query sees the keys before this one."""
    offset: str | None
    """Query i sees keys up to i + offset; None where nothing is left out."""


def largest(frame: Frame, head: str, carried: list[Value]) -> list[Value]:
    """The head that was looked at last, and the largest magnitudes in its keys and values: NaN
    if there is one. Only where they are finite can what a mask hides be left out, because 0
    times infinity is not 0."""
    if not carried:
        return carried
    code = frame.code

    def look() -> Sequence[Value]:
        hidden = frame.attention.causal
        assert hidden is not None
        keys = frame.attention.product.inputs[1][0]
        values = frame.attention.mixed.inputs[1][0]
        zero = code.constant(0.0, frame.element)
        # Keys whose scores are replaced, not added to, count for nothing where hidden.
        largest_key = zero if hidden.replaced else _magnitude(frame, keys, head, turned=True)
        return [Value(head, "index"), largest_key, _magnitude(frame, values, head, turned=False)]

    new = code.less("ne", head, carried[0].name)
    return code.when(new, look, lambda: carried, carried)


def _magnitude(frame: Frame, value: Tensor, head: str, *, turned: bool) -> Value:
    """The largest magnitude in a matrix [keys, columns] or, turned, [columns, keys]."""
    code, lanes = frame.code, frame.lanes
    columns = frame.depth if turned else frame.width

    def row(j: str, totals: list[Value]) -> Sequence[Value]:
        (total,) = totals
        for start in range(0, columns, lanes):
            mask = frame.column_mask(columns - start)
            here: list[Place] = [Place(code.index(start), lanes), Place(j)]
            if not turned:
                here.reverse()
            evaluator = Evaluator(code, frame.operands, {}, mask)
            x = evaluator.at(value, (*frame.heads_of(head, value.rank), *here))
            x = code.spread(x, lanes)
            if mask is not None:
                x = code.select(Value(mask, "i1", lanes), x, frame.nothing)
            total = combine(code, "max", total, code.apply("math.absf", x))
        return [total]

    (total,) = code.loop(code.index(0), frame.keys, 1, [frame.nothing], row)
    return code.reduce("maximumf", total)


def seen(frame: Frame, first: str, size: str, largest: list[Value]) -> Seen:
    """For `size` queries from `first` on, whose columns lie in `frame.turned`."""
    code = frame.code
    zero = code.index(0)
    mask = frame.attention.causal
    # Where masked scores are a number, and not bounded by keys, nothing can be left out.
    if mask is None or (mask.hidden != -math.inf and mask.replaced):
        return Seen(frame.keys, frame.keys, None)
    offset = _offset(frame, mask)
    infinity = code.constant(math.inf, frame.element)
    skips = code.compare("olt", largest[2], infinity).name
    if not mask.replaced:
        finite = code.compare("olt", largest[1], infinity).name
        skips = code.emit(f"arith.andi {skips}, {finite} : i1")
    if mask.hidden != -math.inf:
        bound = code.apply("arith.mulf", _query_size(frame), largest[1])
        # Largest hidden score, less the smallest one seen, must underflow.
        room = (-mask.hidden - 1000.0 / mask.outer) / (2.0 * abs(mask.scale) * 1.001)
        small = code.compare("olt", bound, code.constant(room, frame.element)).name
        sees = code.less("sge", code.plus(first, offset), zero)
        skips = code.emit(f"arith.andi {skips}, {small} : i1")
        skips = code.emit(f"arith.andi {skips}, {sees} : i1")
    # What the last query of the block sees, and what the first one does.
    last_seen = code.plus(code.plus(first, size), offset)
    first_seen = code.plus(code.plus(first, offset), 1)
    return Seen(
        _chosen(frame, skips, between(frame, last_seen, zero, frame.keys), frame.keys),
        _chosen(frame, skips, between(frame, first_seen, zero, frame.keys), zero),
        _chosen(frame, skips, offset, code.index(_NEVER)),
    )


def last_product(frame: Frame, query: str) -> str | None:
    """The last key whose product with a query counts: where a score is replaced it is of no account
    what the key holds. None where all count."""
    mask = frame.attention.causal
    if mask is None or not mask.replaced:
        return None
    return frame.code.plus(query, _offset(frame, mask))


def between(frame: Frame, x: str, low: str, high: str) -> str:
    code = frame.code
    return code.index_op("minsi", code.index_op("maxsi", x, low), high)


def _chosen(frame: Frame, condition: str, x: str, y: str) -> str:
    return frame.code.emit(f"arith.select {condition}, {x}, {y} : index")


def _offset(frame: Frame, mask: Causal) -> str:
    code = frame.code
    offset = code.index(mask.offset.number)
    for scalar, factor in mask.offset.scalars:
        value = _scalar(frame, scalar)
        if factor != 1:
            value = code.index_op("muli", value, code.index(factor))
        offset = code.plus(offset, value)
    return offset


def _scalar(frame: Frame, scalar: Any) -> str:
    evaluator = Evaluator(frame.code, frame.operands, {})
    value = evaluator.at(scalar, ()) if isinstance(scalar, Tensor) else evaluator._outside(scalar)
    if value.element != "index":
        value = frame.code.convert("arith.index_cast", value, "index")
    return value.name


def _query_size(frame: Frame) -> Value:
    """The largest sum of magnitudes of a query; times the largest of a key it bounds scores."""
    code = frame.code

    def add(d: str, totals: list[Value]) -> Sequence[Value]:
        found = []
        for v, total in enumerate(totals):
            x = frame.load(frame.turned, d, code.index(v * frame.lanes))
            found.append(code.apply("arith.addf", total, code.apply("math.absf", x)))
        return found

    totals = code.loop(
        code.index(0), code.index(frame.depth), 1, [frame.nothing] * frame.vectors, add
    )
    total = totals[0]
    for other in totals[1:]:
        total = combine(code, "max", total, other)
    return code.reduce("maximumf", total)
