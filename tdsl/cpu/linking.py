"""Linking compiled functions into this process; needs no MLIR."""

from __future__ import annotations

from tdsl.cpu.blas import addresses
from tdsl.engine.load import Loaded, load
from tdsl.engine.object import CompiledObject


def load_object(compiled: CompiledObject) -> Loaded:
    """A compiled function with what it calls in libraries; KeyError where there is none."""
    return load(compiled.code, addresses(compiled.symbols))
