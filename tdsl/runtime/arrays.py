"""Python values as arrays of known dtype, rank and layout; what cannot be one is refused."""

from __future__ import annotations

import operator
import sys
from typing import Any

import msgspec
import numpy as np

from tdsl.errors import DTypeError, ShapeError, SizeError
from tdsl.runtime.frameworks import NotShared, framework_of, from_dlpack
from tdsl.syntax.diagnostics import Diagnostic, Label
from tdsl.syntax.source import Span
from tdsl.types.dtypes import BOUNDS, DTYPES, AnyDType, DType, DTypeVariable, WeakKind, of_numpy
from tdsl.types.limits import MOST_AXES, MOST_BYTES
from tdsl.types.sizes import Pack, Size
from tdsl.types.types import TensorType, WeakType

Array = np.ndarray[Any, Any]

_CUDA = 2  # among DLPack's kinds of devices

# NumPy's flags for "C-contiguous" and "aligned": with both, native code can read the data as is.
PLAIN = 0x1 | 0x100


class Wanted(msgspec.Struct, frozen=True):
    """One array that a function takes: a parameter, or an item of a parameter that is a tuple."""

    function: str
    name: str
    type: TensorType
    shown: str  # the type in the user's own names
    span: Span

    @property
    def where(self) -> str:
        return f"declared `{self.name}: {self.shown}` at {self.span!r}"

    def diagnostic(self, code: str, message: str, *notes: str) -> Diagnostic:
        label = Label(self.span, f"declared `{self.shown}` here")
        return Diagnostic(code, message, (label,), notes)


class WeakNumber(msgspec.Struct, frozen=True):
    """A Python number in the place of a scalar: it takes the dtype that is declared."""

    value: int | float | bool
    kind: WeakKind


def describe(value: object) -> str:
    """An argument as a TDSL type where it has one, else in Python's words."""
    if isinstance(value, np.ndarray | np.generic):
        return describe_type(value.dtype, value.shape)
    if isinstance(value, WeakNumber):
        return f"the Python number {value.value!r}"
    return "None" if value is None else f"a Python {type(value).__name__}"


def describe_type(dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    """The type of an array: `f32[2, 3]`."""
    known = of_numpy(dtype.newbyteorder("="))
    name = known.name if known else f"NumPy's {dtype}"
    return f"{name}[{', '.join(map(str, shape))}]" if shape else name


def dtype_error(wanted: Wanted, found: str, help: str, *notes: str) -> DTypeError:
    message = f"argument `{wanted.name}` of `{wanted.function}` must be {wanted.shown}, not {found}"
    text = "\n  ".join((f"[E0702] {message}", wanted.where, *notes, f"help: {help}"))
    return DTypeError(
        text,
        diagnostics=(wanted.diagnostic("E0702", message, *notes),),
        argument=wanted.name,
        expected=wanted.shown,
        found=found,
    )


def is_masked(value: object) -> bool:
    """Whether it is a masked array of NumPy. Their module takes longer to import than the rest of a
    start: there are none while it is not loaded."""
    module = sys.modules.get("numpy.ma")
    return module is not None and isinstance(value, getattr(module, "MaskedArray", ()))


def as_array(value: object, wanted: Wanted) -> Array | WeakNumber:
    """The argument as a NumPy array without a copy, whatever its layout and byte order."""
    if is_masked(value):
        raise dtype_error(
            wanted,
            "a masked array",
            "TDSL has no masks of that kind: pass `x.filled(0)`, or data and mask as two arrays",
        )
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, bool | int | float):
        return _weak(value, wanted)
    array = _exchanged(value, wanted)
    if array is not None:
        return array
    suggestion = f"np.asarray({wanted.name}, {_numpy_name(wanted.type.dtype)})"
    raise dtype_error(wanted, describe(value), f"pass a NumPy array: `{suggestion}`")


def _weak(value: bool | int | float, wanted: Wanted) -> WeakNumber:
    if wanted.type.shape and not all(isinstance(axis, Pack) for axis in wanted.type.shape):
        suggestion = f"np.full(shape, {value!r}, {_numpy_name(wanted.type.dtype)})"
        raise dtype_error(
            wanted,
            f"the Python number {value!r}",
            f"pass a NumPy array: `{suggestion}`",
        )
    kind: WeakKind = (
        "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
    )
    return WeakNumber(value, kind)


def _exchanged(value: object, wanted: Wanted) -> Array | None:
    """An array of another library that lies in main memory."""
    framework = framework_of(value)
    if framework is not None:
        try:
            return framework.share(value)
        except NotShared as problem:
            help = problem.help.format(name=wanted.name)
            raise dtype_error(wanted, problem.found, help) from problem
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        number = _gpu_of(value)
        if number is not None:
            raise dtype_error(
                wanted,
                f"an array on cuda:{number}",
                "the function runs on this processor: copy the array to main memory, or compile the"
                ' function with `target="nvptx"`',
            )
        try:
            return from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as problem:
            if not hasattr(value, "__array__"):
                raise dtype_error(
                    wanted,
                    f"a {type(value).__module__}.{type(value).__name__} that NumPy cannot share"
                    f" ({problem})",
                    "copy it to main memory as a NumPy array first",
                ) from problem
    if hasattr(value, "__array__") and not isinstance(value, type):
        try:
            return np.asarray(value)
        except (RuntimeError, TypeError, ValueError) as problem:
            raise dtype_error(
                wanted,
                f"a {type(value).__module__}.{type(value).__name__} that NumPy cannot read"
                f" ({problem})",
                "copy it to main memory as a NumPy array first",
            ) from problem
    return None


def _gpu_of(value: Any) -> int | None:
    """The number of the GPU that an array of another library is on, if it is on one."""
    try:
        kind, number = value.__dlpack_device__()
    except (BufferError, RuntimeError, TypeError, ValueError):
        return None
    return int(number) if int(kind) == _CUDA else None


def _numpy_name(dtype: AnyDType) -> str:
    if isinstance(dtype, DTypeVariable):
        return "np.float32" if dtype.bound in ("float", "number", "any") else "np.int32"
    if dtype.name == "bf16":
        return "ml_dtypes.bfloat16"
    return f"np.{dtype.numpy.name if dtype.kind != 'bool' else 'bool_'}"


def can_convert(given: object) -> bool:
    """Whether `conversion_words` make sense of it: an array of any library, or a list."""
    return isinstance(given, np.ndarray | list | tuple) or framework_of(given) is not None


def conversion_words(wanted: Wanted, given: object) -> str:
    """How what is given becomes an array of the dtype that is wanted."""
    if isinstance(given, list | tuple):
        return f"`np.asarray({wanted.name}, {_numpy_name(wanted.type.dtype)})`"
    return _cast(wanted, wanted.type.dtype, given)


def _cast(wanted: Wanted, dtype: AnyDType, given: object) -> str:
    """How the argument gets another dtype, in the words of the library that it is of."""
    framework = framework_of(given)
    if framework is None:
        return f"`{wanted.name}.astype({_numpy_name(dtype)})`"
    if isinstance(dtype, DTypeVariable):
        name = "float32" if dtype.bound in ("float", "number", "any") else "int32"
    else:
        name = dtype.numpy.name
    return f"`{framework.cast.format(name=wanted.name, dtype=name)}`"


def dtype_of(value: Array, wanted: Wanted, given: object = None) -> DType:
    """The dtype of an array; refused where TDSL has none like it. `given` is what became it."""
    dtype = of_numpy(value.dtype.newbyteorder("="))
    if dtype is not None:
        return dtype
    target = _numpy_name(wanted.type.dtype)
    hints = {
        "O": f"an object array holds Python objects: pass `np.asarray({wanted.name}, {target})`",
        "c": "TDSL has no complex numbers: pass the real and imaginary parts as two arrays",
        "V": "pass each field of a structured array by itself, as a contiguous array",
        "M": f"pass the dates as integers: `{wanted.name}.astype(np.int64)`",
        "m": f"pass the durations as integers: `{wanted.name}.astype(np.int64)`",
    }
    known = ", ".join(name for name in DTYPES)
    # Of the kind of structured arrays are also numbers that NumPy has from elsewhere: float8, int4.
    is_number = value.dtype.kind == "V" and value.dtype.type is not np.void
    help = f"convert it: {_cast(wanted, wanted.type.dtype, given)}"
    if not is_number:
        help = hints.get(value.dtype.kind, help)
    raise dtype_error(wanted, f"an array of NumPy's {value.dtype}", help, f"TDSL has {known}")


def type_of(value: Array | WeakNumber, wanted: Wanted) -> TensorType | WeakType:
    """What the solver of calls takes."""
    if isinstance(value, WeakNumber):
        return WeakType(value.kind)
    return TensorType(dtype_of(value, wanted), tuple(map(Size.of, value.shape)))


def check_dtype(
    value: Array | WeakNumber,
    wanted: Wanted,
    fixed: dict[DTypeVariable, tuple[DType, str]],
    given: object = None,
) -> None:
    """Against the declaration, and for a dtype parameter against the argument that fixed it.
    `given` is what the array was made of."""
    declared = wanted.type.dtype
    if isinstance(value, WeakNumber):
        if isinstance(declared, DType):
            _check_weak(value, wanted, declared)
        return
    found = dtype_of(value, wanted, given)
    if isinstance(declared, DType):
        if found != declared:
            raise dtype_error(
                wanted,
                describe(value),
                f"nothing is cast silently: pass {_cast(wanted, declared, given)}",
            )
        return
    if found.kind not in BOUNDS[declared.bound]:
        meant = {"float": "a float", "int": "an integer", "number": "a number"}.get(declared.bound)
        raise dtype_error(
            wanted,
            describe(value),
            f"convert it: {_cast(wanted, declared, given)}",
            f"`{declared.name}` stands for {meant} dtype",
        )
    before = fixed.setdefault(declared, (found, wanted.name))
    if before[0] != found:
        raise dtype_error(
            wanted,
            describe(value),
            f"nothing is cast silently: pass {_cast(wanted, before[0], given)}",
            f"{declared.name} = {before[0]} was fixed by argument `{before[1]}`",
        )


def _check_weak(value: WeakNumber, wanted: Wanted, declared: DType) -> None:
    fits = (
        declared.is_float
        if value.kind == "float"
        else declared.kind != "bool"
        if value.kind == "int"
        else declared.kind == "bool"
    )
    if not fits:
        raise dtype_error(
            wanted,
            describe(value),
            f"say what is meant: `{_numpy_name(declared)}({value.value!r})`",
        )
    if declared.is_integer:
        limits = np.iinfo(declared.numpy)
        if not limits.min <= value.value <= limits.max:
            raise dtype_error(
                wanted,
                describe(value),
                "pass a number in that range",
                f"{declared.name} holds {limits.min} to {limits.max}",
            )


def weak_array(value: WeakNumber, wanted: Wanted, dtype: DType) -> Array:
    """The number as a rank-0 array, once the dtype is known."""
    _check_weak(value, wanted, dtype)
    with np.errstate(over="ignore"):  # too large a float saturates, as a literal does
        if isinstance(value.value, int) and dtype.is_float:
            try:
                return np.array(float(value.value), dtype.numpy)
            except OverflowError:
                return np.array(np.inf if value.value > 0 else -np.inf, dtype.numpy)
        return np.array(value.value, dtype.numpy)


def check_rank(value: Array, wanted: Wanted) -> None:
    """As many axes as declared, none of them empty, and all of it addressable."""
    axes = wanted.type.shape
    plain = sum(isinstance(axis, Size) for axis in axes)
    packed = plain != len(axes)
    found = describe(value)

    def refuse(kind: type[ShapeError], code: str, message: str, *lines: str) -> ShapeError:
        text = "\n  ".join((f"[{code}] {message}", wanted.where, f"found {found}", *lines))
        return kind(
            text,
            diagnostics=(wanted.diagnostic(code, message, f"found {found}", *lines),),
            argument=wanted.name,
            expected=wanted.shown,
            found=found,
        )

    who = f"argument `{wanted.name}` of `{wanted.function}`"
    if value.ndim < plain if packed else value.ndim != plain:
        at_least = "at least " if packed else ""
        raise refuse(
            ShapeError,
            "E0703",
            f"{who} must have {at_least}{_axes(plain)}, not {value.ndim}",
            *_rank_help(value, wanted, plain, packed),
        )
    if value.ndim > MOST_AXES:
        raise refuse(SizeError, "E0704", f"{who} has {value.ndim} axes; the most are {MOST_AXES}")
    if 0 in value.shape:
        raise refuse(
            SizeError,
            "E0703",
            f"{who} is empty: axis {value.shape.index(0)} has size 0",
            "every size is 1 or more in TDSL; handle the empty case before the call",
        )
    if value.nbytes >= MOST_BYTES:
        raise refuse(SizeError, "E0704", f"{who} is too large: {value.nbytes} bytes")


def _rank_help(value: Array, wanted: Wanted, plain: int, packed: bool) -> tuple[str, ...]:
    if packed or plain == 0:
        return ()
    if value.ndim == plain + 1 and 1 in value.shape:
        axis = value.shape.index(1)
        return (f"help: drop the axis of size 1: `{wanted.name}.squeeze({axis})`",)
    if value.ndim == plain - 1:
        return (f"help: add an axis: `{wanted.name}[np.newaxis]`",)
    return ()


def _axes(count: int) -> str:
    return f"{count} axis" if count == 1 else f"{count} axes"


def plain(array: Array) -> Array:
    """The array itself where native code can read it, else a contiguous copy in native order."""
    if array.flags.num & PLAIN == PLAIN and array.dtype.isnative:
        return array
    return np.array(array, array.dtype.newbyteorder("="), order="C", copy=True, subok=False)


def as_static(value: object) -> int | float | bool | None:
    """A Python or NumPy number as the value of a static parameter, or None."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating):
        return float(value)
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None
