"""Graphs of chains over rows and of attention as kernels of the CPU."""

from __future__ import annotations

from claim_programs import CHAINS, Axis, Making, chain, given, softmax
from kernel_support import Compiled

from tdsl.cpu import attention, rows
from tdsl.lowering import machine as machines

__all__ = [
    "CHAINS", "MACHINES", "Axis", "Making", "attention_kernel", "chain_kernel", "given",
    "rows_kernel", "softmax",
]  # fmt: skip

# LLVM's features: narrow code must run without wide instructions.
MACHINES: dict[str, str | None] = {
    "avx512": None,
    "avx2": "+avx2,+fma,+f16c",
    # Half precision needs instructions of its own, or a library that need not be there.
    "portable": "+sse2,+f16c",
}


def rows_kernel(text: str, machine: str = "avx512") -> Compiled:
    width = machines.MACHINES[machine].vector_bytes
    return Compiled(
        text, lambda function, types, result: rows.kernel("k", function, types, result, width),
        features=MACHINES[machine],
    )  # fmt: skip


def attention_kernel(text: str, machine: str = "avx512", layouts: tuple[str, ...] = ()) -> Compiled:
    kind = machines.MACHINES[machine]
    return Compiled(
        text,
        lambda function, types, result: attention.kernel("k", function, types, result, kind),
        layouts,
        MACHINES[machine],
    )


def chain_kernel(
    name: str, shape: tuple[Axis, ...], dtype: str = "f32", machine: str = "avx512"
) -> Compiled:
    making = chain(name, shape, dtype)
    return rows_kernel(making.text(making.result), machine)  # type: ignore[attr-defined]
