"""Masks and biases that lie in memory query by query, turned so that lanes can be queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from tdsl.cpu.attention_frame import CHUNK, Frame
from tdsl.cpu.vectors import transposed
from tdsl.lowering.claims.body import Argument, Map, Reshape, Tensor, Transpose
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import (
    ONLY,
    Evaluator,
    Operand,
    Place,
    Places,
    regrouped,
    store,
)


class _Turned(msgspec.Struct, frozen=True):
    """An operand [..., query, key], and where a chunk of it lies as [key, query]."""

    argument: Argument
    leading: Places
    memory: Operand


class Across:
    """All such operands of the scores of one block: vectors of them are read along the keys and
    turned in registers, not gathered element by element."""

    def __init__(self, frame: Frame, head: str, first: str) -> None:
        self._frame, self._code = frame, frame.code
        self._first = first
        self._found: list[_Turned] = []
        scores = frame.attention.scores
        query, key = Place(first, frame.lanes), Place("%key")
        for argument, places in self._reads(scores, (*frame.leading(head, scores), query, key)):
            known = any(one.argument is argument for one in self._found)
            if places[-2:] == (query, key) and not known:
                label = f"operand {argument.position}"
                memory = frame.memory(
                    label, CHUNK + frame.tile.keys, frame.span, element=argument.element
                )
                self._found.append(_Turned(argument, places[:-2], memory))

    def _reads(self, value: Tensor, places: Places) -> Iterator[tuple[Argument, Places]]:
        """The operands that elements at these places are made of, and where each is read."""
        if value is self._frame.attention.product:
            return
        match value:
            case Argument():
                yield value, places
            case Transpose(permutation=permutation):
                moved: list[Place] = [ONLY] * len(permutation)
                for axis, moves in enumerate(permutation):
                    moved[moves] = places[axis]
                yield from self._reads(value.inputs[0][0], tuple(moved))
            case Reshape():
                source = value.inputs[0][0]
                shapes = list(value.type.shape), list(source.type.shape)
                yield from self._reads(source, regrouped(self._code, *shapes, places))
            case Map():
                for operand, access in value.inputs:
                    chosen = tuple(ONLY if loop is None else places[loop] for loop in access)
                    yield from self._reads(operand, chosen)

    def fill(self, begin: str, end: str) -> None:
        """Turn what belongs to a chunk of keys."""
        code, w = self._code, self._frame
        lanes = code.index(w.lanes)
        last = code.plus(w.queries, -1)
        count = code.index_op("subi", end, begin)
        whole = code.index_op("subi", end, code.index_op("remui", count, lanes))

        def queries(at: str, _: list[Value]) -> tuple[()]:
            rows = [
                code.index_op("minui", code.plus(self._first, code.plus(at, lane)), last)
                for lane in range(w.lanes)
            ]

            def square(key: str, _: list[Value]) -> tuple[()]:
                here = code.index_op("subi", key, begin)
                for one in self._found:
                    read = [self._read(one, row, Place(key, w.lanes)) for row in rows]
                    for lane, column in enumerate(transposed(code, read)):
                        store(code, one.memory, [code.plus(here, lane), at], column)
                return ()

            code.loop(begin, whole, w.lanes, [], square)
            return ()

        def rest(key: str, _: list[Value]) -> tuple[()]:
            here = code.index_op("subi", key, begin)

            def single(at: str, _: list[Value]) -> tuple[()]:
                row = code.index_op("minui", code.plus(self._first, at), last)
                for one in self._found:
                    store(code, one.memory, [here, at], self._read(one, row, Place(key)))
                return ()

            code.loop(code.index(0), code.index(w.block), 1, [], single)
            return ()

        if self._found:
            code.loop(code.index(0), code.index(w.block), w.lanes, [], queries)
            code.loop(whole, end, 1, [], rest)

    def _read(self, one: _Turned, row: str, key: Place) -> Value:
        """As stored."""
        code, operand = self._code, self._frame.operands[one.argument.position]
        indices = [place.base or code.index(0) for place in (*one.leading, Place(row), key)]
        shown = f"{operand.name}[{', '.join(indices)}]"
        made = Value("", operand.element, key.lanes)
        if key.lanes:
            name = code.emit(f"vector.load {shown} : {operand.type}, {made.type}")
        else:
            name = code.emit(f"memref.load {shown} : {operand.type}")
        return Value(name, operand.element, key.lanes)

    def special(
        self, evaluator: Evaluator, row: str, vector: int
    ) -> dict[Tensor, Callable[[Places], Value]]:
        """For an evaluator of scores: where it finds these operands, for one key (whose row in
        the chunk is given) and one vector of queries."""

        def reader(one: _Turned) -> Callable[[Places], Value]:
            def read(places: Places) -> Value:
                if places[-1].lanes or not places[-2].lanes:
                    return evaluator.load(self._frame.operands[one.argument.position], places)
                column = self._code.index(vector * self._frame.lanes)
                return evaluator.load(one.memory, (Place(row), Place(column, self._frame.lanes)))

            return read

        return {one.argument: reader(one) for one in self._found}
