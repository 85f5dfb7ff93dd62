"""The native entry for calls of one function: which instances it knows, and which calls are theirs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import c_int64
from functools import cache, partial
from typing import Any

from tdsl.check import typed
from tdsl.check.calls import Static
from tdsl.lowering.bounds import Site
from tdsl.lowering.interface import Interface, Shape
from tdsl.runtime.build import Built, cached_code
from tdsl.runtime.calling import KEPT_BYTES, Assemble, refuse
from tdsl.runtime.layout import ArrayNode, Node, TupleNode
from tdsl.runtime.specialise import Instance
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution

# Instances are tried one after another: beyond so many, finding a plan by its key is no slower.
MOST_VARIANTS = 8

Call = Callable[..., Any]
# Which calls a variant is for: those of an instance with these keywords.
_Key = tuple[int, tuple[tuple[str, type, object], ...]]


@cache
def entry() -> Any:
    """The engine's Entry, or None where calls go through ctypes: TDSL_CALLS=ctypes asks for it, and
    machines on which the self-test declines need it."""
    if os.environ.get("TDSL_CALLS") == "ctypes":
        return None
    from tdsl.engine import entry as native
    from tdsl.engine.libraries import LLVMError

    if native.decline() is not None:
        return None
    try:
        return native.Entry(cached_code(native.source(), native.compile_entry, "the native entry"))
    except (native.CannotCall, LLVMError):
        return None


def is_plain_tuple(node: Node) -> bool:
    """Whether a result is a tuple of arrays, with nothing to assemble."""
    return isinstance(node, TupleNode) and all(isinstance(i, ArrayNode) for i in node.items)


class NativeCalls:
    """The instances of one function that can be called natively, and the builtin that does."""

    def __init__(self, name: str, signature: typed.Signature, named: Mapping[str, Static]) -> None:
        self._name = name
        self._signature = signature
        self._named = named
        self._variants: dict[_Key, Any] = {}
        self._open: set[_Key] = set()
        self._count = c_int64()

    @property
    def calls(self) -> int:
        """How many calls the native entry has made."""
        return self._count.value

    def add(
        self,
        instance: Instance,
        statics: Mapping[str, int | float | bool],
        dtypes: Sequence[DType],
        assemble: Assemble | None,
        is_tuple: bool,
        fallback: Call,
    ) -> Call | None:
        """A function that calls this instance too, where the arguments are for it; None where it
        would be no other than before, or there is no native entry."""
        found = entry()
        key = (id(instance), tuple((n, type(v), v) for n, v in statics.items()))
        if found is None or key in self._variants:
            return None
        if any(isinstance(value, float) and not value for value in statics.values()):
            return None  # the entry compares numbers, and 0.0 equals -0.0
        from tdsl.engine.entry import CannotCall

        try:
            variant = self._variant(instance, statics, dtypes, assemble, is_tuple)
            found.function(self._name, [variant], fallback, self._count)  # may refuse its sizes
        except CannotCall:
            return None
        if instance.built.open_sizes:
            self._open.add(key)
        self._variants[key] = variant
        made: Call
        while True:
            chosen = self._chosen()
            made = found.function(self._name, chosen, fallback, self._count, KEPT_BYTES)
            if len(chosen) == min(len(self._variants), MOST_VARIANTS):
                return made  # else another thread added one meanwhile

    def _chosen(self) -> list[Any]:
        """The variants to try: the newest first, but instances for one size before those that take
        any, so that a call always finds the same as it would through the tables in Python."""
        keys = [*self._variants]
        keys.reverse()
        keys.sort(key=lambda key: key in self._open)
        for key in keys[MOST_VARIANTS:]:
            self._variants.pop(key, None)
            self._open.discard(key)
        return [self._variants[key] for key in keys[:MOST_VARIANTS]]

    def _variant(
        self,
        instance: Instance,
        statics: Mapping[str, int | float | bool],
        dtypes: Sequence[DType],
        assemble: Assemble | None,
        is_tuple: bool,
    ) -> Any:
        from tdsl.engine.entry import ArraySpec, Variant

        built = instance.built
        interface = built.interface
        put = {result for _, result in interface.donated}
        return Variant(
            kernel=built.code.address,
            keywords=tuple(statics.items()),
            inputs=tuple(
                ArraySpec(dtype.numpy, shape)
                for dtype, shape in zip(dtypes, _stored(interface), strict=True)
            ),
            results=tuple(
                None if place in put else ArraySpec(result.dtype.numpy, result.shape)
                for place, result in enumerate(built.results)
            ),
            symbols=interface.symbols,
            checks=tuple(self._checks(built, instance.parameters, statics)),
            scratch=built.scratch,
            arenas=built.code.arenas,
            fail=partial(_fail, built.sites),
            assemble=assemble,
            is_tuple=is_tuple,
            keep=(built.code, instance),
        )

    def _checks(
        self, built: Built, parameters: Substitution, statics: Mapping[str, object]
    ) -> Iterable[Any]:
        """What the sizes of a call must fulfil besides fitting the shapes of the arguments."""
        from tdsl.engine.entry import Check

        signature, named = self._signature, self._named

        def equal(left: Size, right: Size) -> Iterable[Any]:
            if left != right and (left.literal is None or right.literal is None):
                yield Check("==", left, right)

        for symbol in built.open_sizes:
            if symbol.least > 1:
                yield Check("<=", Size.of(symbol.least), Size.of(symbol))
        for constraint in signature.constraints:
            left, right = parameters.size(constraint.left), parameters.size(constraint.right)
            if left.literal is not None and right.literal is not None:
                continue
            match constraint.relation:
                case ">=":
                    yield Check("<=", right, left)
                case ">":
                    yield Check("<", right, left)
                case relation:
                    yield Check(relation, left, right)
        for parameter in signature.sizes:
            value = parameters.size(parameter.value)
            if parameter.name in named:
                given = named[parameter.name]
                if isinstance(given, Size | int):
                    yield from equal(value, Size.of(given))
            elif parameter.default is not None and parameter.name not in statics:
                # Another open size may give another default, and so another instance.
                yield from equal(value, parameters.size(parameter.default))
        for pack in signature.packs:
            axes = named.get(pack.name)
            if isinstance(axes, tuple):
                for found, axis in zip(parameters.packs[pack], axes, strict=True):
                    yield from equal(_size(found), _size(axis))


def _stored(interface: Interface) -> list[Shape]:
    """The shapes of the inputs as the code takes them."""
    shapes = [*interface.inputs]
    for position, packing in interface.packed:
        literal = [size.literal or 0 for size in shapes[position]]
        shapes[position] = tuple(map(Size.of, packing.shape(literal)))
    return shapes


def _size(value: object) -> Size:
    assert isinstance(value, Size)  # an instance has no packs left
    return value


def _fail(sites: Sequence[Site], status: int) -> None:
    refuse(sites, status)
