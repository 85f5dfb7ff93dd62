"""The table of builtins: what each is called, takes, gives, means and becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

import numpy as np

from tdsl.syntax.diagnostics import Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import AnyDType
from tdsl.types.sizes import Shape, Size
from tdsl.types.types import Type

ParameterKind = Literal[
    "value",  # an array or a weak number
    "values",  # a list of arrays: written out, or of a symbolic length
    "axis",  # a static integer, negative from the end
    "axes",  # a static integer or list of them; None: all axes
    "flag",  # a static bool
    "shape",  # a list of sizes; with one `_` where the builtin allows it
    "permutation",  # a list of literal integers
    "size",  # one size
    "dtype",  # a dtype's name
    "number",  # a weak number
    "label",  # a string
    "starts",  # a list of scalars known at run time or of sizes
    "pairs",  # a list of pairs of sizes, for pad
]


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a builtin; keyword or positional in this order. A default of REQUIRED means
    that it must be given."""

    name: str
    kind: ParameterKind
    default: Any = REQUIRED


@dataclass(frozen=True, slots=True)
class Given:
    """One checked argument: for "value" its type, and for a weak number also its `value` where it
    is known (a literal, or computed from literals); for "values" a ListType, or where the list is
    written out `items`, one Given each (their shapes may differ); else its static value
    (int, bool, tuple, Size, Shape with None for `_`, dtype, str). `span` covers what was written."""

    span: Span
    type: Type | None = None
    value: Any = None
    items: tuple[Given, ...] = ()


class Checking(Protocol):
    """What the checker offers to a builtin's typing rule."""

    @property
    def span(self) -> Span:
        """The whole call."""
        ...

    def show(self, thing: Type | Size | Shape | AnyDType) -> str:
        """In the user's own names."""
        ...

    def at_least(self, size: Size, least: int) -> bool:
        """Whether size >= least is provable here."""
        ...

    def where(
        self, left: Size, relation: Literal["==", "<=", "divides"], right: Size
    ) -> Help | None:
        """Advice, with its edit, to add this constraint to the enclosing function; None outside a
        function or where the constraint would be refused."""
        ...

    def fail(
        self,
        code: str,
        message: str,
        *,
        labels: Sequence[tuple[Span, str]] = (),
        notes: Sequence[str] = (),
        helps: Sequence[Help] = (),
    ) -> NoReturn:
        """Report and give up on this call. Without labels the whole call is marked."""
        ...


@dataclass(frozen=True, slots=True)
class Typing:
    """What a rule found: the result's type; per value parameter the dtype to convert to first
    (absent: as it is; of "values": every item); and the static attributes for `reference` and
    `expand`, under the parameters' names, normalised. Axes that stand right of a pack stay
    negative. Before `reference` is called, sizes become ints and packs are spliced in; before
    `expand`, packs and dtype parameters are replaced and sizes stay sizes."""

    result: Type
    convert: Mapping[str, AnyDType]
    attributes: Mapping[str, Any]


Rule = Callable[[Checking, Mapping[str, Given]], Typing]


@dataclass(frozen=True, slots=True)
class Builtin:
    """One builtin. `signature` is shown to users, in TDSL's own type syntax; `reference` computes
    it with NumPy from converted operands and attributes; `expand` builds it from primitives on a
    graph builder (see primitives.Builder)."""

    name: str
    family: str
    parameters: tuple[Parameter, ...]
    signature: str
    doc: str
    example: str
    rule: Rule
    reference: Callable[
        ..., np.ndarray[Any, Any] | np.generic | int | float | bool | tuple[Any, ...]
    ]
    expand: Callable[..., Any]  # (builder, *operands, **attributes)
    operator: str | None = None  # `+` for add; None where only the name is written

    @property
    def named(self) -> bool:
        """Whether programs may call it by its name, which then is reserved. An operator's name
        stands only in this table; unary minus has `neg` too, for its sign is that of `sub`."""
        return self.operator is None or self.name == "neg"


@dataclass(frozen=True, slots=True)
class Structural:
    """A builtin that no row of the table describes, for it is no function of arrays: the checker
    knows it. Here is what users are told."""

    name: str
    family: str
    signature: str
    doc: str
    example: str
