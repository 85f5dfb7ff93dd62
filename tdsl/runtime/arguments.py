"""From a Python call to the arrays that native code takes, in order; the signature for Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from tdsl.check import typed
from tdsl.check.calls import Static, signature_names
from tdsl.errors import CallError
from tdsl.runtime.arrays import (
    Array,
    Wanted,
    WeakNumber,
    as_array,
    check_dtype,
    check_rank,
)
from tdsl.runtime.gathering import Conversion, Given, One, Problem, Ragged, gather, ones
from tdsl.runtime.layout import Layout, python_name
from tdsl.syntax.diagnostics import Diagnostic, Label
from tdsl.types.dtypes import DType, DTypeVariable
from tdsl.types.numbers import read
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution

if TYPE_CHECKING:
    from tdsl.runtime.misfits import Refusal


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
    signature: typed.Signature,
    arguments: Sequence[Any],
    by_name: Mapping[str, Any],
    given: Container[str] = (),
) -> list[Any]:
    """The value of every parameter, in order; `given` are the statics that the call has."""
    names = [name for name, _ in signature.parameters]
    function = signature.function.name
    if len(arguments) > len(names):
        statics = [p.name for p in signature.sizes if p.static and p.name not in given]
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
    from difflib import get_close_matches  # only where a word is misspelled

    near = get_close_matches(name, [*names, *statics], 1)
    hint = (f"help: did you mean `{near[0]}`?",) if near else ()
    return call_error(
        signature, "E0501", f"`{function}` has no parameter `{name}`", *hint, argument=name
    )


def _count(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number} arguments"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


class Reading(msgspec.Struct, frozen=True):
    """How values become arrays, and arrays become one."""

    read: Callable[[object, Wanted], Array | WeakNumber] = as_array
    stack: Callable[[Sequence[Array], int], Array] = np.stack


HERE: Final = Reading()


def convert(
    layout: Layout,
    values: Sequence[Any],
    named: Mapping[str, Static],
    compiled_for: Mapping[str, object],
    reading: Reading = HERE,
) -> list[Array | WeakNumber]:
    """An array for every one that native code takes: of the right dtype and rank, lists stacked.

    All dtypes are checked before any rank: a wrong dtype is the likelier mistake, and often the
    cause of a wrong shape. Where arguments have parts, one error tells of all that is wrong.
    """
    given, problems = gather(layout, [*values])
    every = [one for item in given for one in ones(item)]
    conversions = _converted(layout, every, reading)
    failed = [conversion for conversion in conversions if conversion.error is not None]
    if layout.is_flat and failed:
        raise failed[0].error  # type: ignore[misc]
    if problems or failed:
        raise _refusal(layout, given, problems, conversions, named, compiled_for).error()
    if all(isinstance(item, One) for item in given):
        return [conversion.value for conversion in conversions]  # type: ignore[misc]
    found = iter(conversions)
    try:
        return [_stacked(item, found, reading) for item in given]
    except Ragged as ragged:
        refusal = _refusal(layout, given, problems, conversions, named, compiled_for)
        raise refusal.ragged(ragged) from None


def refuse_misfits(
    layout: Layout,
    values: Sequence[Any],
    named: Mapping[str, Static],
    compiled_for: Mapping[str, object],
) -> None:
    """An error about every array that has another shape than the rest asks for, if any has."""
    given, problems = gather(layout, [*values])
    conversions = _converted(layout, [one for item in given for one in ones(item)])
    refusal = _refusal(layout, given, problems, conversions, named, compiled_for)
    if refusal.anything:
        raise refusal.error() from None


def _refusal(
    layout: Layout,
    given: Sequence[Given],
    problems: Sequence[Problem],
    conversions: Sequence[Conversion],
    named: Mapping[str, Static],
    compiled_for: Mapping[str, object],
) -> Refusal:
    from tdsl.runtime.misfits import Refusal  # a call that fits needs none of its words

    return Refusal(layout, given, problems, conversions, named, compiled_for)


def _converted(layout: Layout, every: Sequence[One], reading: Reading = HERE) -> list[Conversion]:
    wanted = [layout.wanted_at(one.array, one.path, one.lengths) for one in every]
    fixed: dict[DTypeVariable, tuple[DType, str]] = {}
    found: list[Conversion] = []
    for one, wanted_ in zip(every, wanted, strict=True):
        try:
            array = reading.read(one.value, wanted_)
            check_dtype(array, wanted_, fixed, one.value)
            found.append(Conversion(one, array, None))
        except CallError as error:
            found.append(Conversion(one, None, error))
    if layout.is_flat and any(conversion.error is not None for conversion in found):
        return found
    for place, wanted_ in enumerate(wanted):
        value = found[place].value
        if value is not None and not isinstance(value, WeakNumber):
            try:
                check_rank(value, wanted_)
            except CallError as error:
                found[place] = Conversion(every[place], value, error)
    return found


def _stacked(given: Given, found: Iterator[Conversion], reading: Reading) -> Array | WeakNumber:
    if isinstance(given, One):
        value = next(found).value
        assert value is not None
        return value
    items: list[Array] = []
    for item in given.items:
        value = _stacked(item, found, reading)
        if isinstance(value, WeakNumber):
            assert isinstance(item, One)
            dtype = item.array.type.dtype
            value = np.asarray(value.value, dtype.numpy if isinstance(dtype, DType) else None)
        items.append(value)
    for number, array in enumerate(items):
        if array.shape != items[0].shape:
            raise Ragged(given, number, items[0].shape, array.shape)
    return reading.stack(items, given.axis)


def literal_dtype(parameters: Substitution, wanted_: Wanted) -> DType:
    dtype = parameters.dtype(wanted_.type.dtype)
    assert isinstance(dtype, DType)
    return dtype


def parameter_value(signature: typed.Signature, parameters: Substitution, name: str) -> object:
    """What a parameter is in an instance, in the form that users pass it; None if it is open."""
    for size in signature.sizes:
        if size.name == name:
            literal = parameters.size(size.value).literal
            return None if literal is None else read(size.kind, literal)
    for pack in signature.packs:
        if pack.name == name and pack in parameters.packs:
            axes = [s.literal if isinstance(s, Size) else None for s in parameters.packs[pack]]
            return None if None in axes else tuple(axes)
    for variable in signature.dtypes:
        if variable.name == name and variable in parameters.dtypes:
            return str(parameters.dtypes[variable])
    return None


def default_static(
    parameter: typed.SizeParameter, signature: typed.Signature
) -> int | float | bool | str:
    """The default of a static parameter: its value, or the size that it depends on as text."""
    assert parameter.default is not None
    literal = parameter.default.literal
    if literal is None:
        return signature_names(signature).size(parameter.default)
    return read(parameter.kind, literal)


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
            python_name(name),
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
                    python_name(size.name),
                    inspect.Parameter.KEYWORD_ONLY,
                    annotation=kinds[size.kind],
                    default=default,
                )
            )
    return inspect.Signature(parameters, return_annotation=names.type(signature.result))
