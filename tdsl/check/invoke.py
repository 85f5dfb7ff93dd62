"""Call a function of the language: match arguments, solve for its parameters, convert numbers."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from tdsl.check import typed
from tdsl.check.advice import add_where
from tdsl.check.call_advice import CallSite
from tdsl.check.call_diagnostics import diagnose_call
from tdsl.check.call_failures import CallFailure
from tdsl.check.calls import Static, solve_call
from tdsl.check.context import Context
from tdsl.check.declarations import declare
from tdsl.check.parameters import static_number
from tdsl.check.scope import FunctionEntry
from tdsl.check.sizes import size_of
from tdsl.check.statements import fit
from tdsl.check.values import DTypeValue, is_poisoned, poison
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTypeVariable
from tdsl.types.types import POISON, DTypeType, Type, WeakType

Supplied = ast.Expression | typed.Expression


def call_function(
    context: Context,
    entry: FunctionEntry,
    positional: Sequence[Supplied],
    keywords: Sequence[ast.Keyword],
    statics: Sequence[ast.Keyword],
    span: Span,
    callee: Span,
    *,
    record: bool = True,
) -> typed.Expression:
    declaration = declare(entry, context.reporter, context.rules)
    if record:
        context.owner.calls.append((entry.reference, callee))
    supplied = _match(context, entry, positional, keywords, span)
    given = [
        value if value is None or isinstance(value, typed.Expression) else context.check(value)
        for value in supplied or ()
    ]
    values = static_values(context, entry, statics)
    signature = declaration.signature
    if supplied is None or signature is None or values is None or not declaration.usable:
        return poison(span)
    arguments = [
        value if value is not None else _unfitted(default)
        for value, default in zip(given, signature.argument_defaults, strict=True)
    ]
    types: list[Type] = [POISON if a is None else a.type for a in arguments]
    found = solve_call(signature, types, values, context.facts)
    if isinstance(found, CallFailure):
        spans = tuple(span if a is None else a.span for a in given)
        site = call_site(context, signature, span, callee, types, spans, values, statics)
        diagnostic = diagnose_call(found, site)
        if diagnostic is not None:
            context.reporter.add(diagnostic)
        return poison(span)
    converted = []
    for argument, (_, declared) in zip(arguments, signature.parameters, strict=True):
        assert argument is not None
        wanted = found.type(declared)
        fitted = fit(context, argument, wanted)
        if fitted is None:
            # The solver takes arrays as they are; what is left are numbers of another kind.
            fitted = context.fail(
                argument.span,
                "E0502",
                f"this argument must be `{context.show(wanted)}`, "
                f"not {context.show(argument.type)}",
                f"this is {context.show(argument.type)}",
            )
        converted.append(fitted)
    if any(map(is_poisoned, converted)):
        return poison(span)
    return typed.CallFunction(
        found.type(signature.result),
        span,
        entry.reference,
        tuple(converted),
        found,
    )


def _unfitted(default: typed.Expression | None) -> typed.Expression | None:
    """A default of a dtype parameter's type, as the number again: it takes the dtype that the
    other arguments fix."""
    if isinstance(default, typed.Convert) and isinstance(default.dtype, DTypeVariable):
        return default.value
    return default


def call_site(
    context: Context,
    signature: typed.Signature,
    span: Span,
    callee: Span,
    types: Sequence[Type],
    spans: Sequence[Span],
    values: dict[str, Static],
    statics: Sequence[ast.Keyword],
) -> CallSite:
    """What the message about a failed call may point at."""
    node = context.owner.node
    declared = {} if node is None else {a.name.text: a.type.span for a in node.arguments}
    return CallSite(
        signature,
        span,
        callee,
        tuple(types),
        tuple(spans),
        context.facts,
        context.names,
        values,
        {keyword.name.text: keyword.span for keyword in statics},
        {
            index: (argument.text, declared[argument.text])
            for index, argument in enumerate(spans)
            if argument.text in declared
        },
        None if node is None else lambda clause: add_where(context, clause),
    )


def _match(
    context: Context,
    entry: FunctionEntry,
    positional: Sequence[Supplied],
    keywords: Sequence[ast.Keyword],
    span: Span,
) -> list[Supplied | None] | None:
    """The argument for each parameter (None: its default); None after a report."""
    node = entry.node
    name = node.name.text
    names = [argument.name.text for argument in node.arguments]
    role = "argument" if entry.builds is None else "field"
    note = f"it is `{head_text(node)}`"
    if len(positional) > len(names):
        checked = [
            value if isinstance(value, typed.Expression) else context.check(value)
            for value in positional
        ]
        count = len(positional) - len(names)
        # A static may stand before the arrays, as the number of heads in other libraries does.
        plain = [value for value in checked if isinstance(value.type, WeakType)]
        extra = plain if len(plain) == count else checked[len(names) :]
        context.fail(
            extra[0].span,
            "E0503",
            f"`{name}` takes {_count(len(names), role)}, but {len(positional)} are given",
            "this one is too many",
            notes=[note],
            helps=_by_name(node, extra),
        )
        return None
    found: list[Supplied | None] = [*positional, *([None] * (len(names) - len(positional)))]
    fine = True
    for keyword in keywords:
        given = keyword.name.text
        if given not in names:
            context.fail(
                keyword.name,
                "E0501",
                f"`{name}` has no {role} `{given}`",
                notes=[note],
                helps=_meant(entry, keyword, names),
            )
            fine = False
        elif found[names.index(given)] is not None:
            context.fail(keyword.name, "E0509", f"`{name}` is given `{given}` twice", notes=[note])
            fine = False
        else:
            found[names.index(given)] = keyword.value
    missing = [
        argument.name.text
        for argument, value in zip(node.arguments, found, strict=True)
        if value is None and argument.default is None
    ]
    if fine and missing:
        wanted = " and ".join(f"`{argument}`" for argument in missing)
        context.fail(
            span,
            "E0503",
            f"`{name}` takes {_count(len(names), role)}, but is not given {wanted}",
            notes=[note],
        )
        fine = False
    return found if fine else None


def _by_name(node: ast.Function, extra: Sequence[typed.Expression]) -> list[Help]:
    """Arguments that are too many were perhaps meant for the statics, if they are no arrays."""
    statics = [p.name.text for p in node.parameters if isinstance(p, ast.Parameter) and p.static]
    arrays = any(not isinstance(value.type, WeakType) for value in extra)
    if not statics or len(extra) > len(statics) or arrays:
        return []
    given = ", ".join(f"{name}={one.span.text}" for name, one in zip(statics, extra, strict=False))
    return [Help(f"statics are passed by name, in brackets: `{node.name.text}[{given}](…)`")]


def _meant(entry: FunctionEntry, keyword: ast.Keyword, names: Sequence[str]) -> list[Help]:
    given = keyword.name.text
    for parameter in entry.node.parameters:
        if parameter.name.text == given:
            name = entry.node.name.text
            return [Help(f"`{given}` is a static: `{name}[{keyword.span.text}](…)`")]
    if given in ("axis", "dim") and entry.node.span.source.name == "<std.nn>":
        return [Help(f"functions of `std.nn` work along the last axis: leave out `{given}`")]
    close = get_close_matches(given, names, 1)
    return (
        [Help(f"did you mean `{close[0]}`?", (Edit(keyword.name.span, close[0]),))] if close else []
    )


def _count(number: int, word: str) -> str:
    return f"no {word}s" if number == 0 else f"{number} {word}{'s' if number > 1 else ''}"


def head_text(node: ast.Function) -> str:
    """A function's head as written, on one line."""
    start, end = node.name.span.start, node.result.span.end
    if node.result.span == node.name.span:
        # A struct, whose fields are its arguments: on one line, they stand between commas.
        head = node.span.source.text[start : node.span.end].partition("{")[0].rstrip()
        return f"{head} {{ {', '.join(argument.span.text for argument in node.arguments)} }}"
    text = node.span.source.text[start:end]
    return " ".join(text.split()).replace("( ", "(").replace(" )", ")")


def static_values(
    context: Context, entry: FunctionEntry, statics: Sequence[ast.Keyword]
) -> dict[str, Static] | None:
    """What the brackets before a call, or of an `example`, give; None after a report."""
    found: dict[str, Static] = {}
    fine = True
    parameters = {parameter.name.text: parameter for parameter in entry.node.parameters}
    for keyword in statics:
        name = keyword.name.text
        if name in found:
            context.fail(keyword.name, "E0509", f"`{name}` is given twice")
            fine = False
            continue
        parameter = parameters.get(name)
        if parameter is None:
            context.check(keyword.value)
            _unknown_static(context, entry, keyword, list(parameters))
            fine = False
            continue
        value = static_value(context, parameter, keyword.value)
        if value is None:
            fine = False
        else:
            found[name] = value
    return found if fine else None


def _unknown_static(
    context: Context, entry: FunctionEntry, keyword: ast.Keyword, names: Sequence[str]
) -> None:
    name = keyword.name.text
    function = entry.node.name.text
    close = get_close_matches(name, names, 1)
    helps = (
        [Help(f"did you mean `{close[0]}`?", (Edit(keyword.name.span, close[0]),))] if close else []
    )
    if any(argument.name.text == name for argument in entry.node.arguments):
        helps = [Help(f"`{name}` is an argument: `{function}(…, {keyword.span.text})`")]
    known = ", ".join(f"`{other}`" for other in names)
    context.fail(
        keyword.name,
        "E0501",
        f"`{function}` has no parameter `{name}`",
        notes=[f"its parameters are {known}" if names else "it has no parameters in brackets"],
        helps=helps,
    )


def static_value(
    context: Context, parameter: ast.Parameter | ast.PackParameter, node: ast.Expression
) -> Static | None:
    """The value of one parameter given by name; None after a report."""
    name = parameter.name.text
    if isinstance(parameter, ast.PackParameter):
        if not isinstance(node, ast.List):
            context.fail(node, "E0206", f"`...{name}` stands for axes: give a list of sizes")
            return None
        sizes = [
            size_of(context, context.check(item), f"a size of `...{name}`") for item in node.items
        ]
        known = tuple(size for size in sizes if size is not None)
        return known if len(known) == len(sizes) else None
    kind = parameter.kind.text if parameter.kind is not None else "size"
    value = context.check(node)
    if is_poisoned(value):
        return None
    if kind == "dtype":
        if isinstance(value, DTypeValue):
            assert isinstance(value.type, DTypeType)
            return value.type.dtype
        context.fail(
            node, "E0206", f"`{name}` must be a dtype", f"this is {context.show(value.type)}"
        )
        return None
    if kind == "bool":
        return static_number(context, name, "bool", value)
    if kind == "number":
        return static_number(context, name, "number", value)
    return size_of(context, value, f"`{name}`")
