"""Resolve a function's head: its parameters, `where` clauses, arguments and result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from tdsl.check import typed
from tdsl.check.context import Context, Owner, Rule
from tdsl.check.parameters import ParameterList
from tdsl.check.patterns import claim_name
from tdsl.check.report import Reporter
from tdsl.check.scope import Bound, Environment, FunctionEntry
from tdsl.check.sizes import size_of
from tdsl.check.statements import fit
from tdsl.check.types import resolve_type
from tdsl.check.values import is_poisoned
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, DType, DTypeVariable
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.solve import dimensions
from tdsl.types.types import (
    PoisonType,
    Type,
)
from tdsl.types.where import Clause, excess, relate


@dataclass(frozen=True, eq=False)
class Declaration:
    """A function's head, and what its body starts from. Without a signature the head has an error:
    calls are then taken for right."""

    signature: typed.Signature | None
    owner: Owner
    environment: Environment
    locals: tuple[typed.Local, ...]
    facts: Facts
    names: Names
    result: Type
    # Parameters that no call could determine: reported only where the body is right, since an
    # error there says mostly the same.
    undetermined: tuple[Diagnostic, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether a call can be checked against it."""
        return self.signature is not None and not self.undetermined


def declare(entry: FunctionEntry, reporter: Reporter, rules: Mapping[type, Rule]) -> Declaration:
    """The declaration of a function, resolved on first use."""
    if entry.declaration is None:
        entry.declaration = _Head(entry, reporter, rules).declaration()
    return entry.declaration


class _Head:
    """One function's head while it is resolved."""

    def __init__(
        self, entry: FunctionEntry, reporter: Reporter, rules: Mapping[type, Rule]
    ) -> None:
        self.entry = entry
        self.node = entry.node
        self.reporter = reporter
        self.rules = rules
        self.before = reporter.errors
        name = f"{entry.module.name}.{self.node.name.text}"
        binders = {parameter.name.text: parameter.name.span for parameter in self.node.parameters}
        self.owner = Owner(name, self.node, binders)
        self.own = ParameterList(self.node, self.owner)

    def context(self, environment: Environment, facts: Facts, names: Names) -> Context:
        return Context(
            self.entry.module, self.reporter, self.owner, environment, facts, names, self.rules
        )

    def declaration(self) -> Declaration:
        self.own.read(self.context(Environment(), Facts(), Names()))
        order = tuple(self.own.symbols)
        raw = self.context(self.own.environment({}), Facts(), Names({}, order, self.owner.name))
        clauses = self.clauses(raw)
        relations = relate([symbol for symbol, _, _ in self.own.symbols.values()], clauses)
        for refusal in relations.refusals:
            span = refusal.clause.span
            assert isinstance(span, Span)
            helps = []
            if refusal.write is not None:
                edit = Edit(span, refusal.write.removeprefix("where "))
                helps = [Help(f"write `{refusal.write}`", (edit,))]
            raw.fail(
                span,
                refusal.code,
                f"this `where` clause cannot be used: {refusal.reason}"
                if refusal.code == "E0512"
                else f"no sizes satisfy this: {refusal.reason}",
                helps=helps,
            )
        self.impossible(raw, clauses, relations.values)
        names = Names(relations.names, order, self.owner.name)
        environment = self.own.environment(relations.values)
        context = self.context(environment, Facts(relations.hypotheses), names)
        defaults = self.own.defaults(context)
        dtype_defaults = self.own.dtype_defaults(context)
        types = [resolve_type(context, argument.type) for argument in self.node.arguments]
        facts = Facts(relations.hypotheses)
        for type_ in types:
            for size in dimensions(type_):
                if isinstance(size, Size) and size.literal is None:
                    facts = facts.assume(size - 1)
        context = self.context(environment, facts, names)
        result = resolve_type(context, self.node.result)
        locals_ = self.locals(context, types)
        argument_defaults = self.argument_defaults(context, types)
        signature = None
        undetermined: list[Diagnostic] = []
        known = not any(isinstance(type_, PoisonType) for type_ in (*types, result))
        if known and self.reporter.errors == self.before:
            undetermined = self.undetermined(types, relations.values)
            signature = self.signature(
                types,
                result,
                clauses,
                relations.values,
                defaults,
                argument_defaults,
                dtype_defaults,
            )
        return Declaration(
            signature,
            self.owner,
            environment,
            locals_,
            facts,
            names,
            result,
            tuple(undetermined),
        )

    # --- clauses, arguments

    def clauses(self, context: Context) -> list[Clause]:
        clauses = []
        for constraint in self.node.constraints:
            sides = [
                size_of(context, context.check(side), "each side of a `where` clause")
                for side in (constraint.left, constraint.right)
            ]
            if sides[0] is not None and sides[1] is not None:
                clauses.append(Clause(constraint.relation, sides[0], sides[1], constraint.span))
        return clauses

    def impossible(
        self, context: Context, clauses: list[Clause], values: Mapping[Symbol, Size]
    ) -> None:
        """Inequalities that no sizes satisfy, such as `N < 1`."""
        for clause in clauses:
            if clause.relation in ("==", "divides"):
                continue
            left, right = clause.left.substitute(values), clause.right.substitute(values)
            missing = -excess(clause.relation, left, right)
            if missing.literal is None and context.facts.at_least(missing, 1):
                context.fail(
                    cast(Span, clause.span),
                    "E0505",
                    "no sizes satisfy this: every size is 1 or more",
                )

    def locals(self, context: Context, types: list[Type]) -> tuple[typed.Local, ...]:
        locals_ = []
        fields: dict[str, Span] = {}
        for argument, type_ in zip(self.node.arguments, types, strict=True):
            name, span = argument.name.text, argument.name.span
            local = context.new_local(name, type_, span)
            locals_.append(local)
            if self.entry.builds is not None:
                # Fields are no names of their own: they may be called as a parameter is.
                if name in fields:
                    struct = self.node.name.text
                    context.fail(
                        span,
                        "E0802",
                        f"the struct `{struct}` has two fields called `{name}`",
                        more=[(fields[name], "the first one")],
                    )
                elif name in DTYPES:
                    context.fail(span, "E0809", f"`{name}` is a dtype; a field needs another name")
                fields.setdefault(name, span)
                continue
            if claim_name(context, name, span):
                context.environment.bind(name, Bound(local, span, used=True))
        return tuple(locals_)

    def argument_defaults(
        self, context: Context, types: list[Type]
    ) -> tuple[typed.Expression | None, ...]:
        found: list[typed.Expression | None] = []
        for argument, type_ in zip(self.node.arguments, types, strict=True):
            if argument.default is None:
                if found and found[-1] is not None:
                    context.fail(
                        argument,
                        "E0503",
                        "an argument without a default cannot follow one with a default",
                    )
                found.append(None)
                continue
            value = context.check(argument.default)
            if not is_poisoned(value) and not isinstance(value, typed.Number):
                value = context.fail(
                    argument.default, "E0206", "the default of an argument is a literal number"
                )
            fitted = fit(context, value, type_)
            if fitted is None:
                fitted = context.fail(
                    argument.default,
                    "E0203",
                    f"`{argument.name.text}` is declared as `{context.show(type_)}`, but its "
                    f"default is {context.show(value.type)}",
                    more=[(argument.type.span, "declared here")],
                )
            found.append(fitted)
        return tuple(found)

    # --- the whole

    def undetermined(self, types: list[Type], values: Mapping[Symbol, Size]) -> list[Diagnostic]:
        """Parameters that no call could ever determine."""
        symbols: set[Symbol] = set()
        packs: set[Pack] = set()
        for type_ in types:
            for size in dimensions(type_):
                if isinstance(size, Pack):
                    packs.add(size)
                else:
                    symbols |= size.symbols()
        for symbol, parameter, _ in self.own.symbols.values():
            # A value known through a `where` clause determines what it is made of.
            if parameter.static or parameter.default is not None:
                symbols |= values.get(symbol, Size.of(symbol)).symbols()
        function = self.node.name.text
        if self.entry.builds is None:
            role, nothing = "argument", f"no call of `{function}` could determine"
        else:
            role, nothing = "field", f"nothing in the struct `{function}` could determine"
        found = []
        for symbol, parameter, _ in self.own.symbols.values():
            reached = values.get(symbol, Size.of(symbol)).symbols()
            if parameter.static or parameter.default is not None or reached <= symbols:
                continue
            start, name = parameter.span.start, symbol.name
            edit = Edit(Span(parameter.span.source, start, start), "static ")
            advice = f"declare `static {name}`; callers then pass `[{name}=…]`"
            found.append(
                Diagnostic(
                    "E0506",
                    f"{nothing} `{name}`: it is in the type of no {role}",
                    (Label(parameter.name.span),),
                    helps=(Help(advice, (edit,)), Help(f"leave out `{name}` if nothing needs it")),
                )
            )
        for name, pack in self.own.packs.items():
            if pack not in packs:
                found.append(
                    Diagnostic(
                        "E0506",
                        f"{nothing} `...{name}`: it is in the type of no {role}",
                        (Label(self.owner.binders[name]),),
                    )
                )
        return found

    def signature(
        self,
        types: list[Type],
        result: Type,
        clauses: list[Clause],
        values: Mapping[Symbol, Size],
        defaults: Mapping[str, Size | None],
        argument_defaults: tuple[typed.Expression | None, ...],
        dtype_defaults: tuple[tuple[DTypeVariable, DType], ...],
    ) -> typed.Signature:
        sizes = tuple(
            typed.SizeParameter(
                name,
                parameter.static,
                values.get(symbol, Size.of(symbol)),
                defaults[name],
                parameter.name.span,
                kind,
            )
            for name, (symbol, parameter, kind) in self.own.symbols.items()
        )
        constraints = tuple(
            typed.Constraint(
                clause.relation,
                clause.left.substitute(values),
                clause.right.substitute(values),
                cast(Span, clause.span),
            )
            for clause in clauses
        )
        node = self.node
        return typed.Signature(
            self.entry.reference,
            sizes,
            tuple(self.own.packs.values()),
            tuple(self.own.dtypes.values()),
            tuple(
                (argument.name.text, type_)
                for argument, type_ in zip(node.arguments, types, strict=True)
            ),
            result,
            constraints,
            node.name.span,
            tuple(argument.span for argument in node.arguments),
            node.result.span,
            node.signature_end,
            argument_defaults,
            dtype_defaults,
        )
