"""The CPU backend: which passes it adds to the shared ones."""

from __future__ import annotations

from tdsl.cpu import blas_calls, vecmath
from tdsl.lowering.backend import Backend, Pass

CPU = Backend(
    name="cpu",
    kernels=(Pass("blas-calls", blas_calls.run),),
    math=(Pass("vector-math", vecmath.run, lambda options: options.vector_math),),
)
