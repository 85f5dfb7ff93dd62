"""Generated matrix products: every shape of tile, layout, dtype and what follows, inside guards."""

from __future__ import annotations

import re

import ml_dtypes
import native_support
import numpy as np
import pytest
from kernel_support import Compiled
from mlir import ir
from native_support import Native, identity, open_interface, product, projection, tensor

import tdsl
from tdsl.cpu.backend import CPU
from tdsl.cpu.compiler import compile_text
from tdsl.cpu.gemm import Gemm
from tdsl.cpu.packing import pack_array, packed_shape
from tdsl.cpu.tiles import tile_for
from tdsl.lowering.interface import Interface
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused
from tdsl.lowering.machine import MACHINES, machine_of
from tdsl.lowering.options import Kernels, Options
from tdsl.lowering.pipeline import context, count_buffers, lower

_NATIVE = Kernels.parse("matmul:native")
_TOLERANCE = {"f32": 1e-4, "f64": 1e-12}


def _normal(*shape: int, dtype: str = "f32") -> np.ndarray:
    kind = np.float32 if dtype == "f32" else np.float64
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(kind)


def _open(dtype: str, maps: str) -> tuple[str, Interface]:
    """A product of any sizes."""
    t = tensor("?", "?", dtype=dtype)
    flips = "left" in maps, "right" in maps
    first = projection(3, (2, 0) if flips[0] else (0, 2))
    second = projection(3, (1, 2) if flips[1] else (2, 1))
    text = f"""
func.func @f(%a: {t}, %b: {t}) -> {t} {{
  %r = call @p(%a, %b) : ({t}, {t}) -> {t}
  return %r : {t}
}}
func.func private @p(%a: {t}, %b: {t}) -> {t} attributes {{tdsl.claim = "matmul"}} {{
  %z = arith.constant 0.0 : {dtype}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c{int(flips[0])} : {t}
  %n = tensor.dim %b, %c{int(not flips[1])} : {t}
  %e = tensor.empty(%m, %n) : {t}
  %f = linalg.fill ins(%z : {dtype}) outs(%e : {t}) -> {t}
  %r = linalg.matmul indexing_maps = [{first}, {second}, {projection(3, (0, 1))}]
    ins(%a, %b : {t}, {t}) outs(%f : {t}) -> {t}
  return %r : {t}
}}"""
    left = ("K", "M") if flips[0] else ("M", "K")
    right = ("N", "K") if flips[1] else ("K", "N")
    interface = open_interface([left, right], [("M", "N")])
    return text, interface


def _near(sizes: tuple[int, ...]) -> list[int]:
    return sorted({1, *(size + step for size in sizes for step in (-1, 0, 1))} - {0})


@pytest.mark.parametrize(
    ("isa", "dtype", "maps"),
    [
        *[("avx512", "f32", maps) for maps in ("", "left", "right", "left right")],
        *[("avx512", "f64", maps) for maps in ("", "right")],
        *[("avx2", "f32", maps) for maps in ("", "right")],
        *[("portable", "f32", maps) for maps in ("", "right")],
        ("avx2", "f64", "left right"),
        ("portable", "f64", "left"),
    ],
)
def test_one_object_for_all_shapes(isa: str, dtype: str, maps: str) -> None:
    text, interface = _open(dtype, maps)
    native = Native(text, Options(_NATIVE, isa=isa), interface)
    assert set(native.compiled.symbols) <= {"tdsl_pool_run"}
    tile = tile_for(MACHINES[isa], 4 if dtype == "f32" else 8)
    rows = _near((tile.rows, 4 * tile.rows))
    columns = [*_near((tile.lanes, tile.columns)), 129]
    shapes = [(m, 7, tile.columns + 3) for m in rows]
    shapes += [(m, 5, n) for m in (3, tile.rows, 4 * tile.rows + 1) for n in columns]
    shapes += [(129, 1, 2), (1, 129, 129), (5, 33, 65), (64, 64, 64), (40, 17, 1)]
    for m, k, n in shapes:
        a = _normal(*((k, m) if "left" in maps else (m, k)), dtype=dtype)
        b = _normal(*((n, k) if "right" in maps else (k, n)), dtype=dtype)
        values = {"M": m, "K": k, "N": n}
        sizes = [values[known.symbol.name] for known in interface.open_sizes]
        (found,) = native(a, b, sizes=sizes, offset=8)
        wanted = (a.T if "left" in maps else a) @ (b.T if "right" in maps else b)
        np.testing.assert_allclose(
            found, wanted, rtol=0, atol=_TOLERANCE[dtype], err_msg=f"{m}x{k}x{n}"
        )


@pytest.mark.parametrize("maps", ["", "right"])
@pytest.mark.parametrize(
    "shape",
    [(1, 1, 1), (1, 768, 50), (3, 5, 7), (8, 3, 48), (9, 4, 49), (33, 129, 65), (7, 2, 200)],
)
def test_fixed_shapes(shape: tuple[int, int, int], maps: str) -> None:
    m, k, n = shape
    a, b = _normal(m, k), _normal(*((n, k) if maps else (k, n)))
    native = Native(product(m, k, n, maps=maps), Options(_NATIVE))
    wanted = a @ (b.T if maps else b)
    np.testing.assert_allclose(native(a, b)[0], wanted, rtol=0, atol=1e-4)


def test_infinities_and_nan_spread_as_they_should() -> None:
    """Columns that fill up a panel must not reach others, and 0 * inf is NaN."""
    m, k, n = 40, 6, 51
    a, b = _normal(m, k), _normal(k, n)
    a[3, 2], a[5] = np.nan, 0.0
    b[1, 50], b[4, 7] = np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        wanted = a @ b
    for rows in (m, 7, 1):
        native = Native(product(rows, k, n), Options(_NATIVE))
        (found,) = native(a[:rows], b)
        np.testing.assert_allclose(found, wanted[:rows], rtol=1e-5, atol=1e-5)


def test_a_kernel_that_writes_too_far_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no mask on the last columns, the guards after the result must notice."""
    generate = Gemm.generate

    def broken(self: Gemm, request: KernelRequest) -> Kernel:
        kernel = generate(self, request)
        text = re.sub(
            r"vector.create_mask \S+ : (\S+)", r"arith.constant dense<true> : \1", kernel.text
        )
        return Kernel(kernel.symbol, text, kernel.scratch)

    monkeypatch.setattr(Gemm, "generate", broken)
    monkeypatch.setattr(native_support, "compile_isolated", compile_text)  # here, not elsewhere
    native = Native(product(9, 4, 50), Options(_NATIVE))
    with pytest.raises(AssertionError, match="written after result 0"):
        native(_normal(9, 4), _normal(4, 50))


@pytest.mark.parametrize("offset", [0, 4])
def test_slices_are_read_and_written_without_copies(offset: int) -> None:
    whole, part, weight, result = tensor(12, 24), tensor(12, 8), tensor(8, 70), tensor(12, 70)
    text = f"""
func.func @f(%x: {whole}, %w: {weight}) -> {result} {{
  %s = tensor.extract_slice %x[0, {offset}] [12, 8] [1, 1] : {whole} to {part}
  %r = call @p(%s, %w) : ({part}, {weight}) -> {result}
  return %r : {result}
}}
{_plain_claim(part, weight, result)}"""
    with context():
        module = ir.Module.parse(text)
        lower(module, "bufferized", Options(_NATIVE), CPU)
        assert count_buffers(module) == (0, 0)
    x, w = _normal(12, 24), _normal(8, 70)
    native = Native(text, Options(_NATIVE))
    wanted = x[:, offset : offset + 8] @ w
    np.testing.assert_allclose(native(x, w)[0], wanted, rtol=0, atol=1e-5)


def test_columns_that_lie_apart_are_copied_first() -> None:
    whole, part, weight, result = tensor(12, 16), tensor(12, 8), tensor(8, 70), tensor(12, 70)
    text = f"""
func.func @f(%x: {whole}, %w: {weight}) -> {result} {{
  %s = tensor.extract_slice %x[0, 0] [12, 8] [1, 2] : {whole} to {part}
  %r = call @p(%s, %w) : ({part}, {weight}) -> {result}
  return %r : {result}
}}
{_plain_claim(part, weight, result)}"""
    x, w = _normal(12, 16), _normal(8, 70)
    (found,) = Native(text, Options(_NATIVE))(x, w)
    np.testing.assert_allclose(found, x[:, ::2] @ w, rtol=0, atol=1e-5)


def _plain_claim(left: str, right: str, result: str, fill: str = "0.0") -> str:
    return f"""
func.func private @p(%a: {left}, %b: {right}) -> {result} attributes {{tdsl.claim = "matmul"}} {{
  %z = arith.constant {fill} : f32
  %e = tensor.empty() : {result}
  %f = linalg.fill ins(%z : f32) outs(%e : {result}) -> {result}
  %r = linalg.matmul ins(%a, %b : {left}, {right}) outs(%f : {result}) -> {result}
  return %r : {result}
}}"""


def _refusal(text: str) -> str:
    with context():
        module = ir.Module.parse(text)
        function = module.body.operations[0]
        with pytest.raises(Refused) as caught:
            Gemm().accept(function, MACHINES["avx512"], Options())
        return str(caught.value)


def test_what_is_refused_is_said() -> None:
    t = tensor(4, 4)
    assert _refusal(_plain_claim(t, t, t, "3.0")) == "the product adds to other values"
    integers = _plain_claim(t, t, t).replace("f32", "i32").replace("0.0", "0")
    assert _refusal(integers) == "products of i32 have no kernel"
    reduced = _plain_claim(t, t, t).replace(
        f"return %r : {t}",
        f"""%s = linalg.generic {{indexing_maps = [{identity(2)}, {projection(2, (0,))}],
      iterator_types = ["parallel", "reduction"]}} ins(%r : {t}) outs(%q : tensor<4xf32>) {{
    ^bb0(%x: f32, %o: f32):
      %y = arith.addf %x, %o : f32
      linalg.yield %y : f32
    }} -> tensor<4xf32>
    return %s : tensor<4xf32>""",
    )
    reduced = reduced.replace(f"-> {t} attributes", "-> tensor<4xf32> attributes")
    reduced = reduced.replace("%e =", "%q = tensor.empty() : tensor<4xf32>\n  %e =")
    assert _refusal(reduced) == "a reduction comes after the product"


def test_tiles_fit_the_registers() -> None:
    for isa, machine in MACHINES.items():
        for size in (4, 8):
            tile = tile_for(machine, size)
            used = tile.rows * tile.vectors + tile.vectors + 1
            assert used <= machine.registers, isa


def test_the_machine_is_read_from_its_features() -> None:
    assert machine_of("+avx512f,+avx512vl,+avx512bw,+avx2,+fma").isa == "avx512"
    assert machine_of("+avx512f,+avx2,+fma").isa == "avx2", "no masks on bytes: the narrower one"
    assert machine_of("+avx2,+fma,-avx512f").isa == "avx2"
    assert machine_of("+avx2").isa == "portable", "no FMA"
    assert machine_of("").isa == "portable"


# --- with what follows

_PROGRAM = """tdsl 0.1
from std.nn import linear, gelu, gelu_exact, silu

pub fn up[...S](x: f32[...S, 8], w: f32[8, 70], b: f32[70]) -> f32[...S, 70] { gelu(linear(x, w, b)) + 1.0 }
pub fn residual[T](x: f32[T, 60], a: f32[T, 8], w: f32[8, 60], b: f32[60]) -> f32[T, 60] {
    x + linear(a, w, b)
}
pub fn gate[T](a: f32[T, 8], w: f32[8, 60], v: f32[8, 60]) -> f32[T, 60] { silu(a @ w) * (a @ v) }
pub fn scores[T](q: f32[T, 8], k: f32[T, 8]) -> f32[T, T] { q @ k.T / sqrt(8.0) + causal_mask(T, f32) }
pub fn exact[T](a: f64[T, 8], w: f64[8, 60], b: f64[60]) -> f64[T, 60] { gelu_exact(linear(a, w, b)) }
pub fn vector(a: f32[8], w: f32[8, 60], b: f32[60]) -> f32[60] { a @ w + b }
pub fn compared[T](a: f32[T, 8], w: f32[8, 60], b: f32[60]) -> bool[T, 60] { a @ w > b }
pub fn narrow[T](x: bf16[T, 8], w: bf16[8, 60]) -> bf16[T, 60] { x @ w + 1.0 }
pub fn half[T](x: f16[T, 8], w: f16[60, 8]) -> f16[T, 60] { x @ w.T }
pub fn heads[T](a: f32[T, 8], w: f32[8, 60]) -> f32[5, T, T] {
    let q = transpose(reshape(a @ w, [T, 5, 12]), [1, 0, 2])
    q @ transpose(q, [0, 2, 1])
}
pub fn regrouped[T](a: f32[4, T, 8], w: f32[4, 8, 60], y: f32[T, 4, 60]) -> f32[T, 4, 60] {
    y + reshape(a @ w, [T, 4, 60])
}
pub fn rows[T](a: f32[T, 8], w: f32[8, 60], s: f32[T]) -> f32[T, 60] { (a @ w) * s[:, newaxis] }
pub fn mixed[T](a: f32[T, 8], w: f32[8, 60], s: f64[T, 60]) -> f64[T, 60] { f64(a @ w) + s }
pub fn chosen[T](a: f32[T, 8], w: f32[8, 60], keep: bool[T, 60]) -> f32[T, 60] { select(keep, a @ w, 0.0) }
"""
_SHAPES: dict[str, list[tuple[str, tuple[int | str, ...]]]] = {
    "up": [("f32", (2, "T", 8)), ("f32", (8, 70)), ("f32", (70,))],
    "residual": [("f32", ("T", 60)), ("f32", ("T", 8)), ("f32", (8, 60)), ("f32", (60,))],
    "gate": [("f32", ("T", 8)), ("f32", (8, 60)), ("f32", (8, 60))],
    "scores": [("f32", ("T", 8)), ("f32", ("T", 8))],
    "exact": [("f64", ("T", 8)), ("f64", (8, 60)), ("f64", (60,))],
    "vector": [("f32", (8,)), ("f32", (8, 60)), ("f32", (60,))],
    "compared": [("f32", ("T", 8)), ("f32", (8, 60)), ("f32", (60,))],
    "narrow": [("bf16", ("T", 8)), ("bf16", (8, 60))],
    "half": [("f16", ("T", 8)), ("f16", (60, 8))],
    "heads": [("f32", ("T", 8)), ("f32", (8, 60))],
    "regrouped": [("f32", (4, "T", 8)), ("f32", (4, 8, 60)), ("f32", ("T", 4, 60))],
    "rows": [("f32", ("T", 8)), ("f32", (8, 60)), ("f32", ("T",))],
    "mixed": [("f32", ("T", 8)), ("f32", (8, 60)), ("f64", ("T", 60))],
    "chosen": [("f32", ("T", 8)), ("f32", (8, 60)), ("bool", ("T", 60))],
}
_KINDS = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "bool": np.bool_,
}


@pytest.fixture(scope="module")
def programs() -> dict[str, tdsl.Module]:
    return {name: tdsl.loads(_PROGRAM, kernels=name) for name in ("matmul:native", "none")}


@pytest.mark.parametrize("name", list(_SHAPES))
def test_on_against_off(programs: dict[str, tdsl.Module], name: str) -> None:
    """One instance for every number of rows, if the function has a number of rows."""
    on, off = (getattr(programs[kernels], name) for kernels in ("matmul:native", "none"))
    if name not in ("vector", "up"):  # the sizes of a pack are left open by the second call
        on, off = (function.compile(dynamic=("T",)) for function in (on, off))
    for tokens in (37, 5, 1, 129):
        random = np.random.default_rng(tokens)
        arguments = []
        for kind, shape in _SHAPES[name]:
            sizes = [tokens if size == "T" else size for size in shape]
            numbers = random.standard_normal(sizes)
            arguments.append(numbers > 0 if kind == "bool" else numbers.astype(_KINDS[kind]))
        found, wanted = np.asarray(on(*arguments)), np.asarray(off(*arguments))
        assert found.dtype == wanted.dtype
        exponent = {"float16": -9, "bfloat16": -6}.get(str(found.dtype), -18)
        np.testing.assert_allclose(
            found.astype(np.float64), wanted.astype(np.float64), rtol=2.0**exponent, atol=1e-5
        )


# --- constant operands, packed once


@pytest.mark.parametrize("batch", [0, 3])
@pytest.mark.parametrize("kind", ["f32", "bf16"])
@pytest.mark.parametrize("rows", [1, 7, 8, 41])
def test_a_packed_operand(rows: int, kind: str, batch: int) -> None:
    depth, columns = 19, 101
    tile = tile_for(MACHINES["avx512"], 4)
    lead = (batch,) if batch else ()
    name = "batch_matmul" if batch else "matmul"
    left, right = tensor(*lead, rows, depth), tensor(*lead, depth, columns, dtype=kind)
    wide, result = tensor(*lead, depth, columns), tensor(*lead, rows, columns)
    maps = f"indexing_maps = [{identity(len(lead) + 2)}, {identity(len(lead) + 2)}]"
    kinds = ", ".join(['"parallel"'] * (len(lead) + 2))
    widen = f"""%we = tensor.empty() : {wide}
  %w = linalg.generic {{{maps}, iterator_types = [{kinds}]}}
    ins(%b : {right}) outs(%we : {wide}) {{
  ^bb0(%x: {kind}, %o: f32):
    %y = arith.extf %x : {kind} to f32
    linalg.yield %y : f32
  }} -> {wide}"""
    text = f"""
func.func private @p(%a: {left}, %b: {right}) -> {result} attributes {{tdsl.claim = "matmul"}} {{
  %z = arith.constant 0.0 : f32
  {widen if kind != "f32" else ""}
  %e = tensor.empty() : {result}
  %f = linalg.fill ins(%z : f32) outs(%e : {result}) -> {result}
  %r = linalg.{name} ins(%a, {"%b" if kind == "f32" else "%w"} : {left}, {wide})
    outs(%f : {result}) -> {result}
  return %r : {result}
}}"""
    shape = packed_shape((*lead, depth, columns), tile)
    packed_type = f"memref<{'x'.join(map(str, shape))}x{kind}>"

    def make(function: object, operands: list, made: object) -> str:
        kernel = Gemm().generate(
            KernelRequest(
                "matmul",
                "k",
                function,
                tuple(operands),
                made,
                MACHINES["avx512"],
                Options(),
                frozenset({1}),
            )
        )
        assert kernel.scratch is None, "nothing is packed at the call"
        return kernel.text

    a = _normal(*lead, rows, depth)
    b = _normal(*lead, depth, columns).astype(_KINDS[kind])
    packed = pack_array(b, tile)
    assert packed.shape == shape
    found = Compiled(text, make, [None, packed_type])(a, packed)
    np.testing.assert_allclose(found, a @ b.astype(np.float32), rtol=0, atol=1e-5)
