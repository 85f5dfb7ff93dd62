"""Print a checked module: every function with the type of each name in it, as users write types."""

from __future__ import annotations

from collections.abc import Iterator

from tdsl.check import typed
from tdsl.check.walk import children
from tdsl.types.naming import Names
from tdsl.types.numbers import shown
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution, WeakType


def dump_program(program: typed.Program) -> str:
    """The functions of the root module, its examples and its tests."""
    module = program.root
    parts = [_dump_struct(struct) for struct in module.structs.values()]
    parts += [dump_function(function, program) for function in module.functions.values()]
    for example in module.examples:
        signature = module.functions[example.function].signature
        parts.append(f"example {example.function}{_bindings(signature, example)}")
    parts += [_dump_test(test) for test in module.tests]
    return "\n\n".join(parts) + "\n" if parts else ""


def names_of(signature: typed.Signature) -> Names:
    """How the sizes of a function are shown: eliminated parameters under their own names."""
    owner = f"{signature.function.module}.{signature.function.name}"
    eliminated = {
        parameter.name: parameter.value
        for parameter in signature.sizes
        if parameter.value.symbol is None or parameter.value.symbol.name != parameter.name
    }
    return Names(eliminated, tuple(parameter.name for parameter in signature.sizes), owner)


def dump_function(function: typed.Function, program: typed.Program) -> str:
    signature = function.signature
    names = names_of(signature)
    lines = [_head(signature, names) + " {"]
    lines += [f"    {line}" for line in _statements(function.body, names, program)]
    lines.append("}")
    return "\n".join(lines)


def _dump_struct(struct: typed.Struct) -> str:
    names = Names({}, tuple(parameter.name for parameter in struct.sizes))
    lines = [f"struct {struct.name}{_brackets(struct, names)} {{"]
    lines += [f"    {field.name}: {names.type(field.type)}" for field in struct.fields]
    return "\n".join([*lines, "}"])


def _brackets(of: typed.Signature | typed.Struct, names: Names) -> str:
    defaults = dict(of.dtype_defaults) if isinstance(of, typed.Signature) else {}
    parameters = [
        f"{dtype.name}: dtype({dtype.bound})"
        + (f" = {defaults[dtype].name}" if dtype in defaults else "")
        for dtype in of.dtypes
    ]
    parameters += [f"...{pack.name}" for pack in of.packs]
    for parameter in of.sizes:
        text = ("static " if parameter.static else "") + parameter.name
        if parameter.kind != "size":
            text += f": {parameter.kind}"
        if parameter.default is not None:
            text += f" = {value_text(parameter, parameter.default, names)}"
        parameters.append(text)
    return f"[{', '.join(parameters)}]" if parameters else ""


def value_text(parameter: typed.SizeParameter, value: Size, names: Names) -> str:
    """The value of a parameter, as programs write it."""
    if value.literal is not None and parameter.kind in ("bool", "number"):
        return shown(parameter.kind, value.literal)
    return names.size(value)


def _head(signature: typed.Signature, names: Names) -> str:
    brackets = _brackets(signature, names)
    arguments = ", ".join(f"{name}: {names.type(type_)}" for name, type_ in signature.parameters)
    clauses = [constraint.span.text for constraint in signature.constraints]
    where = f" where {', '.join(clauses)}" if clauses else ""
    result = names.type(signature.result)
    return f"fn {signature.function.name}{brackets}({arguments}) -> {result}{where}"


def _statements(body: typed.Expression, names: Names, program: typed.Program) -> Iterator[str]:
    """One line for each name or assertion and one for the value, inner blocks further in."""
    sequence = body if isinstance(body, typed.Sequence) else None
    for statement in sequence.statements if sequence is not None else ():
        if isinstance(statement, typed.Binding):
            yield from _inner(statement.value, names, program)
            text = _one_line(statement.value)
            yield f"let {statement.local.name}: {names.type(statement.local.type)} = {text}"
        else:
            yield f"assert {_one_line(statement.condition)}"
    value = sequence.value if sequence is not None else body
    yield from _inner(value, names, program)
    yield f"{_one_line(value)}  # {names.type(value.type)}"


def _inner(expression: typed.Expression, names: Names, program: typed.Program) -> Iterator[str]:
    """Conversions that nobody wrote, and what parameters calls were given."""
    pending = [expression]
    found = []
    while pending:
        current = pending.pop()
        found.append(current)
        if not isinstance(current, typed.Sequence):
            pending += reversed(children(current))
    for part in found:
        if isinstance(part, typed.Convert) and not part.explicit:
            if not isinstance(part.value.type, WeakType):
                before = names.type(part.value.type)
                yield f"# {_one_line(part.value)}: {before} becomes {names.type(part.type)}"
        elif isinstance(part, typed.CallFunction):
            yield f"# {part.function.name}{_substitution(part, names, program)}: {names.type(part.type)}"


def _substitution(call: typed.CallFunction, names: Names, program: typed.Program) -> str:
    signature = program.function(call.function).signature
    return _parameters(signature, call.parameters, names)


def _parameters(signature: typed.Signature, values: Substitution, names: Names) -> str:
    texts = [f"{dtype.name}={values.dtype(dtype)}" for dtype in signature.dtypes]
    texts += [f"{pack.name}={names.shape(values.packs[pack])}" for pack in signature.packs]
    texts += [
        f"{parameter.name}={value_text(parameter, values.size(parameter.value), names)}"
        for parameter in signature.sizes
    ]
    return f"[{', '.join(texts)}]" if texts else ""


def _bindings(signature: typed.Signature, example: typed.Example) -> str:
    names = Names()
    result = names.type(example.parameters.type(signature.result))
    return f"{_parameters(signature, example.parameters, names)} -> {result}"


def _dump_test(test: typed.Test) -> str:
    names = Names()
    lines = [f'test "{test.name}" {{']
    body = test.body
    for statement in body.statements if isinstance(body, typed.Sequence) else ():
        if isinstance(statement, typed.Binding):
            type_ = names.type(statement.local.type)
            lines.append(f"    let {statement.local.name}: {type_} = {_one_line(statement.value)}")
        else:
            lines.append(f"    assert {_one_line(statement.condition)}")
    return "\n".join([*lines, "}"])


def _one_line(expression: typed.Expression) -> str:
    """What was written, on one line."""
    text = " ".join(expression.span.text.split())
    return text if len(text) <= 100 else text[:97] + "…"
