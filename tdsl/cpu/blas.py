"""Matrix products through OpenBLAS: finding the library, and calling it from generated code."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

SYMBOLS: tuple[str, ...] = ("cblas_sgemm", "cblas_dgemm", "cblas_sgemv", "cblas_dgemv")
"""What generated code may call, with 32-bit integers."""

# Where a system library may be found, and the prefixes that builds put on its symbols.
_SYSTEM_NAMES = ("openblas", "blas", "cblas")
_PREFIXES = ("scipy_", "")


class Blas(msgspec.Struct, frozen=True):
    """A BLAS in this process: where it came from and the addresses of its functions."""

    source: str
    addresses: Mapping[str, int]
    library: ctypes.CDLL


def _candidates() -> Iterator[str]:
    """Libraries to try, best first; each is looked for when those before it were not good."""
    from importlib.util import find_spec

    spec = find_spec("scipy_openblas32")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        files = sorted((Path(folder) / "lib").glob("libscipy_openblas*"))
        yield from (str(file) for file in files if file.suffix in (".so", ".dylib", ".dll"))
    from ctypes.util import find_library  # which runs other programs

    for name in _SYSTEM_NAMES:
        if library := find_library(name):
            yield library


def _open(name: str) -> Blas | None:
    try:
        library = ctypes.CDLL(name, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError:
        return None
    for prefix in _PREFIXES:
        try:
            functions = {symbol: getattr(library, prefix + symbol) for symbol in SYMBOLS}
        except AttributeError:
            continue
        addresses = {
            symbol: ctypes.cast(function, ctypes.c_void_p).value or 0
            for symbol, function in functions.items()
        }
        _set_threads(library, prefix)
        return Blas(name, MappingProxyType(addresses), library)
    return None


def _set_threads(library: ctypes.CDLL, prefix: str) -> None:
    """One thread: products run inside calls that several Python threads may make at once, and
    inside chunks of our own pool."""
    setter = getattr(library, f"{prefix}openblas_set_num_threads", None)
    if setter is not None:
        setter.restype, setter.argtypes = None, [ctypes.c_int]
        setter(1)


@cache
def find_blas() -> Blas | None:
    """The BLAS to use, or None where there is none: products are then loops."""
    for name in _candidates():
        if (blas := _open(name)) is not None:
            return blas
    return None


def addresses(symbols: tuple[str, ...]) -> Mapping[str, int]:
    """Addresses for what an object asks for; KeyError names what no library here has."""
    if not symbols:
        return {}
    blas = find_blas()
    if blas is None:
        raise KeyError(f"no BLAS library was found for {', '.join(symbols)}")
    return {symbol: blas.addresses[symbol] for symbol in symbols}
