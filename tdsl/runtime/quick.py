"""Calls with structs, bound weights and donated arrays, made natively: arguments as a row of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from tdsl.check import typed
from tdsl.check.calls import Static
from tdsl.errors import Error
from tdsl.runtime.arrays import PLAIN, Array, WeakNumber, weak_array
from tdsl.runtime.bound import Bound, Form, form, kept, overlaps
from tdsl.runtime.calling import Assemble, address_of
from tdsl.runtime.donating import give_back, give_up, is_whole, seal, take_over
from tdsl.runtime.layout import ArrayNode, Layout
from tdsl.runtime.native import NativeCalls
from tdsl.runtime.passing import Donated, Passing, leaves, parameters_of
from tdsl.runtime.reading import Reader
from tdsl.runtime.specialise import Instance
from tdsl.types.dtypes import DType

MISS: Any = object()
"""Stands for the result of a call that is for the slow way."""
_WANTED = PLAIN | 0x400  # of a donated array: plain, and writable
_WEAK: Mapping[type, Any] = {int: "int", float: "float", bool: "bool"}


def _missed(*arguments: Any, **keywords: Any) -> Any:
    return MISS


def _itself(arrays: list[Array]) -> list[Array]:
    return arrays


class _Native(msgspec.Struct):
    """The instances for calls that hand their arrays over in one way."""

    calls: NativeCalls
    tokens: dict[int, str]  # in which forms bound parameters are taken
    given_up: list[int]  # parameters with donated arrays
    donated: frozenset[int]  # arrays that are donated
    own: list[int]  # arrays that are not of bound weights
    call: Callable[..., Any] | None = None
    forms: set[Form] = msgspec.field(default_factory=set)


class Quick:
    """The native way to call one function that takes more than arrays."""

    def __init__(
        self,
        layout: Layout,
        reader: Reader,
        assemble: Assemble | None,
        signature: typed.Signature,
        named: Mapping[str, Static],
    ) -> None:
        self._layout, self._assemble = layout, assemble
        self._signature, self._named = signature, named
        self._getters = reader.getters
        self._structured = [
            place for place, node in enumerate(layout.parameters) if not isinstance(node, ArrayNode)
        ]
        self._first = [leaves(layout, place)[0] for place in range(len(layout.parameters))]
        self._known: list[set[tuple[Any, ...]]] = [set() for _ in layout.parameters]
        self._natives: dict[tuple[tuple[int, ...], Donated], _Native] = {}

    @property
    def calls(self) -> int:
        """How many calls were made this way."""
        return sum(native.calls.calls for native in (*self._natives.values(),))

    def call(self, values: Sequence[Any], statics: Mapping[str, Any], donated: Donated) -> Any:
        """The result, or MISS."""
        if len(values) != len(self._getters):
            return MISS
        bound = tuple([place for place in self._structured if type(values[place]) is Bound])
        native = self._natives.get((bound, donated))
        if native is None or native.call is None:
            return MISS
        arguments = self._arguments(native, values)
        if arguments is None:
            return MISS
        if not donated:
            return native.call(*arguments, **statics)
        weights = [(values[place], native.tokens[place]) for place in bound]
        if not self._may_be_donated(native, arguments, donated, weights):
            return MISS
        name = self._signature.function.name
        originals = [*arguments]
        given = take_over(originals, donated, name, self._layout.wanted)
        for leaf, result in donated:
            arguments[leaf] = given[result]
        found = None
        try:
            found = native.call(*arguments, **statics)
        finally:  # what the code itself raises comes after it may have written
            if found is MISS:
                give_back(originals, donated)
            else:
                seal(originals, donated)
                for place in native.given_up:
                    give_up(values[place], name)
        if found is MISS:
            return MISS
        for result, array in given.items():
            found[result] = array
        return found[0] if self._assemble is None else self._assemble(found)

    def _arguments(self, native: _Native, values: Sequence[Any]) -> list[Any] | None:
        """All arrays in a row, as far as that can be told by classes alone."""
        found: list[Any] = []
        try:
            for place, (value, (getter, count)) in enumerate(
                zip(values, self._getters, strict=True)
            ):
                if getter is None:
                    if type(value) in _WEAK:
                        value = self._number(place, value)
                    elif isinstance(value, np.generic):
                        value = np.asarray(value)
                    found.append(value)
                elif type(value) is Bound:
                    arrays = kept(value, native.tokens[place])
                    if arrays is None or form(value) not in native.forms:
                        return None
                    found += arrays
                else:
                    parts = getter(value)
                    if parts[:count] not in self._known[place]:
                        return None
                    found += parts[count:]
        except (AttributeError, Error, TypeError, ValueError):
            return None  # the slow way says what is wrong
        return found

    def _number(self, place: int, value: Any) -> Any:
        wanted = self._layout.wanted[self._first[place]]
        dtype = wanted.type.dtype
        if wanted.type.shape or not isinstance(dtype, DType):
            return value
        return weak_array(WeakNumber(value, _WEAK[type(value)]), wanted, dtype)

    def _may_be_donated(
        self,
        native: _Native,
        arguments: Sequence[Any],
        donated: Donated,
        weights: Sequence[tuple[Bound, str]],
    ) -> bool:
        """What `check_donation` asks for; that tells what is wrong, too."""
        spans = []
        for leaf in native.own:
            array = arguments[leaf]
            if type(array) is not np.ndarray:
                return False
            start = address_of(array)
            spans.append((leaf, start, start + array.nbytes))
        for leaf, start, end in spans:
            if leaf in native.donated:
                array = arguments[leaf]
                if array.flags.num & _WANTED != _WANTED or not is_whole(array):
                    return False
                for other, first, last in spans:
                    if first < end and start < last and other != leaf:
                        return False
                for bound, token in weights:
                    if overlaps(bound, token, start, end):
                        return False
        return True

    def learn(
        self,
        instance: Instance,
        statics: Mapping[str, int | float | bool],
        dtypes: Sequence[DType],
        values: Sequence[Any],
        tokens: dict[int, str],
        passing: Passing,
    ) -> None:
        """Call this instance natively from now on, for values of the same classes."""
        if instance.built.debugged:
            return  # the native entry prints nothing
        bound = tuple([place for place in self._structured if type(values[place]) is Bound])
        key = bound, passing.donated
        native = self._natives.get(key)
        if native is None:
            name = self._signature.function.name
            native = _Native(
                NativeCalls(name, self._signature, self._named),
                tokens,
                parameters_of(self._layout, passing.donated),
                frozenset(leaf for leaf, _ in passing.donated),
                [leaf for leaf in range(len(dtypes)) if leaf not in passing.constants],
            )
            native = self._natives.setdefault(key, native)
        if native.tokens != tokens or not self._learn_classes(native, values):
            return
        assemble = _itself if passing.donated else self._assemble
        made = native.calls.add(instance, statics, dtypes, assemble, False, _missed)
        if made is not None:
            native.call = made

    def _learn_classes(self, native: _Native, values: Sequence[Any]) -> bool:
        for place, (value, (getter, count)) in enumerate(zip(values, self._getters, strict=True)):
            if type(value) is Bound:
                native.forms.add(form(value))
            elif getter is not None:
                try:
                    classes = getter(value)[:count]
                except (AttributeError, TypeError, ValueError):
                    return False
                if not Reader.is_closed(classes):
                    return False
                self._known[place].add(classes)
        return True
