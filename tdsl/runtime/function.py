"""A TDSL function as Python has it: called, compiled for sizes, shown, profiled, pickled."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tdsl.runtime import arguments as places
from tdsl.runtime.bindings import instance_to_show, resolve, shown_choice
from tdsl.runtime.build import check_target
from tdsl.runtime.calls import Calls, Origin
from tdsl.runtime.layout import python_name
from tdsl.runtime.passing import Passing, parameters_of
from tdsl.runtime.specialise import Point
from tdsl.runtime.structs import Struct
from tdsl.types.sizes import Size
from tdsl.types.types import StructType, Substitution

if TYPE_CHECKING:
    from tdsl.runtime.profile import Profile


class CacheInfo(NamedTuple):
    """Calls that found their instance, calls that compiled one, and the instances there are."""

    hits: int
    misses: int
    currsize: int
    instances: tuple[str, ...]


class Function(Calls):
    """A function of a module. Shapes, dtypes and statics of the arguments choose an instance,
    which is compiled when first needed."""

    __slots__ = ()

    def compile(
        self,
        *,
        dynamic: Iterable[str] | None = None,
        target: str | None = None,
        precision: str | None = None,
        donate: Iterable[str] = (),
        **bindings: object,
    ) -> CompiledFunction:
        """The function with these sizes, statics and dtypes fixed and the `dynamic` sizes open.
        Each call gives up the arrays of the parameters in `donate`: results are put into them.
        With `target="gpu-emulator"` it is the code for a GPU, run and checked on this processor,
        whose products of f32 may round to `precision`.

        It is compiled at once if nothing else is needed to know the instance; otherwise sizes that
        are not named are fixed by the first call. `dynamic=()` forbids open sizes.
        """
        origin = self._origin
        if target is not None or precision is not None:
            origin = replace(origin, target=check_target(target or origin.target, precision))
        if isinstance(dynamic, str):
            dynamic = (dynamic,)
        chosen = self._dynamic if dynamic is None else tuple(dynamic)
        for name in () if dynamic is None else chosen or ():
            if name in bindings:
                raise places.call_error(
                    self._signature,
                    "E0509",
                    f"`{name}` of `{self.__name__}` has a value, {bindings[name]}, and is left"
                    " open by `dynamic`: one of them",
                    argument=name,
                )
        compiled = CompiledFunction(
            self._program,
            self._function,
            origin,
            given={**self._given, **bindings},
            dynamic=chosen,
            classes=self._classes,
            donate=donate or self._donate,
        )
        compiled.prepare()
        return compiled

    def mlir(self, stage: str = "mlir", **bindings: object) -> str:
        """The function at a stage of `tdslc --emit`: with these bindings, or the first example's,
        or with open sizes."""
        from tdsl.lowering.device import parse_target
        from tdsl.runtime import stages

        parameters = instance_to_show(self._program, self._signature, {**self._given, **bindings})
        instance = stages.Instance(self._signature, parameters, self.__name__)
        graphs = stages.graphs_of(self._program, [instance])
        origin = self._origin
        target = parse_target(origin.target)
        return stages.stage_text(graphs, stage, origin.kernels, origin.bounds, target)

    def profile(
        self,
        *arguments: Any,
        repeat: int = 10,
        donate: Iterable[str] = (),
        **keywords: Any,
    ) -> Profile:
        """Where the time of a call with these arguments goes, as a median of `repeat` calls: by
        steps, with their lines in the source. An instance is compiled for it, with fixed sizes.

        Each call gives up copies of its own of the parameters in `donate`; the copying is not timed.
        """
        from tdsl.runtime import profile

        sources = [module.source for module in self._program.modules.values()]
        timed = Function(
            self._program,
            self._function,
            replace(self._origin, profile=True),
            given=self._given,
            dynamic=(),
            classes=self._classes,
            donate=donate or self._donate,
        )
        given_up = {timed._names[at] for at in parameters_of(timed._layout, timed._donated)}

        def ready() -> Callable[[], Any]:
            values = [
                deepcopy(value) if name in given_up else value
                for name, value in zip(timed._names, arguments, strict=False)
            ]
            named = {
                name: deepcopy(value) if name in given_up else value
                for name, value in keywords.items()
            }
            return partial(timed, *values, *arguments[len(values) :], **named)

        return profile.profile(
            self.__name__,
            ready,
            lambda: next(iter(timed._instances)).built,
            {PurePath(s.name).name: s.text for s in sources},
            repeat,
        )

    def cache_info(self) -> CacheInfo:
        """How calls found their instances, in the manner of functools.lru_cache."""
        sizes = self._signature.sizes
        instances = tuple(instance.describe(sizes) for instance in self._instances)
        quick = self._quick.calls if self._quick is not None else 0
        hits = self._hits + self._native.calls + quick
        return CacheInfo(hits, self._misses, len(instances), instances)

    def struct_parameters(self) -> dict[str, type[Struct]]:
        """The classes of the parameters that are structs."""
        return {
            python_name(name): self._classes.of(type_)
            for name, type_ in self._signature.parameters
            if isinstance(type_, StructType)
        }

    @property
    def __signature__(self) -> inspect.Signature:
        return places.python_signature(self._signature)

    def __repr__(self) -> str:
        return f"<tdsl function {places.shown_signature(self._signature)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        what = (type(self), self._origin, self._given, self._dynamic, self._donate)
        return (_find_again, what)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        from difflib import get_close_matches  # only where a word is misspelled

        near = get_close_matches(name, ("compile", "mlir", "profile", "cache_info"), 1)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise AttributeError(f"the TDSL function `{self.__name__}` has no attribute `{name}`{hint}")


class CompiledFunction(Function):
    """A function with some of its sizes, statics and dtypes fixed, and its own instances."""

    def prepare(self) -> None:
        """Compile now, if what is fixed and what is open is all there is to know."""
        signature = self._signature
        fixed = resolve(signature, self._given)
        missing = {
            symbol
            for parameter in signature.sizes
            for symbol in parameter.value.symbols()
            if symbol not in fixed.sizes
        }
        if (
            missing <= self._asked
            and all(pack in fixed.packs for pack in signature.packs)
            and all(variable in fixed.dtypes for variable in signature.dtypes)
        ):
            # Open sizes have no part in the choice of the instance: any value will do for them.
            sizes = {**fixed.sizes, **{symbol: Size.of(symbol.least) for symbol in missing}}
            parameters = Substitution(sizes, fixed.packs, fixed.dtypes)
            passing = Passing(donated=self._donated)
            self._instance(Point(parameters, self._static_symbols, passing), may_open=False)

    def __repr__(self) -> str:
        choice = shown_choice(self._given, self._dynamic, self._donate)
        return f"<compiled {places.shown_signature(self._signature)}{choice}>"


def _find_again(
    kind: type[Function],
    origin: Origin,
    given: Mapping[str, object],
    dynamic: Sequence[str] | None,
    donate: Sequence[str] = (),
) -> Function:
    from tdsl.runtime.module import find_again

    program = find_again(origin)
    function = program.root.functions[origin.name]
    return kind(program, function, origin, given=given, dynamic=dynamic, donate=donate)
