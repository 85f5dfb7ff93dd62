"""Linking compiled functions into this process; needs no MLIR."""

from __future__ import annotations

from tdsl.cpu import blas
from tdsl.engine import pool
from tdsl.engine.load import Loaded, load
from tdsl.engine.object import CompiledObject

EXTERNAL: tuple[str, ...] = (*blas.SYMBOLS, *pool.SYMBOLS)
"""What generated code may call that the process itself does not export."""


def load_object(compiled: CompiledObject, make_pool: pool.Compile = pool.compile_pool) -> Loaded:
    """A compiled function with what it calls; KeyError where this machine has no such library."""
    wanted = compiled.symbols
    found = dict(blas.addresses(tuple(name for name in wanted if name in blas.SYMBOLS)))
    if any(name in pool.SYMBOLS for name in wanted):
        found |= pool.pool(make_pool).addresses
    return load(compiled.code, found)
