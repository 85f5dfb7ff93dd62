"""Resolve written types, in a signature or in a body: dtypes, sizes, packs, aliases."""

from __future__ import annotations

from dataclasses import replace

from tdsl.check import typed
from tdsl.check.context import Context, Owner
from tdsl.check.lookup import helps_for
from tdsl.check.scope import (
    AliasEntry,
    Bound,
    BrokenEntry,
    Environment,
    ModuleEntry,
    PathEntry,
    StructEntry,
)
from tdsl.check.sizes import size_of
from tdsl.check.values import DTypeValue, PackValue, is_poisoned, poison, size_number
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, AnyDType
from tdsl.types.sizes import Dimension, Shape, Size
from tdsl.types.types import (
    POISON,
    DTypeType,
    ListType,
    PoisonType,
    TensorType,
    TupleType,
    Type,
)

# Aliases that lead to one another.
MOST_DEPTH = 100


def resolve_type(context: Context, node: ast.TypeExpression, wanted: Type | None = None) -> Type:
    """The type; POISON after a report. `wanted` gives what `_` stands for in a `let`."""
    match node:
        case ast.NamedType():
            return _named(context, node, wanted)
        case ast.TupleType():
            inner = wanted.items if isinstance(wanted, TupleType) else ()
            if len(inner) != len(node.items):
                inner = (None,) * len(node.items)  # type: ignore[assignment]
            items = tuple(
                resolve_type(context, item, hint)
                for item, hint in zip(node.items, inner, strict=True)
            )
            return POISON if POISON in items else TupleType(items)
        case ast.ListType():
            hint = wanted.item if isinstance(wanted, ListType) else None
            item = resolve_type(context, node.item, hint)
            length = _size(context, node.length)
            if length is None or isinstance(item, PoisonType):
                return POISON
            return ListType(item, length)


def _named(context: Context, node: ast.NamedType, wanted: Type | None) -> Type:
    name = node.name.text
    bound = context.environment.find(name)
    if bound is not None:
        bound.used = True
        if isinstance(bound.value, DTypeValue):
            assert isinstance(bound.value.type, DTypeType)
            return _array(context, node, bound.value.type.dtype, wanted)
        if not is_poisoned(bound.value) and name not in context.owner.unknown:
            context.owner.unknown.add(name)
            context.fail(
                node.name,
                "E0806",
                f"`{name}` is no type",
                more=[(bound.span, "bound here")],
                notes=["a type is a dtype with sizes, such as `f32[M, N]`"],
                helps=_dtype_parameter(context, name),
            )
        return POISON
    entry = context.module.entries.get(name)
    if isinstance(entry, AliasEntry):
        return _alias(context, node, entry)
    if isinstance(entry, StructEntry):
        context.fail(node, "E0112", f"structs such as `{name}` are not yet in this version")
        return POISON
    if isinstance(entry, BrokenEntry):
        return POISON
    if name in DTYPES:
        return _array(context, node, DTYPES[name], wanted)
    if entry is not None:
        what = "a module" if isinstance(entry, (ModuleEntry, PathEntry)) else "no type"
        context.fail(node.name, "E0806", f"`{name}` is {what}; a type is needed here")
        return POISON
    helps = [
        help_
        for help_ in helps_for(context, name, node.name)
        if not help_.edits or _is_type_name(context, help_.edits[0].replacement)
    ]
    notes = [] if helps else ["a type is a dtype with sizes, such as `f32[M, N]`"]
    context.fail(node.name, "E0806", f"unknown type `{name}`", notes=notes, helps=helps)
    return POISON


def _dtype_parameter(context: Context, name: str) -> list[Help]:
    """`fn f[E](x: E[N])`: `E` is meant to be a dtype."""
    function = context.owner.node
    for parameter in function.parameters if function is not None else ():
        if not isinstance(parameter, ast.Parameter) or parameter.name.text != name:
            continue
        if parameter.kind is None and not parameter.static:
            end = parameter.name.span.end
            edit = Edit(parameter.span.source.span(end, end), ": dtype(float)")
            return [Help(f"bind it as a dtype: `{name}: dtype(float)`", (edit,))]
    return []


def _is_type_name(context: Context, name: str) -> bool:
    bound = context.environment.find(name)
    if bound is not None:
        return isinstance(bound.value, DTypeValue)
    return name in DTYPES or isinstance(context.module.entries.get(name), AliasEntry)


def _array(context: Context, node: ast.NamedType, dtype: AnyDType, wanted: Type | None) -> Type:
    hints: Shape = wanted.shape if isinstance(wanted, TensorType) else ()
    if len(hints) != len(node.arguments):
        hints = ()
    shape: list[Dimension] = []
    fine = True
    for position, argument in enumerate(node.arguments):
        if isinstance(argument, ast.AnyDimension):
            if not hints:
                context.fail(
                    argument,
                    "E0514",
                    "`_` stands for a size only in the type of a `let` whose value has as many axes",
                )
                fine = False
                continue
            shape.append(hints[position])
            continue
        found = _dimensions(context, argument)
        if found is None:
            fine = False
        else:
            shape.extend(found)
    return TensorType(dtype, tuple(shape)) if fine else POISON


def _dimensions(context: Context, node: ast.Dimension) -> Shape | None:
    """The axes that one argument of an array's type stands for: one, or those of a pack."""
    if isinstance(node, ast.PackDimension):
        return _pack(context, node.name)
    if isinstance(node, ast.NamedDimension):
        context.fail(node, "E0808", "sizes of an array are written in order, without names")
        return None
    if isinstance(node, ast.AnyDimension):
        context.fail(node, "E0514", "`_` stands for a size only in the type of a `let`")
        return None
    if isinstance(node, ast.Variable):
        pack = context.environment.find(f"...{node.name}")
        if pack is not None:
            edit = Edit(Span(node.span.source, node.span.start, node.span.start), "...")
            context.fail(
                node,
                "E0514",
                f"`{node.name}` stands for any number of axes",
                more=[(pack.span, "bound here")],
                helps=[Help(f"write `...{node.name}`", (edit,))],
            )
            return None
    size = _size(context, node)
    return None if size is None else (size,)


def _size(context: Context, node: ast.Expression) -> Size | None:
    size = size_of(context, context.check(node), "a size in a type")
    if size is None:
        return None
    if size.literal is not None and size.literal < 1:
        context.fail(node, "E0413", f"sizes are 1 or more, not {size.literal}")
        return None
    return size


def _pack(context: Context, name: ast.Name) -> Shape | None:
    bound = context.environment.find(f"...{name.text}")
    if bound is not None:
        bound.used = True
        assert isinstance(bound.value, PackValue)
        return bound.value.shape
    other = context.environment.find(name.text)
    if other is not None:
        edit = Edit(Span(name.span.source, name.span.start - 3, name.span.start), "")
        context.fail(
            name,
            "E0514",
            f"`{name.text}` is one size, not any number of axes",
            more=[(other.span, "bound here")],
            helps=[Help(f"write `{name.text}`, or bind `...{name.text}`", (edit,))],
        )
        return None
    context.fail(
        name,
        "E0801",
        f"unknown pack `...{name.text}`",
        helps=[Help(f"bind it among the parameters: `[...{name.text}]`")],
    )
    return None


# --- aliases


def _alias(context: Context, node: ast.NamedType, entry: AliasEntry) -> Type:
    alias = entry.node
    name = alias.name.text
    if entry.circular:
        return POISON
    if entry.expanding:
        entry.circular = True
        context.fail(alias.name, "E0513", f"the type `{name}` is defined by itself")
        return POISON
    owner = Owner(f"{entry.module.name}.{name}", depth=context.owner.depth + 1)
    if owner.depth > MOST_DEPTH:
        context.fail(
            alias.name, "E0111", f"more than {MOST_DEPTH} types are defined by one another"
        )
        return POISON
    environment = Environment()
    if not _bind_arguments(context, node, alias, environment):
        return POISON
    inner = replace(
        context,
        module=entry.module,
        owner=owner,
        environment=environment,
    )
    entry.expanding = True
    result = resolve_type(inner, alias.type)
    entry.expanding = False
    # Whatever led into a circle is not said to be one again.
    entry.circular = entry.circular or isinstance(result, PoisonType)
    return result


def _bind_arguments(
    context: Context, node: ast.NamedType, alias: ast.Alias, environment: Environment
) -> bool:
    """Bind the parameters of an alias to what its use gives."""
    parameters = alias.parameters
    given: dict[str, ast.Dimension] = {}
    positional = [a for a in node.arguments if not isinstance(a, ast.NamedDimension)]
    packs = [p for p in parameters if isinstance(p, ast.PackParameter)]
    if packs or len(positional) > len(parameters):
        if packs:
            context.fail(alias, "E0112", "packs of a type alias are not yet in this version")
        else:
            _wrong_count(context, node, alias)
        return False
    for parameter, argument in zip(parameters, positional, strict=False):
        given[parameter.name.text] = argument
    for named in node.arguments:
        if isinstance(named, ast.NamedDimension):
            if named.name.text in given:
                context.fail(named, "E0509", f"`{named.name.text}` is given twice")
                return False
            given[named.name.text] = named.value
    names = [parameter.name.text for parameter in parameters]
    unknown = [name for name in given if name not in names]
    if unknown:
        context.fail(node, "E0501", f"`{alias.name.text}` has no parameter `{unknown[0]}`")
        return False
    fine = True
    for parameter in parameters:
        assert isinstance(parameter, ast.Parameter)
        argument_ = given.get(parameter.name.text)
        if argument_ is None:
            argument_ = parameter.default
        if argument_ is None:
            _wrong_count(context, node, alias)
            return False
        value = _argument(context, parameter, argument_)
        fine = fine and not is_poisoned(value)
        environment.bind(parameter.name.text, Bound(value, parameter.span, used=True))
    return fine


def _argument(
    context: Context, parameter: ast.Parameter, argument: ast.Dimension
) -> typed.Expression:
    if parameter.kind is not None and parameter.kind.text == "dtype":
        assert not isinstance(argument, (ast.PackDimension, ast.AnyDimension, ast.NamedDimension))
        value = context.check(argument)
        if isinstance(value, DTypeValue) or is_poisoned(value):
            return value
        return context.fail(argument, "E0806", f"`{parameter.name.text}` must be a dtype")
    found = _dimensions(context, argument)
    if found is None:
        return poison(argument.span)
    if len(found) != 1 or not isinstance(found[0], Size):
        return context.fail(argument, "E0514", f"`{parameter.name.text}` is one size")
    return size_number(found[0], argument.span)


def _wrong_count(context: Context, node: ast.NamedType, alias: ast.Alias) -> None:
    wanted = ", ".join(parameter.name.text for parameter in alias.parameters)
    context.fail(
        node,
        "E0808",
        f"`{alias.name.text}` is written with {len(alias.parameters)} of sizes and dtypes: "
        f"`{alias.name.text}[{wanted}]`"
        if wanted
        else f"`{alias.name.text}` is written without brackets",
        f"{len(node.arguments)} are given",
        more=[(alias.name.span, "defined here")] if alias.span.source is node.span.source else [],
    )
