"""What is called: functions, builtins, dtypes as casts, methods, members of modules; and `a.b`."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from tdsl.check import typed
from tdsl.check.apply import apply_builtin
from tdsl.check.constants import constant_value
from tdsl.check.context import Context
from tdsl.check.convert import convert
from tdsl.check.invoke import call_function
from tdsl.check.lists import check_zip
from tdsl.check.lookup import HABITS, helps_for, unknown_name
from tdsl.check.scope import (
    BrokenEntry,
    ConstantEntry,
    Entry,
    FunctionEntry,
    ModuleEntry,
    PathEntry,
    StructEntry,
)
from tdsl.check.structs import build_struct, field_of, struct_entry
from tdsl.check.values import DTypeValue, at, is_poisoned, kind_of, poison
from tdsl.ops.builtins import BUILTINS, NAMED, STRUCTURAL
from tdsl.ops.table import Builtin, Structural
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTYPES, AnyDType
from tdsl.types.sizes import Pack
from tdsl.types.types import DTypeType, StructType, TensorType, WeakType

# What a name in front of `(` can stand for; None after a report.
Known = FunctionEntry | StructEntry | Builtin | Structural | AnyDType
Target = Known | None


def check_call(context: Context, node: ast.Call) -> typed.Expression:
    callee = node.function
    statics: tuple[ast.Keyword, ...] = ()
    if isinstance(callee, ast.StaticArguments):
        statics = callee.arguments
        callee = callee.function
    elif isinstance(callee, ast.Subscript) and _names_function(context, callee.value):
        return _positional_statics(context, node, callee)
    receiver: typed.Expression | None = None
    target: Target
    if isinstance(callee, ast.Variable):
        target = _by_name(context, callee)
        shown = callee.span
    elif isinstance(callee, ast.Attribute):
        shown = callee.name.span
        member = _member(context, callee)
        if member is None:
            receiver = _receiver(context, callee)
            if receiver is None:
                _check_arguments(context, node, statics)
                return poison(node.span)
            target = _method(context, callee, receiver)
        else:
            target = _from_entry(context, callee, member)
    else:
        value = context.check(callee)
        if not is_poisoned(value):
            context.fail(
                callee,
                "E0511",
                f"only functions can be called, not {kind_of(value.type)}",
                f"this is {context.show(value.type)}",
            )
        target, shown = None, callee.span
    if target is None:
        _check_arguments(context, node, statics)
        return poison(node.span)
    return _apply(context, node, target, receiver, statics, shown)


def _apply(
    context: Context,
    node: ast.Call,
    target: Known,
    receiver: typed.Expression | None,
    statics: Sequence[ast.Keyword],
    shown: Span,
) -> typed.Expression:
    positional: list[ast.Expression | typed.Expression] = [*node.positional]
    if receiver is not None:
        positional.insert(0, receiver)
    if isinstance(target, FunctionEntry):
        return call_function(context, target, positional, node.keywords, statics, node.span, shown)
    if isinstance(target, StructEntry):
        return build_struct(context, target, positional, node.keywords, statics, node.span, shown)
    if statics:
        name = target.name
        context.fail(
            statics[0],
            "E0501",
            f"`{name}` has no static parameters",
            helps=[Help(f"pass it as an argument: `{name}(…, {statics[0].span.text})`")]
            if isinstance(target, Builtin)
            else [],
        )
        _check_arguments(context, node, ())
        return poison(node.span)
    if isinstance(target, Structural):
        # `zip` is the one: its arguments are lists, in any number.
        for keyword in node.keywords:
            context.fail(keyword.name, "E0501", f"`{target.name}` has no argument of this name")
            return poison(node.span)
        return check_zip(context, positional, node.span)
    if isinstance(target, Builtin):
        keywords = [(keyword.name, keyword.value) for keyword in node.keywords]
        return apply_builtin(context, target, positional, keywords, node.span, shown)
    return _cast(context, node, target, positional)


def _cast(
    context: Context,
    node: ast.Call,
    dtype: AnyDType,
    positional: Sequence[ast.Expression | typed.Expression],
) -> typed.Expression:
    if len(positional) != 1 or node.keywords:
        _check_arguments(context, node, ())
        return context.fail(node, "E0503", f"the cast `{dtype}(…)` takes one array or number")
    value = positional[0]
    if not isinstance(value, typed.Expression):
        value = context.check(value)
    if is_poisoned(value):
        return poison(node.span)
    if not isinstance(value.type, (TensorType, WeakType)):
        return context.fail(
            value.span,
            "E0308",
            f"only arrays and numbers can be cast, not {kind_of(value.type)}",
            f"this is {context.show(value.type)}",
        )
    return convert(context, value, dtype, explicit=True, span=node.span)


def _check_arguments(context: Context, node: ast.Call, statics: Sequence[ast.Keyword]) -> None:
    """Find the errors inside of a call whose callee is wrong."""
    for argument in node.positional:
        if isinstance(argument, (ast.Call, ast.Binary)):
            context.check(argument)
    del statics


# --- names


def _by_name(context: Context, node: ast.Variable) -> Target:
    name = node.name
    bound = context.environment.find(name)
    if bound is not None:
        if isinstance(bound.value, DTypeValue):
            bound.used = True
            assert isinstance(bound.value.type, DTypeType)
            return bound.value.type.dtype
        if name not in NAMED:
            bound.used = True
            if not is_poisoned(bound.value):
                _not_callable(context, node, bound.value, bound.span)
            return None
    entry = context.module.entries.get(name)
    if entry is not None:
        return _from_entry(context, node, entry)
    if name in DTYPES:
        return DTYPES[name]
    if name in NAMED:
        return NAMED[name]
    if name in STRUCTURAL:
        return STRUCTURAL[name]
    unknown_name(context, node, "function")
    return None


def _not_callable(
    context: Context, node: ast.Variable, value: typed.Expression, bound: Span
) -> None:
    more = [(bound, "bound here")] if bound.source is node.span.source else []
    context.fail(
        node,
        "E0511",
        f"`{node.name}` is {kind_of(value.type)}, not a function",
        f"this is {context.show(value.type)}",
        more=more,
        notes=["two values next to each other are multiplied by `*`"],
    )


def _from_entry(context: Context, node: ast.Variable | ast.Attribute, entry: Entry) -> Target:
    match entry:
        case FunctionEntry() | StructEntry():
            return entry
        case BrokenEntry():
            return None
        case ConstantEntry():
            context.fail(node, "E0511", f"`{node.span.text}` is a constant, not a function")
        case _:
            context.fail(node, "E0511", f"`{node.span.text}` is not a function")
    return None


def _names_function(context: Context, node: ast.Expression) -> bool:
    if not isinstance(node, ast.Variable) or context.environment.find(node.name) is not None:
        return False
    entry = context.module.entries.get(node.name)
    return isinstance(entry, FunctionEntry) or (entry is None and node.name in NAMED)


def _positional_statics(
    context: Context, node: ast.Call, callee: ast.Subscript
) -> typed.Expression:
    """`causal[T, T](0)`: brackets without names index, and functions have no index."""
    assert isinstance(callee.value, ast.Variable)
    entry = context.module.entries.get(callee.value.name)
    helps = []
    if isinstance(entry, FunctionEntry):
        names = [
            parameter.name.text
            for parameter in entry.node.parameters
            if isinstance(parameter, ast.Parameter)
        ]
        statics = [
            parameter.name.text
            for parameter in entry.node.parameters
            if isinstance(parameter, ast.Parameter) and parameter.static
        ]
        chosen = statics if len(statics) == len(callee.items) else names
        if len(chosen) >= len(callee.items):
            pairs = list(zip(chosen, callee.items, strict=False))
            written = ", ".join(f"{name}={item.span.text}" for name, item in pairs)
            edits = tuple(
                Edit(Span(item.span.source, item.span.start, item.span.start), f"{name}=")
                for name, item in pairs
            )
            helps = [Help(f"write `{callee.value.name}[{written}](…)`", edits)]
    return context.fail(
        Span(callee.span.source, callee.value.span.end, callee.span.end),
        "E0107",
        "static arguments are passed by name",
        more=[(callee.value.span, "this is a function")],
        helps=helps,
    )


def check_static_arguments(context: Context, node: ast.StaticArguments) -> typed.Expression:
    return context.fail(
        node,
        "E0201",
        "a function with static arguments is no value by itself",
        helps=[Help(f"call it: `{node.span.text}(…)`")],
    )


# --- dots


def _module_path(
    context: Context, node: ast.Expression
) -> ModuleEntry | PathEntry | BrokenEntry | None:
    """The module, or the way to one, that a dotted expression names."""
    if isinstance(node, ast.Variable):
        if context.environment.find(node.name) is not None:
            return None
        entry = context.module.entries.get(node.name)
        return entry if isinstance(entry, (ModuleEntry, PathEntry, BrokenEntry)) else None
    if isinstance(node, ast.Attribute):
        outer = _module_path(context, node.value)
        if isinstance(outer, PathEntry):
            return outer.members.get(node.name.text)
        if isinstance(outer, BrokenEntry):
            return outer
    return None


def _member(context: Context, node: ast.Attribute) -> Entry | None:
    """The entry that `module.name` is; None where what stands before the dot is no module."""
    path = _module_path(context, node.value)
    if path is None:
        return None
    name = node.name.text
    if isinstance(path, BrokenEntry):
        return path
    if isinstance(path, PathEntry):
        found = path.members.get(name)
        if found is not None:
            return found
        context.fail(node.name, "E0804", f"`{node.value.span.text}` has no module `{name}`")
        return BrokenEntry()
    module = path.module
    entry = module.entries.get(name)
    if module.broken:
        return BrokenEntry()
    if entry is None or name not in module.public:
        report_missing(context, module.name, node.name, entry is not None, sorted(module.public))
        return BrokenEntry()
    return entry


def report_missing(
    context: Context,
    module: str,
    name: ast.Name,
    private: bool,
    public: Sequence[str],
    *,
    imported: bool = False,
) -> None:
    def edits(other: str) -> tuple[Edit, ...]:
        # An imported name is mentioned elsewhere too, so one edit would not do.
        return () if imported else (Edit(name.span, other),)

    helps = []
    close = get_close_matches(name.text, public, 1)
    if private:
        message = f"`{name.text}` of `{module}` is not public"
        helps = [Help(f"write `pub` before it in `{module}`")]
    else:
        message = f"`{module}` has no public `{name.text}`"
        if close:
            helps = [Help(f"did you mean `{close[0]}`?", edits(close[0]))]
    context.fail(name, "E0804", message, helps=helps)


def _receiver(context: Context, node: ast.Attribute) -> typed.Expression | None:
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
        helps = [Help(f"`{name}` is a builtin", (Edit(node.span, name),))]
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
            )
            for found in helps_for(context, name, node.name)
        ]
    if not helps:
        helps = [Help(HABITS[value.name][1])]
    context.fail(value, "E0801", f"unknown name `{value.name}`", helps=helps)


def _method(context: Context, node: ast.Attribute, receiver: typed.Expression) -> Target:
    name = node.name.text
    field = _field(context, node, receiver)
    if field is not None:
        if not is_poisoned(field):
            context.fail(
                node.name,
                "E0511",
                f"the field `{name}` is {kind_of(field.type)}, not a function",
                f"this is {context.show(field.type)}",
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
        _no_shape(context, node)
        return None
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
    member = _member(context, node)
    if member is not None:
        if isinstance(member, ConstantEntry):
            return at(constant_value(context, member), node.span)
        if not isinstance(member, BrokenEntry):
            context.fail(node, "E0201", f"`{node.span.text}` is no value; is it to be called?")
        return poison(node.span)
    value = _receiver(context, node)
    if value is None:
        return poison(node.span)
    name = node.name.text
    field = _field(context, node, value)
    if field is not None:
        return field
    if name == "shape" or (name in ("size", "ndim") and name not in context.module.entries):
        return _no_shape(context, node)
    if name == "dtype" and isinstance(value.type, TensorType):
        return DTypeValue(DTypeType(value.type.dtype), node.span)
    if name == "T" and isinstance(value.type, (TensorType, WeakType)):
        return _transposed(context, node, value)
    helps = []
    if name in NAMED or isinstance(context.module.entries.get(name), FunctionEntry):
        edit = Edit(Span(node.span.source, node.span.end, node.span.end), "()")
        helps = [Help(f"call it: `{node.span.text}()`", (edit,))]
    elif isinstance(value.type, StructType):
        helps = _meant_field(context, node.name, value.type)
    return context.fail(
        node.name,
        "E0807",
        f"{kind_of(value.type)} has no field `{name}`",
        more=[(node.value.span, f"this is {context.show(value.type)}")],
        helps=helps,
    )


def _field(
    context: Context, node: ast.Attribute, value: typed.Expression
) -> typed.Expression | None:
    """The field that a name after a dot is; None where it is none."""
    entry = struct_entry(context, value.type)
    return None if entry is None else field_of(context, entry, value, node.name, node.span)


def _meant_field(context: Context, name: ast.Name, type_: StructType) -> list[Help]:
    entry = struct_entry(context, type_)
    names = [] if entry is None else [field.name.text for field in entry.node.fields]
    close = get_close_matches(name.text, names, 1)
    if close:
        return [Help(f"did you mean `{close[0]}`?", (Edit(name.span, close[0]),))]
    return [Help("its fields are " + ", ".join(f"`{field}`" for field in names))]


def _no_shape(context: Context, node: ast.Attribute) -> typed.Expression:
    return context.fail(
        node.name,
        "E0411",
        f"there is no `.{node.name.text}`: sizes have names",
        helps=[Help("name the size in the signature, as `N` in `x: f32[N]`, and use the name")],
    )


def _transposed(context: Context, node: ast.Attribute, value: typed.Expression) -> typed.Expression:
    shape = value.type.shape if isinstance(value.type, TensorType) else ()
    if len(shape) == 2 and not any(map(_is_pack, shape)):
        order = ast.List(node.name.span, tuple(ast.Integer(node.name.span, i) for i in (1, 0)))
        return apply_builtin(context, BUILTINS["transpose"], (value, order), (), node.span)
    helps = []
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
