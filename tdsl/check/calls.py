"""Matching the arguments of a call with a signature: values for its parameters, or why there are none.

Used by the checker, with sizes over the caller's symbols, and by the runtime, with literal ones.
A failure is data; call_diagnostics.py puts it in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tdsl.check.call_failures import (
    CallFailure,
    Contradiction,
    Fixed,
    Indivisible,
    MissingStatic,
    Origin,
    Poisoned,
    Reason,
    TooSmall,
    Undetermined,
    UnknownParameter,
    Unproved,
    WrongCount,
    WrongPack,
    WrongSize,
    WrongType,
)
from tdsl.check.typed import Constraint, Signature, SizeParameter
from tdsl.types import solve as solving
from tdsl.types.dtypes import BOUNDS, AnyDType, DType, DTypeVariable
from tdsl.types.naming import dimensions
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Pack, Shape, Size, Symbol, divide_exactly
from tdsl.types.types import (
    ListType,
    PoisonType,
    StructType,
    Substitution,
    TensorType,
    TupleType,
    Type,
    WeakType,
)
from tdsl.types.where import excess

# What may be given by name: a size, the axes of a pack, a dtype; other statics do not matter here.
Static = Size | int | float | Shape | AnyDType


def solve_call(
    signature: Signature,
    arguments: Sequence[Type | None],
    statics: Mapping[str, Static],
    facts: Facts,
) -> Substitution | CallFailure:
    """Values for all parameters of the signature, or the first reason why there are none.

    An argument of None is one of which nothing is known (in an `example`).
    """
    taken = frozenset(
        symbol
        for size in _given_sizes(arguments, statics)
        for symbol in size.symbols()
        if symbol.owner == signature_owner(signature)
    )
    try:
        return _Call(_renamed(signature, taken), arguments, statics, facts).solve(taken)
    except _Stop as stop:
        return stop.failure


def signature_owner(signature: Signature) -> str:
    """The owner of the symbols of a function's parameters."""
    return f"{signature.function.module}.{signature.function.name}"


class _Stop(Exception):
    def __init__(self, failure: CallFailure) -> None:
        self.failure = failure


@dataclass
class _Mismatch(Exception):
    part: Type
    found: Type
    reason: Reason
    dtype: AnyDType | None = None
    origin: str | None = None


class _Call:
    def __init__(
        self,
        signature: Signature,
        arguments: Sequence[Type | None],
        statics: Mapping[str, Static],
        facts: Facts,
    ) -> None:
        self.signature = signature
        self.arguments = arguments
        self.statics = statics
        self.facts = facts
        self.equations: list[solving.Equation] = []
        self.packs: dict[Pack, Shape] = {}
        self.pack_origins: dict[Pack, Origin] = {}
        self.dtypes: dict[DTypeVariable, AnyDType] = {}
        self.dtype_origins: dict[DTypeVariable, str] = {}
        self.weak: list[tuple[int, DTypeVariable, TensorType, WeakType]] = []

    def solve(self, taken: frozenset[Symbol]) -> Substitution:
        self.take_statics()
        self.take_arguments()
        self.check_dtypes_and_packs()
        solution = self.solve_sizes()
        values = solution.values
        self.check_statics_given(solution)
        self.check_constraints(solution)
        if taken:
            own = {_apart(symbol): symbol for symbol in taken}
            values = {own.get(symbol, symbol): value for symbol, value in values.items()}
        return Substitution(values, self.packs, self.dtypes)

    # --- what is given

    def take_statics(self) -> None:
        signature = self.signature
        sizes = {parameter.name: parameter for parameter in signature.sizes}
        packs = {pack.name: pack for pack in signature.packs}
        dtypes = {dtype.name: dtype for dtype in signature.dtypes}
        for name, value in self.statics.items():
            origin = Origin("static", name)
            if name in packs and isinstance(value, tuple):
                self.packs[packs[name]], self.pack_origins[packs[name]] = value, origin
            elif name in dtypes and isinstance(value, DType | DTypeVariable):
                self.dtypes[dtypes[name]], self.dtype_origins[dtypes[name]] = value, name
            elif name in sizes:
                if isinstance(value, Size | int):
                    self.equate(sizes[name].value, Size.of(value), origin)
            else:
                known = (*sizes, *packs, *dtypes)
                raise _Stop(UnknownParameter((), name, known))
        for parameter in signature.sizes:
            if parameter.static and parameter.default and parameter.name not in self.statics:
                self.equate(parameter.value, parameter.default, Origin("default", parameter.name))

    def take_arguments(self) -> None:
        parameters = self.signature.parameters
        if len(parameters) != len(self.arguments):
            raise _Stop(WrongCount((), len(parameters), len(self.arguments)))
        for index, ((name, declared), found) in enumerate(
            zip(parameters, self.arguments, strict=True)
        ):
            if found is None:
                continue
            for dimension in dimensions(found):
                if isinstance(dimension, Size) and dimension.literal is None:
                    self.facts = self.facts.assume(dimension - 1)
            try:
                self.match(declared, found, Origin("argument", name, index))
            except _Mismatch as mismatch:
                raise _Stop(
                    WrongType(
                        self.fixed(),
                        index,
                        name,
                        declared,
                        found,
                        mismatch.part,
                        mismatch.found,
                        mismatch.reason,
                        mismatch.dtype,
                        mismatch.origin,
                    )
                ) from None

    def equate(self, wanted: Size, found: Size, origin: Origin) -> None:
        self.equations.append(solving.Equation(wanted, found, origin))

    # --- matching types

    def match(self, declared: Type, found: Type, origin: Origin) -> None:
        match declared, found:
            case _, PoisonType():
                return
            case TensorType(), WeakType():
                self.match_weak(declared, found, origin)
            case TensorType(), TensorType():
                self.match_shape(declared, found, origin)
                self.match_dtype(declared, found, origin)
            case TupleType(items), TupleType(found_items):
                if len(items) != len(found_items):
                    raise _Mismatch(declared, found, "length")
                for item, found_item in zip(items, found_items, strict=True):
                    self.match(item, found_item, _inside(origin, found_item))
            case ListType(item, length), ListType(found_item, found_length):
                self.match(item, found_item, _inside(origin, found_item))
                self.equate(length, found_length, _inside(origin, found))
            case StructType(), StructType():
                self.match_struct(declared, found, origin)
            case _:
                if declared != found:
                    raise _Mismatch(declared, found, "kind")

    def match_struct(self, declared: StructType, found: StructType, origin: Origin) -> None:
        same = (declared.module, declared.name) == (found.module, found.name)
        if not same or len(declared.dtypes) != len(found.dtypes):
            raise _Mismatch(declared, found, "kind")
        for dtype, found_dtype in zip(declared.dtypes, found.dtypes, strict=True):
            self.bind_dtype(dtype, found_dtype, declared, found, origin.name)
        self.match_dimensions(
            declared.sizes, found.sizes, declared, found, _inside(origin, found), counted=False
        )

    def match_weak(self, declared: TensorType, found: WeakType, origin: Origin) -> None:
        """A weak number takes the declared dtype; it has no axes."""
        open_packs = [axis for axis in declared.shape if isinstance(axis, Pack)]
        if len(open_packs) < len(declared.shape):
            raise _Mismatch(declared, found, "rank")
        for pack in open_packs:
            self.bind_pack(pack, (), origin)
        if isinstance(declared.dtype, DTypeVariable):
            self.weak.append((origin.index, declared.dtype, declared, found))
        elif not _takes(declared.dtype, found):
            raise _Mismatch(declared, found, "weak")

    def match_dtype(self, declared: TensorType, found: TensorType, origin: Origin) -> None:
        self.bind_dtype(declared.dtype, found.dtype, declared, found, origin.name)

    def bind_dtype(
        self, dtype: AnyDType, found_dtype: AnyDType, part: Type, found: Type, name: str
    ) -> None:
        if not isinstance(dtype, DTypeVariable) or dtype not in self.signature.dtypes:
            if dtype != found_dtype:
                raise _Mismatch(part, found, "dtype")
            return
        known = self.dtypes.get(dtype)
        if known is None:
            if not _within(found_dtype, dtype):
                raise _Mismatch(part, found, "bound")
            self.dtypes[dtype], self.dtype_origins[dtype] = found_dtype, name
        elif known != found_dtype:
            raise _Mismatch(part, found, "dtype", known, self.dtype_origins[dtype])

    def match_shape(self, declared: TensorType, found: TensorType, origin: Origin) -> None:
        if origin.inside is not None:
            origin = _inside(origin, found)
        self.match_dimensions(declared.shape, found.shape, declared, found, origin, counted=True)

    def match_dimensions(
        self, wanted: Shape, given: Shape, part: Type, found: Type, origin: Origin, counted: bool
    ) -> None:
        """Pair sizes off from both ends; the one pack, if any, takes what is left between."""
        packs = [place for place, axis in enumerate(wanted) if isinstance(axis, Pack)]
        if len(packs) > 1:
            raise _Mismatch(part, found, "pack")
        if len(given) < len(wanted) - 1 if packs else len(given) != len(wanted):
            raise _Mismatch(part, found, "rank")
        before = packs[0] if packs else len(wanted)
        after = len(wanted) - before - 1
        places = [*range(before), *(len(given) - after + place for place in range(max(after, 0)))]
        sizes = [axis for axis in wanted if isinstance(axis, Size)]
        for axis, place in zip(sizes, places, strict=True):
            found_axis = given[place]
            if isinstance(found_axis, Pack):
                raise _Mismatch(part, found, "rank")
            self.equate(axis, found_axis, replace(origin, axis=place) if counted else origin)
        if packs:
            pack = wanted[before]
            assert isinstance(pack, Pack)
            self.bind_pack(pack, given[before : len(given) - after], origin)

    def bind_pack(self, pack: Pack, found: Shape, origin: Origin) -> None:
        known = self.packs.get(pack)
        if known is None:
            self.packs[pack], self.pack_origins[pack] = found, origin
        elif known != found:
            first = self.pack_origins[pack]
            raise _Stop(WrongPack(self.fixed(), origin, pack, known, found, first))

    # --- after matching

    def check_dtypes_and_packs(self) -> None:
        for variable, dtype in self.dtypes.items():
            if not _within(dtype, variable):
                raise _Stop(Undetermined(self.fixed(), (variable.name,)))
        for index, variable, declared, found in self.weak:
            known = self.dtypes.get(variable)
            if known is not None and not _takes(known, found):
                name = self.signature.parameters[index][0]
                origin = self.dtype_origins[variable]
                raise _Stop(
                    WrongType(
                        self.fixed(),
                        index,
                        name,
                        declared,
                        found,
                        declared,
                        found,
                        "weak",
                        known,
                        origin,
                    )
                )
        missing = [dtype.name for dtype in self.signature.dtypes if dtype not in self.dtypes]
        missing += [pack.name for pack in self.signature.packs if pack not in self.packs]
        if missing:
            raise _Stop(self.undetermined(tuple(missing), self.fixed()))

    def undetermined(self, names: tuple[str, ...], fixed: tuple[Fixed, ...]) -> CallFailure:
        if any(isinstance(argument, PoisonType) for argument in self.arguments):
            return Poisoned(fixed)
        return Undetermined(fixed, names)

    def solve_sizes(self) -> solving.Solution:
        unknowns = frozenset(
            symbol for parameter in self.signature.sizes for symbol in parameter.value.symbols()
        )
        if self.packs:
            self.equations = [
                replace(equation, wanted=equation.wanted.substitute({}, self.packs))
                for equation in self.equations
            ]
        result = solving.solve(unknowns, self.equations, self.facts)
        if isinstance(result, solving.Undetermined):
            defaults = [
                (parameter.value, parameter.default, Origin("default", parameter.name))
                for parameter in self.signature.sizes
                if parameter.default and parameter.value.symbols() & {*result.symbols}
            ]
            if defaults:
                for default in defaults:
                    self.equate(*default)
                result = solving.solve(unknowns, self.equations, self.facts)
        match result:
            case solving.Solution():
                return result
            case solving.Conflict():
                raise _Stop(self.conflict(result))
            case solving.Undetermined(symbols=symbols):
                raise _Stop(self.undetermined(self.to_be_named({*symbols}), self.fixed_by(result)))
            case solving.MayBeSmall(symbol=symbol, value=value):
                origin = result.why[symbol]
                assert isinstance(origin, Origin)
                raise _Stop(
                    TooSmall(self.fixed_by(result), symbol.name, value, symbol.least, origin)
                )

    def to_be_named(self, missing: set[Symbol]) -> tuple[str, ...]:
        """The parameters that a caller would best give by name to fix the missing symbols."""
        own = [p for p in self.signature.sizes if p.value.symbol in missing]
        found = [p for p in own if p.static] or own
        found = found or [p for p in self.signature.sizes if p.value.symbols() & missing]
        return tuple(parameter.name for parameter in found)

    def conflict(self, conflict: solving.Conflict) -> CallFailure:
        fixed = self.fixed_by(conflict)
        origin, declared = conflict.equation.why, conflict.equation.wanted
        assert isinstance(origin, Origin)
        if conflict.symbol is not None:
            assert conflict.divisor is not None
            assert conflict.dividend is not None
            return Indivisible(
                fixed,
                origin,
                conflict.symbol.name,
                declared,
                conflict.divisor,
                conflict.dividend,
                self.constraint_behind(declared, conflict.symbol),
            )
        make = WrongSize if origin.kind == "argument" else Contradiction
        return make(fixed, origin, declared, conflict.wanted, conflict.found)

    def constraint_behind(self, declared: Size, symbol: Symbol) -> Constraint | None:
        """The clause by which a parameter in `declared` is a product with the symbol."""
        for parameter in self.signature.sizes:
            value = parameter.value
            if value.symbol is None and symbol in value.symbols():
                for constraint in self.signature.constraints:
                    if constraint.relation not in ("==", "divides"):
                        continue
                    if constraint.left == constraint.right == value or (
                        constraint.relation == "divides" and constraint.right == value
                    ):
                        return constraint
        return None

    def check_statics_given(self, solution: solving.Solution) -> None:
        for parameter in self.signature.sizes:
            if not parameter.static or parameter.default or parameter.name in self.statics:
                continue
            value = parameter.value.substitute(solution.values)
            raise _Stop(MissingStatic(self.fixed_by(solution), parameter.name, value))

    def check_constraints(self, solution: solving.Solution) -> None:
        values: dict[Symbol, Size] = {**solution.values}
        owner = signature_owner(self.signature)
        for parameter in self.signature.sizes:
            value = parameter.value
            if value.symbol is None:
                value = value.substitute(solution.values)
                values[Symbol(parameter.name, owner)] = value
                if parameter.kind == "size" and not self.facts.at_least(value, 1):
                    raise _Stop(TooSmall(self.fixed_by(solution), parameter.name, value, 1, None))
        for constraint in self.signature.constraints:
            left = constraint.left.substitute(values, self.packs)
            right = constraint.right.substitute(values, self.packs)
            holds, never = self.holds(constraint, left, right)
            if not holds:
                raise _Stop(Unproved(self.fixed_by(solution), constraint, left, right, never))

    def holds(self, constraint: Constraint, left: Size, right: Size) -> tuple[bool, bool]:
        if constraint.relation == "==":
            return left == right, (left - right).literal is not None
        if constraint.relation == "divides":
            known = left.literal is not None and right.literal is not None
            return divide_exactly(right, left) is not None, known
        size = excess(constraint.relation, left, right)
        return self.facts.at_least(size), self.facts.at_least(-size, 1)

    # --- who fixed what

    def fixed(self) -> tuple[Fixed, ...]:
        """What the equations so far give, whether or not they go together."""
        unknowns = frozenset(
            symbol for parameter in self.signature.sizes for symbol in parameter.value.symbols()
        )
        return self.fixed_by(solving.solve(unknowns, self.equations, self.facts))

    def fixed_by(self, solved: solving.Solved) -> tuple[Fixed, ...]:
        return tuple(
            found
            for parameter in self.signature.sizes
            if (found := self.fixed_parameter(parameter, solved)) is not None
        )

    def fixed_parameter(self, parameter: SizeParameter, solved: solving.Solved) -> Fixed | None:
        symbol = parameter.value.symbol
        if symbol is not None and symbol in solved.values:
            origin = solved.why[symbol]
            assert isinstance(origin, Origin)
            return Fixed(parameter.name, solved.values[symbol], origin)
        for equation in self.equations:
            if equation.wanted == parameter.value and isinstance(equation.why, Origin):
                return Fixed(parameter.name, equation.found, equation.why)
        value = parameter.value.substitute(solved.values)
        if parameter.value.symbols() <= solved.values.keys():
            return Fixed(parameter.name, value, None)
        return None


def _inside(origin: Origin, found: Type) -> Origin:
    return replace(origin, inside=found, axis=None)


def _within(dtype: AnyDType, variable: DTypeVariable) -> bool:
    """Whether a dtype, or any that another parameter may stand for, is within the bound."""
    if isinstance(dtype, DTypeVariable):
        return BOUNDS[dtype.bound] <= BOUNDS[variable.bound]
    return dtype.kind in BOUNDS[variable.bound]


def _takes(dtype: AnyDType, weak: WeakType) -> bool:
    """Whether a weak number can become the dtype without changing what it is."""
    if isinstance(dtype, DTypeVariable):
        kinds = BOUNDS[dtype.bound]
    else:
        kinds = frozenset({dtype.kind})
    if weak.kind == "bool":
        return kinds == {"bool"}
    if weak.kind == "float":
        return kinds == {"float"}
    return "bool" not in kinds


def _given_sizes(arguments: Sequence[Type | None], statics: Mapping[str, Static]) -> list[Size]:
    found: list[Size] = []
    for argument in arguments:
        if argument is not None:
            found += [size for size in dimensions(argument) if isinstance(size, Size)]
    for value in statics.values():
        parts = value if isinstance(value, tuple) else (value,)
        found += [part for part in parts if isinstance(part, Size)]
    return found


def _apart(symbol: Symbol) -> Symbol:
    return replace(symbol, owner=symbol.owner + "'")


def _renamed(signature: Signature, taken: frozenset[Symbol]) -> Signature:
    """The signature with other symbols in the place of those that the caller uses as well."""
    if not taken:
        return signature
    apart = {symbol: Size.of(_apart(symbol)) for symbol in taken}
    names = Substitution(apart, {}, {})
    return replace(
        signature,
        sizes=tuple(
            replace(
                parameter,
                value=names.size(parameter.value),
                default=parameter.default and names.size(parameter.default),
            )
            for parameter in signature.sizes
        ),
        parameters=tuple((name, names.type(type_)) for name, type_ in signature.parameters),
        constraints=tuple(
            replace(c, left=names.size(c.left), right=names.size(c.right))
            for c in signature.constraints
        ),
    )
