"""Blocks: `let`, `assert`, and the expression that is the value."""

from __future__ import annotations

from tdsl.check import typed
from tdsl.check.advice import wrap
from tdsl.check.context import Context
from tdsl.check.convert import convert
from tdsl.check.lists import list_items
from tdsl.check.patterns import bind_pattern
from tdsl.check.types import resolve_type
from tdsl.check.values import is_poisoned, kind_of, number, poison
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.types.dtypes import DTYPES
from tdsl.types.types import ListType, PoisonType, TensorType, TupleType, Type, WeakType


def check_block(context: Context, block: ast.Block) -> typed.Expression:
    """The statements in order, in the names of this context; the value is that of the last."""
    statements: list[typed.Binding | typed.Assertion] = []
    fine = True
    value: typed.Expression | None = None
    for position, statement in enumerate(block.statements):
        last = position == len(block.statements) - 1
        match statement:
            case ast.Let():
                statements += _let(context, statement)
            case ast.Assert():
                assertion = _assert(context, statement)
                if assertion is not None:
                    statements.append(assertion)
            case ast.ExpressionStatement():
                found = context.check(statement.value)
                if last:
                    value = found
                elif not is_poisoned(found):
                    fine = False
                    context.fail(
                        statement,
                        "E0210",
                        "the value of this expression is not used",
                        f"this gives {context.show(found.type)}",
                        notes=["functions have no side effects; only the last line is the value"],
                        helps=[Help("give it a name with `let`")],
                    )
    _warn_unused(context)
    if value is None:
        # A test has no value; a block of a function always ends in one (the parser sees to it).
        value = number(True, block.span)
    if is_poisoned(value) or not fine:
        return poison(value.span)
    if not statements:
        return value
    return typed.Sequence(value.type, value.span, tuple(statements), value)


def _warn_unused(context: Context) -> None:
    if context.owner.in_test:
        return
    for name, bound in context.environment.own().items():
        if bound.used or name.startswith("_"):
            continue
        if bound.is_state:
            context.reporter.report(
                "W0004",
                f"the state `{name}` is not used: each step forgets what the one before gave",
                bound.span,
                helps=[Help(f"use it in the body; if it is to be forgotten, call it `_{name}`")],
            )
        else:
            context.reporter.report(
                "W0004",
                f"`{name}` is not used",
                bound.span,
                helps=[Help(f"leave it out, or call it `_{name}`")],
            )


def _let(context: Context, node: ast.Let) -> list[typed.Binding]:
    takes_apart = isinstance(node.pattern, ast.SequencePattern) and node.pattern.kind == "list"
    if takes_apart and isinstance(node.value, (ast.List, ast.Comprehension)):
        # Items that get names of their own may differ in type.
        value = list_items(context, node.value)
    else:
        value = context.check(node.value)
    if node.type is not None:
        declared = resolve_type(context, node.type, wanted=value.type)
        if not isinstance(declared, PoisonType):
            value = _declared(context, node, value, declared)
    return bind_pattern(context, node.pattern, value)


def _declared(
    context: Context, node: ast.Let, value: typed.Expression, declared: Type
) -> typed.Expression:
    assert node.type is not None
    if is_poisoned(value):
        return poison(value.span)
    fitted = fit(context, value, declared)
    if fitted is not None:
        return fitted
    shown, given = context.names.types_apart(declared, value.type)
    context.fail(
        value.span,
        "E0203",
        f"`{_pattern_text(node)}` is declared as `{shown}`, but its value is `{given}`",
        f"this is {given}",
        more=[(node.type.span, "declared here")],
        helps=_retype(node.type, value, declared, given),
    )
    return poison(value.span)


def _retype(
    node: ast.TypeExpression, value: typed.Expression, declared: Type, given: str
) -> list[Help]:
    helps = (
        []
        if isinstance(value.type, WeakType)
        else [Help(f"declare `{given}`, or leave the type out", (Edit(node.span, given),))]
    )
    if isinstance(declared, TensorType) and isinstance(value.type, TensorType):
        cast = f"{declared.dtype}("
        helps.append(Help(f"cast it: `{cast}…)`", wrap(value.span, cast, ")")))
    return helps


def _pattern_text(node: ast.Let) -> str:
    return node.pattern.span.text


def fit(context: Context, value: typed.Expression, wanted: Type) -> typed.Expression | None:
    """The value as of the wanted type: compile-time numbers take its dtype. None where it is
    of another type; a number out of range is reported and poisoned."""
    if value.type == wanted or is_poisoned(value):
        return value
    if isinstance(value.type, WeakType) and isinstance(wanted, TensorType) and not wanted.shape:
        meets_bool = value.type.kind == "bool"
        if meets_bool != (wanted.dtype == DTYPES["bool"]):
            return None
        return convert(context, value, wanted.dtype)
    if isinstance(wanted, TupleType) and isinstance(value, typed.MakeTuple):
        if len(wanted.items) != len(value.items):
            return None
        items = []
        for item, type_ in zip(value.items, wanted.items, strict=True):
            fitted = fit(context, item, type_)
            if fitted is None:
                return None
            items.append(fitted)
        return typed.MakeTuple(wanted, value.span, tuple(items))
    if isinstance(wanted, ListType) and isinstance(value, typed.MakeList):
        if wanted.length.literal != len(value.items):
            return None
        items = []
        for item in value.items:
            fitted = fit(context, item, wanted.item)
            if fitted is None:
                return None
            items.append(fitted)
        return typed.MakeList(wanted, value.span, tuple(items))
    if isinstance(value, typed.Sequence):
        inner = fit(context, value.value, wanted)
        if inner is None:
            return None
        return typed.Sequence(wanted, value.span, value.statements, inner)
    if isinstance(value, typed.Conditional):
        then = fit(context, value.then, wanted)
        otherwise = fit(context, value.otherwise, wanted)
        if then is None or otherwise is None:
            return None
        return typed.Conditional(wanted, value.span, value.condition, then, otherwise)
    return None


def _assert(context: Context, node: ast.Assert) -> typed.Assertion | None:
    condition = context.check(node.condition)
    if is_poisoned(condition):
        return None
    is_bool = condition.type in (WeakType("bool"), TensorType(DTYPES["bool"], ()))
    if not is_bool:
        type_ = condition.type
        helps = []
        if isinstance(type_, TensorType) and type_.dtype == DTYPES["bool"]:
            helps = [Help("`all(…)` is true where every element is")]
        context.fail(
            node.condition,
            "E0201",
            f"`assert` needs one bool, not {kind_of(type_)}",
            f"this is {context.show(type_)}",
            helps=helps,
        )
        return None
    return typed.Assertion(condition, node.message, node.span)
