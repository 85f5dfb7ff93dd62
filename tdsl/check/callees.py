"""What is called: functions, builtins, structs, dtypes as casts, methods."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.check import typed
from tdsl.check.apply import apply_builtin
from tdsl.check.context import Context
from tdsl.check.convert import convert
from tdsl.check.dots import Known, Target, method_of, receiver_of
from tdsl.check.invoke import call_function
from tdsl.check.lists import check_zip
from tdsl.check.lookup import unknown_name
from tdsl.check.members import member_of
from tdsl.check.scope import (
    BrokenEntry,
    ConstantEntry,
    Entry,
    FunctionEntry,
    ModuleEntry,
    PathEntry,
    StructEntry,
)
from tdsl.check.structs import build_struct
from tdsl.check.values import DTypeValue, is_poisoned, kind_of, poison
from tdsl.ops.builtins import NAMED, STRUCTURAL
from tdsl.ops.table import Builtin, Structural
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, AnyDType
from tdsl.types.types import DTypeType, TensorType, WeakType


def check_call(context: Context, node: ast.Call) -> typed.Expression:
    callee = node.function
    statics: tuple[ast.Keyword, ...] = ()
    if isinstance(callee, ast.StaticArguments):
        statics = callee.arguments
        callee = callee.function
    elif isinstance(callee, ast.Subscript) and _names_function(context, callee.value):
        return _positional_statics(context, node, callee)
    receiver: typed.Expression | None = None
    target: Target
    if isinstance(callee, ast.Variable):
        target = _by_name(context, callee)
        shown = callee.span
    elif isinstance(callee, ast.Attribute):
        shown = callee.name.span
        member = member_of(context, callee)
        if member is None:
            receiver = receiver_of(context, callee)
            if receiver is None:
                _check_arguments(context, node, statics)
                return poison(node.span)
            target = method_of(context, callee, receiver)
        else:
            target = _from_entry(context, callee, member)
    else:
        value = context.check(callee)
        if not is_poisoned(value):
            context.fail(
                callee,
                "E0511",
                f"only functions can be called, not {kind_of(value.type)}",
                f"this is {context.show(value.type)}",
            )
        target, shown = None, callee.span
    if target is None:
        _check_arguments(context, node, statics)
        return poison(node.span)
    return _apply(context, node, target, receiver, statics, shown)


def _apply(
    context: Context,
    node: ast.Call,
    target: Known,
    receiver: typed.Expression | None,
    statics: Sequence[ast.Keyword],
    shown: Span,
) -> typed.Expression:
    positional: list[ast.Expression | typed.Expression] = [*node.positional]
    if receiver is not None:
        positional.insert(0, receiver)
    if isinstance(target, FunctionEntry):
        return call_function(context, target, positional, node.keywords, statics, node.span, shown)
    if isinstance(target, StructEntry):
        return build_struct(context, target, positional, node.keywords, statics, node.span, shown)
    if statics:
        name = target.name
        context.fail(
            statics[0],
            "E0501",
            f"`{name}` has no static parameters",
            helps=[Help(f"pass it as an argument: `{name}(…, {statics[0].span.text})`")]
            if isinstance(target, Builtin)
            else [],
        )
        _check_arguments(context, node, ())
        return poison(node.span)
    if isinstance(target, Structural):
        # `zip` is the one: its arguments are lists, in any number.
        for keyword in node.keywords:
            context.fail(
                keyword.name,
                "E0501",
                f"`{target.name}` takes its lists by position, not by name",
                notes=[f"it is `{target.signature}`"],
            )
            return poison(node.span)
        return check_zip(context, positional, node.span)
    if isinstance(target, Builtin):
        keywords = [(keyword.name, keyword.value) for keyword in node.keywords]
        return apply_builtin(context, target, positional, keywords, node.span, shown)
    return _cast(context, node, target, positional)


def _cast(
    context: Context,
    node: ast.Call,
    dtype: AnyDType,
    positional: Sequence[ast.Expression | typed.Expression],
) -> typed.Expression:
    if len(positional) != 1 or node.keywords:
        _check_arguments(context, node, ())
        return context.fail(node, "E0503", f"the cast `{dtype}(…)` takes one array or number")
    value = positional[0]
    if not isinstance(value, typed.Expression):
        value = context.check(value)
    if is_poisoned(value):
        return poison(node.span)
    if not isinstance(value.type, (TensorType, WeakType)):
        return context.fail(
            value.span,
            "E0308",
            f"only arrays and numbers can be cast, not {kind_of(value.type)}",
            f"this is {context.show(value.type)}",
        )
    return convert(context, value, dtype, explicit=True, span=node.span)


def _check_arguments(context: Context, node: ast.Call, statics: Sequence[ast.Keyword]) -> None:
    """Find the errors inside of a call whose callee is wrong."""
    for argument in node.positional:
        if isinstance(argument, (ast.Call, ast.Binary)):
            context.check(argument)
    del statics


# --- names


def _by_name(context: Context, node: ast.Variable) -> Target:
    name = node.name
    bound = context.environment.find(name)
    if bound is not None:
        if isinstance(bound.value, DTypeValue):
            bound.used = True
            assert isinstance(bound.value.type, DTypeType)
            return bound.value.type.dtype
        if name not in NAMED:
            bound.used = True
            if not is_poisoned(bound.value):
                _not_callable(context, node, bound.value, bound.span)
            return None
    entry = context.module.entries.get(name)
    if entry is not None:
        return _from_entry(context, node, entry)
    if name in DTYPES:
        return DTYPES[name]
    if name in NAMED:
        return NAMED[name]
    if name in STRUCTURAL:
        return STRUCTURAL[name]
    unknown_name(context, node, "function")
    return None


def _not_callable(
    context: Context, node: ast.Variable, value: typed.Expression, bound: Span
) -> None:
    more = [(bound, "bound here")] if bound.source is node.span.source else []
    context.fail(
        node,
        "E0511",
        f"`{node.name}` is {kind_of(value.type)}, not a function",
        f"this is {context.show(value.type)}",
        more=more,
        notes=["two values next to each other are multiplied by `*`"],
    )


def _from_entry(context: Context, node: ast.Variable | ast.Attribute, entry: Entry) -> Target:
    match entry:
        case FunctionEntry() | StructEntry():
            return entry
        case BrokenEntry():
            return None
        case ConstantEntry():
            context.fail(node, "E0511", f"`{node.span.text}` is a constant, not a function")
        case _:
            is_module = isinstance(entry, (ModuleEntry, PathEntry))
            what = "a module, not a function" if is_module else "a type, not a function"
            context.fail(node, "E0511", f"`{node.span.text}` is {what}")
    return None


def _names_function(context: Context, node: ast.Expression) -> bool:
    if not isinstance(node, ast.Variable) or context.environment.find(node.name) is not None:
        return False
    entry = context.module.entries.get(node.name)
    return isinstance(entry, FunctionEntry) or (entry is None and node.name in NAMED)


def _positional_statics(
    context: Context, node: ast.Call, callee: ast.Subscript
) -> typed.Expression:
    """`causal[T, T](0)`: brackets without names index, and functions have no index."""
    assert isinstance(callee.value, ast.Variable)
    entry = context.module.entries.get(callee.value.name)
    helps = []
    if isinstance(entry, FunctionEntry):
        names = [
            parameter.name.text
            for parameter in entry.node.parameters
            if isinstance(parameter, ast.Parameter)
        ]
        statics = [
            parameter.name.text
            for parameter in entry.node.parameters
            if isinstance(parameter, ast.Parameter) and parameter.static
        ]
        chosen = statics if len(statics) == len(callee.items) else names
        if len(chosen) >= len(callee.items):
            pairs = list(zip(chosen, callee.items, strict=False))
            written = ", ".join(f"{name}={item.span.text}" for name, item in pairs)
            edits = tuple(
                Edit(Span(item.span.source, item.span.start, item.span.start), f"{name}=")
                for name, item in pairs
            )
            helps = [Help(f"write `{callee.value.name}[{written}](…)`", edits)]
    return context.fail(
        Span(callee.span.source, callee.value.span.end, callee.span.end),
        "E0107",
        "static arguments are passed by name",
        more=[(callee.value.span, "this is a function")],
        helps=helps,
    )


def check_static_arguments(context: Context, node: ast.StaticArguments) -> typed.Expression:
    return context.fail(
        node,
        "E0201",
        "a function with static arguments is no value by itself",
        helps=[Help(f"call it: `{node.span.text}(…)`")],
    )
