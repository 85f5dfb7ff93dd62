"""Which frame called into this package: a warning is shown there."""

from __future__ import annotations

import sys


def caller_level() -> int:
    """How far up from the function that asks the first frame is that is not of this package, as
    `stacklevel` of `warnings.warn`."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tdsl."):
        frame, depth = frame.f_back, depth + 1
    return depth
