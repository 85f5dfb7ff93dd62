"""The steps of a compiled function that can be timed one by one; free of MLIR."""

from __future__ import annotations

from typing import Final

import msgspec

EVENTS: Final = "tdsl_events"
"""What code with steps exports: a count, then three numbers for each event, all i64: the step, and
when it began and ended in nanoseconds of the monotonic clock."""
MOST_EVENTS: Final = 1 << 16
"""Later ones are not kept, only counted."""


class Step(msgspec.Struct, frozen=True):
    """One operation of a function's body: a kernel, or a nest of loops."""

    at: str
    """`file:line:column` in the source, the file without its folder; empty where nothing tells."""
    what: str
    """`matmul 512x768x2304`, `elementwise 512x768`."""
    operations: int
    """Of floating point in one run, as if nothing was skipped."""
    bytes: int
    """Of the arrays that it reads and writes, each once."""
