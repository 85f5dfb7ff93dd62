"""Print a checked module: every function with the type of each name in it, as users write types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    parts += [_dump_test(test, program) for test in module.tests]
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
    """The steps of a block, and a line for its value."""
    value = body
    if isinstance(body, typed.Sequence):
        yield from _steps(body.statements, names, program)
        value = body.value
    yield from _value("", f"  # {names.type(value.type)}", value, names, program)


def _steps(
    statements: Sequence[typed.Binding | typed.Assertion], names: Names, program: typed.Program
) -> Iterator[str]:
    """One line for each name or assertion; above it, the types of its parts."""
    for statement in statements:
        if isinstance(statement, typed.Assertion):
            yield from _parts(statement.condition, names, program)
            yield f"assert {_one_line(statement.condition)}"
        else:
            type_ = names.type(statement.local.type)
            before = f"let {statement.local.name}: {type_} = "
            yield from _value(before, "", statement.value, names, program)


def _value(
    before: str, after: str, value: typed.Expression, names: Names, program: typed.Program
) -> Iterator[str]:
    """The line of a value; where it is a loop, the lines of its body further in."""
    if not isinstance(value, typed.Loop):
        yield from _parts(value, names, program)
        yield f"{before}{_one_line(value)}{after}"
        return
    yield from _parts(value.initial, names, program)
    if value.iterated is not None:
        yield from _parts(value.iterated, names, program)
    yield f"{before}{_loop_head(value, names)} {{"
    for line in _statements(value.body, names, program):
        yield f"    {line}"
    yield f"}}{after}"


def _loop_head(loop: typed.Loop, names: Names) -> str:
    state = f"{loop.state.name}: {names.type(loop.state.type)} = {_one_line(loop.initial)}"
    if loop.iterated is not None and loop.item is not None:
        item = f"{loop.item.name}: {names.type(loop.item.type)} in {_one_line(loop.iterated)}"
    else:
        index = loop.index.name if loop.index is not None else "_"
        item = f"{index} in {names.size(loop.start)}..{names.size(loop.stop)}"
    return f"{'@unroll ' if loop.unroll else ''}{loop.kind} {state} for {item}"


def _parts(expression: typed.Expression, names: Names, program: typed.Program) -> Iterator[str]:
    """The expressions in another, innermost first: their types, and what parameters calls were
    given. Conversions that nobody wrote are told; names and numbers speak for themselves."""
    shown: dict[str, None] = {}
    # Each expression is met twice: before its parts, and when they are done.
    pending: list[tuple[typed.Expression, bool]] = [(expression, False)]
    while pending:
        part, done = pending.pop()
        if not done:
            pending.append((part, True))
            pending += [(child, False) for child in reversed(children(part))]
            continue
        type_ = names.type(part.type)
        if isinstance(part, typed.Convert) and not part.explicit:
            if not isinstance(part.value.type, WeakType):
                before = names.type(part.value.type)
                shown[f"# {_one_line(part.value)}: {before} becomes {type_}"] = None
        elif isinstance(part, typed.CallFunction):
            given = _substitution(part, names, program)
            shown[f"# {_one_line(part)}: {type_}, by {part.function.name}{given}"] = None
        elif part is not expression and not isinstance(part, _PLAIN):
            shown[f"# {_one_line(part)}: {type_}"] = None
    yield from shown


_PLAIN = (typed.Local, typed.Number, typed.SizeNumber, typed.Sequence)


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


def _dump_test(test: typed.Test, program: typed.Program) -> str:
    body = test.body
    lines = [f'test "{test.name}" {{']
    if isinstance(body, typed.Sequence):
        lines += [f"    {line}" for line in _steps(body.statements, Names(), program)]
    return "\n".join([*lines, "}"])


def _one_line(expression: typed.Expression) -> str:
    """What was written, on one line."""
    text = " ".join(expression.span.text.split())
    return text if len(text) <= 100 else text[:97] + "…"
