"""Failed calls in one sentence each: what diagnostics and errors at run time begin with."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.check.call_failures import (
    CallFailure,
    Contradiction,
    Fixed,
    Indivisible,
    MissingStatic,
    Origin,
    Poisoned,
    TooComplex,
    TooSmall,
    Undetermined,
    UnknownParameter,
    Unproved,
    WrongCount,
    WrongDType,
    WrongPack,
    WrongSize,
    WrongType,
)
from tdsl.check.calls import signature_names
from tdsl.check.typed import Signature
from tdsl.check.values import kind_of
from tdsl.types.dtypes import Bound
from tdsl.types.naming import Names, dimensions
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import (
    StructType,
    Substitution,
    TensorType,
    TupleType,
    Type,
)

BOUND_TEXTS: dict[Bound, str] = {
    "float": "a float dtype",
    "int": "an integer dtype",
    "number": "a numeric dtype",
    "any": "a dtype",
}


def headline(failure: CallFailure, signature: Signature, names: Names) -> str:
    """What is wrong, in one sentence; `names` are the caller's."""
    function = f"`{signature.function.name}`"
    match failure:
        case WrongType():
            return _wrong_type(failure, signature, names)
        case WrongSize(origin=origin, wanted=wanted, found=found):
            want, have = names.sizes_apart(wanted, found)
            place = "" if origin.axis is None else f" on axis {origin.axis}"
            inside = "" if origin.inside is None else f" in `{names.type(origin.inside)}`"
            return (
                f"{role(signature)} `{origin.name}` of {function} has the wrong size{place}{inside}: "
                f"wants {want}, found {have}"
            )
        case WrongPack(origin=origin, pack=pack, wanted=wanted_axes, found=found_axes):
            want, have = names.shapes_apart(wanted_axes, found_axes)
            return (
                f"{role(signature)} `{origin.name}` of {function} has the wrong axes for `...{pack.name}`: "
                f"wants {want}, found {have}"
            )
        case WrongCount(wanted=number, given=given):
            plural = "" if number == 1 else "s"
            return f"{function} takes {number} argument{plural}, but {given} given"
        case UnknownParameter(name=name):
            return f"{function} has no size, static or dtype parameter `{name}`"
        case MissingStatic(name=name):
            return f"the static argument `{name}` of {function} is missing"
        case WrongDType(variable=variable, found=dtype):
            bound = BOUND_TEXTS[variable.bound]
            return f"`{variable.name}` of {function} must be {bound}, not {dtype.name}"
        case Contradiction(origin=origin, wanted=wanted, found=found):
            want, have = names.sizes_apart(wanted, found)
            return (
                f"the static argument `{origin.name}` of {function} is {have}, "
                f"but the other arguments ask for {want}"
            )
        case Indivisible():
            return _indivisible(failure, signature, names)
        case Undetermined(names=missing):
            listed = " and ".join(f"`{name}`" for name in missing)
            return f"{listed} of {function} cannot be inferred"
        case Unproved(constraint=constraint, left=left, right=right, never=never):
            clause = constraint.span.text
            a, b = names.sizes_apart(left, right)
            here = f"{a} {constraint.relation} {b}"
            if never:
                return f"{function} requires `{clause}`, but {here} does not hold"
            return f"{function} requires `{clause}`: {here} is not known to hold here"
        case TooSmall(name=name, value=value, least=least):
            if value.literal is not None:
                return (
                    f"`{name}` of {function} would be {value.literal}; it must be {least} or more"
                )
            shown = names.size(value)
            # Sizes of equal names are told apart.
            whose = "the caller's " if name in names.order else ""
            return f"`{name}` of {function} is {whose}{shown}, which may be smaller than {least}"
        case TooComplex():
            return f"the sizes in this call of {function} are too large to be compared"
        case Poisoned():
            return ""
        case _:
            raise AssertionError(f"a failure without a text: {failure}")


def _wrong_type(failure: WrongType, signature: Signature, names: Names) -> str:
    callee = signature_names(signature)
    who = f"{role(signature)} `{failure.name}` of `{signature.function.name}`"
    part, found = failure.part, failure.found_part
    want, have = callee.type(part), names.type(found)
    match failure.reason:
        case "rank":
            return f"{who} has the wrong rank: wants {want}, found {have}"
        case "dtype" if isinstance(part, TensorType) and isinstance(found, TensorType):
            dtype = failure.dtype or part.dtype
            if dtype.name == found.dtype.name:
                return (
                    f"{who} has another dtype: `{dtype.name}` of the caller is not "
                    f"`{found.dtype.name}`"
                )
            return f"{who} has the wrong dtype: wants {dtype.name}, found {found.dtype.name}"
        case "bound" if isinstance(part, TensorType) and isinstance(found, TensorType):
            bound = BOUND_TEXTS[getattr(part.dtype, "bound", "any")]
            return f"{who} has the wrong dtype: wants {bound}, found {found.dtype.name}"
        case "weak" if isinstance(part, TensorType):
            dtype = failure.dtype or part.dtype
            return f"{who} has the wrong kind: wants {dtype.name}, found {have}"
        case "length" if isinstance(part, TupleType) and isinstance(found, TupleType):
            counts = f"wants {len(part.items)} items, found {len(found.items)}"
            return f"{who} has the wrong length: {counts}"
        case "pack":
            return f"{who} has two packs of axes, which do not say where one ends: {want}"
        case _ if isinstance(part, StructType) and kind_of(part) == kind_of(found):
            return f"{who} is `{have}`, but `{want}` is wanted"
        case _:
            wanted = kind_of(part)
            rest = f": `{want}`" if want not in wanted else ""
            return f"{who} is {kind_of(found)}, but {wanted} is wanted{rest}"


def role(signature: Signature) -> str:
    """What the parameters of a signature are called: of a struct's, which builds it, fields."""
    result = signature.result
    function = signature.function
    builds = isinstance(result, StructType) and (result.module, result.name) == (
        function.module,
        function.name,
    )
    return "field" if builds else "argument"


def _indivisible(failure: Indivisible, signature: Signature, names: Names) -> str:
    function = f"`{signature.function.name}`"
    divisor, dividend = names.sizes_apart(failure.divisor, failure.dividend)
    divides = (
        f"{divisor} does not divide {dividend}"
        if failure.never
        else f"nothing here says that {divisor} divides {dividend}"
    )
    if failure.constraint is not None:
        return f"{function} requires `{failure.constraint.span.text}`: {divides}"
    origin = failure.origin
    where = "" if origin.axis is None else f" on axis {origin.axis}"
    factor = divisor if divisor.isalnum() else f"({divisor})"
    kind = "argument" if origin.kind == "argument" else "the static argument"
    return (
        f"{kind} `{origin.name}` of {function} has no fitting size{where}: "
        f"no {failure.parameter} gives {factor}*{failure.parameter} = {dividend}, as {divides}"
    )


def declared(signature: Signature, index: int) -> str:
    """A parameter as its function declares it: `w: f32[K, N]`."""
    name, type_ = signature.parameters[index]
    return f"{name}: {signature_names(signature).type(type_)}"


def wanted_type(signature: Signature, index: int, fixed: Sequence[Fixed]) -> Type | None:
    """The type that an argument should have by what is known; None where that leaves it open."""
    values: dict[Symbol, Size] = {}
    for parameter in signature.sizes:
        symbol = parameter.value.symbol
        for known in fixed:
            if symbol is not None and known.name == parameter.name:
                values[symbol] = known.value
    type_ = signature.parameters[index][1]
    for dimension in dimensions(type_):
        if isinstance(dimension, Pack) or not dimension.symbols() <= values.keys():
            return None
    return Substitution(values, {}, {}).type(type_)


def involved(failure: WrongSize | Indivisible, signature: Signature) -> tuple[Fixed, ...]:
    """The known parameters that the declared size is made of."""
    symbols = failure.declared.symbols()
    values = {parameter.name: parameter.value for parameter in signature.sizes}
    return tuple(
        known
        for known in failure.fixed
        if values[known.name].symbols() <= symbols and not _is_this(known.origin, failure.origin)
    )


def _is_this(origin: Origin | None, other: Origin) -> bool:
    return origin is None or origin == other
