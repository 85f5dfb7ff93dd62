"""From the arguments of a call to its result: find or compile the instance for them, and call it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import msgspec
import numpy as np

from tdsl.check import typed
from tdsl.errors import DTypeError, compile_error
from tdsl.lowering.options import Bounds
from tdsl.runtime import arguments as places
from tdsl.runtime.arrays import PLAIN, Array, WeakNumber, plain, weak_array
from tdsl.runtime.assembling import assembler
from tdsl.runtime.bindings import (
    literal_statics,
    normalised,
    open_symbols,
    shown_choice,
)
from tdsl.runtime.bound import Bound, addresses, opened
from tdsl.runtime.build import build, can_elaborate
from tdsl.runtime.calling import Plan, address_of, addresses_of
from tdsl.runtime.donating import (
    check_donation,
    give_up,
    originals,
    refuse_donated,
    seal,
    take_over,
)
from tdsl.runtime.giving import as_numpy, give_alike, giver
from tdsl.runtime.layout import layout_of
from tdsl.runtime.native import NativeCalls, is_plain_tuple
from tdsl.runtime.passing import (
    Donated,
    Passing,
    donations,
    parameters_of,
    passing_of,
    wants,
)
from tdsl.runtime.quick import MISS, Quick
from tdsl.runtime.reading import Reader
from tdsl.runtime.recompiles import remember, warn_if_many
from tdsl.runtime.solving import solve_arguments
from tdsl.runtime.specialise import Instance, Instances, Point, statics_of
from tdsl.runtime.structs import StructClasses
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.types.types import TupleType

if TYPE_CHECKING:
    pass

# Plans are cheap to make again; a function that is called with ever new lengths must not collect
# them without end.
MOST_PLANS = 1024

_FLOATS = (float, np.floating)


class Origin(msgspec.Struct, frozen=True):
    """Where a function comes from: enough to find it again in another process. `path` is None for
    a program given as text; `source` is the name that its diagnostics show."""

    path: str | None
    source: str
    text: str
    name: str
    kernels: str
    bounds: Bounds = "trap"
    profile: bool = False
    target: str = "cpu"


class Calls:
    """The instances of a function, and the ways of calling them: natively where that is known to fit,
    by plans for arguments that were met before, else slowly, which converts, compiles or refuses."""

    # What a call finds: `_call`, or a builtin that calls compiled instances natively and leaves to
    # `_call` what is for none of them. A slot, so that there is no method in Python in between.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(
        self,
        program: typed.Program,
        function: typed.Declaration,
        origin: Origin,
        *,
        given: Mapping[str, object] | None = None,
        dynamic: Sequence[str] | None = None,
        classes: StructClasses | None = None,
        donate: Iterable[str] = (),
    ) -> None:
        signature = function.signature
        self._program = program
        self._function = function
        self._signature = signature
        self._origin = origin
        self._given = dict(given or {})
        self._dynamic = None if dynamic is None else tuple(dynamic)
        self._named = normalised(signature, self._given)
        self._asked = open_symbols(signature, self._dynamic or ())
        # Code for a GPU is made for fixed sizes.
        on_cpu = origin.target == "cpu"
        self._may_open = on_cpu and (self._dynamic is None or bool(self._dynamic))
        self._layout = layout_of(program, signature)
        self._wanted = self._layout.wanted
        self._reader = Reader.of(self._layout)
        self._donate = (donate,) if isinstance(donate, str) else tuple(donate)
        self._donated = donations(self._layout, self._donate)
        self._flat = self._layout.is_flat
        self._classes = classes or StructClasses(program, signature.function.module)
        self._assemble = assembler(self._layout.result, self._classes)
        self._is_tuple = is_plain_tuple(self._layout.result)
        self._names = tuple(name for name, _ in signature.parameters)
        self._defaults = places.default_values(signature)
        self._statics = frozenset(p.name for p in signature.sizes if p.static)
        self._static_symbols = statics_of(signature)
        self._instances = Instances(
            lambda parameters, passing: build(
                program,
                signature,
                parameters,
                origin.kernels,
                origin.bounds,
                passing,
                origin.profile,
                origin.target,
            )
        )
        name = signature.function.name
        if origin.target != "cpu":
            name = f"{name} for {origin.target}"
        if origin.profile:
            how = f"{shown_choice(self._given, None, self._donate)}, profiled"
        else:
            how = shown_choice(self._given, self._dynamic, self._donate)
        remember(self._instances, name, how, signature.sizes)
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._made: WeakKeyDictionary[Plan, Instance] = WeakKeyDictionary()  # for which plan
        # Of plain calls that leave arguments out: the plan, and arrays of the defaults.
        self._shorter: dict[tuple[Any, ...], tuple[Plan, list[Array]]] = {}
        self._quick: Quick | None = None
        if self._reader is not None:
            self._quick = Quick(self._layout, self._reader, self._assemble, signature, self._named)
        self._native = NativeCalls(signature.function.name, signature, self._named)
        self._hits = 0
        self._misses = 0
        self.__name__ = signature.function.name
        self.__qualname__ = self.__name__
        self.__module__ = signature.function.module
        # With none of its own, help() would tell of the class in place of the function.
        self.__doc__ = "\n".join(function.docs) or places.shown_signature(signature)
        self._call_through(self._call)
        if origin.target.startswith("nvptx"):
            from tdsl.runtime.on_device import OnDevice

            self._call_through(OnDevice(self))

    # --- calling

    if TYPE_CHECKING:

        def __call__(self, *arguments: Any, **keywords: Any) -> Any: ...

    def _call_through(self, call: Callable[..., Any]) -> None:
        object.__setattr__(self, "__call__", call)

    def _call(self, *arguments: Any, **keywords: Any) -> Any:
        if not self._flat or self._donated or "donate" in keywords:
            return self._call_structured(arguments, keywords)
        # The plain case first: contiguous arrays in order. Whatever else there is goes the slow
        # way, which converts or refuses; both end in the same plans.
        array_type, wanted, address = np.ndarray, PLAIN, address_of
        key: list[Any] = []
        pointers: list[int] = []
        for argument in arguments:
            if type(argument) is not array_type or argument.flags.num & wanted != wanted:
                return self._call_from_elsewhere(arguments, keywords)
            key.append(argument.dtype)
            key.append(argument.shape)
            pointers.append(address(argument))
        try:
            if keywords:
                key.append(_statics_key(keywords))
            prepared = tuple(key)
            plan = self._plans.get(prepared)
        except TypeError:  # an array given by name, or a static that is no number
            return self._call_slowly(arguments, keywords)
        if plan is None:
            if prepared not in self._shorter:
                return self._call_slowly(arguments, keywords, shorter=prepared)
            plan, defaults = self._shorter[prepared]
            pointers += addresses_of(defaults)
        self._hits += 1
        return plan.run(pointers)

    def _call_structured(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The same with structs, tuples and lists among the arguments, or with donated ones."""
        donated = self._donated
        if "donate" in keywords and "donate" not in self._statics:
            keywords = dict(keywords)
            names = keywords.pop("donate")
            donated = donations(self._layout, (names,) if isinstance(names, str) else tuple(names))
        values, statics = self._in_order(arguments, keywords)
        if self._quick is not None:
            found = self._quick.call(values, statics, donated)
            if found is not MISS:
                return found
        read = self._reader.read(values) if self._reader is not None else None
        if read is None:
            return self._call_from_elsewhere(arguments, keywords, donated)
        key, arrays, weights = read
        if statics:
            key.append(_statics_key(statics))
        if donated:
            key.append(donated)
        prepared = tuple(key)
        try:
            plan = self._plans.get(prepared)
        except TypeError:  # a static that is no number
            plan = None
        if plan is None:
            native = all(isinstance(a, WeakNumber) or a.dtype.isnative for a in arrays)
            known = prepared if native and Reader.is_closed(key) else None
            return self._call_slowly(arguments, keywords, known, donated=donated)
        self._hits += 1
        ready = [
            weak_array(value, self._wanted[place], plan.dtypes[place])
            if isinstance(value, WeakNumber)
            else value
            for place, value in enumerate(arrays)
        ]
        return self._run(plan, values, ready, weights, donated)

    def _run(
        self,
        plan: Plan,
        values: Sequence[Any],
        arrays: list[Array],
        weights: Sequence[tuple[int, int, Bound]],
        donated: Donated,
    ) -> Any:
        given = None
        pointers = addresses_of(arrays)
        for parameter, first, bound in weights:
            found = addresses(bound, plan.wants[parameter])
            pointers[first : first + len(found)] = found
        if donated:
            known = [(self._names[place], one, plan.wants[place]) for place, _, one in weights]
            check_donation(arrays, self._wanted, [leaf for leaf, _ in donated], known)
            given = take_over(arrays, donated, self.__name__, self._wanted)
            seal(arrays, donated)
            for parameter in parameters_of(self._layout, donated):
                give_up(values[parameter], self.__name__)
        return plan.run(pointers, given)

    def _call_from_elsewhere(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], donated: Donated = ()
    ) -> Any:
        """With arrays of other frameworks among the arguments, or what is not plain."""
        known = as_numpy(arguments)
        if known is None:
            return self._call_slowly(arguments, keywords, donated=donated)
        if donated:
            give = giver(arguments)
            return give(self._call_slowly(known, keywords, donated=donated))
        try:
            return give_alike(arguments, self(*known, **keywords))
        except DTypeError as problem:
            error = problem
        self._call_slowly(arguments, keywords)  # says it in the words of the framework
        raise error

    def _in_order(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[Sequence[Any], dict[str, Any]]:
        """The values of the first parameters as far as they are given, and the other keywords."""
        if not keywords and len(arguments) == len(self._names):
            return arguments, keywords
        values, others = [*arguments], dict(keywords)
        for name in self._names[len(arguments) :]:
            if name in others:
                values.append(others.pop(name))
            elif name in self._defaults:
                values.append(self._defaults[name])
            else:
                break
        return values, others

    def _call_slowly(
        self,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        prepared: tuple[Any, ...] | None = None,
        shorter: tuple[Any, ...] | None = None,
        donated: Donated = (),
    ) -> Any:
        statics, values = self._place(arguments, keywords)
        named = {**self._named, **statics}
        weights, outlines = opened(self._layout, values)
        refuse_donated(self._layout, outlines)
        given = places.convert(self._layout, outlines, named, self._given)
        passing = passing_of(self._layout, weights, donated)
        plan = self._lookup(given, statics, outlines, passing)
        if prepared is not None:
            if len(self._plans) >= MOST_PLANS:  # classes that were unpickled are new each time
                self._plans.clear()
            self._plans[prepared] = plan
        own = originals(self._layout, values, donated)
        arrays: list[Array] = []
        for leaf, (value, wanted) in enumerate(zip(given, self._wanted, strict=True)):
            if leaf in own:
                arrays.append(own[leaf])
            elif isinstance(value, WeakNumber):
                arrays.append(weak_array(value, wanted, plan.dtypes[leaf]))
            else:
                arrays.append(value if leaf in passing.constants else plain(value))
        left_out = len(arguments) < len(arrays) and len(statics) == len(keywords)
        if shorter is not None and left_out and all(a.dtype.isnative for a in arguments):
            self._shorter[shorter] = plan, arrays[len(arguments) :]
        if passing or not self._flat:
            self._learn(plan, statics, values, passing)
        give = giver(values)
        return give(self._run(plan, values, arrays, weights, donated))

    def _lookup(
        self,
        given: Sequence[Array | WeakNumber],
        statics: Mapping[str, Any],
        values: Sequence[Any],
        passing: Passing,
    ) -> Plan:
        """The plan for arrays like these: one that is known, or is made now."""
        key = self._key(given, statics)
        if passing:
            key += (passing,)
        plan = self._plans.get(key)
        if plan is not None:
            self._hits += 1
            return plan
        plan, compiled = self._plan(given, statics, values, passing)
        if len(self._plans) >= MOST_PLANS:
            self._plans.clear()
            self._shorter.clear()
        self._plans[key] = plan
        if compiled:
            self._misses += 1
        else:
            self._hits += 1
        return plan

    def _key(
        self, given: Sequence[Array | WeakNumber], statics: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        # Arrays taken out of structs must not be mistaken for arguments of their own.
        key: list[Any] = [] if self._flat else [TupleType]
        for value in given:
            if isinstance(value, WeakNumber):
                key += [WeakNumber, value.kind]
            else:
                # In native order: the fast way must never find a plan for swapped bytes.
                key += [value.dtype.newbyteorder("="), value.shape]
        if statics:
            key.append(_statics_key(statics))
        return tuple(key)

    def _place(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[dict[str, int | float | bool], list[Any]]:
        """Statics by name, and every array argument at its position."""
        statics = {name: value for name, value in keywords.items() if name in self._statics}
        by_name = {name: value for name, value in keywords.items() if name not in self._statics}
        values = places.place(self._signature, arguments, by_name, statics)
        literal = literal_statics(self._signature, statics)
        for name, value in literal.items():
            if self._named.get(name, value) != value:
                raise places.call_error(
                    self._signature,
                    "E0505",
                    f"`{self.__name__}` was compiled for {name}={self._given[name]}, and this call"
                    f" has {name}={value}",
                    argument=name,
                )
        return literal, values

    def _plan(
        self,
        given: Sequence[Array | WeakNumber],
        statics: Mapping[str, Any],
        values: Sequence[Any],
        passing: Passing,
    ) -> tuple[Plan, bool]:
        named = {**self._named, **statics}
        parameters = solve_arguments(self._layout, given, named, self._given, values)
        fixed = passing.fixed(self._layout) - self._asked
        point = Point(parameters, self._static_symbols, passing, fixed)
        instance, compiled = self._instance(point, self._may_open)
        plan = self._plan_for(instance, point)
        self._made[plan] = instance
        # The native entry gives every result back, and prints none.
        if not instance.built.code.address:
            pass  # the emulator is no machine code
        elif self._flat and not instance.built.debugged and not passing:
            call = self._native.add(
                instance, statics, plan.dtypes, self._assemble, self._is_tuple, self._call
            )
            if call is not None:
                self._call_through(call)
        return plan, compiled

    def _learn(
        self,
        plan: Plan,
        statics: Mapping[str, int | float | bool],
        values: Sequence[Any],
        passing: Passing,
    ) -> None:
        """Let calls with values of these classes go the native way from now on."""
        instance = self._made.get(plan)
        if self._quick is not None and instance is not None and instance.built.code.address:
            tokens = {parameter: one.token for parameter, one in plan.wants.items()}
            self._quick.learn(instance, statics, plan.dtypes, values, tokens, passing)

    def _instance(self, point: Point, may_open: bool) -> tuple[Instance, bool]:
        try:
            instance, compiled = self._instances.find(point, self._asked, may_open)
        except DiagnosticError as error:
            raise compile_error(error) from None
        if compiled and not may_open and self._origin.target == "cpu":
            can_open = partial(can_elaborate, self._program, self._signature)
            warn_if_many(self.__name__, self._instances, point, self._asked, can_open)
        return instance, compiled

    def _plan_for(self, instance: Instance, point: Point) -> Plan:
        built = instance.built
        values = point.values
        return Plan(
            built.code,
            [places.literal_dtype(point.parameters, wanted) for wanted in self._wanted],
            [(built.literal_shape(one, values), one.dtype.numpy) for one in built.results],
            [values[symbol] for symbol in built.open_sizes],
            built.scratch_bytes(values),
            self._assemble,
            built.sites,
            built.debugged,
            wants(self._layout, point.passing.constants, built.interface.packed),
        )


def _statics_key(statics: Mapping[str, object]) -> frozenset[tuple[str, type, object]]:
    """Statics as a part of a key: 1, 1.0 and True are equal, but not the same static, and neither
    are 0.0 and -0.0."""
    return frozenset(
        [
            (name, type(value), repr(value) if isinstance(value, _FLOATS) else value)
            for name, value in statics.items()
        ]
    )
