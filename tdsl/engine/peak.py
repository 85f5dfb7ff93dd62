"""What this machine can do at most, measured: arithmetic in f32, and reading memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cache
from typing import Final

import msgspec
import numpy as np

from tdsl.engine.llvm import Target, compile_ir
from tdsl.engine.load import load
from tdsl.lowering.machine import Machine, machine_of

_FMA, _READ = "tdsl_peak_fma", "tdsl_peak_read"
# More sums at once than a processor needs to hide how long one takes, and few enough to be kept in
# registers.
_SUMS: Final = 12
_BYTES: Final = 1 << 28  # more than caches hold
_SECONDS: Final = 0.02
_TRIES: Final = 5


class Peak(msgspec.Struct, frozen=True):
    """Of all threads together."""

    threads: int
    flops: float
    """Floating-point operations of f32 in a second; a product and a sum count two."""
    bandwidth: float
    """Bytes read from memory in a second."""


@cache
def measure(threads: int) -> Peak:
    """The best of some short runs; takes about half a second, the first time."""
    machine = machine_of(Target.host().features)
    loaded = load(compile_ir(_source(machine), Target.host(), frozenset({_FMA, _READ})))
    fma = CFUNCTYPE(None, c_int64, c_void_p)(loaded.address(_FMA))
    read = CFUNCTYPE(None, c_void_p, c_int64, c_void_p)(loaded.address(_READ))
    lanes = machine.lanes(4)
    out = [np.zeros(lanes, np.float32) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as workers:

        def together(work: Callable[[int], None]) -> float:
            """The best time in which every thread has done its work once."""
            times = []
            for _ in range(_TRIES):
                start = time.perf_counter()
                for _ in workers.map(work, range(threads)):
                    pass
                times.append(time.perf_counter() - start)
            return min(times)

        def multiply(turns: int) -> float:
            return together(lambda i: fma(turns, out[i].ctypes.data))

        turns = 1 << 16
        while multiply(turns) < _SECONDS:
            turns *= 2
        flops = 2 * _SUMS * lanes * turns * threads / multiply(turns)
        memory = np.ones(_BYTES // 4, np.float32)
        part = _BYTES // threads // (4 * 64) * (4 * 64)
        seconds = together(
            lambda i: read(
                memory.ctypes.data + i * part, part // (4 * 4 * lanes), out[i].ctypes.data
            )
        )
    return Peak(threads, flops, part * threads / seconds)


def _source(machine: Machine) -> str:
    lanes = machine.lanes(4)
    vector = f"<{lanes} x float>"

    def step(sum_: str, before: str) -> str:
        if machine.fma:
            call = (
                f"call {vector} @llvm.fma.v{lanes}f32({vector} {before}, {vector} %x, {vector} %y)"
            )
            return f"  {sum_} = {call}\n"
        return f"  {sum_}.x = fmul {vector} {before}, %x\n  {sum_} = fadd {vector} {sum_}.x, %y\n"

    def total(names: list[str], prefix: str) -> str:
        text, before = "", names[0]
        for at, name in enumerate(names[1:]):
            text += f"  %{prefix}{at} = fadd {vector} {before}, {name}\n"
            before = f"%{prefix}{at}"
        return text + f"  store {vector} {before}, ptr %out, align 4\n"

    sums = [f"%s{i}" for i in range(_SUMS)]
    starts = "".join(f"  {s} = phi {vector} [ %x, %entry ], [ {s}.next, %loop ]\n" for s in sums)
    steps = "".join(step(f"{s}.next", s) for s in sums)
    reads = [f"%r{i}" for i in range(4)]
    read_starts = "".join(
        f"  {r} = phi {vector} [ zeroinitializer, %entry ], [ {r}.next, %loop ]\n" for r in reads
    )
    read_steps = "".join(
        f"  {r}.at = getelementptr {vector}, ptr %p, i64 {i}\n"
        f"  {r}.value = load {vector}, ptr {r}.at, align 4\n"
        f"  {r}.next = fadd {vector} {r}, {r}.value\n"
        for i, r in enumerate(reads)
    )
    return f"""declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})

define void @{_FMA}(i64 %n, ptr %out) #0 {{
entry:
  %x = load {vector}, ptr %out, align 4
  %y = load {vector}, ptr %out, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
{starts}{steps}  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
{total([f"{s}.next" for s in sums], "t")}  ret void
}}

define void @{_READ}(ptr %memory, i64 %n, ptr %out) #0 {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
{read_starts}  %first = mul i64 %i, 4
  %p = getelementptr {vector}, ptr %memory, i64 %first
{read_steps}  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
{total([f"{r}.next" for r in reads], "t")}  ret void
}}

attributes #0 = {{ "prefer-vector-width"="{8 * machine.vector_bytes}" }}
"""
