"""Take values apart by patterns: each name becomes a binding of its own."""

from __future__ import annotations

from tdsl.check import typed
from tdsl.check.context import Context
from tdsl.check.scope import Bound
from tdsl.check.values import is_poisoned, is_static, kind_of, poison
from tdsl.ops.builtins import CONSTANTS, NAMED, STRUCTURAL
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size
from tdsl.types.types import ListType, StructType, TupleType, Type


def bind_pattern(
    context: Context, pattern: ast.Pattern, value: typed.Expression
) -> list[typed.Binding]:
    """Bind the names of a pattern; the bindings that compute them, in order."""
    if isinstance(pattern, ast.IgnorePattern):
        return []
    if isinstance(pattern, ast.NamePattern):
        return _bind_name(context, pattern, value)
    return _bind_items(context, pattern, value)


def claim_name(context: Context, name: str, span: Span) -> bool:
    """Whether a new name can be bound here; reports where it cannot."""
    if name in DTYPES:
        context.fail(span, "E0809", f"`{name}` is a dtype; its name cannot be given to a value")
        return False
    earlier = context.environment.find(name)
    if earlier is not None:
        context.fail(
            span,
            "E0802",
            f"`{name}` is bound already: a name has one meaning in a function",
            "bound again here",
            more=[(earlier.span, "first bound here")],
            notes=["give the new value a name of its own"],
        )
        return False
    return True


def _bind_name(
    context: Context, pattern: ast.NamePattern, value: typed.Expression
) -> list[typed.Binding]:
    name, span = pattern.name, pattern.span
    if not claim_name(context, name, span):
        # The later meaning is what the reader has in mind further down.
        context.environment.bind(name, Bound(poison(span), span, used=True))
        return []
    if is_poisoned(value):
        context.environment.bind(name, Bound(poison(span), span, used=True))
        return []
    if is_static(value):
        context.environment.bind(name, Bound(value, span))
        return []
    local = context.new_local(name, value.type, span)
    context.environment.bind(name, Bound(local, span))
    return [typed.Binding(local, value)]


def _bind_items(
    context: Context, pattern: ast.SequencePattern, value: typed.Expression
) -> list[typed.Binding]:
    types = None if is_poisoned(value) else _item_types(context, pattern, value)
    if types is None:
        bindings = []
        for item in pattern.items:
            bindings += bind_pattern(context, item, poison(item.span))
        return bindings
    bindings = []
    whole = value
    if not isinstance(value, (typed.MakeTuple, typed.MakeList, typed.Local)):
        local = context.new_local("_", value.type, value.span)
        bindings.append(typed.Binding(local, value))
        whole = local
    for position, (item, type_) in enumerate(zip(pattern.items, types, strict=True)):
        if isinstance(whole, (typed.MakeTuple, typed.MakeList)):
            part: typed.Expression = whole.items[position]
        else:
            part = typed.Item(type_, item.span, whole, Size.of(position))
        bindings += bind_pattern(context, item, part)
    return bindings


def _item_types(
    context: Context, pattern: ast.SequencePattern, value: typed.Expression
) -> tuple[Type, ...] | None:
    """The types of the items that a pattern takes a value apart to; None after a report."""
    type_, wanted = value.type, len(pattern.items)
    shown = context.show(type_)
    # The items of a list that is gone over stand nowhere but in the pattern itself.
    alone = value.span == pattern.span
    label = f"it takes apart {shown}" if alone else ""
    more = [] if alone else [(value.span, f"this is {shown}")]
    made = isinstance(value, typed.MakeList)
    if isinstance(type_, TupleType) and (pattern.kind == "tuple" or made):
        if len(type_.items) == wanted:
            return type_.items
        found = _count(len(type_.items), "item")
    elif isinstance(type_, ListType) and pattern.kind == "list":
        if type_.length.literal == wanted:
            return (type_.item,) * wanted
        if type_.length.literal is None:
            context.fail(
                pattern,
                "E0202",
                f"a list of {context.names.size(type_.length)} items cannot be taken apart: their "
                "number is not known here",
                label,
                more=more,
                helps=[
                    Help("`[0]` takes one item, and a `fold` or `[… for x in list]` all of them")
                ],
            )
            return None
        found = _count(type_.length.literal, "item")
    elif isinstance(type_, (TupleType, ListType)):
        is_list = isinstance(type_, ListType)
        context.fail(
            pattern,
            "E0202",
            f"{kind_of(type_)} is taken apart by {'`[a, b]`' if is_list else '`(a, b)`'}",
            label,
            more=more,
        )
        return None
    else:
        context.fail(
            pattern,
            "E0202",
            f"this pattern takes a {pattern.kind} apart, but the value is {kind_of(type_)}",
            label,
            more=more,
            helps=[Help("the fields of a struct are taken by a dot: `value.field`")]
            if isinstance(type_, StructType)
            else [],
        )
        return None
    context.fail(
        pattern,
        "E0202",
        f"this pattern has {_count(wanted, 'name')}, but the value has {found}",
        label,
        more=more,
    )
    return None


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def unusable_as_item(name: str) -> str | None:
    """Why an item cannot have this name, or None."""
    if name in DTYPES:
        return "a dtype"
    if name in NAMED or name in STRUCTURAL or name in CONSTANTS:
        return "a builtin"
    return None
