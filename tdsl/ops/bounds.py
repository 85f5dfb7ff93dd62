"""What is said about a position, known only at run time, that lies outside of an array."""

from __future__ import annotations

from typing import Final

# Primitive -> the builtin that a program writes for it.
BUILTIN_OF: Final = {"gather": "take", "dynamic_slice": "slice", "dynamic_update": "update"}


def out_of_range(builtin: str, value: int, axis: int, size: int, taken: int | None = None) -> str:
    """The message. `taken` positions from `value` on are needed: None for a single one, an index."""
    place = f"out of range for axis {axis} of size {size}"
    if taken is None:
        return f"{builtin}: index {value} is {place}"
    last = size - taken
    fits = "only start at 0" if last == 0 else f"start at 0 to {last}"
    return f"{builtin}: start {value} is {place}: {taken} of its positions can {fits}"
