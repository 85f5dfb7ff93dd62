"""Check an `example`: the instance that it fixes, and the type that it promises."""

from __future__ import annotations

from difflib import get_close_matches

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.call_diagnostics import diagnose_call
from tdsl.check.call_failures import CallFailure, MissingStatic, Undetermined
from tdsl.check.calls import solve_call
from tdsl.check.context import Context
from tdsl.check.declarations import declare
from tdsl.check.invoke import call_site, static_values
from tdsl.check.lookup import unknown_name
from tdsl.check.scope import BrokenEntry, FunctionEntry
from tdsl.check.types import resolve_type
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.types.types import POISON, PoisonType, Substitution, Type


def check_example(context: Context, node: ast.Example) -> typed.Example | None:
    name = node.function.text
    entry = context.module.entries.get(name)
    if not isinstance(entry, FunctionEntry):
        if entry is None:
            known = [other.node.name.text for other in context.module.functions()]
            close = get_close_matches(name, known, 1)
            if close:
                helps = [Help(f"did you mean `{close[0]}`?", (Edit(node.function.span, close[0]),))]
                context.fail(node.function, "E0801", f"unknown function `{name}`", helps=helps)
            else:
                unknown_name(context, node.function, "function")
        elif not isinstance(entry, BrokenEntry):
            context.fail(node.function, "E0511", f"`{name}` is not a function")
        return None
    declaration = declare(entry, context.reporter, context.rules)
    signature = declaration.signature
    values = static_values(context, entry, node.bindings)
    result = resolve_type(context, node.result)
    if signature is None or not declaration.usable:
        return None
    if values is None or isinstance(result, PoisonType):
        return None
    unknown: list[Type | None] = [None] * len(signature.parameters)
    found = solve_call(signature, unknown, values, context.facts)
    if isinstance(found, Undetermined):
        # What the brackets leave open may follow from the promised type.
        wider = replace(signature, parameters=(*signature.parameters, ("result", signature.result)))
        with_result = solve_call(wider, [*unknown, result], values, context.facts)
        if isinstance(with_result, (Substitution, MissingStatic)):
            found = with_result
    if isinstance(found, CallFailure):
        count = len(signature.parameters)
        site = call_site(
            context,
            signature,
            node.span,
            node.function.span,
            (POISON,) * count,
            (node.function.span,) * count,
            values,
            node.bindings,
        )
        diagnostic = diagnose_call(found, site)
        if diagnostic is not None:
            context.reporter.add(diagnostic)
        return None
    given = found.type(signature.result)
    if given != result:
        shown = context.show(given)
        context.fail(
            node.result,
            "E0209",
            f"this instance of `{name}` gives `{shown}`, "
            f"but the example declares `{context.show(result)}`",
            "declared here",
            helps=[Help(f"write `-> {shown}`", (Edit(node.result.span, shown),))],
        )
        return None
    return typed.Example(name, found, node.span)
