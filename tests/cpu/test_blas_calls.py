"""Matrix products through BLAS: every layout, no copies, no fill, and what BLAS cannot take."""

from __future__ import annotations

import native_support
import numpy as np
import pytest
from mlir import ir
from msgspec.structs import replace
from native_support import Native, open_interface, product, tensor

from tdsl.cpu import blas, blas_calls
from tdsl.cpu.backend import CPU
from tdsl.cpu.blas import find_blas
from tdsl.cpu.compiler import compile_text
from tdsl.lowering.options import Kernels, Options
from tdsl.lowering.pipeline import context, count_buffers, lower, lower_text

_LOOPS = Options(Kernels.parse("matmul:loops"))
_BLAS = Options(Kernels.parse("matmul:blas"))


def _normal(*shape: int, dtype: str = "f32") -> np.ndarray:
    kind = np.float32 if dtype == "f32" else np.float64
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(kind)


def _called(native: Native) -> tuple[str, ...]:
    return native.compiled.symbols


def test_openblas_is_found() -> None:
    found = find_blas()
    assert found is not None
    assert set(found.addresses) == set(blas.SYMBOLS)
    assert all(found.addresses.values())


def test_openblas_has_one_thread() -> None:
    found = find_blas()
    assert found is not None
    for prefix in ("scipy_", ""):
        count = getattr(found.library, f"{prefix}openblas_get_num_threads", None)
        if count is not None:
            assert count() == 1


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("maps", ["", "left", "right", "left right"])
@pytest.mark.parametrize(
    "shape", [(3, 5, 7), (1, 5, 7), (3, 5, 1), (1, 5, 1), (4, 1, 6), (33, 129, 65)]
)
def test_every_layout(shape: tuple[int, int, int], maps: str, dtype: str) -> None:
    m, k, n = shape
    a = _normal(*((k, m) if "left" in maps else (m, k)), dtype=dtype)
    b = _normal(*((n, k) if "right" in maps else (k, n)), dtype=dtype)
    wanted = (a.T if "left" in maps else a) @ (b.T if "right" in maps else b)
    text = product(m, k, n, dtype, maps)
    kind = "v" if 1 in (m, n) else "m"
    letter = "s" if dtype == "f32" else "d"
    for options, symbols in ((_BLAS, (f"cblas_{letter}gem{kind}",)), (_LOOPS, ())):
        native = Native(text, options)
        assert _called(native) == symbols
        (found,) = native(a, b)
        np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=1e-5 if k > 100 else 2e-6)


def test_unclaimed_products_stay_named_and_are_loops() -> None:
    text = product(8, 8, 8, claim=False)
    assert "linalg.matmul" in lower_text(text, "bufferized", _BLAS, CPU)
    native = Native(text, Options(Kernels.none()))
    assert _called(native) == ()
    a, b = _normal(8, 8), _normal(8, 8)
    np.testing.assert_allclose(native(a, b)[0], a @ b, rtol=2e-6, atol=2e-6)


def test_without_a_library_products_are_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas_calls, "find_blas", lambda: None)
    # In this process, where the library is out of sight.
    monkeypatch.setattr(native_support, "compile_isolated", compile_text)
    native = Native(product(8, 8, 8), _BLAS)
    assert _called(native) == ()
    a, b = _normal(8, 8), _normal(8, 8)
    np.testing.assert_allclose(native(a, b)[0], a @ b, rtol=2e-6, atol=2e-6)


def test_no_fill_is_left_in_front_of_a_call() -> None:
    with context():
        module = ir.Module.parse(product(8, 8, 8))
        lower(module, "bufferized", _BLAS, CPU)
        assert "linalg.fill" in str(module)
        blas_calls.run(module, _BLAS)
        assert "linalg.fill" not in str(module)
        assert "cblas_sgemm" in str(module)


def test_a_product_onto_other_values_adds_to_them() -> None:
    """Without a fill of zero before it, a product accumulates."""
    t = tensor(4, 4)
    text = f"""
func.func @f(%a: {t}, %b: {t}) -> {t} {{
  %z = arith.constant 3.0 : f32
  %e = tensor.empty() : {t}
  %f = linalg.fill ins(%z : f32) outs(%e : {t}) -> {t}
  %r = call @p(%a, %b, %f) : ({t}, {t}, {t}) -> {t}
  return %r : {t}
}}
func.func private @p(%a: {t}, %b: {t}, %c: {t}) -> {t} attributes {{tdsl.claim = "matmul"}} {{
  %r = linalg.matmul ins(%a, %b : {t}, {t}) outs(%c : {t}) -> {t}
  return %r : {t}
}}"""
    a, b = _normal(4, 4), _normal(4, 4)
    native = Native(text, _BLAS)
    assert _called(native) == ("cblas_sgemm",)
    np.testing.assert_allclose(native(a, b)[0], a @ b + 3, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("offset", [0, 4, 8])
def test_a_slice_reaches_blas_without_a_copy(offset: int) -> None:
    whole, part, weight, result = tensor(6, 12), tensor(6, 4), tensor(4, 5), tensor(6, 5)
    text = f"""
func.func @f(%x: {whole}, %w: {weight}) -> {result} {{
  %s = tensor.extract_slice %x[0, {offset}] [6, 4] [1, 1] : {whole} to {part}
  %r = call @p(%s, %w) : ({part}, {weight}) -> {result}
  return %r : {result}
}}
func.func private @p(%a: {part}, %b: {weight}) -> {result} attributes {{tdsl.claim = "matmul"}} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {result}
  %f = linalg.fill ins(%z : f32) outs(%e : {result}) -> {result}
  %r = linalg.matmul ins(%a, %b : {part}, {weight}) outs(%f : {result}) -> {result}
  return %r : {result}
}}"""
    with context():
        module = ir.Module.parse(text)
        lower(module, "bufferized", _BLAS, CPU)
        assert count_buffers(module) == (0, 0)
    x, w = _normal(6, 12), _normal(4, 5)
    native = Native(text, _BLAS)
    assert _called(native) == ("cblas_sgemm",)
    np.testing.assert_allclose(native(x, w)[0], x[:, offset : offset + 4] @ w, rtol=1e-5, atol=1e-6)


_OPEN = """
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = call @p(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func private @p(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {tdsl.claim = "matmul"} {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}"""


def test_one_object_for_all_open_sizes() -> None:
    interface = open_interface([("M", "K"), ("K", "N")], [("M", "N")])
    native = Native(_OPEN, replace(_BLAS, threads=1), interface)
    # One row or column is a matrix-vector product, chosen at the call.
    assert _called(native) == ("cblas_sgemm", "cblas_sgemv")
    for m, k, n in [(3, 5, 7), (1, 5, 7), (3, 5, 1), (1, 1, 1), (40, 3, 2)]:
        a, b = _normal(m, k), _normal(k, n)
        (found,) = native(a, b, sizes=(m, k, n))
        np.testing.assert_allclose(found, a @ b, rtol=2e-6, atol=2e-6)


def test_open_sizes_beyond_32_bits_take_the_loops() -> None:
    text = lower_text(
        _OPEN, "llvm", _BLAS, CPU, open_interface([("M", "K"), ("K", "N")], [("M", "N")])
    )
    assert "2147483647" in text


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("m", [1, 4])
def test_batches(m: int, flip: bool) -> None:
    a_type, r_type = tensor(3, m, 5), tensor(3, m, 6)
    b_type = tensor(3, 6, 5) if flip else tensor(3, 5, 6)
    second = "d0, d2, d3" if flip else "d0, d3, d2"
    dims = "affine_map<(d0, d1, d2, d3) -> ("
    maps = f"indexing_maps = [{dims}d0, d1, d3)>, {dims}{second})>, {dims}d0, d1, d2)>]"
    text = f"""
func.func @f(%a: {a_type}, %b: {b_type}) -> {r_type} {{
  %r = call @p(%a, %b) : ({a_type}, {b_type}) -> {r_type}
  return %r : {r_type}
}}
func.func private @p(%a: {a_type}, %b: {b_type}) -> {r_type} attributes {{tdsl.claim = "matmul"}} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {r_type}
  %f = linalg.fill ins(%z : f32) outs(%e : {r_type}) -> {r_type}
  %r = linalg.batch_matmul {maps} ins(%a, %b : {a_type}, {b_type}) outs(%f : {r_type}) -> {r_type}
  return %r : {r_type}
}}"""
    a, b = _normal(3, m, 5), _normal(*((3, 6, 5) if flip else (3, 5, 6)))
    wanted = a @ (b.transpose(0, 2, 1) if flip else b)
    for options in (_BLAS, _LOOPS):
        native = Native(text, options)
        assert bool(_called(native)) == (options == _BLAS)
        np.testing.assert_allclose(native(a, b)[0], wanted, rtol=2e-6, atol=2e-6)


def test_integers_are_loops() -> None:
    text = product(3, 4, 5).replace("f32", "i32").replace("0.0 : i32", "0 : i32")
    a, b = (np.arange(n, dtype=np.int32).reshape(s) for n, s in ((12, (3, 4)), (20, (4, 5))))
    native = Native(text, _BLAS)
    assert _called(native) == ()
    np.testing.assert_array_equal(native(a, b)[0], a @ b)
