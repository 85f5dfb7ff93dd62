"""x to the power y as branch-free arithmetic, with every special case of C99."""

from __future__ import annotations

import math
from typing import Any, Final

from mlir.dialects import arith

from tdsl.cpu.expressions import Real
from tdsl.cpu.functions import exp2, log_of_fraction, log_parts, power_of_two_times
from tdsl.cpu.pairs import Pair

_LOG2: Final = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
"""Products of the first part with exponents are exact."""
_TWO_THIRDS: Final = (2.0 / 3.0, 3.700743415417188e-17)
_ATANH: Final = tuple(2.0 / n for n in range(23, 3, -2))
"""log((1+s) / (1-s)) = 2 s + 2/3 s**3 + s**5 P(s*s)."""
_EXP: Final = tuple(1.0 / math.factorial(n) for n in range(14, 1, -1))
_BEYOND: Final = 2.0**64
"""With such an exponent every power but those of 1 and -1 is 0 or infinite."""


def pow(x: Real, y: Real) -> Real:
    format = x.format
    x, y = x.widened(), y.widened()
    size, exponent = x.absolute(), y.absolute()
    limited = exponent.at_most(_BEYOND).with_sign_of(y)
    found = _single(size, limited) if format.is_single else _double(size, limited)
    return _special(x, y, size, exponent, found).narrowed(format)


def _single(x: Real, y: Real) -> Real:
    """In f64, for a result in f32."""
    f, k = log_parts(x)
    half_square, correction = log_of_fraction(f)
    logarithm = (f - (half_square - correction)) * math.log2(math.e) + k
    return exp2(logarithm * y)


def _double(x: Real, y: Real) -> Real:
    logarithm = _log(x)
    whole = Pair.of_product(logarithm.high, y)
    return _exp(Pair.of_sum(whole.high, whole.low + logarithm.low * y))


def _log(x: Real) -> Pair:
    """The logarithm to about 65 bits."""
    f, k = log_parts(x)
    bottom = Pair.of_any_sum(f, f.format.real(2.0))
    quotient = f / bottom.high
    product = Pair.of_product(quotient, bottom.high)
    rest = f.minus(product.high).minus(product.low).minus(quotient.times(bottom.low))
    s = Pair.of_sum(quotient, rest / bottom.high)
    square = s.times(s)
    cube = square.times(s)
    series = square.high.polynomial(_ATANH)
    fifth = square.high * cube.high * series
    small = cube.times(_TWO_THIRDS)
    total = Pair.of_sum(k.times(_LOG2[0]), k.times(_LOG2[1])).plus(s.scaled(2.0))
    return total.plus(Pair.of_any_sum(small.high, small.low + fifth))


def _exp(x: Pair) -> Real:
    high = x.high.at_most(711.0).at_least(-747.0)
    low = x.low.where(high.compare("oeq", x.high), 0.0)
    rounder = high.format.rounder
    shifted = high * math.log2(math.e) + rounder
    n = shifted - rounder
    word = shifted.bits() - high.format.real(rounder).bits()
    r = Pair.of_any_sum(high - n * _LOG2[0], low - n * _LOG2[1])
    head = Pair.of_sum(r.high.format.real(1.0), r.high)
    rest = r.high * r.high * r.high.polynomial(_EXP) + (r.low + r.low * r.high)
    return power_of_two_times(head.high + (head.low + rest), word)


def _special(x: Real, y: Real, size: Real, exponent: Real, found: Real) -> Real:
    """The sign, and what no logarithm gives."""
    real = x.format.real
    infinity, zero, one = real(math.inf), real(0.0), real(1.0)
    grows = y.compare("ogt", 0.0)
    falls = y.compare("olt", 0.0)
    # 0 and infinity, whose logarithms are infinite, to any power; any base to an infinite one.
    found = zero.where(grows, infinity).where(size.compare("oeq", 0.0), found)
    found = infinity.where(grows, zero).where(size.compare("oeq", math.inf), found)
    outside = _xor(size.compare("ogt", 1.0), falls)
    endless = one.where(size.compare("oeq", 1.0), infinity.where(outside, zero))
    found = endless.where(exponent.compare("oeq", math.inf), found)
    # Beyond 2**52 all are whole, beyond 2**53 even; infinity is both.
    large = 2.0**52
    whole = exponent.plus(large).minus(large).compare("oeq", exponent)
    whole = _or(whole, exponent.compare("oge", large))
    half = exponent.times(0.5)
    even = half.plus(large).minus(large).compare("oeq", half)
    even = _or(even, half.compare("oge", large))
    found = found.with_sign_of(x).where(_and(whole, _not(even, y)), found)
    finite = _and(size.compare("ogt", 0.0), size.compare("olt", math.inf))
    undefined = _and(_and(x.compare("olt", 0.0), finite), _not(whole, y))
    undefined = _or(undefined, arith.CmpFOp(arith.CmpFPredicate.UNO, x.value, y.value).result)
    found = real(math.nan).where(undefined, found)
    known = _or(y.compare("oeq", 0.0), x.compare("oeq", 1.0))
    return one.where(known, found)


def _and(x: Any, y: Any) -> Any:
    return arith.AndIOp(x, y).result


def _or(x: Any, y: Any) -> Any:
    return arith.OrIOp(x, y).result


def _xor(x: Any, y: Any) -> Any:
    return arith.XOrIOp(x, y).result


def _not(x: Any, ordered: Real) -> Any:
    """The opposite, for a number that is no NaN."""
    return _xor(x, ordered.absolute().compare("oge", 0.0))
