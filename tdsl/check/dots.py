"""`a.b`: a member of a module, a field, `.T`, `.dtype`, or a function called as a method."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from tdsl.check import typed
from tdsl.check.apply import apply_builtin
from tdsl.check.constants import constant_value
from tdsl.check.context import Context
from tdsl.check.lookup import HABITS, helps_for
from tdsl.check.members import member_of
from tdsl.check.scope import (
    BrokenEntry,
    ConstantEntry,
    FunctionEntry,
    ModuleEntry,
    PathEntry,
    StructEntry,
)
from tdsl.check.structs import field_of, struct_entry
from tdsl.check.values import DTypeValue, at, is_poisoned, kind_of, poison
from tdsl.ops.builtins import BUILTINS, NAMED, STRUCTURAL
from tdsl.ops.table import Builtin, Structural
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, AnyDType
from tdsl.types.sizes import Pack
from tdsl.types.types import (
    DTypeType,
    ListType,
    StructType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)

# What a name in front of `(` can stand for; None after a report.
Known = FunctionEntry | StructEntry | Builtin | Structural | AnyDType
Target = Known | None


def receiver_of(context: Context, node: ast.Attribute) -> typed.Expression | None:
    """The value that a method is called on; None after a report."""
    value = node.value
    if isinstance(value, ast.Variable) and context.environment.find(value.name) is None:
        known = value.name in context.module.entries or value.name in NAMED
        if not known and value.name in HABITS:
            _foreign_module(context, node, value)
            return None
    found = context.check(value)
    return None if is_poisoned(found) else found


def _foreign_module(context: Context, node: ast.Attribute, value: ast.Variable) -> None:
    """`np.exp(x)`, `torch.relu(x)`, `F.gelu(x)`."""
    name = node.name.text
    helps = []
    if name in NAMED:
        helps = [Help(f"`{name}` is a builtin", (Edit(node.span, name),), stands=True)]
    else:
        helps = [
            Help(
                found.text,
                tuple(
                    Edit(node.span, edit.replacement) if edit.span == node.name.span else edit
                    for edit in found.edits
                )
                + tuple(
                    Edit(node.span, name) for edit in found.edits if edit.span != node.name.span
                ),
                found.stands,
            )
            for found in helps_for(context, name, node.name)
        ]
    if not helps:
        helps = [Help(HABITS[value.name][1])]
    context.fail(value, "E0801", f"unknown name `{value.name}`", helps=helps)


def method_of(context: Context, node: ast.Attribute, receiver: typed.Expression) -> Target:
    name = node.name.text
    field = _field(context, node, receiver)
    if field is not None:
        if not is_poisoned(field):
            context.fail(
                node.name,
                "E0511",
                f"the field `{name}` is {kind_of(field.type)}, not a function",
                f"this is {context.show(field.type)}",
                notes=["a field is taken without parentheses"],
            )
        return None
    entry = context.module.entries.get(name)
    if isinstance(entry, (FunctionEntry, BrokenEntry)):
        return entry if isinstance(entry, FunctionEntry) else None
    if name in DTYPES:
        return DTYPES[name]
    if name in NAMED:
        return NAMED[name]
    if name in STRUCTURAL:
        return STRUCTURAL[name]
    if name == "shape":
        _no_shape(context, node, receiver)
        return None
    near = _near_field(context, node.name, receiver.type)
    if near:
        # Without its edit, which would leave the parentheses.
        helps = [Help(f"{near[0].text} A field is taken without parentheses")]
    else:
        helps = helps_for(context, name, node.name)
    context.fail(
        node.name,
        "E0807",
        f"{kind_of(receiver.type)} has no method `{name}`, and there is no function of that name",
        more=[(node.value.span, f"this is {context.show(receiver.type)}")],
        helps=helps,
    )
    return None


def check_attribute(context: Context, node: ast.Attribute) -> typed.Expression:
    member = member_of(context, node)
    if member is not None:
        if isinstance(member, ConstantEntry):
            return at(constant_value(context, member), node.span)
        if not isinstance(member, BrokenEntry):
            shown = node.span.text
            if isinstance(member, (FunctionEntry, StructEntry)):
                what = "function" if isinstance(member, FunctionEntry) else "struct"
                helps = [Help(f"call it: `{shown}(…)`")]
            else:
                what = "module" if isinstance(member, (ModuleEntry, PathEntry)) else "type"
                helps = []
            context.fail(
                node, "E0201", f"`{shown}` is a {what}; a value is needed here", helps=helps
            )
        return poison(node.span)
    value = receiver_of(context, node)
    if value is None:
        return poison(node.span)
    name = node.name.text
    field = _field(context, node, value)
    if field is not None:
        return field
    if name == "shape" or (name in ("size", "ndim") and name not in context.module.entries):
        return _no_shape(context, node, value)
    if name == "dtype" and isinstance(value.type, TensorType):
        return DTypeValue(DTypeType(value.type.dtype), node.span)
    if name == "T" and isinstance(value.type, (TensorType, WeakType)):
        return _transposed(context, node, value)
    helps = []
    notes: list[str] = []
    if name in NAMED or isinstance(context.module.entries.get(name), FunctionEntry):
        edit = Edit(Span(node.span.source, node.span.end, node.span.end), "()")
        helps = [Help(f"call it: `{node.span.text}()`", (edit,))]
    elif isinstance(value.type, StructType):
        helps = _near_field(context, node.name, value.type)
        notes = [f"its fields are {_listed(_field_names(context, value.type))}"]
    elif isinstance(value.type, TupleType):
        names = ", ".join("abcdefgh"[: len(value.type.items)])
        helps = [Help(f"a tuple is taken apart by a pattern, `({names})`, or by `[0]`")]
    elif isinstance(value.type, ListType):
        helps = [Help("take one of its items first, `[0]`, or go over them: `for item in …`")]
    elif name in ("mT", "mH", "H") and isinstance(value.type, TensorType):
        matrix = len(value.type.shape) == 2 and not any(map(_is_pack, value.type.shape))
        helps = [Help("of a matrix write `.T`", (Edit(node.name.span, "T"),))]
        if not matrix:
            helps = [Help("`transpose(x, [0, 2, 1])` swaps the last two axes, of three")]
    else:
        # Their edits replace a function that is called, not what stands after a dot.
        helps = [Help(one.text) for one in helps_for(context, name, node.name) if one.stands]
    return context.fail(
        node.name,
        "E0807",
        f"{kind_of(value.type)} has no field `{name}`",
        more=[(node.value.span, f"this is {context.show(value.type)}")],
        notes=notes,
        helps=helps,
    )


def _field(
    context: Context, node: ast.Attribute, value: typed.Expression
) -> typed.Expression | None:
    """The field that a name after a dot is; None where it is none."""
    entry = struct_entry(context, value.type)
    return None if entry is None else field_of(context, entry, value, node.name, node.span)


def _field_names(context: Context, type_: Type) -> list[str]:
    entry = struct_entry(context, type_)
    return [] if entry is None else [field.name.text for field in entry.node.fields]


def _near_field(context: Context, name: ast.Name, type_: Type) -> list[Help]:
    """The field that was probably meant, by spelling."""
    close = get_close_matches(name.text, _field_names(context, type_), 1)
    return [Help(f"did you mean `{close[0]}`?", (Edit(name.span, close[0]),))] if close else []


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _no_shape(context: Context, node: ast.Attribute, value: typed.Expression) -> typed.Expression:
    return context.fail(
        node.name,
        "E0411",
        f"there is no `.{node.name.text}`: sizes have names",
        more=[(node.value.span, f"this is {context.show(value.type)}")],
        helps=[Help("name the size in the signature, as `N` in `x: f32[N]`, and use the name")],
    )


def _transposed(context: Context, node: ast.Attribute, value: typed.Expression) -> typed.Expression:
    shape = value.type.shape if isinstance(value.type, TensorType) else ()
    if len(shape) == 2 and not any(map(_is_pack, shape)):
        order = ast.List(node.name.span, tuple(ast.Integer(node.name.span, i) for i in (1, 0)))
        return apply_builtin(context, BUILTINS["transpose"], (value, order), (), node.span)
    helps = []
    if len(shape) == 1 and not any(map(_is_pack, shape)):
        end = Span(node.span.source, node.value.span.end, node.span.end)
        helps = [
            Help("leave it out: `@` takes a vector as it is, on either side", (Edit(end, ""),)),
            Help(
                f"as a column it is `{node.value.span.text}[:, newaxis]`, as a row "
                f"`{node.value.span.text}[newaxis, :]`; an outer product is one times the other"
            ),
        ]
    if len(shape) >= 3 and not any(map(_is_pack, shape)):
        axes = list(range(len(shape)))
        axes[-1], axes[-2] = axes[-2], axes[-1]
        text = f"transpose({node.value.span.text}, {axes})"
        helps = [Help(f"to swap the last two axes write `{text}`", (Edit(node.span, text),))]
    return context.fail(
        node.name,
        "E0410",
        f"`.T` is for matrices; `{context.show(value.type)}` has rank {len(shape)}"
        if not any(map(_is_pack, shape))
        else f"`.T` is for matrices; `{context.show(value.type)}` may have another rank",
        more=[(node.value.span, f"this is {context.show(value.type)}")],
        helps=helps,
    )


def _is_pack(size: object) -> bool:
    return isinstance(size, Pack)
