"""How the arrays of a call are handed over: as bound weights, or given up for results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from tdsl.lowering.interface import Packing
from tdsl.runtime.arguments import call_error
from tdsl.runtime.layout import ArrayNode, Layout, arrays_of
from tdsl.types.sizes import Pack, Symbol

Donated = tuple[tuple[int, int], ...]
"""Arrays by the numbers of their leaves, each with the number of a result."""


class Passing(msgspec.Struct, frozen=True):
    """What is special about some of the arrays of a call; it chooses an instance."""

    constants: frozenset[int] = frozenset()
    """Arrays that are bound, by the numbers of their leaves."""
    donated: Donated = ()
    """Arrays that are given up, each with the number of the result that is put in its place."""

    def __bool__(self) -> bool:
        return bool(self.constants or self.donated)

    def fixed(self, layout: Layout) -> frozenset[Symbol | Pack]:
        """The sizes of bound arrays: another model is another instance, whatever varies."""
        found: set[Symbol | Pack] = set()
        for leaf in self.constants:
            for axis in layout.wanted[leaf].type.shape:
                found |= {axis} if isinstance(axis, Pack) else axis.symbols()
        return frozenset(found)


class Wants(msgspec.Struct, frozen=True, dict=True):
    """In which forms an instance takes the arrays of one bound parameter."""

    packings: tuple[Packing | None, ...]

    @cached_property
    def token(self) -> str:
        """The same for the same forms, and quick to look up."""
        return " ".join(
            "-" if one is None else f"{one.columns}{'t' * one.transposed}" for one in self.packings
        )


def leaves(layout: Layout, parameter: int) -> range:
    """The numbers of the arrays of a parameter."""
    numbers = [array.leaf for array in arrays_of(layout.parameters[parameter])]
    return range(numbers[0], numbers[-1] + 1)


def wants(
    layout: Layout, constants: frozenset[int], packed: Iterable[tuple[int, Packing]]
) -> dict[int, Wants]:
    """For each parameter that is bound."""
    known = dict(packed)
    return {
        parameter: Wants(tuple(known.get(leaf) for leaf in leaves(layout, parameter)))
        for parameter in range(len(layout.parameters))
        if leaves(layout, parameter)[0] in constants
    }


def passing_of(
    layout: Layout, weights: Iterable[tuple[int, int, object]], donated: Donated
) -> Passing:
    found = [leaf for parameter, _, _ in weights for leaf in leaves(layout, parameter)]
    return Passing(frozenset(found), donated)


def parameters_of(layout: Layout, donated: Donated) -> list[int]:
    """The parameters that the arrays belong to."""
    return [
        parameter
        for parameter in range(len(layout.parameters))
        if any(leaf in leaves(layout, parameter) for leaf, _ in donated)
    ]


def donations(layout: Layout, names: Sequence[str]) -> Donated:
    """For each array of the named parameters a result of the same type, the one that is called
    alike if there are several."""
    signature = layout.signature
    parameters = [name for name, _ in signature.parameters]
    function = signature.function.name
    free = [*arrays_of(layout.result)]
    found: list[tuple[int, int]] = []
    for name in dict.fromkeys(names):
        if name not in parameters:
            from difflib import get_close_matches  # only where a word is misspelled

            near = get_close_matches(name, parameters, 1)
            raise call_error(
                signature,
                "E0707",
                f"`{function}` has no parameter `{name}` that could be donated",
                *(f"help: did you mean `{one}`?" for one in near),
                argument=name,
            )
        for array in arrays_of(layout.parameters[parameters.index(name)]):
            alike = [one for one in free if _type(one) == _type(array)]
            if not alike:
                shown = layout.wanted[array.leaf].shown
                raise call_error(
                    signature,
                    "E0707",
                    f"`{array.path}` cannot be donated: `{function}` gives no"
                    f"{' other' * (len(free) < len([*arrays_of(layout.result)]))} {shown}",
                    argument=name,
                )
            own = _last(array)
            chosen = next((one for one in alike if _last(one) == own), alike[0])
            free.remove(chosen)
            found.append((array.leaf, chosen.leaf))
    return tuple(found)


def _type(array: ArrayNode) -> object:
    return array.stacked_type(array.lengths)


def _last(array: ArrayNode) -> str:
    return array.path.rpartition(".")[2] if "." in array.path else ""
