"""Literals, names, operators and `if`."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.apply import apply_builtin
from tdsl.check.constants import constant_value
from tdsl.check.context import Context
from tdsl.check.convert import convert
from tdsl.check.lookup import unknown_name
from tdsl.check.scope import (
    BrokenEntry,
    ConstantEntry,
    FunctionEntry,
    ModuleEntry,
    PathEntry,
    StructEntry,
)
from tdsl.check.statements import check_block
from tdsl.check.values import (
    DTypeValue,
    StringValue,
    at,
    is_poisoned,
    kind_of,
    number,
    poison,
    size_number,
    static_size,
)
from tdsl.check.walk import children
from tdsl.ops.builtins import BUILTINS, CONSTANTS, NAMED, OPERATORS
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.proofs import Facts
from tdsl.types.sizes import MOST_POWER, Size, SizeTooComplex, opaque
from tdsl.types.types import DTypeType, StringType, TensorType, Type, WeakType


def check_integer(context: Context, node: ast.Integer) -> typed.Expression:
    return number(node.value, node.span)


def check_float(context: Context, node: ast.Float) -> typed.Expression:
    return number(node.value, node.span)


def check_boolean(context: Context, node: ast.Boolean) -> typed.Expression:
    return number(node.value, node.span)


def check_string(context: Context, node: ast.String) -> typed.Expression:
    return StringValue(StringType(), node.span, node.value)


def check_wildcard(context: Context, node: ast.Wildcard) -> typed.Expression:
    return context.fail(node, "E0201", "`_` stands only for one size in the shape of a `reshape`")


# --- names


def check_variable(context: Context, node: ast.Variable) -> typed.Expression:
    name = node.name
    bound = context.environment.find(name)
    if bound is not None:
        bound.used = True
        return at(bound.value, node.span)
    entry = context.module.entries.get(name)
    if isinstance(entry, ConstantEntry):
        return at(constant_value(context, entry), node.span)
    if isinstance(entry, BrokenEntry):
        return poison(node.span)
    if isinstance(entry, (FunctionEntry, StructEntry)):
        if isinstance(entry, FunctionEntry):
            what, advice = "function", f"call it: `{name}(…)`"
        else:
            fields = ", ".join(f"{field.name.text}=…" for field in entry.node.fields)
            what, advice = "struct", f"a value of it is built by `{name}({fields})`"
        return context.fail(
            node,
            "E0201",
            f"`{name}` is a {what}; a value is needed here",
            helps=[Help(advice)],
        )
    if isinstance(entry, (ModuleEntry, PathEntry)):
        return context.fail(
            node,
            "E0201",
            f"`{name}` is a module; a value is needed here",
            helps=[Help(f"its members are written with a dot: `{name}.member`")],
        )
    if entry is not None:
        return context.fail(node, "E0201", f"`{name}` is a type; a value is needed here")
    if name in DTYPES:
        return DTypeValue(DTypeType(DTYPES[name]), node.span)
    builtin = NAMED.get(name)
    if builtin is not None:
        return context.fail(
            node,
            "E0201",
            f"`{name}` is a builtin; a value is needed here",
            notes=[f"it is called as `{builtin.signature}`"],
        )
    function = context.owner.node
    if function is not None and any(name == argument.name.text for argument in function.arguments):
        return context.fail(
            node,
            "E0206",
            f"`{name}` is an argument: its value is known only at run time",
            helps=[Help(_as_static(function, name))],
        )
    if name in CONSTANTS:
        return number(CONSTANTS[name], node.span)
    return unknown_name(context, node)


def _as_static(function: ast.Function, name: str) -> str:
    parameters = [parameter.span.text for parameter in function.parameters]
    brackets = ", ".join([*parameters, f"static {name}"])
    return f"make it a static, which callers give by name: `{function.name.text}[{brackets}]`"


# --- operators


def check_unary(context: Context, node: ast.Unary) -> typed.Expression:
    operand = context.check(node.operand)
    if is_poisoned(operand):
        return poison(node.span)
    if node.operator == "-":
        size = static_size(operand)
        if size is not None:
            return size_number(-size, node.span)
        if isinstance(operand, typed.Number) and isinstance(operand.value, float):
            return number(-operand.value, node.span)
    builtin = BUILTINS[OPERATORS["unary -" if node.operator == "-" else "not"]]
    return apply_builtin(context, builtin, (operand,), (), node.span)


def check_binary(context: Context, node: ast.Binary) -> typed.Expression:
    left = context.check(node.left)
    right = context.check(node.right)
    if is_poisoned(left) or is_poisoned(right):
        return poison(node.span)
    left_size, right_size = static_size(left), static_size(right)
    if left_size is not None and right_size is not None and node.operator in _SIZE_OPERATORS:
        found = _size_arithmetic(context, node, left_size, right_size)
        if found is not None:
            return found
    if isinstance(left, DTypeValue) and isinstance(right, DTypeValue):
        same = _same_dtype(left, right, node.span)
        if same is not None and node.operator == "==":
            return same
        if same is not None and node.operator == "!=":
            return apply_builtin(context, BUILTINS[OPERATORS["not"]], (same,), (), node.span)
    builtin = BUILTINS[OPERATORS[node.operator]]
    return apply_builtin(context, builtin, (left, right), (), node.span, node.operator_span)


def _same_dtype(left: DTypeValue, right: DTypeValue, span: Span) -> typed.Expression | None:
    """`x.dtype == f16`."""
    assert isinstance(left.type, DTypeType)
    assert isinstance(right.type, DTypeType)
    one, other = left.type.dtype, right.type.dtype
    if one == other or (isinstance(one, DType) and isinstance(other, DType)):
        return number(one == other, span)
    return typed.SameDType(WeakType("bool"), span, one, other)


_SIZE_OPERATORS = frozenset({"+", "-", "*", "//", "%", "**"})
_POLYNOMIAL: dict[str, Callable[[Size, Size], Size]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
}


def _size_arithmetic(
    context: Context, node: ast.Binary, left: Size, right: Size
) -> typed.Expression | None:
    """Arithmetic of compile-time integers; None where the result is no integer."""
    try:
        if node.operator in _POLYNOMIAL:
            return size_number(_POLYNOMIAL[node.operator](left, right), node.span)
        if node.operator == "**":
            exponent = right.literal
            if exponent is None or exponent < 0:
                return None
            if exponent > MOST_POWER and left.literal not in (0, 1):
                return context.fail(
                    node, "E0514", f"powers of integers go up to {MOST_POWER}, not {exponent}"
                )
            return size_number(left**exponent, node.span)
        if not context.facts.at_least(right, 1) and not (right.literal or 0) < 0:
            return context.fail(
                node.right,
                "E0514",
                f"a divisor must not be 0, but {context.names.size(right)} may be",
            )
        found = opaque("//" if node.operator == "//" else "%", left, right)
        return size_number(found, node.span)
    except SizeTooComplex:
        return context.fail(node, "E0514", "this size has too many terms to reason about")


# --- if


def check_if(context: Context, node: ast.If) -> typed.Expression:
    condition = context.check(node.condition)
    if not is_poisoned(condition) and condition.type != WeakType("bool"):
        condition = _bad_condition(context, node.condition, condition.type)
    elif context.owner.loop_indices:
        condition = _without_index(context, condition)
    then_facts, else_facts = _facts_of(context, node.condition)
    then = check_block(context.inside(then_facts), node.then)
    inner = context.inside(else_facts)
    if isinstance(node.otherwise, ast.If):
        otherwise = inner.check(node.otherwise)
    else:
        otherwise = check_block(inner, node.otherwise)
    if is_poisoned(condition) or is_poisoned(then) or is_poisoned(otherwise):
        return poison(node.span)
    if then.type != otherwise.type:
        then, otherwise = _meet(context, then, otherwise)
    if then.type != otherwise.type:
        return context.fail(
            otherwise.span,
            "E0207",
            "the branches of an `if` have one type, but these differ: "
            f"`{context.show(then.type)}` and `{context.show(otherwise.type)}`",
            f"this branch gives {context.show(otherwise.type)}",
            more=[(then.span, f"this branch gives {context.show(then.type)}")],
        )
    if isinstance(condition, typed.Number) and isinstance(then.type, WeakType):
        # A number, or what is computed from it, may have to be known here.
        chosen = then if condition.value else otherwise
        while isinstance(chosen, typed.Sequence) and not chosen.statements:
            chosen = chosen.value
        return at(chosen, node.span)
    return typed.Conditional(then.type, node.span, condition, then, otherwise)


def _without_index(context: Context, condition: typed.Expression) -> typed.Expression:
    """A loop that stays one has one body for all steps, so `if` cannot look at its index."""
    pending = [condition]
    while pending:
        part = pending.pop()
        pending += children(part)
        if isinstance(part, typed.SizeNumber):
            for symbol in part.size.symbols() & context.owner.loop_indices:
                return context.fail(
                    condition.span,
                    "E0414",
                    f"`if` decides before the program runs, and `{symbol.name}` is the index of "
                    "a loop",
                    helps=[
                        Help("`@unroll` before the loop writes its steps out"),
                        Help("`select(condition, a, b)` chooses at run time"),
                    ],
                )
    return condition


def _bad_condition(context: Context, node: ast.Expression, type_: Type) -> typed.Expression:
    if isinstance(type_, TensorType):
        return context.fail(
            node,
            "E0206",
            "`if` decides before the program runs; this is known only at run time",
            f"this is {context.show(type_)}",
            helps=[Help("`select(condition, a, b)` chooses element by element at run time")],
        )
    return context.fail(
        node,
        "E0201",
        f"the condition of an `if` is a bool, not {kind_of(type_)}",
        f"this is {context.show(type_)}",
    )


def _meet(
    context: Context, left: typed.Expression, right: typed.Expression
) -> tuple[typed.Expression, typed.Expression]:
    """A compile-time number takes the dtype of the scalar in the other branch."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one.type, WeakType) and isinstance(other.type, TensorType):
            if not other.type.shape and one.type.kind != "bool":
                converted = convert(context, one, other.type.dtype)
                return (converted, right) if one is left else (left, converted)
            return left, right
    kinds = {getattr(left.type, "kind", None), getattr(right.type, "kind", None)}
    if kinds == {"int", "float"}:
        weak = WeakType("float")
        return replace(left, type=weak), replace(right, type=weak)
    return left, right


def _facts_of(context: Context, node: ast.Expression) -> tuple[Facts, Facts]:
    """What a comparison of sizes adds to the facts of the two branches."""
    facts = context.facts
    if not isinstance(node, ast.Binary) or node.operator not in _COMPARISONS:
        return facts, facts
    left, right = _quiet_size(context, node.left), _quiet_size(context, node.right)
    if left is None or right is None:
        return facts, facts
    then, otherwise = facts, facts
    for difference in _COMPARISONS[node.operator](left, right):
        then = then.assume(difference)
    negated = _COMPARISONS[_NEGATED[node.operator]](left, right)
    for difference in negated:
        otherwise = otherwise.assume(difference)
    return then, otherwise


_COMPARISONS: dict[str, Callable[[Size, Size], tuple[Size, ...]]] = {
    "<": lambda left, right: (right - left - 1,),
    "<=": lambda left, right: (right - left,),
    ">": lambda left, right: (left - right - 1,),
    ">=": lambda left, right: (left - right,),
    "==": lambda left, right: (left - right, right - left),
    "!=": lambda left, right: (),
}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _quiet_size(context: Context, node: ast.Expression) -> Size | None:
    """The size of an operand that is a name or a literal; others add no facts."""
    if isinstance(node, ast.Integer):
        return Size.of(node.value)
    if isinstance(node, ast.Variable):
        bound = context.environment.find(node.name)
        return static_size(bound.value) if bound is not None else None
    return None
