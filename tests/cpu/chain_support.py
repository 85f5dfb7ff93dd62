"""Graphs of chains over rows and of attention as kernels of the CPU."""

from __future__ import annotations

from claim_programs import CHAINS, Axis, Making, chain, given, softmax
from kernel_support import Compiled

from tdsl.cpu import attention, rows

__all__ = [
    "CHAINS", "MACHINES", "Axis", "Making", "attention_kernel", "chain_kernel", "given",
    "rows_kernel", "softmax",
]  # fmt: skip

# Vector bytes, registers, and LLVM's features: narrow code must run without wide instructions.
MACHINES: dict[str, tuple[int, int, str | None]] = {
    "avx512": (64, 32, None),
    "avx2": (32, 16, "+avx2,+fma,+f16c"),
    # Half precision needs instructions of its own, or a library that need not be there.
    "portable": (16, 16, "+sse2,+f16c"),
}


def rows_kernel(text: str, machine: str = "avx512") -> Compiled:
    width, _, features = MACHINES[machine]
    return Compiled(
        text, lambda function, types, result: rows.kernel("k", function, types, result, width),
        features=features,
    )  # fmt: skip


def attention_kernel(text: str, machine: str = "avx512", layouts: tuple[str, ...] = ()) -> Compiled:
    width, registers, features = MACHINES[machine]
    return Compiled(
        text,
        lambda function, types, result: attention.kernel(
            "k", function, types, result, width, registers
        ),
        layouts,
        features,
    )


def chain_kernel(
    name: str, shape: tuple[Axis, ...], dtype: str = "f32", machine: str = "avx512"
) -> Compiled:
    making = chain(name, shape, dtype)
    return rows_kernel(making.text(making.result), machine)  # type: ignore[attr-defined]
