"""What CPU kernels compute on whole vectors: the exponential of a softmax, turned squares."""

from __future__ import annotations

import math
from typing import Final

from tdsl.cpu.functions import EXP_DOUBLE, LN2_DOUBLE, LN2_SINGLE
from tdsl.lowering.claims.code import Code, Value

_LOG2_E: Final = math.log2(math.e)
# exp(r) = 1 + r + r*r*P(r) for |r| <= log(2)/2, within 4e-9 of it.
_EXP_SINGLE: Final = (1.3819826e-3, 8.368687e-3, 4.1668277e-2, 1.6666521e-1, 4.9999994e-1)


def exp_of_negative(code: Code, x: Value) -> Value:
    """exp of what is 0 or less, for a softmax: 0 where the result would be subnormal, which the
    sum of 1 or more never sees and which would make every product with it many times slower."""
    element, lanes = x.element, x.lanes
    single = element == "f32"
    cut = -87.3 if single else -708.3
    bits, word = (23, "i32") if single else (52, "i64")

    def number(value: float) -> Value:
        return code.constant(value, element, lanes)

    # Nobody sees what comes of an x below the cut: nothing has to be limited for its sake.
    below = code.compare("olt", x, number(cut))
    rounder = number(1.5 * 2.0**bits)
    shifted = code.fma(x, number(_LOG2_E), rounder)
    n = code.apply("arith.subf", shifted, rounder)
    r = x
    for part in _log2_parts(single, lanes):
        r = code.fma(n, number(-part), r)
    coefficients = (*(_EXP_SINGLE if single else EXP_DOUBLE), 1.0, 1.0)
    p = number(coefficients[0])
    for coefficient in coefficients[1:]:
        p = code.fma(p, r, number(coefficient))
    places = code.convert("arith.bitcast", shifted, word)
    places = code.apply("arith.shli", places, code.constant(bits, word, lanes))
    bias = code.constant((127 << 23) if single else (1023 << 52), word, lanes)
    scale = code.convert("arith.bitcast", code.apply("arith.addi", places, bias), element)
    return code.select(below, number(0.0), code.apply("arith.mulf", p, scale))


def _log2_parts(single: bool, lanes: int) -> tuple[float, ...]:
    """log(2) as numbers whose products with small integers are exact. Machines with vectors of 32
    bytes multiply and add in one step: there the nearest f32 does, which is off by 2e-9."""
    if not single:
        return LN2_DOUBLE
    return (math.log(2.0),) if lanes >= 8 else LN2_SINGLE


def transposed(code: Code, rows: list[Value]) -> list[Value]:
    """As many vectors as there are lanes, as the columns of a square."""
    count = len(rows)
    rows = list(rows)
    step = count // 2
    while step:
        low = [e if not e & step else count + e - step for e in range(count)]
        high = [e + step if not e & step else count + e for e in range(count)]
        for i in range(count):
            if i & step:
                continue
            a, b = rows[i], rows[i + step]
            rows[i], rows[i + step] = (
                Value(
                    code.emit(
                        f"vector.shuffle {a.name}, {b.name} [{', '.join(map(str, order))}] : "
                        f"{a.type}, {b.type}"
                    ),
                    a.element,
                    a.lanes,
                )
                for order in (low, high)
            )
        step //= 2
    return rows
