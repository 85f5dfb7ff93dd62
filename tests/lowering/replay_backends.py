"""Backends with a pass that fails, found again by the process that a printed line starts."""

from __future__ import annotations

from typing import Any

from tdsl.lowering.backend import Backend, Pass
from tdsl.lowering.options import Options


def refuse_exponentials(module: Any, options: Options) -> None:
    """Fails on what it is given and on how it is asked, not always."""
    if "math.exp" in str(module) and not options.fuse:
        raise ValueError("no luck with math.exp")


OURS = Backend("ours", (Pass("refuse", refuse_exponentials),), found_at="replay_backends:OURS")
UPSTREAM = Backend(
    "upstream",
    (Pass("broken", "convert-func-to-llvm{no-such-option=1}"),),
    found_at="replay_backends:UPSTREAM",
)


def refuse(module: Any, options: Options) -> None:
    raise ValueError("no luck")


LATE = Backend("late", math=(Pass("refuse-late", refuse),), found_at="replay_backends:LATE")
