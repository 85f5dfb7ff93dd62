"""Values of a function's parameters by name: from `compile`, `--bind` and statics of calls."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from tdsl.check import typed
from tdsl.check.calls import Static, signature_names
from tdsl.errors import CallError
from tdsl.runtime.arguments import call_error
from tdsl.runtime.arrays import as_static
from tdsl.types.dtypes import BOUNDS, DTYPES, AnyDType, DType, DTypeVariable, of_numpy
from tdsl.types.limits import MOST_BYTES
from tdsl.types.numbers import code_of
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Pack, Shape, Size, Symbol
from tdsl.types.solve import Conflict, Equation, MayBeSmall, solve
from tdsl.types.types import Substitution

MOST = MOST_BYTES - 1  # of one size: an array of bytes with more is too large


def literal_statics(
    signature: typed.Signature, given: Mapping[str, object]
) -> dict[str, int | float | bool]:
    """The static arguments of a call as plain Python numbers, each of the kind declared."""
    found: dict[str, int | float | bool] = {}
    for parameter in signature.sizes:
        if parameter.name in given:
            found[parameter.name] = _static(signature, parameter, given[parameter.name])
    return found


def _static(
    signature: typed.Signature, parameter: typed.SizeParameter, value: object
) -> int | float | bool:
    number = as_static(value)
    kind = parameter.kind
    name = parameter.name
    fits = {
        "size": isinstance(number, int) and not isinstance(number, bool),
        "int": isinstance(number, int) and not isinstance(number, bool),
        "number": isinstance(number, int | float) and not isinstance(number, bool),
        "bool": isinstance(number, bool),
    }[kind]
    if number is None or not fits:
        wants = {"size": "an integer", "int": "an integer", "bool": "a bool"}.get(kind, "a number")
        raise call_error(
            signature,
            "E0502",
            f"`{name}` of `{signature.function.name}` must be {wants}, not {value!r}",
            argument=name,
        )
    if kind == "number" and isinstance(number, int) and abs(number) > sys.float_info.max:
        raise call_error(
            signature,
            "E0205",
            f"`{name}` of `{signature.function.name}` must fit into a float of 64 bits",
            argument=name,
        )
    if kind == "int" and not -(1 << 63) <= number < 1 << 63:
        raise call_error(
            signature,
            "E0205",
            f"`{name}` of `{signature.function.name}` must fit into 64 bits, and {number} does not",
            argument=name,
        )
    if kind == "size" and not 1 <= number <= MOST:
        limit = "1 or more" if number < 1 else f"at most {MOST}"
        raise call_error(
            signature,
            "E0508",
            f"`{name}` of `{signature.function.name}` is a size: it must be {limit}, not {number}",
            argument=name,
        )
    return number


def resolve(signature: typed.Signature, given: Mapping[str, object]) -> Substitution:
    """What the named values determine, by the function's equalities too; the rest stays out.

    Statics that are not given take their default, where it is known then.
    """
    _check_names(signature, given)
    statics = literal_statics(signature, given)
    equations = [
        Equation(p.value, Size.of(code_of(p.kind, statics[p.name])), p.name)
        for p in signature.sizes
        if p.name in statics
    ]
    unknowns = frozenset().union(*(p.value.symbols() for p in signature.sizes))
    values = _solved(signature, unknowns, equations)
    for parameter in signature.sizes:
        if parameter.name not in given and parameter.static and parameter.default is not None:
            default = parameter.default.substitute(values)
            if default.literal is not None and parameter.value.substitute(values).literal is None:
                equations.append(Equation(parameter.value, default, parameter.name))
                values = _solved(signature, unknowns, equations)
    packs: dict[Pack, Shape] = {}
    for pack in signature.packs:
        if pack.name in given:
            packs[pack] = _axes(signature, pack, given[pack.name])
    dtypes: dict[DTypeVariable, AnyDType] = {}
    for variable in signature.dtypes:
        if variable.name in given:
            dtypes[variable] = _dtype(signature, variable, given[variable.name])
    found = Substitution(values, packs, dtypes)
    _check_constraints(signature, found)
    return found


def _check_names(signature: typed.Signature, given: Mapping[str, object]) -> None:
    known = [p.name for p in signature.sizes]
    known += [pack.name for pack in signature.packs]
    known += [variable.name for variable in signature.dtypes]
    for name in given:
        if name not in known:
            from difflib import get_close_matches  # only where a word is misspelled

            near = get_close_matches(name, known, 1)
            listed = ", ".join(known) or "none"
            hint = f"help: did you mean `{near[0]}`?" if near else f"help: its parameters: {listed}"
            raise call_error(
                signature,
                "E0501",
                f"`{signature.function.name}` has no size, static or dtype parameter `{name}`",
                hint,
                argument=name,
            )


def _solved(
    signature: typed.Signature, unknowns: frozenset[Symbol], equations: Sequence[Equation]
) -> dict[Symbol, Size]:
    result = solve(unknowns, equations, Facts())
    names = signature_names(signature)
    if isinstance(result, Conflict):
        blamed = str(result.equation.why)
        if result.divisor is not None and result.dividend is not None:
            text = f"{names.size(result.divisor)} does not divide {names.size(result.dividend)}"
        else:
            text = f"it must be {names.size(result.wanted)}, not {names.size(result.found)}"
        raise call_error(
            signature,
            "E0505",
            f"`{blamed}` of `{signature.function.name}` does not fit the other values: {text}",
            argument=blamed,
        )
    values = dict(result.values)
    if isinstance(result, MayBeSmall) and result.value.literal is not None:
        _refuse_small(signature, result.symbol, result.value)
    for symbol, value in values.items():
        if value.literal is not None and value.literal < symbol.least:
            _refuse_small(signature, symbol, value)
    return values


def _refuse_small(signature: typed.Signature, symbol: Symbol, value: Size) -> None:
    names = signature_names(signature)
    raise call_error(
        signature,
        "E0508",
        f"these values make {names.size(Size.of(symbol))} = {value}; it must be"
        f" {symbol.least} or more",
    )


def _check_constraints(signature: typed.Signature, found: Substitution) -> None:
    """Those that are decided by what is known."""
    compare = {
        "==": lambda left, right: left == right,
        "<=": lambda left, right: left <= right,
        "<": lambda left, right: left < right,
        ">=": lambda left, right: left >= right,
        ">": lambda left, right: left > right,
        "divides": lambda left, right: left != 0 and right % left == 0,
    }
    names = signature_names(signature)
    for constraint in signature.constraints:
        left, right = found.size(constraint.left).literal, found.size(constraint.right).literal
        if left is None or right is None or compare[constraint.relation](left, right):
            continue
        shown = (
            f"{names.size(constraint.left)} {constraint.relation} {names.size(constraint.right)}"
        )
        raise call_error(
            signature,
            "E0507",
            f"`{signature.function.name}` needs `{shown}`, and this is"
            f" {left} {constraint.relation} {right}",
        )


def _axes(signature: typed.Signature, pack: Pack, value: object) -> Shape:
    items = value if isinstance(value, tuple | list | np.ndarray) else (value,)
    sizes: list[Size] = []
    for item in items:
        number = as_static(item)
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MOST:
            raise call_error(
                signature,
                "E0502",
                f"`{pack.name}` of `{signature.function.name}` stands for any number of axes:"
                f" give a tuple of sizes, not {value!r}",
                argument=pack.name,
            )
        sizes.append(Size.of(number))
    return tuple(sizes)


def _dtype(signature: typed.Signature, variable: DTypeVariable, value: object) -> DType:
    found: DType | None = None
    if isinstance(value, DType):
        found = value
    elif isinstance(value, str) and value in DTYPES:
        found = DTYPES[value]
    elif isinstance(value, np.dtype | type):
        # NumPy would read any string, as "q" or "float", and None as a dtype.
        try:
            found = of_numpy(np.dtype(value))
        except TypeError:
            found = None
    allowed = [dtype.name for dtype in DTYPES.values() if dtype.kind in BOUNDS[variable.bound]]
    if found is None or found.name not in allowed:
        shown = found.name if found is not None else repr(value)
        raise call_error(
            signature,
            "E0502",
            f"`{variable.name}` of `{signature.function.name}` must be a dtype out of"
            f" {', '.join(allowed)}; not {shown}",
            argument=variable.name,
        )
    return found


def normalised(signature: typed.Signature, given: Mapping[str, object]) -> dict[str, Static]:
    """Named values in the form that the solver of calls takes."""
    _check_names(signature, given)
    found: dict[str, Static] = {**literal_statics(signature, given)}
    for pack in signature.packs:
        if pack.name in given:
            found[pack.name] = _axes(signature, pack, given[pack.name])
    for variable in signature.dtypes:
        if variable.name in given:
            found[variable.name] = _dtype(signature, variable, given[variable.name])
    return found


def open_symbols(signature: typed.Signature, names: Iterable[str]) -> frozenset[Symbol]:
    """The symbols that `dynamic=` names leave open."""
    found: set[Symbol] = set()
    sizes = {p.name: p for p in signature.sizes}
    fixed = frozenset().union(*(p.value.symbols() for p in signature.sizes if p.static))
    for name in names:
        parameter = sizes.get(name)
        if parameter is None:
            if name in {pack.name for pack in signature.packs}:
                raise call_error(
                    signature,
                    "E0501",
                    f"`dynamic` names the sizes to leave open; `{name}` stands for several axes",
                    argument=name,
                )
            from difflib import get_close_matches  # only where a word is misspelled

            near = get_close_matches(name, sizes, 1)
            hint = (f"help: did you mean `{near[0]}`?",) if near else ()
            raise call_error(
                signature,
                "E0501",
                f"`{signature.function.name}` has no size `{name}` to leave open",
                *hint,
                argument=name,
            )
        if parameter.static:
            raise call_error(
                signature,
                "E0206",
                f"`{name}` of `{signature.function.name}` is static: it cannot be left open",
                argument=name,
            )
        found |= parameter.value.symbols() - fixed
    return frozenset(found)


def shown_choice(
    given: Mapping[str, object], dynamic: Sequence[str] | None, donate: Sequence[str]
) -> str:
    """What `compile` was given: ` for C=64, donate=('cache',)`, or nothing."""
    chosen = [f"{name}={value}" for name, value in given.items()]
    chosen += [f"dynamic={tuple(dynamic)!r}"] if dynamic is not None else []
    chosen += [f"donate={tuple(donate)!r}"] if donate else []
    return f" for {', '.join(chosen)}" if chosen else ""


class Unready(msgspec.Struct, frozen=True):
    """Why a function cannot be shown without more values: the names of those."""

    names: tuple[str, ...]

    @property
    def suggestion(self) -> str:
        return ",".join(f"{name}=…" for name in self.names)


def instance_without_example(
    signature: typed.Signature, given: Mapping[str, object]
) -> Substitution | Unready:
    """The given values fixed and every other size open (language.md, section 6)."""
    found = resolve(signature, given)
    chosen = {**dict(signature.dtype_defaults), **found.dtypes}
    found = Substitution(found.sizes, found.packs, chosen)
    missing = [p.name for p in signature.sizes if p.static and found.size(p.value).literal is None]
    missing += [pack.name for pack in signature.packs if pack not in found.packs]
    missing += [v.name for v in signature.dtypes if v not in found.dtypes]
    if missing:
        return Unready(tuple(missing))
    names = signature_names(signature)
    for parameter in signature.sizes:
        value = found.size(parameter.value)
        if parameter.name in given and value.literal is None:
            factors = ", ".join(f"`{names.size(Size.of(s))}`" for s in value.symbols())
            raise call_error(
                signature,
                "E0506",
                f"`{parameter.name}` alone does not fix {factors}",
                "help: give a value for one of them too",
                argument=parameter.name,
            )
    sizes = dict(found.sizes)
    for parameter in signature.sizes:
        for symbol in parameter.value.symbols():
            sizes.setdefault(symbol, Size.of(symbol))
    return Substitution(sizes, found.packs, found.dtypes)


def instance_to_show(
    program: typed.Program, signature: typed.Signature, given: Mapping[str, object]
) -> Substitution:
    """What `--emit` and `.mlir()` show: the given instance, else the first example, else open."""
    name = signature.function.name
    if not given:
        for example in program.root.examples:
            if example.function == name:
                return example.parameters
    found = instance_without_example(signature, given)
    if isinstance(found, Unready):
        raise unready_error(signature, found)
    return found


def unready_error(signature: typed.Signature, unready: Unready) -> CallError:
    names = ", ".join(f"`{name}`" for name in unready.names)
    name = signature.function.name
    return call_error(
        signature,
        "E0901",
        f"`{name}` needs a value for {names} to be emitted",
        f"help: give it (`--bind {unready.suggestion}`; in Python `mlir({unready.suggestion})`), or"
        f" add `example {name}[{unready.suggestion}] -> …` to the program",
        argument=unready.names[0],
    )
