"""What a status block says: which position of the program was out of range, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from tdsl.ops.bounds import out_of_range

STATUS_WORDS: Final = 5
"""Of the status block, i64 each: code (1: a position out of range), site, position, the last
position allowed, size of the axis."""


class Site(msgspec.Struct, frozen=True):
    """A place in the program where a position is used that is known only at run time."""

    builtin: str
    kind: str  # "index" of one position, or "start" of several
    axis: int
    at: str  # file:line:column, "" where not known


def violation(sites: Sequence[Site], status: Sequence[int]) -> str:
    """The message for a status block whose code is not 0."""
    _, number, value, last, size = status
    site = sites[number]
    taken = size - last if site.kind == "start" else None
    message = out_of_range(site.builtin, value, site.axis, size, taken)
    return f"{message} ({site.at})" if site.at else message
