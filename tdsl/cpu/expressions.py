"""Writing arithmetic on one float type as Python expressions that build MLIR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import arith, math


def element_of(type: Any) -> Any:
    """The type of one number: of a vector, that of its elements."""
    return type.element_type if isinstance(type, ir.VectorType) else type


def like(type: Any, element: Any) -> Any:
    """As many numbers of another type."""
    return ir.VectorType.get(type.shape, element) if isinstance(type, ir.VectorType) else element


def _constant(type: Any, attribute: Any) -> Any:
    if isinstance(type, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(type, attribute)
    return arith.ConstantOp(type, attribute).result


class Format(msgspec.Struct, frozen=True):
    """What polynomials need to know of f32 or f64, or of vectors of them."""

    type: Any
    integer: Any
    fraction_bits: int
    bias: int
    rounder: float
    """Adding and taking away 1.5 * 2**fraction_bits rounds to an integer, whose value then stands
    in the low bits: no conversion instruction is needed, which narrow vector units lack."""
    contract: Any

    @staticmethod
    def of(type: Any) -> Format | None:
        contract = ir.Attribute.parse("#arith.fastmath<contract>")
        element = element_of(type)
        if isinstance(element, ir.F32Type):
            word = like(type, ir.IntegerType.get_signless(32))
            return Format(type, word, 23, 127, 1.5 * 2.0**23, contract)
        if isinstance(element, ir.F64Type):
            word = like(type, ir.IntegerType.get_signless(64))
            return Format(type, word, 52, 1023, 1.5 * 2.0**52, contract)
        return None

    @property
    def is_single(self) -> bool:
        return self.fraction_bits == 23

    def double(self) -> Format:
        """As many numbers in f64."""
        found = Format.of(like(self.type, ir.F64Type.get()))
        assert found is not None
        return found

    def real(self, value: float) -> Real:
        attribute = ir.FloatAttr.get(element_of(self.type), value)
        return Real(self, _constant(self.type, attribute))

    def word(self, value: int) -> Word:
        attribute = ir.IntegerAttr.get(element_of(self.integer), value)
        return Word(self, _constant(self.integer, attribute))


class Real(msgspec.Struct, frozen=True):
    """A float value. Products that are added may be fused (contract); nothing else is relaxed."""

    format: Format
    value: Any

    def _of(self, other: Real | float) -> Any:
        return other.value if isinstance(other, Real) else self.format.real(other).value

    def _new(self, operation: Any) -> Real:
        return Real(self.format, operation.result)

    def __add__(self, other: Real | float) -> Real:
        return self._new(arith.AddFOp(self.value, self._of(other), fastmath=self.format.contract))

    __radd__ = __add__

    def __sub__(self, other: Real | float) -> Real:
        return self._new(arith.SubFOp(self.value, self._of(other), fastmath=self.format.contract))

    def __rsub__(self, other: float) -> Real:
        return self._new(arith.SubFOp(self._of(other), self.value, fastmath=self.format.contract))

    def __mul__(self, other: Real | float) -> Real:
        return self._new(arith.MulFOp(self.value, self._of(other), fastmath=self.format.contract))

    __rmul__ = __mul__

    def __truediv__(self, other: Real | float) -> Real:
        return self._new(arith.DivFOp(self.value, self._of(other)))

    def __rtruediv__(self, other: float) -> Real:
        return self._new(arith.DivFOp(self._of(other), self.value))

    def __neg__(self) -> Real:
        return self._new(arith.NegFOp(self.value))

    # Rounded once each, never fused: what error-free transformations need.

    def plus(self, other: Real | float) -> Real:
        return self._new(arith.AddFOp(self.value, self._of(other)))

    def minus(self, other: Real | float) -> Real:
        return self._new(arith.SubFOp(self.value, self._of(other)))

    def times(self, other: Real | float) -> Real:
        return self._new(arith.MulFOp(self.value, self._of(other)))

    def widened(self) -> Real:
        """In f64."""
        if not self.format.is_single:
            return self
        double = self.format.double()
        return Real(double, arith.ExtFOp(double.type, self.value).result)

    def narrowed(self, format: Format) -> Real:
        """In the format that `widened` began with."""
        if not format.is_single:
            return self
        return Real(format, arith.TruncFOp(format.type, self.value).result)

    def absolute(self) -> Real:
        return self._new(math.AbsFOp(self.value))

    def with_sign_of(self, other: Real) -> Real:
        return self._new(math.CopySignOp(self.value, other.value))

    def compare(self, predicate: str, other: Real | float) -> Any:
        """`o..` is false and `u..` true where an operand is NaN."""
        kind = getattr(arith.CmpFPredicate, predicate.upper())
        return arith.CmpFOp(kind, self.value, self._of(other)).result

    def where(self, condition: Any, otherwise: Real | float) -> Real:
        return self._new(arith.SelectOp(condition, self.value, self._of(otherwise)))

    def at_most(self, limit: float) -> Real:
        """NaN stays NaN; one instruction."""
        return self.format.real(limit).where(self.compare("ogt", limit), self)

    def at_least(self, limit: float) -> Real:
        return self.format.real(limit).where(self.compare("olt", limit), self)

    def bits(self) -> Word:
        return Word(self.format, arith.BitcastOp(self.format.integer, self.value).result)

    def polynomial(self, coefficients: Sequence[float]) -> Real:
        """Horner's rule; the coefficient of the highest power comes first."""
        result = self.format.real(coefficients[0])
        for coefficient in coefficients[1:]:
            result = result * self + coefficient
        return result


class Word(msgspec.Struct, frozen=True):
    """The bits of a float as an integer."""

    format: Format
    value: Any

    def _of(self, other: Word | int) -> Any:
        return other.value if isinstance(other, Word) else self.format.word(other).value

    def __add__(self, other: Word | int) -> Word:
        return Word(self.format, arith.AddIOp(self.value, self._of(other)).result)

    def __sub__(self, other: Word | int) -> Word:
        return Word(self.format, arith.SubIOp(self.value, self._of(other)).result)

    def __mul__(self, other: Word | int) -> Word:
        """The low half of a product."""
        return Word(self.format, arith.MulIOp(self.value, self._of(other)).result)

    def __and__(self, other: Word | int) -> Word:
        return Word(self.format, arith.AndIOp(self.value, self._of(other)).result)

    def __or__(self, other: Word | int) -> Word:
        return Word(self.format, arith.OrIOp(self.value, self._of(other)).result)

    def __xor__(self, other: Word | int) -> Word:
        return Word(self.format, arith.XOrIOp(self.value, self._of(other)).result)

    def __lshift__(self, count: Word | int) -> Word:
        return Word(self.format, arith.ShLIOp(self.value, self._of(count)).result)

    def __rshift__(self, count: int) -> Word:
        """Keeps the sign."""
        return Word(self.format, arith.ShRSIOp(self.value, self._of(count)).result)

    def unsigned_shift(self, count: Word | int) -> Word:
        """To the right; zeros come in."""
        return Word(self.format, arith.ShRUIOp(self.value, self._of(count)).result)

    def is_zero(self) -> Any:
        return arith.CmpIOp(arith.CmpIPredicate.eq, self.value, self._of(0)).result

    def is_below(self, other: Word | int) -> Any:
        """As unsigned numbers."""
        return arith.CmpIOp(arith.CmpIPredicate.ult, self.value, self._of(other)).result

    def where(self, condition: Any, otherwise: Word | int) -> Word:
        chosen = arith.SelectOp(condition, self.value, self._of(otherwise)).result
        return Word(self.format, chosen)

    def real(self) -> Real:
        return Real(self.format, arith.BitcastOp(self.format.type, self.value).result)
