"""Apply a builtin: take its arguments by kind, ask its rule, convert the operands, fold numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.advice import wrap
from tdsl.check.context import Context
from tdsl.check.convert import convert
from tdsl.check.judge import Judge, Refused
from tdsl.check.lists import list_items
from tdsl.check.sizes import size_of
from tdsl.check.values import (
    DTypeValue,
    StringValue,
    is_poisoned,
    kind_of,
    number,
    poison,
    static_size,
)
from tdsl.ops.table import REQUIRED, Builtin, Given, Parameter
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.habits import KEYWORDS
from tdsl.syntax.source import Span
from tdsl.types.sizes import Pack, Size
from tdsl.types.types import (
    ListType,
    TensorType,
    TupleType,
    WeakType,
)

# An argument as it arrives: syntax to be checked, or (of an operator or method) checked already.
Supplied = ast.Expression | typed.Expression


@dataclass(frozen=True)
class _Taken:
    """One argument: for the rule, and as operands of the typed node."""

    given: Given
    operands: tuple[typed.Expression, ...] = ()
    poisoned: bool = False


def apply_builtin(
    context: Context,
    builtin: Builtin,
    positional: Sequence[Supplied],
    keywords: Sequence[tuple[ast.Name, Supplied]],
    span: Span,
    callee: Span | None = None,
) -> typed.Expression:
    """A call of a builtin, or an operator written between its operands."""
    supplied = _match(context, builtin, positional, keywords, span, callee or span)
    if supplied is None:
        return poison(span)
    taken: dict[str, _Taken] = {}
    for parameter in builtin.parameters:
        if parameter.name in supplied:
            source = supplied[parameter.name]
            # Checked here, not deeper, so that nested calls stay within Python's recursion limit.
            if parameter.kind == "value" and not isinstance(source, typed.Expression):
                source = context.check(source)
            taken[parameter.name] = _take(context, builtin, parameter, source)
        else:
            taken[parameter.name] = _Taken(Given(span, None, parameter.default))
    if any(argument.poisoned for argument in taken.values()):
        return poison(span)
    given = {name: argument.given for name, argument in taken.items()}
    values = tuple(operand for argument in taken.values() for operand in argument.operands)
    try:
        typing = builtin.rule(Judge(context, span, given, values), given)
    except Refused:
        return poison(span)
    operands: list[typed.Expression] = []
    for name, argument in taken.items():
        for operand in argument.operands:
            wanted = typing.convert.get(name)
            operands.append(convert(context, operand, wanted) if wanted else operand)
    if any(map(is_poisoned, operands)):
        return poison(span)
    attributes = tuple(sorted(typing.attributes.items()))
    return folded(
        builtin, typed.Apply(typing.result, span, builtin.name, tuple(operands), attributes)
    )


def _match(
    context: Context,
    builtin: Builtin,
    positional: Sequence[Supplied],
    keywords: Sequence[tuple[ast.Name, Supplied]],
    span: Span,
    callee: Span,
) -> dict[str, Supplied] | None:
    """Which parameter each argument is for; None after a report."""
    name, parameters = builtin.name, builtin.parameters
    note = f"it is `{builtin.signature}`"
    if len(positional) > len(parameters):
        extra = positional[len(parameters)]
        context.fail(
            extra.span,
            "E0503",
            f"`{name}` takes {_count(len(parameters), 'argument')}, but {len(positional)} are given",
            "this one is too many",
            notes=[note],
            helps=_in_a_list(builtin, positional),
        )
        return None
    supplied: dict[str, Supplied] = {
        parameter.name: value for parameter, value in zip(parameters, positional, strict=False)
    }
    fine = True
    for keyword, value in keywords:
        if keyword.text in supplied:
            context.fail(
                keyword,
                "E0509",
                f"`{name}` is given `{keyword.text}` twice",
                notes=[note],
                helps=_in_a_list(builtin, positional),
            )
            fine = False
        elif keyword.text not in {parameter.name for parameter in parameters}:
            known = [p.name for p in parameters]
            close = [KEYWORDS.get(keyword.text, "")]
            if close[0] not in known:
                close = get_close_matches(keyword.text, known, 1)
            helps = [
                Help(f"did you mean `{meant}`?", (Edit(keyword.span, meant),), stands=True)
                for meant in close
            ]
            context.fail(
                keyword,
                "E0501",
                f"`{name}` has no parameter `{keyword.text}`",
                notes=[note],
                helps=helps,
            )
            fine = False
        else:
            supplied[keyword.text] = value
    missing = [p for p in parameters if p.name not in supplied and p.default is REQUIRED]
    if fine and missing:
        wanted = " and ".join(f"`{parameter.name}`" for parameter in missing)
        helps = _in_reverse(span, positional) if name == "transpose" else []
        context.fail(span, "E0503", f"`{name}` is not given {wanted}", notes=[note], helps=helps)
        fine = False
    return supplied if fine else None


_ORDER: Final = Help("it takes the new order of all axes in a list: `transpose(x, [1, 0])`")


def _in_reverse(span: Span, positional: Sequence[Supplied]) -> list[Help]:
    """`transpose(x)`, which in NumPy reverses the axes."""
    if len(positional) != 1:
        return [_ORDER]
    text = positional[0].span.text
    matrix = f"{text}.T" if text.isidentifier() else f"({text}).T"
    return [Help(f"a matrix is transposed by `{matrix}`", (Edit(span, matrix),)), _ORDER]


def _in_a_list(builtin: Builtin, positional: Sequence[Supplied]) -> list[Help]:
    """`concat(a, b)`, `x.reshape(m, n)`, `x.transpose(0, 1)`: several where one list is meant."""
    if builtin.name == "transpose":
        return [_ORDER]
    kinds = [parameter.kind for parameter in builtin.parameters]
    first = kinds.index("values") if "values" in kinds else -1
    first = kinds.index("shape") if first < 0 and "shape" in kinds else first
    listed = positional[first:] if first >= 0 else ()
    if len(listed) < 2 or isinstance(listed[0], ast.List):
        return []
    start, end = listed[0].span, listed[-1].span
    written = ", ".join(value.span.text for value in listed)
    edits = wrap(Span(start.source, start.start, end.end), "[", "]")
    return [Help(f"write them as one list: `[{written}]`", edits)]


def _count(number_: int, word: str) -> str:
    return f"{number_} {word}{'' if number_ == 1 else 's'}"


# --- arguments by kind


def _take(context: Context, builtin: Builtin, parameter: Parameter, source: Supplied) -> _Taken:
    match parameter.kind:
        case "value":
            return _value(context, builtin, source)
        case "values":
            return _values(context, builtin, parameter, source)
        case "shape":
            return _shape(context, builtin, parameter, source)
        case "starts":
            return _starts(context, builtin, parameter, source)
        case _:
            pass
    if isinstance(source, ast.List) and parameter.kind in ("axes", "permutation", "pairs"):
        items = [_static(context, builtin, parameter, item, inner=True) for item in source.items]
        if any(item is None for item in items):
            return _bad(source.span)
        return _Taken(Given(source.span, None, tuple(item.value for item in items if item)))
    found = _static(context, builtin, parameter, source)
    return _bad(source.span) if found is None else _Taken(found)


def _bad(span: Span) -> _Taken:
    return _Taken(Given(span), poisoned=True)


def _checked(context: Context, source: Supplied) -> typed.Expression:
    return source if isinstance(source, typed.Expression) else context.check(source)


def _value(context: Context, builtin: Builtin, source: Supplied) -> _Taken:
    expression = _checked(context, source)
    if is_poisoned(expression):
        return _bad(source.span)
    if not isinstance(expression.type, (TensorType, WeakType)):
        shown = builtin.operator or builtin.name
        helps = []
        if isinstance(expression.type, ListType):
            text = source.span.text
            short = text if len(text) <= 30 and "\n" not in text else "…"
            edits = wrap(source.span, "stack(", ", axis=0)")
            helps = [Help(f"`stack({short}, axis=0)` makes an array of a list", edits)]
        elif isinstance(expression.type, TupleType):
            names = ", ".join("abcdefgh"[: len(expression.type.items)])
            helps = [Help(f"take it apart first: `let ({names}) = …`")]
        context.fail(
            source.span,
            "E0308",
            f"`{shown}` takes arrays and numbers, not {kind_of(expression.type)}",
            f"this is {context.show(expression.type)}",
            helps=helps,
        )
        return _bad(source.span)
    value = expression.value if isinstance(expression, typed.Number) else None
    return _Taken(Given(source.span, expression.type, value), (expression,))


def _values(context: Context, builtin: Builtin, parameter: Parameter, source: Supplied) -> _Taken:
    if isinstance(source, (ast.List, ast.Comprehension)):
        expression = list_items(context, source)
    else:
        expression = _checked(context, source)
    if is_poisoned(expression):
        return _bad(source.span)
    if not isinstance(expression.type, (ListType, TupleType)):
        context.fail(
            source.span,
            "E0308",
            f"`{builtin.name}` takes a list of arrays for `{parameter.name}`",
            f"this is {context.show(expression.type)}",
            notes=[f"it is `{builtin.signature}`"],
        )
        return _bad(source.span)
    items: tuple[Given, ...] = ()
    if isinstance(expression, typed.MakeList):
        items = tuple(Given(item.span, item.type) for item in expression.items)
    return _Taken(Given(source.span, expression.type, None, items), (expression,))


_WANTED = {
    "axis": "a literal axis",
    "axes": "an axis or a list of axes",
    "flag": "`true` or `false`",
    "permutation": "a list of axes",
    "size": "a size",
    "dtype": "a dtype",
    "number": "a compile-time number",
    "label": "a string",
    "pairs": "a list of pairs of sizes",
}


def _static(
    context: Context,
    builtin: Builtin,
    parameter: Parameter,
    source: Supplied,
    inner: bool = False,
) -> Given | None:
    """An argument that must be known when the program is checked."""
    expression = _checked(context, source)
    if is_poisoned(expression):
        return None
    value = _static_value(parameter, expression, inner)
    if value is _NOTHING:
        dynamic = isinstance(expression.type, TensorType)
        reason = "; values of arrays are known only at run time" if dynamic else ""
        context.fail(
            source.span,
            "E0206",
            f"`{parameter.name}` of `{builtin.name}` must be {_WANTED[parameter.kind]}{reason}",
            f"this is {context.show(expression.type)}",
            notes=[f"it is `{builtin.signature}`"],
        )
        return None
    return Given(source.span, expression.type, value)


_NOTHING = object()


def _static_value(parameter: Parameter, expression: typed.Expression, inner: bool) -> Any:
    match parameter.kind:
        case "axis" | "axes" | "permutation":
            if not inner and isinstance(expression, (typed.MakeList, typed.MakeTuple)):
                items = tuple(_static_value(parameter, item, True) for item in expression.items)
                wrong = _NOTHING in items or parameter.kind == "axis"
                return _NOTHING if wrong else items
            if not inner and parameter.kind == "permutation":
                return _NOTHING
            size = static_size(expression)
            return _NOTHING if size is None or size.literal is None else size.literal
        case "flag":
            is_literal = isinstance(expression, typed.Number) and isinstance(expression.value, bool)
            return expression.value if is_literal else _NOTHING  # type: ignore[attr-defined]
        case "size":
            size = static_size(expression)
            return _NOTHING if size is None else size
        case "pairs":
            if not isinstance(expression, (typed.MakeList, typed.MakeTuple)):
                return _NOTHING
            if not inner:
                pairs = tuple(_static_value(parameter, item, True) for item in expression.items)
                return _NOTHING if _NOTHING in pairs else pairs
            sizes = tuple(map(static_size, expression.items))
            return _NOTHING if None in sizes or len(sizes) != 2 else sizes
        case "dtype":
            if isinstance(expression, DTypeValue):
                return expression.type.dtype  # type: ignore[union-attr]
            return _NOTHING
        case "number":
            if isinstance(expression.type, WeakType):
                return expression.value if isinstance(expression, typed.Number) else expression
            return _NOTHING
        case "label":
            return expression.text if isinstance(expression, StringValue) else _NOTHING
        case _:
            return _NOTHING


def _shape(context: Context, builtin: Builtin, parameter: Parameter, source: Supplied) -> _Taken:
    if isinstance(source, (ast.List, ast.Tuple)):
        nodes: Sequence[Supplied] = source.items
    else:
        expression = _checked(context, source)
        if is_poisoned(expression):
            return _bad(source.span)
        if isinstance(expression, (typed.MakeList, typed.MakeTuple)):
            nodes = expression.items
        else:
            context.fail(
                source.span,
                "E0201",
                f"`{parameter.name}` of `{builtin.name}` must be a list of sizes",
                f"this is {context.show(expression.type)}",
                notes=[f"it is `{builtin.signature}`"],
                helps=_as_list(builtin, source, expression),
            )
            return _bad(source.span)
    sizes: list[Size | Pack | None] = []
    for node in nodes:
        if isinstance(node, ast.Wildcard):
            sizes.append(None)
            continue
        size = size_of(context, _checked(context, node), f"a size of `{builtin.name}`")
        if size is None:
            return _bad(source.span)
        if size.literal == -1 and builtin.name == "reshape":
            edit = Edit(node.span, "_")
            context.fail(
                node.span,
                "E0413",
                "a size that follows from the others is written `_`, not -1",
                helps=[Help("write `_`", (edit,))],
            )
            return _bad(source.span)
        sizes.append(size)
    return _Taken(Given(source.span, None, tuple(sizes)))


def _as_list(builtin: Builtin, source: Supplied, found: typed.Expression) -> list[Help]:
    """`reshape(x, -1)`, `zeros(n, f32)`: one size without its brackets."""
    size = static_size(found)
    if size is None:
        return []
    if size.literal == -1 and builtin.name == "reshape":
        return [Help("write `[_]`: that size follows from the others", (Edit(source.span, "[_]"),))]
    return [Help(f"write `[{source.span.text}]`", wrap(source.span, "[", "]"))]


def _starts(context: Context, builtin: Builtin, parameter: Parameter, source: Supplied) -> _Taken:
    expression = list_items(context, source) if isinstance(source, ast.List) else None
    if expression is None or is_poisoned(expression):
        if expression is None:
            context.fail(
                source.span,
                "E0201",
                f"`{parameter.name}` of `{builtin.name}` must be a list, of one start an axis",
                notes=[f"it is `{builtin.signature}`"],
                helps=[Help(f"write `[{source.span.text}]`", wrap(source.span, "[", "]"))],
            )
        return _bad(source.span)
    found = expression.items if isinstance(expression, typed.MakeList) else ()
    items = tuple(Given(item.span, item.type, static_size(item)) for item in found)
    return _Taken(Given(source.span, expression.type, None, items), (expression,))


# --- folding


def folded(builtin: Builtin, expression: typed.Apply) -> typed.Expression:
    """The number where all operands are numbers: constants do not grow, and `if` can look."""
    if not isinstance(expression.type, WeakType):
        return expression
    numbers = [operand for operand in expression.operands if isinstance(operand, typed.Number)]
    if len(numbers) != len(expression.operands):
        return expression
    try:
        found: Any = builtin.reference(
            *(operand.value for operand in numbers), **dict(expression.attributes)
        )
        if expression.type.kind == "int":
            value: int | float | bool = int(found)
        elif expression.type.kind == "bool":
            value = bool(found)
        else:
            value = float(found)
    except (ArithmeticError, ValueError, TypeError):
        return expression
    if isinstance(value, float) and math.isnan(value):
        return expression
    return replace(number(value, expression.span), type=expression.type)
