"""Numbers as unevaluated sums of two floats: twice the digits, for steps that must not lose any."""

from __future__ import annotations

import msgspec

from tdsl.cpu.expressions import Real


class Pair(msgspec.Struct, frozen=True):
    """high + low, where low is at most half a unit in the last place of high. In f64."""

    high: Real
    low: Real

    @staticmethod
    def of_sum(larger: Real, smaller: Real) -> Pair:
        """Exactly, if the first is 0 or the larger in magnitude."""
        high = larger.plus(smaller)
        return Pair(high, smaller.minus(high.minus(larger)))

    @staticmethod
    def of_any_sum(x: Real, y: Real) -> Pair:
        """Exactly, whichever is larger."""
        high = x.plus(y)
        taken = high.minus(x)
        return Pair(high, x.minus(high.minus(taken)).plus(y.minus(taken)))

    @staticmethod
    def of_product(x: Real, y: Real | float) -> Pair:
        """Exactly, by halves: not every machine multiplies and adds in one step."""
        other = y if isinstance(y, Real) else x.format.real(y)
        high = x.times(other)
        (x1, x0), (y1, y0) = _halves(x), _halves(other)
        low = x1.times(y1).minus(high).plus(x1.times(y0)).plus(x0.times(y1)).plus(x0.times(y0))
        return Pair(high, low)

    def plus(self, other: Pair) -> Pair:
        """Where this one is the larger."""
        total = Pair.of_any_sum(self.high, other.high)
        return Pair.of_sum(total.high, total.low.plus(self.low.plus(other.low)))

    def times(self, other: Pair | tuple[float, float]) -> Pair:
        high, low = (other.high, other.low) if isinstance(other, Pair) else other
        whole = Pair.of_product(self.high, high)
        rest = self.high * low + self.low * high
        return Pair.of_sum(whole.high, whole.low.plus(rest))

    def scaled(self, power_of_two: float) -> Pair:
        return Pair(self.high.times(power_of_two), self.low.times(power_of_two))


def _halves(x: Real) -> tuple[Real, Real]:
    """The upper 26 bits, and the rest: products of such are exact."""
    upper = (x.bits() & -(1 << 27)).real()
    return upper, x.minus(upper)
