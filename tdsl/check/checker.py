"""Check one module: every function by itself, for all sizes at once; then its examples and tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tdsl.check import typed
from tdsl.check.callees import check_call, check_static_arguments
from tdsl.check.constants import constant_value
from tdsl.check.context import Context, Owner, Rule
from tdsl.check.declarations import declare
from tdsl.check.dots import check_attribute
from tdsl.check.examples import check_example
from tdsl.check.expressions import (
    check_binary,
    check_boolean,
    check_float,
    check_if,
    check_integer,
    check_string,
    check_unary,
    check_variable,
    check_wildcard,
)
from tdsl.check.lists import check_list, check_tuple
from tdsl.check.loops import check_loop
from tdsl.check.report import Reporter
from tdsl.check.results import check_result
from tdsl.check.scope import (
    AliasEntry,
    Bound,
    ConstantEntry,
    Environment,
    FunctionEntry,
    ModuleScope,
    StructEntry,
)
from tdsl.check.statements import check_block
from tdsl.check.structs import declare_struct, struct_of
from tdsl.check.subscripts import check_subscript
from tdsl.check.types import resolve_type
from tdsl.check.values import DTypeValue, is_poisoned, size_number
from tdsl.syntax import ast
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTypeVariable
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import DTypeType

RULES: Mapping[type, Rule] = MappingProxyType(
    {
        ast.Variable: check_variable,
        ast.Integer: check_integer,
        ast.Float: check_float,
        ast.Boolean: check_boolean,
        ast.String: check_string,
        ast.Wildcard: check_wildcard,
        ast.Unary: check_unary,
        ast.Binary: check_binary,
        ast.Subscript: check_subscript,
        ast.StaticArguments: check_static_arguments,
        ast.Call: check_call,
        ast.Attribute: check_attribute,
        ast.Tuple: check_tuple,
        ast.List: check_list,
        ast.Comprehension: check_list,
        ast.Loop: check_loop,
        ast.If: check_if,
    }
)


@dataclass
class ModuleChecker:
    """The state of one module's check. `checked` are the functions whose bodies were looked at."""

    scope: ModuleScope
    reporter: Reporter
    checked: dict[str, typed.Function] = field(default_factory=dict)
    # While an edit is tried, what an error in the body hid before must not count as new.
    trial: bool = False
    calls: dict[typed.FunctionReference, list[tuple[typed.FunctionReference, Span]]] = field(
        default_factory=dict
    )

    def check_function(self, entry: FunctionEntry) -> None:
        """One body against its head; an error in either leaves the others alone."""
        if entry.reference in self.calls:
            return
        declaration = declare(entry, self.reporter, RULES)
        before = self.reporter.errors
        self.calls[entry.reference] = declaration.owner.calls
        context = Context(
            self.scope,
            self.reporter,
            declaration.owner,
            Environment(declaration.environment),
            declaration.facts,
            declaration.names,
            RULES,
        )
        body = check_block(context, entry.node.body)
        body = check_result(context, entry.node, declaration, body)
        if self.reporter.errors == before and not self.trial:
            self.reporter.extend(declaration.undetermined)
        if declaration.signature is not None and not is_poisoned(body):
            self.checked[entry.node.name.text] = typed.Function(
                declaration.signature,
                entry.node.docs,
                entry.node.public,
                declaration.locals,
                body,
            )

    def check_all(self, only: frozenset[str] | None = None) -> None:
        """All functions, or those named."""
        for entry in self.scope.functions():
            if only is None or entry.node.name.text in only:
                self.check_function(entry)

    def check_items(self) -> None:
        """Constants and aliases, whether or not they are used."""
        context = self.context("")
        for entry in self.scope.entries.values():
            if isinstance(entry, ConstantEntry) and entry.module is self.scope:
                constant_value(context, entry)
            elif isinstance(entry, AliasEntry) and entry.module is self.scope:
                self._check_alias(entry)
        for struct in self.struct_entries():
            declaration = declare_struct(struct, self.reporter, RULES)
            self.reporter.extend(declaration.undetermined)

    def struct_entries(self) -> list[StructEntry]:
        """The structs of this module, in source order."""
        return [
            entry
            for entry in self.scope.entries.values()
            if isinstance(entry, StructEntry) and entry.module is self.scope
        ]

    def structs(self) -> dict[str, typed.Struct]:
        """Those that were looked at, which are all that the program uses."""
        found = {entry.node.name.text: struct_of(entry) for entry in self.struct_entries()}
        return {name: struct for name, struct in found.items() if struct is not None}

    def _check_alias(self, entry: AliasEntry) -> None:
        """An alias for any sizes."""
        name = f"{self.scope.name}.{entry.node.name.text}"
        context = self.context(entry.node.name.text)
        for parameter in entry.node.parameters:
            if isinstance(parameter, ast.PackParameter):
                return
            span = parameter.name.span
            if parameter.kind is not None and parameter.kind.text == "dtype":
                variable = DTypeVariable(parameter.name.text, "any", name)
                value: typed.Expression = DTypeValue(DTypeType(variable), span)
            else:
                value = size_number(Size.of(Symbol(parameter.name.text, name)), span)
            context.environment.bind(parameter.name.text, Bound(value, span, used=True))
        if not entry.circular:
            entry.expanding = True
            resolve_type(context, entry.node.type)
            entry.expanding = False

    def examples(self) -> tuple[typed.Example, ...]:
        found = []
        for item in self.scope.tree.items:
            if isinstance(item, ast.Example):
                example = check_example(self.context(f"example {item.function.text}"), item)
                if example is not None:
                    found.append(example)
        return tuple(found)

    def tests(self) -> tuple[typed.Test, ...]:
        found = []
        seen: dict[str, Span] = {}
        for item in self.scope.tree.items:
            if not isinstance(item, ast.Test):
                continue
            name_span = Span(item.span.source, item.span.start, item.body.span.start)
            if item.name in seen:
                self.reporter.report(
                    "E0802",
                    f'there are two tests "{item.name}"',
                    name_span,
                    more=[(seen[item.name], "the first is here")],
                )
            seen.setdefault(item.name, name_span)
            context = self.context(f"test {item.name}", in_test=True)
            body = check_block(context, item.body)
            if not is_poisoned(body):
                found.append(typed.Test(item.name, body, item.span))
            self.calls[typed.FunctionReference(self.scope.name, f"test {item.name}")] = (
                context.owner.calls
            )
        return tuple(found)

    def context(self, name: str, *, in_test: bool = False) -> Context:
        owner = Owner(f"{self.scope.name}.{name}", in_test=in_test)
        return Context(self.scope, self.reporter, owner, Environment(), Facts(), Names(), RULES)


def find_recursion(
    calls: Mapping[typed.FunctionReference, list[tuple[typed.FunctionReference, Span]]],
    reporter: Reporter,
) -> None:
    """Report each call that closes a circle. Depth-first, without recursing itself."""
    done: set[typed.FunctionReference] = set()
    for first in calls:
        if first in done:
            continue
        path: list[typed.FunctionReference] = [first]
        stack = [iter(calls[first])]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                done.add(path.pop())
                continue
            callee, span = step
            if callee in path:
                circle = [other.name for other in path[path.index(callee) :]]
                route = " → ".join(f"`{name}`" for name in [*circle, callee.name])
                notes = [] if len(circle) == 1 else [f"the circle is {route}"]
                reporter.report(
                    "E0513",
                    f"`{callee.name}` calls itself",
                    span,
                    "functions are unfolded into their callers, so none may call itself",
                    notes=notes,
                )
            elif callee in calls and callee not in done:
                path.append(callee)
                stack.append(iter(calls[callee]))
