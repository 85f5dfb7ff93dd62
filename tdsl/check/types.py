"""Resolve written types, in a signature or in a body: dtypes, sizes, packs, aliases."""

from __future__ import annotations

from dataclasses import replace

from tdsl.check.context import Context, Owner
from tdsl.check.dimensions import dimensions_of, size_in_type
from tdsl.check.lookup import helps_for
from tdsl.check.members import member_type
from tdsl.check.scope import (
    AliasEntry,
    Bound,
    BrokenEntry,
    Entry,
    Environment,
    FunctionEntry,
    ModuleEntry,
    PathEntry,
    StructEntry,
)
from tdsl.check.type_arguments import bind_arguments
from tdsl.check.values import DTypeValue, PackValue, is_poisoned, static_size
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.types.dtypes import DTYPES, AnyDType
from tdsl.types.sizes import Dimension, Shape
from tdsl.types.types import (
    POISON,
    DTypeType,
    ListType,
    PoisonType,
    StructType,
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
            length = size_in_type(context, node.length)
            if length is None or isinstance(item, PoisonType):
                return POISON
            return ListType(item, length)


def _named(context: Context, node: ast.NamedType, wanted: Type | None) -> Type:
    if node.modules:
        return _member(context, node)
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
    if name in DTYPES and not isinstance(entry, (AliasEntry, StructEntry, BrokenEntry)):
        return _array(context, node, DTYPES[name], wanted)
    if entry is not None:
        return _of_entry(context, node, entry)
    helps = [
        help_
        for help_ in helps_for(context, name, node.name)
        if not help_.edits or _is_type_name(context, help_.edits[0].replacement)
    ]
    notes = [] if helps else ["a type is a dtype with sizes, such as `f32[M, N]`"]
    context.fail(node.name, "E0806", f"unknown type `{name}`", notes=notes, helps=helps)
    return POISON


def _member(context: Context, node: ast.NamedType) -> Type:
    """`module.Name[…]`."""
    entry = member_type(context, node)
    return POISON if entry is None else _of_entry(context, node, entry)


def _of_entry(context: Context, node: ast.NamedType, entry: Entry) -> Type:
    if isinstance(entry, AliasEntry):
        return _alias(context, node, entry)
    if isinstance(entry, StructEntry):
        return _struct(context, node, entry)
    if isinstance(entry, BrokenEntry):
        return POISON
    what = "a constant"
    if isinstance(entry, (ModuleEntry, PathEntry)):
        what = "a module"
    elif isinstance(entry, FunctionEntry):
        what = "a function"
    start = node.modules[0].span.start if node.modules else node.name.span.start
    written = node.span.source.span(start, node.name.span.end)
    context.fail(written, "E0806", f"`{written.text}` is {what}; a type is needed here")
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
    entry = context.module.entries.get(name)
    return name in DTYPES or isinstance(entry, (AliasEntry, StructEntry))


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
        found = dimensions_of(context, argument)
        if found is None:
            fine = False
        else:
            shape.extend(found)
    return TensorType(dtype, tuple(shape)) if fine else POISON


# --- aliases and structs


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
    values = bind_arguments(context, node, alias.name, alias.parameters)
    if values is None:
        return POISON
    environment = Environment()
    for parameter in alias.parameters:
        prefix = "..." if isinstance(parameter, ast.PackParameter) else ""
        key = parameter.name.text
        environment.bind(prefix + key, Bound(values[key], parameter.span, used=True))
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


def _struct(context: Context, node: ast.NamedType, entry: StructEntry) -> Type:
    """A struct with its arguments. Its fields are looked at only where they are used."""
    struct = entry.node
    values = bind_arguments(context, node, struct.name, struct.parameters)
    if values is None:
        return POISON
    sizes: list[Dimension] = []
    dtypes: list[AnyDType] = []
    for parameter in struct.parameters:
        value = values[parameter.name.text]
        if isinstance(value, PackValue):
            sizes += value.shape
        elif isinstance(value, DTypeValue):
            assert isinstance(value.type, DTypeType)
            dtypes.append(value.type.dtype)
        else:
            size = static_size(value)
            assert size is not None
            sizes.append(size)
    order = "".join(
        "p" if isinstance(value, PackValue) else "d" if isinstance(value, DTypeValue) else "s"
        for value in (values[parameter.name.text] for parameter in struct.parameters)
    )
    return StructType(entry.module.name, struct.name.text, tuple(sizes), tuple(dtypes), order)
