"""What CPU kernels compute on whole vectors: the exponential of a softmax, turned squares."""

from __future__ import annotations

import math
from typing import Final

from tdsl.cpu.functions import EXP_DOUBLE, EXP_SINGLE, LN2_DOUBLE, LN2_SINGLE
from tdsl.lowering.claims.code import CONTRACT, Code, Value

_LOG2_E: Final = math.log2(math.e)


def exp_of_negative(code: Code, x: Value) -> Value:
    """exp of what is 0 or less, for a softmax: 0 where the result would be subnormal, which the
    sum of 1 or more never sees and which would make every product with it many times slower."""
    element, lanes = x.element, x.lanes
    single = element == "f32"
    cut = -87.3 if single else -708.3
    bits, word = (23, "i32") if single else (52, "i64")
    high, low = LN2_SINGLE if single else LN2_DOUBLE

    def number(value: float) -> Value:
        return code.constant(value, element, lanes)

    below = code.compare("olt", x, number(cut))
    limited = code.select(below, number(cut), x)
    rounder = number(1.5 * 2.0**bits)
    shifted = code.fma(limited, number(_LOG2_E), rounder)
    n = code.apply("arith.subf", shifted, rounder)
    r = code.fma(n, number(-high), limited)
    r = code.fma(n, number(-low), r)
    coefficients = EXP_SINGLE if single else EXP_DOUBLE
    p = number(coefficients[0])
    for coefficient in coefficients[1:]:
        p = code.fma(p, r, number(coefficient))
    p = code.fma(p, code.apply("arith.mulf", r, r, flags=CONTRACT), r)
    p = code.apply("arith.addf", p, number(1.0))
    places = code.convert("arith.bitcast", shifted, word)
    places = code.apply("arith.shli", places, code.constant(bits, word, lanes))
    bias = code.constant((127 << 23) if single else (1023 << 52), word, lanes)
    scale = code.convert("arith.bitcast", code.apply("arith.addi", places, bias), element)
    return code.select(below, number(0.0), code.apply("arith.mulf", p, scale))


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
