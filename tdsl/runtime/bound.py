"""Weights in the form of a struct, checked once and then passed to any number of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tdsl.check import typed
from tdsl.errors import CallError
from tdsl.runtime.arguments import convert
from tdsl.runtime.arrays import Array, WeakNumber, describe, plain
from tdsl.runtime.assembling import Classes, classes_of, nested
from tdsl.runtime.layout import Layout, layout_of, python_name
from tdsl.runtime.solving import solve_arguments
from tdsl.runtime.structs import Struct, StructClasses, class_of
from tdsl.types.types import StructType

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


class Bound:
    """A struct of weights that was checked once. It is passed where a function takes the struct,
    and cannot change; its attributes are the struct's fields.

    What it is made by is `m.GPT2.bind(…)`.
    """

    __slots__ = ("__weakref__", "_arrays", "_classes", "_layout", "_outline")

    def __init__(self, layout: Layout, arrays: Sequence[Array], classes: Classes) -> None:
        set_ = object.__setattr__
        set_(self, "_layout", layout)
        set_(self, "_arrays", [*arrays])
        set_(self, "_classes", classes)
        set_(self, "_outline", self._filled([_stand_in(array) for array in arrays]))

    @property
    def nbytes(self) -> int:
        """Of all weights together."""
        return sum(array.nbytes for array in self._arrays)

    def _filled(self, arrays: Sequence[Array]) -> Any:
        """The struct with these arrays."""
        return nested(self._layout.parameters[0], self._classes)(iter(arrays))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._filled(self._arrays), name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._fields()})

    def _fields(self) -> list[str]:
        return [python_name(name) for name, _, _ in type(self._outline).__tdsl__.fields]

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
        return (_again, (self._layout, [*self._arrays], blueprints))

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{name}={_shown(getattr(self._outline, name))}" for name in self._fields()
        )
        return f"<bound {type(self._outline).__name__}({parts}), {_size(self.nbytes)}>"


def _again(layout: Layout, arrays: Sequence[Array], blueprints: Mapping[Any, Any]) -> Bound:
    classes = {key: class_of(blueprint) for key, blueprint in blueprints.items()}
    return Bound(layout, [_frozen(array) for array in arrays], classes)


def _stand_in(array: Array) -> Array:
    """An array of this dtype and shape that takes no memory."""
    return np.broadcast_to(np.zeros((), array.dtype), array.shape)


def _shown(value: Any) -> str:
    return describe(value) if isinstance(value, np.ndarray) else repr(value)


def _size(count: float) -> str:
    for unit in _SHOWN:
        if count < 1024 or unit == _SHOWN[-1]:
            break
        count /= 1024
    return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
