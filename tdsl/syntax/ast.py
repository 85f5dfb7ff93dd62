"""The syntax tree: what was written, as frozen dataclasses with a span each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tdsl.syntax.source import Source, Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name where it is defined or mentioned outside an expression."""

    text: str


# --- expressions


@dataclass(frozen=True, slots=True)
class Variable(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Integer(Node):
    value: int


@dataclass(frozen=True, slots=True)
class Float(Node):
    value: float


@dataclass(frozen=True, slots=True)
class String(Node):
    value: str


@dataclass(frozen=True, slots=True)
class Boolean(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class Wildcard(Node):
    """`_` in the shape of a reshape."""


@dataclass(frozen=True, slots=True)
class Unary(Node):
    operator: Literal["-", "not"]
    operand: Expression


BinaryOperator = Literal[
    "+", "-", "*", "@", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "and", "or"
]


@dataclass(frozen=True, slots=True)
class Binary(Node):
    operator: BinaryOperator
    left: Expression
    right: Expression
    operator_span: Span


@dataclass(frozen=True, slots=True)
class SliceItem(Node):
    """`start:stop` in a subscript; None where left out. A step is refused by the parser."""

    start: Expression | None
    stop: Expression | None


@dataclass(frozen=True, slots=True)
class NewAxis(Node):
    """`newaxis` in a subscript."""


@dataclass(frozen=True, slots=True)
class Ellipsis_(Node):
    """`...` in a subscript: all axes not named."""


@dataclass(frozen=True, slots=True)
class Keyword(Node):
    """`name=value` in a call or among the static arguments."""

    name: Name
    value: Expression


@dataclass(frozen=True, slots=True)
class Subscript(Node):
    """`value[items]`: an index. Static arguments are StaticArguments instead."""

    value: Expression
    items: tuple[SliceItem | NewAxis | Ellipsis_ | Expression, ...]


@dataclass(frozen=True, slots=True)
class StaticArguments(Node):
    """`function[H=12]`, before it is called."""

    function: Expression
    arguments: tuple[Keyword, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`function(positional, name=keyword)`; `function` may be StaticArguments or an Attribute."""

    function: Expression
    positional: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """`value.name`: a module's member, a field, `.T`, `.dtype`, or a method when called."""

    value: Expression
    name: Name


@dataclass(frozen=True, slots=True)
class Tuple(Node):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class List(Node):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`start..stop`, only as the iterated thing of a loop or comprehension."""

    start: Expression
    stop: Expression


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`[body for pattern in iterated]`."""

    body: Expression
    pattern: Pattern
    iterated: Expression | Range
    unroll: bool


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """`fold state = initial for pattern in iterated { body }`, or `scan`."""

    kind: Literal["fold", "scan"]
    state: Pattern
    initial: Expression
    pattern: Pattern
    iterated: Expression | Range
    body: Block
    unroll: bool


@dataclass(frozen=True, slots=True)
class If(Node):
    condition: Expression
    then: Block
    otherwise: Block | If


Expression = (
    Variable
    | Integer
    | Float
    | String
    | Boolean
    | Wildcard
    | Unary
    | Binary
    | Subscript
    | StaticArguments
    | Call
    | Attribute
    | Tuple
    | List
    | Comprehension
    | Loop
    | If
)


# --- patterns and statements


@dataclass(frozen=True, slots=True)
class NamePattern(Node):
    name: str


@dataclass(frozen=True, slots=True)
class IgnorePattern(Node):
    """`_`."""


@dataclass(frozen=True, slots=True)
class SequencePattern(Node):
    """`(a, b)` takes a tuple apart, `[a, b]` a list."""

    kind: Literal["tuple", "list"]
    items: tuple[Pattern, ...]


Pattern = NamePattern | IgnorePattern | SequencePattern


@dataclass(frozen=True, slots=True)
class Let(Node):
    pattern: Pattern
    type: TypeExpression | None
    value: Expression


@dataclass(frozen=True, slots=True)
class Assert(Node):
    condition: Expression
    message: str | None


@dataclass(frozen=True, slots=True)
class ExpressionStatement(Node):
    value: Expression


Statement = Let | Assert | ExpressionStatement


@dataclass(frozen=True, slots=True)
class Block(Node):
    """`{ statements }`; the value is that of the last, an ExpressionStatement."""

    statements: tuple[Statement, ...]


# --- types


@dataclass(frozen=True, slots=True)
class PackDimension(Node):
    """`...S` among the sizes of a type."""

    name: Name


@dataclass(frozen=True, slots=True)
class AnyDimension(Node):
    """`_` among the sizes of a type, where a `let` leaves one to be inferred."""


@dataclass(frozen=True, slots=True)
class NamedDimension(Node):
    """`N=expr` among the arguments of a struct or alias."""

    name: Name
    value: Expression


Dimension = Expression | PackDimension | AnyDimension | NamedDimension


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """`f32[M, K]`, `f32`, `Block[C, F]`, `E[...S]`; `m.Block[C, F]` with `modules` m."""

    name: Name
    arguments: tuple[Dimension, ...]
    modules: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class ListType(Node):
    """`[item; length]`."""

    item: TypeExpression
    length: Expression


@dataclass(frozen=True, slots=True)
class TupleType(Node):
    items: tuple[TypeExpression, ...]


TypeExpression = NamedType | ListType | TupleType


# --- items


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """A size, static or dtype parameter: `N`, `static heads`, `E: dtype(float)`, `n: int = 2`."""

    name: Name
    static: bool
    kind: Name | None
    kind_argument: Name | None
    default: Expression | None


@dataclass(frozen=True, slots=True)
class PackParameter(Node):
    """`...S`: zero or more axes."""

    name: Name


@dataclass(frozen=True, slots=True)
class Constraint(Node):
    relation: Literal["==", "<=", "<", ">=", ">", "divides"]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Argument(Node):
    name: Name
    type: TypeExpression
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Marker(Node):
    """`@name` before an item."""

    name: Name


@dataclass(frozen=True, slots=True)
class Item(Node):
    """What all items have: documentation lines (without `##`), attributes, `pub`."""

    docs: tuple[str, ...]
    attributes: tuple[Marker, ...]
    public: bool


@dataclass(frozen=True, slots=True)
class ImportModule(Item):
    """`import a.b as c`."""

    path: tuple[Name, ...]
    alias: Name | None


@dataclass(frozen=True, slots=True)
class ImportedName(Node):
    name: Name
    alias: Name | None


@dataclass(frozen=True, slots=True)
class ImportNames(Item):
    """`from a.b import c, d as e`."""

    path: tuple[Name, ...]
    names: tuple[ImportedName, ...]


@dataclass(frozen=True, slots=True)
class Constant(Item):
    name: Name
    type: TypeExpression | None
    value: Expression


@dataclass(frozen=True, slots=True)
class Alias(Item):
    name: Name
    parameters: tuple[Parameter | PackParameter, ...]
    type: TypeExpression


@dataclass(frozen=True, slots=True)
class Field(Node):
    name: Name
    type: TypeExpression
    docs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Struct(Item):
    name: Name
    parameters: tuple[Parameter | PackParameter, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Function(Item):
    """`signature_end` is where a `where` clause would be inserted or go on."""

    name: Name
    parameters: tuple[Parameter | PackParameter, ...]
    arguments: tuple[Argument, ...]
    result: TypeExpression
    constraints: tuple[Constraint, ...]
    body: Block
    signature_end: int


@dataclass(frozen=True, slots=True)
class Test(Item):
    name: str
    body: Block


@dataclass(frozen=True, slots=True)
class Example(Item):
    function: Name
    bindings: tuple[Keyword, ...]
    result: TypeExpression


AnyItem = ImportModule | ImportNames | Constant | Alias | Struct | Function | Test | Example


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A whole file. `edition` is the text after `tdsl`, or None where that line is missing."""

    source: Source
    docs: tuple[str, ...]
    edition: Name | None
    items: tuple[AnyItem, ...]
