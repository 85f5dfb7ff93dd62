"""The values of a signature's parameters in one call, or why there are none.

Used by the checker, with sizes over the caller's symbols, and by the runtime, with literal ones.
A failure is data; call_diagnostics.py puts it in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

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
from tdsl.check.call_matching import Matching, Mismatch, PackMismatch, takes, within
from tdsl.check.typed import Constraint, Signature, SizeParameter
from tdsl.types import solve as solving
from tdsl.types.dtypes import AnyDType, DType, DTypeVariable
from tdsl.types.naming import Names, dimensions
from tdsl.types.numbers import code_of
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Shape, Size, SizeTooComplex, Symbol, divide_exactly
from tdsl.types.types import (
    PoisonType,
    Substitution,
    Type,
)
from tdsl.types.where import excess

# What may be given by name: a size, the axes of a pack, a dtype; other statics do not matter here.
Static = Size | int | float | Shape | AnyDType | PoisonType


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
    except SizeTooComplex:
        return TooComplex(())


def signature_owner(signature: Signature) -> str:
    """The owner of the symbols of a function's parameters."""
    return f"{signature.function.module}.{signature.function.name}"


def signature_names(signature: Signature) -> Names:
    """How the sizes of a signature are shown."""
    return Names(
        {p.name: p.value for p in signature.sizes if p.value.symbol is None},
        tuple(parameter.name for parameter in signature.sizes),
        signature_owner(signature),
    )


class _Stop(Exception):
    def __init__(self, failure: CallFailure) -> None:
        self.failure = failure


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
        self.matching = Matching(signature)
        given = (*arguments, *statics.values())
        self.poisoned = any(isinstance(value, PoisonType) for value in given)
        self.unknowns = frozenset(
            symbol for parameter in signature.sizes for symbol in parameter.value.symbols()
        )

    def solve(self, taken: frozenset[Symbol]) -> Substitution:
        self.take_statics()
        self.take_arguments()
        self.check_weak()
        self.check_dtypes_and_packs()
        solution = self.solve_sizes()
        self.check_statics_given(solution)
        self.check_constraints(solution)
        values = solution.values
        if taken:
            own = {_apart(symbol): symbol for symbol in taken}
            values = {own.get(symbol, symbol): value for symbol, value in values.items()}
        return Substitution(values, self.matching.packs, self.matching.dtypes)

    # --- what is given

    def take_statics(self) -> None:
        signature, matching = self.signature, self.matching
        sizes = {parameter.name: parameter for parameter in signature.sizes}
        packs = {pack.name: pack for pack in signature.packs}
        dtypes = {dtype.name: dtype for dtype in signature.dtypes}
        for name, value in self.statics.items():
            origin = Origin("static", name)
            if name in sizes:
                if isinstance(value, int | float):
                    # As Python passes it; the checker has read the kind already.
                    value = Size.of(code_of(sizes[name].kind, value))
                if isinstance(value, Size):
                    matching.equate(sizes[name].value, value, origin)
            elif name in packs:
                if isinstance(value, tuple):
                    matching.bind_pack(packs[name], value, origin)
            elif name in dtypes:
                if isinstance(value, DType | DTypeVariable):
                    if not within(value, dtypes[name]):
                        raise _Stop(WrongDType((), dtypes[name], value))
                    matching.dtypes[dtypes[name]] = value
                    matching.dtype_origins[dtypes[name]] = origin
            else:
                raise _Stop(UnknownParameter((), name, (*sizes, *packs, *dtypes)))
        for parameter in signature.sizes:
            if parameter.static and parameter.default and parameter.name not in self.statics:
                origin = Origin("default", parameter.name)
                matching.equate(parameter.value, parameter.default, origin)

    def take_arguments(self) -> None:
        parameters = self.signature.parameters
        if len(parameters) != len(self.arguments):
            raise _Stop(WrongCount((), len(parameters), len(self.arguments)))
        for index, found in enumerate(self.arguments):
            if found is None:
                continue
            for dimension in dimensions(found):
                if isinstance(dimension, Size) and dimension.literal is None:
                    self.facts = self.facts.assume(dimension - 1)
            name, declared = parameters[index]
            try:
                self.matching.match(declared, found, Origin("argument", name, index))
            except Mismatch as mismatch:
                raise _Stop(self.wrong_type(index, found, mismatch)) from None
            except PackMismatch as pack:
                raise _Stop(
                    WrongPack(
                        self.fixed(), pack.origin, pack.pack, pack.wanted, pack.found, pack.first
                    )
                ) from None

    def wrong_type(self, index: int, found: Type, mismatch: Mismatch) -> WrongType:
        name, declared = self.signature.parameters[index]
        return WrongType(
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

    # --- after matching

    def check_weak(self) -> None:
        """Weak numbers against dtypes that other arguments may have fixed after them."""
        matching = self.matching
        for origin, variable, declared, found in matching.weak:
            known = matching.dtypes.get(variable)
            if not takes(variable if known is None else known, found):
                first = matching.dtype_origins.get(variable)
                mismatch = Mismatch(declared, found, "weak", known, first)
                raise _Stop(self.wrong_type(origin.index, found, mismatch))

    def check_dtypes_and_packs(self) -> None:
        signature, matching = self.signature, self.matching
        for variable, dtype in signature.dtype_defaults:
            matching.dtypes.setdefault(variable, dtype)
        missing = [dtype.name for dtype in signature.dtypes if dtype not in matching.dtypes]
        missing += [pack.name for pack in signature.packs if pack not in matching.packs]
        if missing:
            raise _Stop(self.undetermined(tuple(missing), self.fixed()))

    def undetermined(self, names: tuple[str, ...], fixed: tuple[Fixed, ...]) -> CallFailure:
        if self.poisoned:
            return Poisoned(fixed)
        return Undetermined(fixed, names)

    def solve_sizes(self) -> solving.Solution:
        matching = self.matching
        if matching.packs:
            matching.equations = [
                replace(equation, wanted=equation.wanted.substitute({}, matching.packs))
                for equation in matching.equations
            ]
        result = solving.solve(self.unknowns, matching.equations, self.facts)
        if isinstance(result, solving.Undetermined):
            for parameter in self.signature.sizes:
                if parameter.default and parameter.value.symbols() & {*result.symbols}:
                    origin = Origin("default", parameter.name)
                    matching.equate(parameter.value, parameter.default, origin)
            result = solving.solve(self.unknowns, matching.equations, self.facts)
        match result:
            case solving.Solution():
                return result
            case solving.Conflict():
                raise _Stop(self.conflict(result))
            case solving.Undetermined(symbols=symbols):
                raise _Stop(self.undetermined(self.to_be_named({*symbols}), self.fixed_by(result)))
            case solving.MayBeSmall(symbol=symbol, value=value):
                why = result.why[symbol]
                assert isinstance(why, Origin)
                raise _Stop(TooSmall(self.fixed_by(result), symbol.name, value, symbol.least, why))

    def to_be_named(self, missing: set[Symbol]) -> tuple[str, ...]:
        """The parameters that a caller would best give by name to fix the missing symbols."""
        concerned = [p for p in self.signature.sizes if p.value.symbols() & missing]
        own = [p for p in concerned if p.value.symbol in missing]
        found = [p for p in concerned if p.static and p.name not in self.statics]
        found = found or [p for p in own if p.static] or own or concerned
        return tuple(parameter.name for parameter in found)

    def conflict(self, conflict: solving.Conflict) -> CallFailure:
        fixed = self.fixed_by(conflict)
        origin, declared = conflict.equation.why, conflict.equation.wanted
        assert isinstance(origin, Origin)
        if conflict.symbol is not None:
            return self.indivisible(conflict, conflict.symbol, fixed, origin)
        make = WrongSize if origin.kind == "argument" else Contradiction
        return make(fixed, origin, declared, conflict.wanted, conflict.found)

    def indivisible(
        self, conflict: solving.Conflict, symbol: Symbol, fixed: tuple[Fixed, ...], origin: Origin
    ) -> Indivisible:
        """With `C == H*D`, say of `3*H*D = 3*C` that H does not divide C, not 3*H 3*C."""
        divisor, dividend = conflict.divisor, conflict.dividend
        assert divisor is not None
        assert dividend is not None
        name, constraint, declared = symbol.name, None, conflict.equation.wanted
        for parameter in self.signature.sizes:
            value = parameter.value
            times = divide_exactly(declared, value) if value.symbol is None else None
            if times is None or symbol not in value.symbols():
                continue
            each = value.split(symbol).get(1, Size.of(0)).substitute(conflict.values)
            # What a known product, put in by the solver, has made of `times`.
            times = divide_exactly(divisor, each) or times.substitute(conflict.values)
            factor, rest = divide_exactly(divisor, times), divide_exactly(dividend, times)
            if rest is None or factor is None:
                name, divisor = parameter.name, times
            else:
                divisor, dividend, constraint = factor, rest, self.constraint_on(value)
            break
        return Indivisible(fixed, origin, name, declared, divisor, dividend, constraint)

    def constraint_on(self, value: Size) -> Constraint | None:
        """The clause that makes a parameter what it is."""
        for constraint in self.signature.constraints:
            sides = constraint.left, constraint.right
            if (constraint.relation == "==" and value in sides) or (
                constraint.relation == "divides" and constraint.right == value
            ):
                return constraint
        return None

    def check_statics_given(self, solution: solving.Solution) -> None:
        if self.poisoned:
            return
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
            left = constraint.left.substitute(values, self.matching.packs)
            right = constraint.right.substitute(values, self.matching.packs)
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
        return self.fixed_by(solving.solve(self.unknowns, self.matching.equations, self.facts))

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
        for equation in self.matching.equations:
            if equation.wanted == parameter.value and isinstance(equation.why, Origin):
                return Fixed(parameter.name, equation.found, equation.why)
        symbols = parameter.value.symbols()
        if not symbols <= solved.values.keys():
            return None
        value = parameter.value.substitute(solved.values)
        # `2 divides D` has made D a multiple of one unknown: what fixed that, fixed D.
        origins = {solved.why[symbol] for symbol in symbols}
        origin = origins.pop() if len(origins) == 1 else None
        return Fixed(parameter.name, value, origin if isinstance(origin, Origin) else None)


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
