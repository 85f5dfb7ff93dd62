"""Calls from CPython straight into machine code: tables for entry.ll, and whether it can be used."""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from collections.abc import Callable, Sequence
from ctypes import POINTER, PYFUNCTYPE, c_char_p, c_int, c_int64, c_ssize_t, c_uint, c_void_p
from typing import Any, Final, Literal

import msgspec
import numpy as np

from tdsl.engine.llvm import Target, compile_ir
from tdsl.engine.load import Loaded, load
from tdsl.syntax.resources import resource
from tdsl.types.sizes import Opaque, Size, Symbol

EXPORTED: Final = frozenset({"tdsl_call", "tdsl_nothing", "tdsl_probe"})
# Calls go through structures of CPython and NumPy that a self-test checks; where it was never run
# it is not relied on.
KNOWN_PYTHONS: Final = ((3, 11), (3, 14))
KNOWN_MACHINES: Final = ("x86_64", "amd64")
_NUMPY_2: Final = 0x02000000
# Places in NumPy's table of C functions, which are part of its binary interface.
_API_VERSION, _API_ARRAY_TYPE, _API_NEW = 0, 2, 93
_FASTCALL_WITH_KEYWORDS: Final = 0x80 | 0x2
_HEADER_WORDS, _VARIANT_WORDS = 9, 17
_WORD: Final = 1 << 63

Relation = Literal["==", "<=", "<", "divides"]
_RELATIONS: Final[dict[str, int]] = {"==": 1, "<=": 2, "<": 3, "divides": 4}
_OPERATORS: Final[dict[str, int]] = {"//": 1, "%": 2, "min": 3, "max": 4}
_SINGLE, _TUPLE, _ASSEMBLED = range(3)


class CannotCall(Exception):
    """Native calls do not work here, or not for this instance; the text says why."""


class Check(msgspec.Struct, frozen=True):
    """What sizes of a call must fulfil beyond fitting the shapes."""

    relation: Relation
    left: Size
    right: Size


class ArraySpec(msgspec.Struct, frozen=True):
    dtype: np.dtype[Any]
    shape: tuple[Size, ...]


class Variant(msgspec.Struct, frozen=True, eq=False):
    """One compiled instance, and the calls that are for it.

    Sizes are literals or over `symbols`, each of which is an axis of an input. `arenas` is a list
    of free scratch memory, arrays of bytes that are ARENA_EXTRA longer than they need to be; the
    list is shared with whoever else calls the instance. `fail` gets the address of a status block
    and raises. `assemble` makes the result out of a list of arrays: None gives the one array, or a
    tuple where `is_tuple`. A result without a specification is put into memory of an input, and None
    stands for it among the arrays. `keep` is what must live as long as the code.
    """

    kernel: int
    keywords: tuple[tuple[str, int | float | bool], ...]
    inputs: tuple[ArraySpec, ...]
    results: tuple[ArraySpec | None, ...]
    symbols: tuple[Symbol, ...]
    checks: tuple[Check, ...]
    scratch: Size
    arenas: list[Any]
    fail: Callable[[int], object]
    assemble: Callable[[list[Any]], Any] | None = None
    is_tuple: bool = False
    keep: tuple[object, ...] = ()


ARENA_EXTRA: Final = 128


class _MethodDefinition(ctypes.Structure):
    _fields_ = (
        ("name", c_char_p),
        ("function", c_void_p),
        ("flags", c_int),
        ("documentation", c_char_p),
    )


def source() -> str:
    """The LLVM IR of the entry."""
    return resource("engine/entry.ll").read_text(encoding="utf-8")


def compile_entry() -> bytes:
    """Object code of the entry for this machine, to be kept by whoever has a place for it."""
    return compile_ir(source(), Target.host(), EXPORTED)


def _python_functions() -> dict[str, int]:
    """What the entry calls, by address: an embedded Python need not export it to everybody."""
    names = (
        "PyTuple_GetItem PyTuple_Size PyTuple_New PyTuple_SetItem PyList_New PyList_Size"
        " PyList_GetItem PyList_SetItem PyList_SetSlice PyList_Append PyBytes_AsString"
        " PyLong_FromVoidPtr PyObject_RichCompareBool PyObject_Vectorcall PyErr_Clear"
        " PyEval_SaveThread PyEval_RestoreThread Py_IncRef Py_DecRef"
    )
    found: dict[str, int] = {}
    for name in names.split():
        function = getattr(ctypes.pythonapi, name)
        found[name] = ctypes.cast(function, c_void_p).value or 0
    return found


def _numpy_table() -> Any:
    """NumPy's table of C functions, which import_array() takes from the same place."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    return ctypes.cast(pointer(_multiarray_umath._ARRAY_API, None), POINTER(c_void_p))


def _without_lock() -> bool:
    if sys.version_info < (3, 13):
        return False
    import sysconfig  # which runs a large file

    return bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def decline() -> str | None:
    """Why entry.ll cannot be relied on here; None where all that it assumes holds."""
    if sys.implementation.name != "cpython":
        return "this is not CPython"
    lowest, highest = KNOWN_PYTHONS
    if not lowest <= sys.version_info[:2] <= highest:
        return f"Python {platform.python_version()} was never tried"
    if platform.machine().lower() not in KNOWN_MACHINES or sys.maxsize != _WORD - 1:
        return f"the machine {platform.machine()} was never tried"
    if _without_lock():
        return "this Python has no global lock"
    if hasattr(sys, "getobjects"):
        return "objects have another header in this build of Python"
    try:
        return _numpy_differs()
    except (ImportError, AttributeError, ValueError) as problem:
        return f"NumPy is laid out differently: {problem}"


def _numpy_differs() -> str | None:
    api = _numpy_table()
    if api[_API_ARRAY_TYPE] != id(np.ndarray):
        return "NumPy's table of C functions differs"
    version = PYFUNCTYPE(c_uint)(api[_API_VERSION])()
    if version != _NUMPY_2:
        return f"the binary interface {version:#x} of NumPy was never tried"
    whole = np.zeros((3, 5), np.float32)
    swapped = np.zeros(2, np.dtype(np.int32).newbyteorder("S"))
    for array in (whole, whole.T, np.zeros(7, np.int64)[::2], np.zeros((), np.int8), swapped):
        if not (_array_fits(array) and _dtype_fits(array.dtype)):
            return "NumPy's arrays are laid out differently"
    return None


def _at(address: int, type_: Any) -> Any:
    return type_.from_address(address).value


def _array_fits(array: np.ndarray[Any, Any]) -> bool:
    """%array in entry.ll."""
    here = id(array)
    sizes = ctypes.cast(_at(here + 32, c_void_p), POINTER(c_ssize_t))
    flags = _at(here + 64, c_int)
    return bool(
        _at(here + 8, c_void_p) == id(type(array))
        and _at(here + 16, c_void_p) == array.ctypes.data
        and _at(here + 24, c_int) == array.ndim
        and tuple(sizes[: array.ndim]) == array.shape
        and _at(here + 56, c_void_p) == id(array.dtype)
        and bool(flags & 0x1) == array.flags.c_contiguous
        and bool(flags & 0x100) == array.flags.aligned
    )


def _dtype_fits(dtype: np.dtype[Any]) -> bool:
    """%dtype in entry.ll."""
    here = id(dtype)
    return bool(
        _at(here + 16, c_void_p) == id(dtype.type)
        and _at(here + 26, ctypes.c_char) == dtype.byteorder.encode()
        and _at(here + 28, c_int) == dtype.num
    )


class Entry:
    """The entry's code in this process; makes functions that Python can call."""

    def __init__(self, code: bytes) -> None:
        reason = decline()
        if reason is not None:
            raise CannotCall(reason)
        self._loaded: Loaded = load(code, _python_functions())
        self._address = self._loaded.address("tdsl_call")
        api = _numpy_table()
        self._new, self._array_type = api[_API_NEW], api[_API_ARRAY_TYPE]
        self._make = PYFUNCTYPE(ctypes.py_object, c_void_p, ctypes.py_object, c_void_p)(
            ("PyCFunction_NewEx", ctypes.pythonapi)
        )
        self._probe()

    def function(
        self,
        name: str,
        variants: Sequence[Variant],
        fallback: Callable[..., Any],
        calls: c_int64,
        kept_bytes: int = 0,
    ) -> Callable[..., Any]:
        """A builtin function that tries the variants in turn, then the fallback.

        `calls` counts the calls that a variant took. Scratch memory of up to `kept_bytes` is kept
        for the next call.
        """
        kept: list[object] = [fallback, calls, self]
        records = [_record(variant, kept) for variant in variants]
        most_data = max((len(v.inputs) + len(v.results) + 2 for v in variants), default=1)
        most_values = max((values for _, values in records), default=0) + 1
        words = [
            len(records),
            most_data,
            most_values,
            ctypes.addressof(calls),
            id(fallback),
            self._new,
            self._array_type,
            kept_bytes,
            id(None),
            *(word for record, _ in records for word in record),
        ]
        table = struct.pack(f"{len(words)}q", *words)
        definition = _MethodDefinition(name.encode(), self._address, _FASTCALL_WITH_KEYWORDS, None)
        owned = (table, definition, *kept)
        made: Callable[..., Any] = self._make(ctypes.addressof(definition), owned, None)
        return made

    def _probe(self) -> None:
        """One real call; a wrong answer is a reason not to make others."""
        symbol = Symbol("n")
        wide = np.dtype(np.int64)
        variant = Variant(
            self._loaded.address("tdsl_probe"),
            (("k", 1000),),
            (ArraySpec(wide, (Size.of(symbol), Size.of(2))),),
            (ArraySpec(wide, (Size.of(symbol) * 3,)),),
            (symbol,),
            (Check("<=", Size.of(symbol), Size.of(7)),),
            Size.of(0),
            [],
            print,
        )
        refused = object()
        calls = c_int64()
        call = self.function("probe", [variant], lambda *_, **__: refused, calls)
        given = np.full((5, 2), 37, wide)
        found = call(given, k=10**3)
        good = (
            type(found) is np.ndarray
            and found.dtype == wide
            and found.shape == (15,)
            and found[0] == 42
            and call(given, k=999) is refused
            and call(np.full((8, 2), 37, wide), k=1000) is refused
            and call(given.astype(np.int32), k=1000) is refused
            and call(given) is refused
            and calls.value == 1
        )
        if not good:
            raise CannotCall("a call of the self-test went wrong")


def _record(variant: Variant, kept: list[object]) -> tuple[list[int], int]:
    """The words of one variant, and how many values it has."""

    def hold(item: object) -> int:
        kept.append(item)
        return id(item)

    values = _Values(variant.symbols)
    checks: list[int] = []
    inputs: list[int] = []
    for place, spec in enumerate(variant.inputs):
        inputs += [hold(spec.dtype), spec.dtype.num, len(spec.shape)]
        for axis, size in enumerate(spec.shape):
            word = values.word(size)
            inputs.append(word)
            if word < 0 and size.symbol is None:
                checks += [0, place, axis, word]
    for check in variant.checks:
        words = [values.word(check.left), values.word(check.right)]
        checks += [_RELATIONS[check.relation], *words, 0]
    results: list[int] = []
    for result in variant.results:
        if result is None:
            results += [-1, 0]
            continue
        hold(result.dtype)
        results += [result.dtype.num, len(result.shape), *map(values.word, result.shape)]
    scratch = values.word(variant.scratch)
    keywords: list[int] = []
    for name, number in variant.keywords:
        keywords += [hold(sys.intern(name)), hold(number)]
    form = _SINGLE if variant.assemble is None else _ASSEMBLED
    starts = [_VARIANT_WORDS + len(keywords)]
    for part in (inputs, values.records, checks):
        starts.append(starts[-1] + len(part))
    words = [
        starts[-1] + len(results),
        variant.kernel,
        len(variant.inputs),
        len(variant.results),
        len(variant.symbols),
        len(variant.keywords),
        values.derived,
        len(checks) // 4,
        hold(variant.arenas),
        scratch,
        hold(variant.fail),
        _TUPLE if variant.is_tuple else form,
        hold(variant.assemble),
        *starts,
        *keywords,
        *inputs,
        *values.records,
        *checks,
        *results,
    ]
    kept.append(variant.keep)
    return words, len(variant.symbols) + values.derived


class _Values:
    """Sizes as words of a table, with records for those that have to be computed."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self._known: dict[Size, int] = {Size.of(s): ~place for place, s in enumerate(symbols)}
        self._given = len(symbols)
        self.records: list[int] = []
        self.derived = 0

    def word(self, size: Size) -> int:
        """A literal as itself, else the complement of the place of its value."""
        literal = size.literal
        if literal is not None and 0 <= literal < _WORD:
            return literal
        found = self._known.get(size)
        return self._add(size) if found is None else found

    def _add(self, size: Size) -> int:
        record = self._operation(size)
        if record is None:
            record = [0, len(size.terms)]
            for monomial, factor in size.terms:
                atoms = [self._atom(atom) for atom, power in monomial for _ in range(power)]
                record += [factor, len(atoms), *atoms]
        if not all(-_WORD <= word < _WORD for word in record):
            raise CannotCall(f"the size {size} has numbers beyond 64 bits")
        self.records += record
        word = ~(self._given + self.derived)
        self.derived += 1
        self._known[size] = word
        return word

    def _operation(self, size: Size) -> list[int] | None:
        """The record of a size that is one operator on two others."""
        match size.terms:
            case ((((Opaque() as atom, 1),), 1),):
                return [_OPERATORS[atom.operator], self.word(atom.left), self.word(atom.right)]
        return None

    def _atom(self, atom: object) -> int:
        if not isinstance(atom, Symbol | Opaque):
            raise CannotCall(f"{atom} has no value in a call")
        size = Size.of(atom)
        if isinstance(atom, Symbol) and size not in self._known:
            raise CannotCall(f"no argument shows the size {atom.name}")
        return self.word(size)
