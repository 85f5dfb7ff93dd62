"""Why a call does not fit its signature, as data: which argument, which axis, who fixed what.

The checker and the runtime put it in words in different ways: call_diagnostics.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from tdsl.check.typed import Constraint
from tdsl.types.dtypes import AnyDType, DTypeVariable
from tdsl.types.sizes import Pack, Shape, Size
from tdsl.types.types import Type

# How an argument's type differs from the declared one.
Reason = Literal["kind", "rank", "dtype", "bound", "weak", "length", "pack"]


class Origin(msgspec.Struct, frozen=True):
    """What fixed a size: an axis of an argument, a static argument, or a default.

    `index` and `name` say which argument, `axis` counts its axes; for an axis within a tuple, list
    or struct, `inside` is that inner type as found.
    """

    kind: Literal["argument", "static", "default"]
    name: str
    index: int = -1
    axis: int | None = None
    inside: Type | None = None


class Fixed(msgspec.Struct, frozen=True):
    """The value that a parameter has by what was given."""

    name: str
    value: Size
    origin: Origin | None


class CallFailure(msgspec.Struct, frozen=True):
    """Why a call does not fit; `fixed` are the size parameters known when that was found."""

    fixed: tuple[Fixed, ...]

    @property
    def code(self) -> str:
        return _CODES[type(self)]


class Poisoned(CallFailure, frozen=True):
    """An argument with an error of its own leaves a parameter open: nothing to report."""


class TooComplex(CallFailure, frozen=True):
    """The sizes have too many terms, or too large numbers."""


class UnknownParameter(CallFailure, frozen=True):
    name: str
    known: tuple[str, ...]


class WrongCount(CallFailure, frozen=True):
    wanted: int
    given: int


class MissingStatic(CallFailure, frozen=True):
    """`value` is what the arguments would ask for, where they say."""

    name: str
    value: Size | None


class WrongType(CallFailure, frozen=True):
    """Another rank, dtype or kind of value. `part` and `found_part` are the inner types that differ."""

    index: int
    name: str
    declared: Type
    found: Type
    part: Type
    found_part: Type
    reason: Reason
    dtype: AnyDType | None = None  # what a dtype parameter already was, by another argument
    dtype_origin: Origin | None = None


class WrongDType(CallFailure, frozen=True):
    """A dtype given by name is not one that the parameter may stand for."""

    variable: DTypeVariable
    found: AnyDType


class WrongSize(CallFailure, frozen=True):
    """An axis of an argument is not what the others ask for."""

    origin: Origin
    declared: Size
    wanted: Size
    found: Size


class WrongPack(CallFailure, frozen=True):
    """A pack stands for other axes here than in the argument `first`."""

    origin: Origin
    pack: Pack
    wanted: Shape
    found: Shape
    first: Origin


class Contradiction(CallFailure, frozen=True):
    """A static argument, or a default, is not what the other values give."""

    origin: Origin
    declared: Size
    wanted: Size
    found: Size


class Indivisible(CallFailure, frozen=True):
    """`parameter * divisor = dividend` has no solution, or is not known to have one.

    `constraint` is the clause that asks for it, where one does.
    """

    origin: Origin
    parameter: str
    declared: Size
    divisor: Size
    dividend: Size
    constraint: Constraint | None

    @property
    def never(self) -> bool:
        return self.divisor.literal is not None and self.dividend.literal is not None

    @property
    def code(self) -> str:
        return "E0505" if self.never or self.constraint is None else "E0507"


class Undetermined(CallFailure, frozen=True):
    """Size, pack or dtype parameters that nothing given fixes."""

    names: tuple[str, ...]


class Unproved(CallFailure, frozen=True):
    """A `where` clause that is not known to hold; `never` if it is known not to."""

    constraint: Constraint
    left: Size
    right: Size
    never: bool


class TooSmall(CallFailure, frozen=True):
    """A size that is not known to be at least `least`."""

    name: str
    value: Size
    least: int
    origin: Origin | None


_CODES: Mapping[type[CallFailure], str] = {
    Poisoned: "",
    UnknownParameter: "E0501",
    WrongType: "E0502",
    WrongDType: "E0502",
    WrongCount: "E0503",
    WrongSize: "E0504",
    WrongPack: "E0504",
    Contradiction: "E0505",
    Indivisible: "E0505",
    Undetermined: "E0506",
    Unproved: "E0507",
    TooSmall: "E0508",
    MissingStatic: "E0510",
    TooComplex: "E0704",
}
