"""How values that `dbg` looks at are printed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec
import numpy as np

from tdsl.types.dtypes import of_numpy

Array = np.ndarray[Any, Any]

# Up to so many elements are all written out; of more, the ends and a summary.
_ALL_SHOWN = 16


def show(x: Array, label: str) -> None:
    """What `dbg` prints, wherever the value was computed."""
    print(described(x, label), file=sys.stderr)


class Looked(msgspec.Struct, frozen=True):
    """A `dbg` of native code: its label and, outermost first, the loops around it, each a number of
    its own."""

    label: str
    loops: tuple[int, ...] = ()


def show_all(looked: Sequence[Looked], values: Sequence[Array], depth: int = 0) -> None:
    """Print what native code looked at, in the order of the program: what is looked at in a loop
    has its steps along the first axis, and each step prints all of its own."""

    def loop_of(pair: tuple[Looked, Array]) -> int | None:
        return pair[0].loops[depth] if len(pair[0].loops) > depth else None

    for loop, group in groupby(zip(looked, values, strict=True), loop_of):
        inside, arrays = zip(*group, strict=True)
        if loop is None:
            for one, array in zip(inside, arrays, strict=True):
                show(array, one.label)
        else:
            for step in zip(*arrays, strict=True):
                show_all(inside, step, depth + 1)


def described(x: Array, label: str) -> str:
    """A value in a few lines: label, type, a summary of many elements, elements."""
    array = np.asarray(x)
    dtype = of_numpy(array.dtype)
    head = f"{label}: {dtype}"
    # NumPy prints the element types of ml_dtypes as objects.
    wide = array.astype(np.float64) if dtype is not None and dtype.is_float else array
    if array.ndim == 0:
        return f"{head} = {_element(wide)}"
    head += f"[{', '.join(map(str, array.shape))}]"
    if array.size > _ALL_SHOWN:
        head += f", {_summary(wide)}"
    options: dict[str, Any] = {"threshold": _ALL_SHOWN, "edgeitems": 2, "separator": ", "}
    formatter: Any = {"float_kind": "{:.6g}".format, "bool": _element}
    lines = np.array2string(wide, formatter=formatter, **options).splitlines()
    return "\n".join([head, *(f"    {line}" for line in lines)])


def _element(value: Any) -> str:
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool):
        return "true" if number else "false"
    return f"{number:.9g}" if isinstance(number, float) else str(number)


def _summary(wide: Array) -> str:
    if wide.dtype == np.bool_:
        return f"{int(np.count_nonzero(wide))} of {wide.size} true"
    finite = wide[np.isfinite(wide)]
    parts = []
    if finite.size:
        low, high = _element(finite.min()), _element(finite.max())
        parts += [f"min {low}", f"mean {finite.mean(dtype=np.float64):.6g}", f"max {high}"]
    for name, found in (("NaN", np.isnan(wide)), ("infinite", np.isinf(wide))):
        count = int(np.count_nonzero(found))
        if count:
            parts.append(f"{count} {name}")
    return ", ".join(parts)
