"""The CPU backend: which passes it adds to the shared ones."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from tdsl.cpu import blas_calls, vecmath
from tdsl.cpu.attention import FlashAttention
from tdsl.cpu.gemm import Gemm
from tdsl.cpu.rows import Rows
from tdsl.cpu.taking import Taking
from tdsl.engine.llvm import Target
from tdsl.engine.pool import thread_count
from tdsl.lowering.backend import Backend, Pass
from tdsl.lowering.machine import MACHINES, Machine, machine_of
from tdsl.lowering.options import Options


def machine(options: Options) -> Machine:
    """The one that the options force, or this processor."""
    forced = options.isa in MACHINES
    found = MACHINES[options.isa] if forced else machine_of(Target.host().features)
    return replace(found, threads=options.threads or thread_count())


CPU = Backend(
    name="cpu",
    generators=MappingProxyType(
        {
            "attention": MappingProxyType({"native": FlashAttention()}),
            "rows": MappingProxyType({"native": Rows()}),
            "matmul": MappingProxyType({"native": Gemm()}),
            "take": MappingProxyType({"native": Taking()}),
        }
    ),
    machine=machine,
    kernels=(Pass("blas-calls", blas_calls.run),),
    math=(Pass("vector-math", vecmath.run, lambda options: options.vector_math),),
)
