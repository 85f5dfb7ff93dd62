"""A chunk of keys and values: read where they lie, or from a copy in the precision needed."""

from __future__ import annotations

from collections.abc import Callable

from tdsl.cpu.attention_frame import CHUNK, Frame
from tdsl.lowering.claims.body import Argument, Map, Tensor, Transpose
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Evaluator, Operand, Place, store

_MOST_COPIED = 256
"""Columns of keys and values of which a chunk is copied to the stack."""


class Chunk:
    """Keys from `begin` to `end` of one head."""

    def __init__(self, frame: Frame, head: str, begin: str, end: str) -> None:
        self._frame, self._code = frame, frame.code
        self._head, self.begin, self.end = head, begin, end
        self._keys = frame.attention.product.inputs[1][0]
        self._values = frame.attention.mixed.inputs[1][0]
        self._key_copy: Operand | None = None
        self._value_copy: Operand | None = None

    def widen(self) -> None:
        """Copy 16-bit floats as f32: else they would be converted anew for each few queries."""
        w = self._frame
        if w.depth + w.width > _MOST_COPIED:
            return
        if is_half(self._keys) and last_axis(self._keys) == self._keys.rank - 2:
            self._key_copy = self._copied("keys", w.depth, self.key_along)
        if is_half(self._values) and last_axis(self._values) == self._values.rank - 1:
            self._value_copy = self._copied("values", w.width, self.value)

    def _copied(
        self, label: str, columns: int, read: Callable[[str, str, str | None], Value]
    ) -> Operand:
        code, w = self._code, self._frame
        rounded = -(-columns // w.lanes) * w.lanes
        memory = w.memory(label, CHUNK + w.tile.keys, rounded)

        def row(key: str, _: list[Value]) -> tuple[()]:
            here = code.index_op("subi", key, self.begin)
            for start in range(0, columns, w.lanes):
                x = read(key, code.index(start), w.column_mask(columns - start))
                store(code, memory, [here, code.index(start)], x)
            return ()

        code.loop(self.begin, self.end, 1, [], row)
        return memory

    # --- elements

    def key(self, key: str, column: str) -> Value:
        """An element of a key, in every lane."""
        code, w = self._code, self._frame
        if self._key_copy is not None:
            return w.scalar(self._key_copy, code.index_op("subi", key, self.begin), column)
        places = (*w.heads_of(self._head, self._keys.rank), Place(column), Place(key))
        return code.spread(Evaluator(code, w.operands, {}).at(self._keys, places), w.lanes)

    def key_along(self, key: str, column: str, mask: str | None) -> Value:
        """A vector of a key's own elements."""
        code, w = self._code, self._frame
        places = (*w.heads_of(self._head, self._keys.rank), Place(column, w.lanes), Place(key))
        return code.spread(Evaluator(code, w.operands, {}, mask).at(self._keys, places), w.lanes)

    def keys_across(self, key: str, column: str, mask: str | None) -> Value:
        """An element of each of neighbouring keys."""
        code, w = self._code, self._frame
        places = (*w.heads_of(self._head, self._keys.rank), Place(column), Place(key, w.lanes))
        return code.spread(Evaluator(code, w.operands, {}, mask).at(self._keys, places), w.lanes)

    def value(self, key: str, column: str, mask: str | None) -> Value:
        """A vector of a value's elements."""
        code, w = self._code, self._frame
        if self._value_copy is not None:
            return w.load(self._value_copy, code.index_op("subi", key, self.begin), column)
        places = (*w.heads_of(self._head, self._values.rank), Place(key), Place(column, w.lanes))
        return code.spread(Evaluator(code, w.operands, {}, mask).at(self._values, places), w.lanes)


def is_half(value: Tensor) -> bool:
    """Whether what is read of a value are 16-bit floats."""
    return source(value).element in ("f16", "bf16")


def source(value: Tensor) -> Tensor:
    """The operand in memory that a view is of."""
    while not isinstance(value, Argument) and value.inputs:
        value = value.inputs[0][0]
    return value


def last_axis(value: Tensor) -> int | None:
    """The axis along which neighbours are neighbours in memory."""
    if isinstance(value, Argument):
        return value.rank - 1
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
