"""Arrays that callers give up: which may be, and remembering those that were."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tdsl.errors import CallError
from tdsl.runtime.arrays import PLAIN, Array, Wanted, describe
from tdsl.runtime.bound import Bound, overlaps
from tdsl.runtime.calling import address_of
from tdsl.runtime.gathering import Many, gather, ones
from tdsl.runtime.layout import Layout
from tdsl.runtime.lists import StackedList
from tdsl.runtime.passing import Donated, Wants, leaves, parameters_of
from tdsl.runtime.structs import Struct
from tdsl.syntax.diagnostics import Diagnostic, Label

# Arrays that were donated, by identity, with the function that got them. It keeps none of them
# alive. There is one table, because memory is the process's: an array that one function was given
# must be refused by all others.
_DONATED: dict[int, tuple[weakref.ref[Array], str]] = {}


def donated_to(array: Array) -> str | None:
    """The function that an array was donated to, if it was."""
    found = _DONATED.get(id(array))
    return found[1] if found is not None and found[0]() is array else None


def refuse_donated(layout: Layout, values: Sequence[Any]) -> None:
    """An error for the first array that is no longer the caller's. A donated array is marked as not
    aligned, so that no fast way takes it."""
    if not _DONATED:
        return
    given, _ = gather(layout, [*values])
    for one in (one for item in given for one in ones(item)):
        function = donated_to(one.value) if isinstance(one.value, np.ndarray) else None
        if function is not None:
            place = layout.wanted_at(one.array, one.path, one.lengths)
            raise _error(
                place,
                f"argument `{place.name}` of `{place.function}` was donated to `{function}`",
                "its memory holds a result of that call: use the result in its place",
            )


def check_donation(
    arrays: Sequence[Array],
    wanted: Sequence[Wanted],
    donated: Iterable[int],
    weights: Sequence[tuple[str, Bound, Wants]],
) -> None:
    """An error for an array whose memory a result must not be put into. Of bound weights there are
    no elements among the arrays."""
    for leaf in donated:
        array, place = arrays[leaf], wanted[leaf]
        for other, value in enumerate(arrays):
            if other != leaf and np.may_share_memory(array, value):
                raise _refused(
                    place,
                    f"shares memory with `{wanted[other].name}`",
                    f"pass a copy of one of them: `{place.name}.copy()`",
                )
        start = address_of(array)
        for name, bound, forms in weights:
            if overlaps(bound, forms.token, start, start + array.nbytes):
                raise _refused(
                    place,
                    f"shares memory with the weights `{name}`",
                    f"pass a copy: `{place.name}.copy()`",
                )
        if not array.flags.writeable:
            raise _refused(place, "is read-only", f"pass a copy: `{place.name}.copy()`")
        if not is_whole(array):
            raise _refused(
                place,
                "is a view of memory that belongs to something else",
                f"pass an array of its own: `{place.name}.copy()`",
            )


def is_whole(array: Array) -> bool:
    """Whether the array has its memory for itself: it is an owner, or the result that was put into
    an array that was donated before."""
    base = array.base
    return array.flags.owndata or (
        isinstance(base, np.ndarray)
        and base.nbytes == array.nbytes
        and base.flags.owndata
        and donated_to(base) is not None
    )


def originals(layout: Layout, values: Sequence[Any], donated: Donated) -> dict[int, Array]:
    """The donated arrays as the caller holds them; an error where there is no such array."""
    found: dict[int, Array] = {}
    for parameter in parameters_of(layout, donated):
        given, _ = gather(layout.only([parameter]), [values[parameter]])
        for leaf, one in zip(leaves(layout, parameter), given, strict=True):
            wanted = layout.wanted[leaf]
            if isinstance(one, Many):
                raise not_an_array(wanted, list(one.items))
            value = one.value
            plain = type(value) is np.ndarray and value.flags.num & PLAIN == PLAIN
            if not plain or not value.dtype.isnative:
                raise not_an_array(wanted, value)
            found[leaf] = value
    return found


def not_an_array(wanted: Wanted, value: object) -> CallError:
    return _refused(
        wanted,
        f"is given as {describe(value)}, which is converted first",
        "pass contiguous NumPy arrays of the declared dtype; lists stacked by `tdsl.stack`",
    )


def _refused(wanted: Wanted, why: str, help: str) -> CallError:
    return _error(
        wanted, f"argument `{wanted.name}` of `{wanted.function}` cannot be donated: it {why}", help
    )


def _error(wanted: Wanted, message: str, help: str) -> CallError:
    label = Label(wanted.span, f"declared `{wanted.shown}` here")
    return CallError(
        "\n  ".join((f"[E0707] {message}", wanted.where, f"help: {help}")),
        diagnostics=(Diagnostic("E0707", message, (label,), (help,)),),
        argument=wanted.name,
    )


def take_over(
    arrays: Sequence[Array], donated: Donated, function: str, wanted: Sequence[Wanted]
) -> Mapping[int, Array]:
    """The arrays of results in the memory of donated ones, which from now on are refused; and after
    `seal` not writable either."""
    results: dict[int, Array] = {}
    for number, (leaf, result) in enumerate(donated):
        array = arrays[leaf]
        results[result] = array.view()
        key = id(array)
        entry = weakref.ref(array, partial(_forget, key)), function
        known = _DONATED.setdefault(key, entry)
        if known is not entry:
            if known[0]() is array:  # another thread was faster
                give_back(arrays, donated[:number])
                raise _error(
                    wanted[leaf],
                    f"argument `{wanted[leaf].name}` of `{function}` was donated to `{known[1]}`",
                    "its memory holds a result of that call: use the result in its place",
                )
            _DONATED[key] = entry
        array.setflags(align=False)
    return results


def seal(arrays: Sequence[Array], donated: Donated) -> None:
    for leaf, _ in donated:
        arrays[leaf].setflags(write=False)


def give_back(arrays: Sequence[Array], donated: Donated) -> None:
    """Undo `take_over`, where nothing has been written."""
    for leaf, _ in donated:
        array = arrays[leaf]
        _DONATED.pop(id(array), None)
        array.setflags(align=True)


def _forget(key: int, _: object) -> None:
    found = _DONATED.get(key)
    if found is not None and found[0]() is None:  # else it is another array's by now
        del _DONATED[key]


def give_up(value: Any, function: str) -> None:
    """Let structs and stacked lists that held donated arrays refuse to be read."""
    if isinstance(value, StackedList):
        inner = value.stacked
        value.give_up(function)
        give_up(inner, function)
    elif isinstance(value, Struct):
        parts = [*vars(value).values()]
        Struct.give_up(value, function)  # of the class: a field may have that name
        for part in parts:
            if type(part) is not np.ndarray:
                give_up(part, function)
    elif isinstance(value, tuple | list | Mapping):
        for part in value.values() if isinstance(value, Mapping) else value:
            give_up(part, function)
