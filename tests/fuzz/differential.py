"""Run a random program natively in several ways, and compare with the evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any
from unittest import mock

import numpy as np
from random_programs import Program

import tdsl
import tdsl.runtime.build
from tdsl.check.calls import solve_call
from tdsl.lowering.options import Options
from tdsl.reference.evaluate import evaluate
from tdsl.types.dtypes import DTYPES, DType, of_numpy
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution, TensorType

Array = np.ndarray[Any, Any]

# (rtol, atol): of what a few dozen roundings, in another order, may make.
TOLERANCE = {"f64": 1e-9, "f32": 2e-4, "f16": 8e-2, "bf16": 4e-1}
SIZES = (1, 1, 2, 3, 4, 5, 7, 9, 17, 33)


@dataclass(frozen=True)
class Draw:
    """Values of the parameters of a program, and how it is compiled."""

    sizes: dict[str, int]
    statics: dict[str, int]
    dtype: str
    kernels: str
    fuse: bool
    vectorize: bool
    dynamic: tuple[str, ...]
    seed: int


def draw(program: Program, random: Random) -> Draw:
    sizes = {name: random.choice(SIZES) for name in program.sizes}
    statics = {name: random.choice((1, 2, 2, 3)) for name in program.statics}
    if program.divisible:
        sizes["q"] = random.choice((1, 2, 3, 5))
    # A size that no argument shows by itself cannot be left open.
    dynamic = tuple(name for name in program.sizes if random.random() < 0.5)
    if random.random() < 0.5:
        dynamic = ()
    return Draw(
        sizes,
        statics,
        random.choice(("f32", "f32", "f64", "f16", "bf16")),
        random.choice(("all", "none")),
        random.random() < 0.8,
        random.random() < 0.8,
        dynamic,
        random.randrange(2**32),
    )


def array(random: np.random.Generator, dtype: DType, shape: tuple[int, ...]) -> Array:
    name = dtype.name
    if name == "bool":
        return random.random(shape) < 0.5
    if name in TOLERANCE:
        return np.asarray(random.standard_normal(shape)).astype(dtype.numpy)
    low, high = (0, 200) if name[0] == "u" else (-100, 100)
    return np.asarray(random.integers(low, high, shape)).astype(dtype.numpy)


def literal(size: Size, values: dict[str, int]) -> int:
    found = size.substitute({s: Size.of(values[s.name]) for s in size.symbols()}).literal
    assert found is not None
    return found


def arrays_for(program: Program, how: Draw) -> list[Array]:
    values = {**how.sizes, **how.statics}
    random = np.random.default_rng(how.seed)
    return [
        array(
            random,
            DTYPES[how.dtype if dtype == "E" else dtype],
            tuple(literal(size, values) for size in shape),
        )
        for _, dtype, shape in program.arguments
    ]


@contextmanager
def options(how: Draw) -> Iterator[None]:
    chosen = partial(Options, fuse=how.fuse, vectorize=how.vectorize)
    with mock.patch.object(tdsl.runtime.build, "Options", chosen):
        yield


def as_tuple(value: Any) -> tuple[Array, ...]:
    return tuple(value) if isinstance(value, tuple) else (value,)


def dtype_of(array: Array) -> DType:
    dtype = of_numpy(array.dtype)
    assert dtype is not None
    return dtype


def expected(function: tdsl.Function, arrays: list[Array], statics: dict[str, int]) -> Any:
    types = [TensorType(dtype_of(a), tuple(map(Size.of, a.shape))) for a in arrays]
    sizes = {name: Size.of(value) for name, value in statics.items()}
    signature = function._signature
    solved = solve_call(signature, types, sizes, Facts())
    assert isinstance(solved, Substitution), solved
    return evaluate(function._program, signature.function, arrays, solved)


def difference(wanted: Array, found: Array, dtype: str) -> str | None:
    """What is wrong with a result; None where nothing is. `dtype` is the narrowest in use."""
    if wanted.shape != found.shape or wanted.dtype != found.dtype:
        return f"{found.dtype}{found.shape} for {wanted.dtype}{wanted.shape}"
    if dtype_of(wanted).name not in TOLERANCE:
        wrong = wanted != found
    else:
        a, b = wanted.astype(np.float64), found.astype(np.float64)
        finite = np.abs(a[np.isfinite(a)])
        scale = finite.max() if finite.size else 1.0
        with np.errstate(all="ignore"):
            close = np.abs(a - b) <= TOLERANCE[dtype] * (1 + scale)
        wrong = ~(close | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return None
    place = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))
    shown_a, shown_b = np.atleast_1d(wanted)[place], np.atleast_1d(found)[place]
    return f"{int(wrong.sum())} of {wrong.size} differ; at {place} {shown_b} for {shown_a}"


def compare(program: Program, how: Draw) -> str | None:
    """What goes wrong when the program runs so; None where nothing does."""
    module = tdsl.loads(program.text, kernels=how.kernels)
    function = module.f
    arrays = arrays_for(program, how)
    wanted = as_tuple(expected(function, arrays, how.statics))
    with options(how):
        try:
            compiled = function.compile(dynamic=how.dynamic, **how.statics)
            found = as_tuple(compiled(*arrays, **how.statics))
        except tdsl.CompileError as error:
            if how.dynamic and "E0" in str(error):
                how = replace(how, dynamic=())
                compiled = function.compile(dynamic=(), **how.statics)
                found = as_tuple(compiled(*arrays, **how.statics))
            else:
                raise
    order = list(TOLERANCE)
    used = [a for a in order if a in program.text] + [how.dtype]
    narrowest = max(used, key=order.index)
    for number, (a, b) in enumerate(zip(wanted, found, strict=True)):
        if said := difference(np.asarray(a), b, narrowest):
            return f"result {number}: {said}"
    return None
