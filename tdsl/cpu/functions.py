"""exp, log, tanh, erf … as branch-free arithmetic that vectorises."""

from __future__ import annotations

import math

from tdsl.cpu.expressions import Real, Word

# exp(r) = 1 + r + r*r*P(r) for |r| <= log(2)/2.
EXP_SINGLE = (
    1.9875691500e-4,
    1.3981999507e-3,
    8.3334519073e-3,
    4.1665795894e-2,
    1.6666665459e-1,
    5.0000001201e-1,
)
EXP_DOUBLE = tuple(1.0 / math.factorial(n) for n in range(13, 1, -1))

# log(2) in two parts; products of the first with small integers are exact.
LN2_SINGLE = (0.693359375, -2.12194440e-4)
LN2_DOUBLE = (6.93145751953125e-1, 1.42860682030941723212e-6)


def _round(x: Real) -> tuple[Real, Word]:
    """x to the nearest integer, as a float and as an integer; |x| < 2**(fraction bits - 1)."""
    shifted = x + x.format.rounder
    return shifted - x.format.rounder, shifted.bits() - x.format.real(x.format.rounder).bits()


def _power_of_two(n: Word) -> Real:
    """2**n for n within the exponents of normal numbers."""
    return ((n + n.format.bias) << n.format.fraction_bits).real()


def _exp_parts(x: Real) -> tuple[Real, Word]:
    """r and n with x = r + n log 2."""
    high, low = LN2_SINGLE if x.format.is_single else LN2_DOUBLE
    n, word = _round(x * math.log2(math.e))
    return (x - n * high) - n * low, word


def _exp_minus_one_of_part(r: Real) -> Real:
    coefficients = EXP_SINGLE if r.format.is_single else EXP_DOUBLE
    return r.polynomial(coefficients) * (r * r) + r


def power_of_two_times(value: Real, n: Word) -> Real:
    """value * 2**n in two steps, so that results near overflow and subnormal ones are right."""
    half = n >> 1
    return value * _power_of_two(half) * _power_of_two(n - half)


def exp(x: Real) -> Real:
    """Overflow gives inf, and subnormal results are kept."""
    low, high = (-104.0, 89.0) if x.format.is_single else (-746.0, 710.0)
    r, n = _exp_parts(x.at_most(high).at_least(low))
    return power_of_two_times(_exp_minus_one_of_part(r) + 1.0, n)


def exp2(x: Real) -> Real:
    """Exact for integers."""
    low, high = (-151.0, 129.0) if x.format.is_single else (-1076.0, 1025.0)
    x = x.at_most(high).at_least(low)
    n, word = _round(x)
    return power_of_two_times(_exp_minus_one_of_part((x - n) * math.log(2.0)) + 1.0, word)


def expm1(x: Real) -> Real:
    """Also near 0. With s = 2**(n-1) the result is 2 (s (exp(r) - 1) + s - 1/2)."""
    low, high = (-26.0, 89.0) if x.format.is_single else (-57.0, 710.0)
    r, n = _exp_parts(x.at_most(high).at_least(low))
    half = _power_of_two(n - 1)
    result = (half * _exp_minus_one_of_part(r) + (half - 0.5)) * 2.0
    return x.where(x.compare("oeq", 0.0), result)


_LOG_SINGLE = (0.24279078841, 0.28498786688, 0.40000972152, 0.66666662693)
_LOG_DOUBLE = (
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
)
_LOG2_SINGLE = (6.9313812256e-01, 9.0580006145e-06)
_LOG2_DOUBLE = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
_SQRT_HALF_BITS_SINGLE = 0x3F3504F3
_SQRT_HALF_BITS_DOUBLE = 0x3FE6A09E667F3BCD


def log_parts(x: Real) -> tuple[Real, Real]:
    """f and k with x = (1 + f) * 2**k and sqrt(1/2) <= 1 + f < sqrt(2)."""
    format = x.format
    lift = 2.0 ** (format.fraction_bits + 2)
    smallest = 2.0 ** (1 - format.bias)
    is_small = x.compare("olt", smallest)
    bits = (x * lift).where(is_small, x).bits()
    split = _SQRT_HALF_BITS_SINGLE if format.is_single else _SQRT_HALF_BITS_DOUBLE
    exponent = (bits - split) >> format.fraction_bits
    fraction = (bits - (exponent << format.fraction_bits)).real() - 1.0
    # The integer exponent becomes a float by putting it into the low bits of a large one.
    rounder = format.real(format.rounder)
    k = (exponent + rounder.bits()).real() - rounder
    return fraction, (k - (format.fraction_bits + 2.0)).where(is_small, k)


def log_of_fraction(f: Real) -> tuple[Real, Real]:
    """log(1+f) = f - (first - second), as the two corrections."""
    s = f / (f + 2.0)
    z = s * s
    rest = z * z.polynomial(_LOG_SINGLE if f.format.is_single else _LOG_DOUBLE)
    half_square = f * f * 0.5
    return half_square, s * (half_square + rest)


def _special_logs(x: Real, result: Real) -> Real:
    """log of 0, of infinity and of what is not positive."""
    result = x.where(x.compare("oeq", math.inf), result)
    result = x.format.real(-math.inf).where(x.compare("oeq", 0.0), result)
    return x.format.real(math.nan).where(x.compare("ult", 0.0), result)


def log(x: Real) -> Real:
    high, low = _LOG2_SINGLE if x.format.is_single else _LOG2_DOUBLE
    f, k = log_parts(x)
    half_square, correction = log_of_fraction(f)
    return _special_logs(x, k * high - ((half_square - (correction + k * low)) - f))


def log2(x: Real) -> Real:
    """Exact for powers of two."""
    f, k = log_parts(x)
    half_square, correction = log_of_fraction(f)
    return _special_logs(x, (f - (half_square - correction)) * math.log2(math.e) + k)


def log1p(x: Real) -> Real:
    """Also near 0: what 1 + x loses is added back."""
    high, low = _LOG2_SINGLE if x.format.is_single else _LOG2_DOUBLE
    u = x + 1.0
    lost = x - (u - 1.0)
    f, k = log_parts(u)
    half_square, correction = log_of_fraction(f)
    result = k * high - ((half_square - (correction + (k * low + lost / u))) - f)
    result = _special_logs(u, result)
    return x.where(x.compare("oeq", 0.0), result)


_TANH_SINGLE = (
    -5.70498872745e-3,
    2.06390887954e-2,
    -5.37397155531e-2,
    1.33314422036e-1,
    -3.33332819422e-1,
)
_TANH_DOUBLE_TOP = (
    -9.64399179425052238628e-1,
    -9.92877231001918586564e1,
    -1.61468768441708447952e3,
)
_TANH_DOUBLE_BOTTOM = (
    1.0,
    1.12811678491632931402e2,
    2.23548839060100448583e3,
    4.84406305325125486048e3,
)


def tanh(x: Real) -> Real:
    """Exactly 1 or -1 where that is nearest."""
    size = x.absolute()
    # From 22 on the result is 1 in f64, too: no exponent is beyond those of normal numbers.
    r, n = _exp_parts((size + size).at_most(44.0))
    far = 1.0 - 2.0 / ((_exp_minus_one_of_part(r) + 1.0) * _power_of_two(n) + 1.0)
    square = x * x
    if x.format.is_single:
        near = square.polynomial(_TANH_SINGLE)
    else:
        top, bottom = (square.polynomial(c) for c in (_TANH_DOUBLE_TOP, _TANH_DOUBLE_BOTTOM))
        near = top / bottom
    near = (near * square * x + x).with_sign_of(x)  # the sum loses the sign of -0
    return near.where(size.compare("olt", 0.625), far.with_sign_of(x))


# erf(x) = x + x P(x*x) near 0, and 1 - exp(-|x| - |x| Q(|x|)) elsewhere.
_ERF_SINGLE_NEAR = (
    -5.96761703e-4,
    4.99119423e-3,
    -2.67681349e-2,
    1.12819925e-1,
    -3.76125336e-1,
    1.28379166e-1,
)
_ERF_SINGLE_FAR = (
    -1.72853470e-5,
    3.83197126e-4,
    -3.88396438e-3,
    2.42546219e-2,
    -1.06777877e-1,
    -6.34846687e-1,
    -1.28717512e-1,
)
_ERF_NEAR_TOP = (
    -2.37630166566501626084e-05,
    -5.77027029648944159157e-03,
    -2.84817495755985104766e-02,
    -3.25042107247001499370e-01,
    1.28379167095512558561e-01,
)
_ERF_NEAR_BOTTOM = (
    -3.96022827877536812320e-06,
    1.32494738004321644526e-04,
    5.08130628187576562776e-03,
    6.50222499887672944485e-02,
    3.97917223959155352819e-01,
    1.0,
)
_ERF_MIDDLE = 8.45062911510467529297e-01
_ERF_MIDDLE_TOP = (
    -2.16637559486879084300e-03,
    3.54783043256182359371e-02,
    -1.10894694282396677476e-01,
    3.18346619901161753674e-01,
    -3.72207876035701323847e-01,
    4.14856118683748331666e-01,
    -2.36211856075265944077e-03,
)
_ERF_MIDDLE_BOTTOM = (
    1.19844998467991074170e-02,
    1.36370839120290507362e-02,
    1.26171219808761642112e-01,
    7.18286544141962662868e-02,
    5.40397917702171048937e-01,
    1.06420880400844228286e-01,
    1.0,
)
_ERF_FAR_TOP = (
    -9.81432934416914548592e00,
    -8.12874355063065934246e01,
    -1.84605092906711035994e02,
    -1.62396669462573470355e02,
    -6.23753324503260060396e01,
    -1.05586262253232909814e01,
    -6.93858572707181764372e-01,
    -9.86494403484714822705e-03,
)
_ERF_FAR_BOTTOM = (
    -6.04244152148580987438e-02,
    6.57024977031928170135e00,
    1.08635005541779435134e02,
    4.29008140027567833386e02,
    6.45387271733267880336e02,
    4.34565877475229228821e02,
    1.37657754143519042600e02,
    1.96512716674392571292e01,
    1.0,
)


def erf(x: Real) -> Real:
    size, square = x.absolute(), x * x
    if x.format.is_single:
        near = square.polynomial(_ERF_SINGLE_NEAR) * x + x
        far = 1.0 - exp(size.polynomial(_ERF_SINGLE_FAR) * size - size)
        return near.where(size.compare("olt", 0.927734375), far.with_sign_of(x))
    near = square.polynomial(_ERF_NEAR_TOP) / square.polynomial(_ERF_NEAR_BOTTOM) * x + x
    offset = size - 1.0
    middle = offset.polynomial(_ERF_MIDDLE_TOP) / offset.polynomial(_ERF_MIDDLE_BOTTOM)
    middle = middle + _ERF_MIDDLE
    inverse = 1.0 / square
    tail = inverse.polynomial(_ERF_FAR_TOP) / inverse.polynomial(_ERF_FAR_BOTTOM)
    far = 1.0 - exp(tail - (square + 0.5625)) / size
    outer = middle.where(size.compare("olt", 1.25), far).with_sign_of(x)
    return near.where(size.compare("olt", 0.84375), outer)
