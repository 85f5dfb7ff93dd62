"""How types, numbers and indexing maps are spelled in MLIR."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tdsl.graph.graph import ArrayType
from tdsl.types.dtypes import DType

# A bool is a byte in memory: a tensor of i1 aborts the lowering.
_STORED: Final = {
    "f64": "f64",
    "f32": "f32",
    "f16": "f16",
    "bf16": "bf16",
    "i64": "i64",
    "i32": "i32",
    "i16": "i16",
    "i8": "i8",
    "u32": "i32",
    "u8": "i8",
    "bool": "i8",
}
# One letter a loop, in the order of people's habits; rank 16 is the limit of the language.
LOOPS: Final = "ijklmnopqrstuvwx"


def stored(dtype: DType) -> str:
    """The element type in tensors."""
    return _STORED[dtype.name]


def scalar(dtype: DType) -> str:
    """The type of one element inside a body."""
    return "i1" if dtype.kind == "bool" else _STORED[dtype.name]


def tensor(type_: ArrayType) -> str:
    """`tensor<2x?xf32>`."""
    sizes = [size.literal for size in type_.shape]
    dimensions = "".join(f"{'?' if size is None else size}x" for size in sizes)
    return f"tensor<{dimensions}{stored(type_.dtype)}>"


def identifier(name: str) -> str:
    """The name, as far as MLIR takes it after `%` or `@`."""
    text = re.sub(r"[^A-Za-z0-9_$.]+", "_", name).strip("_")
    return text if text and not text[0].isdigit() else f"_{text}"


def number(value: float | bool, dtype: DType) -> str:
    """A literal of this dtype that reads back as exactly the value rounded to it."""
    if dtype.kind == "bool":
        return "true" if value else "false"
    if not dtype.is_float:
        return str(int(value))
    with np.errstate(over="ignore"):
        rounded = np.asarray(value, np.float64).astype(dtype.numpy)
    if not np.isfinite(rounded):
        bits = int.from_bytes(rounded.tobytes(), "little")
        return f"0x{bits:0{dtype.bits // 4}X}"
    text = str(rounded[()])
    if float(text) != float(rounded) and np.asarray(float(text)).astype(dtype.numpy) != rounded:
        text = repr(float(rounded))
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def indexing_map(rank: int, results: Sequence[int | str | None]) -> tuple[str, str]:
    """An affine map of `rank` loops, and its alias. A result is a loop's number, None for the
    constant 0 (an axis of size 1 that stretches), or an expression of its own."""
    loops = LOOPS[:rank]
    spelled = [
        "0" if result is None else loops[result] if isinstance(result, int) else result
        for result in results
    ]
    text = f"affine_map<({', '.join(loops)}) -> ({', '.join(spelled)})>"
    # A flipped axis is shown by a capital letter.
    short = "".join(part if len(part) == 1 else part[-1].upper() for part in spelled)
    if list(results) == list(range(rank)):
        return text, loops or "scalar"
    return text, f"{loops or 'scalar'}_{short or 'scalar'}"
