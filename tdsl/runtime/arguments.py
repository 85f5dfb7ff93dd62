"""From a Python call to the arrays that a signature wants, in order; and the signature for Python."""

from __future__ import annotations

import difflib
import inspect
import keyword
from collections.abc import Mapping, Sequence
from typing import Any

from tdsl.check import typed
from tdsl.check.calls import signature_names
from tdsl.errors import CallError
from tdsl.runtime.arrays import (
    Array,
    Wanted,
    WeakNumber,
    as_array,
    check_dtype,
    check_rank,
    describe,
)
from tdsl.syntax.diagnostics import Diagnostic, Label
from tdsl.types.dtypes import DType, DTypeVariable
from tdsl.types.sizes import Size
from tdsl.types.types import ListType, Substitution, TensorType, TupleType, Type


def wanted(signature: typed.Signature) -> tuple[Wanted, ...]:
    """Every array that the parameters consist of."""
    names = signature_names(signature)
    found: list[Wanted] = []

    def add(name: str, type_: Type, span: Any) -> None:
        match type_:
            case TensorType():
                function = signature.function.name
                found.append(Wanted(function, name, type_, names.type(type_), span))
            case TupleType(items):
                for position, item in enumerate(items):
                    add(f"{name}[{position}]", item, span)
            case ListType(item, length) if length.literal is not None:
                for position in range(length.literal):
                    add(f"{name}[{position}]", item, span)
            case _:
                raise AssertionError(f"a parameter of type {type_} cannot be called from Python")

    for (name, type_), span in zip(signature.parameters, signature.parameter_spans, strict=True):
        add(name, type_, span)
    return tuple(found)


def call_error(
    signature: typed.Signature, code: str, message: str, *lines: str, argument: str | None = None
) -> CallError:
    """An error about the call as a whole, pointing at the function's declaration."""
    shown = f"declared `{shown_signature(signature)}` at {signature.span!r}"
    diagnostic = Diagnostic(code, message, (Label(signature.span, "declared here"),), lines)
    return CallError(
        "\n  ".join((f"[{code}] {message}", shown, *lines)),
        diagnostics=(diagnostic,),
        argument=argument,
    )


def place(
    signature: typed.Signature, arguments: Sequence[Any], by_name: Mapping[str, Any]
) -> list[Any]:
    """The value of every parameter, in order."""
    names = [name for name, _ in signature.parameters]
    function = signature.function.name
    if len(arguments) > len(names):
        statics = [p.name for p in signature.sizes if p.static]
        hint = (f"help: pass static parameters by name: `{statics[0]}=…`",) if statics else ()
        raise call_error(
            signature,
            "E0503",
            f"`{function}` takes {_count(len(names))}, not {len(arguments)}",
            *hint,
        )
    values = dict(zip(names, arguments, strict=False))
    defaults = default_values(signature)
    for name, value in by_name.items():
        if name not in names:
            raise _unknown(signature, name, names)
        if name in values:
            raise call_error(
                signature,
                "E0509",
                f"argument `{name}` of `{function}` is given twice",
                argument=name,
            )
        values[name] = value
    values = {**defaults, **values}
    missing = [name for name in names if name not in values]
    if missing:
        shown = signature_names(signature)
        types = dict(signature.parameters)
        which = ", ".join(f"`{name}: {shown.type(types[name])}`" for name in missing)
        raise call_error(
            signature,
            "E0503",
            f"`{function}` takes {_count(len(names))}: {which} {_is(missing)} missing",
            argument=missing[0],
        )
    return [values[name] for name in names]


def default_values(signature: typed.Signature) -> dict[str, int | float | bool]:
    """The numbers that stand for arguments which are left out."""
    found: dict[str, int | float | bool] = {}
    for (name, _), default in zip(signature.parameters, signature.argument_defaults, strict=False):
        while isinstance(default, typed.Convert):
            default = default.value
        if isinstance(default, typed.Number):
            found[name] = default.value
    return found


def _unknown(signature: typed.Signature, name: str, names: Sequence[str]) -> CallError:
    function = signature.function.name
    statics = [p.name for p in signature.sizes if p.static]
    sizes = {p.name for p in signature.sizes if not p.static}
    sizes |= {pack.name for pack in signature.packs} | {v.name for v in signature.dtypes}
    if name in sizes:
        return call_error(
            signature,
            "E0501",
            f"`{name}` of `{function}` is inferred from the arrays and cannot be passed",
            f"help: to fix it, compile for it: `{function}.compile({name}=…)`",
            argument=name,
        )
    near = difflib.get_close_matches(name, [*names, *statics], 1)
    hint = (f"help: did you mean `{near[0]}`?",) if near else ()
    return call_error(
        signature, "E0501", f"`{function}` has no parameter `{name}`", *hint, argument=name
    )


def _count(number: int) -> str:
    return f"{number} array" if number == 1 else f"{number} arrays"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def flatten(
    signature: typed.Signature, every: Sequence[Wanted], values: Sequence[Any]
) -> list[Any]:
    """Nested tuples taken apart, one value per wanted array."""
    if len(every) == len(values):
        return list(values)
    found: list[Any] = []

    def add(value: Any, type_: Type, name: str) -> None:
        items: Sequence[Type]
        if isinstance(type_, TupleType):
            items = type_.items
        elif isinstance(type_, ListType):
            items = (type_.item,) * (type_.length.literal or 0)
        else:
            found.append(value)
            return
        if not isinstance(value, tuple | list) or len(value) != len(items):
            count = f" of length {len(value)}" if isinstance(value, tuple | list) else ""
            raise call_error(
                signature,
                "E0502",
                f"argument `{name}` of `{signature.function.name}` must be a tuple of"
                f" {len(items)} items, not {describe(value)}{count}",
                argument=name,
            )
        for position, (item, item_type) in enumerate(zip(value, items, strict=True)):
            add(item, item_type, f"{name}[{position}]")

    for value, (name, type_) in zip(values, signature.parameters, strict=True):
        add(value, type_, name)
    return found


def convert(every: Sequence[Wanted], values: Sequence[Any]) -> list[Array | WeakNumber]:
    """Arrays of the right dtypes and ranks. All dtypes are checked before any rank: a wrong dtype
    is the likelier mistake, and often the cause of a wrong shape."""
    arrays = [as_array(value, wanted) for value, wanted in zip(values, every, strict=True)]
    fixed: dict[DTypeVariable, tuple[DType, str]] = {}
    for array, wanted_ in zip(arrays, every, strict=True):
        check_dtype(array, wanted_, fixed)
    for array, wanted_ in zip(arrays, every, strict=True):
        if not isinstance(array, WeakNumber):
            check_rank(array, wanted_)
    return arrays


def literal_dtype(parameters: Substitution, wanted_: Wanted) -> DType:
    dtype = parameters.dtype(wanted_.type.dtype)
    assert isinstance(dtype, DType)
    return dtype


def parameter_value(signature: typed.Signature, parameters: Substitution, name: str) -> object:
    """What a parameter is in an instance, in the form that users pass it; None if it is open."""
    for size in signature.sizes:
        if size.name == name:
            literal = parameters.size(size.value).literal
            return bool(literal) if size.kind == "bool" and literal is not None else literal
    for pack in signature.packs:
        if pack.name == name and pack in parameters.packs:
            axes = [s.literal if isinstance(s, Size) else None for s in parameters.packs[pack]]
            return None if None in axes else tuple(axes)
    for variable in signature.dtypes:
        if variable.name == name and variable in parameters.dtypes:
            return str(parameters.dtypes[variable])
    return None


def default_static(parameter: typed.SizeParameter, signature: typed.Signature) -> int | bool | str:
    """The default of a static parameter: its value, or the size that it depends on as text."""
    assert parameter.default is not None
    literal = parameter.default.literal
    if literal is None:
        return signature_names(signature).size(parameter.default)
    return bool(literal) if parameter.kind == "bool" else literal


def shown_signature(signature: typed.Signature) -> str:
    """`linear(x: f32[M, K], w: f32[K, N], *, heads) -> f32[M, N]`"""
    names = signature_names(signature)
    defaults = default_values(signature)
    parts = [
        f"{name}: {names.type(type_)}" + (f" = {defaults[name]}" if name in defaults else "")
        for name, type_ in signature.parameters
    ]
    statics = [
        p.name if p.default is None else f"{p.name}={default_static(p, signature)}"
        for p in signature.sizes
        if p.static
    ]
    if statics:
        parts += ["*", *statics]
    return f"{signature.function.name}({', '.join(parts)}) -> {names.type(signature.result)}"


def python_signature(signature: typed.Signature) -> inspect.Signature:
    """For help(), IPython and editors: TDSL types as annotations, statics by keyword only."""
    names = signature_names(signature)
    defaults = default_values(signature)
    parameters = [
        inspect.Parameter(
            _python_name(name),
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=defaults.get(name, inspect.Parameter.empty),
            annotation=names.type(type_),
        )
        for name, type_ in signature.parameters
    ]
    kinds = {"size": int, "int": int, "number": float, "bool": bool}
    for size in signature.sizes:
        if size.static:
            default: Any = inspect.Parameter.empty
            if size.default is not None:
                default = default_static(size, signature)
            parameters.append(
                inspect.Parameter(
                    _python_name(size.name),
                    inspect.Parameter.KEYWORD_ONLY,
                    annotation=kinds[size.kind],
                    default=default,
                )
            )
    return inspect.Signature(parameters, return_annotation=names.type(signature.result))


def _python_name(name: str) -> str:
    """`lambda` is a good name in TDSL; in a Python signature it could not stand."""
    return f"{name}_" if keyword.iskeyword(name) else name
