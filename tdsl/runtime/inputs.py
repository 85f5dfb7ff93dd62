"""Arrays for a function to be tried on: given ones, and seeded normal ones for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tdsl.check import call_failures as failures
from tdsl.check import typed
from tdsl.check.call_failures import CallFailure
from tdsl.check.call_text import headline
from tdsl.check.calls import solve_call
from tdsl.errors import CallError
from tdsl.runtime import arguments as places
from tdsl.runtime.arrays import Array, WeakNumber, dtype_of, plain
from tdsl.runtime.bindings import normalised, resolve
from tdsl.runtime.solving import solve_arguments
from tdsl.types.dtypes import DType
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution, TensorType, TupleType, Type


@dataclass(frozen=True)
class Inputs:
    """Arguments for a call, and the same for the evaluator."""

    arguments: tuple[Any, ...]
    statics: Mapping[str, Any]
    evaluated: list[Any]
    parameters: Substitution
    shown: tuple[tuple[str, Array], ...]


def seeded_inputs(
    program: typed.Program,
    function: typed.Function,
    bindings: Mapping[str, object],
    given: Mapping[str, Array],
    seed: int,
) -> Inputs:
    """Sizes come from the given arrays and bindings; where neither says any, from an example."""
    signature = function.signature
    parameters = _parameters(program, signature, bindings, given)
    random = np.random.default_rng(seed)
    values: list[Any] = []
    shown: list[tuple[str, Array]] = []
    for (name, type_), span in zip(signature.parameters, signature.parameter_spans, strict=True):
        if name in given:
            wanted = places.wanted(signature)
            one = next((w for w in wanted if w.name == name), None)
            if one is None:
                raise places.call_error(
                    signature, "E0502", f"`{name}` is a tuple; an array file cannot give it"
                )
            value: Any = places.convert([one], [given[name]])[0]
            value = plain(value) if not isinstance(value, WeakNumber) else value
        else:
            value = _make(random, parameters.type(type_))
        assert span is not None
        values.append(value)
        _show(shown, name, value)
    statics = {
        p.name: places.parameter_value(signature, parameters, p.name)
        for p in signature.sizes
        if p.static
    }
    return Inputs(tuple(values), statics, values, parameters, tuple(shown))


def _parameters(
    program: typed.Program,
    signature: typed.Signature,
    bindings: Mapping[str, object],
    given: Mapping[str, Array],
) -> Substitution:
    name = signature.function.name
    examples = [e for e in program.root.examples if e.function == name]
    if not bindings and not given and examples:
        return examples[0].parameters
    named = dict(normalised(signature, bindings))
    if given and len(given) == len(signature.parameters):
        every = places.wanted(signature)
        leaves = places.flatten(signature, every, [given[n] for n, _ in signature.parameters])
        return solve_arguments(signature, every, places.convert(every, leaves), named, bindings)
    resolve(signature, bindings)  # names, kinds and equalities, in words
    every = places.wanted(signature)
    types: list[Type | None] = []
    for parameter, _ in signature.parameters:
        if parameter in given:
            wanted = next(w for w in every if w.name == parameter)
            (array,) = places.convert([wanted], [given[parameter]])
            assert isinstance(array, np.ndarray)
            types.append(TensorType(dtype_of(array, wanted), tuple(map(Size.of, array.shape))))
        else:
            types.append(None)
    found = solve_call(signature, types, named, Facts())
    if isinstance(found, CallFailure):
        raise _unsolved(signature, found, bool(examples))
    return found


def _unsolved(signature: typed.Signature, failure: CallFailure, has_example: bool) -> CallError:
    name = signature.function.name
    match failure:
        case failures.Undetermined(names=names):
            missing = names
        case failures.MissingStatic(name=missing_name):
            missing = (missing_name,)
        case _:
            return places.call_error(signature, failure.code, headline(failure, signature, Names()))
    shown = ", ".join(f"`{one}`" for one in missing)
    suggestion = ",".join(f"{one}=…" for one in missing)
    return places.call_error(
        signature,
        "E0506",
        f"nothing says what {shown} of `{name}` {'is' if len(missing) == 1 else 'are'}",
        f"help: add --bind {suggestion}, or arrays: NAME=FILE.npy",
    )


def _make(random: np.random.Generator, type_: Type) -> Any:
    if isinstance(type_, TupleType):
        return tuple(_make(random, item) for item in type_.items)
    assert isinstance(type_, TensorType)
    dtype = type_.dtype
    assert isinstance(dtype, DType)
    shape = tuple(_literal(axis) for axis in type_.shape)
    if dtype.kind == "bool":
        return random.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_integer:
        return random.integers(0, 8, shape).astype(dtype.numpy)
    # Matrices as models have them: products of unit variance keep unit variance.
    scale = shape[-2] ** -0.5 if len(shape) > 1 else 1.0
    return np.asarray(random.standard_normal(shape) * scale).astype(dtype.numpy)


def _literal(size: Any) -> int:
    literal = size.literal
    assert literal is not None
    return int(literal)


def _show(shown: list[tuple[str, Array]], name: str, value: Any) -> None:
    if isinstance(value, tuple):
        for position, item in enumerate(value):
            _show(shown, f"{name}[{position}]", item)
    else:
        shown.append((name, value))
