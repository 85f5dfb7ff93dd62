"""Keep Python's collector of reference cycles still while a function is compiled."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Importing MLIR and compiling makes many objects, nearly all of which stay: looking through
    them, and through all that the process had before, finds nothing and takes a twentieth of the
    time. Of threads that compile at once the first sets the collector going again, which the others
    can do with; who had switched it off finds it off."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
