"""Sums, products and extremes of vectors as they run along a row, several side by side."""

from __future__ import annotations

import msgspec

from tdsl.lowering.claims.body import Combine
from tdsl.lowering.claims.code import Code, Value


class Running(msgspec.Struct, frozen=True):
    """One reduction. What is carried along are the totals of each stream.

    Extremes leave NaNs out, which takes one instruction; whether there was one is carried beside
    them, for all streams together, as one comparison can see whether one of two values is a NaN.
    """

    code: Code
    combine: Combine

    @property
    def _is_extreme(self) -> bool:
        return self.combine in ("max", "min")

    def carried(self, streams: int) -> int:
        return streams + self._is_extreme

    def start(self, neutral: Value, streams: int) -> list[Value]:
        none = [self.code.constant(0, "i1", neutral.lanes)] if self._is_extreme else []
        return [neutral] * streams + none

    def step(self, carried: list[Value], values: list[Value]) -> list[Value]:
        """One value more for each stream."""
        code = self.code
        found = [self._combine(*pair) for pair in zip(carried, values, strict=False)]
        if not self._is_extreme:
            return found
        seen = carried[-1]
        for at in range(0, len(values), 2):
            two = values[at : at + 2]
            seen = code.apply("arith.ori", seen, code.compare("uno", two[0], two[-1]))
        return [*found, seen]

    def join(self, carried: list[Value]) -> list[Value]:
        """All streams as one."""
        streams = len(carried) - self._is_extreme
        totals, seen = carried[:streams], carried[streams:]
        while len(totals) > 1:
            totals = [self._combine(*totals[at : at + 2]) for at in range(0, len(totals), 2)]
        return [*totals, *seen]

    def end(self, carried: list[Value]) -> Value:
        """The lanes of the one stream that is left, combined."""
        code, total = self.code, carried[0]
        if not self._is_extreme:
            return code.reduce(self.combine, total)
        found = code.reduce("maxnumf" if self.combine == "max" else "minnumf", total)
        some = code.reduce("or", carried[1])
        return code.select(some, code.constant(float("nan"), total.element), found)

    def _combine(self, total: Value, value: Value) -> Value:
        if not self._is_extreme:
            return combine(self.code, self.combine, total, value)
        # A comparison with a NaN is false.
        better = self.code.compare("ogt" if self.combine == "max" else "olt", value, total)
        return self.code.select(better, value, total)


def combine(code: Code, kind: Combine, total: Value, value: Value) -> Value:
    """One value more, where a NaN is to stay."""
    if kind in ("add", "mul"):
        flags = " fastmath<contract>" if kind == "add" else ""
        return code.apply(f"arith.{kind}f", total, value, flags=flags)
    # One instruction keeps a NaN that is the total, another takes one that is the value.
    better = code.compare("ogt" if kind == "max" else "olt", value, total)
    chosen = code.select(better, value, total)
    return code.select(code.compare("uno", value, value), value, chosen)
