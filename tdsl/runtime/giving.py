"""Arguments from other frameworks, and results as arrays of the framework that they came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tdsl.runtime.frameworks import Framework, NotShared, framework_of
from tdsl.runtime.lists import MOST_DEPTH, StackedList, children, mapped


def giver(values: Iterable[Any]) -> Callable[[Any], Any]:
    """What makes a result one of the framework of the first array among these arguments. To be asked
    for before the call, which may take arguments away."""
    framework = _of_first(values, 0)
    if framework is None:
        return lambda result: result
    give = framework.give
    return lambda result: mapped(
        result, lambda array: give(array) if isinstance(array, np.ndarray) else array
    )


def give_alike(values: Iterable[Any], result: Any) -> Any:
    """A result in the framework of the first array among these arguments."""
    return giver(values)(result)


def as_numpy(arguments: Sequence[Any]) -> tuple[Any, ...] | None:
    """Arguments with the arrays of other frameworks as NumPy's; None where none is to be changed,
    or one cannot be."""
    found = [*arguments]
    changed = False
    for place, argument in enumerate(arguments):
        framework = framework_of(argument)
        if framework is not None:
            try:
                found[place] = framework.share(argument)
            except NotShared:
                return None
            changed = True
    return tuple(found) if changed else None


def _of_first(values: Iterable[Any], depth: int) -> Framework | None:
    """Looks into structs, tuples and lists; None where the first array is NumPy's."""
    for value in values:
        if isinstance(value, np.ndarray | np.generic | StackedList):
            return None
        found = framework_of(value)
        if found is not None:
            return found
        parts = value if isinstance(value, list) else (children(value) or {}).values()
        if parts and depth < MOST_DEPTH:
            inner = _of_first(parts, depth + 1)
            if inner is not None:
                return inner
    return None
