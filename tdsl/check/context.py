"""What the rules for expressions share: the names and facts in force, and how to complain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from tdsl.check import typed
from tdsl.check.report import Reporter
from tdsl.check.scope import Environment, ModuleScope
from tdsl.check.values import poison
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Help
from tdsl.syntax.source import Span
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size, SizeTooComplex, Symbol
from tdsl.types.types import Type

Rule = Callable[["Context", Any], typed.Expression]


@dataclass(eq=False)
class Owner:
    """The function, test, example or constant whose expressions are checked."""

    name: str  # "module.function": the owner of its symbols
    node: ast.Function | None = None
    # Where each size parameter was bound, by name, to be shown with a clash.
    binders: Mapping[str, Span] = field(default_factory=dict)
    calls: list[tuple[typed.FunctionReference, Span]] = field(default_factory=list)
    locals: count[int] = field(default_factory=count)
    indices: count[int] = field(default_factory=count)
    # The items unrolled so far, to be bounded.
    unrolled: int = 0
    # Names reported as unknown: one message for each.
    unknown: set[str] = field(default_factory=set)
    in_test: bool = False
    # The indices of loops that stay loops: not known before the program runs.
    loop_indices: set[Symbol] = field(default_factory=set)
    # The range, start..stop, of each index of a loop or comprehension that is a symbol.
    ranges: dict[Symbol, tuple[Size, Size]] = field(default_factory=dict)
    # How many constants or aliases lead here, each defined by the next.
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Context:
    """An immutable view: entering a block makes another. `rules` maps syntax nodes to rules, so
    that the rules of one kind of expression need not import those of the others."""

    module: ModuleScope
    reporter: Reporter
    owner: Owner
    environment: Environment
    facts: Facts
    names: Names
    rules: Mapping[type, Rule]

    def check(self, node: ast.Expression) -> typed.Expression:
        """The typed expression; one of PoisonType where an error was reported."""
        try:
            return self.rules[type(node)](self, node)
        except SizeTooComplex:
            return self.fail(node, "E0514", "the sizes here have too many terms to reason about")

    def inside(self, facts: Facts | None = None) -> Context:
        """The same, with an inner block of names, and with more facts."""
        environment = Environment(self.environment)
        return replace(self, environment=environment, facts=facts or self.facts)

    def show(self, type_: Type) -> str:
        return self.names.type(type_)

    def new_local(self, name: str, type_: Type, span: Span) -> typed.Local:
        return typed.Local(type_, span, name, next(self.owner.locals))

    def new_index(self, name: str, least: int) -> Symbol:
        """A symbol for a loop index: each loop has its own, also where names are equal."""
        return Symbol(name, f"{self.owner.name}#{next(self.owner.indices)}", least)

    def fail(
        self,
        node: ast.Node | Span,
        code: str,
        message: str,
        label: str = "",
        *,
        more: Sequence[tuple[Span, str]] = (),
        notes: Iterable[str] = (),
        helps: Iterable[Help] = (),
    ) -> typed.Poison:
        """Report, and give what stands for the erroneous expression from here on."""
        span = node if isinstance(node, Span) else node.span
        self.reporter.report(code, message, span, label, more=more, notes=notes, helps=helps)
        return poison(span)
