"""Arrays for a function to be tried on: given ones, and seeded normal ones for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from tdsl.check import call_failures as failures
from tdsl.check import typed
from tdsl.check.call_failures import CallFailure
from tdsl.check.call_text import headline
from tdsl.check.calls import Static, solve_call
from tdsl.errors import CallError
from tdsl.runtime import arguments as places
from tdsl.runtime.arrays import Array, WeakNumber, plain, type_of, weak_array
from tdsl.runtime.assembling import classes_of, nested
from tdsl.runtime.bindings import normalised, resolve
from tdsl.runtime.layout import ArrayNode, Layout, arrays_of, layout_of, python_name
from tdsl.runtime.lists import StackedList
from tdsl.runtime.solving import solve_arguments
from tdsl.runtime.structs import Struct, StructClasses
from tdsl.types.dtypes import DType
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Shape
from tdsl.types.types import Substitution, TensorType, Type


class Inputs(msgspec.Struct, frozen=True):
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
    given: Mapping[str, Any],
    seed: int,
) -> Inputs:
    """Sizes come from the given values and bindings; where neither says any, from an example.

    A struct is given by a mapping, also with dotted names.
    """
    signature = function.signature
    layout = layout_of(program, signature)
    named = dict(normalised(signature, bindings))
    arrays = _given_arrays(layout, given, named)
    parameters = _parameters(program, layout, bindings, arrays, given, named)
    random = np.random.default_rng(seed)
    classes = StructClasses(program, program.root.name)
    values: list[Any] = []
    shown: list[tuple[str, Array]] = []
    for node in layout.parameters:
        leaves = [
            _ready(arrays[array.leaf], layout, parameters, array)
            if array.leaf in arrays
            else _make(random, parameters.type(array.type), parameters.shape(array.lengths))
            for array in arrays_of(node)
        ]
        shown += zip((array.path for array in arrays_of(node)), leaves, strict=True)
        values.append(nested(node, classes_of(node, classes))(iter(leaves)))
    statics = {
        p.name: places.parameter_value(signature, parameters, p.name)
        for p in signature.sizes
        if p.static
    }
    evaluated = [_unstacked(value) for value in values]
    return Inputs(tuple(values), statics, evaluated, parameters, tuple(shown))


def _given_arrays(
    layout: Layout, given: Mapping[str, Any], named: Mapping[str, Static]
) -> dict[int, Array | WeakNumber]:
    """The arrays of those parameters that are given, by their places."""
    names = [name for name, _ in layout.signature.parameters]
    partial = layout.only([names.index(name) for name in names if name in given])
    values = [given[name] for name in names if name in given]
    found = places.convert(partial, values, named, {})
    return {array.leaf: value for array, value in zip(partial.arrays, found, strict=True)}


def _parameters(
    program: typed.Program,
    layout: Layout,
    bindings: Mapping[str, object],
    arrays: Mapping[int, Array | WeakNumber],
    given: Mapping[str, Any],
    named: Mapping[str, Static],
) -> Substitution:
    signature = layout.signature
    name = signature.function.name
    examples = [e for e in program.root.examples if e.function == name]
    if not bindings and not given and examples:
        return examples[0].parameters
    if given and len(given) == len(signature.parameters):
        values = [given[name] for name, _ in signature.parameters]
        leaves = [arrays[array.leaf] for array in layout.arrays]
        try:
            return solve_arguments(layout, leaves, named, bindings, values)
        except CallError as error:
            statics = [p.name for p in signature.sizes if p.static and p.default is None]
            missing = tuple(static for static in statics if static not in bindings)
            if error.code == "E0510" and missing:
                raise _undetermined(signature, missing) from None
            raise
    resolve(signature, bindings)  # names, kinds and equalities, in words
    types = [
        type_of(arrays[array.leaf], wanted) if array.leaf in arrays else None
        for array, wanted in zip(layout.arrays, layout.wanted, strict=True)
    ]
    found = solve_call(layout.flat, types, named, Facts())
    if isinstance(found, CallFailure):
        raise _unsolved(signature, found)
    return found


def _ready(
    value: Array | WeakNumber, layout: Layout, parameters: Substitution, array: ArrayNode
) -> Array:
    if not isinstance(value, WeakNumber):
        return plain(value)
    wanted = layout.wanted[array.leaf]
    return weak_array(value, wanted, places.literal_dtype(parameters, wanted))


def _unstacked(value: Any) -> Any:
    """The same as the evaluator takes it: structs as dicts, lists taken apart."""
    if isinstance(value, StackedList):
        return [_unstacked(item) for item in value]
    if isinstance(value, Struct):
        names = [name for name, _, _ in value.__tdsl__.fields]
        return {name: _unstacked(getattr(value, python_name(name))) for name in names}
    if isinstance(value, tuple):
        return tuple(map(_unstacked, value))
    return value


def _unsolved(signature: typed.Signature, failure: CallFailure) -> CallError:
    match failure:
        case failures.Undetermined(names=names):
            missing = names
        case failures.MissingStatic(name=missing_name):
            missing = (missing_name,)
        case _:
            return places.call_error(signature, failure.code, headline(failure, signature, Names()))
    return _undetermined(signature, missing)


def _undetermined(signature: typed.Signature, missing: Sequence[str]) -> CallError:
    name = signature.function.name
    statics = {p.name for p in signature.sizes if p.static}
    shown = ", ".join(f"`{one}`" for one in missing)
    suggestion = ",".join(f"{one}=…" for one in missing)
    arrays = "" if statics.issuperset(missing) else ", or arrays: NAME=FILE.npy"
    return places.call_error(
        signature,
        "E0506",
        f"nothing says what {shown} of `{name}` {'is' if len(missing) == 1 else 'are'}",
        f"help: add --bind {suggestion}{arrays}",
    )


def _make(random: np.random.Generator, type_: Type, lengths: Shape) -> Array:
    assert isinstance(type_, TensorType)
    dtype = type_.dtype
    assert isinstance(dtype, DType)
    shape = tuple(_literal(axis) for axis in (*lengths, *type_.shape))
    if dtype.kind == "bool":
        return random.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_integer:
        return random.integers(0, 8, shape).astype(dtype.numpy)
    # Matrices as models have them: products of unit variance keep unit variance.
    scale = _literal(type_.shape[-2]) ** -0.5 if len(type_.shape) > 1 else 1.0
    return np.asarray(random.standard_normal(shape) * scale).astype(dtype.numpy)


def _literal(size: Any) -> int:
    literal = size.literal
    assert literal is not None
    return int(literal)
