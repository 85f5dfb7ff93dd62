"""Structs: their definitions, how they are built, and their fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tdsl.check import typed
from tdsl.check.context import Context, Rule
from tdsl.check.declarations import Declaration, declare
from tdsl.check.invoke import call_function
from tdsl.check.report import Reporter
from tdsl.check.scope import FunctionEntry, StructEntry
from tdsl.check.values import is_poisoned, poison
from tdsl.syntax import ast
from tdsl.syntax.source import Span
from tdsl.types.sizes import Pack, Shape, Size, Symbol
from tdsl.types.types import StructType, Substitution, Type


def _builder(entry: StructEntry) -> FunctionEntry:
    """The function that a struct's name is: from its fields to the struct. So heads, calls and
    their messages are those of functions."""
    if entry.builder is None:
        node = entry.node
        dimensions = tuple(
            ast.PackDimension(parameter.name.span, parameter.name)
            if isinstance(parameter, ast.PackParameter)
            else ast.Variable(parameter.name.span, parameter.name.text)
            for parameter in node.parameters
        )
        result = ast.NamedType(node.name.span, node.name, dimensions)
        function = ast.Function(
            span=node.span,
            docs=node.docs,
            attributes=node.attributes,
            public=node.public,
            name=node.name,
            parameters=node.parameters,
            arguments=tuple(
                ast.Argument(field.span, field.name, field.type, None) for field in node.fields
            ),
            result=result,
            constraints=(),
            body=ast.Block(node.span, ()),
            signature_end=node.name.span.end,
        )
        entry.builder = FunctionEntry(entry.module, function, builds=node)
    return entry.builder


def declare_struct(
    entry: StructEntry, reporter: Reporter, rules: Mapping[type, Rule]
) -> Declaration:
    """The struct's head: the parameters of its signature are the fields."""
    return declare(_builder(entry), reporter, rules)


def struct_of(entry: StructEntry) -> typed.Struct | None:
    """The definition, where it was resolved without error."""
    declaration = entry.builder.declaration if entry.builder is not None else None
    signature = declaration.signature if declaration is not None else None
    if signature is None:
        return None
    node = entry.node
    fields = tuple(
        typed.StructField(name, type_, field.docs, field.span)
        for (name, type_), field in zip(signature.parameters, node.fields, strict=True)
    )
    return typed.Struct(
        entry.module.name,
        node.name.text,
        signature.sizes,
        signature.packs,
        signature.dtypes,
        fields,
        node.docs,
        node.public,
        node.name.span,
    )


def build_struct(
    context: Context,
    entry: StructEntry,
    positional: Sequence[ast.Expression | typed.Expression],
    keywords: Sequence[ast.Keyword],
    statics: Sequence[ast.Keyword],
    span: Span,
    callee: Span,
) -> typed.Expression:
    """`KV(k=…, v=…)`."""
    made = call_function(
        context, _builder(entry), positional, keywords, statics, span, callee, record=False
    )
    if not isinstance(made, typed.CallFunction):
        return made
    return typed.MakeStruct(made.type, span, made.arguments)


def field_of(
    context: Context, entry: StructEntry, value: typed.Expression, name: ast.Name, span: Span
) -> typed.Expression | None:
    """The field of a value; None where the struct has none of this name."""
    assert isinstance(value.type, StructType)
    names = [field.name.text for field in entry.node.fields]
    if name.text not in names:
        return None
    declaration = declare_struct(entry, context.reporter, context.rules)
    if declaration.signature is None or is_poisoned(value):
        return poison(span)
    position = names.index(name.text)
    _, declared = declaration.signature.parameters[position]
    type_ = arguments_of(entry, declaration.signature, value.type).type(declared)
    if isinstance(value, typed.MakeStruct):
        # What was just built is at hand.
        return value.fields[position]
    return typed.FieldOf(type_, span, value, name.text, position)


def struct_entry(context: Context, type_: Type) -> StructEntry | None:
    """The definition of a value's struct; None for other values."""
    if not isinstance(type_, StructType):
        return None
    entry = context.module.modules[type_.module].entries.get(type_.name)
    return entry if isinstance(entry, StructEntry) else None


def arguments_of(entry: StructEntry, signature: typed.Signature, type_: StructType) -> Substitution:
    """What the parameters of a struct stand for in a type."""
    sizes: dict[Symbol, Size] = {}
    packs: dict[Pack, Shape] = {}
    by_name = {parameter.name: parameter for parameter in signature.sizes}
    by_pack = {pack.name: pack for pack in signature.packs}
    spare = len(type_.sizes) - len(by_name)
    left = list(type_.sizes)
    for parameter in entry.node.parameters:
        name = parameter.name.text
        if name in by_pack:
            packs[by_pack[name]], left = tuple(left[:spare]), left[spare:]
        elif name in by_name:
            symbol, size = by_name[name].value.symbol, left.pop(0)
            assert isinstance(symbol, Symbol)
            assert isinstance(size, Size)
            sizes[symbol] = size
    return Substitution(sizes, packs, dict(zip(signature.dtypes, type_.dtypes, strict=True)))


def contained(type_: Type) -> list[StructType]:
    """The structs in a type, at any depth of lists and tuples."""
    match type_:
        case StructType():
            return [type_]
        case _:
            parts = getattr(type_, "items", None) or (getattr(type_, "item", None),)
            return [found for part in parts if part is not None for found in contained(part)]


def find_circles(entries: Mapping[tuple[str, str], StructEntry], reporter: Reporter) -> None:
    """Report structs that hold themselves, which would never end."""
    uses: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for key, entry in entries.items():
        struct = struct_of(entry)
        fields = struct.fields if struct is not None else ()
        uses[key] = [
            (found.module, found.name) for field in fields for found in contained(field.type)
        ]
    for key, entry in entries.items():
        reached: set[tuple[str, str]] = set()
        pending = list(uses[key])
        while pending:
            current = pending.pop()
            if current not in reached:
                reached.add(current)
                pending += uses.get(current, [])
        if key in reached:
            reporter.report(
                "E0513",
                f"the struct `{key[1]}` holds itself",
                entry.node.name.span,
                notes=["a list `[S; L]` of another struct holds many values"],
            )
            return
