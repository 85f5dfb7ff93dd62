"""The typed program: every expression with its type, sizes as polynomials, sugar gone.

What is explicit here and was not in the syntax: dtype conversions (`Convert`), the values of all
parameters of a call, method calls and operators as builtins or functions, the items of
comprehensions over literal ranges. Broadcasting stays implicit in elementwise builtins.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Mapping
from typing import Literal

import msgspec

from tdsl.syntax.source import Source, Span
from tdsl.types.dtypes import AnyDType, DType, DTypeVariable
from tdsl.types.sizes import Pack, Shape, Size, Symbol
from tdsl.types.types import Substitution, Type

# Values of static operands of builtins: axes, flags, shapes, dtypes, labels.
Attribute = (
    int | float | bool | str | None | Size | DType | DTypeVariable | tuple["Attribute", ...] | Pack
)


class Expression(msgspec.Struct, frozen=True):
    """The base of all below; checking adds dtypes, strings and packs where a value could stand, and
    builtins take those as attributes: none is part of a program."""

    type: Type
    span: Span


class Number(Expression, frozen=True):
    """A literal; of WeakType, always."""

    value: int | float | bool


class SizeNumber(Expression, frozen=True):
    """A size used as a number; of WeakType("int"). Loop indices are symbols, so sizes too; and so
    are statics of the kinds bool and number, of those weak types: what the size then is, is read
    by types/numbers.py."""

    size: Size


class Local(Expression, frozen=True):
    """A parameter or `let` of the function; `index` is unique in it."""

    name: str
    index: int


class Convert(Expression, frozen=True):
    """To another dtype (or from a weak number to a typed scalar): written casts and promotion.

    `explicit` is true for casts that the user wrote.
    """

    value: Expression
    dtype: AnyDType
    explicit: bool


class Apply(Expression, frozen=True):
    """A builtin on values. Elementwise operands already have one dtype; weak ones stay weak only
    where all are, and then the result is weak and is computed when the instance is built."""

    builtin: str
    operands: tuple[Expression, ...]
    attributes: tuple[tuple[str, Attribute], ...]


class IndexAt(msgspec.Struct, frozen=True):
    """One position of an axis, which goes away; may be negative only as a literal."""

    position: Size


class IndexRange(msgspec.Struct, frozen=True):
    """The positions [start, stop) of an axis: 0 <= start < stop <= its size, proved."""

    start: Size
    stop: Size


class IndexNew(msgspec.Struct, frozen=True):
    """A new axis of size 1."""


class IndexAll(msgspec.Struct, frozen=True):
    """`count` axes (or, with a pack among them, all that are not named) unchanged."""

    shape: Shape


IndexItem = IndexAt | IndexRange | IndexNew | IndexAll


class Index(Expression, frozen=True):
    """A static subscript of an array; the items cover all of its axes."""

    value: Expression
    items: tuple[IndexItem, ...]


class FunctionReference(msgspec.Struct, frozen=True):
    """A function by its module ("std.nn") and name."""

    module: str
    name: str


class CallFunction(Expression, frozen=True):
    """A call with a value for every size, pack and dtype parameter of the callee."""

    function: FunctionReference
    arguments: tuple[Expression, ...]
    parameters: Substitution

    def __hash__(self) -> int:
        return hash((self.type, self.span, self.function, self.arguments))  # mappings have no hash


class MakeTuple(Expression, frozen=True):
    items: tuple[Expression, ...]


class MakeList(Expression, frozen=True):
    """A list with its items written out, or unrolled from a literal range."""

    items: tuple[Expression, ...]


class Comprehension(Expression, frozen=True):
    """`[body for index in start..stop]` over a range that is not literal; body checked once."""

    body: Expression
    index: Symbol
    start: Size
    stop: Size


class Item(Expression, frozen=True):
    """One item of a tuple or list, at a position known now (or a size: an index of a loop)."""

    value: Expression
    position: Size


class Binding(msgspec.Struct, frozen=True):
    """`let name = value`. Patterns are taken apart into several bindings."""

    local: Local
    value: Expression


class Assertion(msgspec.Struct, frozen=True):
    condition: Expression
    message: str | None
    span: Span


class Sequence(Expression, frozen=True):
    """Statements, then the value."""

    statements: tuple[Binding | Assertion, ...]
    value: Expression


class Conditional(Expression, frozen=True):
    """`if` on a static condition; both branches have the type of the whole."""

    condition: Expression
    then: Expression
    otherwise: Expression


class SameDType(Expression, frozen=True):
    """Whether two dtypes are the same: a static, which each instance knows."""

    left: AnyDType
    right: AnyDType


class MakeStruct(Expression, frozen=True):
    """`KV(k=…, v=…)`: the fields' values in the order of the definition; of StructType."""

    fields: tuple[Expression, ...]


class FieldOf(Expression, frozen=True):
    """`value.name` of a struct; `position` counts the definition's fields."""

    value: Expression
    name: str
    position: int


class Zip(Expression, frozen=True):
    """A list of tuples out of lists of one length."""

    lists: tuple[Expression, ...]


class Loop(Expression, frozen=True):
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


class Poison(Expression, frozen=True):
    """In the place of an expression with an error; never in a program without diagnostics."""


# --- functions and modules


class SizeParameter(msgspec.Struct, frozen=True):
    """A size parameter as written. `value` is what it is in the body: its own symbol, or the
    size that a `where` equality put in its place (`C` is `H*D`).
    """

    name: str
    static: bool
    value: Size
    default: Size | None
    span: Span
    kind: Literal["size", "int", "number", "bool"] = "size"


class Constraint(msgspec.Struct, frozen=True):
    """`where left relation right`, kept for the callers and for messages."""

    relation: Literal["==", "<=", "<", ">=", ">", "divides"]
    left: Size
    right: Size
    span: Span


class Signature(msgspec.Struct, frozen=True):
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


class Declaration(msgspec.Struct, frozen=True):
    """A function as its callers see it."""

    signature: Signature
    docs: tuple[str, ...]
    public: bool


class Function(Declaration, frozen=True):
    locals: tuple[Local, ...]  # of the parameters, in order
    body: Expression


class StructField(msgspec.Struct, frozen=True):
    name: str
    type: Type
    docs: tuple[str, ...]
    span: Span


class Struct(msgspec.Struct, frozen=True):
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


class Example(msgspec.Struct, frozen=True):
    """`example name[...] -> type`: an instance of a function, with the values of its parameters."""

    function: str
    parameters: Substitution
    span: Span


class Test(msgspec.Struct, frozen=True):
    name: str
    body: Expression  # a Sequence; its value is nothing of interest
    span: Span


class Module(msgspec.Struct, frozen=True):
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
    structs: Mapping[str, Struct] = msgspec.field(default_factory=dict)
    declared: Mapping[str, Declaration] | None = None

    @property
    def declarations(self) -> Mapping[str, Declaration]:
        return self.functions if self.declared is None else self.declared


class Program(msgspec.Struct, frozen=True):
    """A module with all that it imports, by module name. Includes used parts of std."""

    root: Module
    modules: Mapping[str, Module]

    def function(self, reference: FunctionReference) -> Function:
        return self.modules[reference.module].functions[reference.name]
