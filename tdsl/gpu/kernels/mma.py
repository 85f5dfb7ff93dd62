"""The instruction `mma.sync`: its types, numbers as words of 32 bits, and fragments of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tdsl.gpu.kernels.elements import load, store
from tdsl.gpu.kernels.staging import as_type
from tdsl.gpu.kernels.writer import Index, KernelCode
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand

STEP: Final = 8
"""Words along the depth that one instruction multiplies."""
ROWS: Final = 16
COLUMNS: Final = 8
"""The size of its result."""


@dataclass(frozen=True)
class Multiplicand:
    """A type that tensor cores multiply: how many elements a word of 32 bits has, and how the
    instruction is spelled."""

    element: str
    pack: int
    ptx: str
    word: str
    depth: int


TYPES: Final = MappingProxyType(
    {
        "tf32": Multiplicand("f32", 1, "tf32", "i32", 8),
        "bf16": Multiplicand("bf16", 2, "bf16", "i32", 16),
        "f16": Multiplicand("f16", 2, "f16", "vector<2xf16>", 16),
    }
)


def multiply(
    code: KernelCode, type_: Multiplicand, a: Sequence[str], b: Sequence[str], c: Sequence[Value]
) -> list[Value]:
    """Four registers of one operand, two of the other, and four sums."""
    struct = "!llvm.struct<(f32, f32, f32, f32)>"
    multiplicand = f"#nvvm.mma_type<{type_.ptx}>"
    shape = f"#nvvm.shape<m = {ROWS}, n = {COLUMNS}, k = {type_.depth}>"
    name = code.emit(
        f"nvvm.mma.sync A[{', '.join(a)}] B[{', '.join(b)}] "
        f"C[{', '.join(one.name for one in c)}] "
        f"{{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
        f"multiplicandAPtxType = {multiplicand}, multiplicandBPtxType = {multiplicand}, "
        f"shape = {shape}}} : ({type_.word}, {type_.word}, f32) -> {struct}"
    )
    return [
        Value(code.emit(f"llvm.extractvalue {name}[{at}] : {struct}"), "f32") for at in range(4)
    ]


def words(code: KernelCode, type_: Multiplicand, value: Value) -> Value:
    """Numbers as words of 32 bits, rounded to what is multiplied; of 16 bits an even count."""
    value = as_type(code, value, type_.element)
    if type_.pack == 2:
        return code.bits(value, "i32", value.lanes // 2)
    return _rounded(code, value)


def _rounded(code: KernelCode, value: Value) -> Value:
    """The bits of f32 numbers rounded to TF32, as the instruction wants them: it ignores the last
    13. NaN stays one."""
    bits = code.convert("arith.bitcast", value, "i32")
    nearest = code.apply(
        "arith.andi",
        code.apply("arith.addi", bits, code.constant(1 << 12, "i32", value.lanes)),
        code.constant(-(1 << 13), "i32", value.lanes),
    )
    return code.select(code.compare("uno", value, value), bits, nearest)


def interleaved(code: KernelCode, type_: Multiplicand, low: Value, high: Value) -> Value:
    """Words of two numbers of 16 bits, from neighbouring rows."""
    low, high = (as_type(code, one, type_.element) for one in (low, high))
    if not low.lanes:
        return words(code, type_, code.joined([low, high]))
    order = [at + half * low.lanes for at in range(low.lanes) for half in (0, 1)]
    name = code.emit(
        f"vector.shuffle {low.name}, {high.name} [{', '.join(map(str, order))}] : "
        f"{low.type}, {low.type}"
    )
    return words(code, type_, Value(name, low.element, 2 * low.lanes))


def put_words(code: KernelCode, memory: Operand, indices: Sequence[Index], found: Value) -> None:
    """At most four words at once."""
    if found.lanes <= 4:
        store(code, memory, indices, found)
        return
    for start in range(0, found.lanes, 4):
        part = code.joined([code.lane(found, start + at) for at in range(4)])
        store(code, memory, [*indices[:-1], code.add(indices[-1], start)], part)


def register(
    code: KernelCode, type_: Multiplicand, memory: Operand, indices: Sequence[Index]
) -> str:
    """A word of shared memory, of the type that the instruction takes."""
    if type_.word == "i32":
        return load(code, memory, indices, 0).name
    return code.bits(load(code, memory, indices, 1), type_.element, 2).name


def as_register(code: KernelCode, type_: Multiplicand, found: Value) -> str:
    """One or two numbers, of the type that the instruction takes."""
    if type_.word != "i32":
        return as_type(code, found, type_.element).name
    one = words(code, type_, found)
    return code.lane(one, 0).name if one.lanes else one.name
