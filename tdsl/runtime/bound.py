"""Weights in the form of a struct, checked once and then passed to any number of calls."""

from __future__ import annotations

import os
import threading
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tdsl.check import typed
from tdsl.errors import CallError
from tdsl.runtime.arguments import call_error, convert
from tdsl.runtime.arrays import Array, WeakNumber, describe, plain
from tdsl.runtime.assembling import Classes, classes_of, nested
from tdsl.runtime.calling import addresses_of
from tdsl.runtime.layout import (
    Layout,
    Node,
    StructNode,
    arrays_of,
    layout_of,
    python_name,
)
from tdsl.runtime.passing import Wants, leaves
from tdsl.runtime.solving import solve_arguments
from tdsl.runtime.structs import Struct, StructClasses, class_of
from tdsl.types.types import StructType

if TYPE_CHECKING:
    from tdsl.runtime.packing import Field

_SHOWN = ("B", "KiB", "MiB", "GiB", "TiB")


def struct_layout(program: typed.Program, definition: typed.Struct) -> Layout:
    """The arrays of a struct by itself: the layout of a function whose only parameter, named like
    the struct, is one."""
    own = StructType(
        definition.module,
        definition.name,
        (*(parameter.value for parameter in definition.sizes), *definition.packs),
        definition.dtypes,
    )
    span = definition.span
    signature = typed.Signature(
        typed.FunctionReference(definition.module, definition.name),
        definition.sizes,
        definition.packs,
        definition.dtypes,
        ((definition.name, own),),
        own,
        (),
        span,
        (span,),
        span,
        0,
    )
    return layout_of(program, signature)


def bound(instance: Struct, layout: Layout, classes: StructClasses) -> Bound:
    """Bind weights. `instance` holds whatever a call would take, checked here against the struct
    that `layout` (from `struct_layout`) is of: dtypes, ranks, sizes that must agree.

    Arrays that native code can read where they lie, also mapped files, are not copied. Nothing may
    write to them afterwards: when they are read is not defined.
    """
    values = [instance]
    given = convert(layout, values, {}, {})
    try:
        solve_arguments(layout, given, {}, {}, values)
    except CallError as error:
        # A size that only a call can tell, as the number of heads in `H*D` columns, stays open.
        if error.code != "E0506":
            raise
    arrays = []
    for value, wanted in zip(given, layout.wanted, strict=True):
        if isinstance(value, WeakNumber):
            raise TypeError(
                f"`{wanted.name}: {wanted.shown}` must be an array to be bound, not {value.value!r}"
            )
        arrays.append(_frozen(value))
    return Bound(layout, arrays, classes_of(layout.parameters[0], classes))


def _frozen(array: Array) -> Array:
    """The array, read-only and as native code takes it."""
    found = plain(array).view(np.ndarray)
    found.flags.writeable = False
    return found


class Form:
    """Which struct weights are of, with the dtypes and shapes of its arrays: equal for weights that
    can take each other's place. The hash is made once, since every call asks for it."""

    __slots__ = ("_hash", "arrays", "paths")

    def __init__(self, layout: Layout, arrays: Sequence[Array]) -> None:
        self.paths = paths_of(layout.parameters[0])
        self.arrays = tuple((array.dtype, array.shape) for array in arrays)
        self._hash = hash((self.paths, self.arrays))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Form) and self.paths == other.paths and self.arrays == other.arrays
        )


def paths_of(node: Node) -> tuple[str, ...]:
    """The names of the arrays of a struct, whatever the struct itself is called; with a star for
    each list that they are in."""
    return tuple(
        array.path.partition(".")[2] + "*" * len(array.lengths) for array in arrays_of(node)
    )


class Bound:
    """A struct of weights that was checked once. It is passed where a function takes the struct,
    and cannot change; its attributes are the struct's fields.

    What it is made by is `m.GPT2.bind(…)`. The first call of a function stores the weights that
    only products read in the form in which those read them, and lets go of the form in which they
    were given; asking for such a field later makes a copy of it in that form.
    """

    __slots__ = (
        "__weakref__",
        "_classes",
        "_fields",
        "_form",
        "_kept",
        "_layout",
        "_locks",
        "_outline",
        "_pointers",
        "_spans",
        "_stand_ins",
    )
    _classes: Classes
    _fields: list[Field]
    _form: Form
    _kept: dict[str, list[Array]]  # what pointers point to
    _layout: Layout
    _locks: dict[int, threading.Lock]
    _outline: Struct
    _pointers: dict[str, list[int]]
    _stand_ins: list[Array]
    _spans: dict[str, tuple[list[int], list[int]]]

    def __init__(self, layout: Layout, arrays: Sequence[Array], classes: Classes) -> None:
        from tdsl.runtime.packing import Field  # here and below: only where weights are bound

        set_ = object.__setattr__
        set_(self, "_layout", layout)
        set_(self, "_fields", [Field(array) for array in arrays])
        set_(self, "_classes", classes)
        set_(self, "_kept", {})
        set_(self, "_pointers", {})
        set_(self, "_spans", {})
        set_(self, "_locks", {})
        stand_ins = [_stand_in(array) for array in arrays]
        set_(self, "_form", Form(layout, arrays))
        set_(self, "_stand_ins", stand_ins)
        set_(self, "_outline", nested(layout.parameters[0], classes)(iter(stand_ins)))

    @property
    def nbytes(self) -> int:
        """Of all weights together, as they were given."""
        return sum(field.nbytes for field in self._fields)

    def __getattr__(self, name: str) -> Any:
        node = self._layout.parameters[0]
        assert isinstance(node, StructNode)
        for field, inner in node.fields:
            if name in (field, python_name(field)):
                with self._lock:
                    arrays = [self._fields[array.leaf].array() for array in arrays_of(inner)]
                return nested(inner, self._classes)(iter(arrays))
        if name.startswith("__"):
            raise AttributeError(name)
        listed = ", ".join(field for field, _ in node.fields)
        raise AttributeError(f"bound {node.type.name} has no field `{name}`; it has {listed}")

    @property
    def _lock(self) -> threading.Lock:
        """Of this process: the one before a fork may have been held by another thread."""
        return self._locks.setdefault(os.getpid(), threading.Lock())

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *_names(self._outline)})

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"bound weights cannot change; bind again with another {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("bound weights cannot change")

    def __copy__(self) -> Bound:
        return self

    def __deepcopy__(self, memo: object) -> Bound:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        blueprints = {key: made.__tdsl__ for key, made in self._classes.items()}
        with self._lock:
            arrays = [field.array() for field in self._fields]
        return (_again, (self._layout, arrays, blueprints))

    def __repr__(self) -> str:
        outline = self._outline
        parts = ", ".join(f"{name}={_shown(getattr(outline, name))}" for name in _names(outline))
        return f"<bound {type(outline).__name__}({parts}), {shown_size(self.nbytes)}>"


def outline(weights: Bound) -> Struct:
    """The struct with arrays that have no elements."""
    return weights._outline


def form(weights: Bound) -> Form:
    """What tells whether weights fit a parameter, and which instance they need."""
    return weights._form


def arrays(weights: Bound) -> list[Array]:
    """The weights as they were given."""
    with weights._lock:
        return [field.array() for field in weights._fields]


def structure(weights: Bound) -> tuple[Node, Classes]:
    """How the arrays are nested, and the classes of the structs."""
    return weights._layout.parameters[0], weights._classes


def stand_ins(weights: Bound) -> list[Array]:
    """Arrays with the dtypes and shapes of the weights, but no elements."""
    return weights._stand_ins


def opened(
    layout: Layout, values: Sequence[Any]
) -> tuple[list[tuple[int, int, Bound]], Sequence[Any]]:
    """Which parameters are given bound weights, with the number of their first array; and values
    with structs that have no elements in their places."""
    found: list[tuple[int, int, Bound]] = []
    changed = [*values]
    for parameter, value in enumerate(values):
        if type(value) is Bound:
            _check_struct(layout, parameter, value)
            changed[parameter] = value._outline
            found.append((parameter, leaves(layout, parameter)[0], value))
    return found, changed


def _check_struct(layout: Layout, parameter: int, weights: Bound) -> None:
    node = layout.parameters[parameter]
    if isinstance(node, StructNode) and paths_of(node) == weights._form.paths:
        return
    signature = layout.signature
    name, type_ = signature.parameters[parameter]
    own = weights._layout.parameters[0]
    assert isinstance(own, StructNode)
    raise call_error(
        signature,
        "E0502",
        f"argument `{name}` of `{signature.function.name}` must be {layout.shown(type_)}, not a"
        f" bound {own.type.name}",
        argument=name,
    )


def addresses(weights: Bound, wants: Wants) -> list[int]:
    """Of the arrays, each in the form in which it is wanted."""
    found = weights._pointers.get(wants.token)
    return _prepare(weights, wants) if found is None else found


def kept(weights: Bound, token: str) -> list[Array] | None:
    """The arrays in the forms that a token stands for, if they were wanted before."""
    return weights._kept.get(token)


def overlaps(weights: Bound, token: str, start: int, end: int) -> bool:
    """Whether some memory, from one address to another, is that of arrays in these forms."""
    starts, ends = weights._spans[token]
    after = bisect_left(starts, end)
    return after > 0 and ends[after - 1] > start


def _spans(arrays: Sequence[Array], addresses: Sequence[int]) -> tuple[list[int], list[int]]:
    """Where memory of arrays starts and ends, in order, with what overlaps put together."""
    starts: list[int] = []
    ends: list[int] = []
    for start, array in sorted(zip(addresses, arrays, strict=True), key=lambda pair: pair[0]):
        end = start + array.nbytes
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends


def _prepare(weights: Bound, wants: Wants) -> list[int]:
    from tdsl.runtime.packing import allocate

    fields = weights._fields
    with weights._lock:
        known = weights._pointers.get(wants.token)
        if known is not None:
            return known
        new = [
            (field, packing)
            for field, packing in zip(fields, wants.packings, strict=True)
            if packing is not None and packing not in field.packed
        ]
        for (field, packing), panels in zip(new, allocate(new), strict=True):
            field.pack(packing, panels)
        arrays = [
            field.keep() if packing is None else field.packed[packing]
            for field, packing in zip(fields, wants.packings, strict=True)
        ]
        found = addresses_of(arrays)
        weights._spans[wants.token] = _spans(arrays, found)
        weights._kept[wants.token] = arrays
        weights._pointers[wants.token] = found
    return found


def _again(layout: Layout, arrays: Sequence[Array], blueprints: Mapping[Any, Any]) -> Bound:
    classes = {key: class_of(blueprint) for key, blueprint in blueprints.items()}
    return Bound(layout, [_frozen(array) for array in arrays], classes)


def _names(outline: Struct) -> list[str]:
    return [python_name(name) for name, _, _ in outline.__tdsl__.fields]


def _stand_in(array: Array) -> Array:
    """An array of this dtype and shape that takes no memory."""
    return np.broadcast_to(np.zeros((), array.dtype), array.shape)


def _shown(value: Any) -> str:
    return describe(value) if isinstance(value, np.ndarray) else repr(value)


def shown_size(count: float) -> str:
    for unit in _SHOWN:
        if count < 1024 or unit == _SHOWN[-1]:
            break
        count /= 1024
    return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
