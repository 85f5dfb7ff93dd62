"""sin and cos as branch-free arithmetic, right for every argument however large.

The method is Payne and Hanek's: of 2/pi only the bits that matter for an exponent are multiplied,
as integers. It costs the same for all arguments, so that there is no slow path that would keep a
loop from becoming vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tdsl.cpu.expressions import Format, Real, Word
from tdsl.cpu.pairs import Pair

# 2/pi after the binary point: 1216 bits are more than any exponent of f64 reaches.
_TWO_OVER_PI: Final = int(
    "A2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561B7246E3A424DD2E0"
    "06492EEA09D1921CFE1DEB1CB129A73EE88235F52EBB4484E99C7026B45F7E413991D639835339F4"
    "9C845F8BBDF9283B1FF897FFDE05980FEF2F118B5A0A6D1F6D367ECF27CB09B74F463F669E5FEA2D"
    "7527BAC7EBE5F17B3D0739F78A5292EA6BFB5FB11F8D5D0856033046FC7B6BAB",
    16,
)
_BITS: Final = 1216

_HALF_PI: Final = (1.5707963267948966, 6.123233995736766e-17)

# sin(r) = r + r**3 P(r*r) and cos(r) = 1 - r*r/2 + r**4 Q(r*r) for |r| <= pi/4.
_SIN: Final = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
_COS: Final = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)
# The same for results in f32, computed in f64.
_SIN_SHORT: Final = (
    2.718311493989822e-06,
    -0.00019839334836096632,
    0.008333329385889463,
    -0.16666666641626524,
)
_COS_SHORT: Final = (
    2.439044879627741e-05,
    -0.001388676377460993,
    0.04166662332373906,
    -0.499999997251031,
)

_LOW: Final = 0xFFFFFFFF


def sin(x: Real) -> Real:
    """NaN of infinities."""
    return _by_quadrant(x, 0)


def cos(x: Real) -> Real:
    """NaN of infinities."""
    return _by_quadrant(x, 1)


def _by_quadrant(x: Real, ahead: int) -> Real:
    """The sine of an argument that is `ahead` quarters of a turn further."""
    size = x.absolute()
    quadrant, angle = _reduced_single(size) if x.format.is_single else _reduced(size)
    double = angle.high.format
    is_small = size.compare("olt", 0.5)
    wide = size.widened()
    angle = Pair(wide.where(is_small, angle.high), double.real(0.0).where(is_small, angle.low))
    quadrant = double.word(0).where(is_small, quadrant) + ahead
    even = (quadrant & 1).is_zero()
    parts = _short_series(angle.high) if x.format.is_single else _series(angle)
    result = parts[0].where(even, parts[1])
    sign = (quadrant & 2) << 62
    if ahead == 0:
        sign = sign ^ (x.widened().bits() & -(1 << 63))
    result = (result.bits() ^ sign).real().narrowed(x.format)
    # What is not finite is not equal to itself after a subtraction.
    return result.where(x.minus(x).compare("oeq", 0.0), float("nan"))


def _series(r: Pair) -> tuple[Real, Real]:
    """Sine and cosine of an angle of which the low part counts, too."""
    high, low = r.high, r.low
    square = high * high
    rest = square.polynomial(_SIN[:-1])
    cube = square * high
    sine = high - ((square * (low * 0.5 - cube * rest) - low) - cube * _SIN[-1])
    half = square * 0.5
    one = 1.0 - half
    rest = square * square.polynomial(_COS)
    return sine, one + (((1.0 - one) - half) + (square * rest - high * low))


def _short_series(r: Real) -> tuple[Real, Real]:
    square = r * r
    sine = square.polynomial(_SIN_SHORT) * (square * r) + r
    return sine, square.polynomial(_COS_SHORT) * square + 1.0


def _window(bits: int, index: Word, count: int) -> list[Word]:
    """`count` neighbouring words of 2/pi from the one with this index on, each of 64 bits, `bits`
    apart. A network of selections: no table in memory, no gather."""
    format = index.format
    # As many zeros as a word has bits come first, and two for the quarter turns.
    length = _BITS + 2 + bits
    words: Sequence[Word | int] = [
        _signed(_TWO_OVER_PI >> (length - at - 64) & (2**64 - 1))
        for at in range(0, length - 63, bits)
    ]
    stage = 16 if bits == 64 else 4
    reach = count + 2 * stage - 1
    words = [*words[:reach], *[0] * (reach - len(words))]
    while stage:
        stays = (index & stage).is_zero()
        kept = count + stage - 1
        words = [_either(format, stays, words[p], words[p + stage]) for p in range(kept)]
        stage //= 2
    return [word if isinstance(word, Word) else format.word(word) for word in words]


def _either(format: Format, condition: Any, x: Word | int, y: Word | int) -> Word:
    first = x if isinstance(x, Word) else format.word(x)
    return first.where(condition, y)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _reduced_single(size: Real) -> tuple[Word, Pair]:
    """The nearest quarter turn of an f32 of 0.5 and more, and the angle from there in f64."""
    wide = size.widened().bits()
    mantissa = ((wide.unsigned_shift(21)) & 0x7FFFFFFF) | 0x80000000
    exponent = wide.unsigned_shift(52) - 1022
    shift = exponent & 31
    first, middle, last = (
        (word << shift).unsigned_shift(32)
        for word in _window(32, exponent.unsigned_shift(5) & 7, 3)
    )
    product = (mantissa * last).unsigned_shift(32) + mantissa * middle
    product = product + ((mantissa * first) << 32)
    quadrant = (product + (1 << 61)).unsigned_shift(62)
    rest = (product << 2) >> 2
    low = _real_of_half(rest & _LOW)
    angle = (_real_of_signed_half(rest >> 32) * 2.0**32 + low) * (_HALF_PI[0] * 2.0**-62)
    return quadrant, Pair(angle, angle.format.real(0.0))


def _reduced(size: Real) -> tuple[Word, Pair]:
    """The nearest quarter turn of an f64 of 0.5 and more, and the angle from there in two parts."""
    bits = size.bits()
    mantissa = (bits << 11) | -(1 << 63)
    exponent = bits.unsigned_shift(52) - 1022
    shift = exponent & 63
    window = _window(64, exponent.unsigned_shift(6) & 31, 4)
    first, middle, last = (
        (window[p] << shift) | window[p + 1].unsigned_shift(1).unsigned_shift(shift ^ 63)
        for p in range(3)
    )
    high, low = _whole_product(mantissa, middle)
    carried = low + _high_product(mantissa, last)
    carry = high.format.word(1).where(carried.is_below(low), 0)
    high = high + carry + mantissa * first
    quadrant = (high + (1 << 61)).unsigned_shift(62)
    rest = (high << 2) >> 2
    # Four pieces of 32 bits, each exact as a float; most of the leading ones may be 0.
    head = _real_of_signed_half(rest >> 32) * 2.0**96
    second = _real_of_half(rest & _LOW) * 2.0**64
    tail = _real_of_half(carried.unsigned_shift(32)) * 2.0**32 + _real_of_half(carried & _LOW)
    top = Pair.of_sum(head, second)
    value = Pair.of_sum(top.high, top.low.plus(tail))
    scale = 2.0**-126
    return quadrant, value.times((_HALF_PI[0] * scale, _HALF_PI[1] * scale))


def _whole_product(x: Word, y: Word) -> tuple[Word, Word]:
    """All 128 bits of a product of unsigned numbers, from products of halves."""
    x1, x0, y1, y0 = x.unsigned_shift(32), x & _LOW, y.unsigned_shift(32), y & _LOW
    low = x0 * y0
    first = x1 * y0 + low.unsigned_shift(32)
    second = x0 * y1 + (first & _LOW)
    high = x1 * y1 + first.unsigned_shift(32) + second.unsigned_shift(32)
    return high, (second << 32) | (low & _LOW)


def _high_product(x: Word, y: Word) -> Word:
    """The upper 64 bits of a product, or one less."""
    x1, x0, y1, y0 = x.unsigned_shift(32), x & _LOW, y.unsigned_shift(32), y & _LOW
    middle = (x1 * y0).unsigned_shift(32) + (x0 * y1).unsigned_shift(32)
    return x1 * y1 + middle


# Halves of words become floats by being put into the low bits of a large one, exactly: narrow
# vector units cannot convert words of 64 bits.


def _real_of_half(half: Word) -> Real:
    return (half | 0x4330000000000000).real().minus(2.0**52)


def _real_of_signed_half(half: Word) -> Real:
    return (half + (0x4330000000000000 + 2**31)).real().minus(2.0**52 + 2.0**31)
