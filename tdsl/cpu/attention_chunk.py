"""A chunk of keys and values, read where they lie."""

from __future__ import annotations

from tdsl.cpu.attention_frame import Frame
from tdsl.lowering.claims.body import Argument, Map, Tensor, Transpose
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Evaluator, Place


class Chunk:
    """Keys from `begin` to `end` of one head."""

    def __init__(self, frame: Frame, head: str, begin: str, end: str) -> None:
        self._frame, self._code = frame, frame.code
        self._head, self.begin, self.end = head, begin, end
        self._keys = frame.attention.product.inputs[1][0]
        self._values = frame.attention.mixed.inputs[1][0]

    # --- elements

    def key(self, key: str, column: str) -> Value:
        """An element of a key, in every lane."""
        code, w = self._code, self._frame
        places = (*w.heads_of(self._head, self._keys.rank), Place(column), Place(key))
        return code.spread(Evaluator(code, w.operands, {}).at(self._keys, places), w.lanes)

    def key_along(self, key: str, column: str, mask: str | None) -> Value:
        """A vector of a key's own elements."""
        code, w = self._code, self._frame
        places = (*w.heads_of(self._head, self._keys.rank), Place(column, w.lanes), Place(key))
        return code.spread(Evaluator(code, w.operands, {}, mask).at(self._keys, places), w.lanes)

    def key_ahead(self, key: str, column: str) -> None:
        """Begin to read a key from memory that is needed soon."""
        w = self._frame
        places = (*w.heads_of(self._head, self._keys.rank), Place(column), Place(key))
        Evaluator(self._code, w.operands, {}).prefetch(self._keys, places)

    def value_ahead(self, key: str, column: str) -> None:
        w = self._frame
        places = (*w.heads_of(self._head, self._values.rank), Place(key), Place(column))
        Evaluator(self._code, w.operands, {}).prefetch(self._values, places)

    def keys_across(self, key: str, column: str, mask: str | None) -> Value:
        """An element of each of neighbouring keys."""
        code, w = self._code, self._frame
        places = (*w.heads_of(self._head, self._keys.rank), Place(column), Place(key, w.lanes))
        return code.spread(Evaluator(code, w.operands, {}, mask).at(self._keys, places), w.lanes)

    def value(self, key: str, column: str, mask: str | None) -> Value:
        """A vector of a value's elements."""
        code, w = self._code, self._frame
        places = (*w.heads_of(self._head, self._values.rank), Place(key), Place(column, w.lanes))
        return code.spread(Evaluator(code, w.operands, {}, mask).at(self._values, places), w.lanes)


def last_axis(value: Tensor) -> int | None:
    """The axis along which neighbours are neighbours in memory."""
    if isinstance(value, Argument):
        return value.rank - 1 if value.rank else None
    if not value.inputs:
        return None
    operand, access = value.inputs[0]
    inner = last_axis(operand)
    if inner is None:
        return None
    if isinstance(value, Transpose):
        return value.permutation.index(inner)
    if isinstance(value, Map):
        return access[inner] if inner < len(access) else None
    from_end = operand.rank - inner  # of a reshape that leaves the last axes as they are
    return value.rank - from_end if from_end <= 2 else None
