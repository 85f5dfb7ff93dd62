"""Typing of operands: which kind of value they are and which dtype they meet in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from tdsl.ops.table import Checking, Given, Rule, Typing
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.types.dtypes import (
    BOUNDS,
    DTYPES,
    AnyDType,
    DType,
    DTypeVariable,
    WeakKind,
    promote,
    promote_weak,
)
from tdsl.types.sizes import Dimension, Pack, Shape
from tdsl.types.types import (
    POISON,
    ListType,
    PoisonType,
    StringType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)

BOOL, I64, F64, F32 = DTYPES["bool"], DTYPES["i64"], DTYPES["f64"], DTYPES["f32"]
_WEAK_ORDER: tuple[WeakKind, ...] = ("bool", "int", "float")


def quiet(rule: Rule) -> Rule:
    """The rule, silent about operands that already had an error."""

    def guarded(checking: Checking, given: Mapping[str, Given]) -> Typing:
        if any(_poisoned(argument) for argument in given.values()):
            return Typing(POISON, {}, {})
        return rule(checking, given)

    return guarded


def _poisoned(given: Given) -> bool:
    types = [given.type, *(item.type for item in given.items)]
    return any(
        isinstance(t, PoisonType) or (isinstance(t, ListType) and isinstance(t.item, PoisonType))
        for t in types
    )


def wrap(given: Given, before: str, after: str) -> tuple[Edit, Edit]:
    """Edits that put text around an operand."""
    span = given.span
    return (
        Edit(span.source.span(span.start, span.start), before),
        Edit(span.source.span(span.end, span.end), after),
    )


def show_dimension(checking: Checking, dimension: Dimension) -> str:
    if isinstance(dimension, Pack):
        return f"...{dimension.name}"
    return checking.show(dimension)


def show_shape(checking: Checking, shape: Shape) -> str:
    return f"[{', '.join(show_dimension(checking, dimension) for dimension in shape)}]"


def array(checking: Checking, operation: str, given: Given) -> TensorType:
    """The operand's type, where only an array will do."""
    if not isinstance(given.type, TensorType):
        _refuse_kind(checking, operation, given, "an array")
    return given.type


def array_or_number(
    checking: Checking, operation: str, given: Given, wanted: str = "an array or a number"
) -> TensorType | WeakType:
    if not isinstance(given.type, TensorType | WeakType):
        _refuse_kind(checking, operation, given, wanted)
    return given.type


def scalar(checking: Checking, operation: str, given: Given) -> TensorType | WeakType:
    """The operand's type, where only one number will do."""
    found = array_or_number(checking, operation, given, "a number")
    if isinstance(found, TensorType) and found.shape:
        _refuse_kind(checking, operation, given, "a number, not an array with axes,")
    return found


def _refuse_kind(checking: Checking, operation: str, given: Given, wanted: str) -> NoReturn:
    match given.type:
        case None:
            found = "this"
        case TupleType():
            found = f"the tuple `{checking.show(given.type)}`"
        case ListType():
            found = f"the list `{checking.show(given.type)}`"
        case StringType():
            found = "a string"
        case WeakType():
            found = f"{checking.show(given.type)}"
        case _:
            found = f"`{checking.show(given.type)}`"
    checking.fail(
        "E0308",
        f"`{operation}` needs {wanted} here, not {found}",
        labels=[(given.span, f"this is {found}")],
    )


def shape_of(type_: TensorType | WeakType) -> Shape:
    return type_.shape if isinstance(type_, TensorType) else ()


def unify(checking: Checking, operation: str, operands: Sequence[Given]) -> AnyDType | WeakKind:
    """The dtype that elementwise operands meet in; the weak kind where none of them has a dtype."""
    typed = [g for g in operands if isinstance(g.type, TensorType)]
    weak = [g for g in operands if isinstance(g.type, WeakType)]
    kinds = [g.type.kind for g in weak if isinstance(g.type, WeakType)]
    if not typed:
        return max(kinds, key=_WEAK_ORDER.index)
    result = _dtype(typed[0])
    for operand in typed[1:]:
        result = _promote(checking, operation, typed[0], result, operand)
    for operand, kind in zip(weak, kinds, strict=True):
        result = _promote_weak(checking, operation, typed[0], result, operand, kind)
    return result


def _dtype(given: Given) -> AnyDType:
    assert isinstance(given.type, TensorType)
    return given.type.dtype


def _promote(
    checking: Checking, operation: str, first: Given, left: AnyDType, operand: Given
) -> AnyDType:
    right = _dtype(operand)
    if left == right:
        return left
    if isinstance(left, DTypeVariable):
        _refuse_variable(checking, operation, left, right, (first, operand), operand)
    if isinstance(right, DTypeVariable):
        _refuse_variable(checking, operation, right, left, (first, operand), first)
    return promote(left, right)


def _refuse_variable(
    checking: Checking,
    operation: str,
    variable: DTypeVariable,
    other: AnyDType,
    operands: Sequence[Given],
    plain: Given,
) -> NoReturn:
    name = checking.show(variable)
    shown = [(g.span, f"this is `{checking.show(g.type)}`") for g in operands if g.type]
    bound = {"float": "float ", "int": "integer ", "number": "number ", "any": ""}[variable.bound]
    note = (
        f"`{name}` may stand for any {bound}dtype, so nothing is known of the dtype that the two "
        "would meet in"
    )
    checking.fail(
        "E0307",
        f"`{operation}` meets `{name}`, a dtype parameter, with `{checking.show(other)}`",
        labels=[(checking.span, ""), *shown],
        notes=[note],
        helps=[Help(f"cast it to `{name}`", wrap(plain, f"{name}(", ")"))],
    )


def _promote_weak(
    checking: Checking,
    operation: str,
    first: Given,
    dtype: AnyDType,
    operand: Given,
    kind: WeakKind,
) -> AnyDType:
    if isinstance(dtype, DType):
        return promote_weak(dtype, kind)
    if dtype.bound == "int" and kind == "float":
        return F64
    unknown = kind == "float" and dtype.bound != "float"
    if unknown or (kind == "int" and dtype.bound == "any"):
        _refuse_weak(checking, operation, first, dtype, operand, kind)
    return dtype


def _refuse_weak(
    checking: Checking,
    operation: str,
    first: Given,
    dtype: DTypeVariable,
    operand: Given,
    kind: WeakKind,
) -> NoReturn:
    name = checking.show(dtype)
    number = {"float": "a number with a fraction", "int": "an integer", "bool": "a bool"}[kind]
    also = " or bool" if dtype.bound == "any" else ""
    checking.fail(
        "E0307",
        f"`{operation}` meets `{name}`, a dtype parameter that may be an integer{also} dtype, "
        f"with {number}",
        labels=[(operand.span, f"this is {number}"), (first.span, f"this has the dtype `{name}`")],
        helps=[
            Help(f"declare `{name}: dtype({'float' if kind == 'float' else 'number'})`"),
            Help(f"or cast the number to `{name}`", wrap(operand, f"{name}(", ")")),
        ],
    )


def refuse_dtype(
    checking: Checking,
    operation: str,
    given: Given,
    dtype: AnyDType | WeakKind,
    wanted: str,
    helps: Sequence[Help] = (),
) -> NoReturn:
    """An operation that does not take this dtype."""
    shown = checking.show(given.type) if given.type else str(dtype)
    what = f"{shown}" if isinstance(given.type, WeakType) else f"`{shown}`"
    notes = []
    if isinstance(dtype, DTypeVariable):
        notes.append(f"`{checking.show(dtype)}` may be any dtype of `dtype({dtype.bound})`")
    checking.fail(
        "E0306",
        f"`{operation}` takes {wanted}, not {what}",
        labels=[(given.span, f"this is {what}")],
        notes=notes,
        helps=helps,
    )


def is_kind(dtype: AnyDType | WeakKind, kinds: frozenset[str]) -> bool:
    """Whether a dtype, every dtype that a parameter may stand for, or a weak kind is among these
    kinds ("float", "int", "uint", "bool")."""
    if isinstance(dtype, DType):
        return dtype.kind in kinds
    if isinstance(dtype, DTypeVariable):
        return BOUNDS[dtype.bound] <= kinds
    return dtype in kinds


FLOATS = BOUNDS["float"]
INTEGERS = BOUNDS["int"]
NUMBERS = BOUNDS["number"]
BOOLS = frozenset({"bool"})


def require_float(checking: Checking, operation: str, given: Given) -> TensorType | WeakType:
    """The operand of a float function: a float array, or any compile-time number."""
    found = array_or_number(checking, operation, given)
    if isinstance(found, WeakType):
        if found.kind == "bool":
            refuse_dtype(checking, operation, given, "bool", "floats")
        return found
    if not is_kind(found.dtype, FLOATS):
        cast = Help("cast it", wrap(given, "f32(", ")"))
        if isinstance(found.dtype, DTypeVariable) and found.dtype.bound != "int":
            cast = Help(f"declare `{checking.show(found.dtype)}: dtype(float)`")
        refuse_dtype(checking, operation, given, found.dtype, "floats", [cast])
    return found


def require_number(
    checking: Checking, operation: str, given: Given, helps: Sequence[Help] = ()
) -> TensorType | WeakType:
    found = array_or_number(checking, operation, given)
    dtype = found.dtype if isinstance(found, TensorType) else found.kind
    if not is_kind(dtype, NUMBERS):
        if isinstance(dtype, DTypeVariable):
            helps = [Help(f"declare `{checking.show(dtype)}: dtype(number)`")]
        elif not helps:
            helps = [Help("cast it", wrap(given, "i32(", ")"))]
        refuse_dtype(checking, operation, given, dtype, "numbers", helps)
    return found


def require_bool(checking: Checking, operation: str, given: Given) -> TensorType | WeakType:
    found = array_or_number(checking, operation, given)
    dtype = found.dtype if isinstance(found, TensorType) else found.kind
    if not is_kind(dtype, BOOLS):
        compare = Help("compare it, for example with 0", wrap(given, "(", " != 0)"))
        refuse_dtype(checking, operation, given, dtype, "bools", [compare])
    return found


def with_shape(dtype: AnyDType | WeakKind, shape: Shape) -> Type:
    """The type of an elementwise result."""
    return WeakType(dtype) if isinstance(dtype, str) else TensorType(dtype, shape)


def conversions(dtype: AnyDType | WeakKind, names: Sequence[str]) -> dict[str, AnyDType]:
    """Every operand to one dtype; none where all are compile-time numbers."""
    return {} if isinstance(dtype, str) else dict.fromkeys(names, dtype)
