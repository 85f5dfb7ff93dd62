"""The parameters of a function, struct or alias: sizes, statics, packs and dtypes, with defaults."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal

from tdsl.check import typed
from tdsl.check.call_matching import within
from tdsl.check.call_text import BOUND_TEXTS
from tdsl.check.context import Context, Owner
from tdsl.check.patterns import claim_name
from tdsl.check.scope import Bound, Environment
from tdsl.check.sizes import size_of
from tdsl.check.values import DTypeValue, PackValue, is_poisoned, number, poison
from tdsl.check.walk import children
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import BOUNDS, DType, DTypeVariable
from tdsl.types.numbers import encode
from tdsl.types.sizes import UNBOUNDED, Pack, Size, Symbol
from tdsl.types.types import DTypeType, StringType, WeakType

Kind = Literal["size", "int", "number", "bool"]
_KINDS_NOTE = (
    "kinds are size (which need not be written), int, number, bool, "
    "dtype(float), dtype(int), dtype(number) and dtype(any)"
)
_KINDS: tuple[Kind, ...] = ("size", "int", "number", "bool")
# What a symbol of each kind may be at least. A number is there as its code, see types/numbers.py.
_LEAST: Mapping[Kind, int] = {"size": 1, "int": UNBOUNDED, "number": UNBOUNDED, "bool": 0}
_WEAK: Mapping[Kind, Literal["int", "float", "bool"]] = {
    "size": "int",
    "int": "int",
    "number": "float",
    "bool": "bool",
}


class ParameterList:
    """What stands in the brackets of a function's head, while it is resolved."""

    def __init__(self, node: ast.Function, owner: Owner) -> None:
        self.node = node
        self.owner = owner
        self.symbols: dict[str, tuple[Symbol, ast.Parameter, Kind]] = {}
        self.packs: dict[str, Pack] = {}
        self.dtypes: dict[str, DTypeVariable] = {}
        self.broken: list[str] = []

    def read(self, context: Context) -> None:
        """Bind every parameter; `context` has no names yet."""
        seen: dict[str, Span] = {}
        for parameter in self.node.parameters:
            name, span = parameter.name.text, parameter.name.span
            if name in seen:
                context.fail(
                    span,
                    "E0802",
                    f"`{name}` is bound already among the parameters",
                    more=[(seen[name], "first bound here")],
                )
                continue
            seen[name] = span
            if not claim_name(context, name, span):
                continue
            if isinstance(parameter, ast.PackParameter):
                self.packs[name] = Pack(name, self.owner.name)
            else:
                self.parameter(context, parameter)

    def parameter(self, context: Context, parameter: ast.Parameter) -> None:
        name = parameter.name.text
        kind = parameter.kind.text if parameter.kind is not None else "size"
        if kind == "dtype":
            self.dtype_parameter(context, parameter)
            return
        if kind not in _KINDS or parameter.kind_argument is not None:
            assert parameter.kind is not None
            context.fail(
                parameter.kind,
                "E0806",
                f"unknown kind of parameter `{kind}`",
                notes=[_KINDS_NOTE],
                helps=_meant_kind(parameter.kind),
            )
            self.broken.append(name)
            return
        if kind != "size" and not parameter.static:
            assert parameter.kind is not None
            edit = Edit(
                Span(parameter.span.source, parameter.span.start, parameter.span.start), "static "
            )
            context.fail(
                parameter,
                "E0206",
                f"`{name}` is not a size, so no array determines it; it must be static",
                helps=[Help(f"write `static {name}: {kind}`", (edit,))],
            )
        symbol = Symbol(name, self.owner.name, _LEAST[kind])
        self.symbols[name] = (symbol, parameter, kind)

    def dtype_parameter(self, context: Context, parameter: ast.Parameter) -> None:
        argument = parameter.kind_argument
        bound = argument.text if argument is not None else "any"
        if bound not in BOUNDS:
            assert argument is not None
            context.fail(
                argument,
                "E0806",
                f"unknown set of dtypes `{bound}`",
                notes=["it is one of float, int, number and any"],
            )
            self.broken.append(parameter.name.text)
            return
        variable = DTypeVariable(parameter.name.text, bound, self.owner.name)
        self.dtypes[parameter.name.text] = variable

    def environment(self, values: Mapping[Symbol, Size]) -> Environment:
        """The names of the parameters, with those that a `where` clause put out of use."""
        environment = Environment()
        for name, (symbol, parameter, kind) in self.symbols.items():
            size = values.get(symbol, Size.of(symbol))
            weak = WeakType(_WEAK[kind])
            if size.literal is not None:
                value: typed.Expression = number(size.literal, parameter.name.span)
            else:
                value = typed.SizeNumber(weak, parameter.name.span, size)
            environment.bind(name, Bound(value, parameter.name.span, used=True))
        for name, variable in self.dtypes.items():
            span = self.owner.binders[name]
            environment.bind(name, Bound(DTypeValue(DTypeType(variable), span), span, used=True))
        for name in self.broken:
            span = self.owner.binders[name]
            environment.bind(name, Bound(poison(span), span, used=True))
        for name, pack in self.packs.items():
            span = self.owner.binders[name]
            value = PackValue(StringType(), span, (pack,))
            environment.bind(f"...{name}", Bound(value, span, used=True))
        return environment

    def defaults(self, context: Context) -> dict[str, Size | None]:
        found: dict[str, Size | None] = {}
        for name, (symbol, parameter, kind) in self.symbols.items():
            found[name] = None
            if parameter.default is None:
                continue
            value = context.check(parameter.default)
            if kind in ("bool", "number"):
                found[name] = static_number(context, name, kind, value)
                continue
            size = size_of(context, value, f"the default of `{name}`")
            found[name] = size
            if size is not None and not context.facts.at_least(size, symbol.least):
                context.fail(
                    parameter.default,
                    "E0413",
                    f"a size is 1 or more, not {size.literal}"
                    if size.literal is not None
                    else f"a size is 1 or more, but {context.names.size(size)} may be less",
                )
        return found

    def dtype_defaults(self, context: Context) -> tuple[tuple[DTypeVariable, DType], ...]:
        found = []
        for parameter in self.node.parameters:
            name = parameter.name.text
            if isinstance(parameter, ast.PackParameter) or parameter.default is None:
                continue
            variable = self.dtypes.get(name)
            if variable is None:
                continue
            value = context.check(parameter.default)
            dtype = value.type.dtype if isinstance(value.type, DTypeType) else None
            if is_poisoned(value):
                continue
            if not isinstance(value, DTypeValue) or not isinstance(dtype, DType):
                context.fail(
                    parameter.default,
                    "E0206",
                    f"the default of `{name}` must be a dtype, such as `f32`",
                    f"this is {context.show(value.type)}",
                )
            elif not within(dtype, variable):
                context.fail(
                    parameter.default,
                    "E0502",
                    f"`{name}` must be {BOUND_TEXTS[variable.bound]}, not {dtype.name}",
                )
            else:
                found.append((variable, dtype))
        return tuple(found)


def static_number(context: Context, name: str, kind: Kind, value: typed.Expression) -> Size | None:
    """The code of a bool or number given for a static; None after a report."""
    if is_poisoned(value):
        return None
    if isinstance(value, typed.SizeNumber) and value.type == WeakType(_WEAK[kind]):
        return value.size  # another static of this kind
    given = value.value if isinstance(value, typed.Number) else None
    if kind == "bool" and isinstance(given, bool):
        return Size.of(int(given))
    if kind == "number" and isinstance(given, int | float) and not isinstance(given, bool):
        try:
            return Size.of(encode(given))
        except OverflowError:
            context.fail(value.span, "E0205", "this number is too large for a float of 64 bits")
            return None
    helps = []
    notes = []
    if kind == "number":
        helps = [Help(f"an argument takes any number: `{name}: f32` in parentheses")]
    wanted = "a number" if kind == "number" else "`true` or `false`"
    message = f"`{name}` must be {wanted} that is known here"
    label = f"this is {context.show(value.type)}"
    if isinstance(value.type, WeakType) and (sizes := _sizes_in(value)):
        listed = " and ".join(f"`{context.names.size(Size.of(one))}`" for one in sizes)
        label = f"this depends on {listed}, which every call sets anew"
        notes = ["what is computed from literals, constants and other known statics is known"]
    context.fail(value.span, "E0206", message, label, notes=notes, helps=helps)
    return None


def _sizes_in(value: typed.Expression) -> list[Symbol]:
    """The sizes that a compile-time number is computed from."""
    found: dict[Symbol, None] = {}
    waiting = [value]
    while waiting:
        part = waiting.pop()
        waiting += children(part)
        if isinstance(part, typed.SizeNumber):
            found |= dict.fromkeys(sorted(part.size.symbols(), key=str))
    return list(found)


def _meant_kind(kind: ast.Name) -> list[Help]:
    """`E: float` for `E: dtype(float)`; `E: f32` for an argument."""
    dtypes = {"float": "float", "any": "any", "dtype": "any", "type": "any"}
    if kind.text in dtypes:
        text = f"dtype({dtypes[kind.text]})"
        return [Help(f"a dtype parameter is written `{text}`", (Edit(kind.span, text),))]
    close = get_close_matches(kind.text, [*_KINDS, "dtype"], 1)
    return [Help(f"did you mean `{close[0]}`?", (Edit(kind.span, close[0]),))] if close else []
