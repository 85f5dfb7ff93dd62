"""Random calls of any function, drawn from its signature, compared with the evaluator."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from differential import TOLERANCE, Array, array, difference

import tdsl
from tdsl.check import typed
from tdsl.check.fields import fields_of
from tdsl.reference.evaluate import evaluate
from tdsl.types.dtypes import DTYPES, Bound, DType
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import (
    ListType,
    StructType,
    Substitution,
    TensorType,
    TupleType,
    Type,
)

SIZES = (1, 2, 2, 3, 3, 4, 5, 8)
# An evaluation whose arguments differ by this much may not differ visibly: else a rounding is
# enough to make other numbers of it, and there is nothing to compare.
NUDGE = {"f64": 1e-6, "f32": 1e-6, "f16": 2e-3, "bf16": 2e-2}  # by the narrowest dtype in use
_FLOATS = ("f32", "f32", "f32", "f64", "f16", "bf16")
_INTEGERS = ("i32", "i64")
_DTYPES: Mapping[Bound, tuple[str, ...]] = {
    "float": _FLOATS,
    "int": _INTEGERS,
    "number": (*_FLOATS, *_INTEGERS),
    "any": (*_FLOATS, *_INTEGERS, "bool"),
}
TRIES = 200
NEEDS_SIZE = ("E0206", "E0414", "E0506")  # of an instance with open sizes
MOST_ELEMENTS = 200_000


@dataclass(frozen=True)
class Call:
    """Arguments and statics of one call, and the values of all parameters."""

    arguments: list[Any]
    statics: dict[str, int]
    parameters: Substitution


def _holds(constraint: typed.Constraint, sizes: Mapping[Symbol, Size]) -> bool:
    left = constraint.left.substitute(sizes).literal
    right = constraint.right.substitute(sizes).literal
    if left is None or right is None:
        return False
    if constraint.relation == "divides":
        return bool(left > 0 and right % left == 0)
    holds: bool = {
        "==": left == right,
        "<=": left <= right,
        "<": left < right,
        ">=": left >= right,
        ">": left > right,
    }[constraint.relation]
    return holds


def _symbols(type_: Type) -> Iterator[Symbol]:
    match type_:
        case TensorType(_, shape):
            for d in shape:
                if isinstance(d, Size):
                    yield from d.symbols()
        case TupleType(items):
            for item in items:
                yield from _symbols(item)
        case ListType(item, length):
            yield from length.symbols()
            yield from _symbols(item)
        case StructType(sizes=sizes):
            for d in sizes:
                if isinstance(d, Size):
                    yield from d.symbols()


def draw_parameters(signature: typed.Signature, random: Random) -> Substitution | None:
    """Values of all parameters that keep what the signature asks for; None where none is found."""
    symbols = {s for p in signature.sizes for s in p.value.symbols()}
    for _, type_ in signature.parameters:
        symbols |= set(_symbols(type_))
    ordered = sorted(symbols, key=lambda s: (s.owner, s.name))
    packs: dict[Pack, tuple[Size, ...]] = {
        pack: tuple(Size.of(random.choice((1, 2, 3))) for _ in range(random.randint(0, 2)))
        for pack in signature.packs
    }
    dtypes = {
        variable: DTYPES[random.choice(_DTYPES[variable.bound])] for variable in signature.dtypes
    }
    for _ in range(TRIES):
        sizes = {s: Size.of(max(random.choice(SIZES), s.least)) for s in ordered}
        values = [p.value.substitute(sizes).literal for p in signature.sizes]
        if any(v is None or v < 1 for v in values):
            continue
        if all(_holds(c, sizes) for c in signature.constraints):
            return Substitution(sizes, packs, dtypes)
    return None


class _Values:
    def __init__(self, program: typed.Program, random: np.random.Generator) -> None:
        self.program = program
        self.random = random
        self.elements = 0

    def of(self, type_: Type) -> Any:
        match type_:
            case TensorType(DType() as dtype, shape):
                lengths = tuple(d.literal for d in shape if isinstance(d, Size))
                if any(n is None or n < 1 for n in lengths):
                    raise ValueError("a size without a value")
                literal = tuple(int(n) for n in lengths if n is not None)
                self.elements += int(np.prod(literal, dtype=np.int64))
                if self.elements > MOST_ELEMENTS:
                    raise ValueError("too large")
                if dtype.name in TOLERANCE or dtype.name == "bool":
                    return array(self.random, dtype, literal)
                # Of a size that a position may have.
                return np.asarray(self.random.integers(0, 3, literal)).astype(dtype.numpy)
            case TupleType(items):
                return tuple(self.of(item) for item in items)
            case ListType(item, length):
                count = length.literal
                if count is None or not 0 < count < 100:
                    raise ValueError("a list without a length")
                return [self.of(item) for _ in range(count)]
            case StructType():
                return {name: self.of(t) for name, t in fields_of(self.program, type_)}
            case _:
                raise ValueError(f"no value of {type_}")


def draw_call(function: tdsl.Function, random: Random) -> Call | None:
    """A call that the signature allows; None where none is found."""
    signature = function._signature
    parameters = draw_parameters(signature, random)
    if parameters is None:
        return None
    values = _Values(function._program, np.random.default_rng(random.randrange(2**32)))
    try:
        arguments = [values.of(parameters.type(type_)) for _, type_ in signature.parameters]
    except ValueError:
        return None
    statics = {
        p.name: int(parameters.size(p.value).literal or 0) for p in signature.sizes if p.static
    }
    return Call(arguments, statics, parameters)


def leaves(value: Any) -> Iterator[Array]:
    """The arrays of a result, in order: of fields, of items."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield np.asarray(value)


def unstacked(program: typed.Program, value: Any, type_: Type) -> Any:
    """A result with its lists taken apart and its structs as dicts, as its type nests them."""
    match type_:
        case ListType(item, length):
            return [unstacked(program, value[i], item) for i in range(length.literal or 0)]
        case TupleType(items):
            return [unstacked(program, v, t) for v, t in zip(value, items, strict=True)]
        case StructType():
            # No field has a name that Python keeps for itself.
            return {
                name: unstacked(program, getattr(value, name), t)
                for name, t in fields_of(program, type_)
            }
        case _:
            return value


def nudged(value: Any, random: np.random.Generator, narrowest: str) -> Any:
    if isinstance(value, dict):
        return {name: nudged(part, random, narrowest) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(nudged(part, random, narrowest) for part in value)
    if value.dtype.kind in "iub":
        return value
    by = 1 + NUDGE[narrowest] * random.choice((-1.0, 1.0), value.shape)
    return (value.astype(np.float64) * by).astype(value.dtype)


def opened(function: tdsl.Function, call: Call, random: Random) -> Any:
    """The function as it is, or compiled with some sizes open."""
    sizes = [p.name for p in function._signature.sizes if not p.static]
    chosen = [name for name in sizes if random.random() < 0.5]
    if not chosen or random.random() < 0.4:
        return function
    try:
        statics: dict[str, Any] = dict(call.statics)
        compiled = function.compile(dynamic=chosen, **statics)
        with contextlib.suppress(IndexError):
            compiled(*call.arguments, **call.statics)
    except tdsl.CompileError as error:
        # A size may have to be known: that an `if` asks for it, or no array shows it.
        if not any(d.code in NEEDS_SIZE for d in error.diagnostics):
            raise
        return function
    return compiled


def compare_call(
    function: tdsl.Function, call: Call, text: str, compiled: Any = None
) -> tuple[str, str | None]:
    """("same", "raises", "unstable" or "wrong", and of the last what is)."""
    reference, program = function._signature.function, function._program

    def by_evaluator(arguments: list[Any]) -> Any:
        with np.errstate(all="ignore"):
            return evaluate(program, reference, arguments, call.parameters)

    wanted: Any = None
    said = ""
    try:
        wanted = by_evaluator(call.arguments)
    except IndexError as error:
        said = str(error)
    try:
        found = (compiled or function)(*call.arguments, **call.statics)
    except IndexError as error:
        if said:
            return "raises", None
        return "wrong", f"native code raises {error}; the evaluator does not"
    if said:
        return "wrong", f"native code gives a value; the evaluator raises {said}"
    result = call.parameters.type(function._signature.result)
    found = unstacked(program, found, result)
    a, b = list(leaves(wanted)), list(leaves(found))
    if len(a) != len(b):
        return "wrong", f"{len(b)} arrays for {len(a)}"
    order = list(TOLERANCE)
    used = [name for name in order if re.search(rf"\b{name}\b", text)] or ["f32"]
    used += [d.name for d in call.parameters.dtypes.values() if d.name in order]
    narrowest = max(used, key=order.index)
    differences = [difference(x, y, narrowest) for x, y in zip(a, b, strict=True)]
    if not any(differences):
        return "same", None
    near = list(leaves(by_evaluator(nudged(call.arguments, np.random.default_rng(0), narrowest))))
    if any(difference(x, y, narrowest) for x, y in zip(a, near, strict=True)):
        return "unstable", None
    return "wrong", "; ".join(d for d in differences if d)
