"""The typed program: every expression with its type, sizes as polynomials, sugar gone.

What is explicit here and was not in the syntax: dtype conversions (`Convert`), the values of all
parameters of a call, method calls and operators as builtins or functions, the items of
comprehensions over literal ranges. Broadcasting stays implicit in elementwise builtins.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tdsl.syntax.source import Source, Span
from tdsl.types.dtypes import AnyDType, DType, DTypeVariable
from tdsl.types.sizes import Pack, Shape, Size, Symbol
from tdsl.types.types import Substitution, Type

# Values of static operands of builtins: axes, flags, shapes, dtypes, labels.
Attribute = (
    int | float | bool | str | None | Size | DType | DTypeVariable | tuple["Attribute", ...] | Pack
)


@dataclass(frozen=True, slots=True)
class Expression:
    """The base of all below; checking adds dtypes, strings and packs where a value could stand, and
    builtins take those as attributes: none is part of a program."""

    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A literal; of WeakType, always."""

    value: int | float | bool


@dataclass(frozen=True, slots=True)
class SizeNumber(Expression):
    """A size used as a number; of WeakType("int"). Loop indices are symbols, so sizes too; and so
    are statics of the kinds bool and number, of those weak types: what the size then is, is read
    by types/numbers.py."""

    size: Size


@dataclass(frozen=True, slots=True)
class Local(Expression):
    """A parameter or `let` of the function; `index` is unique in it."""

    name: str
    index: int


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """To another dtype (or from a weak number to a typed scalar): written casts and promotion.

    `explicit` is true for casts that the user wrote.
    """

    value: Expression
    dtype: AnyDType
    explicit: bool


@dataclass(frozen=True, slots=True)
class Apply(Expression):
    """A builtin on values. Elementwise operands already have one dtype; weak ones stay weak only
    where all are, and then the result is weak and is computed when the instance is built."""

    builtin: str
    operands: tuple[Expression, ...]
    attributes: tuple[tuple[str, Attribute], ...]


@dataclass(frozen=True, slots=True)
class IndexAt:
    """One position of an axis, which goes away; may be negative only as a literal."""

    position: Size


@dataclass(frozen=True, slots=True)
class IndexRange:
    """The positions [start, stop) of an axis: 0 <= start < stop <= its size, proved."""

    start: Size
    stop: Size


@dataclass(frozen=True, slots=True)
class IndexNew:
    """A new axis of size 1."""


@dataclass(frozen=True, slots=True)
class IndexAll:
    """`count` axes (or, with a pack among them, all that are not named) unchanged."""

    shape: Shape


IndexItem = IndexAt | IndexRange | IndexNew | IndexAll


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """A static subscript of an array; the items cover all of its axes."""

    value: Expression
    items: tuple[IndexItem, ...]


@dataclass(frozen=True, slots=True)
class FunctionReference:
    """A function by its module ("std.nn") and name."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class CallFunction(Expression):
    """A call with a value for every size, pack and dtype parameter of the callee."""

    function: FunctionReference
    arguments: tuple[Expression, ...]
    parameters: Substitution = field(hash=False)


@dataclass(frozen=True, slots=True)
class MakeTuple(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MakeList(Expression):
    """A list with its items written out, or unrolled from a literal range."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comprehension(Expression):
    """`[body for index in start..stop]` over a range that is not literal; body checked once."""

    body: Expression
    index: Symbol
    start: Size
    stop: Size


@dataclass(frozen=True, slots=True)
class Item(Expression):
    """One item of a tuple or list, at a position known now (or a size: an index of a loop)."""

    value: Expression
    position: Size


@dataclass(frozen=True, slots=True)
class Binding:
    """`let name = value`. Patterns are taken apart into several bindings."""

    local: Local
    value: Expression


@dataclass(frozen=True, slots=True)
class Assertion:
    condition: Expression
    message: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence(Expression):
    """Statements, then the value."""

    statements: tuple[Binding | Assertion, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """`if` on a static condition; both branches have the type of the whole."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class SameDType(Expression):
    """Whether two dtypes are the same: a static, which each instance knows."""

    left: AnyDType
    right: AnyDType


@dataclass(frozen=True, slots=True)
class MakeStruct(Expression):
    """`KV(k=…, v=…)`: the fields' values in the order of the definition; of StructType."""

    fields: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FieldOf(Expression):
    """`value.name` of a struct; `position` counts the definition's fields."""

    value: Expression
    name: str
    position: int


@dataclass(frozen=True, slots=True)
class Zip(Expression):
    """A list of tuples out of lists of one length."""

    lists: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Loop(Expression):
    """`fold` or `scan`. Each step binds `state` and either `item` (of the list `iterated`) or
    `index` (of the range `start..stop`), then gives `body`: the next state, for a scan a tuple of
    the next state and an item of the resulting list. Patterns are taken apart inside `body`.
    """

    kind: Literal["fold", "scan"]
    initial: Expression
    state: Local
    iterated: Expression | None
    item: Local | None
    index: Symbol | None
    start: Size
    stop: Size
    body: Expression
    unroll: bool


@dataclass(frozen=True, slots=True)
class Poison(Expression):
    """In the place of an expression with an error; never in a program without diagnostics."""


# --- functions and modules


@dataclass(frozen=True, slots=True)
class SizeParameter:
    """A size parameter as written. `value` is what it is in the body: its own symbol, or the
    size that a `where` equality put in its place (`C` is `H*D`).
    """

    name: str
    static: bool
    value: Size
    default: Size | None
    span: Span
    kind: Literal["size", "int", "number", "bool"] = "size"


@dataclass(frozen=True, slots=True)
class Constraint:
    """`where left relation right`, kept for the callers and for messages."""

    relation: Literal["==", "<=", "<", ">=", ">", "divides"]
    left: Size
    right: Size
    span: Span


@dataclass(frozen=True, slots=True)
class Signature:
    """What a caller must know. Sizes in types are over the symbols of `sizes`' values."""

    function: FunctionReference
    sizes: tuple[SizeParameter, ...]
    packs: tuple[Pack, ...]
    dtypes: tuple[DTypeVariable, ...]
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    constraints: tuple[Constraint, ...]
    span: Span
    parameter_spans: tuple[Span, ...]
    result_span: Span
    signature_end: int
    argument_defaults: tuple[Expression | None, ...] = ()  # literals, as of the argument's type
    dtype_defaults: tuple[tuple[DTypeVariable, DType], ...] = ()  # where no argument tells


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function as its callers see it."""

    signature: Signature
    docs: tuple[str, ...]
    public: bool


@dataclass(frozen=True, slots=True)
class Function(Declaration):
    locals: tuple[Local, ...]  # of the parameters, in order
    body: Expression


@dataclass(frozen=True, slots=True)
class StructField:
    name: str
    type: Type
    docs: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct's definition. The fields' types are over its own parameters."""

    module: str
    name: str
    sizes: tuple[SizeParameter, ...]
    packs: tuple[Pack, ...]
    dtypes: tuple[DTypeVariable, ...]
    fields: tuple[StructField, ...]
    docs: tuple[str, ...]
    public: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Example:
    """`example name[...] -> type`: an instance of a function, with the values of its parameters."""

    function: str
    parameters: Substitution
    span: Span


@dataclass(frozen=True, slots=True)
class Test:
    name: str
    body: Expression  # a Sequence; its value is nothing of interest
    span: Span


@dataclass(frozen=True)
class Module:
    """A checked module. `functions` holds its own, `names` also the imported ones.

    `declarations` tells of the functions without their bodies: of a program that was checked
    earlier those are read again only when they are asked for.
    """

    name: str
    source: Source
    docs: tuple[str, ...]
    functions: Mapping[str, Function]
    names: Mapping[str, FunctionReference]
    examples: tuple[Example, ...]
    tests: abc.Sequence[Test]
    structs: Mapping[str, Struct] = field(default_factory=dict)
    declared: Mapping[str, Declaration] | None = None

    @property
    def declarations(self) -> Mapping[str, Declaration]:
        return self.functions if self.declared is None else self.declared


@dataclass(frozen=True)
class Program:
    """A module with all that it imports, by module name. Includes used parts of std."""

    root: Module
    modules: Mapping[str, Module]

    def function(self, reference: FunctionReference) -> Function:
        return self.modules[reference.module].functions[reference.name]
