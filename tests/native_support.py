"""Running modules of tensors natively, inside guarded memory; modules in the emitter's form."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from tdsl.cpu.compiler import load_object
from tdsl.engine.llvm import Target
from tdsl.engine.object import CompiledObject
from tdsl.engine.worker import compile_isolated
from tdsl.lowering.interface import Interface, OpenSize, evaluate
from tdsl.lowering.options import Options
from tdsl.types.sizes import Size, Symbol

_GUARD = 256
_MARK = 0xAB


class Guarded:
    """An array between two zones that nothing may touch."""

    def __init__(self, shape: Sequence[int], dtype: type | np.dtype, offset: int = 0) -> None:
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self._memory = np.full(count + 2 * _GUARD + 128, _MARK, np.uint8)
        start = -self._memory.ctypes.data % 64 + _GUARD + offset
        self._start, self._end = start, start + count
        self.array = self._memory[start : start + count].view(dtype).reshape(shape)

    def spoil(self) -> None:
        """Fill with NaN (or -1): what the code reads before it writes shows in its results."""
        self._memory[self._start : self._end] = 0xFF

    def check(self, what: str) -> None:
        assert (self._memory[: self._start] == _MARK).all(), f"written before {what}"
        assert (self._memory[self._end :] == _MARK).all(), f"written after {what}"


class Native:
    """A compiled and loaded module, called on arrays."""

    def __init__(
        self,
        text: str,
        options: Options | None = None,
        interface: Interface | None = None,
        target: Target | None = None,
    ) -> None:
        self.compiled: CompiledObject = compile_isolated(
            text, options or Options(), interface, target
        )
        self._loaded = load_object(self.compiled)
        self._entry = self._loaded.entry(self.compiled.entry)

    def __call__(self, *inputs: np.ndarray, sizes: Sequence[int] = (), offset: int = 0) -> list:
        """Results in order; every write outside of results and scratch memory is an error."""
        interface = self.compiled.interface
        values = dict(zip(interface.symbols, sizes, strict=True))
        dtype = inputs[0].dtype
        given = [Guarded(one.shape, one.dtype, offset) for one in inputs]
        for guarded, one in zip(given, inputs, strict=True):
            guarded.array[...] = one
        results = [
            Guarded([evaluate(size, values) for size in shape], dtype, offset)
            for shape in interface.results
        ]
        scratch = Guarded([self.compiled.scratch_bytes(sizes)], np.uint8)
        for guarded in (*results, scratch):
            guarded.spoil()
        everything = [*given, *results, scratch]
        data = (ctypes.c_void_p * len(everything))(*[g.array.ctypes.data for g in everything])
        numbers = (ctypes.c_int64 * max(len(sizes), 1))(*sizes)
        assert self._entry(data, numbers) == 0
        for position, (guarded, one) in enumerate(zip(given, inputs, strict=True)):
            guarded.check(f"input {position}")
            assert guarded.array.tobytes() == one.tobytes(), "an input was changed"
        for position, guarded in enumerate(results):
            guarded.check(f"result {position}")
        scratch.check("the scratch memory")
        return [guarded.array for guarded in results]


def open_interface(
    inputs: Sequence[Sequence[int | str]], results: Sequence[Sequence[int | str]]
) -> Interface:
    """Names stand for open sizes, read where they first occur in an input."""
    found: dict[str, OpenSize] = {}
    for position, shape in enumerate(inputs):
        for axis, size in enumerate(shape):
            if isinstance(size, str) and size not in found:
                found[size] = OpenSize(Symbol(size), position, axis)

    def shapes(given: Sequence[Sequence[int | str]]) -> tuple[tuple[Size, ...], ...]:
        return tuple(
            tuple(Size.of(Symbol(size) if isinstance(size, str) else size) for size in shape)
            for shape in given
        )

    return Interface(shapes(inputs), shapes(results), tuple(found.values()))


def tensor(*shape: int | str, dtype: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


def identity(rank: int) -> str:
    names = ", ".join(f"d{axis}" for axis in range(rank))
    return f"affine_map<({names}) -> ({names})>"


def projection(rank: int, axes: Sequence[int]) -> str:
    names = ", ".join(f"d{axis}" for axis in range(rank))
    return f"affine_map<({names}) -> ({', '.join(f'd{axis}' for axis in axes)})>"


def unary(operation: str, count: int, dtype: str = "f32") -> str:
    """y = operation(x) on a vector."""
    type_ = tensor(count, dtype=dtype)
    return f"""
func.func @f(%x: {type_}) -> {type_} {{
  %e = tensor.empty() : {type_}
  %r = linalg.generic {{indexing_maps = [{identity(1)}, {identity(1)}], iterator_types = ["parallel"]}}
    ins(%x : {type_}) outs(%e : {type_}) {{
  ^bb0(%a: {dtype}, %o: {dtype}):
    %y = {operation} %a : {dtype}
    linalg.yield %y : {dtype}
  }} -> {type_}
  return %r : {type_}
}}"""


def product(m: int, k: int, n: int, dtype: str = "f32", maps: str = "", claim: bool = True) -> str:
    """A matrix product, claimed or not. `maps` may transpose operands, whose shapes follow."""
    left = tensor(*((k, m) if "left" in maps else (m, k)), dtype=dtype)
    right = tensor(*((n, k) if "right" in maps else (k, n)), dtype=dtype)
    result = tensor(m, n, dtype=dtype)
    first = projection(3, (2, 0) if "left" in maps else (0, 2))
    second = projection(3, (1, 2) if "right" in maps else (2, 1))
    indexing = f"indexing_maps = [{first}, {second}, {projection(3, (0, 1))}] " if maps else ""
    body = f"""
  %z = arith.constant 0.0 : {dtype}
  %e = tensor.empty() : {result}
  %f = linalg.fill ins(%z : {dtype}) outs(%e : {result}) -> {result}
  %r = linalg.matmul {indexing}ins(%a, %b : {left}, {right}) outs(%f : {result}) -> {result}
  return %r : {result}
}}"""
    if not claim:
        return f"func.func @f(%a: {left}, %b: {right}) -> {result} {{{body}"
    return f"""
func.func @f(%a: {left}, %b: {right}) -> {result} {{
  %r = call @f.matmul_0(%a, %b) : ({left}, {right}) -> {result}
  return %r : {result}
}}
func.func private @f.matmul_0(%a: {left}, %b: {right}) -> {result} attributes {{tdsl.claim = "matmul"}} {{{body}"""


def softmax(*shape: int | str, dtype: str = "f32") -> str:
    """Along the last axis; open sizes are written as names."""
    rank = len(shape)
    known = ["?" if isinstance(size, str) else size for size in shape]
    whole, rows = tensor(*known, dtype=dtype), tensor(*known[:-1], dtype=dtype)
    identical, row = identity(rank), projection(rank, range(rank - 1))
    parallel = '"parallel", ' * (rank - 1)
    dims = "".join(
        f"  %c{axis} = arith.constant {axis} : index\n"
        f"  %d{axis} = tensor.dim %x, %c{axis} : {whole}\n"
        for axis, size in enumerate(known)
        if size == "?"
    )

    def empty(kept: Sequence[int | str], type_: str) -> str:
        sizes = ", ".join(f"%d{axis}" for axis, size in enumerate(kept) if size == "?")
        return f"tensor.empty({sizes}) : {type_}"

    def generic(name: str, ins: str, types: str, maps: str, out: str, kind: str, body: str) -> str:
        type_ = rows if kind == "reduction" else whole
        return f"""
  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{parallel}"{kind}"]}}
    ins({ins} : {types}) outs(%{out} : {type_}) {{
  {body}
    linalg.yield %y : {dtype}
  }} -> {type_}"""

    two = f"^bb0(%a: {dtype}, %b: {dtype}, %o: {dtype}):"
    one = f"^bb0(%a: {dtype}, %o: {dtype}):"
    into = f"{identical}, {row}"
    across = f"{identical}, {row}, {identical}"
    return f"""
func.func @f(%x: {whole}) -> {whole} {{
{dims}
  %z = arith.constant 0.0 : {dtype}
  %low = arith.constant {"0xFF800000" if dtype == "f32" else "0xFFF0000000000000"} : {dtype}
  %e = {empty(known[:-1], rows)}
  %m0 = linalg.fill ins(%low : {dtype}) outs(%e : {rows}) -> {rows}
  {generic("m", "%x", whole, into, "m0", "reduction", f"{one} %y = arith.maximumf %o, %a : {dtype}")}
  %w = {empty(known, whole)}
  {generic("d", "%x, %m", f"{whole}, {rows}", across, "w", "parallel", f"{two} %y = arith.subf %a, %b : {dtype}")}
  {generic("p", "%d", whole, f"{identical}, {identical}", "w", "parallel", f"{one} %y = math.exp %a : {dtype}")}
  %s0 = linalg.fill ins(%z : {dtype}) outs(%e : {rows}) -> {rows}
  {generic("s", "%p", whole, into, "s0", "reduction", f"{one} %y = arith.addf %o, %a : {dtype}")}
  {generic("r", "%p, %s", f"{whole}, {rows}", across, "w", "parallel", f"{two} %y = arith.divf %a, %b : {dtype}")}
  return %r : {whole}
}}"""


def numpy_softmax(x: np.ndarray) -> np.ndarray:
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)
