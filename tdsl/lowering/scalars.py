"""The elementwise primitives on single elements: what stands in the body of a `linalg.generic`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from tdsl.lowering.spelling import number, scalar
from tdsl.types.dtypes import DTYPES, DType

F32, F64, I32, I64 = DTYPES["f32"], DTYPES["f64"], DTYPES["i32"], DTYPES["i64"]


class Block(Protocol):
    """Where operations go: the body of a generic, or a function."""

    def emit(self, operation: str, hint: str = "") -> str:
        """Append an operation with one result; gives the result's name."""
        ...

    def raw(self, line: str) -> None:
        """Append a line that the caller has spelled whole."""
        ...

    def fresh(self, hint: str = "") -> str:
        """A name for a result of a line given to `raw`."""
        ...


# From a block, the operands' common dtype and their names, to the result's name.
Scalar = Callable[..., str]


def constant(block: Block, value: float | bool, dtype: DType) -> str:
    spelled = number(value, dtype)
    if dtype.kind == "bool":
        return block.emit(f"arith.constant {spelled}")
    return block.emit(f"arith.constant {spelled} : {scalar(dtype)}")


def binary(block: Block, operation: str, x: str, y: str, dtype: DType) -> str:
    return block.emit(f"{operation} {x}, {y} : {scalar(dtype)}")


def compare(block: Block, float_: str, integer: str, x: str, y: str, dtype: DType) -> str:
    """`integer` is given for signed ones: `slt`."""
    if dtype.is_float:
        return block.emit(f"arith.cmpf {float_}, {x}, {y} : {scalar(dtype)}")
    if dtype.kind != "int" and integer.startswith("s"):
        integer = "u" + integer[1:]
    return block.emit(f"arith.cmpi {integer}, {x}, {y} : {scalar(dtype)}")


def choose(block: Block, condition: str, x: str, y: str, dtype: DType) -> str:
    return block.emit(f"arith.select {condition}, {x}, {y} : {scalar(dtype)}")


def widened(compute: Scalar) -> Scalar:
    """On f16 and bf16 computed in f32 and rounded once, as NumPy does. Left to LLVM, bf16 would
    become calls of a run-time library that need not be there."""

    def emit(block: Block, dtype: DType, *operands: str) -> str:
        if not dtype.is_float or dtype.bits != 16:
            return compute(block, dtype, *operands)
        wide = [cast(block, operand, dtype, F32) for operand in operands]
        result = compute(block, F32, *wide)
        return cast(block, result, F32, dtype)

    return emit


def compared(compute: Scalar) -> Scalar:
    """Like `widened`, for results of type bool."""

    def emit(block: Block, dtype: DType, *operands: str) -> str:
        if not dtype.is_float or dtype.bits != 16:
            return compute(block, dtype, *operands)
        return compute(block, F32, *(cast(block, operand, dtype, F32) for operand in operands))

    return emit


def _math(name: str) -> Scalar:
    return widened(lambda block, dtype, x: block.emit(f"math.{name} {x} : {scalar(dtype)}"))


def _arithmetic(name: str, *, signed: bool = False) -> Scalar:
    """`addf` or `addi`; with `signed`, `maximumf`, `maxsi` or `maxui`."""

    def emit(block: Block, dtype: DType, x: str, y: str) -> str:
        if dtype.is_float:
            suffix = "imumf" if signed else "f"
        elif signed:
            suffix = "si" if dtype.kind == "int" else "ui"
        else:
            suffix = "i"
        return binary(block, f"arith.{name}{suffix}", x, y, dtype)

    return widened(emit)


def _comparison(float_: str, integer: str) -> Scalar:
    return compared(lambda b, dtype, x, y: compare(b, float_, integer, x, y, dtype))


def _logic(name: str) -> Scalar:
    return lambda block, _, x, y: block.emit(f"arith.{name} {x}, {y} : i1")


def _logical_not(block: Block, _: DType, x: str) -> str:
    return block.emit(f"arith.xori {x}, {block.emit('arith.constant true')} : i1")


def _negate(block: Block, dtype: DType, x: str) -> str:
    if dtype.is_float:
        return block.emit(f"arith.negf {x} : {scalar(dtype)}")
    return binary(block, "arith.subi", constant(block, 0, dtype), x, dtype)


def _absolute(block: Block, dtype: DType, x: str) -> str:
    if dtype.kind == "uint":
        return x
    return block.emit(f"math.abs{'f' if dtype.is_float else 'i'} {x} : {scalar(dtype)}")


def _sign(block: Block, dtype: DType, x: str) -> str:
    zero, one = constant(block, 0, dtype), constant(block, 1, dtype)
    positive = compare(block, "ogt", "sgt", x, zero, dtype)
    if dtype.kind == "uint":
        return choose(block, positive, one, zero, dtype)
    negative = compare(block, "olt", "slt", x, zero, dtype)
    # NaN is neither and stays itself; added to nothing, so is zero, but -0 becomes 0.
    rest = binary(block, "arith.addf", x, zero, dtype) if dtype.is_float else zero
    below = choose(block, negative, constant(block, -1, dtype), rest, dtype)
    return choose(block, positive, one, below, dtype)


def _sigmoid(block: Block, dtype: DType, x: str) -> str:
    # exp of minus the absolute value cannot overflow, at either end.
    one, type_ = constant(block, 1, dtype), scalar(dtype)
    magnitude = block.emit(f"math.absf {x} : {type_}")
    decay = block.emit(f"math.exp {block.emit(f'arith.negf {magnitude} : {type_}')} : {type_}")
    upper = compare(block, "oge", "", x, constant(block, 0, dtype), dtype)
    top = choose(block, upper, one, decay, dtype)
    return binary(block, "arith.divf", top, binary(block, "arith.addf", one, decay, dtype), dtype)


def _reciprocal(block: Block, dtype: DType, x: str) -> str:
    return binary(block, "arith.divf", constant(block, 1, dtype), x, dtype)


def _is_nan(block: Block, dtype: DType, x: str) -> str:
    return compare(block, "uno", "", x, x, dtype)


def _is_finite(block: Block, dtype: DType, x: str) -> str:
    infinity = constant(block, float("inf"), dtype)
    magnitude = block.emit(f"math.absf {x} : {scalar(dtype)}")
    return compare(block, "olt", "", magnitude, infinity, dtype)


def _select(block: Block, dtype: DType, condition: str, x: str, y: str) -> str:
    return choose(block, condition, x, y, dtype)


# --- division of integers traps on 0 and on the one overflow; NumPy gives 0 and the wrapped value


def _safe_divisor(block: Block, dtype: DType, y: str) -> tuple[str, str, str | None]:
    """A divisor that cannot trap, whether y is 0, and (signed) whether it is -1."""
    one = constant(block, 1, dtype)
    is_zero = compare(block, "", "eq", y, constant(block, 0, dtype), dtype)
    if dtype.kind == "uint":
        return choose(block, is_zero, one, y, dtype), is_zero, None
    is_minus_one = compare(block, "", "eq", y, constant(block, -1, dtype), dtype)
    unsafe = block.emit(f"arith.ori {is_zero}, {is_minus_one} : i1")
    return choose(block, unsafe, one, y, dtype), is_zero, is_minus_one


def _integer_floordiv(block: Block, dtype: DType, x: str, y: str) -> str:
    divisor, is_zero, is_minus_one = _safe_divisor(block, dtype, y)
    zero = constant(block, 0, dtype)
    if is_minus_one is None:
        quotient = binary(block, "arith.divui", x, divisor, dtype)
    else:
        divided = binary(block, "arith.divsi", x, divisor, dtype)
        remainder = binary(block, "arith.remsi", x, divisor, dtype)
        lower = binary(block, "arith.addi", divided, constant(block, -1, dtype), dtype)
        rounds = _differs_in_sign(block, dtype, remainder, divisor)
        floored = choose(block, rounds, lower, divided, dtype)
        negated = binary(block, "arith.subi", zero, x, dtype)
        quotient = choose(block, is_minus_one, negated, floored, dtype)
    return choose(block, is_zero, zero, quotient, dtype)


def _integer_mod(block: Block, dtype: DType, x: str, y: str) -> str:
    divisor, is_zero, is_minus_one = _safe_divisor(block, dtype, y)
    zero = constant(block, 0, dtype)
    if is_minus_one is None:
        remainder = binary(block, "arith.remui", x, divisor, dtype)
    else:
        # With divisor 1 in the place of -1 the remainder is 0, as it should be.
        truncated = binary(block, "arith.remsi", x, divisor, dtype)
        moved = binary(block, "arith.addi", truncated, divisor, dtype)
        rounds = _differs_in_sign(block, dtype, truncated, divisor)
        remainder = choose(block, rounds, moved, truncated, dtype)
    return choose(block, is_zero, zero, remainder, dtype)


def _differs_in_sign(block: Block, dtype: DType, remainder: str, divisor: str) -> str:
    """Whether a remainder is not 0 and of another sign than the divisor."""
    zero = constant(block, 0, dtype)
    present = compare(block, "une", "ne", remainder, zero, dtype)
    left = compare(block, "olt", "slt", remainder, zero, dtype)
    right = compare(block, "olt", "slt", divisor, zero, dtype)
    differ = block.emit(f"arith.xori {left}, {right} : i1")
    return block.emit(f"arith.andi {present}, {differ} : i1")


def _float_divmod(block: Block, dtype: DType, x: str, y: str) -> tuple[str, str]:
    """NumPy's `divmod`, step by step: the quotient is exact where `floor(x / y)` is not."""
    zero = constant(block, 0, dtype)
    type_ = scalar(dtype)
    truncated = binary(block, "arith.remf", x, y, dtype)
    rounds = _differs_in_sign(block, dtype, truncated, y)
    moved = binary(block, "arith.addf", truncated, y, dtype)
    remainder = choose(block, rounds, moved, truncated, dtype)
    exact = binary(block, "arith.divf", x, y, dtype)
    whole = binary(block, "arith.subf", x, truncated, dtype)
    quotient = binary(block, "arith.divf", whole, y, dtype)
    lower = binary(block, "arith.subf", quotient, constant(block, 1, dtype), dtype)
    quotient = choose(block, rounds, lower, quotient, dtype)
    floor = block.emit(f"math.floor {quotient} : {type_}")
    off = binary(block, "arith.subf", quotient, floor, dtype)
    high = compare(block, "ogt", "", off, constant(block, 0.5, dtype), dtype)
    above = binary(block, "arith.addf", floor, constant(block, 1, dtype), dtype)
    snapped = choose(block, high, above, floor, dtype)
    nothing = compare(block, "oeq", "", quotient, zero, dtype)
    signed_zero = block.emit(f"math.copysign {zero}, {exact} : {type_}")
    snapped = choose(block, nothing, signed_zero, snapped, dtype)
    by_zero = compare(block, "oeq", "", y, zero, dtype)
    result = choose(block, by_zero, exact, snapped, dtype)
    # A remainder of 0 has the sign of the divisor.
    empty = compare(block, "oeq", "", remainder, zero, dtype)
    signed_rest = block.emit(f"math.copysign {zero}, {y} : {type_}")
    return result, choose(block, empty, signed_rest, remainder, dtype)


def _floordiv(block: Block, dtype: DType, x: str, y: str) -> str:
    if dtype.is_float:
        return _float_divmod(block, dtype, x, y)[0]
    return _integer_floordiv(block, dtype, x, y)


def _mod(block: Block, dtype: DType, x: str, y: str) -> str:
    if dtype.is_float:
        return _float_divmod(block, dtype, x, y)[1]
    return _integer_mod(block, dtype, x, y)


def _pow(block: Block, dtype: DType, x: str, y: str) -> str:
    if dtype.is_float:
        return binary(block, "math.powf", x, y, dtype)
    return _integer_pow(block, dtype, x, y)


def _integer_pow(block: Block, dtype: DType, x: str, y: str) -> str:
    """By squaring over every bit of the exponent; wraps around as multiplication does."""
    type_ = scalar(dtype)
    one, zero = constant(block, 1, dtype), constant(block, 0, dtype)
    first, last, step = (block.emit(f"arith.constant {i} : index") for i in (0, dtype.bits, 1))
    power, square, bit = block.fresh(), block.fresh(), block.fresh()
    results = block.fresh()
    block.raw(
        f"{results}:2 = scf.for {bit} = {first} to {last} step {step} "
        f"iter_args({power} = {one}, {square} = {x}) -> ({type_}, {type_}) {{"
    )
    place = block.emit(f"arith.index_cast {bit} : index to {type_}")
    rest = binary(block, "arith.shrui", y, place, dtype)
    low = binary(block, "arith.andi", rest, one, dtype)
    is_set = compare(block, "", "ne", low, zero, dtype)
    multiplied = binary(block, "arith.muli", power, square, dtype)
    chosen = choose(block, is_set, multiplied, power, dtype)
    squared = binary(block, "arith.muli", square, square, dtype)
    block.raw(f"  scf.yield {chosen}, {squared} : {type_}, {type_}")
    block.raw("}")
    result = f"{results}#0"
    if dtype.kind == "uint":
        return result
    minus_one = constant(block, -1, dtype)
    odd = compare(block, "", "ne", binary(block, "arith.andi", y, one, dtype), zero, dtype)
    alternating = choose(block, odd, minus_one, one, dtype)
    is_minus_one = compare(block, "", "eq", x, minus_one, dtype)
    is_one = compare(block, "", "eq", x, one, dtype)
    unit = choose(block, is_minus_one, alternating, zero, dtype)
    unit = choose(block, is_one, one, unit, dtype)
    negative = compare(block, "", "slt", y, zero, dtype)
    return choose(block, negative, unit, result, dtype)


# --- casts


def cast(block: Block, x: str, source: DType, target: DType) -> str:
    """One element as another dtype, as NumPy's `astype` has it."""
    if source == target:
        return x
    if target.kind == "bool":
        return compare(block, "une", "ne", x, constant(block, 0, source), source)
    if source.is_float and target.is_float:
        return _cast_float(block, x, source, target)
    if source.is_float:
        return _float_to_integer(block, x, source, target)
    if target.is_float:
        if target.bits == 16:
            return cast(block, cast(block, x, source, F32), F32, target)
        operation = "sitofp" if source.kind == "int" else "uitofp"
        return _convert(block, operation, x, source, target)
    if scalar(source) == scalar(target):
        return x
    if source.bits > target.bits:
        return _convert(block, "trunci", x, source, target)
    return _convert(block, "extsi" if source.kind == "int" else "extui", x, source, target)


def _convert(block: Block, operation: str, x: str, source: DType, target: DType) -> str:
    return block.emit(f"arith.{operation} {x} : {scalar(source)} to {scalar(target)}")


def _cast_float(block: Block, x: str, source: DType, target: DType) -> str:
    if source.bits == target.bits:
        return cast(block, cast(block, x, source, F32), F32, target)
    if source.bits < target.bits:
        if source.bits == 16 and target == F64:
            return cast(block, cast(block, x, source, F32), F32, F64)
        return _convert(block, "extf", x, source, target)
    if source == F64 and target.bits == 16:
        through = _round_to_odd(block, x) if target.name == "f16" else None
        return cast(block, through or cast(block, x, F64, F32), F32, target)
    return _convert(block, "truncf", x, source, target)


def _round_to_odd(block: Block, x: str) -> str:
    """f64 to f32, such that a second rounding to f16 gives what one alone would: where the value
    is not exact, the neighbour with an odd last bit."""
    near = _convert(block, "truncf", x, F64, F32)
    back = _convert(block, "extf", near, F32, F64)
    inexact = block.emit(f"arith.cmpf one, {back}, {x} : f64")
    bits = block.emit(f"arith.bitcast {near} : f32 to i32")
    one = constant(block, 1, I32)
    even = compare(
        block, "", "eq", binary(block, "arith.andi", bits, one, I32), constant(block, 0, I32), I32
    )
    # Towards the value: up in magnitude where the rounding went down.
    size, wanted = (block.emit(f"math.absf {value} : f64") for value in (back, x))
    below = block.emit(f"arith.cmpf olt, {size}, {wanted} : f64")
    step = choose(block, below, one, constant(block, -1, I32), I32)
    moved = binary(block, "arith.addi", bits, step, I32)
    moves = block.emit(f"arith.andi {inexact}, {even} : i1")
    chosen = choose(block, moves, moved, bits, I32)
    return block.emit(f"arith.bitcast {chosen} : i32 to f32")


def _float_to_integer(block: Block, x: str, source: DType, target: DType) -> str:
    # Through a signed integer wide enough that values beyond a narrow target wrap around.
    if source.bits == 16:
        return _float_to_integer(block, cast(block, x, source, F32), F32, target)
    through = I64 if target.bits == 64 or target.name == "u32" else I32
    whole = _convert(block, "fptosi", x, source, through)
    return (
        whole if through.bits == target.bits else _convert(block, "trunci", whole, through, target)
    )


SCALARS: Final[Mapping[str, Scalar]] = {
    "neg": widened(_negate),
    "abs": widened(_absolute),
    "sign": widened(_sign),
    **{
        name: _math(name)
        for name in (
            "exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh",
            "erf", "floor", "ceil",
        )
    },
    "round": _math("roundeven"),
    "reciprocal": widened(_reciprocal),
    "sigmoid": widened(_sigmoid),
    "isnan": compared(_is_nan),
    "isfinite": compared(_is_finite),
    "add": _arithmetic("add"),
    "sub": _arithmetic("sub"),
    "mul": _arithmetic("mul"),
    "div": _arithmetic("div"),
    "floordiv": widened(_floordiv),
    "mod": widened(_mod),
    "pow": widened(_pow),
    "minimum": _arithmetic("min", signed=True),
    "maximum": _arithmetic("max", signed=True),
    "equal": _comparison("oeq", "eq"),
    "not_equal": _comparison("une", "ne"),
    "less": _comparison("olt", "slt"),
    "less_equal": _comparison("ole", "sle"),
    "greater": _comparison("ogt", "sgt"),
    "greater_equal": _comparison("oge", "sge"),
    "logical_and": _logic("andi"),
    "logical_or": _logic("ori"),
    "logical_not": _logical_not,
    "select": _select,
}  # fmt: skip
